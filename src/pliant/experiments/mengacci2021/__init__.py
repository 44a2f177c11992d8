"""Recipes of Mengacci et al. 2021 (the Gazebo toolbox for articulated soft robots)."""
