"""A report as one page: tables, and pictures in SVG; no scripts, nothing from elsewhere."""

from collections.abc import Iterable
from html import escape
from typing import Final

from ..queries.evaluation.store_report import Bin, Measured, StoreReport

_WIDTH: Final = 360
_ROW: Final = 22
_LABEL: Final = 280
_SIDE: Final = 260

_HEAD: Final = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Stepladder: evaluation of a store</title>
<style>
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 60rem; padding: 0 1rem;
  color: #222; background: #fff; }
table { border-collapse: collapse; margin: 1rem 0; }
th, td { padding: .2rem .8rem .2rem 0; text-align: left; border-bottom: 1px solid #ddd; }
td.n { text-align: right; font-variant-numeric: tabular-nums; }
svg text { font: 12px system-ui, sans-serif; fill: #222; }
</style>
</head>
<body>
"""


def page(found: StoreReport) -> str:
    """The whole page."""
    said = (
        f"<h1>Evaluation of a store</h1>\n<p>{found.runs:,} runs, {found.memories:,} memories; "
        f"{found.asked} runs were asked again with something left out. Bars carry 95 % intervals. "
        "None of this says whether agents solve more tasks.</p>\n"
    )
    shares = [m for m in found.measures if m.high <= 1.0]
    others = [m for m in found.measures if m.high > 1.0]
    parts = [_section(f"Without the {part} asked about", shares, part) for part in _parts(shares)]
    if others:
        parts.append(f"<h2>How far each level mixes domains</h2>\n{_bars(others)}\n")
    if found.bins:
        parts.append(f"<h2>Predicted and actual success</h2>\n{_calibration(found.bins)}\n")
    return (
        f"{_HEAD}{said}{''.join(parts)}<h2>Figures</h2>\n{_table(found.measures)}</body>\n</html>\n"
    )


def _parts(measures: Iterable[Measured]) -> list[str]:
    return list(dict.fromkeys(m.part for m in measures if m.part))


def _section(title: str, measures: list[Measured], part: str) -> str:
    return f"<h2>{escape(title)}</h2>\n{_bars([m for m in measures if m.part == part])}\n"


def _bars(measures: list[Measured]) -> str:
    """Bars with whiskers, a row each."""
    most = max([1.0, *(m.high for m in measures)])
    height = _ROW * len(measures) + 4
    rows = []
    for number, m in enumerate(measures):
        top = _ROW * number + 4
        middle = top + 7
        low, value, high = (_LABEL + _WIDTH * x / most for x in (m.low, m.value, m.high))
        rows.append(
            f'<text x="0" y="{top + 12}">{escape(m.name)}</text>'
            f'<rect x="{_LABEL}" y="{top}" width="{value - _LABEL:.1f}" height="14" fill="#8ab"/>'
            f'<path d="M{low:.1f} {middle}H{high:.1f}M{low:.1f} {top + 3}v8M{high:.1f} {top + 3}v8"'
            ' stroke="#234" fill="none"/>'
            f'<text x="{_LABEL + _WIDTH + 8}" y="{top + 12}">{m.value:.2f}</text>'
        )
    return _svg(_LABEL + _WIDTH + 60, height, "".join(rows), "Bars with intervals")


def _calibration(bins: Iterable[Bin]) -> str:
    """Predicted odds across, what came of it upwards; on the line both are the same."""
    end = _SIDE - 30
    marks = [f'<path d="M30 {end}H{_SIDE}M30 {end}V0M30 {end}L{_SIDE} 0" stroke="#aaa"/>']
    for b in bins:
        x = 30 + end * b.predicted
        y, low, high = (end * (1 - v) for v in (b.succeeded, b.low, b.high))
        marks.append(
            f'<path d="M{x:.1f} {low:.1f}V{high:.1f}" stroke="#234"/>'
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="#8ab"/>'
        )
    marks.append(
        f'<text x="30" y="{end + 16}">0</text><text x="{_SIDE - 10}" y="{end + 16}">1</text>'
    )
    return _svg(_SIDE, _SIDE, "".join(marks), "Success against predicted success")


def _svg(width: int, height: int, inside: str, title: str) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" role="img" '
        f'viewBox="0 0 {width} {height}"><title>{escape(title)}</title>{inside}</svg>'
    )


def _table(measures: Iterable[Measured]) -> str:
    rows = "".join(
        f"<tr><td>{escape(m.part)}</td><td>{escape(m.name)}</td>"
        f'<td class="n">{m.count}</td><td class="n">{m.value:.3f}</td>'
        f'<td class="n">{m.low:.3f} to {m.high:.3f}</td></tr>\n'
        for m in measures
    )
    heads = "".join(f"<th>{h}</th>" for h in ("left out", "measure", "of", "value", "95 %"))
    return f"<table>\n<tr>{heads}</tr>\n{rows}</table>\n"
