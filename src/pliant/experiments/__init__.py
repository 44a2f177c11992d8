"""Experiments of published papers, a room for each paper, and `support`. Only these recipes: nothing
that a robot needs lives here.
"""
