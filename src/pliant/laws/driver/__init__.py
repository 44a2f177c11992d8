"""Power stages: the supply voltage that is left while a current is drawn. No motor."""
