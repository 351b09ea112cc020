"""Simulated lives: the seeded, embedded default source of every scope that has one.

A life comes first, what its sensors or archives saw of it second, the reference labels third.
"""

from proactmem.datasets.simulate.code import CodeSimulation, simulate_code
from proactmem.datasets.simulate.home import HomeSimulation, simulate_home
from proactmem.datasets.simulate.sports import SportsSimulation, simulate_sports

__all__ = ["CodeSimulation", "HomeSimulation", "SportsSimulation", "simulate_code", "simulate_home", "simulate_sports"]
