"""The nouns: frozen types and pure functions, no model, no file, no clock."""
