"""Every compliant actuator of the catalogue, written out again as one ODE for a tight integrator.

Only the numbers come from Pliant: springs, limits, motors, controllers and friction stand here a
second time, in continuous time. `python benchmarks tight` prints, for each, the largest distance of the
joint engine from it at steps of 1 and 0.1 ms.
"""

from collections.abc import Callable, Sequence
from math import copysign, cos, exp, sin, sinh, sqrt

import numpy as np
from scipy.integrate import solve_ivp

import pliant
from pliant.assemble import Actuator, with_laws
from pliant.engines.joint.engine import JointEngine, JointSettings
from pliant.engines.joint.simulate import simulate

from .closed import compliant

HOLD, SAMPLES, DURATION = 0.2, 10e-3, 1.0
"""[s] Commands and pushes hold for the first; the second is the distance of compared instants."""
SLIDES = "qbmove_maker_pro_pwm_released"
"""The branch that its firmware lacks makes it slide along |u| = 1: no solution of an ODE."""
HYSTERETIC = "csf_17_50_gear"
"""Its spring has a state; `test_hysteresis` solves it."""
GRAZE = 1e-9
"""[rad] An impact is beyond the stop by this, lest one that rests there hits it for ever."""
LIMITS = {
    "sea_walkman_200": 0.02,
    "sea_walkman_400": 0.01,
    "awas": 0.02,
    "awas_ii": 0.1,
    "bavs": 0.25,
}
"""Deflection [rad] where stiff springs are limited, so that these commands reach it."""
Spring = Callable[[float, float, float], tuple[float, float, float]]
"""Angles q, th_1, th_2 to dV/dq, dV/dth_1, dV/dth_2."""


class Numbers:
    """Values of an actuator by `port.symbol`; 0 for what its laws do not have."""

    def __init__(self, actuator: Actuator) -> None:
        self.known = {name: number.value for name, number in actuator.numbers.items()}

    def __call__(self, name: str, without: float = 0.0) -> float:
        return self.known.get(name, without)


def elastic(law: str, n: Numbers, port: str) -> Callable[[float], float]:
    """Torque of one spring at a deflection."""
    if law == "linear_spring":
        return lambda x: n(f"{port}.k") * x
    if law == "quadratic_spring":
        return lambda x: n(f"{port}.k") * x * abs(x)
    if law == "sinh_spring":
        return lambda x: n(f"{port}.k") * sinh(n(f"{port}.a") * x)
    k, a, b, e = (n(f"{port}.{s}") for s in ("k", "a", "b", "k_e"))
    assert law == "exponential_spring"
    return lambda x: k * (a * exp(e * x) - b * exp(-e * x))


def within(law: str, n: Numbers, port: str) -> float:
    """Deflection beyond which the torque of the spring stays."""
    assert law in ("saturate", "none")
    return n(f"{port}.max_def") if law == "saturate" else np.inf


def pair(actuator: Actuator, n: Numbers) -> Spring:
    """Two springs against each other, or one; a linear one beside both."""
    laws = {port: law.name for port, law in actuator.laws.items()}
    ends = [e for e in ("", "_1", "_2") if f"spring{e}" in laws]
    springs = [elastic(laws[f"spring{e}"], n, f"spring{e}") for e in ends]
    reach = [within(laws[f"limit{e}"], n, f"limit{e}") for e in ends]

    def torques(q: float, one: float, two: float) -> tuple[float, float, float]:
        each = [
            spring(max(-most, min(q - th, most)))
            for spring, most, th in zip(springs, reach, (one, two), strict=False)
        ]
        beside = n("parallel.k") * (q - 0.5 * (one + two))
        return sum(each) + beside, -each[0] - 0.5 * beside, -each[-1] - 0.5 * beside

    return torques


def lever(actuator: Actuator, n: Numbers) -> Spring:
    """AwAS and AwAS-II: V = c(x) sin(phi)^2, linear in phi beyond the limit."""
    most = within(actuator.laws["limit"].name, n, "limit")

    def stiffness(x: float) -> tuple[float, float]:
        if actuator.laws["spring"].name == "awas":
            r = n("spring.r0") - n("spring.b") * x
            return n("spring.k_s") * r * r, -2.0 * n("spring.k_s") * n("spring.b") * r
        arm = n("spring.arm")
        s = min(max(x, 0.0), 0.9 * arm)
        g = arm / n("spring.r_t") * s / (arm - s)
        slope = arm / n("spring.r_t") * arm / (arm - s) ** 2 if s == x else 0.0
        return n("spring.K_s") * g * g, 2.0 * n("spring.K_s") * g * slope

    def torques(q: float, theta: float, x: float) -> tuple[float, float, float]:
        c, slope = stiffness(x)
        phi = max(-most, min(q - theta, most))
        by_x = slope * (sin(phi) ** 2 + sin(2.0 * phi) * (q - theta - phi))
        return c * sin(2.0 * phi), -c * sin(2.0 * phi), by_x

    return torques


def rope(n: Numbers) -> Spring:
    """MACCEPA: a spring from the motor's lever to the link, pulled by a drum."""
    k, b, c, r, p0 = (n(f"spring.{s}") for s in ("k_s", "B", "C", "r", "P0"))

    def torques(q: float, theta: float, x: float) -> tuple[float, float, float]:
        alpha = theta - q
        a = sqrt(b * b + c * c - 2.0 * b * c * cos(alpha))
        pull = k * max(a - abs(c - b) + r * x + p0, 0.0)
        by_alpha = pull * b * c * sin(alpha) / a
        return -by_alpha, by_alpha, pull * r

    return torques


def horns(n: Numbers) -> Spring:
    """Edinburgh: two springs from servo horns to a lever, dV/dq by their lengths' derivatives."""
    k, s0, horn, a, h, d = (
        n(f"spring.{s}") for s in ("k_s", "rest_length", "horn", "lever", "axis_x", "axis_y")
    )

    def torques(q: float, one: float, two: float) -> tuple[float, float, float]:
        found = []
        for u, side in ((one, 1.0), (two, -1.0)):
            s = np.array([-side * (h + horn * sin(u)), horn * cos(u) - d])
            s += side * a * np.array([cos(q), sin(q)])
            length = float(np.hypot(*s))
            turn = side * a * np.array([-sin(q), cos(q)])
            moved = np.array([-side * horn * cos(u), -horn * sin(u)])
            force = k * (length - s0) * s / length
            found.append((float(force @ turn), float(force @ moved)))
        return found[0][0] + found[1][0], found[0][1], found[1][1]

    return torques


def spring_of(actuator: Actuator, n: Numbers) -> Spring:
    law = next(law.name for port, law in actuator.laws.items() if port.startswith("spring"))
    if law in ("awas", "awas_ii"):
        return lever(actuator, n)
    if law == "maccepa":
        return rope(n)
    return horns(n) if law == "edinburgh" else pair(actuator, n)


def motor_torque(actuator: Actuator, n: Numbers, end: str) -> Callable[..., float]:
    """Torque behind the gear from reference, angle, speed and integral; and the integral's rate."""
    control, motor = (actuator.laws[f"{port}{end}"].name for port in ("control", "motor"))

    def c(symbol: str) -> float:
        return n(f"control{end}.{symbol}")

    k_t, r, u = n(f"motor{end}.k_t"), n(f"motor{end}.R"), n("own.voltage")
    assert c("k_i") == 0.0, "no integral here"

    def command(ref: float, th: float, om: float) -> float:
        if control.startswith("direct"):
            asked = ref
        elif control == "current_pd":
            asked = c("gain") * c("kp") * (ref - th) - c("damping_gain") * sqrt(c("kp")) * om
        else:
            asked = c("k_p") * (ref - th) - c("k_d") * om
        if control == "pwm_dead_zone":
            size = max(min(abs(asked), 1.0) - c("dead_zone"), 0.0) / (1.0 - c("dead_zone"))
            asked = copysign(size, asked)
        return max(-c("limit"), min(asked, c("limit")))

    def torque(ref: float, th: float, om: float) -> float:
        asked = command(ref, th, om)
        if motor == "dc_voltage":
            return k_t * (asked * u - k_t * om) / r
        if motor == "dc_current":
            return k_t * max((-u - k_t * om) / r, min(asked, (u - k_t * om) / r))
        return k_t * asked if motor == "torque_source" else asked

    return torque


class Alone:
    """q, v, then theta, omega and the deflection of its friction for each of two motors."""

    def __init__(self, actuator: Actuator, link: float) -> None:
        n = self.n = Numbers(actuator)
        self.actuator, self.link, self.hits, self.deepest = actuator, link, 0, 0.0
        self.spring = spring_of(actuator, n)
        self.ends = [e for e in ("", "_1", "_2") if f"rotor{e}" in actuator.laws]
        self.rotors = [actuator.laws[f"rotor{e}"].name for e in self.ends]
        self.torques = [motor_torque(actuator, n, e) for e in self.ends]
        self.pairs = "references" in actuator.laws and (
            actuator.laws["references"].name == "equilibrium_preset"
        )

    def references(self, goal: float, preset: float) -> tuple[float, float]:
        return (goal + preset, goal - preset) if self.pairs else (goal, preset)

    def damping(self, v: float, k: int, omega: float) -> float:
        """On the link [N m], motor k receives the opposite."""
        d = self.n(f"spring{self.ends[k]}.d") + (self.n("own.d") if k == 0 else 0.0)
        return -d * (v - omega)

    def rates(self, t: float, y: np.ndarray, refs: tuple[float, float], push: float) -> list[float]:
        q, v = y[0], y[1]
        at = [refs[k] if r == "follows" else y[2 + 3 * k] for k, r in enumerate(self.rotors)]
        pulls = self.spring(q, at[0], at[-1])
        self.deepest = max(self.deepest, abs(q - at[0]))
        link, out = push - pulls[0], []
        for k, end in enumerate(self.ends):
            theta, omega, z = y[2 + 3 * k : 5 + 3 * k]
            if self.rotors[k] == "follows":
                link += self.damping(v, k, 0.0)
                out += [0.0, 0.0, 0.0]
            elif self.rotors[k] == "lag":
                out += [(refs[k] - theta) / self.n(f"rotor{end}.tau_s"), 0.0, 0.0]
            else:
                drag = self.damping(v, k, omega)
                link += drag
                out += self.rotor(k, theta, omega, z, refs[k], pulls[1 + k] + drag)
        return [v, link / self.link, *out]

    def rotor(
        self, k: int, theta: float, omega: float, z: float, reference: float, load: float
    ) -> list[float]:
        n, end = self.n, self.ends[k]
        most = n(f"friction{end}.tau_f") / n(f"friction{end}.k_z", 1.0)
        slides = (z >= most and omega > 0.0) or (z <= -most and omega < 0.0)
        drag = n(f"friction{end}.k_z") * max(-most, min(z, most)) + n(f"rotor{end}.D") * omega
        coast = (-load - drag) / n(f"rotor{end}.J")
        a = coast + self.torques[k](reference, theta, omega) / n(f"rotor{end}.J")
        fast = n(f"rotor{end}.max_speed")
        if omega >= fast:
            a = min(a, max(coast, 0.0))
        if omega <= -fast:
            a = max(a, min(coast, 0.0))
        low, high = self.stops(end)
        if abs(omega) < 1e-6 and ((theta >= high and a > 0.0) or (theta <= low and a < 0.0)):
            return [0.0, 0.0, 0.0]
        return [omega, a, 0.0 if slides else omega]

    def solve(self, start: np.ndarray, commands: np.ndarray) -> np.ndarray:
        """(N,) Angle of the link under `commands`, (segments, goal preset push)."""
        found, y = [start[0]], start
        at = np.linspace(0.0, HOLD, round(HOLD / SAMPLES) + 1)[1:]
        for goal, preset, push in commands:
            angles, y = self.held(y, at, (self.references(goal, preset), push))
            found.extend(angles)
        return np.array(found)

    def held(self, y: np.ndarray, at: np.ndarray, given: tuple[tuple[float, float], float]):
        """One command: (n,) angles at the times `at`, and where it ends; a stop takes all speed."""
        t, angles = 0.0, np.full(len(at), np.nan)
        while t < HOLD - 1e-12:
            run = solve_ivp(
                self.rates,
                (t, HOLD),
                y,
                "DOP853",
                dense_output=True,
                events=self.impacts(),
                args=given,
                rtol=1e-9,
                atol=1e-11,
                max_step=1e-3,
            )
            inside = (at > t) & (at <= run.t[-1] + 1e-12)
            if inside.any():
                angles[inside] = run.sol(at[inside])[0]
            t, y = run.t[-1], run.y[:, -1].copy()
            for k, end in enumerate(self.ends):
                low, high = self.stops(end)
                if not low < y[2 + 3 * k] < high:
                    y[2 + 3 * k], y[3 + 3 * k] = np.clip(y[2 + 3 * k], low, high), 0.0
                    self.hits += 1
        return angles, y

    def stops(self, end: str) -> tuple[float, float]:
        return self.n(f"rotor{end}.low", -np.inf), self.n(f"rotor{end}.high", np.inf)

    def impacts(self):
        """Events: a rotor reaches a stop from inside."""
        found = []
        for k, end in enumerate(self.ends):
            for side, stop in zip((-1.0, 1.0), self.stops(end), strict=True):
                if np.isfinite(stop):

                    def hit(t, y, *given, k=k, side=side, stop=stop):
                        return side * (y[2 + 3 * k] - stop) - GRAZE

                    hit.terminal, hit.direction = True, 1.0
                    found.append(hit)
        return found


def narrow(name: str) -> Actuator:
    """The actuator with stops and limits where random commands reach them, in continuous time."""
    actuator = pliant.load_actuator(name)
    rates = [port for port in actuator.laws if port.startswith("rate")]
    actuator = with_laws(actuator, dict.fromkeys(rates, "every_step"))
    values: dict[str, float] = {}
    for end in ("", "_1"):
        if f"rotor{end}.high" in actuator.fields and actuator.topology.name != "adjustable":
            values |= {f"rotor{end}.low": -0.45, f"rotor{end}.high": 0.45}
    for end in ("", "_1", "_2"):
        if f"limit{end}.max_def" in actuator.fields:
            values[f"limit{end}.max_def"] = LIMITS.get(name, 0.5)
    return actuator.with_values(values, "test", "assumed")


def case(name: str, seed: int = 1) -> tuple[Actuator, float, np.ndarray]:
    """The actuator, the inertia of a link [kg m^2] and random commands for it."""
    actuator = narrow(name)
    law = actuator.laws[next(p for p in actuator.laws if p.startswith("control"))].name
    heavy = law in ("direct_current", "current_pd")
    rng = np.random.default_rng(seed)
    rounds = round(DURATION / HOLD)
    goals = rng.uniform(-0.6, 0.6, rounds) * (10.0 if law == "direct_current" else 1.0)
    low, high = presets(actuator)
    values = rng.uniform(low + 0.1 * (high - low), low + 0.7 * (high - low), rounds)
    pushes = rng.uniform(-1.0, 1.0, rounds) * (5.0 if heavy else 1.0)
    return actuator, 0.5 if heavy else 0.01, np.stack([goals, values, pushes], axis=1)


def presets(actuator: Actuator) -> tuple[float, float]:
    n = Numbers(actuator)
    if actuator.topology.name == "adjustable":
        ends = n("own.softest"), n("own.stiffest")
        return min(ends), max(ends)
    return 0.05, 0.4


def beginning(actuator: Actuator) -> np.ndarray:
    """At rest, motors at the link, an adjuster where the joint is softest."""
    y = np.zeros(5 if "rotor" in actuator.laws else 8)
    if actuator.topology.name == "adjustable":
        y[5] = Numbers(actuator)("own.softest")
    return y


def engine_positions(
    actuator: Actuator, link: float, commands: np.ndarray, step: float
) -> np.ndarray:
    """(N,) Angle of the link in the joint engine."""
    time = np.linspace(0.0, DURATION, round(DURATION / SAMPLES) + 1)
    held = np.minimum(np.arange(len(time)) // round(HOLD / SAMPLES), len(commands) - 1)
    engine = JointEngine(actuator, plant="inertia", settings=JointSettings(max_step=step))
    goal, preset, push = commands[held].T
    run = simulate(engine, time, goal, preset, torque=push, changes={"plant.inertia": link})
    return run.position


def solvable() -> list[str]:
    """Every compliant actuator that has a solution."""
    return [name for name in compliant() if name not in (SLIDES, HYSTERETIC)]


def distances(name: str, steps: Sequence[float]) -> tuple[float, list[float]]:
    """Motion of the link [rad], and the joint engine's largest distance [mrad] at each of `steps` [s]."""
    actuator, link, commands = case(name)
    truth = Alone(actuator, link).solve(beginning(actuator), commands)
    runs = [engine_positions(actuator, link, commands, step) for step in steps]
    return float(np.ptp(truth)), [1e3 * float(np.abs(run - truth).max()) for run in runs]
