"""Downloading the public sources, with their terms accepted first."""

from proactmem.fetch.fetching import FetchReport, fetch

__all__ = ["FetchReport", "fetch"]
