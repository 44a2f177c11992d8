"""A user-defined friction law, outside the package, in the joint engine, compared with M6.

`xl330_tanh.toml` names the law by its file: `friction = "tanh_friction.py"`.
"""

from pathlib import Path

from pliant import load_actuator, read_log
from pliant.identification import evaluate
from pliant.io.log import example_logs


def main() -> None:
    logs = [read_log(path) for path in example_logs()[:4]]
    own = Path(__file__).with_name("xl330_tanh.toml")
    for actuator in (load_actuator(own), load_actuator("xl330_bam_m6")):
        print(f"{actuator.title}: {1e3 * evaluate(actuator, logs).mae:.1f} mrad")


if __name__ == "__main__":
    main()
