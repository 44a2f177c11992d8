"""Cost of a function: its steps with those of all that it calls, which must end."""

import ast

from pliant.errors import PliantError
from pliant.subset.body import Body
from pliant.subset.kinds import Names, Signature

MOST = 100_000
"""Steps of one call, with all that it calls: a table of 80 by 50 nodes. Compilers write them all out,
at some 50 µs each."""


def check_functions(tree: ast.Module, names: Names) -> None:
    """Find the kinds in every function of a file, and refuse what has none.

    `names` has the functions' signatures already; their costs are entered.

    Raises:
        PliantError: with the line.
    """
    nodes = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    done: dict[str, int] = {}

    def cost(name: str, callers: tuple[str, ...], line: int) -> int:
        if name in callers:
            raise PliantError(
                "calls itself",
                field=f"line {line}",
                found=" -> ".join([*callers, name]),
                accepted="functions that end",
            )
        if len(callers) > 100:
            raise PliantError("calls too deeply", field=f"line {line}")
        if name not in done:
            body = Body(nodes[name], names)
            called = sum(
                cost(callee, (*callers, name), line) * times
                for callee, (times, line) in body.calls.items()
            )
            done[name] = body.steps + called
            if done[name] > MOST:
                raise PliantError(
                    "is too long, with all that it calls",
                    field=f"line {nodes[name].lineno}",
                    found=f"{name}(): {done[name]} steps",
                    accepted=f"at most {MOST}",
                )
        return done[name]

    for name, node in nodes.items():
        signature = names.functions[name]
        names.functions[name] = Signature(
            signature.arguments, signature.returns, cost(name, (), node.lineno)
        )
