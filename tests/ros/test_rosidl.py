"""ROS 2's own tools take the messages: rosidl's parser, and the hashes that its generator gives them."""

import json
from importlib.resources import files
from pathlib import Path

import pytest

pytest.importorskip("cyclonedds", reason="pliant[ros2] is not installed")
pytest.importorskip("rosidl_adapter", reason="rosidl is not installed")

from pliant.ros.messages import hash_of

PACKAGE = Path(str(files("pliant.ros"))) / "pliant_msgs"
OF_ROS = {
    "builtin_interfaces/msg/Time": "int32 sec\nuint32 nanosec\n",
    "std_msgs/msg/Header": "builtin_interfaces/Time stamp\nstring frame_id\n",
    "service_msgs/msg/ServiceEventInfo": "uint8 REQUEST_SENT = 0\nuint8 REQUEST_RECEIVED = 1\n"
    "uint8 RESPONSE_SENT = 2\nuint8 RESPONSE_RECEIVED = 3\nuint8 event_type\n"
    "builtin_interfaces/Time stamp\nchar[16] client_gid\nint64 sequence_number\n",
}
"""Definitions of ROS 2 that the messages use."""


def hashed(package: str, source: Path, folder: Path) -> dict[str, str]:
    """Types of a package to their hashes, by rosidl; packages before it lie in `folder` already."""
    from rosidl_adapter.msg import convert_msg_to_idl
    from rosidl_adapter.srv import convert_srv_to_idl
    from rosidl_generator_type_description import generate_type_hash

    idl = folder / f"{package}_idl"
    tuples: list[str] = []
    for kind, convert in (("msg", convert_msg_to_idl), ("srv", convert_srv_to_idl)):
        for path in sorted((source / kind).glob(f"*.{kind}")):
            (idl / kind).mkdir(parents=True, exist_ok=True)
            convert(source, package, path.relative_to(source), idl / kind)
            tuples.append(f"{idl}:{kind}/{path.stem}.idl")
    out = folder / package
    others = [f"{path.name}:{path}" for path in folder.iterdir() if "_idl" not in path.name]
    given = folder / f"{package}_idl.json"
    words = {"package_name": package, "output_dir": str(out), "idl_tuples": tuples}
    given.write_text(json.dumps(words | {"include_paths": others}))
    made = [
        json.loads(Path(path).read_text(encoding="utf-8"))
        for path in generate_type_hash(str(given))
    ]
    return {e["type_name"]: e["hash_string"] for one in made for e in one["type_hashes"]}


@pytest.mark.filterwarnings("ignore:module 'sre_:DeprecationWarning")  # of its lark-parser
def test_rosidl_gives_every_message_the_hash_that_is_announced(tmp_path: Path) -> None:
    found: dict[str, str] = {}
    for name, text in OF_ROS.items():
        package, kind, message = name.split("/")
        source = tmp_path / "of_ros_idl" / package
        (source / kind).mkdir(parents=True)
        (source / kind / f"{message}.msg").write_text(text)
        found |= hashed(package, source, tmp_path)
    found |= hashed("pliant_msgs", PACKAGE, tmp_path)
    own = {f"pliant_msgs/msg/{path.stem}" for path in (PACKAGE / "msg").glob("*.msg")}
    own |= {f"pliant_msgs/srv/SetGains_{part}" for part in ("Request", "Response")}
    assert own <= set(found)
    assert {name: found[name] for name in own} == {name: hash_of(name) for name in own}
    for name in ("std_msgs/msg/Header", "builtin_interfaces/msg/Time"):
        assert found[name] == hash_of(name)
