"""The side of the play that the encoder is on. No resolution (`sensing`)."""
