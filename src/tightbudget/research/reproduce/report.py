"""The report: one HTML file that needs nothing else, pictures inside."""

import base64
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from html import escape
from string import Template
from typing import TYPE_CHECKING

from tightbudget.research.reproduce.model import Claim
from tightbudget.research.reproduce.verdicts import ALL
from tightbudget.version import __version__

if TYPE_CHECKING:
    from tightbudget.research.reproduce.run import Result

_PAGE = Template("""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Tight on Budget? computed again</title>
<style>
:root { color-scheme: light; }
body { font: 16px/1.5 system-ui, sans-serif; color: #1c2833; background: #fff;
  max-width: 76rem; margin: 2rem auto; padding: 0 1rem; }
h1, h2 { line-height: 1.2; } h2 { margin-top: 3rem; border-top: 1px solid #d5d8dc; padding-top: 1rem; }
img { max-width: 100%; height: auto; display: block; margin: 1rem auto; }
table { border-collapse: collapse; width: 100%; font-size: .86rem; }
th, td { text-align: left; vertical-align: top; padding: .35rem .6rem; border-bottom: 1px solid #e5e7e9;
  overflow-wrap: anywhere; }
th { position: sticky; top: 0; background: #fff; } td.s { overflow-wrap: normal; min-width: 4.5rem; }
.v { white-space: nowrap; font-weight: 600; } .confirmed { color: #00664a; } .refuted { color: #a3320b; }
.open { color: #566573; }
.scroll { overflow-x: auto; } .quiet { color: #566573; font-size: .9rem; } code { font-size: .85rem; overflow-wrap: anywhere; }
nav li { margin: .1rem 0; }
</style>
</head>
<body>
<h1>“Tight on Budget?” computed again</h1>
<p>The evaluation of S. Meiser and E. Mohammadi,
<i>Tight on Budget? Tight Bounds for r-Fold Approximate Differential Privacy</i>
(September 2018), by tightbudget $version. $kind Bands are certified upper and lower bounds; triangles are the published
privacy buckets with their rounding errors booked; dashed lines are classic upper bounds.</p>
<p>$summary Verdicts are computed from the numbers beside them: a claim is confirmed or refuted only if the whole bracket
says so. “n orders of magnitude lower” is read as at least n − ½, “almost n” likewise, “more than n” as more than n.</p>
<p>Vuvuzela has three readings. <b>The paper's pair</b> compares ⌈max(0, noise)⌉ with the same whose mean is moved, both
counts of a conversation round composed. <b>Shift-2 noise alone</b> leaves out the second count. <b>Counts as observed</b> is
what an observer sees, true counts plus dummies, where a clamped count can reveal everything.</p>
<nav><ul>$contents<li><a href="#claims">All claims</a></li></ul></nav>
$figures
<h2 id="claims">All claims</h2>
<div class="scroll"><table>
<thead><tr><th>figure</th><th>section</th><th>claim</th><th>reading</th><th>our result</th><th>verdict</th></tr></thead>
<tbody>$claims</tbody></table></div>
<p class="quiet">Tables: claims.csv, and one CSV and one JSON file for each figure beside this report.</p>
</body>
</html>
""")

_FIGURE = Template("""<section id="$name">
<h2>$title</h2>
<p>$caption</p>
<img src="data:image/svg+xml;base64,$picture" alt="$title">
<p class="quiet">$notes Parameters: <code>$parameters</code>. Computed in $seconds s. Table: $name.csv</p>
<div class="scroll"><table>
<thead><tr><th>section</th><th>claim</th><th>reading</th><th>our result</th><th>verdict</th></tr></thead>
<tbody>$claims</tbody></table></div>
</section>
""")

_KINDS = {
    True: "This is a quick run: fewer points and 10,000 instead of 100,000 buckets.",
    False: "This is the full run, with 100,000 buckets.",
}


def report_page(results: "Sequence[Result]", pictures: Mapping[str, bytes], quick: bool) -> str:
    """Return the report as text."""
    counts = Counter(claim.verdict for result in results for claim in result.claims)
    summary = ", ".join(f"{counts[verdict]} {verdict}" for verdict in ALL)
    return _PAGE.substitute(
        version=__version__,
        kind=_KINDS[quick],
        summary=f"{sum(counts.values())} rows of claims and readings: {summary}.",
        contents="".join(_report_entry(result) for result in results),
        figures="".join(_report_figure(result, pictures[result.figure.name], quick) for result in results),
        claims="".join(_report_row(claim, result.figure.name) for result in results for claim in result.claims),
    )


def _report_entry(result: "Result") -> str:
    counts = Counter(claim.verdict for claim in result.claims)
    found = ", ".join(f"{counts[verdict]} {verdict}" for verdict in ALL if counts[verdict])
    return f'<li><a href="#{result.figure.name}">{escape(result.figure.title)}</a> <span class="quiet">({found})</span></li>'


def _report_figure(result: "Result", picture: bytes, quick: bool) -> str:
    figure = result.figure
    return _FIGURE.substitute(
        name=figure.name,
        title=escape(figure.title),
        caption=escape(figure.caption),
        picture=base64.b64encode(picture).decode(),
        notes=escape(" ".join(f"Delays shown: {note}." for note in result.data.notes)),
        parameters=escape(json.dumps(figure.settings(quick), ensure_ascii=False)),
        seconds=f"{result.seconds:.1f}",
        claims="".join(_report_row(claim) for claim in result.claims),
    )


def _report_row(claim: Claim, figure: str = "") -> str:
    where = f'<td class="s"><a href="#{figure}">{escape(figure)}</a></td>' if figure else ""
    note = f'<br><span class="quiet">{escape(claim.note)}</span>' if claim.note else ""
    style = claim.verdict if " " not in claim.verdict else "open"
    return (
        f'<tr>{where}<td class="s">{escape(claim.section)}</td><td>{escape(claim.statement)}</td>'
        f"<td>{escape(claim.reading)}</td><td>{escape(claim.found)}{note}</td>"
        f'<td class="v {style}">{escape(claim.verdict)}</td></tr>'
    )
