"""The three memory layers of the method, as pure functions over frozen types (SPEC 2-5)."""
