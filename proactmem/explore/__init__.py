"""Looking at one stream interactively: what a method saw at each event, what it decided, and why (SPEC 2 to 7)."""
