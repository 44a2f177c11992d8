"""A geared servo on a pendulum, written out again: phases of slip and stick with exact events.

Only the numbers come from Pliant. While the joint slides, friction is its budget against the
motion, and a tight integrator stops where the speed is zero; there it sticks while motor and load
stay within the budget. `python benchmarks tight` prints, for every servo, the
largest distance of the joint engine from it at steps of 1 and 0.1 ms.
"""

from collections.abc import Sequence
from math import copysign, exp, sin, sqrt

import numpy as np
from scipy.integrate import solve_ivp

import pliant
from pliant.assemble import Actuator, with_law
from pliant.catalogue import actuator_files
from pliant.engines.joint.engine import JointEngine, JointSettings
from pliant.engines.joint.simulate import simulate

HOLD, SAMPLES, DURATION = 0.4, 10e-3, 2.0
"""[s] A goal holds for the first; the second is the distance of compared instants."""
TIGHT = {"method": "DOP853", "rtol": 1e-9, "atol": 1e-11, "max_step": 2e-3}


class Servo:
    """Pendulum of a mass [kg] at a length [m], angle 0 hanging down."""

    def __init__(self, actuator: Actuator, mass: float, length: float) -> None:
        self.known = {name: number.value for name, number in actuator.numbers.items()}
        self.laws = {port: law.name for port, law in actuator.laws.items()}
        self.inertia = mass * length**2 + self.n("own.armature")
        self.weight = 9.81 * mass * length

    def n(self, name: str) -> float:
        return self.known.get(name, 0.0)

    def budget(self, v: float, m: float, e: float) -> float:
        """The table of Duclusaud et al.: M6 with zeros is M1 to M5."""

        def f(name: str) -> float:
            return self.n(f"friction.{name}")

        if self.laws["friction"] == "none":
            return 0.0
        s = exp(-(abs(v / f("v_s")) ** f("alpha"))) if f("v_s") else 0.0
        model = int(self.laws["friction"][1])
        found = f("K_v") * abs(v) + f("K_c") + s * f("K_cs")
        if model in (3, 4):
            found += (f("K_l") + s * f("K_ls")) * abs(m - e)
        if model >= 5:
            found += abs(f("K_m") * m - f("K_e") * e) + s * abs(f("K_ms") * m - f("K_es") * e)
        if model == 6 and m * e < 0.0:
            found += s * (f("K_eq") * e * e if abs(m) > abs(e) else f("K_mq") * m * m)
        return found

    def motor(self, reference: float, q: float, v: float, speed: float) -> float:

        def c(name: str) -> float:
            return self.n(f"control.{name}")

        k_t, r, u = self.n("motor.k_t"), self.n("motor.R"), self.n("own.voltage")
        error = reference - q
        control, motor = self.laws["control"], self.laws["motor"]
        if control == "firmware_position":
            error = 0.0 if abs(error) <= c("dead_band") else error
            asked = c("gain") * c("kp") * error + c("derivative_gain") * (speed - v)
        elif control == "current_pd":
            asked = c("gain") * c("kp") * error - c("damping_gain") * sqrt(c("kp")) * v
        elif control == "pid_torque":
            assert c("k_i") == 0.0, "no integral here"
            asked = c("k_p") * error - c("k_d") * v
        elif control == "pd_torque":
            asked = c("kp") * error - c("kd") * v
        else:
            assert control.startswith("direct")
            asked = reference
        asked = max(-c("limit"), min(asked, c("limit")))
        if motor == "dc_voltage":
            return k_t * (asked * u - k_t * v) / r
        if motor == "dc_current":
            return k_t * max((-u - k_t * v) / r, min(asked, (u - k_t * v) / r))
        if motor == "ideal_torque":
            return asked
        return (self.n("motor.scale") if motor == "scaled_torque" else k_t) * asked

    def torques(self, ramp, t: float, q: float, v: float) -> tuple[float, float]:
        speed = (ramp(t + 1e-9) - ramp(t)) / 1e-9
        return self.motor(ramp(t), q, v, speed), -self.weight * sin(q)

    def solve(self, goals: np.ndarray) -> np.ndarray:
        """(N,) Angle, from rest at 0 with the firmware's reference there."""
        found, q, v, reference = [0.0], 0.0, 0.0, 0.0
        fast = self.n("control.speed_limit") or 1e9
        for goal in goals:
            begin, away = reference, goal - reference

            def ramp(t: float, begin: float = begin, away: float = away) -> float:
                return begin + copysign(min(abs(away), fast * t), away)

            at = np.linspace(0.0, HOLD, round(HOLD / SAMPLES) + 1)[1:]
            angles, q, v = self.held(ramp, q, v, at)
            found.extend(angles)
            reference = ramp(HOLD)
        return np.array(found)

    def held(self, ramp, q: float, v: float, at: np.ndarray):
        """One goal: slip, stick, slip ... until the time is over."""
        t, angles = 0.0, np.full(len(at), np.nan)
        while t < HOLD - 1e-12:
            side = self.direction(ramp, t, q, v)
            if side == 0.0:
                end = self.stuck_until(ramp, q, t)
                angles[(at > t) & (at <= end + 1e-12)] = q
                t, v = end, 0.0
                continue
            run = self.slide(ramp, q, v, t, side)
            inside = (at > t) & (at <= run.t[-1] + 1e-12)
            if inside.any():
                angles[inside] = run.sol(at[inside])[0]
            t, q, v = run.t[-1], run.y[0, -1], run.y[1, -1]
            if len(run.t_events[0]):
                v = 0.0
        return angles, q, v

    def direction(self, ramp, t: float, q: float, v: float) -> float:
        """Side to which the joint slides now; 0: it sticks."""
        if v != 0.0:
            return copysign(1.0, v)
        m, e = self.torques(ramp, t, q, 0.0)
        return copysign(1.0, m + e) if abs(m + e) > self.budget(0.0, m, e) * (1 + 1e-9) else 0.0

    def slide(self, ramp, q: float, v: float, t: float, side: float):
        def rates(t: float, y: np.ndarray) -> list[float]:
            m, e = self.torques(ramp, t, y[0], y[1])
            return [y[1], (m + e - side * self.budget(y[1], m, e)) / self.inertia]

        def stops(t: float, y: np.ndarray) -> float:
            return y[1] * side + (1e-13 if y[1] == 0.0 else 0.0)

        stops.terminal, stops.direction = True, -1.0
        return solve_ivp(rates, (t, HOLD), [q, v], events=stops, dense_output=True, **TIGHT)

    def stuck_until(self, ramp, q: float, t: float) -> float:
        """Nothing moves: only the firmware's reference can change the torque."""
        stuck, t = t, t + 1e-5
        while t < HOLD and self.direction(ramp, t, q, 0.0) == 0.0:
            stuck, t = t, t + 1e-5
        if t >= HOLD:
            return HOLD
        while t - stuck > 1e-12:  # between the last instant of rest and the first of motion
            middle = 0.5 * (stuck + t)
            rests = self.direction(ramp, middle, q, 0.0) == 0.0
            stuck, t = (middle, t) if rests else (stuck, middle)
        return t


def servos() -> list[str]:
    found = sorted(actuator_files())
    return [n for n in found if pliant.load_actuator(n).topology.name == "rigid_servo"]


def case(name: str, seed: int = 1) -> tuple[Actuator, float, float, np.ndarray]:
    """The actuator without delay, acceleration profile, heat and protection; a mass [kg] at a length [m], goals.

    The mass takes a third of the stall torque at the horizontal.
    """
    actuator = pliant.load_actuator(name)
    if actuator.laws["timing"].name != "immediate":
        actuator = actuator.with_values({"timing.delay": 0.0}, "test", "assumed")
    if (
        actuator.laws["control"].name == "firmware_profile"
    ):  # its acceleration has a test of its own
        actuator = with_law(actuator, "control", "firmware_position")
    for port in ("thermal", "protection"):  # so have these
        if port in actuator.laws:
            actuator = with_law(actuator, port, "none")
    servo = Servo(actuator, 0.0, 0.1)
    most = 0.3 * abs(servo.motor(10.0, 0.0, 0.0, 0.0))
    length = 0.15 if most < 5.0 else 0.5
    rng = np.random.default_rng(seed)
    goals = rng.uniform(-1.2, 1.2, round(DURATION / HOLD))
    if actuator.laws["control"].name == "direct_torque":
        goals *= 0.3 * most
    return actuator, min(most, 60.0) / (9.81 * length), length, goals


def engine_positions(
    actuator: Actuator, mass: float, length: float, goals: np.ndarray, step: float
) -> np.ndarray:
    time = np.linspace(0.0, DURATION, round(DURATION / SAMPLES) + 1)
    held = goals[np.minimum(np.arange(len(time)) // round(HOLD / SAMPLES), len(goals) - 1)]
    engine = JointEngine(actuator, plant="pendulum", settings=JointSettings(max_step=step))
    plant = {"mass": mass, "length": length, "arm_mass": 0.0, "position_offset": 0.0}
    changes = {f"plant.{symbol}": value for symbol, value in plant.items()}
    return simulate(engine, time, held, changes=changes).position


def distances(name: str, steps: Sequence[float]) -> tuple[float, list[float]]:
    """Motion of the link [rad], and the joint engine's largest distance [mrad] at each of `steps` [s]."""
    actuator, mass, length, goals = case(name)
    truth = Servo(actuator, mass, length).solve(goals)
    runs = [engine_positions(actuator, mass, length, goals, step) for step in steps]
    return float(np.ptp(truth)), [1e3 * float(np.abs(run - truth).max()) for run in runs]
