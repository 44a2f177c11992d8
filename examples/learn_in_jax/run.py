"""Learn numbers of a servo from one recording, by gradients through its whole motion, in JAX."""

import importlib.util

import numpy as np

import pliant
from pliant.io.log import example_logs

STEP = 1e-3  # [s]
LEARNT = ("motor.R", "friction.K_v")


def main() -> None:
    if importlib.util.find_spec("jax") is None:
        print('JAX is not installed: pip install "pliant[jax]"')
        return
    import jax
    import jax.numpy as jnp

    jax.config.update("jax_enable_x64", True)
    log = pliant.read_log(example_logs()[0])
    servo = pliant.jax.actuator(pliant.actuator("xl330_bam_m6", kp=log.gain), STEP)
    zero = servo.actuator.bench["position_offset"].value
    time = np.arange(log.time[0], log.time[-1], STEP)
    goal = log.goal[np.searchsorted(log.time, time, side="right") - 1]
    measured = np.interp(time + STEP, log.time, log.position)
    inertia, weight = log.mass * log.length**2, log.mass * 9.81 * log.length

    def with_numbers(factors):
        """The servo's numbers, with the learned ones multiplied by a factor."""
        p = servo.parameters
        for name, factor in zip(LEARNT, factors, strict=True):
            port, symbol = name.split(".")
            law = getattr(p, port)
            p = p._replace(**{port: law._replace(**{symbol: factor * getattr(law, symbol)})})
        return p

    def motion(factors):
        """The pendulum's angle after each step."""
        p = with_numbers(factors)
        moved = inertia + servo.armature(p)

        def step(now, goal):
            state, q, v = now
            load = -weight * jnp.sin(q + zero)
            state, out = servo.step(p, state, goal, q, v, load=load, supply=log.supply)
            rubbed = servo.friction(v, out, load, inertia, p)
            v = v + (out.torque + load + rubbed) / moved * STEP
            q = q + v * STEP
            return (state, q, v), q

        first = jnp.asarray(log.position[0])
        return jax.lax.scan(step, (servo.start(p, first), first, 0.0 * first), goal)[1]

    residual, slopes = jax.jit(motion), jax.jit(jax.jacfwd(motion))
    factors = np.array([0.7, 1.5])  # as if nobody had identified them
    for turn in range(6):
        error = np.asarray(residual(factors)) - measured
        found = ", ".join(f"{x:.3f} {name}" for x, name in zip(factors, LEARNT, strict=True))
        print(f"turn {turn}: {1e3 * np.abs(error).mean():.1f} mrad with {found}")
        moves = np.asarray(slopes(factors))
        damped = moves.T @ moves + 0.02 * np.diag(np.diag(moves.T @ moves))
        factors = np.clip(factors - np.linalg.solve(damped, moves.T @ error), 0.3, 3.0)


if __name__ == "__main__":
    main()
