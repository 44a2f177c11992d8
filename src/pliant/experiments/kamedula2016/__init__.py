"""Recipes of Kamedula et al. 2016 (series-elastic joints of CENTAURO)."""
