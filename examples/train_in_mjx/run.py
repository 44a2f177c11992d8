"""Train commands on many different arms at once, by gradients through MJX and the actuators' friction."""

import importlib.util
from pathlib import Path

import numpy as np

import pliant

ARMS, STEPS, TURNS = 32, 75, 2
TARGET = (0.5, -0.7)  # [rad] of shoulder and elbow, 0.15 s after the command
NUMBERS = {"motor": ("R", "k_t"), "friction": ("K_c", "K_v")}  # each arm has its own, within ±20 %
JOINTS = ("shoulder", "elbow")


def main() -> None:
    if importlib.util.find_spec("jax") is None or importlib.util.find_spec("mujoco.mjx") is None:
        print('MJX is not installed: pip install "pliant[mjx]"')
        return
    import jax
    import jax.numpy as jnp
    import mujoco
    from mujoco import mjx

    jax.config.update("jax_enable_x64", True)
    spec = mujoco.MjSpec.from_file(str(Path(__file__).parents[1] / "arm.xml"))
    arm = pliant.jax.mjx_joints(spec, dict.fromkeys(JOINTS, "mx106_bam_m4"))
    model, first = mjx.put_model(arm.model), mjx.make_data(arm.model)
    controls = jnp.array([arm.model.actuator(joint).id for joint in JOINTS])
    places = jnp.array([int(arm.model.joint(joint).qposadr[0]) for joint in JOINTS])

    def of_its_own(key):
        """The numbers of one arm."""
        new = {}
        for joint in arm.joints:
            p = arm.parameters[joint]
            for port, symbols in NUMBERS.items():
                law = getattr(p, port)
                for symbol in symbols:
                    key, used = jax.random.split(key)
                    factor = jax.random.uniform(used, minval=0.8, maxval=1.2)
                    law = law._replace(**{symbol: factor * getattr(law, symbol)})
                p = p._replace(**{port: law})
            new[joint] = p
        return new

    def end(commands, parameters):
        """(2,) angles of the joints at the end."""
        data = first.replace(ctrl=first.ctrl.at[controls].set(commands))

        def step(now, _):
            return pliant.jax.mjx_step(arm, parameters, model, *now), None

        (_, data), _ = jax.lax.scan(step, (arm.start(parameters, data), data), length=STEPS)
        return data.qpos[places]

    every = jax.vmap(of_its_own)(jax.random.split(jax.random.PRNGKey(0), ARMS))
    ends = jax.jit(jax.vmap(end, in_axes=(None, 0)))
    slopes = jax.jit(jax.vmap(jax.jacfwd(end), in_axes=(None, 0)))
    commands = np.array(TARGET)
    for turn in range(TURNS + 1):
        errors = np.asarray(ends(commands, every)) - TARGET
        mean, spread = 1e3 * np.abs(errors.mean(axis=0)).max(), 1e3 * errors.std(axis=0).max()
        said = f"turn {turn}: commands {commands.round(3)}, mean of {ARMS} arms {mean:.1f} mrad off"
        print(f"{said}, the arms differ by {spread:.1f} mrad")
        if turn < TURNS:
            commands = commands - np.linalg.solve(
                np.asarray(slopes(commands, every)).mean(axis=0), errors.mean(axis=0)
            )


if __name__ == "__main__":
    main()
