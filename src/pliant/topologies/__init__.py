"""The wiring between laws: a port for any law of a family. No law in particular, no numbers of devices."""
