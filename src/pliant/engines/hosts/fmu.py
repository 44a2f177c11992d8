"""An actuator as an FMU for co-simulation, 2.0 or 3.0: its C header behind the standard's functions.

Source always; a binary for this machine too, where a C compiler is found.
"""

import hashlib
import io
import platform
import re
import shutil
import subprocess
import tempfile
import zipfile
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from xml.sax.saxutils import quoteattr

from pliant.assemble import Actuator
from pliant.engines.hosts.c_header import c_header, identifier, parameter_paths
from pliant.errors import PliantError
from pliant.words import one_line

INPUTS = (
    ("goal", "goal", "", "command, in the unit of the control law"),
    ("preset", "preset", "", "second command, if the actuator has one"),
    ("position", "q", "rad", "of the joint"),
    ("velocity", "v", "rad/s", "of the joint"),
    ("load", "load", "N m", "the other torques on the joint, as far as they are known"),
    ("inertia", "inertia", "kg m^2", "inertia that the joint carries, 0: not known"),
    ("supply", "supply", "V", "of the motor"),
    ("on", "on", "", "1: torque on, 0: off"),
)
"""Name, field of the header's input, unit and meaning."""
OUTPUTS = (
    ("torque", "N m", "on the joint, without friction"),
    ("budget", "N m", "the largest torque that its friction can resist"),
    ("friction", "N m", "its torque, if the inertia is known"),
    ("armature", "kg m^2", "inertia of the rotor, which the host adds to its joint"),
)
FIRST_OUTPUT, FIRST_PARAMETER = 11, 100
LONGEST = 1e-2
"""[s] Step that the description proposes."""
_HERE = Path(__file__).parent
_REFUSED = {
    2: "GetInteger GetBoolean GetString SetInteger SetBoolean SetString SerializedFMUstateSize SerializeFMUstate "
    "DeSerializeFMUstate GetDirectionalDerivative SetRealInputDerivatives GetRealOutputDerivatives CancelStep "
    "GetStatus GetRealStatus GetIntegerStatus GetBooleanStatus GetStringStatus",
    3: "InstantiateModelExchange InstantiateScheduledExecution EnterEventMode GetFloat32 GetInt8 GetUInt8 GetInt16 "
    "GetUInt16 GetInt32 GetUInt32 GetInt64 GetUInt64 GetBoolean GetString GetBinary GetClock SetFloat32 SetInt8 "
    "SetUInt8 SetInt16 SetUInt16 SetInt32 SetUInt32 SetInt64 SetUInt64 SetBoolean SetString SetBinary SetClock "
    "GetNumberOfVariableDependencies GetVariableDependencies SerializedFMUStateSize SerializeFMUState "
    "DeserializeFMUState GetDirectionalDerivative GetAdjointDerivative EnterConfigurationMode "
    "ExitConfigurationMode GetIntervalDecimal GetIntervalFraction GetShiftDecimal GetShiftFraction "
    "SetIntervalDecimal SetIntervalFraction SetShiftDecimal SetShiftFraction EvaluateDiscreteStates "
    "UpdateDiscreteStates EnterStepMode GetOutputDerivatives ActivateModelPartition "
    "EnterContinuousTimeMode CompletedIntegratorStep SetTime SetContinuousStates "
    "GetContinuousStateDerivatives GetEventIndicators GetContinuousStates GetNominalsOfContinuousStates "
    "GetNumberOfEventIndicators GetNumberOfContinuousStates",
}


def fmu(actuator: Actuator, prefix: str | None, number: int) -> bytes:
    """The FMU's bytes.

    Args:
        prefix: of all its names; None: the actuator's name. number: 2 or 3, of FMI.

    Raises:
        PliantError: `prefix` cannot begin a name of C, or the compiler fails.
    """
    name = identifier(actuator.name) if prefix is None else prefix
    header = c_header(actuator, prefix)
    token = f"{{{hashlib.sha256(header.encode()).hexdigest()[:32]}}}"
    code = _code(actuator, name, token, number)
    files = {
        "modelDescription.xml": _description(actuator, name, token, number),
        f"sources/{name}.h": header,
        "sources/fmu.c": code,
    }
    if number == 3:
        files["sources/buildDescription.xml"] = (
            '<?xml version="1.0" encoding="UTF-8"?>\n<fmiBuildDescription fmiVersion="3.0">\n'
            f'  <BuildConfiguration modelIdentifier="{name}">\n    <SourceFileSet language="C99">\n'
            '      <SourceFile name="fmu.c"/>\n    </SourceFileSet>\n  </BuildConfiguration>\n'
            "</fmiBuildDescription>\n"
        )
    binary = _binary(files, name, number)
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for place, text in files.items():
            archive.writestr(zipfile.ZipInfo(place), text, zipfile.ZIP_DEFLATED)
        for place, data in binary.items():
            archive.writestr(zipfile.ZipInfo(place), data, zipfile.ZIP_DEFLATED)
    return content.getvalue()


def _code(actuator: Actuator, name: str, token: str, number: int) -> str:
    cases = [f"    case {k}: return &m->in.{x[1]};" for k, x in enumerate(INPUTS, 1)]
    cases += [f"    case {k}: return &m->{x[0]};" for k, x in enumerate(OUTPUTS, FIRST_OUTPUT)]
    cases += [
        f"    case {k}: return &m->p.{x};"
        for k, x in enumerate(parameter_paths(actuator), FIRST_PARAMETER)
    ]
    refused = "".join(f"REFUSE(fmi{number}{x})\n" for x in _REFUSED[number].split())
    functions = (_HERE / f"fmu{number}.c").read_text("utf-8") + refused
    parts = {
        "prefix": name,
        "PREFIX": name.upper(),
        "version": str(number),
        "variables": "\n".join(cases),
        "functions": functions,
    }
    text = re.sub(r"@(\w+)@", lambda found: parts[found[1]], (_HERE / "fmu.c").read_text("utf-8"))
    return text.replace("@token@", token)


def _description(actuator: Actuator, name: str, token: str, number: int) -> str:
    units = {x[2] for x in INPUTS} | {x[1] for x in OUTPUTS}
    units |= {field.unit for field in actuator.fields.values()}
    defined = "\n".join(f"    <Unit name={quoteattr(x)}/>" for x in sorted(units - {"", "1"}))
    variables = "\n".join(f"    {x}" for x in _variables(actuator, number))
    tool = quoteattr(f"Pliant {version('pliant')}")
    about = f"generationTool={tool}"
    about += f" description={quoteattr(one_line(actuator.title))}"
    sizes = 'canHandleVariableCommunicationStepSize="false"'
    if number == 2:
        head = f'fmiVersion="2.0" modelName="{name}" guid="{token}" {about} variableNamingConvention="structured"'
        kind = (
            f'  <CoSimulation modelIdentifier="{name}" {sizes} canGetAndSetFMUstate="true">\n'
            '    <SourceFiles>\n      <File name="fmu.c"/>\n    </SourceFiles>\n  </CoSimulation>'
        )
        places = {
            x: k for k, x in enumerate((*(y[0] for y in INPUTS), *(y[0] for y in OUTPUTS)), 1)
        }
        lines = "\n".join(f'      <Unknown index="{places[x[0]]}"/>' for x in OUTPUTS)
        structure = (
            f"    <Outputs>\n{lines}\n    </Outputs>\n"
            f"    <InitialUnknowns>\n{lines}\n    </InitialUnknowns>"
        )
    else:
        head = (
            f'fmiVersion="3.0" modelName="{name}" instantiationToken="{token}" {about}'
            ' variableNamingConvention="structured"'
        )
        kind = f'  <CoSimulation modelIdentifier="{name}" {sizes} canGetAndSetFMUState="true"/>'
        outputs = range(FIRST_OUTPUT, FIRST_OUTPUT + len(OUTPUTS))
        structure = "\n".join(f'    <Output valueReference="{k}"/>' for k in outputs)
        structure += "\n" + "\n".join(
            f'    <InitialUnknown valueReference="{k}"/>' for k in outputs
        )
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<fmiModelDescription {head}>\n{kind}\n'
        f"  <UnitDefinitions>\n{defined}\n  </UnitDefinitions>\n"
        f'  <DefaultExperiment stepSize="{LONGEST:g}"/>\n'
        f"  <ModelVariables>\n{variables}\n  </ModelVariables>\n"
        f"  <ModelStructure>\n{structure}\n  </ModelStructure>\n</fmiModelDescription>\n"
    )


def _variables(actuator: Actuator, number: int) -> Iterator[str]:
    start = {
        "supply": actuator.value("own.voltage") if "own.voltage" in actuator.fields else 0.0,
        "on": 1.0,
    }
    for k, (name, _, unit, meaning) in enumerate(INPUTS, 1):
        yield _variable(number, name, k, "input", unit, meaning, start.get(name, 0.0))
    for k, (name, unit, meaning) in enumerate(OUTPUTS, FIRST_OUTPUT):
        yield _variable(number, name, k, "output", unit, meaning, None)
    for k, (name, field) in enumerate(actuator.fields.items(), FIRST_PARAMETER):
        value = actuator.numbers[name].value
        yield _variable(number, name, k, "parameter", field.unit, field.meaning, value)
    if number == 3:
        yield '<Float64 name="time" valueReference="0" causality="independent" variability="continuous"/>'


# So many arguments: the attributes of a variable, each of its own.
def _variable(
    number: int,
    name: str,
    reference: int,
    causality: str,
    unit: str,
    meaning: str,
    start: float | None,
) -> str:
    variability = "fixed" if causality == "parameter" else "continuous"
    about = f'name="{name}" valueReference="{reference}" causality="{causality}" variability="{variability}"'
    about += f" description={quoteattr(one_line(meaning))}" if meaning else ""
    about += {"input": "", "output": ' initial="calculated"', "parameter": ' initial="exact"'}[
        causality
    ]
    own = "" if start is None else f' start="{start!r}"'
    own += f" unit={quoteattr(unit)}" if unit not in ("", "1") else ""
    if number == 2:
        return f"<ScalarVariable {about}><Real{own}/></ScalarVariable>"
    return f"<Float64 {about}{own}/>"


def _binary(files: dict[str, str], name: str, number: int) -> dict[str, bytes]:
    """The library of this machine by its place in an FMU; none without a compiler, or on another system."""
    compiler = next(filter(None, map(shutil.which, ("cc", "gcc", "clang"))), None)
    linux = platform.system() == "Linux" and platform.machine() == "x86_64"
    if compiler is None or not linux:
        return {}
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        for path, text in files.items():
            (folder / Path(path).name).write_text(text, "utf-8")
        made = folder / f"{name}.so"
        words = [compiler, "-std=c99", "-O2", "-shared", "-fPIC", "-fvisibility=hidden"]
        done = subprocess.run(  # noqa: S603 - the compiler of this machine, on text that is ours
            [*words, str(folder / "fmu.c"), "-o", str(made), "-lm"],
            capture_output=True,
            check=False,
        )
        if done.returncode:
            said = done.stderr.decode("utf-8", "replace").strip().partition("\n")[0]
            raise PliantError("the C compiler rejects it", file=compiler, found=said)
        system = "linux64" if number == 2 else "x86_64-linux"
        return {f"binaries/{system}/{name}.so": made.read_bytes()}
