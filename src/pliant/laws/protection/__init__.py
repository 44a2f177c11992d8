"""Care of a servo's firmware for the servo: less output, or none. No controller."""
