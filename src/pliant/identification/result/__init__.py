"""Result of a fit: the actuator with its new numbers and the record of how they came about."""
