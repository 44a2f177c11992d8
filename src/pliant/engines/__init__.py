"""What advances time: one room for each engine, and `spec` below them for what all need."""
