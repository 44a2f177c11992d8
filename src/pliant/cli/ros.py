"""`pliant ros`."""

import contextlib
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from tyro.conf import Positional

from pliant.cli.choices import attached
from pliant.cli.options import RARE, Output, Repeated, Within, check_range, flag, shown
from pliant.cli.terminal import Terminal
from pliant.extras import need
from pliant.files import MIB, read_text
from pliant.io.keyed import pairs
from pliant.io.manager_file import read_manager

if TYPE_CHECKING:
    from pliant.robots.compensator import Compensator
    from pliant.robots.robot import Robot
    from pliant.robots.sections import Sections
    from pliant.ros.bridge import Bridge, Spent


@dataclass(frozen=True, kw_only=True)
class Ros:
    """Simulate a robot that ROS 2 nodes can talk to; needs no ROS installation.

    Topics: /joint_states, /joint_commands, /joint_trajectory, /clock, /tf, /robot_description,
    /joint_stiffness, /stiffness_command, /set_gains (also a service); with --manager those of the
    Gazebo toolbox. Runs until Ctrl-C. Needs pip install "pliant[ros2]".

    Example: pliant ros robot.toml --manager manager.yaml

    Attributes:
        model: Robot to simulate: MJCF (*.xml), URDF (*.urdf), or robot file (*.toml).
        attach: Actuators to attach, joint=actuator: names (`pliant actuators`) or TOML files.
        manager: YAML file of the Gazebo toolbox's manager. Offers its topics, per joint and as arrays.
        controller: Run one controller for all series-elastic joints on the topics of the CENTAURO plugin: command,
            state, set_gains. Other joints keep theirs.
        compensate: Take received positions as the wanted joint positions, and compute the goals from them
            (servos and series elastic joints), see `pliant compensate`.
        section: Sections of the robot, joint=section. The service SECTION/enable (std_srvs/SetBool)
            switches a section and those mounted on it.
        ros2_control: Use the topics of joint_state_topic_hardware_interface, /robot_joint_states and
            /robot_joint_commands, instead of /joint_states and /joint_commands.
        namespace: Namespace of all topics except /clock and /tf.
        domain: ROS_DOMAIN_ID; by default that of the environment, or 0.
        network: Nodes that can connect: those of this machine (localhost) or of the network (subnet).
        rate: Rate of states and commands [Hz]. The model's step rate must be a multiple of it.
        fast: Run as fast as possible, with /clock, instead of in real time.
        on_loss: Without a command for the timeout: hold the last one, stay at the present position, or
            switch the motors off.
        timeout: Time without a command before --on-loss applies [s].
        record: Folder to write a rosbag2 (MCAP) to, with all messages sent and received.
        play: Folder of a rosbag2 whose commands are replayed at their recorded times.
        duration: End after this simulated time [s]; by default at Ctrl-C.
    """

    model: Annotated[Positional[Path], shown("MODEL")]
    attach: Annotated[tuple[str, ...], Repeated, shown("JOINT=ACTUATOR")] = ()
    manager: Annotated[Path | None, shown("FILE.yaml")] = None
    controller: Annotated[bool, RARE, flag()] = False
    compensate: Annotated[bool, RARE, flag()] = False
    section: Annotated[tuple[str, ...], RARE, Repeated, shown("JOINT=SECTION")] = ()
    ros2_control: Annotated[bool, flag()] = False
    namespace: Annotated[str, RARE, shown("NAME")] = ""
    domain: Annotated[int | None, RARE, shown("NUMBER")] = None
    network: Literal["localhost", "subnet"] = "localhost"
    rate: Annotated[float, shown("HZ"), Within(0.0, 1e5, "Hz")] = 500.0
    fast: Annotated[bool, flag()] = False
    on_loss: Literal["hold", "stay", "off"] = "hold"
    timeout: Annotated[float, RARE, shown("S"), Within(0.0, 3600.0, "s")] = 0.5
    record: Annotated[Path | None, shown("FOLDER")] = None
    play: Annotated[Path | None, RARE, shown("BAG")] = None
    duration: Annotated[float | None, RARE, shown("S")] = None
    printing: Output = field(default_factory=Output)

    def run(self, terminal: Terminal) -> int:
        """Run it until Ctrl-C."""
        need("cyclonedds", "ros2", (11, 0))
        need("rosbags", "ros2", (0, 11))
        from pliant.ros.messages import BagWriter
        from pliant.ros.transport import Transport, domain_of_environment

        domain = domain_of_environment() if self.domain is None else self.domain
        check_range("--domain", domain, 0, 232)
        terminal.stage("getting the model ready (the first time, laws are compiled) ...")
        robot = self._robot()
        local = self.network == "localhost"
        with contextlib.ExitStack() as stack:
            bag = None if self.record is None else stack.enter_context(BagWriter(self.record))
            links = stack.enter_context(Transport(domain, local=local, namespace=self.namespace))
            bridge = self._bridge(robot, links, bag, terminal)
            where = "this machine" if local else "the network"
            terminal.say(f"domain {domain}, {where}: {', '.join(robot.joints)}   (Ctrl-C ends it)")
            begin = time.monotonic()
            with contextlib.suppress(KeyboardInterrupt):
                bridge.run(lambda: self.duration is not None and robot.data.time >= self.duration)
            spent, seconds = bridge.spent, time.monotonic() - begin
            self._tell(terminal, robot, spent, seconds, bridge.dropped + links.dropped)
        return 0

    def _robot(self) -> "Robot":
        from pliant.engines.spec.placing import Wishes
        from pliant.view.robots import robot_maker

        chosen = attached(self.attach)
        return robot_maker(self.model, chosen, Wishes())(None)

    def _bridge(self, robot: "Robot", links: Any, bag: Any, terminal: Terminal) -> "Bridge":
        from pliant.robots.controller import JointController
        from pliant.ros.bridge import Bridge, Settings
        from pliant.ros.channels import Channels
        from pliant.ros.commands import Commands
        from pliant.ros.messages import message, read_bag

        file = None if self.manager is None else read_manager(self.manager)
        commands = Commands(robot, self._compensator())
        channels = Channels(
            robot,
            commands,
            ros2_control=self.ros2_control,
            manager=file,
            controller=JointController(robot) if self.controller else None,
            sections=self._sections(robot),
        )
        settings = Settings(
            rate=self.rate, real_time=not self.fast, on_loss=self.on_loss, timeout=self.timeout
        )
        text = links.publisher("robot_description", "std_msgs/msg/String", latched=True)
        text.publish(message("std_msgs/msg/String", data=self._description(robot)))
        return Bridge(
            robot,
            commands,
            channels,
            links,
            settings,
            say=terminal.note,
            keep=None if bag is None else bag.add,
            played=() if self.play is None else read_bag(self.play),
        )

    def _compensator(self) -> "Compensator | None":
        if not self.compensate:
            return None
        from pliant.robots.compensator import Compensator

        chosen = dict(attached(self.attach))
        return Compensator(self.model, chosen or None, cycle=1.0 / self.rate)

    def _sections(self, robot: "Robot") -> "Sections | None":
        from pliant.robots.sections import Sections

        found: dict[str, list[str]] = {}
        chosen = pairs(self.section, "--section", "joint=section, such as elbow=arm")
        for joint, name in chosen.items():
            found.setdefault(name, []).append(joint)
        return Sections(robot, found) if found else None

    def _description(self, robot: "Robot") -> str:
        """The URDF itself where the robot is one, for its meshes."""
        from pliant.ros.channels import urdf_of

        if self.model.suffix.lower() == ".urdf":
            return read_text(self.model, largest=16 * MIB)
        return urdf_of(robot.model, self.model.stem)

    def _tell(
        self, terminal: Terminal, robot: "Robot", spent: "Spent", seconds: float, dropped: Any
    ) -> None:
        late = spent.lateness()
        pace = robot.data.time / max(seconds, 1e-9)
        terminal.say(
            f"{robot.data.time:.2f} s in {seconds:.2f} s ({pace:.2f} times real time); "
            f"{spent.received} messages received, {spent.sent} sent"
        )
        if late is not None:
            median, high, worst = (1e3 * x for x in late)
            terminal.say(
                f"periods began late by {median:.2f} ms (median), {high:.2f} ms (99 %), {worst:.2f} ms "
                f"(worst); {spent.overrun} of {spent.periods} by more than a period"
            )
        for reason, count in dropped.items():
            terminal.say(f"dropped {count}: {reason}")
        terminal.result(
            {
                "simulated": float(robot.data.time),
                "seconds": seconds,
                "periods": spent.periods,
                "received": spent.received,
                "sent": spent.sent,
                "late": None if late is None else list(late),
                "overrun": spent.overrun,
                "losses": spent.losses,
                "dropped": dict(dropped),
            }
        )
