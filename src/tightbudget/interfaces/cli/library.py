"""What commands use of the library, imported when it is first used: help and the version do not wait for NumPy."""

from typing import TYPE_CHECKING

from tightbudget.lazy import imported_when_used

if TYPE_CHECKING:  # so that type checkers know what each name is
    from tightbudget import ledger as ledger
    from tightbudget.adapters.convert import convert as convert
    from tightbudget.adapters.prv.command import compute_dp_epsilon as compute_dp_epsilon
    from tightbudget.adaptive.amounts import exact as exact
    from tightbudget.adaptive.filters import parse_increment as parse_increment
    from tightbudget.adaptive.filters.best_filters import best_filters as best_filters
    from tightbudget.calibration import calibrate as calibrate
    from tightbudget.calibration.verdict import verdict_on as verdict_on
    from tightbudget.comparison import compare as compare
    from tightbudget.engine.reasons import not_certified as not_certified
    from tightbudget.engine.reasons import of_a_class as of_a_class
    from tightbudget.interfaces import ledger_plot as ledger_plot
    from tightbudget.interfaces.api import running as running
    from tightbudget.interfaces.api.settings import Settings as Settings
    from tightbudget.interfaces.cli import compare_output as compare_output
    from tightbudget.interfaces.cli import curve_output as curve_output
    from tightbudget.interfaces.cli import dpsgd_output as dpsgd_output
    from tightbudget.interfaces.cli import explain_output as explain_output
    from tightbudget.interfaces.cli import explain_sampling_output as explain_sampling_output
    from tightbudget.interfaces.cli import filters_output as filters_output
    from tightbudget.interfaces.cli import individual_files as individual_files
    from tightbudget.interfaces.cli import ledger_individual_output as ledger_individual_output
    from tightbudget.interfaces.cli import ledger_output as ledger_output
    from tightbudget.interfaces.cli import ledger_status_output as ledger_status_output
    from tightbudget.interfaces.cli import odometer_games as odometer_games
    from tightbudget.interfaces.cli import odometer_output as odometer_output
    from tightbudget.interfaces.cli import study_output as study_output
    from tightbudget.interfaces.cli import study_samples as study_samples
    from tightbudget.interfaces.cli import sweep_output as sweep_output
    from tightbudget.interfaces.cli.traces import trace_lines as trace_lines
    from tightbudget.ledger import export as export
    from tightbudget.ledger.statement import sections_of as sections_of
    from tightbudget.mechanisms.class_note import class_note as class_note
    from tightbudget.notation import parse as parse
    from tightbudget.research.reproduce.run import run as run
    from tightbudget.research.studies import vuvuzela as vuvuzela
    from tightbudget.sweeps.run import sweep as sweep
    from tightbudget.training import dpsgd as dpsgd
    from tightbudget.training import samplings as samplings
else:
    __getattr__ = imported_when_used(
        __name__,
        {
            "best_filters": "tightbudget.adaptive.filters.best_filters:best_filters",
            "calibrate": "tightbudget.calibration:calibrate",
            "class_note": "tightbudget.mechanisms.class_note:class_note",
            "compare": "tightbudget.comparison:compare",
            "compare_output": "tightbudget.interfaces.cli.compare_output",
            "compute_dp_epsilon": "tightbudget.adapters.prv.command:compute_dp_epsilon",
            "convert": "tightbudget.adapters.convert:convert",
            "curve_output": "tightbudget.interfaces.cli.curve_output",
            "dpsgd": "tightbudget.training:dpsgd",
            "dpsgd_output": "tightbudget.interfaces.cli.dpsgd_output",
            "exact": "tightbudget.adaptive.amounts:exact",
            "export": "tightbudget.ledger.export",
            "explain_output": "tightbudget.interfaces.cli.explain_output",
            "explain_sampling_output": "tightbudget.interfaces.cli.explain_sampling_output",
            "filters_output": "tightbudget.interfaces.cli.filters_output",
            "ledger": "tightbudget.ledger",
            "individual_files": "tightbudget.interfaces.cli.individual_files",
            "ledger_individual_output": "tightbudget.interfaces.cli.ledger_individual_output",
            "ledger_output": "tightbudget.interfaces.cli.ledger_output",
            "ledger_plot": "tightbudget.interfaces.ledger_plot",
            "ledger_status_output": "tightbudget.interfaces.cli.ledger_status_output",
            "not_certified": "tightbudget.engine.reasons:not_certified",
            "odometer_games": "tightbudget.interfaces.cli.odometer_games",
            "odometer_output": "tightbudget.interfaces.cli.odometer_output",
            "of_a_class": "tightbudget.engine.reasons:of_a_class",
            "parse": "tightbudget.notation:parse",
            "parse_increment": "tightbudget.adaptive.filters:parse_increment",
            "run": "tightbudget.research.reproduce.run:run",
            "running": "tightbudget.interfaces.api.running",
            "Settings": "tightbudget.interfaces.api.settings:Settings",
            "samplings": "tightbudget.training:samplings",
            "sections_of": "tightbudget.ledger.statement:sections_of",
            "study_output": "tightbudget.interfaces.cli.study_output",
            "study_samples": "tightbudget.interfaces.cli.study_samples",
            "sweep_output": "tightbudget.interfaces.cli.sweep_output",
            "trace_lines": "tightbudget.interfaces.cli.traces:trace_lines",
            "sweep": "tightbudget.sweeps.run:sweep",
            "verdict_on": "tightbudget.calibration.verdict:verdict_on",
            "vuvuzela": "tightbudget.research.studies.vuvuzela",
        },
    )
