"""The torque that friction exerts, given its budget.

    tau_stop = -(J v / h + tau_m + tau_e),   tau_f = clip(tau_stop, -budget, +budget)
                                                           servos_and_friction: Model

This stops the joint exactly within the step if the budget allows it, so a joint at rest stays at
rest without a smoothing speed. Engines that integrate a joint themselves use it; inside MuJoCo the
constraint solver does the same.
"""


def stop_torque(
    v: float, tau_m: float, tau_e: float, budget: float, inertia: float, h: float
) -> float:
    return min(max(-(inertia * v / h + tau_m + tau_e), -budget), budget)
