"""Goals that make a servo's joint follow a motion: numerical inversion of its firmware, driver and motor.

No law is inverted by hand: the actuator is stepped along a joint in steady motion, and the lead of the goal
over the joint is searched at which its torque is the wanted one. `follow` is a whole cycle:

1. the side of approach: full after a small travel, kept at rest
2. the lead that gives the torque and overcomes friction on that side, corrected by the lag learned in motion
3. at rest, a correction of the remaining error, from the measured position
4. limits

Not a module to import: the lowering binds `topology`, compiles it, and writes it into C headers.
"""

from typing import Any, NamedTuple

from pliant.arrays import Integers, Matrix, Vector
from pliant.ports import Parameters

topology: Any

STEP = 4e-3
"""[s] In which the firmware is followed until its profile keeps pace."""
MOST = 100.0
"""Steps that the firmware is followed at most."""
FIRST, LARGER, GROWTHS = 0.01, 4.0, 5
"""[rad] The first lead tried; each further one is so many times larger, up to 2.56 and then PI."""
FARTHEST = 3.141592653589793
HALVINGS = 24
EXACT = 1e-6
"""[rad] Of a lead."""
NEARLY = 0.01
"""Fraction of the remaining torque of a saturating servo that is not used, so that its lead stays small."""
TRAVEL = 3e-3
"""[rad] From one side of approach to the other, halved: a goal must not jump where the motion turns."""
MOVING = 0.05
"""[rad/s] From which on all of the friction is overcome, not only what is certain of it."""
SLOW = 0.3
"""[rad/s] Up to which a lag is put down to friction; beyond, it may as well be delay or a position read late."""
STILL = 0.01
"""[rad/s] Below which a wanted motion is a rest."""
SETTLING = 0.2
"""[s] Rest after which a measured position counts as settled."""
GIVEN_UP = 3.0
"""[s] Rest after which no further correction is added."""
TOLERANCE = 2e-3
"""[rad] Error that is not corrected: more than a count of a 12-bit encoder."""
SLIPPED = 4e-3
"""[rad] From which on a measured position has moved: more than its noise."""
RESPONSE = 0.4
"""[s] Time constant of the correction at rest: slow compared with the servo and the delay of its readings."""
RELEASE = 0.3
"""[s] In which a joint that has arrived is no longer pushed, and rests in the middle of what friction holds."""
PATIENCE = 2.0
"""Largest correction while nothing moves, as a multiple of the error. A joint that breaks loose travels about as far as
it was pushed since it stuck: from twice the error on, it would end farther off than before."""
LARGEST = 0.15
"""[rad] Added at most."""
LEARNING = 0.5
"""[s] In which a moving joint's lag becomes lead on that side: what friction differs from the numbers by."""
FELT = 0.01
"""[rad] Of a lag at most, so that a joint that sticks and slips does not learn from its jumps."""
FORGOTTEN = 0.1
"""[rad] Of travel after which what was added at rest has faded."""


class Kept(NamedTuple):
    """Memory of a joint from cycle to cycle."""

    began: float  # 0 before the first cycle
    goal: float  # rad, sent last
    wanted: float  # rad, position wanted last
    side: float  # of the approach, -1 to 1
    push: float  # part of that side's friction that is overcome, 0 to 1
    rested: float  # s, since the wanted motion came to rest
    added: float  # rad, at rest
    way: float  # sign of what was missing at rest
    was: float  # rad, how much that was
    stuck: float  # rad, added since the joint last moved
    place: float  # rad, where that was
    learned: float  # rad, of lead for friction that the numbers lack, on the side of the approach


class Limits(NamedTuple):
    """Limits of a joint's goals."""

    low: float  # rad
    high: float  # rad
    speed: float  # rad/s, of the goal
    torque: float  # N m, of the motor, where the measured joint resists
    certain: float  # part of the friction budget that is certain, 0 to 1


def answer(lead: float, v: float, supply: float, p: Parameters, pace: float) -> float:
    """Torque [N m] of the motor that moves steadily at v [rad/s] with the goal ahead by `lead` [rad].

    Args:
        pace: steps until the firmware keeps pace with 1 rad/s; 0 of one without a profile.
    """
    s = topology.start(lead - STEP * v, p)  # so that a reference that is the goal moves as fast
    x = 0.0 * v
    for k in range(1 + int(min(pace * abs(v), MOST))):
        x = float(k) * STEP * v
        s = topology.step(s, lead + x, 0.0, x, v, supply, 1.0, p, STEP)
    return topology.torque(s, lead + x, 0.0, x, v, supply, 1.0, p)


# So many arguments: compiled code takes numbers one by one.
def beyond(
    lead: float, v: float, tau: float, rubs: float, supply: float, p: Parameters, pace: float
) -> float:
    """Torque [N m] beyond the wanted `tau` and the part `rubs` (-1 to 1) of the friction budget."""
    tau_m = answer(lead, v, supply, p, pace)
    return tau_m - tau - rubs * topology.budget(v, tau_m, -tau, p)


def lead(v: float, tau: float, rubs: float, supply: float, p: Parameters, pace: float) -> float:
    """Lead [rad] of the goal before a joint that is to move at v [rad/s] under the torque tau [N m].

    Args:
        tau: that moves the joint, friction aside. rubs: signed part of the friction budget to be
            overcome besides. supply: [V]. pace: as of `answer`.
    """
    near = 0.0 * v
    at_near = beyond(near, v, tau, rubs, supply, p, pace)
    way = 1.0 if at_near < 0.0 else -1.0
    far = way * FIRST
    at_far = beyond(far, v, tau, rubs, supply, p, pace)
    for _ in range(GROWTHS):
        if at_far * way < 0.0:
            near = far
            at_near = at_far
            far = way * min(abs(far) * LARGER, FARTHEST)
            at_far = beyond(far, v, tau, rubs, supply, p, pace)
    level = 0.0 * v
    if at_far * way < 0.0:  # saturated
        near = 0.0 * v
        at_near = beyond(near, v, tau, rubs, supply, p, pace)
        level = at_far + NEARLY * (at_near - at_far)
    at_near -= level
    at_far -= level
    halved = 1.0
    for _ in range(HALVINGS):
        if abs(far - near) > EXACT:
            # By turns regula falsi, exact where the law is straight, and halves, for its jumps.
            part = 0.5
            if halved > 0.5 and at_far != at_near:
                part = min(max(at_near / (at_near - at_far), 1e-3), 0.999)
            halved = 1.0 - halved
            middle = near + part * (far - near)
            value = beyond(middle, v, tau, rubs, supply, p, pace) - level
            if value * way < 0.0:
                near = middle
                at_near = value
            else:
                far = middle
                at_far = value
    # At a jump, a dead band's edge, the side that still moves the joint against friction.
    return far if rubs * way > 0.0 else near


def sign(x: float) -> float:
    """Side of 0."""
    return 1.0 if x > 0.0 else -1.0


# So many arguments: compiled code takes numbers one by one.
def follow(
    k: Kept,
    q: float,
    v: float,
    tau: float,
    measured: float,
    supply: float,
    limits: Limits,
    p: Parameters,
    pace: float,
    h: float,
) -> Kept:
    """The next cycle of h [s]; its `goal` is to be sent.

    Args:
        q, v, tau: wanted position [rad], speed [rad/s] and torque without friction [N m], for the time
            at which the goal acts. measured: position [rad], carried on by the wanted motion from when it was
            read to that time. supply: [V].
    """
    if k.began < 0.5:
        return Kept(1.0, measured, q, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, measured, 0.0)
    travel = q - k.wanted
    side = min(max(k.side + travel / TRAVEL, -1.0), 1.0)
    push = min(k.push + abs(travel) / TRAVEL, 1.0)
    added = k.added * max(1.0 - abs(travel) / FORGOTTEN, 0.0)
    rested = 0.0 * h
    way = 0.0 * h
    was = 0.0 * h
    stuck = 0.0 * h
    place = measured
    if abs(v) < STILL and abs(travel) < STILL * h:
        stuck = k.stuck
        place = k.place
        if abs(measured - place) > SLIPPED:
            place = measured
            stuck = 0.0 * h
        rested = k.rested + h
        way = k.way
        was = k.was
        missing = q - measured
        if rested > SETTLING and rested < GIVEN_UP:
            off = abs(missing)
            if off > TOLERANCE and (way == 0.0 or (way * missing < 0.0 and off > was)):
                was = off if way == 0.0 else FARTHEST
                way = sign(missing)
            if off > TOLERANCE and way * missing > 0.0:
                side = min(max(side + way * h / RELEASE, -1.0), 1.0)
                push = min(push + h / RELEASE, 1.0)
                if stuck < PATIENCE * off:
                    more = missing * h / RESPONSE
                    added = min(max(added + more, -LARGEST), LARGEST)
                    stuck += abs(more)
            else:
                push = max(push - h / RELEASE, 0.0)
        if rested >= GIVEN_UP:
            push = max(push - h / RELEASE, 0.0)
    learned = k.learned
    if abs(v) > MOVING and abs(v) < SLOW and abs(side) > 0.999:
        lag = min(max(q - measured, -FELT), FELT)
        learned = min(max(learned + side * lag * h / LEARNING, -LARGEST), LARGEST)
    part = limits.certain + (1.0 - limits.certain) * min(abs(v) / MOVING, 1.0)
    ahead = lead(v, tau, push * side * part, supply, p, pace)
    goal = q + ahead + added + push * side * part * learned
    if limits.torque > 0.0:
        most = measured + lead(v, limits.torque, 0.0, supply, p, pace)
        least = measured + lead(v, -limits.torque, 0.0, supply, p, pace)
        goal = min(max(goal, least), most)
    goal = min(max(goal, limits.low), limits.high)
    reach = limits.speed * h
    goal = min(max(goal, k.goal - reach), k.goal + reach)
    return Kept(1.0, goal, q, side, push, rested, added, way, was, stuck, place, learned)


def follows(
    at: Integers,
    wanted: Matrix,
    limits: Matrix,
    parameters: Matrix,
    paces: Vector,
    kept: Matrix,
    h: float,
) -> None:
    """A cycle of N actuators among J joints.

    Args:
        at: (N,) joint of each. wanted: (5, J) q, v, tau, measured, supply, as in `follow`.
        limits: (5, J) low, high, speed, torque, certain. parameters: (N, P). paces: (N,).
        kept: (12, J) of `Kept`, replaced; row 1 is the goals.
    """
    for i in range(len(at)):
        j = at[i]
        p = topology.load_parameters(parameters[i], 0)
        k = Kept(
            kept[0, j],
            kept[1, j],
            kept[2, j],
            kept[3, j],
            kept[4, j],
            kept[5, j],
            kept[6, j],
            kept[7, j],
            kept[8, j],
            kept[9, j],
            kept[10, j],
            kept[11, j],
        )
        most = Limits(limits[0, j], limits[1, j], limits[2, j], limits[3, j], limits[4, j])
        new = follow(
            k,
            wanted[0, j],
            wanted[1, j],
            wanted[2, j],
            wanted[3, j],
            wanted[4, j],
            most,
            p,
            paces[i],
            h,
        )
        kept[0, j] = new.began
        kept[1, j] = new.goal
        kept[2, j] = new.wanted
        kept[3, j] = new.side
        kept[4, j] = new.push
        kept[5, j] = new.rested
        kept[6, j] = new.added
        kept[7, j] = new.way
        kept[8, j] = new.was
        kept[9, j] = new.stuck
        kept[10, j] = new.place
        kept[11, j] = new.learned


def answers(at: Integers, moved: Matrix, parameters: Matrix, paces: Vector, out: Matrix) -> None:
    """Torques of N actuators among J joints, the other way round.

    Args:
        moved: (4, J) v, lead, the load on the joint, supply. out: (2, J) motor's torque and friction budget, filled.
    """
    for i in range(len(at)):
        j = at[i]
        p = topology.load_parameters(parameters[i], 0)
        out[0, j] = answer(moved[1, j], moved[0, j], moved[3, j], p, paces[i])
        out[1, j] = topology.budget(moved[0, j], out[0, j], moved[2, j], p)
