"""Result of a fit: the actuator with its new numbers and the record of the fit."""
