"""Errors of the boundary: the place is added on the way up, the length is bounded."""

import pickle

import pytest

from pliant.errors import PliantError, is_interrupt, located


def said(error: PliantError, *places: tuple[str | None, str | None]) -> str:
    """The error after it has passed through these places, the innermost first."""

    def through(outward: list[tuple[str | None, str | None]]) -> None:
        if not outward:
            raise error
        with located(*outward[-1]):
            through(outward[:-1])

    with pytest.raises(PliantError) as caught:
        through(list(places))
    assert caught.value is error
    return str(error)


def test_the_file_is_added_to_an_error_without_one() -> None:
    error = PliantError("is missing", field="mass", accepted=["a", "b"])
    assert said(error, ("run.json", None)) == "run.json: mass: is missing; accepted: a, b"


def test_fields_are_put_before_fields_and_names_are_still_suggested() -> None:
    error = PliantError("unknown", field="law", found="stribek", accepted=["stribeck", "zz"])
    text = said(error, (None, "elbow"), ("robot.toml", "joints"))
    assert text == (
        "robot.toml: joints: elbow: law: unknown; found 'stribek'; did you mean 'stribeck'?; "
        "accepted: stribeck, zz"
    )


def test_a_field_that_begins_with_a_dot_joins_as_a_key() -> None:
    error = PliantError("wrong unit", field=".unit")
    assert said(error, ("a.toml", "parameters.motor.R")) == (
        "a.toml: parameters.motor.R.unit: wrong unit"
    )


def test_the_message_is_also_there_without_its_place() -> None:
    error = PliantError("unknown", field="law", found="sribeck", accepted=["stribeck"]).located(
        "a.toml"
    )
    assert error.without_place() == (
        "unknown; found 'sribeck'; did you mean 'stribeck'?; accepted: stribeck"
    )
    assert str(error) == f"a.toml: law: {error.without_place()}"


def test_who_asked_for_a_file_is_said_once_each() -> None:
    error = PliantError("is not Python", field="line 3")
    text = said(
        error,
        ("law.py", None),
        ("servo.toml", "laws.friction"),
        ("servo.toml", None),
        ("robot.toml", "joints.elbow"),
    )
    assert text == (
        "law.py: line 3: is not Python; asked for by servo.toml: laws.friction, "
        "by robot.toml: joints.elbow"
    )


def test_an_error_survives_the_way_back_from_a_worker() -> None:
    error = PliantError("bad", field="x", found=3, accepted=["1", "2"]).located("a.toml")
    back = pickle.loads(pickle.dumps(error))
    assert (str(back), back.as_dict()) == (str(error), error.as_dict())


def test_a_message_is_short_whatever_the_file_holds() -> None:
    for error in (
        PliantError("x" * 10**6, field="y" * 10**6, found="z" * 10**6, accepted="w" * 10**6),
        PliantError("bad", found="k" * 10**6, accepted=["k" * 10**6, *map(str, range(50_000))]),
        PliantError("bad", found=10**5000),
        PliantError("bad", found={"a": 10**5000}),
    ):
        assert len(str(error)) < 6000
        assert len(str(error.as_dict())) < 20_000


def test_ctrl_c_is_known_in_what_other_code_makes_of_it() -> None:
    wrapped = ImportError("initialization failed")
    wrapped.__cause__ = ValueError()
    wrapped.__cause__.__context__ = KeyboardInterrupt()
    assert is_interrupt(wrapped)
    assert is_interrupt(KeyboardInterrupt())
    assert not is_interrupt(ImportError("initialization failed"))


def test_half_a_character_can_be_printed() -> None:
    assert str(PliantError("bad", field="\udc80", found="\udc80")).encode("utf-8")


def test_a_file_of_an_endless_name_is_told_in_a_line() -> None:
    assert len(PliantError("cannot be read", file="a" * 10**5).with_file()) < 250
