"""The slow start: from the first packet on, no goal is far from where its joint is, or from the goal before it."""

from pathlib import Path

import numpy as np
import pytest

from pliant.record.design import Motion
from pliant.record.emulated_bus import Emulated
from pliant.record.journal import RobotJournal
from pliant.record.line import VirtualLine
from pliant.record.recorder import Session, connected, record, robot_columns
from pliant.record.tables import model_of

COUNT = 2.0 * np.pi / 4096
WALK = 0.6
"""[rad/s]"""
PLACES = {1: 0.9, 2: -0.4}
"""[rad] Where the joints are at first; friction holds their small loads there."""
KINDS = {
    # Actuator; bytes before a packet's instruction, behind its parameters, of an address; goal, its size, torque.
    "xl330": ("xl330_bam_m6", 7, 2, 2, 116, 4, 64),
    "sts3215": ("feetech_sts3215_7_4V_bam_m1", 4, 1, 1, 42, 2, 40),
}


@pytest.mark.parametrize("kind", KINDS)
def test_no_goal_jumps(tmp_path: Path, kind: str) -> None:
    actuator, head, tail, wide, goal_at, size, torque_at = KINDS[kind]
    line = VirtualLine([Emulated(actuator, kind, k, 0.01, 0.05) for k in PLACES])
    joints = {k: line.wire.servos[k].joint for k in PLACES}
    for k, angle in PLACES.items():
        joints[k]._data.qpos[0] = angle
    told: list[tuple[float, int, float]] = []
    sent = line.write

    def heard(packet: bytes) -> None:
        """Keep goals, and refuse torque where the last one is not where the joint is."""
        servo, code, said = (
            packet[head - (3 if wide == 2 else 2)],
            packet[head],
            packet[head + 1 : -tail],
        )
        at, rest = int.from_bytes(said[:wide], "little"), said[wide:]
        if (code, at) == (0x03, torque_at) and rest[0]:
            goals = [goal for _, k, goal in told if k == servo]
            assert goals and goals[-1] == pytest.approx(joints[servo].position, abs=1.01 * COUNT)
        if at == goal_at and code in (0x03, 0x83):
            rows = [bytes([servo]) + rest]
            if code == 0x83:
                rest = rest[wide:]
                rows = [rest[i : i + size + 1] for i in range(0, len(rest), size + 1)]
            told.extend(
                (line.now(), row[0], COUNT * (int.from_bytes(row[1:], "little") - 2048))
                for row in rows
            )
        sent(packet)

    line.write = heard
    session = Session(model=model_of(kind), servos={1: "a", 2: "b"}, line=line)
    stays = Motion("stays", "", lambda t, length: -0.6, 0.2)
    with (
        RobotJournal(tmp_path / "run.csv", robot_columns(session)) as journal,
        connected(session) as bus,
    ):
        record(bus, session, stays, journal)
    for k, angle in PLACES.items():
        time, goal = np.array([(t, goal) for t, one, goal in told if one == k]).T
        assert goal[0] == pytest.approx(angle, abs=1.01 * COUNT)
        assert goal[-1] == pytest.approx(-0.6 * session.limits.reach, abs=COUNT)
        assert np.all(np.abs(np.diff(goal)) <= WALK * np.diff(time) + 1.01 * COUNT)
        assert len(goal) > 100
