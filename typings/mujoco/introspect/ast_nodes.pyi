from typing import Any

class ArrayType:
    inner_type: Any
    extents: tuple[int, ...]

class PointerType: ...

class AnonymousStructDecl:
    fields: tuple[Any, ...]
