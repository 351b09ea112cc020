"""The one narrow door to a model."""
