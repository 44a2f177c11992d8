"""Which model to take: candidates, folds held out, workers. No search of its own."""
