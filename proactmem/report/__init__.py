"""Tables and figures: data first, renderings after."""
