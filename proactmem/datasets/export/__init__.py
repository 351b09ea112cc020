"""A dataset for others: built folders out as Parquet with a card, Croissant and a leak check, and back in again."""

from proactmem.datasets.export.check import CheckReport, check_dataset
from proactmem.datasets.export.dataset import export_dataset
from proactmem.datasets.export.layout import Manifest, read_manifest
from proactmem.datasets.export.loading import import_part, load_dataset_streams
from proactmem.datasets.export.words import Words

__all__ = [
    "CheckReport",
    "Manifest",
    "Words",
    "check_dataset",
    "export_dataset",
    "import_part",
    "load_dataset_streams",
    "read_manifest",
]
