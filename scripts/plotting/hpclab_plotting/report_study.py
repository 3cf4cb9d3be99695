# hpclab: SPDX-License-Identifier: Apache-2.0
"""The part of a report that is about one study: question, headlines, pictures and tables."""

from . import pictures, style
from .comparison import comparison_tables
from .inline_svg import inline_svg
from .page import esc, facts
from .series import is_performance, varying_parameters
from .case_tables import case_tables
from .study_tables import own_values, parameter_text, result_tables
from .units import format_quantity, split_name

_MOST_HEADLINES = 6


def draw_both(picture, prefix, description):
    """The picture for wide and for narrow screens; the style sheet shows one of them."""
    return [
        inline_svg(picture.draw(size), f"{prefix}-{css}", description, css)
        for size, css in ((style.WIDE, "wide"), (style.NARROW, "narrow"))
    ]


class StudySection:
    """One study's cases and their HTML."""

    def __init__(self, study, records, anchors, index):
        self.study, self.identity = study, f"study-{index}"
        self.cases = [case for case in records.cases if case.study == study]
        self._all_cases, self._anchors = records.cases, anchors
        self.declared = next(
            (
                run.declared_study(study)
                for run in reversed(records.runs)
                if run.declared_study(study)
            ),
            {},
        )
        self.question = self.declared.get("question", "")

    def html(self):
        ok = [case for case in self.cases if case.ok]
        parts = [f"<h2>{esc(self.study, 120)}</h2>"]
        if self.question:
            parts.append(f'<p class="question">{esc(self.question, 600)}</p>')
        headlines = self.headlines()
        if headlines:
            parts.append(facts(headlines))
        parts += self._pictures()
        if not ok:
            parts.append(
                '<p>No case is ok; the reasons are under <a href="#not-ok">failed and skipped</a>.</p>'
            )
        else:
            compared, shown = comparison_tables(self.cases, self._anchors)
            rest = [case for case in ok if case not in shown]
            parts += [
                compared,
                result_tables(rest, self.declared, self._anchors) if rest else "",
                case_tables(ok),
            ]
        return "\n".join(part for part in parts if part)

    def headlines(self):
        """(value, what it is) of the best measured figure of each headline value (else the best predicted one), with where it was reached."""
        cases = [case for case in self.cases if case.ok and not case.emulated]
        measured = [case for case in cases if case.method == "measure"] or cases
        values = self.declared.get("values", {})
        names = [name for name, about in values.items() if about.get("headline") is True]
        if not names:
            names = [
                name
                for name in dict.fromkeys(n for case in measured for n in own_values(case))
                if is_performance(name)
            ][:2]
        result = []
        for name in names[:_MOST_HEADLINES]:
            having = [case for case in measured if name in case.values]
            if not having:
                continue
            lower = (
                values.get(name, {}).get(
                    "better", "lower" if name.endswith("_s") and "_per_" not in name else "higher"
                )
                == "lower"
            )
            best = (min if lower else max)(having, key=lambda case: case.values[name])
            words, unit = split_name(name)
            where = parameter_text(best, [n for n in varying_parameters(having) if n != "quantity"])
            if best.run.label:
                where = f"{where}, {best.run.label}" if where else best.run.label
            how = "" if best.method == "measure" else f", {style.METHOD_NAMES[best.method]}"
            result.append(
                (
                    format_quantity(best.values[name], unit),
                    f"{'lowest' if lower else 'highest'} {words}{how}"
                    + (f": {where}" if where else ""),
                )
            )
        return result

    def _pictures(self):
        found, notes = pictures.default_pictures(
            self.study, self.cases, self._all_cases, self.declared
        )
        parts = []
        for number, picture in enumerate(found, start=1):
            description = f"{self.study}: {picture.title}. {picture.caption}"
            drawings = draw_both(
                picture, f"{self.identity}-{number}", style.clean(description, 900)
            )
            remarks = list(
                dict.fromkeys(note for note in picture.notes if not note.startswith("series by"))
            )
            caption = esc(picture.caption, 1500) + "".join(
                f" {esc(note, 300)}." for note in remarks
            )
            parts.append(
                "<figure>\n"
                + "\n".join(drawings)
                + f"\n<figcaption>{caption}</figcaption></figure>"
            )
        return parts + [f'<p class="dim">{esc(note, 400)}</p>' for note in notes]
