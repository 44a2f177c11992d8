"""Parts of the estimator's core by themselves, as plain Python, against least squares by NumPy."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from pliant.estimate.core import change, learning, resize
from pliant.estimate.core import state as core
from pliant.estimate.layout import new_buffers, stiffness_rows
from pliant.estimate.settings import EstimatorSettings, Joint

DT = 0.005
"""The antagonistic joint below has two terms of either spring, and three columns of friction."""


def core_of(kind: Any = "avsa", **settings: Any) -> tuple[core.EstimatorState, core.Options]:
    joint = Joint(kind=kind, basis=(1, 3) if kind == "avsa" else (1,))
    x, k = new_buffers([joint], "torque", DT, EstimatorSettings(**settings))
    return core.views(x, k), core.options(x)


def triangle(rows: np.ndarray) -> np.ndarray:
    return np.linalg.qr(rows, mode="r")


def filled(seed: int, apart: float = 1.0) -> tuple[core.EstimatorState, core.Options]:
    """Equations of springs before a change and since, with some noise; both move nearly alike where
    `apart` is small."""
    s, o = core_of()
    random, p = np.random.default_rng(seed), s.parameters.shape[1]
    x, parts = 1.0 + random.random(p), np.r_[np.repeat(random.uniform(0.5, 1.5, 2), 2), 1, 1, 1]
    for count, into, of in ((40, s.old[0], x), (30, s.fresh[0], parts * x)):
        rows = random.normal(size=(count, p))
        rows[:, 2:4] = rows[:, :2] + apart * rows[:, 2:4]
        whole = triangle(np.column_stack([rows, rows @ of + 0.3 * random.normal(size=count)]))
        into[:] = whole[: len(into)]
    s.parameters[0] = x + random.normal(size=p)
    s.memory[0, core.VARIANCE] = 0.03
    return s, o


def test_friction_that_the_rounding_of_its_sign_leaves_out_is_a_part_of_it() -> None:
    for friction in (True, False):
        s, o = core_of("sea", friction=friction)
        s.parameters[0] = [9.0, 9.0, 0.4, 9.0][: s.parameters.shape[1]]
        left_out = learning._rounded_friction(s, o, 0, np.array([0.0, 0.0, -0.25, 0.0]))  # pyright: ignore[reportPrivateUsage]
        assert left_out == (pytest.approx((0.4 * 0.75) ** 2) if friction else 0.0)


def combined(
    s: core.EstimatorState, o: core.Options, x: np.ndarray, parts: np.ndarray, unsure: float
) -> tuple[np.ndarray, np.ndarray]:
    """Springs by the equations of before and since, and R'R: the covariance of the old ones grows by
    that of either spring's size."""
    R = s.old[0, :, :-1] / np.r_[np.repeat(parts, 2), np.ones(3)]
    a, b = np.zeros((2, 7))
    a[:2], b[2:4] = x[:2], x[2:4]
    spread = unsure**2 / (o.window * s.memory[0, core.VARIANCE])
    H = np.linalg.inv(np.linalg.inv(R.T @ R) + spread * (np.outer(a, a) + np.outer(b, b)))
    new, y = s.fresh[0, :-1, :-1], s.fresh[0, :-1, -1]
    h = H @ np.linalg.solve(R, s.old[0, :, -1]) + new.T @ y
    return np.linalg.solve(H + new.T @ new, h), H + new.T @ new


def corrected(s: core.EstimatorState, x: np.ndarray, parts: np.ndarray) -> tuple[np.ndarray, float]:
    """Parts by the old equations for these springs, and what all equations leave."""
    R, z = s.old[0, :, :-1], s.old[0, :, -1]
    A = np.stack([R[:, :2] @ x[:2], R[:, 2:4] @ x[2:4]], 1) / parts
    e = A.sum(1) + R[:, 4:] @ x[4:] - z
    by = np.linalg.lstsq(A, e, rcond=None)[0]
    fresh = s.fresh[0, :, :-1] @ x - s.fresh[0, :, -1]
    left = float(np.sum((e - A @ by) ** 2) + np.sum(fresh**2))
    return np.clip(parts * (1.0 + by), 0.1, 10.0), left


def fitted(
    s: core.EstimatorState, o: core.Options, parts: np.ndarray, rounds: int
) -> tuple[np.ndarray, np.ndarray, float]:
    x = np.linalg.solve(s.old[0, :, :-1], s.old[0, :, -1]) * np.r_[np.repeat(parts, 2), 1, 1, 1]
    left = 0.0
    for _ in range(rounds):
        x, _ = combined(s, o, x, parts, 1.0)
        parts, left = corrected(s, x, parts)
    return combined(s, o, x, parts, 1.0)[0], parts, left


@pytest.mark.parametrize(
    ("parts", "size"), [((0.7, 1.2), 1.0), ((0.11, 9.9), 30.0), ((0.11, 9.9), 0.01)]
)
@pytest.mark.parametrize("seed", range(3))
def test_parts_of_both_springs_are_corrected_as_least_squares_do(
    seed: int, parts: tuple[float, float], size: float
) -> None:
    s, _ = filled(seed)
    s.parameters[:] *= size
    s.sizes[0, [core.PART_A, core.PART_B]] = parts
    expected, left = corrected(s, s.parameters[0], np.array(parts))
    assert resize._correct(s, 0) == pytest.approx(left, rel=1e-8)  # pyright: ignore[reportPrivateUsage]
    np.testing.assert_allclose(s.sizes[0, [core.PART_A, core.PART_B]], expected, rtol=1e-9)


def test_parts_that_are_taken_over_leave_the_springs_nearly_sure() -> None:
    s, o = filled(0)
    parts = np.array([0.7, 1.2])
    x, _, _ = fitted(s, o, parts, 0)
    old = np.linalg.solve(s.old[0, :, :-1], s.old[0, :, -1]) * np.r_[np.repeat(parts, 2), 1, 1, 1]
    x, total = combined(s, o, old, parts, 0.03)
    resize.take(s, o, 0, *parts)
    np.testing.assert_allclose(s.parameters[0], x, rtol=1e-9)
    np.testing.assert_allclose(s.info[0, :, :-1].T @ s.info[0, :, :-1], total, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(("a", "b"), [(0.2, 1.1), (1.1, 0.3), (0.9, 0.8), (0.4, 3.0)])
@pytest.mark.parametrize("seed", range(3))
def test_parts_are_found_from_the_best_of_four_starts(seed: int, a: float, b: float) -> None:
    s, o = filled(seed, 0.1)
    part = a if abs(a - 1.0) > abs(b - 1.0) else b
    starts = [(a, b), (part, 1.0), (1.0, part), (part, part)]
    found = [fitted(s, o, np.array(start), 6) for start in starts]
    best = min(found, key=lambda one: one[2])
    x, parts, _ = fitted(s, o, best[1], 2)
    resize.begin(s, o, 0, a, b, 40.0)
    np.testing.assert_allclose(s.sizes[0, :2], parts, rtol=1e-7)
    np.testing.assert_allclose(s.parameters[0], x, rtol=1e-6)


class Watch:
    """The watch for changes over again: equations in a list, explanations by least squares."""

    def __init__(self, s: core.EstimatorState, o: core.Options) -> None:
        self.o, self.x, self.length = o, s.parameters[0].copy(), s.kernels.shape[1]
        self.first = np.array([term[0] == 0 for term in s.terms[0]])
        self.ref = max(s.memory[0, core.VARIANCE], o.floor**2)
        self.tick, self.kept, self.told = 0, -1, list[tuple[int, float, float]]()
        self.clear()

    def clear(self) -> None:
        self.doubt = self.age = self.started = self.since = self.part = 0.0
        self.which, self.skipped, self.strong = "", 0, False
        self.rows: list[tuple[np.ndarray, float, float, float]] = []

    def add(self, k: int, row: np.ndarray, error: float, spread: float, speed: float) -> None:
        self.tick += 1
        if self.tick % 4:
            return
        ratio, apart = error**2 / (spread * self.ref), 4 * DT
        self.doubt += min(ratio, 6.0) - 2.0
        if self.doubt <= 0.0:
            self.clear()
            self.kept = k
            return
        self.doubt, self.age = min(self.doubt, 0.5 / apart), self.age + apart
        if not self.strong and ratio > 20.0:
            self.strong, self.skipped, self.age, self.since, self.kept = True, 0, apart, 0.0, k
            self.rows = []
        if self.skipped * 4 < self.length:
            self.skipped, self.started = self.skipped + 1, self.age
            return
        self.rows.append((row.copy(), error, spread, speed))
        parts = self.judged()
        if parts and self.age - self.started > 0.4:
            self.told.append((k, *parts))

    def judged(self) -> tuple[float, float] | None:
        b, w = len(self.first), 0.99 ** np.arange(len(self.rows))[::-1]
        psi, e, spread, v = map(np.array, zip(*self.rows, strict=True))
        w = np.sqrt(w / spread)
        ones, y, torques = np.ones(len(e)), w * e, psi[:, :b] * self.x[:b]
        a, b = torques @ self.first, torques @ ~self.first
        two = bool(np.any(b))
        means = [ones] if two and self.o.friction else []

        def fit(*columns: np.ndarray) -> tuple[float, float]:
            """What is left of the residual, and the last column's part."""
            if not columns:
                return float(y @ y), 0.0
            X = w[:, None] * np.stack(columns, 1)
            found = np.linalg.lstsq(X, y, rcond=None)[0]
            return float(np.sum((y - X @ found) ** 2)), float(found[-1])

        explanations = {"both": (1.0, 1.0, a + b)}
        if two:
            explanations |= {"a": (1.0, 0.0, a), "b": (0.0, 1.0, b)}
        lefts = {name: fit(*means, of)[0] for name, (_, _, of) in explanations.items()}
        plain = min(fit(of)[0] for _, _, of in explanations.values())
        which = "both"
        if two and 3.0 * lefts["a"] < lefts["both"] and lefts["a"] < lefts["b"]:
            which = "a"
        elif two and 3.0 * lefts["b"] < lefts["both"]:
            which = "b"
        of_a, of_b, of = explanations[which]
        left, part = fit(*means, of)
        power = float(np.sum((w * of) ** 2))
        if means:
            power -= float(w**2 @ of) ** 2 / float(w @ w)
        if power <= 1e-9 * float((w * of) @ (w * of)):
            return None
        alone, whole, centred = fit(ones)[0], fit()[0], fit(*means)[0]
        other = min(alone, fit(*means, v)[0], fit(*means, np.sign(v))[0])
        noise, usual = self.ref * 0.5 * self.o.window / 4.0, float(w @ w) * self.ref
        deviation = np.sqrt(noise / power)
        if which != self.which or abs(part - self.part) > 0.2 * abs(part) + 2.0 * deviation:
            self.which, self.part, self.since = which, part, self.age
        chance = 1.5 * np.sqrt(2.0 * usual * noise)
        says = (
            self.age - self.since > 0.4,
            abs(part) > max(self.o.change, 4.0 * deviation),
            left - usual < 0.003 * (centred - usual) + chance,
            other - usual > 3.0 * max(left - usual, 0.0) and other - left > 16.0 * noise,
            centred - left > 0.01 * whole or alone - usual > 3.0 * max(plain - usual, 0.0),
        )
        return (part * of_a, part * of_b) if all(says) else None


CAUSES: dict[str, Callable[..., Any]] = {
    "both springs": lambda a, b, v, t: -0.3 * (a + b),
    "springs that soften slowly": lambda a, b, v, t: -0.08 * (a + b) * t,
    "one spring": lambda a, b, v, t: -0.4 * a,
    "the other": lambda a, b, v, t: 0.4 * b,
    "a small part": lambda a, b, v, t: -0.06 * (a + b),
    "a contact": lambda a, b, v, t: 0.2 + 0.0 * v,
    "friction": lambda a, b, v, t: 0.3 * v,
    "dry friction": lambda a, b, v, t: 0.2 * np.sign(v),
    "a push that swings": lambda a, b, v, t: 0.3 * np.sin(2.0 * t) + 0.05,
}


@pytest.mark.parametrize("kind", ["sea", "avsa"])
@pytest.mark.parametrize("friction", [True, False])
@pytest.mark.parametrize("cause", CAUSES)
def test_a_change_is_told_where_least_squares_say_so(
    monkeypatch: pytest.MonkeyPatch, kind: str, friction: bool, cause: str
) -> None:
    s, o = core_of(kind, friction=friction)
    p, random = s.parameters.shape[1], np.random.default_rng(7)
    s.parameters[0], s.memory[0, core.VARIANCE] = 1.0 + random.random(p), 4e-4
    b = len(s.terms[0])
    watch, told, now = Watch(s, o), list[tuple[int, float, float]](), 0
    monkeypatch.setattr(change, "_tell", lambda s, o, i, a, b: told.append((now, a, b)))
    t = np.arange(600) * DT
    rows = np.sin(np.outer(t, 2.0 + np.arange(p + 1)) + np.arange(p + 1)) + 0.3
    v = np.cos(1.7 * t) - 0.2
    torques = rows[:, :b] * s.parameters[0, :b]
    a, other = torques @ watch.first, torques @ ~watch.first
    size = np.where(t < 0.15, 0.0, np.where(t < 0.35, 0.1, 1.0))
    errors = size * CAUSES[cause](a, other, v, t) + 0.02 * random.normal(size=len(t))
    for now, (row, error, speed) in enumerate(zip(rows, errors, v, strict=True)):
        spread = 1.0 + 0.3 * abs(np.sin(now))
        s.info[0, 0, -1] = now
        change.watch(s, o, 0, row, float(error), spread, float(speed))
        watch.add(now, row, float(error), spread, float(speed))
        assert s.sums[0, core.AGE] == watch.age
        assert s.sums[0, core.DOUBT] == pytest.approx(watch.doubt, rel=1e-9)
    assert [k for k, _, _ in told] == [k for k, _, _ in watch.told]
    np.testing.assert_allclose(np.ravel(told), np.ravel(watch.told), rtol=1e-9, atol=1e-12)
    assert s.before[0, 0, p] == watch.kept
    np.testing.assert_array_equal(s.before[0, p], [*s.parameters[0], 4e-4])
    decay = 4.0 * 0.99 ** np.arange(len(watch.rows))[::-1]
    since = np.array([row for row, *_ in watch.rows])
    gram = s.pending[0].T @ s.pending[0]
    np.testing.assert_allclose(gram, (since.T * decay) @ since, rtol=1e-9, atol=1e-9)


def test_a_change_that_is_told_leaves_the_springs_of_before_times_their_parts() -> None:
    s, o = core_of()
    p, random = s.parameters.shape[1], np.random.default_rng(3)
    x, parts = 1.0 + random.random(p), np.array([0.7, 0.7, 1.0, 1.0, 1.0, 1.0, 1.0])
    old, new = random.normal(size=(2, 40, p))
    s.before[0, :p] = triangle(np.column_stack([old, old @ x]))[:p]
    s.before[0, p] = [*x, 1e-4]
    s.pending[0] = triangle(np.column_stack([new, new @ (parts * x)]))
    s.parameters[0], s.memory[0, core.COUNT] = x, 60_000.0
    s.sums[0, [core.AGE, core.STARTED]] = 1.3, 0.3
    s.raw[:] = [0.3, 0.1, -0.2]
    at = np.array([0.3]), np.array([0.1, -0.2])
    slope = stiffness_rows(s, *at)[0]
    change._tell(s, o, 0, -0.27, 0.02)  # pyright: ignore[reportPrivateUsage]
    weight = np.sqrt(500.0 * 20.0 / 10_000.0)
    np.testing.assert_allclose(s.old[0], weight * s.before[0, :p], rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(s.parameters[0], parts * x, rtol=1e-6)
    before, after = slope @ x[:4], slope @ (parts * x)[:4]
    spread = np.linalg.inv(s.info[0, :, :p].T @ s.info[0, :, :p])[:4, :4]
    std = np.sqrt(o.window * 1e-4 * slope @ spread @ slope) / before
    np.testing.assert_allclose(
        s.out[[core.LEFT_A, core.LEFT_B, core.CHANGE, core.CHANGE_AGE, core.CHANGE_STD], 0],
        [0.7, 1.0, after / before - 1.0, 1.3, std],
        rtol=1e-6,
    )
    assert s.memory[0, core.COUNT] == 10_000.0
    assert s.sizes[0, core.GATHERED] == pytest.approx(1.0 / (4 * DT))
    assert not resize.again(s, o, 0)
    s.sizes[0, core.GATHERED] *= 1.1
    s.sizes[0, core.PART_A] = 0.75
    assert resize.again(s, o, 0)
    assert s.sizes[0, core.PART_A] == pytest.approx(0.7, rel=1e-4)
    assert not resize.again(s, o, 0)
