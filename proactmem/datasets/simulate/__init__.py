"""Simulated lives: the seeded, embedded default source of every scope that has one.

A life comes first, what the phone and the wristband saw of it second, the reference labels third.
"""

from proactmem.datasets.simulate.sports import SportsSimulation, simulate_sports

__all__ = ["SportsSimulation", "simulate_sports"]
