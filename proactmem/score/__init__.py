"""Scores from final decisions and reference labels (SPEC 9)."""
