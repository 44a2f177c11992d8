"""Selection of a model: candidates, folds held out, workers. No search of its own."""
