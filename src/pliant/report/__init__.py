"""Report of an identification, as one HTML file that needs nothing else."""
