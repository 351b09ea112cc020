"""Annotation by the paper's protocol: triage, independent votes, cross-review, adjudication, versions (Appendix A.2, SPEC 10).

Nothing here can reach a run or a method: annotators are blind to systems by construction, and each opens only an own vote file.
"""

from proactmem.datasets.annotate.protocol import agree, import_labels, make_labels, make_queue, review, run_panel
from proactmem.datasets.annotate.session import LabellingSession
from proactmem.datasets.annotate.votes import Vote, append_vote, read_votes, vote_file

__all__ = [
    "LabellingSession",
    "Vote",
    "agree",
    "append_vote",
    "import_labels",
    "make_labels",
    "make_queue",
    "read_votes",
    "review",
    "run_panel",
    "vote_file",
]
