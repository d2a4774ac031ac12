"""The wizard that makes a study: the choices of ``floorscope study new``, and the workload before anything is drawn."""

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import (
    QButtonGroup,
    QCheckBox,
    QComboBox,
    QDoubleSpinBox,
    QFileDialog,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QPlainTextEdit,
    QPushButton,
    QRadioButton,
    QSpinBox,
    QSplitter,
    QTextBrowser,
    QVBoxLayout,
    QWidget,
    QWizard,
    QWizardPage,
)

from annotation.errors import FloorscopeError
from annotation.scheme import Scheme, preset_scheme, scheme_from_file
from annotation.study.design import (
    FEWEST_ANNOTATORS,
    GRID,
    LABELS,
    LONGEST_CONTEXT_S,
    MOST_ANNOTATORS,
    NEUTRAL,
    PRESETS,
    REFERENCE,
    StudyDesign,
)
from app.study_choices import DEFAULT_ANNOTATORS, StudyChoices, StudyMaterial

SCHEME_FILTER = "Scheme (*.json);;All files (*)"
GUIDELINES_FILTER = "Markdown (*.md *.txt);;All files (*)"
Plan = Callable[[StudyDesign], Sequence[str]]
"""Gives what a design would ask for, a sentence each; raises a FloorscopeError for one that cannot be drawn."""


def _note(text: str = "") -> QLabel:
    label = QLabel(text)
    label.setWordWrap(True)
    label.setForegroundRole(QPalette.ColorRole.PlaceholderText)
    return label


class _Page(QWizardPage):
    """A page that says below its fields what is still wrong; `fault` returns it."""

    def __init__(self, title: str, subtitle: str) -> None:
        super().__init__()
        self.setTitle(title)
        self.setSubTitle(subtitle)
        self.column = QVBoxLayout(self)
        self.wrong = QLabel()
        self.wrong.setWordWrap(True)
        self.wrong.setAccessibleName("What is still to be done")

    def finish_layout(self) -> None:
        """Put the line for faults at the bottom."""
        self.column.addWidget(self.wrong)

    def fault(self) -> str:
        """Return what is wrong with the fields in a sentence, or nothing."""
        return ""

    def refresh(self) -> None:
        """Show the fault there is now."""
        self.wrong.setText(self.fault())
        self.completeChanged.emit()

    def isComplete(self) -> bool:
        """Return whether one may go on."""
        return not self.fault()


class ItemsPage(_Page):
    """What is labelled, and by which kinds."""

    def __init__(self, material: StudyMaterial) -> None:
        super().__init__("What is labelled", "A study asks several people about the same items, each of them alone.")
        self._material = material
        self.scheme: Scheme | None = None
        self.preset = QComboBox()
        for key, preset in PRESETS.items():
            self.preset.addItem(preset.title, key)
        self.name = QLineEdit()
        self.scheme_name = QLabel()
        self.scheme_name.setWordWrap(True)
        self.scheme_button = QPushButton("Kinds from a &file…")
        self.scheme_button.setAutoDefault(False)
        self.scheme_button.setToolTip("Take the kinds, keys and questions of a scheme file instead of the preset’s.")
        self.reference = QRadioButton(f"&Reference events ({material.references:,} in this project)")
        self.grid = QRadioButton("&Stretches of equal length, for every speaker:")
        self.labels = QRadioButton("Imported &labels:")
        self._group = QButtonGroup(self)
        for button in (self.reference, self.grid, self.labels):
            self._group.addButton(button)
        self.grid_s = QDoubleSpinBox(decimals=1, minimum=0.5, maximum=600, value=10, suffix=" s")
        self.grid_s.setAccessibleName("Length of a stretch")
        self.source = QComboBox()
        self.source.setAccessibleName("Source of the labels")
        for name, count in material.labels.items():
            self.source.addItem(f"{name} ({count:,} events)", name)
        self.labels.setEnabled(bool(material.labels))
        self.source.setEnabled(bool(material.labels))
        (self.reference if material.references else self.grid).setChecked(True)
        self._lay_out()
        self.preset.currentIndexChanged.connect(self._on_preset)
        self.scheme_button.clicked.connect(self._choose_scheme)
        self._group.buttonToggled.connect(lambda *_: self.refresh())
        self._on_preset()

    def _lay_out(self) -> None:
        form = QFormLayout()
        form.addRow("&Preset", self.preset)
        form.addRow("&Name of the study", self.name)
        kinds = QHBoxLayout()
        kinds.addWidget(self.scheme_name, 1)
        kinds.addWidget(self.scheme_button)
        form.addRow("Kinds", kinds)
        self.column.addLayout(form)
        self.column.addSpacing(8)
        self.column.addWidget(QLabel("The items are"))
        self.column.addWidget(self.reference)
        for button, field in ((self.grid, self.grid_s), (self.labels, self.source)):
            row = QHBoxLayout()
            row.addWidget(button)
            row.addWidget(field)
            row.addStretch(1)
            self.column.addLayout(row)
        self.column.addStretch(1)
        self.finish_layout()

    @property
    def preset_id(self) -> str:
        """The id of the preset."""
        return str(self.preset.currentData())

    @property
    def origin(self) -> str:
        """Where the items come from."""
        if self.grid.isChecked():
            return GRID
        return LABELS if self.labels.isChecked() else REFERENCE

    def fault(self) -> str:
        """Return what is wrong, or nothing."""
        if not self._material.conversations:
            return "The project has no conversation yet: add audio first."
        if self.origin == REFERENCE and not self._material.references:
            return "The project has no reference events: import some, or take stretches of equal length."
        return ""

    def use_scheme(self, path: Path) -> None:
        """Take the kinds of a file; one that is no scheme is said."""
        try:
            self.scheme = scheme_from_file(path)
        except FloorscopeError as error:
            self.wrong.setText(str(error))
            return
        self._show_scheme(f"from {path.name}")
        self.refresh()

    def _choose_scheme(self) -> None:
        name, _ = QFileDialog.getOpenFileName(self, "Kinds from a scheme file", "", SCHEME_FILTER)
        if name:
            self.use_scheme(Path(name))

    def _on_preset(self) -> None:
        self.scheme = None
        self.name.setPlaceholderText(PRESETS[self.preset_id].title)
        self._show_scheme("")
        self.refresh()

    def _show_scheme(self, where: str) -> None:
        scheme = self.scheme or preset_scheme(PRESETS[self.preset_id].scheme)
        names = ", ".join(kind.name for kind in scheme.kinds)
        asks = [
            what for what, asked in (("holders", scheme.asks_holders), ("boundaries", scheme.asks_boundaries)) if asked
        ]
        also = f" Also asked: {' and '.join(asks)}." if asks else " Nothing else is asked."
        self.scheme_name.setText(f"{names}{f' ({where})' if where else ''}.{also}")


class PeoplePage(_Page):
    """Who labels, and how often."""

    def __init__(self) -> None:
        super().__init__("Who labels", "Everybody gets the same items in an order of their own.")
        self._rows: list[QLineEdit] = []
        self._people = QVBoxLayout()
        self.add_button = QPushButton("&Add an annotator")
        self.add_button.setAutoDefault(False)
        self.add_button.clicked.connect(lambda: self.add_person())
        self.repeats = QDoubleSpinBox(decimals=1, minimum=0, maximum=100, value=25, suffix=" %")
        self.context = QDoubleSpinBox(decimals=1, minimum=0, maximum=LONGEST_CONTEXT_S, value=10, suffix=" s")
        self.seed = QSpinBox(minimum=0, maximum=2**31 - 1)
        self.neutral = QCheckBox("Show “Speaker 1”, “Speaker 2” instead of the speakers’ &names")
        people = QHBoxLayout()
        people.addLayout(self._people, 1)
        self.column.addWidget(QLabel("Names, as they sign in. They stand in no other person’s window or pack."))
        self.column.addLayout(people)
        add = QHBoxLayout()
        add.addWidget(self.add_button)
        add.addStretch(1)
        self.column.addLayout(add)
        form = QFormLayout()
        form.addRow("Items met a second &time, unrecognisably", self.repeats)
        form.addRow("&Context on each side", self.context)
        form.addRow("S&eed of the draw", self.seed)
        self.column.addLayout(form)
        self.column.addWidget(self.neutral)
        self.column.addStretch(1)
        self.finish_layout()
        for _ in range(DEFAULT_ANNOTATORS):
            self.add_person()

    @property
    def names(self) -> tuple[str, ...]:
        """The names that were typed, in order; empty fields are left out."""
        return tuple(field.text().strip() for field in self._rows if field.text().strip())

    @property
    def fields(self) -> tuple[QLineEdit, ...]:
        """One field a person."""
        return tuple(self._rows)

    def add_person(self) -> None:
        """Add a field for one more person."""
        field = QLineEdit()
        field.setMaxLength(100)
        field.setPlaceholderText(f"Annotator {len(self._rows) + 1}")
        field.setAccessibleName(f"Annotator {len(self._rows) + 1}")
        field.textChanged.connect(lambda _: self.refresh())
        self._rows.append(field)
        self._people.addWidget(field)
        self.add_button.setEnabled(len(self._rows) < MOST_ANNOTATORS)
        self.refresh()

    def take_preset(self, preset: str) -> None:
        """Take a preset's numbers."""
        chosen = PRESETS[preset]
        numerator, _, denominator = chosen.repeat_fraction.partition("/")
        self.repeats.setValue(100 * int(numerator) / int(denominator or 1))
        self.neutral.setChecked(chosen.speaker_names == NEUTRAL)

    def fault(self) -> str:
        """Return what is wrong, or nothing."""
        names = self.names
        if len(names) < FEWEST_ANNOTATORS:
            return f"A study needs at least {FEWEST_ANNOTATORS} annotators: type their names."
        folded = [name.casefold() for name in names]
        twice = next((name for name in names if folded.count(name.casefold()) > 1), "")
        return f"“{twice}” stands here twice: give each their own name." if twice else ""


class GuidelinesPage(_Page):
    """What annotators read, with a preview."""

    def __init__(self) -> None:
        super().__init__(
            "Guidelines", "Shown beside every item. Markdown; the kinds’ own definitions are shown anyway."
        )
        self.text = QPlainTextEdit()
        self.text.setPlaceholderText("# What to listen for\n\nA **turn** is …")
        self.text.setAccessibleName("Guidelines")
        self.preview = QTextBrowser()
        self.preview.setAccessibleName("Preview of the guidelines")
        self.preview.setOpenLinks(False)
        self.open_button = QPushButton("From a &file…")
        self.open_button.setAutoDefault(False)
        self.open_button.clicked.connect(self._choose)
        self.text.textChanged.connect(self._show)
        both = QSplitter(Qt.Orientation.Horizontal)
        both.addWidget(self.text)
        both.addWidget(self.preview)
        both.setSizes([500, 500])
        self.column.addWidget(both, 1)
        row = QHBoxLayout()
        row.addWidget(self.open_button)
        row.addStretch(1)
        self.column.addLayout(row)
        self.finish_layout()

    def read(self, path: Path) -> None:
        """Take the text of a file; one that cannot be read is said."""
        from app.text_file import text_of

        try:
            self.text.setPlainText(text_of(path))
        except FloorscopeError as error:
            self.wrong.setText(str(error))

    def _choose(self) -> None:
        name, _ = QFileDialog.getOpenFileName(self, "Guidelines", "", GUIDELINES_FILTER)
        if name:
            self.read(Path(name))

    def _show(self) -> None:
        self.wrong.clear()
        self.preview.setMarkdown(self.text.toPlainText())


class CalibrationPage(_Page):
    """What is practised first."""

    def __init__(self, material: StudyMaterial) -> None:
        super().__init__(
            "Calibration", "Practice with the reference as feedback, on conversations that are not in the study."
        )
        self._count = len(material.conversations)
        self.use = QCheckBox("&Begin with a calibration round")
        self.list = QListWidget()
        self.list.setAccessibleName("Conversations to practise with")
        for name in material.conversations:
            item = QListWidgetItem(name)
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
            item.setCheckState(Qt.CheckState.Unchecked)
            self.list.addItem(item)
        self.count = QSpinBox(minimum=1, maximum=1000, value=10)
        self.mark = QSpinBox(minimum=0, maximum=100, value=80, suffix=" %")
        form = QFormLayout()
        form.addRow("Items in a &round", self.count)
        form.addRow("Opens the study at an &agreement of", self.mark)
        self._parts: tuple[QWidget, ...] = (self.list, self.count, self.mark)
        possible = self._count > 1 and material.references > 0
        self.use.setEnabled(possible)
        self.column.addWidget(self.use)
        if not possible:
            self.column.addWidget(
                _note("A calibration needs a second conversation with reference events: add one to the project first.")
            )
        self.column.addWidget(QLabel("Conversations to practise with"))
        self.column.addWidget(self.list, 1)
        self.column.addLayout(form)
        self.finish_layout()
        self.use.toggled.connect(self._on_use)
        self.list.itemChanged.connect(lambda _: self.refresh())
        self._on_use(False)

    @property
    def chosen(self) -> tuple[str, ...]:
        """The conversations that are practised with; none without a calibration."""
        if not self.use.isChecked():
            return ()
        items = (self.list.item(row) for row in range(self.list.count()))
        return tuple(item.text() for item in items if item.checkState() == Qt.CheckState.Checked)

    def fault(self) -> str:
        """Return what is wrong, or nothing."""
        if self.use.isChecked() and not self.chosen:
            return "Tick at least one conversation to practise with."
        if len(self.chosen) == self._count > 0:
            return "At least one conversation must be left for the study."
        return ""

    def _on_use(self, used: bool) -> None:
        for part in self._parts:
            part.setEnabled(used)
        self.refresh()


class WorkloadPage(_Page):
    """How much work it is, before it is drawn."""

    def __init__(self) -> None:
        super().__init__("The work", "Nothing is drawn until you press the button below.")
        self.text = QLabel()
        self.text.setWordWrap(True)
        self.text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.text.setAccessibleName("The workload")
        self.column.addWidget(self.text)
        self.column.addStretch(1)
        self.column.addWidget(
            _note("A study that was drawn is never drawn anew: it can be extended, and annotators replaced.")
        )
        self.finish_layout()
        self._fault = ""

    def show_plan(self, sentences: Sequence[str], fault: str = "") -> None:
        """Show the workload, or why it cannot be drawn."""
        self.text.setText("\n\n".join(sentences))
        self._fault = fault
        self.refresh()

    def fault(self) -> str:
        """Return why it cannot be drawn, or nothing."""
        return self._fault


class StudyWizard(QWizard):
    """Asks for a design; `design` is what was chosen once it was accepted.

    Parameters
    ----------
    plan
        Says how much work a design is, on the last page.
    """

    def __init__(self, *, material: StudyMaterial, plan: Plan, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("New study")
        self.setWizardStyle(QWizard.WizardStyle.ClassicStyle)
        self.setOption(QWizard.WizardOption.NoBackButtonOnStartPage)
        self.setButtonText(QWizard.WizardButton.FinishButton, "&Draw the study")
        self._plan = plan
        self.items = ItemsPage(material)
        self.people = PeoplePage()
        self.guidelines = GuidelinesPage()
        self.calibration = CalibrationPage(material)
        self.workload = WorkloadPage()
        self.pages: tuple[_Page, ...] = (self.items, self.people, self.guidelines, self.calibration, self.workload)
        for page in self.pages:
            self.addPage(page)
        self.items.preset.currentIndexChanged.connect(lambda _: self.people.take_preset(self.items.preset_id))
        self.currentIdChanged.connect(lambda _: self._on_page())
        width = self.fontMetrics().averageCharWidth() * 110
        self.resize(width, round(width * 0.68))

    @property
    def choices(self) -> StudyChoices:
        """What stands in the fields."""
        return StudyChoices(
            preset=self.items.preset_id,
            name=self.items.name.text(),
            scheme=self.items.scheme,
            origin=self.items.origin,
            grid_s=self.items.grid_s.value(),
            labels=str(self.items.source.currentData() or ""),
            annotators=self.people.names,
            repeats_percent=round(self.people.repeats.value(), 1),
            context_s=self.people.context.value(),
            seed=self.people.seed.value(),
            neutral_names=self.people.neutral.isChecked(),
            guidelines=self.guidelines.text.toPlainText(),
            calibrated=self.calibration.chosen,
            calibration_count=self.calibration.count.value(),
            pass_percent=self.calibration.mark.value(),
        )

    @property
    def design(self) -> StudyDesign:
        """The design of what stands in the fields; faults as `StudyChoices.design`."""
        return self.choices.design()

    def _on_page(self) -> None:
        if self.currentPage() is self.people:
            self.people.fields[0].setFocus()
        if self.currentPage() is not self.workload:
            return
        try:
            self.workload.show_plan(self._plan(self.design))
        except FloorscopeError as error:
            self.workload.show_plan((), str(error))
