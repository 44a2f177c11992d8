"""The side of the play on which the encoder turns. No resolution (`sensing`)."""
