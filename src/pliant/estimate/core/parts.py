"""Compiler of functions that run only inside others: neither optimised nor made machine code by themselves.

Numba optimises each function with all that it calls, and again in each of its callers. Through the
levels of the estimator's core that is three quarters of the time its compilation takes.
"""

from typing import Any

from numba.core import codegen, compiler

_codegen: Any = codegen  # it declares no types


class _NoEnvironment:
    """Takes the place of a code generator's: of names that only Python functions would need."""

    def set_env(self, name: str, environment: Any) -> None:
        pass


class _Part(_codegen.JITCodeLibrary):
    """Code as it was lowered, for callers to take into their own."""

    codegen = _NoEnvironment()

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        self._ensure_finalized()
        return 0


class PartCompiler(compiler.Compiler):
    """Pipeline for `njit(pipeline_class=…)`."""

    def define_pipelines(self) -> list[Any]:
        """Numba's own, into a library of another kind."""
        state: Any = self.state
        state.library = _Part(state.targetctx.codegen(), state.func_id.func_qualname)
        return super().define_pipelines()
