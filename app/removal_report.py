"""What a removal of a person's data takes out, and took out, in sentences for the window and the terminal."""

from annotation.project.removal import RemovalPlan, RemovalReport


def plan_sentences(plan: RemovalPlan) -> tuple[str, ...]:
    """Return exactly what would be removed, and what would not."""
    sentences = [
        f"{_counted(plan.revisions, 'step')} of “{plan.person}” in {_counted(plan.documents, 'conversation')}."
    ]
    if plan.set_aside:
        sentences.append(f"{_counted(plan.set_aside, 'step')} that a rescue has set aside.")
    if plan.mappings:
        sentences.append(
            f"The name at {_counted(plan.mappings, 'change')} of speakers’ channels; the change itself stays, since "
            "labels of others rest on it."
        )
    sentences.append(
        f"{_counted(len(plan.backups), 'backup')} with work of “{plan.person}” will be rewritten without it."
        if plan.backups
        else "No sound backup holds anything of this person."
    )
    if plan.damaged_backups:
        sentences.append(f"{_counted(len(plan.damaged_backups), 'damaged backup')} will be deleted.")
    sentences += [
        "Not searched: the name in texts and comments of others, in names of speakers, in audio, in events imported "
        "from files, and in copies or exports elsewhere, rescued projects among them.",
        "Nothing brings this back: no undo, no backup.",
    ]
    return tuple(sentences)


def removal_sentences(report: RemovalReport) -> tuple[str, ...]:
    """Return what was removed."""
    sentences = [
        f"{_counted(report.revisions, 'step')} removed; {_counted(report.backups_rewritten, 'backup')} rewritten, "
        f"{_counted(report.backups_deleted, 'damaged backup')} deleted."
    ]
    if not report.erased:
        sentences.append(
            "Another Floorscope has the project open, so bytes of it may be left in the log. Close it there and remove "
            "once more."
        )
    return tuple(sentences)


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
