"""The symbolic stages in one: a planned conversation's script, and the acts that the orchestrator makes of it."""

from collections.abc import Sequence

from annotation.errors import InvalidValueError
from evaluation.construction.acts import SymbolicConversation
from evaluation.construction.construction import Writer
from evaluation.construction.dynamics import floor_plans
from evaluation.construction.grammar import built_in_grammar
from evaluation.construction.grammar_writer import GrammarWriter
from evaluation.construction.orchestration import orchestrate
from evaluation.construction.plan import PlannedConversation
from evaluation.construction.script import ScriptWriter, check_script


def script_writer_for(name: str) -> ScriptWriter:
    """Return the writer that a word of the command line names.

    Raises
    ------
    InvalidValueError
        If it is none of this version.
    """
    if name != GrammarWriter.name:
        raise InvalidValueError(
            f"There is no script writer “{name}” in this version.", remedy=f"There is: {GrammarWriter.name}."
        )
    return GrammarWriter()


def symbolic_writer(
    planned: Sequence[PlannedConversation], seed: int, writer: ScriptWriter, *, mean_s: float | None = None
) -> Writer:
    """Return what gives each of the planned conversations its acts; may be called from several threads.

    Parameters
    ----------
    mean_s
        Mean length of a conversation, in seconds; that of the published corpus when left out.
    """
    floor = {plan.id: plan for plan in floor_plans(planned, seed, names=built_in_grammar().names, mean_s=mean_s)}

    def write(each: PlannedConversation) -> SymbolicConversation:
        request = floor[each.id].request()
        script = writer.write(request)
        check_script(script, request)
        return orchestrate(script, floor[each.id])

    return write
