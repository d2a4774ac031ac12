"""The lead's desk: what the Study menu does for a lead, and the page that shows how far everybody is."""

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QMessageBox, QWidget

from annotation.cancellation import CancelToken, Progress, share_of
from annotation.errors import FloorscopeError
from annotation.project.project import Project
from annotation.study.design import StudyDesign
from annotation.study.lead_lock import is_locked, opens, set_passphrase
from annotation.study.merge import merge_pack
from annotation.study.pack import PackEstimate, PackReport, estimate_pack, planned_bytes, write_pack
from annotation.study.pack_tables import PACK_SUFFIX
from annotation.study.records import SeatStatus, StudyRecords
from app.actions import ActionSet
from app.project_host import ProjectHost
from app.study_choices import material_in
from app.study_dialogs import ReplaceDialog, SetLockDialog, SubmissionsDialog, UnlockDialog
from app.study_text import (
    estimate_sentence,
    merge_sentences,
    pack_sentence,
    size_text,
    workload_sentences,
)
from app.study_wizard import StudyWizard
from app.workspaces.study import StudyPage

PACK_FILTER = f"Floorscope pack (*{PACK_SUFFIX})"
NO_STUDY = "This project has no study yet: Study → New study makes one."


class StudyDesk:
    """What a lead does in one window.

    Parameters
    ----------
    show
        Shows a page in the window.
    leave
        Goes back to the conversations.
    sign_in
        Opens the annotator's page on a seat: path, annotator, study.
    """

    def __init__(
        self,
        *,
        window: ProjectHost,
        actions: ActionSet,
        show: Callable[[QWidget], None],
        leave: Callable[[], None],
        sign_in: Callable[[Path, str, str], None],
    ) -> None:
        self._window = window
        self._actions = actions
        self._show = show
        self._leave = leave
        self._sign_in = sign_in
        self._study = ""
        self._unlocked: Project | None = None
        self._extent: tuple[int, ...] = ()
        self.page: StudyPage | None = None

    def handlers(self) -> dict[str, Callable[[], object]]:
        """Return what actions of the Study menu mean to a lead."""
        return {
            "study.lead": self.open,
            "study.new": self.new_study,
            "study.pack": self.pack,
            "study.merge": self.choose_packs,
            "study.open_as": self.open_as,
            "study.replace": self.replace,
            "study.submissions": self.submissions,
            "study.extend": self.extend,
            "study.lock": self.lock,
            "study.leave": self._leave,
        }

    # The page

    def open(self) -> bool:
        """Show the lead's page, after the passphrase where one is set; False if it stays closed."""
        project = self._window.project
        if project is None or not self._unlock(project):
            return False
        if not StudyRecords(project).studies():
            self._window.say(NO_STUDY)
            return False
        if self.page is None:
            names = [*self.handlers()]
            self.page = StudyPage(actions={name: self._actions[name] for name in names})
            self.page.study_chosen.connect(self._choose)
            self.page.packs_dropped.connect(self.merge)
        self._extent = ()
        self.refresh()
        self._show(self.page)
        self.page.table.setFocus()
        return True

    def refresh(self) -> None:
        """Show how far everybody is now, if something was entered since."""
        project = self._window.project
        if project is None or self.page is None:
            return
        records = StudyRecords(project)
        extent = records.extent()
        if extent == self._extent:
            return
        studies = records.studies()
        if not studies:
            return
        self._extent = extent
        if self._study not in {study.id for study in studies}:
            self._study = studies[-1].id
        self.page.show_status(records.status(self._study), [(study.id, study.name) for study in studies])

    def follow(self) -> None:
        """Look, while the page is shown, whether anything was entered; for polling."""
        if self.page is not None and self.page.isVisible():
            self.refresh()

    def forget(self) -> None:
        """Forget the project that was open, and that its page was unlocked."""
        self._unlocked = None
        self._study = ""
        self._extent = ()

    def _choose(self, study: str) -> None:
        self._study = study
        self._again()

    def _again(self) -> None:
        self._extent = ()
        self.refresh()

    def _unlock(self, project: Project) -> bool:
        if self._unlocked is project or not is_locked(project):
            return True
        dialog = UnlockDialog(parent=self._window.widget)
        while dialog.exec():
            if opens(project, dialog.field.text()):
                self._unlocked = project
                return True
            dialog.refuse()
        return False

    def _at_desk(self) -> tuple[Project, SeatStatus] | None:
        """Return the project and the seat that is selected; the page is opened first where it is not."""
        if self.page is None or not self.page.isVisible():
            self.open()
        project, seat = self._window.project, self.page.seat if self.page is not None else None
        if project is None or seat is None:
            return None
        return project, seat

    # What a lead does

    def new_study(self) -> None:
        """Ask for a design in the wizard, and draw it in the background."""
        project = self._window.project
        if project is None or not self._unlock(project):
            return
        records = StudyRecords(project)

        def plan(design: StudyDesign) -> Sequence[str]:
            work, found = records.workload(design), records.material(design)
            known = {summary.id: project.conversation(summary.id) for summary in project.conversations()}
            size = size_text(planned_bytes(design, found.items, known, work.presentations, self._window.audio_cache))
            left_out = [f"{notice.where}: {notice.message}" for notice in found.notices]
            return (*workload_sentences(work), f"A pack for another machine will have about {size}.", *left_out)

        wizard = StudyWizard(material=material_in(project), plan=plan, parent=self._window.widget)
        wizard.accepted.connect(lambda: self._draw(project, records, wizard.design))
        wizard.finished.connect(lambda _: wizard.deleteLater())
        wizard.open()

    def _draw(self, project: Project, records: StudyRecords, design: StudyDesign) -> None:
        person = self._window.person

        def finish(made: str) -> None:
            if self._window.project is project:
                self._study = made
                self.open()
                self._window.say(f"The study “{design.name}” is drawn.")

        self._window.tasks.submit(
            "Drawing the study",
            lambda token, progress: records.create(design, person)[0].id,
            on_done=finish,
            on_error=self._window.on_error,
        )

    def pack(self) -> None:
        """Say how large a pack will be, ask where, and write it in the background."""
        at_desk = self._at_desk()
        if at_desk is None:
            return
        project, seat = at_desk
        cache, study = self._window.audio_cache, self._study
        self._window.tasks.submit(
            f"Measuring the pack of {seat.seat.annotator}",
            lambda token, progress: estimate_pack(project, seat.seat, cache, token, study),
            on_done=lambda estimate: self._ask_where(project, seat, estimate),
            on_error=self._window.on_error,
        )

    def _ask_where(self, project: Project, seat: SeatStatus, estimate: PackEstimate) -> None:
        if self._window.project is not project:
            return
        parent, annotator = self._window.widget, seat.seat.annotator
        question = f"{estimate_sentence(estimate)} It holds what {annotator} may see, and nothing else."
        answer = QMessageBox.question(
            parent,
            f"Pack for {annotator}",
            question,
            QMessageBox.StandardButton.Save | QMessageBox.StandardButton.Cancel,
            QMessageBox.StandardButton.Save,
        )
        if answer != QMessageBox.StandardButton.Save:
            return
        suggestion = str(project.path.with_name(f"{project.path.stem}-{annotator}{PACK_SUFFIX}"))
        # A pack is never written over: the one that is there may hold answers.
        options = QFileDialog.Option.DontConfirmOverwrite
        name, _ = QFileDialog.getSaveFileName(parent, f"Pack for {annotator}", suggestion, PACK_FILTER, options=options)
        if name:
            self.write(project, seat, Path(name if name.endswith(PACK_SUFFIX) else f"{name}{PACK_SUFFIX}"))

    def write(self, project: Project, seat: SeatStatus, out: Path) -> None:
        """Write a seat's pack in the background, and say what was written."""
        cache, study = self._window.audio_cache, self._study

        def finish(report: PackReport) -> None:
            self._window.say_notices(
                [pack_sentence(report), *(f"{notice.where}: {notice.message}" for notice in report.notices)]
            )

        self._window.tasks.submit(
            f"Packing for {seat.seat.annotator}",
            lambda token, progress: write_pack(project, seat.seat, out, cache, token, progress, study),
            on_done=finish,
            on_error=self._window.on_error,
        )

    def choose_packs(self) -> None:
        """Ask for packs and merge them."""
        names, _ = QFileDialog.getOpenFileNames(self._window.widget, "Merge packs", "", PACK_FILTER)
        self.merge([Path(name) for name in names])

    def merge(self, packs: Sequence[Path]) -> None:
        """Bring packs home in the background, and say what each one brought."""
        project = self._window.project
        if project is None or not packs:
            return

        def work(token: CancelToken, progress: Progress) -> list[str]:
            said: list[str] = []
            for place, pack in enumerate(packs):
                try:
                    said += merge_sentences(merge_pack(project, pack, token, share_of(progress, place, len(packs))))
                except FloorscopeError as error:
                    # One file that is no pack costs itself, and the others are merged.
                    said.append(str(error))
            return said

        def finish(said: list[str]) -> None:
            self._window.say_notices(said)
            self._again()

        self._window.tasks.submit("Merging packs", work, on_done=finish, on_error=self._window.on_error)

    def open_as(self) -> None:
        """Open the annotator's page on the seat that is selected."""
        at_desk = self._at_desk()
        if at_desk is not None:
            project, seat = at_desk
            self._sign_in(project.path, seat.seat.annotator, self._study)

    def replace(self) -> None:
        """Ask who takes the selected seat over."""
        at_desk = self._at_desk()
        if at_desk is None:
            return
        project, seat = at_desk
        records = StudyRecords(project)
        dialog = ReplaceDialog(
            leaving=seat.seat.annotator,
            submitted=seat.submitted,
            names=[known.annotator for known in records.seats(self._study)],
            parent=self._window.widget,
        )
        if dialog.exec():
            arriving = records.replace(seat.seat.id, dialog.annotator, keeps=dialog.keeps.isChecked())
            self._window.say(f"{arriving.annotator} has the seat of {seat.seat.annotator} now.")
            self._again()

    def submissions(self) -> None:
        """List what was submitted, and send one back with a note."""
        project = self._window.project
        if project is None or not self.open():
            return
        records = StudyRecords(project)
        dialog = SubmissionsDialog(submissions=records.current(self._study), parent=self._window.widget)
        if dialog.exec() and dialog.chosen is not None:
            records.reopen(dialog.chosen.submission.id, self._window.person, dialog.text)
            self._window.say(
                f"Sent back to {dialog.chosen.annotator}. A pack that is out does not know it: send a new one."
            )
            self._again()

    def extend(self) -> None:
        """Draw what is new in the project, after asking."""
        project = self._window.project
        if project is None or not self.open():
            return
        records = StudyRecords(project)
        answer = QMessageBox.question(
            self._window.widget,
            "Extend the study",
            "Items that came to the project since are drawn for every annotator, behind what they have. Nothing that "
            "exists changes. Packs that are out do not know them: send new ones.",
            QMessageBox.StandardButton.Ok | QMessageBox.StandardButton.Cancel,
        )
        if answer == QMessageBox.StandardButton.Ok:
            items, notices = records.extend(self._study)
            new = sum(not item.calibration for item in items)
            self._window.say_notices(
                [f"{new:,} items were added.", *(f"{notice.where}: {notice.message}" for notice in notices)]
            )
            self._again()

    def lock(self) -> None:
        """Set or take away the passphrase of the page."""
        project = self._window.project
        if project is None or not self._unlock(project):
            return
        dialog = SetLockDialog(locked=is_locked(project), parent=self._window.widget)
        if dialog.exec():
            set_passphrase(project, dialog.passphrase)
            self._unlocked = project
            self._window.say("The page asks for the passphrase." if dialog.passphrase else "The lock is taken away.")
