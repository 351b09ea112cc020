"""`python -m proactmem` is the command line."""

from __future__ import annotations

from proactmem.cli import main

if __name__ == "__main__":
    main()
