from typing import Any

class ArrayType:
    inner_type: Any
    extents: tuple[int, ...]

class PointerType:
    inner_type: Any

class AnonymousStructDecl:
    fields: tuple[Any, ...]
