"""What a servo's firmware does to save the servo: less output, or none. No controller."""
