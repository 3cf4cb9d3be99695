# hpclab: SPDX-License-Identifier: Apache-2.0
"""Turns a drawn figure into SVG that lives inside an HTML page: unique ids, and colours that follow the page."""

import html
import re

from . import style

_ID = re.compile(r'\bid="([^"]+)"')
_REFERENCE = re.compile(r'(url\(#|xlink:href="#)([^)"]+)')
_COLOUR = re.compile(r"#[0-9a-f]{6}\b")
_TAG = re.compile(r"<[^>]*>")


def _themed(match):
    # Inside a tag only: text of records is left alone even where it looks like a colour.
    return _COLOUR.sub(
        lambda found: (
            f"var(--{style.CSS_NAMES[found.group()]})"
            if found.group() in style.CSS_NAMES
            else found.group()
        ),
        match.group(),
    )


def inline_svg(figure, prefix, description, css_class):
    """The <svg> element as text. `prefix` must be unique in the page."""
    text = style.to_bytes(figure, "svg").decode("utf-8")
    start = text.index("<svg")
    head_end = text.index(">", start)
    view_box = re.search(r'viewBox="([^"]+)"', text[start:head_end]).group(1)
    body = text[head_end + 1 :]
    # A style element here would rule the whole page; its one line is in the page's own style sheet.
    body = re.sub(r"<(metadata|style)\b.*?</\1>", "", body, flags=re.S)
    body = _ID.sub(lambda match: f'id="{prefix}-{match.group(1)}"', body)
    body = _REFERENCE.sub(lambda match: f"{match.group(1)}{prefix}-{match.group(2)}", body)
    body = _TAG.sub(_themed, body)
    body = re.sub(r"\n\s*", "\n", body)
    head = (
        f'<svg class="{css_class}" viewBox="{view_box}" role="img" aria-label="{html.escape(description, quote=True)}" '
        f'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">'
    )
    return head + body.strip()
