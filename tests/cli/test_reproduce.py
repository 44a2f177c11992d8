"""`pliant reproduce`: the list, one experiment, and a name that there is not."""

from pathlib import Path

import pytest

from pliant.experiments.index import recipe, titles


def test_without_a_name_it_lists_the_experiments(pliant) -> None:
    ended = pliant("reproduce")
    assert ended.code == 0
    assert all(name in ended.out for name in titles())
    assert set(pliant("reproduce", "--json").json["experiments"]) == set(titles())


def test_every_experiment_is_called_like_its_file_and_says_what_it_is() -> None:
    for name in titles():
        module = recipe(name)
        assert Path(module.__file__ or "").stem == name.replace("-", "_")
        assert (name, titles()[name]) == (module.NAME, module.TITLE)


def test_an_unknown_name_is_refused_before_anything_runs(pliant, tmp_path) -> None:
    ended = pliant("reproduce", "sea_step", "step_respons", "--output", tmp_path / "out")
    assert ended.code == 1
    assert "unknown experiment; found 'step_respons'; did you mean 'step_response'" in ended.err
    assert not (tmp_path / "out").exists()


def test_what_was_done_is_reported_though_a_later_one_fails(pliant, tmp_path, monkeypatch) -> None:
    from pliant.errors import PliantError

    def refused(settings: object, folder: Path) -> None:
        raise PliantError("cannot be simulated here")

    monkeypatch.setattr(recipe("two_link_step"), "run", refused)
    asked = "qbmove_speed", "two_link_step", "--jobs", 1, "--output", tmp_path / "out"
    ended = pliant("reproduce", *asked)
    assert ended.code == 1
    assert "cannot be simulated here" in ended.err
    assert "speed of the motors" in ended.out
    assert (tmp_path / "out" / "qbmove_speed.png").stat().st_size > 10_000
    page = (tmp_path / "out" / "experiments.html").read_text("utf-8")
    assert "Parnenzini" in page and "data:image/png;base64," in page
    assert 'src="http' not in page


@pytest.mark.long
def test_two_at_once_are_what_they_are_one_after_the_other(pliant, tmp_path) -> None:
    names = "qbmove_stiffness", "qbmove_speed"
    both = [
        pliant("reproduce", *names, "--jobs", jobs, "--json", "--output", tmp_path / str(jobs))
        for jobs in (1, 2)
    ]
    assert [ended.code for ended in both] == [0, 0]
    alone, beside = ({n: one["rows"] for n, one in e.json["experiments"].items()} for e in both)
    assert list(beside) == list(names)
    assert alone == beside
    for name in names:
        assert (tmp_path / "2" / f"{name}.png").stat().st_size > 10_000
