"""Springs that the qbmove Advanced of Mengacci et al. 2021 may have had.

The paper calls the device of Figs. 8 and 10 to 15 by one name and prints springs once, in section 4.3:
those identified on the two-joint arm, of which one joint differs from the other. Section 3.3 points to
the released plugin for all others. No set gives every figure:

    Fig. 8 and 12    the plugin's defaults: the soft joint sags, the stiff arm rings and ends at its goal
    Fig. 11          not the defaults: 0.15 rad is 0.016 N m of spring against 0.025 N m of friction
    Fig. 13          every set: the stiff arm falls short by less
    Fig. 14          none: AlterEgo's push the box to its goal, the second identified pair is stopped; half of
                     AlterEgo's do both
    Fig. 15          the identified ones, as the paper says

So Figs. 8, 12 and 13 take the plugin's, Figs. 11 and 15 the identified ones; the tables of Figs. 11 to 14 have
the others beside them.
"""

from collections.abc import Mapping

SOURCES = {
    "PLUGIN": "section 3.3: the released plugin, its defaults",
    "SPRINGS": "section 3.3: the released plugin; section 4.3: identified; AlterEgo robot's description; the "
    "manufacturer's manual",
}
"""Place of each number in the paper, or "assumed"."""

PLUGIN = ("qbmove_advanced_equal", "qbmove_advanced_equal")
"""Actuators of shoulder and elbow."""
SPRINGS: Mapping[str, tuple[str, str]] = {
    "the plugin's defaults": PLUGIN,
    "identified (section 4.3)": ("qbmove_ilc_joint_1", "qbmove_ilc_joint_2"),
    "AlterEgo's": ("qbmove_advanced_alterego", "qbmove_advanced_alterego"),
    "the manual's": ("qbmove_advanced", "qbmove_advanced"),
}
"""Whose springs to the actuators of shoulder and elbow."""
