"""The toolbox's plugins, and the tags with numbers that each of them reads."""

from dataclasses import dataclass

__all__ = ["DEVICES", "OTHERS", "DeviceElement"]

_MOTOR = ("J", "D", "tauMax", "maxVel", "minPos", "maxPos", "tauFric")
EXTENSIONS = ("t_sample", "substeps", "ext_tau_sign")
"""Not of the released code."""


@dataclass(frozen=True)
class DeviceElement:
    """One plugin: what its spring is called, and its motors."""

    name: str
    springs: tuple[str, ...]
    motors: tuple[str, ...]
    """Suffixes of the motors: the part of a tag between "mot" and the number's name."""

    def numbers(self) -> list[str]:
        """Every tag that holds a number."""
        own = [f"mot{m}_{name}" for m in self.motors for name in _MOTOR]
        own += [f"ctrl{m}_{name}" for m in self.motors for name in "PID"]
        return [*self.springs, *own, *EXTENSIONS]


DEVICES = {
    "libsea_plugin.so": DeviceElement("sea", ("spring_k", "max_def"), ("",)),
    "libqbmove_plugin.so": DeviceElement(
        "qbmove", ("spring_a1", "spring_k1", "spring_a2", "spring_k2", "max_def"), ("_1", "_2")
    ),
    "libbavs_plugin.so": DeviceElement(
        "bavs", ("spring_a", "spring_b", "spring_k", "spring_k_e", "max_def"), ("_1", "_2")
    ),
    "libawas_ii_plugin.so": DeviceElement(
        "awas_ii", ("spring_Ks", "spring_l_0", "spring_L", "spring_r_t", "max_def"), ("",)
    ),
}
"""File name of each plugin, and its tags."""
OTHERS = {
    "libtemplate_plugin.so": "is the toolbox's template, whose spring is code of its user",
}
"""Plugins of the same family that are not read, and why."""
