"""The commands of the annotation protocol: annotate triage, panel, agreement, review, adjudicate, import."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from proactmem.cli.shared import BackboneName, bar, names, resumable

if TYPE_CHECKING:
    from proactmem.datasets.annotate.versions import Version
    from proactmem.llm.backbone import Backbone

__all__ = ["annotate"]

annotate = typer.Typer(
    no_args_is_help=True, help="Label streams by the paper's protocol: votes of people (notebook 08) or of a model panel."
)

Data = Annotated[Path, typer.Option("--data", help="Built folder; labels in it are not opened.")]
Votes = Annotated[Path, typer.Option("--votes", help="Folder of the votes on it.")]
Labels = Annotated[Path, typer.Option("--out", help="Folder of the label versions.")]
Who = Annotated[str | None, typer.Option("--annotators", help="Pseudonyms with commas; all in the folder when left out.")]
Named = Annotated[BackboneName, typer.Option("--backbone", help="offline, or openai for any OpenAI-compatible service.")]
Model = Annotated[str | None, typer.Option(help="Model name of the service.")]
Address = Annotated[str | None, typer.Option("--base-url", help="Address of the service.")]
Guideline = Annotated[Path | None, typer.Option(help="The guideline that was followed; its hash is kept.")]


def _backbone(name: BackboneName, model: str | None, address: str | None) -> Backbone:
    from proactmem.llm.choose import choose_backbone

    return choose_backbone(name.value, model=model, base_url=address)


def _who(text: str | None) -> list[str] | None:
    return None if text is None else names(text)


def _told(version: Version) -> None:
    about = version.provenance
    without = f"; {about.without} events without" if about.without else ""
    typer.echo(f"{version.file}: version {about.version}, {about.labels} labels, {about.positive} intervene{without}")
    for line in about.agreement:
        typer.echo(line)


@annotate.command("triage")
def triage_command(
    data: Data,
    votes: Votes,
    backbone: Named = BackboneName.offline,
    model: Model = None,
    base_url: Address = None,
    hindsight: Annotated[bool, typer.Option("--hindsight", help="Order events one by one, not streams.")] = False,
) -> None:
    """Order the review queue by how promising a model finds each event; every event is still judged.

    Example: `proactmem annotate triage --data data/built/home --votes data/votes/home`
    """
    from proactmem.datasets.annotate import make_queue

    with resumable(), bar("event") as progress:
        queue = make_queue(data, votes, _backbone(backbone, model, base_url), hindsight=hindsight, progress=progress)
    typer.echo(f"{votes}: {len(queue)} events in the queue, {sum(not one.usable for one in queue)} without a usable score")


@annotate.command("panel")
def panel_command(
    data: Data,
    votes: Votes,
    annotators: Annotated[int, typer.Option(min=1, help="Annotators of the panel.")] = 3,
    temperature: Annotated[float, typer.Option(min=0, help="Of the sampling; at 0 a model repeats itself.")] = 0.7,
    backbone: Named = BackboneName.offline,
    model: Model = None,
    base_url: Address = None,
    jobs: Annotated[int, typer.Option(min=1, help="Requests at once.")] = 1,
) -> None:
    """Let a panel of models judge every event; labels that come of it say who judged.

    Example: `proactmem annotate panel --data data/built/home --votes data/votes/home --backbone openai --model NAME`
    """
    from proactmem.datasets.annotate import run_panel

    with resumable(), bar("vote") as progress:
        report = run_panel(
            data, votes, _backbone(backbone, model, base_url), annotators=annotators, temperature=temperature, jobs=jobs,
            progress=progress,
        )  # fmt: skip
    cut = f", {report.cut} on a history that was cut" if report.cut else ""
    typer.echo(f"{votes}: {report.votes} votes of {annotators} annotators, {report.missing} missing{cut}")


@annotate.command("agreement")
def agreement_command(votes: Votes, annotators: Who = None) -> None:
    """Fleiss' kappa and Krippendorff's alpha, with intervals, on y and where known on A, B and N.

    Example: `proactmem annotate agreement --votes data/votes/home`
    """
    from proactmem.datasets.annotate import agree

    for one in agree(votes, annotators=_who(annotators)):
        typer.echo(str(one))


@annotate.command("review")
def review_command(data: Data, votes: Votes, annotators: Who = None) -> None:
    """Write the events for cross-review: votes and notes side by side, without names.

    Example: `proactmem annotate review --data data/built/home --votes data/votes/home`
    """
    from proactmem.datasets.annotate import review
    from proactmem.datasets.annotate.protocol import REVIEW

    found = review(votes, data, annotators=_who(annotators))
    typer.echo(f"{votes / REVIEW}: {len(found)} events on which votes differ or are missing")


@annotate.command("adjudicate")
def adjudicate_command(data: Data, votes: Votes, out: Labels, annotators: Who = None, guideline: Guideline = None) -> None:
    """Make the next version of reference labels of the votes: the adjudicator's where there are some, else the majority.

    Example: `proactmem annotate adjudicate --data data/built/home --votes data/votes/home --out data/labels/home`
    """
    from proactmem.datasets.annotate import make_labels

    _told(make_labels(data, votes, out, annotators=_who(annotators), guideline=guideline))


@annotate.command("import")
def import_command(
    file: Annotated[Path, typer.Argument(help="A label file of any known form, such as reference_labels.csv.")],
    data: Data,
    out: Labels,
    guideline: Guideline = None,
) -> None:
    """Take a label file over as it stands, its votes too, as a version with provenance.

    Example: `proactmem annotate import uci_adl/reference_labels.csv --data data/built/home --out data/labels/home`
    """
    from proactmem.datasets.annotate import import_labels

    _told(import_labels(file, data, out, guideline=guideline))
