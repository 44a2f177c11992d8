"""Pages of the Python reference: every public name of every public package, from its docstring."""

import inspect
from importlib import import_module

PACKAGES = {
    "pliant": "Actuators, logs and MuJoCo",
    "pliant.identification": "Identification of one joint",
    "pliant.robots": "Whole robots",
    "pliant.estimate": "Stiffness from encoders",
    "pliant.learn": "Learning by repetition",
}
"""Package to the title of its page; each lists its public names in `__all__`."""

MORE = {
    "engines": (
        "Engines and the rest",
        {
            "pliant.assemble": ("Number", "assemble"),
            "pliant.report.listing": ("ListedActuator",),
            "pliant.examine": ("CheckedFile",),
            "pliant.engines.spec.formers": ("Former",),
            "pliant.engines.spec.joint_numbers": ("JointNumber",),
            "pliant.io.log": ("example_logs",),
            "pliant.identification.uncertainty.intervals": ("intervals",),
            "pliant.engines.joint.engine": ("JointEngine",),
            "pliant.engines.joint.simulate": ("simulate", "Trace"),
            "pliant.engines.mujoco.batch.trials": ("Trials",),
            "pliant.engines.mujoco.batch.candidates": ("ManySettings",),
            "pliant.jax": ("actuator", "JaxActuator"),
            "pliant.report.derived": ("derived", "Derived"),
        },
    )
}
"""Names that the pages use and no package lists."""


def page(package: str) -> str:
    """Markdown of one package."""
    module = import_module(package)
    named = sorted(module.__all__, key=lambda name: (name[0].islower(), name.lower()))
    lines = [f"# {PACKAGES[package]}", "", f"`{package}`", ""]
    lines += ["```{eval-rst}", f".. py:module:: {package}", "```", ""]
    for name in named:
        lines += _entry(package, name)
    return "\n".join(lines)


def more_page(file: str) -> str:
    """Markdown of names from several modules."""
    title, modules = MORE[file]
    lines = [f"# {title}", ""]
    for module, names in modules.items():
        lines += [f"## `{module}`", ""]
        for name in names:
            lines += _entry(module, name)
    return "\n".join(lines)


def _entry(package: str, name: str) -> list[str]:
    thing = getattr(import_module(package), name)
    home = home_of(package, name)
    if home != package:
        return [f"## `{package}.{name}`", "", f"The same as {{py:obj}}`{home}.{name}`.", ""]
    if inspect.isclass(thing):
        directive, options = "autoclass", ["   :members:"]
        if issubclass(thing, BaseException):
            options = ["   :members:", "   :show-inheritance:"]
    elif callable(thing):
        directive, options = "autofunction", []
    else:
        directive, options = "autodata", []
    return ["```{eval-rst}", f".. {directive}:: {package}.{name}", *options, "```", ""]


def home_of(package: str, name: str) -> str:
    """The package whose page describes a name: the deepest that lists it."""
    thing = getattr(import_module(package), name)
    inside = [one for one in PACKAGES if one.startswith(f"{package}.")]
    listed = [one for one in inside if getattr(import_module(one), name, None) is thing]
    return next((one for one in listed if name in import_module(one).__all__), package)


def index_page() -> str:
    """Markdown of the list of packages."""
    lines = ["# Python", "", "| package | names |", "|---|---|"]
    for package, title in PACKAGES.items():
        names = ", ".join(
            f"{{py:obj}}`{n} <{home_of(package, n)}.{n}>`" for n in import_module(package).__all__
        )
        lines.append(f"| [{title}]({package.replace('.', '_')}.md) | {names} |")
    lines += [f"| [{title}]({file}.md) | |" for file, (title, _) in MORE.items()]
    files = [package.replace(".", "_") for package in PACKAGES]
    lines += ["", "```{toctree}", ":hidden:", "", *files, *MORE, "```", ""]
    return "\n".join(lines)
