"""`pliant identify`: one joint or a whole robot, one model or a choice of several."""

from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated

from tyro.conf import Positional

from pliant.cli.fit_plan import FitPlan, plan_of
from pliant.cli.options import Output, Repeated, check_range, flag, shown
from pliant.cli.recording import Recording
from pliant.cli.terminal import Terminal
from pliant.errors import PliantError
from pliant.io.keyed import parts
from pliant.io.recording_facts import RecordingFacts
from pliant.processes import give_processors


@dataclass(frozen=True, kw_only=True)
class Identify:
    """Fit a joint's actuator, or those of a whole robot, to recordings, and write them as files.

    Each candidate is simulated open loop through all recordings, and the position's error is minimised:
    all parameters from several starts, then 90 % intervals. Before the search it says what these
    recordings cannot determine.

    With --robot, all joints are simulated together in the robot's own model. If all its masses are wrong
    by one factor, the torques and frictions found are wrong by the same factor, and no motion shows it.

    Several laws for a port (--law friction=m1,m4,m6) are compared: each model is fitted to all recordings,
    and from there to all but each group of them; the one that errs least on the groups left out is taken.

    Ctrl-C ends the search early and keeps the best so far. After a crash or a kill, the same
    command resumes, if it has an --output.

    Example: pliant identify my_logs/ --actuator xl330_bam_m6 --law timing=command_delay,driver=pulsed_supply
    --hold-out gain=800 --output my_xl330.toml --report my_xl330.html

    A robot: pliant identify runs/ --robot arm.xml --actuator shoulder=mx106_bam_m6,elbow=mx64_bam_m6
    --law timing=command_delay --hold-out log=last_run --output my_arm/

    Attributes:
        logs: Recordings, or folders of them: logs (*.json, *.csv), LeRobot data sets, bags, Parquet. A
            robot's CSV has the columns time, position_JOINT, goal_JOINT, if known speed_JOINT,
            enabled_JOINT, supply.
        robot: Model or robot file, if a whole robot was recorded. The model is MJCF or URDF, the file
            *.toml. A recorded joint without an actuator follows its recording.
        actuator: Actuator to start from, a name or a TOML file. It gives laws, first guess and bounds;
            `pliant actuators` lists them. By default that of the device which the logs name. Of a robot
            joint=actuator ('*=sts3215_so101'), or the folder that an earlier run wrote.
        law: Another law than the actuator's (friction=m4). Of a robot at every joint. A law may be
            a file (friction=mine.py); `pliant actuators --laws` lists the others. Several for a port
            (friction=m1,m4,m6) are compared.
        fit: More parameters to identify, or other bounds. Of a robot joint.port.symbol; * matches anything
            ('*.motor.R'); also joint.position_offset, joint.command_offset, mass.BODY (a factor).
        fix: Parameters to keep as they are, or at =value.
        prior: Earlier fit, or data-sheet values, to stay near. With the fit of the same device (of a
            robot joint=actuator, or the folder that a fit wrote) a few logs are enough to recalibrate.
            Of data-sheet values a tolerance counts as a standard deviation:
            stall_torque=0.93@7.4V [N m], no_load_speed=9.2@7.4V~0.1 [rad/s], stall_current=2.4@7.4V
            [A], winding_resistance=3.1 [Ohm], gear_ratio=345, rotor_inertia=2e-7 [kg m^2];
            datasheet: those of the actuator's file. By default none: on the logs tested data sheets
            made predictions worse.
        hold_out: Logs kept out, to judge by: gain=800, log=NAME. Also load=0.49kg@0.1m, length=0.1m,
            trajectory=sin_sin, of a robot motion=NAME, folder=NAME. Without a value (gain), each
            group in turn, from the fit to all logs on, and the file is that fit. Where models
            are compared, the groups that they are compared by (gain, of a robot log).
        output: Actuator file to write, of a robot a folder. Without it, the result is printed but not
            saved. The folder gets a file for each joint, and robot.toml.
        report: Report to write (*.html). It has the verdict, plots, and what is not known.
        overwrite: Replace files that exist.
        starts: Descents, from different values. By default 4, of a robot's joints 3, where models are
            compared 2. The error has many local minima; the spread of the results says how
            reliable one is.
        seed: Random seed; by default 1. The same seed gives the same result.
        processes: Processes to use, or a Dask scheduler. It fits the models that are compared:
            tls://host:8786, with pip install "pliant[cluster]".
        plan: Rare settings, key=value or a file. intervals=no, watch=yes, draws=FILE.csv and others:
            docs/reference/fit_options.md. A file has them and all options; write=FILE.toml writes such
            a file instead of fitting.
    """

    logs: Annotated[Positional[tuple[Path, ...]], shown("LOGS [LOGS ...]")] = ()
    robot: Annotated[Path | None, shown("MODEL")] = None
    actuator: Annotated[tuple[str, ...], Repeated, shown("NAME|FILE")] = ()
    law: Annotated[tuple[str, ...], Repeated, shown("PORT=LAW")] = ()
    fit: Annotated[tuple[str, ...], Repeated, shown("NAME")] = ()
    fix: Annotated[tuple[str, ...], Repeated, shown("NAME")] = ()
    prior: Annotated[tuple[str, ...], Repeated, shown("FILE|FACT")] = ()
    hold_out: Annotated[tuple[str, ...], Repeated, shown("WHAT")] = ()
    output: Annotated[Path | None, shown("PATH")] = None
    report: Annotated[Path | None, shown("FILE.html")] = None
    overwrite: Annotated[bool, flag()] = False
    starts: Annotated[int | None, shown("INT")] = None
    seed: Annotated[int | None, shown("INT")] = None
    processes: Annotated[str | None, shown("N|ADDRESS")] = None
    plan: Annotated[tuple[str, ...], Repeated, shown("KEY=VALUE|FILE")] = ()
    recording: Recording = field(default_factory=Recording)
    printing: Output = field(default_factory=Output)

    def run(self, terminal: Terminal) -> int:
        """Identify, write, and show what came out."""
        plan = self._plan()
        paths = [Path(log) for log in plan.logs]
        if not paths:
            raise PliantError("no logs", field="LOGS", accepted="files, or folders of them")
        facts = self._recording(plan).facts(paths, terminal)
        if plan.write is not None:
            given = facts.model_dump(exclude_defaults=True).items()
            texts = tuple(f"{key}={one}" for key, value in given for one in parts(value))
            plan.model_copy(update={"reading": texts}).written(plan.write)
            terminal.say(f"wrote {plan.write}")
            return 0
        plan.say(terminal)
        return identified(plan, facts, terminal)

    def _plan(self) -> FitPlan:
        own = ("logs", "plan", "recording", "printing")
        options = {k: v for k, v in vars(self).items() if k not in own}
        given = {k: v for k, v in options.items() if v is not None and v is not False and v != ()}
        if self.logs:
            given["logs"] = tuple(map(str, self.logs))
        return plan_of(given, self.plan)

    def _recording(self, plan: FitPlan) -> Recording:
        own = self.recording
        return own if own.reading or not plan.reading else replace(own, reading=plan.reading)


def identified(plan: FitPlan, facts: RecordingFacts, terminal: Terminal) -> int:
    """Carry out a plan: of a robot or a joint, with one model or a choice; the exit status."""
    from pliant.cli.choices import is_choice
    from pliant.cli.watch import shown_in_browser

    if plan.processes is not None and plan.processes.isdecimal():
        check_range("--processes", int(plan.processes), 1, 1024)
        give_processors(int(plan.processes))
    if plan.with_equals and not is_choice(plan):
        accepted = "several laws for a port, --law friction=m1,m4"
        raise PliantError("needs models to compare", field="--plan: with_equals", accepted=accepted)
    with shown_in_browser(terminal) if plan.watch else nullcontext():
        if plan.robot is not None:
            from pliant.cli.identify_robot import identify_robot

            return identify_robot(plan, facts, terminal)
        if is_choice(plan):
            from pliant.cli.choose import choose

            return choose(plan, facts, terminal)
        from pliant.cli.identify_joint import identify_joint

        return identify_joint(plan, facts, terminal)
