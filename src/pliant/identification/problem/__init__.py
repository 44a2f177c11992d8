"""Definition of a fit: parameters and bounds, residuals of the logs, evaluation. No search."""
