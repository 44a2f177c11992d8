"""Definition of a fit: parameters in their box, residuals of the logs, the judges. No search."""
