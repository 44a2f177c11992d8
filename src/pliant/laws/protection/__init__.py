"""Protection of a servo by its firmware, which reduces the output or cuts it. No controller."""
