"""What comes from outside as files: logs, robot descriptions, actuator files."""
