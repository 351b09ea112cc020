"""Causal replay of streams through a method, durable and resumable."""
