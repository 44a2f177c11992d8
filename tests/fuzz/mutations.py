"""Ways to break a file that still looks like one: they know its tokens, its trees and its tables."""

import json
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable
from random import Random
from typing import Any

from .seeds import BINARY, encoded

NUMBERS = (
    "nan inf -inf 0 -0.0 -1 1 2 1e308 -1e308 1e400 1e-320 1e9 1000000000 1_0 0x10 1,5 .5 5. +3 "
    "true null 1e 1.2.3 nan(1) infinity 0x1p-3 -nan 1d0"
).split()
LONG = ["9" * 5000, "1e" + "9" * 50, "0." + "1" * 20_000]
TEXTS = [
    "",
    " ",
    "\0",
    "\ufeff",
    "\ud800".encode("utf-8", "surrogatepass").decode("utf-8", "replace"),
    "\u202e",
    "x" * 100_000,
    "../../etc/passwd",
    "/dev/zero",
    "/dev/stdin",
    ".",
    "a.toml",
    "model.xml",
    "robot.toml",
    "law.py",
    "arm.xml",
    "<script>",
    "%s",
    "{}",
    "'\"",
    "\\ud800",
    "=HYPERLINK()",
    "__import__('os')",
    "\x1b[2J",
    "ключ",
]
_NUMBER = re.compile(r"[+-]?\d+\.?\d*(?:[eE][+-]?\d+)?")
_WORD = re.compile(r"[A-Za-z_][A-Za-z_0-9]*")
_STRING = re.compile(r"\"[^\"\n]*\"")

Mutation = Callable[[str, Random], str]


def odd(random: Random) -> str:
    """A number that is none, or a hard one."""
    return random.choice(LONG) if random.random() < 0.05 else random.choice(NUMBERS)


def _replaced(pattern: re.Pattern[str], text: str, random: Random, new: str) -> str:
    found = list(pattern.finditer(text))
    if not found:
        return text
    one = random.choice(found)
    return text[: one.start()] + new + text[one.end() :]


def number(text: str, random: Random) -> str:
    """Another number."""
    return _replaced(_NUMBER, text, random, odd(random))


def scaled(text: str, random: Random) -> str:
    """The same number in another unit, or with another sign."""
    found = list(_NUMBER.finditer(text))
    if not found:
        return text
    one = random.choice(found)
    factor = random.choice([-1.0, 1e3, 1e-3, 1e6, 1e9, 1e-9, 180.0 / 3.14159, 1e15])
    return text[: one.start()] + f"{float(one[0]) * factor:g}" + text[one.end() :]


def word(text: str, random: Random) -> str:
    """Another name: another of the file's, a slip, or an odd one."""
    found = list(_WORD.finditer(text))
    if not found:
        return text
    one, other = random.choice(found), random.choice(found)[0]
    slips = [one[0][1:], one[0] + "x", one[0].upper(), other, random.choice(TEXTS)]
    return text[: one.start()] + random.choice(slips) + text[one.end() :]


def string(text: str, random: Random) -> str:
    """Another text between quotes."""
    return _replaced(_STRING, text, random, f'"{random.choice(TEXTS)}"')


def line(text: str, random: Random) -> str:
    """A line twice, gone, elsewhere, or cut."""
    lines = text.splitlines()
    if not lines:
        return text
    k, other = random.randrange(len(lines)), random.randrange(len(lines))
    match random.randrange(5):
        case 0:
            lines.insert(k, lines[k])
        case 1:
            del lines[k]
        case 2:
            lines[k], lines[other] = lines[other], lines[k]
        case 3:
            lines[k] = lines[k][: random.randrange(len(lines[k]) + 1)]
        case _:
            # A line can be a whole file: of 5 MB, 3000 took 15 GB.
            lines[k:k] = [lines[k]] * min(3000, 30_000_000 // (len(lines[k]) + 1))
    return "\n".join(lines) + "\n"


def character(text: str, random: Random) -> str:
    """A character gone, twice, or another."""
    if not text:
        return text
    k = random.randrange(len(text))
    new = random.choice(["", text[k] * 2, random.choice("{}[]()<>=:,;.\"'#\t\n\\/&%*\0é€")])
    return text[:k] + new + text[k + 1 :]


def cut(text: str, random: Random) -> str:
    """The file ends early, or lacks a part."""
    a, b = sorted(random.randrange(len(text) + 1) for _ in range(2))
    return text[:a] if random.random() < 0.5 else text[:a] + text[b:]


def deep(text: str, random: Random) -> str:
    """Brackets without end."""
    k = random.randrange(len(text) + 1)
    bracket = random.choice(["[", "{", "(", '{"a":', "<a>", "- ", "a.", "-", "not ", "&a [", "f("])
    return text[:k] + bracket * random.choice([50, 2000, 50_000]) + text[k:]


def whole(text: str, random: Random) -> str:
    """Something else altogether."""
    return random.choice(
        ["", "\n", "\0" * 100, "[1]", "null", "a", "<a/>", "[]", "{}", "--- |", text * 3]
    )


def json_tree(text: str, random: Random) -> str:
    """A value, a key or an item of JSON changed."""
    document = json.loads(text)
    parent: Any = document
    while True:
        keys = list(parent) if isinstance(parent, dict) else range(len(parent))
        if not len(keys):
            break
        key = random.choice(keys)
        child = parent[key]
        if isinstance(child, dict | list) and child and random.random() < 0.8:
            parent = child
            continue
        values: list[Any] = [None, True, [], {}, "", "1.5", -1, 0, 1e308, 10**400, [[[]]], child]
        values += [float("nan"), float("inf"), {"a": child}, [child] * 3]
        match random.randrange(5):
            case 0:
                del parent[key]
            case 1 if isinstance(parent, dict):
                parent[random.choice(TEXTS)] = parent.pop(key)
            case 2 if isinstance(parent, list):
                parent.insert(0, parent[key])
            case _:
                parent[key] = random.choice(values)
        break
    return json.dumps(document)


def xml_tree(text: str, random: Random) -> str:
    """An element or an attribute of XML changed."""
    root = ET.fromstring(text)
    parents = {child: parent for parent in root.iter() for child in parent}
    one = random.choice(list(root.iter()))
    match random.randrange(7):
        case 0 if one.attrib:
            one.set(random.choice(list(one.attrib)), odd(random))
        case 1 if one.attrib:
            one.set(random.choice(list(one.attrib)), random.choice(TEXTS[3:]))
        case 2 if one.attrib:
            del one.attrib[random.choice(list(one.attrib))]
        case 3 if one in parents:
            parents[one].remove(one)
        case 4 if one in parents:
            parents[one].append(one)
        case 5:
            one.tag = random.choice([e.tag for e in root.iter()])
        case _:
            extra = random.choice(
                [
                    ("include", {"file": "model.xml"}),
                    ("include", {"file": "arm.xml"}),
                    ("model", {"name": "m", "file": "model.xml"}),
                    ("mesh", {"name": "m", "file": "/dev/zero"}),
                    (
                        "hfield",
                        {"name": "h", "nrow": "1000000", "ncol": "1000000", "size": "1 1 1 1"},
                    ),
                    ("replicate", {"count": "1000000000"}),
                    ("size", {"memory": "100T"}),
                    (
                        "texture",
                        {"type": "2d", "builtin": "flat", "width": "99999", "height": "99999"},
                    ),
                    ("geom", {"size": "1e400", "mass": "nan"}),
                    ("freejoint", {}),
                    ("joint", {"name": "j", "type": "ball"}),
                ]
            )
            ET.SubElement(one, extra[0], extra[1])
    for element in root.iter():  # what XML cannot hold is for the text mutations
        for key, value in element.attrib.items():
            element.set(key, "".join(c for c in value if c.isprintable()))
    return ET.tostring(root, encoding="unicode")


def table(text: str, random: Random) -> str:
    """A cell, a column or the separator of a CSV changed."""
    rows = [line.split(",") for line in text.splitlines()]
    row = random.choice(rows)
    k = random.randrange(len(row))
    match random.randrange(9):
        case 0:
            row[k] = odd(random)
        case 1:
            rows[0][k % len(rows[0])] = random.choice(rows[0])
        case 2:
            rows[0][k % len(rows[0])] += random.choice([" [deg]", " [ms]", " [ns]", " [x]", " []"])
        case 3:
            return "\n".join(random.choice([";", "\t", "|", " "]).join(r) for r in rows)
        case 4:
            return "\n".join(";".join(r).replace(".", ",") for r in rows)
        case 5:
            row[k] = f'"{row[k]}'
        case 6:
            rows = [r + [r[k % len(r)]] * random.choice([1, 300, 5000]) for r in rows]
        case 7:
            for r in rows[1:]:
                r[k % len(r)] = odd(random)
        case _:
            del row[k]
    return "\n".join(",".join(r) for r in rows) + "\n"


def yaml_trap(text: str, random: Random) -> str:
    """Parts of YAML beyond a table of keys."""
    traps = [
        "a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n",
        "<<: {namespace: x}\n",
        "base: &base {a: 1}\nother:\n  <<: *base\n",
        "joints_number: 3\n",
        "namespace: !!python/object/apply:os.system [ls]\n",
        "? [a, b]\n: c\n",
        "t: 2001-99-99\n",
        "n: 1:2:3:4:5:6:7:8:9\n",
        "--- \nx: 1\n--- \ny: 2\n",
    ]
    return random.choice([random.choice(traps) + text, text + random.choice(traps)])


FRAGMENTS = [
    "import os",
    "from os import system",
    "from typing import sys",
    "x = [0] * 10**9",
    "def f(x):\n    return f(x)",
    "while True: pass",
    "class P: pass",
    "p.__class__",
    "exec('1')",
    "lambda: 0",
    "9**9**9",
    "x = " + "(" * 300 + "1" + ")" * 300,
    "x = " + "+".join(["1"] * 5000),
    "@property",
    "    return torque(phi, p)",
    "async def g(): pass",
    "\tmixed",
    "def torque(phi, p): return 1/0",
]


def python(text: str, random: Random) -> str:
    """A line of other Python."""
    lines = text.splitlines()
    lines.insert(random.randrange(len(lines) + 1), random.choice(FRAGMENTS))
    return "\n".join(lines) + "\n"


EVERY: list[Mutation] = [number, scaled, word, string, line, character, cut, deep, whole]
OWN: dict[str, list[Mutation]] = {
    "json": [json_tree] * 6,
    "csv": [table] * 8,
    "xml": [xml_tree] * 10,
    "urdf": [xml_tree] * 10,
    "yaml": [yaml_trap] * 3,
    "toml": [number, scaled, string, word],
    "py": [python] * 3,
}


def bytes_changed(text: str, random: Random) -> str:
    """Bytes of a binary file changed, gone, or there twice; most of them where it describes itself."""
    if not text:  # cut at its beginning before
        return text
    k = random.randrange(len(text)) if random.random() < 0.4 else -random.randrange(1, 900)
    k = max(k % len(text), 0)
    match random.randrange(4):
        case 0:
            return text[:k] + chr(random.randrange(256)) + text[k + 1 :]
        case 1:
            return text[:k] + random.choice(["\0\0\0\0", "\xff" * 4, "\x7f" * 9]) + text[k + 4 :]
        case 2:
            return text[:k] + text[k + random.randrange(1, 50) :]
        case _:
            return text[:k] if random.random() < 0.3 else text[:k] + text[k : k + 20] + text[k:]


def mutated(name: str, text: str, random: Random) -> bytes:
    """The file after one to three mutations, most of them of its own kind."""
    if name.endswith(BINARY):
        for _ in range(random.choice([1, 1, 2, 3])):
            text = bytes_changed(text, random)
        return encoded(name, text)
    choices = EVERY + OWN[name.rpartition(".")[2]]
    for _ in range(random.choice([1, 1, 1, 2, 3])):
        try:
            text = random.choice(choices)(text, random)
        except (ValueError, IndexError, TypeError, SyntaxError, RecursionError):
            text = character(text, random)
    data = text.encode("utf-8", "surrogatepass")
    if random.random() < 0.04 and data:
        k = random.randrange(len(data))
        data = data[:k] + bytes([random.randrange(256)]) + data[k + 1 :]
    return random.choice([data] * 40 + [b"\xef\xbb\xbf" + data, data.replace(b"\n", b"\r\n")])
