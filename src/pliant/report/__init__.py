"""What came out of an identification, as one HTML file that needs nothing else."""
