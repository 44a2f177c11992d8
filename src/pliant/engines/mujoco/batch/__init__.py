"""Many simulations of one attached model: candidates, trials, recorded commands. No callbacks."""
