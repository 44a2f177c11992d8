"""Recordings of robots as other programs write them: datasets, bags, logs of makers' SDKs."""
