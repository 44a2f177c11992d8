"""Equations as the docstrings of laws write them, in TeX.

    budget = M1 + s K_cs,   s = exp(-|v / v_s|^alpha)

Only the form changes: subscripts, Greek letters, fractions, roots. A slash between spaces divides the
whole product before it, a tight one the single factor; words that are no symbol stay words.
"""

import re

GREEK = {
    name: f"\\{name}"
    for name in "alpha beta gamma delta epsilon theta lambda mu pi sigma tau omega".split()
} | {"phi": r"\varphi", "om": r"\omega", "th": r"\theta", "alpha_i": r"\alpha_i"}
FUNCTIONS = {
    name: f"\\{name}" for name in "sin cos tan sinh cosh tanh atanh exp max min".split()
} | {name: f"\\mathrm{{{name}}}" for name in ("clip", "sign", "round", "floor", "abs", "sat")}
OPERATORS = {
    "+-": r"\pm ",
    "-+": r"\mp ",
    "->": r"\to ",
    "=>": r"\Rightarrow ",
    "<=": r"\le ",
    ">=": r"\ge ",
    "...": r"\ldots ",
    "*": r"\cdot ",
}
PROSE = set(
    "if for else then when at of to beyond below above within only while and within against".split()
)
"""Words that end a product; any other word may be a factor: duty U."""
CITED = re.compile(r"\b(servos_and_friction|compliant_actuators): (.+)$")
_TOKEN = re.compile(
    r"(?P<slope>d2?[A-Za-z]+(?:_\w+)?/d[a-z]+(?:_?\d|_\w+)?2?\b)"
    r"|(?P<number>\d+(?:\.\d+)?(?:e-?\d+)?)"
    r"|(?P<name>[A-Za-z]\w*)"
    r"|(?P<operator>\+-|-\+|->|=>|<=|>=|\.\.\.|[-+=<>*^|(),;:.'/])"
    r"|(?P<space>\s+)"
    r"|(?P<other>.)"
)


def citation(line: str) -> tuple[str, str, str]:
    """A line without its citation; the page and the section that it names, or nothing."""
    found = CITED.search(line)
    if found is None:
        return line.strip(), "", ""
    parts = found[2].split(", ")
    sections = [part for part in parts if "=" not in part]
    rest = ", ".join(part for part in parts if "=" in part)
    before = line[: found.start()].rstrip(" (")
    return ", ".join(part for part in (before.strip(), rest) if part), found[1], ", ".join(sections)


def tex(line: str) -> str:
    """One line of a docstring's equations in TeX."""
    tokens = [(m.lastgroup or "other", m[0]) for m in _TOKEN.finditer(line)]
    return _Reader(tokens, differentials=bool(re.search(r"\bdt\b", line))).sequence("")


def symbol(name: str, *, differentials: bool = False) -> str | None:
    """`name` in TeX, or None for a word."""
    for marks, accent in (("dd", r"\ddot"), ("d", r"\dot")):
        inner = name.removeprefix(marks)
        if inner != name and inner and (found := _plain(inner)):
            d = r"\mathrm{d}" * len(marks)
            return f"{d}{found}" if differentials else f"{accent}{{{found}}}"
    return _plain(name)


def _plain(name: str) -> str | None:
    head, underscore, tail = name.partition("_")
    if not underscore and (split := re.fullmatch(r"([A-LN-Za-z])(\d+)", name)):
        head, tail = split[1], split[2]
    letter = GREEK.get(head) or (head if len(head) == 1 else None)
    if letter is None:
        return None
    if not tail:
        return letter
    small = tail.replace("_", r"\,")
    return f"{letter}_{{{small}}}" if len(tail) == 1 else f"{letter}_{{\\mathrm{{{small}}}}}"


class _Reader:
    """Reads tokens from left to right; a product is what stands between two operators."""

    def __init__(self, tokens: list[tuple[str, str]], *, differentials: bool) -> None:
        self.tokens, self.at, self.differentials = tokens, 0, differentials

    def sequence(self, close: str) -> str:
        """All up to `close`."""
        out: list[str] = []
        product: list[str] = []
        words: list[str] = []

        def end_words() -> None:
            if words:
                text = " ".join(words).replace("_", r"\_")
                product.append(rf"\;\text{{{text}}}\;")
                ends = words[-1] in PROSE
                words.clear()
                if ends:
                    out.append(" ".join(product))
                    product.clear()

        def end_product() -> None:
            end_words()
            out.append(" ".join(product))
            product.clear()

        while self.at < len(self.tokens):
            kind, text = self.tokens[self.at]
            if text == close:
                break
            if kind == "space":
                self.at += 1
            elif text == "/":
                end_words()
                spaced = self.tokens[self.at - 1][0] == "space"
                over = " ".join(product) if spaced else product[-1]
                kept = [] if spaced else product[:-1]
                self.at += 1
                under = self.factor()
                product[:] = [*kept, rf"\frac{{{_bare(over)}}}{{{_bare(under)}}}"]
            elif kind == "name" and self._is_word(text):
                if text in PROSE and not words:
                    end_product()
                words.append(text)
                self.at += 1
            elif text == "sum":
                end_product()
                out.append(r"\sum ")
                self.at += 1
            elif kind in ("name", "number", "slope") or text in "(|":
                end_words()
                product.append(self.factor())
            else:
                end_product()
                out.append(self._operator(text, close))
                self.at += 1
        end_product()
        return " ".join(part for part in out if part).strip()

    def _operator(self, text: str, close: str) -> str:
        if text == ",":
            return "," if close else r",\quad "
        if text in (";", ":"):
            return text + r"\quad "
        return OPERATORS.get(text, text)

    def _is_word(self, name: str) -> bool:
        after = self.tokens[self.at + 1][1] if self.at + 1 < len(self.tokens) else ""
        known = name in FUNCTIONS or name in ("sqrt", "sum", "mod") or after in ("(", "^")
        return not known and symbol(name) is None

    def factor(self) -> str:
        """A number, symbol, call, bracket or absolute value, with its exponent."""
        while self.tokens[self.at][0] == "space":
            self.at += 1
        kind, text = self.tokens[self.at]
        self.at += 1
        if kind == "slope":
            found = _slope(text)
        elif text == "|":
            found = rf"\left| {self._inside('|')} \right|"
        elif text == "(":
            found = rf"\left( {self._inside(')')} \right)"
        elif kind == "name":
            found = self._name(text)
        else:
            found = text
        if self.at < len(self.tokens) and self.tokens[self.at][1] == "^":
            self.at += 1
            found = f"{found}^{{{self.factor()}}}"
        return found

    def _inside(self, close: str) -> str:
        inner = self.sequence(close)
        self.at += 1
        return inner

    def _name(self, name: str) -> str:
        called = self.at < len(self.tokens) and self.tokens[self.at][1] == "("
        if name == "sqrt" and called:
            self.at += 1
            return rf"\sqrt{{{self._inside(')')}}}"
        if name == "mod":
            return r"\bmod "
        escaped = name.replace("_", r"\_")
        head = FUNCTIONS.get(name) or symbol(name, differentials=self.differentials)
        head = head or rf"\text{{{escaped}}}"
        if called and name in FUNCTIONS:
            self.at += 1
            return rf"{head}\left( {self._inside(')')} \right)"
        return head


def _bare(text: str) -> str:
    """Without the brackets that a fraction makes superfluous."""
    opened, closed = r"\left( ", r" \right)"
    whole = text.startswith(opened) and text.endswith(closed)
    inner = text[len(opened) : -len(closed)]
    depth = 0
    for part in re.findall(r"\\left\(|\\right\)", inner):
        depth += 1 if part == r"\left(" else -1
        whole = whole and depth >= 0
    return inner if whole else text


def _slope(text: str) -> str:
    over, _, under = text.partition("/")
    second = over.startswith("d2")
    over, under = over.removeprefix("d2" if second else "d"), under.removeprefix("d")
    if second:
        under = under.removesuffix("2")
        return rf"\frac{{\partial^2 {symbol(over) or over}}}{{\partial {_plain(under)}^2}}"
    return rf"\frac{{\partial {symbol(over) or over}}}{{\partial {_plain(under) or under}}}"
