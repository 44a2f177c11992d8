"""Iterative learning control: better commands for a motion that is repeated."""

from pliant.learn.iteration import (
    Iteration,
    Learned,
    LearningSettings,
    NormOptimal,
    Proportional,
    ProportionalDerivative,
    Update,
    impulse_response,
    learn,
    learn_many,
    lifted,
)

__all__ = [
    "Iteration",
    "Learned",
    "LearningSettings",
    "NormOptimal",
    "Proportional",
    "ProportionalDerivative",
    "Update",
    "impulse_response",
    "learn",
    "learn_many",
    "lifted",
]
