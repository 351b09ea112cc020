"""The three memory layers of the method, over frozen types: what is held, what is asked, what is checked (SPEC 2-5)."""
