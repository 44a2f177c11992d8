"""Files from outside: logs, robot descriptions, actuator files."""
