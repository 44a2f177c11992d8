"""Power stages: the voltage that arrives while a current is drawn. No motor."""
