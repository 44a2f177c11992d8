"""The published numbers are those of the published files."""

import json
import re
import runpy
from pathlib import Path

import pytest

from pliant.catalogue import PACKAGE
from pliant.io.actuator_file import load_actuator

PUBLISHED = {
    "xl330_bam_m6": {
        "motor.k_t": 0.36601349688984386,
        "motor.R": 2.8113923539223227,
        "own.armature": 0.0018077432831600838,
        "friction.K_c": 0.004771183165566,
        "friction.K_cs": 0.004676345799486616,
        "friction.K_m": 0.2667860954283698,
        "friction.K_e": 8.515871897059342e-06,
        "friction.K_ms": 1.0722918395099123e-05,
        "friction.K_es": 0.08077928978935671,
        "friction.K_mq": 0.009972471242139415,
        "friction.K_eq": 0.004902565732332559,
        "friction.v_s": 2.890372094130307,
        "friction.alpha": 8.683259907618984,
        "friction.K_v": 0.005359668274599504,
        "bench.position_offset": 0.0271132870444849,
    },
    "mx106_bam_m4": {
        "motor.k_t": 2.23138890457851,
        "motor.R": 2.3717487904639545,
        "own.armature": 0.02457397334336701,
        "friction.K_c": 6.653380436533205e-13,
        "friction.K_cs": 0.10491060771568866,
        "friction.K_l": 0.009150334028953775,
        "friction.K_ls": 0.22235912179095094,
        "friction.v_s": 1.6232949773728853,
        "friction.alpha": 1.323485668999259,
        "friction.K_v": 0.05096082506010955,
        "control.gain": 0.158,
        "control.limit": 0.9625,
    },
    "sts3032_6V_bam_m1": {
        "motor.k_t": 0.493361113420458,
        "motor.R": 4.091639039952612,
        "own.armature": 0.001013109857077197,
        "friction.K_c": 0.005396014620122246,
        "friction.K_v": 0.0015897121338153768,
        "control.gain": 0.166 * 0.9003093479218511,
        "control.speed_limit": 34.48457063069969,
        "bench.position_offset": -0.12583519139736365,
    },
    "erob80_100_bam_m5": {
        "motor.k_t": 8.7651105517004,
        "own.armature": 0.7444198326018837,
        "friction.K_c": 0.0008544416565456324,
        "friction.K_cs": 3.8971701985820273,
        "friction.K_m": 0.0014386633405137944,
        "friction.K_e": 3.392293448680981e-06,
        "friction.K_ms": 7.95025355007889e-05,
        "friction.K_es": 0.2544739333707678,
        "friction.v_s": 1.8499219470996635,
        "friction.alpha": 2.999117024168752,
        "friction.K_v": 8.888393828048388,
        "control.limit": 12.0,
        "control.damping_gain": 2.0,
    },
    "waveshare_st3025_bam_m6": {
        "motor.k_t": 1.6505452653898973,
        "motor.R": 3.100477300209682,
        "own.armature": 0.004784795646826235,
        "friction.K_c": 0.048766962405197095,
        "friction.K_ms": 0.17333770432699186,
        "friction.K_v": 0.02221608287954161,
        "control.gain": 0.166 * 1.25267331811306,
        "bench.position_offset": 0.0032116055082865164,
    },
}
"""From the JSON files of Rhoban/bam 1b5a1ce and 27f3fa5, of qua-robotics/bam 3e596d6, and the firmware facts of
servos_and_friction."""


@pytest.mark.parametrize("name", PUBLISHED)
def test_published_numbers_are_the_published_ones(name: str) -> None:
    actuator = load_actuator(name)
    known = {**actuator.numbers, **{f"bench.{n}": x for n, x in actuator.bench.items()}}
    assert {key: known[key].value for key in PUBLISHED[name]} == PUBLISHED[name]
    origin = actuator.sources["published"]
    assert "Apache-2.0" in origin and "bam" in origin
    assert {known[key].source for key in PUBLISHED[name] if not key.startswith("control.")} == {
        "published"
    }


def test_every_file_says_what_is_missing() -> None:
    for file in sorted((PACKAGE / "actuators").glob("*.toml")):
        said = load_actuator(file).sources.get("missing", "")
        assert re.match("not (known: |a device: )", said), file.name


@pytest.mark.parametrize("kind", ["bam_m?", "ksim", "mjlab", "toddlerbot", "menagerie"])
def test_imported_numbers_have_a_source_and_a_licence(kind: str) -> None:
    files = sorted((PACKAGE / "actuators").glob(f"*_{kind}.toml"))
    assert files
    for file in files:
        said = load_actuator(file).sources
        assert re.search("Apache-2.0|MIT", " ".join(said.values())), file.name


def test_importer_writes_the_files_of_the_catalogue(tmp_path: Path) -> None:
    """From the numbers in them, under the names that the published files have for them."""
    importer = runpy.run_path(str(PACKAGE.parents[1] / "tools" / "import_published.py"))
    published = {f"friction.{ours}": theirs for theirs, ours in importer["FRICTION"].items()} | {
        "own.armature": "armature",
        "timing.delay": "command_delay",
        "motor.k_t": "kt",
        "motor.R": "R",
        "control.speed_limit": "max_velocity",
        "bench.position_offset": "q_offset",
    }
    files = sorted((PACKAGE / "actuators").glob("*_bam_m?.toml"))
    assert len(files) == 46
    for file in files:
        actuator = load_actuator(file)
        numbers = {**actuator.numbers, **{f"bench.{n}": x for n, x in actuator.bench.items()}}
        found = {n: x.value for n, x in numbers.items() if x.how == "identified"}
        data = {theirs: found[name] for name, theirs in published.items() if name in found}
        if "control.gain" in found:
            of_device: float = importer["DEVICES"][actuator.device]["gain"]
            data["error_gain_ratio"] = found["control.gain"] / of_device
        place = tmp_path / actuator.device / f"{file.stem.rpartition('_')[2]}.json"
        place.parent.mkdir(exist_ok=True)
        place.write_text(json.dumps(data))
    importer["main"](tmp_path, tmp_path)
    for file in files:
        again, here = (path.read_text().partition("\n")[2] for path in (tmp_path / file.name, file))
        assert again == here, file.name
