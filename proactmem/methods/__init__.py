"""Methods: what is shown to the model, and what becomes of its answer (SPEC 6-8)."""
