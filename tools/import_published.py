"""Write the actuator files of the published servo parameters.

    python tools/import_published.py FOLDER [TARGET]      # FOLDER holds <device>/<model>.json

The JSON files have numbers without units. Units, firmware facts, data sheets and bounds are added here, each with
its source, so that the files in `src/pliant/actuators` can be regenerated from the originals.
"""

import json
import sys
from math import pi
from pathlib import Path
from typing import Any

from pliant.assemble import Actuator, Fact, How, Number, assemble
from pliant.catalogue import PACKAGE, load_law, load_topology, ports
from pliant.io.actuator_file import write_actuator

FRICTION = {
    "friction_base": "K_c",
    "friction_viscous": "K_v",
    "friction_stribeck": "K_cs",
    "load_friction_base": "K_l",
    "load_friction_stribeck": "K_ls",
    "load_friction_motor": "K_m",
    "load_friction_external": "K_e",
    "load_friction_motor_stribeck": "K_ms",
    "load_friction_external_stribeck": "K_es",
    "load_friction_motor_quad": "K_mq",
    "load_friction_external_quad": "K_eq",
    "dtheta_stribeck": "v_s",
    "alpha": "alpha",
}
"""Name in the JSON files to symbol of the model table."""

BOUNDS = {
    "K_c": (0.0, 0.2),
    "K_v": (0.0, 1.0),
    "K_cs": (0.0, 0.2),
    "K_l": (0.0, 0.5),
    "K_ls": (0.0, 1.0),
    "K_m": (0.0, 0.5),
    "K_e": (0.0, 0.5),
    "K_ms": (0.0, 1.0),
    "K_es": (0.0, 1.0),
    "K_mq": (0.0, 0.5),
    "K_eq": (0.0, 0.5),
    "v_s": (0.01, 5.0),
    "alpha": (0.3, 10.0),
}
"""Search bounds of the published program, v_s, alpha and the quadratic terms widened."""

EROB_BOUNDS = BOUNDS | {
    "K_c": (0.0, 10.0),
    "K_cs": (0.0, 10.0),
    "K_v": (0.0, 30.0),
    "K_l": (0.0, 1.0),
    "K_m": (0.0, 1.0),
    "K_e": (0.0, 1.0),
}

OSCILLOSCOPE = "measured with an oscilloscope by the authors of the published parameters"
COUNTS = (
    "PWM = kp error_counts / 256, saturating at 885, without dead band or derivative gain: the "
    "duty that 12 recordings report is this within 0.001 while the joint is slow"
)

MISSING = (
    "not known: spread from unit to unit and intervals, delay of commands, play of the gear, resistance of the "
    "supply, heating; one bench's fit"
)

TOLERANCE = "the tolerance is assumed: unit to unit, and the way it was measured"
EMANUAL = "https://emanual.robotis.com/docs/en/dxl"
FACTS = {
    "stall_torque": ("N m", 0.3),
    "no_load_speed": ("rad/s", 0.15),
    "stall_current": ("A", 0.3),
    "rotor_inertia": ("kg m^2", 0.15),
    "gear_ratio": ("1", 0.01),
}
"""Unit of a fact, and its assumed tolerance."""
AT_VOLTAGE = ("stall_torque", "no_load_speed", "stall_current")

EROB_MANUAL = (
    "ZeroErr eRob user manual V3.39, tables 2-1 and 2-2, as others quote it (V3.32: "
    "https://www.scribd.com/document/667155356/eRob-Rotary-Actuator-User-Manual-V3-32): eRob80H, input side without "
    "a brake 67408 g mm^2 (with one 70637); the gear takes 44 N m at starts with ratio 50, 70 with 100, at most 60 and "
    "30 rpm: limits, not the motor's stall and no-load speed"
)

DEVICES: dict[str, dict[str, Any]] = {
    "mx64": {
        "title": "Dynamixel MX-64",
        "gain": 0.158,
        "limit": 0.9625,
        "voltage": 15.0,
        "kp": 32.0,
        "firmware": OSCILLOSCOPE,
        "maker": "ROBOTIS",
        "datasheet": f"ROBOTIS e-manual, MX-64, {EMANUAL}/mx/mx-64",
        "datasheet_voltage": 12.0,
        "facts": {
            "stall_torque": 6.0,
            "no_load_speed": 6.597,
            "stall_current": 4.1,
            "gear_ratio": 200.0,
        },
    },
    "mx106": {
        "title": "Dynamixel MX-106",
        "gain": 0.158,
        "limit": 0.9625,
        "voltage": 15.0,
        "kp": 32.0,
        "firmware": OSCILLOSCOPE,
        "maker": "ROBOTIS",
        "datasheet": f"ROBOTIS e-manual, MX-106, {EMANUAL}/mx/mx-106",
        "datasheet_voltage": 12.0,
        "facts": {
            "stall_torque": 8.4,
            "no_load_speed": 4.712,
            "stall_current": 5.2,
            "gear_ratio": 225.0,
        },
    },
    "xl320": {
        "title": "Dynamixel XL-320",
        "gain": 0.05048199,
        "limit": 1.0,
        "voltage": 7.5,
        "kp": 32.0,
        "firmware": OSCILLOSCOPE,
        "maker": "ROBOTIS",
        "datasheet": f"ROBOTIS e-manual, XL-320, {EMANUAL}/x/xl320",
        "datasheet_voltage": 7.4,
        "facts": {
            "stall_torque": 0.39,
            "no_load_speed": 11.938,
            "stall_current": 1.1,
            "gear_ratio": 238.0,
        },
    },
    "xl330": {
        "title": "Dynamixel XL330-M288-T",
        "gain": 4096 / (2 * pi) / (256 * 885),
        "limit": 1.0,
        "voltage": 7.4,
        "kp": 400.0,
        "firmware": COUNTS,
        "maker": "ROBOTIS",
        "datasheet": f"ROBOTIS e-manual, XL330-M288-T, {EMANUAL}/x/xl330-m288",
        "datasheet_voltage": 6.0,
        "facts": {
            "stall_torque": 0.6,
            "no_load_speed": 12.881,
            "stall_current": 1.74,
            "gear_ratio": 288.4,
        },
    },
    "feetech_sts3215_7_4V": {
        "title": "Feetech STS3215 7.4 V",
        "gain": 0.166,
        "limit": 0.97,
        "voltage": 7.4,
        "kp": 32.0,
        "firmware": OSCILLOSCOPE,
        "speed_limit": 3400 * 2 * pi / 4096,
        "maker": "Feetech",
        "datasheet": "Feetech ST-3215-C001: 19.5 kg cm, 0.238 s/60 deg, 2 A at 6 V, in the maker's own wiki "
        "(https://github.com/ftservo/ftservo-wiki 9522ce1, docs/en/products/models/st-3215-c001, "
        "which also has 19 kg cm at 7.4 V); gear 1:345 as a seller has it, with 52 rpm at 7.4 V "
        "(https://littlebirdelectronics.com.au/products/st3215-serial-bus-servo-19-5kg-7-4v-360-magnetic-encoder)",
        "datasheet_voltage": 6.0,
        "facts": {
            "stall_torque": 1.91,
            "no_load_speed": 4.4,
            "stall_current": 2.0,
            "gear_ratio": 345.0,
        },
    },
    "sts3032_6V": {
        "title": "Feetech STS3032 6 V",
        "gain": 0.166,
        "limit": 0.97,
        "voltage": 6.0,
        "kp": 32.0,
        "firmware": OSCILLOSCOPE + " (STS3215)",
        "origin": "qua-robotics/bam 3e596d6",
        "maker": "Feetech",
        "datasheet": "Feetech ST-3032-C001 A/0: 4.5 kg cm, 0.09 s/60 deg, 1.2 A at 6 V, in the maker's own wiki "
        "(https://github.com/ftservo/ftservo-wiki 9522ce1, docs/en/products/models/st-3032-c001); "
        "gear 1:205 (and 2.8 Ohm, which does not go with 1.2 A at 6 V) as "
        "https://github.com/Danielloka/tendra-hand quotes the sheet",
        "datasheet_voltage": 6.0,
        "facts": {
            "stall_torque": 0.441,
            "no_load_speed": 11.636,
            "stall_current": 1.2,
            "gear_ratio": 205.0,
        },
    },
    "waveshare_st3025": {
        "title": "Waveshare ST3025 12 V",
        "maker": "Waveshare",
        "gain": 0.166,
        "limit": 1.0,
        "voltage": 12.0,
        "kp": 32.0,
        "firmware": OSCILLOSCOPE
        + " (STS3215), times a fitted ratio; the duty's limit was not measured",
        "origin": "Rhoban/bam 32efda6 (m1, m2, m3, m5), 27f3fa5 (m4, m6)",
        "datasheet": "Feetech ST-3025-C002: 40 kg cm, 0.117 s/60 deg, 4.4 A at 12 V, in the maker's own wiki "
        "(https://github.com/ftservo/ftservo-wiki 9522ce1, docs/en/products/models/st-3025-c002); "
        "it is taken for the ST3025 of Waveshare, whose sellers and Rhoban/bam state the same torque and current",
        "datasheet_voltage": 12.0,
        "facts": {
            "stall_torque": 3.92,
            "no_load_speed": 8.95,
            "stall_current": 4.4,
        },
    },
    "feetech_hls2915": {
        "title": "Feetech HLS2915 12 V, position mode",
        "maker": "Feetech",
        "gain": 0.166,
        "limit": 1.0,
        "voltage": 12.0,
        "kp": 8.0,
        "firmware": "that of an STS3215, times a fitted ratio; the duty's limit was not measured",
        "origin": "Seamus-Z/bam 77cb552, branch of Rhoban/bam pull request 15 (64 recordings on four pendulums)",
        "missing": "not known: spread from unit to unit and intervals, play of the gear, resistance of the supply, "
        "heating; one bench's fit. The published program limits the current to 1.37 A, which has no place in these laws",
        "datasheet": "Feetech HL-2915-C001: 14.2 kg cm, 110 rpm, 1.5 A at 12 V, gear 1:320, in the maker's own wiki "
        "(https://github.com/ftservo/ftservo-wiki 9522ce1, docs/en/products/models/hl-2915-c001/official-specs.json)",
        "datasheet_voltage": 12.0,
        "facts": {
            "stall_torque": 1.393,
            "no_load_speed": 11.52,
            "stall_current": 1.5,
            "gear_ratio": 320.0,
        },
    },
    "erob80_100": {
        "title": "ZeroErr eRob80, gear 100",
        "maker": "ZeroErr",
        "voltage": 48.0,
        "datasheet": EROB_MANUAL,
        "facts": {"rotor_inertia": 6.741e-5, "gear_ratio": 100.0},
        "damping": 2.0,
    },
    "erob80_50": {
        "title": "ZeroErr eRob80, gear 50",
        "maker": "ZeroErr",
        "voltage": 48.0,
        "datasheet": EROB_MANUAL,
        "facts": {"rotor_inertia": 6.741e-5, "gear_ratio": 50.0},
        "damping": 1.0,
    },
}


def number(value: float, unit: str, how: How, source: str, bounds: Any = None) -> Number:
    low, high = bounds or (None, None)
    if low is not None and value < low:
        low = 0.5 * value
    if high is not None and value > high:
        high = 2.0 * value
    low, high = (None if bound is None else float(f"{bound:.3g}") for bound in (low, high))
    return Number(float(value), unit, source, how, low, high)


def around(value: float) -> tuple[float, float]:
    """Bounds for a quantity that a data sheet gives within a factor of a few."""
    return (0.3 * value, 3.0 * value)


def firmware(device: dict[str, Any], data: dict[str, Any]) -> dict[str, Number]:
    """The position loop of a voltage-driven servo."""
    gain = device["gain"] * data.get("error_gain_ratio", 1.0)
    how: How = "identified" if "error_gain_ratio" in data else "firmware"
    speed = data.get("max_velocity", device.get("speed_limit", 1e9))
    known: How = "identified" if "max_velocity" in data else "firmware"
    limited = known if "speed_limit" in device or "max_velocity" in data else "assumed"
    told = "default" if limited == "assumed" else "firmware"
    return {
        "control.gain": number(gain, "1/rad", how, "firmware", (0.5 * gain, 2 * gain)),
        "control.kp": number(device["kp"], "1", "convention", "default"),
        **damping_and_dead_band(device),
        "control.speed_limit": number(speed, "rad/s", limited, told),
        "control.limit": number(device["limit"], "1", "firmware", "firmware"),
    }


def damping_and_dead_band(device: dict[str, Any]) -> dict[str, Number]:
    """Zero if recordings show it; otherwise unknown, and open to a fit."""
    if device["firmware"] == COUNTS:
        return {
            "control.derivative_gain": number(0.0, "s/rad", "firmware", "firmware"),
            "control.dead_band": number(0.0, "rad", "firmware", "firmware"),
        }
    return {
        "control.derivative_gain": number(0.0, "s/rad", "assumed", "default", (0.0, 0.1)),
        "control.dead_band": number(0.0, "rad", "assumed", "default", (0.0, 0.05)),
    }


def current_loop(device: dict[str, Any]) -> dict[str, Number]:
    """The eRob's proportional-derivative law on current."""
    return {
        "control.gain": number(1.0, "A/rad", "convention", "firmware"),
        "control.kp": number(100.0, "1", "assumed", "default"),
        "control.damping_gain": number(device["damping"], "A s/rad", "firmware", "firmware"),
        "control.limit": number(12.0, "A", "firmware", "firmware"),
    }


def friction(
    data: dict[str, Any], units: dict[str, str], limits: dict[str, tuple[float, float]]
) -> dict[str, Number]:
    """Numbers of the friction law, by Pliant's names."""
    return {
        f"friction.{symbol}": number(
            data[key], units[symbol], "identified", "published", limits[symbol]
        )
        for key, symbol in FRICTION.items()
        if key in data
    }


def sources(folder: str, model: str, device: dict[str, Any]) -> dict[str, str]:
    """Sources of the numbers, and what is unknown."""
    origin = device.get("origin", "Rhoban/bam 1b5a1ce")
    kp = ", kp chosen here" if "damping" in device else ""
    sheet = {"datasheet": f"{device['datasheet']}; {TOLERANCE}"} if "datasheet" in device else {}
    return {
        "published": f"{origin}, {folder}/{model}.json (Apache-2.0), method: Duclusaud, "
        "Passault, Padois, Ly, ICRA 2025",
        "firmware": device.get(
            "firmware", "published program of the same authors: i = kp e - damping sqrt(kp) v, 12 A"
        ),
        "default": f"default of the published program (same origin); not identified{kp}",
        "missing": device.get("missing", MISSING),
        **sheet,
    }


def facts(device: dict[str, Any]) -> tuple[Fact, ...]:
    """The data sheet's facts; those of the motor's winding at its voltage."""
    at = {name: device.get("datasheet_voltage") if name in AT_VOLTAGE else None for name in FACTS}
    return tuple(
        Fact(name, value, FACTS[name][0], "datasheet", at[name], FACTS[name][1])
        for name, value in device.get("facts", {}).items()
    )


def actuator(folder: str, model: str, data: dict[str, Any]) -> Actuator:
    """One published parameter file as an actuator."""
    device = DEVICES[folder]
    current = "damping" in device
    choice = {
        "timing": "command_delay" if "command_delay" in data else "immediate",
        "sensing": "ideal",
        "driver": "ideal_supply",
        "control": "current_pd" if current else "firmware_position",
        "motor": "dc_current" if current else "dc_voltage",
        "friction": model,
    }
    topology = load_topology("rigid_servo")
    laws = {
        port: load_law(family, choice.get(port, "none")) for port, family in ports(topology).items()
    }
    numbers = {
        "own.armature": number(
            data["armature"],
            "kg m^2",
            "identified",
            "published",
            (0.1 * data["armature"], 5.0 * data["armature"]),
        ),
        "own.voltage": number(device["voltage"], "V", "convention", "default"),
        "motor.k_t": number(data["kt"], "N m/A", "identified", "published", around(data["kt"])),
        **(current_loop(device) if current else firmware(device, data)),
    }
    if "R" in data:
        numbers["motor.R"] = number(data["R"], "Ohm", "identified", "published", around(data["R"]))
    else:
        numbers["motor.R"] = number(2.0, "Ohm", "assumed", "default", around(2.0))
    if "command_delay" in data:
        delay = data["command_delay"]
        numbers["timing.delay"] = number(delay, "s", "identified", "published", (0.0, 0.1))
    units = {field.name: field.unit for field in laws["friction"].parameters}
    numbers |= friction(data, units, EROB_BOUNDS if current else BOUNDS)
    bench: dict[str, Number] = {}
    if "q_offset" in data:
        bench["position_offset"] = number(data["q_offset"], "rad", "identified", "published")
    return assemble(
        Actuator(
            name=f"{folder}_bam_{model}",
            title=f"{device['title']}, friction model {model.upper()}",
            device=folder,
            topology=topology,
            laws=laws,
            numbers=numbers,
            sources=sources(folder, model, device),
            bench=bench,
            maker=device["maker"],
            datasheet=facts(device),
        )
    )


def imported(folder: Path) -> list[Actuator]:
    """The actuators of all parameter files in a folder."""
    files = sorted(folder.glob("*/m?.json"))
    return [actuator(f.parent.name, f.stem, json.loads(f.read_text("utf-8"))) for f in files]


def main(folder: Path, target: Path = PACKAGE / "actuators") -> None:
    for made in imported(folder):
        write_actuator(made, target / f"{made.name}.toml", overwrite=True)
        print(made.name)


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
