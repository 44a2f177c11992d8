from typing import Any

STRUCTS: dict[str, Any]
