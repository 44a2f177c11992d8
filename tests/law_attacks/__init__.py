"""Files that try to run something, to grow without end, or to be something else than was checked.

Every one is refused with one error that names the file, and nothing runs: the docs list them
(docs/explanation/own_laws.md). What Python would make of an attack is not asked: the marker would
tell.
"""
