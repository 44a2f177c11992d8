"""What becomes of a spring beyond its range. No spring of its own."""
