"""The toolbox's manager YAML: all keys, lists of one length, nothing executed."""

import pytest

import pliant
from pliant.io.manager_file import read_manager

TEXT = """namespace: "robot"
T_sample: 0.01            # loop period
joints_number: 2
joints_name: ["j1", "j2"]
ref1_topic_name: ["/equilibrium_position", "/equilibrium_position"]
ref2_topic_name: ["/stiffness_preset", "/stiffness_preset"]
"""


@pytest.fixture
def path(tmp_path):
    return tmp_path / "manager.yaml"


def refusal(path, text: str) -> str:
    path.write_text(text)
    with pytest.raises(pliant.PliantError) as refused:
        read_manager(path)
    return str(refused.value).removeprefix(f"{path}: ")


def test_the_published_file_is_read(path):
    path.write_text(TEXT)
    file = read_manager(path)
    assert (file.namespace, file.period, file.joints) == ("robot", 0.01, ("j1", "j2"))
    assert file.topics_1 == ("/equilibrium_position",) * 2
    assert file.topics_2 == ("/stiffness_preset",) * 2


@pytest.mark.parametrize("value", ["9" * 5000, "0x" + "_", "1:" * 5000 + "1", "-1e5:3"])
def test_a_value_that_python_cannot_make_is_refused_by_its_line(path, value):
    said = refusal(path, TEXT.replace("0.01  ", f"{value}  "))
    assert said.startswith(("line 2: has a value that cannot be read", "T_sample: cannot be used"))


@pytest.mark.parametrize("line", range(6))
def test_every_key_must_be_there(path, line):
    lines = TEXT.splitlines()
    key = lines.pop(line).partition(":")[0]
    assert refusal(path, "\n".join(lines)).startswith(f"{key}: is missing; accepted: ")


@pytest.mark.parametrize("key", ["joints_name", "ref1_topic_name", "ref2_topic_name"])
def test_a_list_of_another_length_is_refused(path, key):
    line = next(line for line in TEXT.splitlines() if line.startswith(key))
    text = TEXT.replace(line, f'{key}: ["/a", "/b", "/c"]')
    assert refusal(path, text) == (
        f"{key}: wrong number of entries for these joints; found 3; accepted: joints_number = 2"
    )


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("T_sample: 0.01", "T_sample: 0", "T_sample: cannot be used; found 0;"),
        ("T_sample: 0.01", "T_sample: .nan", "T_sample: cannot be used; found nan;"),
        ("T_sample: 0.01", "T_sample: ten", "T_sample: cannot be used; found 'ten';"),
        ("joints_number: 2", "joints_number: 2.0", "joints_number: cannot be used; found 2.0;"),
        ('"j1", "j2"', '"j1", 2', "joints_name: is not a list of texts; found ['j1', 2];"),
        ('["j1", "j2"]', "j1", "joints_name: is not a list of texts;"),
        ('"j1", "j2"', '"j1", "j1"', "joints_name: a joint is listed twice; found 'j1'"),
        (
            '["/stiff',
            '["stiff',
            "ref2_topic_name: has no leading slash; found 'stiffness_preset';"
            " accepted: /stiffness_preset",
        ),
        ("T_sample", "T_samples", "T_samples: unknown key; found 'T_samples'; did you mean"),
        ("namespace:", "namespace", "line 2, column 9: is not YAML; found "),
        ('"robot"', "!!python/object/apply:os.getcwd []", "line 1, column 12: is not YAML; found "),
    ],
)
def test_what_cannot_be_used_is_named(path, before, after, said):
    assert refusal(path, TEXT.replace(before, after, 1)).startswith(said)
