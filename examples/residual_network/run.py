"""Add a small network to an identified servo, and test both on recordings that neither has seen.

    torque = servo + part * half the width of its band,    -1 < part < 1 from the network

The band covers servos that fit the recordings equally well. So the network adds no more than the
identification leaves undetermined, and nothing where all of these servos agree, such as at rest.
"""

import importlib.util

import numpy as np

import pliant
from pliant.identification import SearchSettings, identify
from pliant.identification.uncertainty.intervals import intervals
from pliant.io.log import example_logs

STEP, SECONDS, EVERY = 2e-3, 5.9, 10  # [s], [s], steps between the positions that are compared
SERVOS, NEURONS, TURNS = 12, 6, 6


def main() -> None:
    if importlib.util.find_spec("jax") is None:
        print('JAX is not installed: pip install "pliant[jax]"')
        return
    import jax
    import jax.numpy as jnp
    from jax.flatten_util import ravel_pytree

    jax.config.update("jax_enable_x64", True)
    logs = pliant.read_logs(example_logs())
    fitted, held_out = [x for k, x in enumerate(logs) if k % 3], logs[::3]
    found = identify(
        "xl330_bam_m6",
        fitted,
        fix={"plant.arm_mass": 0.0},
        search_settings=SearchSettings(starts=1, jacobians=10),  # brief, to end in seconds
    )
    sure = intervals(found)
    servo = pliant.jax.actuator(found.actuator, STEP)
    zero = found.actuator.bench["position_offset"].value

    def with_numbers(values):
        """The servo with the numbers of one draw."""
        p = servo.parameters
        for name, value in zip(sure.space.names, values, strict=True):
            port, symbol = name.split(".")
            if port != "plant":  # the bench's, not the servo's
                p = p._replace(**{port: getattr(p, port)._replace(**{symbol: value})})
        return p

    draws = np.concatenate([sure.best[None], sure.spread(SERVOS)])
    servos = jax.vmap(with_numbers)(jnp.asarray(draws))

    def of_log(log):
        """Inputs of the pendulum in one log, and its measured positions."""
        time = log.time[0] + STEP * np.arange(int(SECONDS / STEP))
        at = np.searchsorted(log.time, time, side="right") - 1
        measured = np.interp(time[EVERY - 1 :: EVERY] + STEP, log.time, log.position)
        numbers = log.gain, log.mass * log.length**2, log.mass * 9.81 * log.length, log.supply
        return (log.goal[at], log.enabled[at].astype(float), log.position[0], *numbers), measured

    first = {"inner": np.zeros((NEURONS, 4)), "outer": np.zeros(NEURONS + 1)}
    first["inner"] += np.random.default_rng(0).normal(size=(NEURONS, 4))
    begin, shaped = ravel_pytree(first)

    def motion(numbers, log):
        """Angles of the pendulum of one log."""
        net = shaped(numbers)
        goals, on, position, gain, inertia, weight, supply = log
        kp = jnp.full(len(draws), gain)
        ps = servos._replace(control=servos.control._replace(kp=kp))

        def step(now, command):
            states, q, v = now
            goal, on = command
            load = -weight * jnp.sin(q + zero)

            def of_one(p, state):
                state, out = servo.step(p, state, goal, q, v, load=load, supply=supply, on=on)
                return state, out.torque + servo.friction(v, out, load, inertia, p)

            states, torques = jax.vmap(of_one)(ps, states)
            seen = jnp.stack([goal - q, v / 5.0, jnp.sin(q + zero), jnp.ones_like(q)])
            hidden = jnp.append(jnp.tanh(net["inner"] @ seen), 1.0)
            part = jnp.tanh(net["outer"] @ hidden)
            torque = torques[0] + part * 0.5 * (jnp.max(torques) - jnp.min(torques))
            moved = inertia + servo.armature(servo.parameters)
            v = v + (torque + load) / moved * STEP
            return (states, q + v * STEP, v), q + v * STEP

        states = jax.vmap(servo.start, in_axes=(0, None))(ps, position)
        start = states, position, 0.0 * position
        return jax.lax.scan(step, start, (goals, on))[1][EVERY - 1 :: EVERY]

    def stacked(some):
        inputs, measured = zip(*map(of_log, some), strict=True)
        return tuple(np.stack(x) for x in zip(*inputs, strict=True)), np.stack(measured)

    every = jax.jit(jax.vmap(motion, in_axes=(None, 0)))
    slopes = jax.jit(jax.vmap(jax.jacfwd(motion), in_axes=(None, 0)))
    (seen, measured), (unseen, there) = stacked(fitted), stacked(held_out)

    def error(numbers, inputs, truth):
        return 1e3 * float(np.abs(every(numbers, inputs) - truth).mean())

    numbers, damping = np.asarray(begin), 0.1
    best = error(numbers, seen, measured)
    print(f"servo alone: {best:.1f} mrad fitted, {error(numbers, unseen, there):.1f} held out")
    for _ in range(TURNS):  # Levenberg and Marquardt
        off = (np.asarray(every(numbers, seen)) - measured).ravel()
        moves = np.asarray(slopes(numbers, seen)).reshape(len(off), -1)
        square = moves.T @ moves + damping * np.eye(len(numbers))
        tried = numbers - np.linalg.solve(square, moves.T @ off)
        if (now := error(tried, seen, measured)) < best:
            numbers, best, damping = tried, now, damping / 3.0
        else:
            damping *= 10.0
    print(f"with network: {best:.1f} mrad fitted, {error(numbers, unseen, there):.1f} held out")


if __name__ == "__main__":
    main()
