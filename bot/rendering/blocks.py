"""Conversion of Markdown to blocks that Discord can show.

Discord supports headings of three levels, lists, quotes of one level, fenced code and styles, but
no tables, rules or images. A narrow table becomes an aligned code block, a wide one a list; a rule
becomes a line of characters; an image becomes its text and URL.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from markdown_it import MarkdownIt
from markdown_it.token import Token
from rich.cells import cell_len

from bot.rendering.escape import ZERO_WIDTH_SPACE, clean, defuse
from bot.rendering.inline import Run, plain_runs, runs

MAX_INPUT = 100_000
"""Most characters of Markdown that are read; a goal holds far less."""

MAX_INDENT = 8
"""Most list levels that are shown; deeper items are shown at this level."""

TABLE_CELLS = 56
"""Widest table shown in columns, in terminal cells; wider ones wrap even on a laptop."""

RULE = "⎯" * 8
_LANGUAGE = re.compile(r"[A-Za-z0-9_+#.-]{1,20}")
_PARSER = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])


@dataclass(frozen=True, slots=True)
class Text:
    """A paragraph, a heading or a list item."""

    runs: list[Run]
    first: str = ""
    """Prefix of its first line, such as a bullet or a heading's mark."""
    rest: str = ""
    """Prefix of its other lines."""
    heading: bool = False
    tight: bool = False
    """Whether it follows the previous block without an empty line."""


@dataclass(frozen=True, slots=True)
class Code:
    """A code block."""

    lines: list[str]
    language: str = ""
    prefix: str = ""
    """Prefix of each line: the mark of a quote, or empty."""
    tight: bool = True


Block = Text | Code


def parse(markdown: str) -> list[Block]:
    """Return the blocks of a text in order; any text is valid Markdown."""
    return list(_Reader().read(_PARSER.parse(clean(markdown[:MAX_INPUT]))))


@dataclass(slots=True)
class _List:
    ordered: bool
    number: int


@dataclass
class _Reader:
    """Walks over the parser's flat tokens and tracks the lists and quotes around them."""

    lists: list[_List] = field(default_factory=list)
    bullet: str = ""
    """Mark of the list item that has just begun; its first text consumes it."""
    quotes: int = 0
    first_in_quote: bool = False
    headed: bool = False
    """Whether the previous block was a heading, below which Discord leaves space by itself."""

    def read(self, tokens: Sequence[Token]) -> Iterator[Block]:
        heading = 0
        position = 0
        while position < len(tokens):
            token = tokens[position]
            position += 1
            match token.type:
                case "bullet_list_open":
                    self.lists.append(_List(ordered=False, number=0))
                case "ordered_list_open":
                    self.lists.append(_List(ordered=True, number=int(token.attrGet("start") or 1)))
                case "bullet_list_close" | "ordered_list_close":
                    self.lists.pop()
                case "list_item_open":
                    self._begin_item()
                case "list_item_close":
                    self.bullet = ""
                case "blockquote_open":
                    self.quotes += 1
                    self.first_in_quote = self.quotes == 1
                case "blockquote_close":
                    self.quotes -= 1
                case "heading_open":
                    heading = int(token.tag[1:])
                case "heading_close":
                    heading = 0
                case "table_open":
                    end = next(
                        at
                        for at in range(position, len(tokens))
                        if tokens[at].type == "table_close"
                    )
                    yield from self._table(tokens[position:end])
                    position = end + 1
                case "inline" if heading:
                    yield from self._heading(token, heading)
                case "inline":
                    yield from self._text(runs(token))
                case "fence" | "code_block":
                    yield self._code(token.content, token.info)
                case "hr":
                    yield from self._text([Run(RULE)])
                case _:
                    pass

    # Prefixes and spacing of a block.

    def _begin_item(self) -> None:
        now = self.lists[-1]
        self.bullet = f"{now.number}. " if now.ordered else "- "
        now.number += 1

    def _indent(self, levels: int) -> str:
        outer = self.lists[: min(levels, MAX_INDENT)]
        return "".join("   " if one.ordered else "  " for one in outer)

    def _prefixes(self) -> tuple[str, str]:
        quote = "> " if self.quotes else ""
        rest = quote + self._indent(len(self.lists))
        if not self.bullet:
            return rest, rest
        first = quote + self._indent(len(self.lists) - 1) + self.bullet
        self.bullet = ""
        return first, rest

    def _tight(self) -> bool:
        tight = bool(self.lists) or self.headed or (bool(self.quotes) and not self.first_in_quote)
        self.first_in_quote = self.headed = False
        return tight

    # Content of a block.

    def _text(self, pieces: list[Run]) -> Iterator[Block]:
        if not any(run.text.strip() for run in pieces):
            return
        first, rest = self._prefixes()
        yield Text(pieces, first, rest, tight=self._tight())

    def _heading(self, token: Token, level: int) -> Iterator[Block]:
        pieces = [Run(" ", run.styles) if run.text == "\n" else run for run in runs(token)]
        if not any(run.text.strip() for run in pieces):
            return
        mark = "#" * level + " "
        if level > 3 or self.lists or self.bullet:
            mark = ""
            pieces = [
                replace(run, styles=("**", *(style for style in run.styles if style != "**")))
                for run in pieces
            ]
        first, rest = self._prefixes()
        yield Text(pieces, first + mark, rest, heading=True, tight=self._tight())
        self.headed = True

    def _code(self, content: str, info: str = "") -> Block:
        self.bullet, tight = "", self._tight() or True
        # In Discord, three backticks inside end the block, whatever fence the author used.
        content = defuse(content.replace("```", f"`{ZERO_WIDTH_SPACE}`{ZERO_WIDTH_SPACE}`"))
        language = _LANGUAGE.match(info.strip())
        return Code(
            content.rstrip("\n").split("\n"),
            language[0] if language else "",
            "> " if self.quotes else "",
            tight,
        )

    # Tables.

    def _table(self, tokens: Sequence[Token]) -> Iterator[Block]:
        rows: list[list[Token]] = []
        for token in tokens:
            if token.type == "tr_open":
                rows.append([])
            elif token.type == "inline":
                rows[-1].append(token)
        if not rows:
            return
        if (aligned := _aligned(rows)) is not None:
            yield self._code("\n".join(aligned))
        else:
            yield from self._listed(rows)

    def _listed(self, rows: list[list[Token]]) -> Iterator[Block]:
        header, body = rows[0], rows[1:]
        for row in body or [header]:
            for column, cell in enumerate(row):
                pieces = [Run(" ") if run.text == "\n" else run for run in runs(cell)]
                label = runs(header[column]) if body and column < len(header) else []
                if not any(run.text.strip() for run in pieces):
                    continue
                if any(run.text.strip() for run in label):
                    bold = [Run(" " if run.text == "\n" else run.text, ("**",)) for run in label]
                    pieces = [*bold, *plain_runs(": "), *pieces]
                quote = "> " if self.quotes else ""
                indent = quote + self._indent(len(self.lists)) + ("  " if column else "")
                yield Text(
                    pieces, indent + "- ", indent + "  ", tight=bool(column) or self._tight()
                )


def _aligned(rows: list[list[Token]]) -> list[str] | None:
    """Return a table's lines in columns; None if it is too wide or contains links."""
    cells = [[_bare(cell) for cell in row] for row in rows]
    columns = max(map(len, cells))
    if any(text is None for row in cells for text in row) or not columns:
        return None
    texts = [[text or "" for text in row] + [""] * (columns - len(row)) for row in cells]
    widths = [max(cell_len(row[column]) for row in texts) for column in range(columns)]
    if sum(widths) + 3 * (columns - 1) > TABLE_CELLS:
        return None
    lines = [
        " │ ".join(
            text + " " * (width - cell_len(text)) for text, width in zip(row, widths, strict=True)
        ).rstrip()
        for row in texts
    ]
    return [lines[0], "─┼─".join("─" * width for width in widths), *lines[1:]]


def _bare(cell: Token) -> str | None:
    children = cell.children or []
    if any(child.type in ("link_open", "image") for child in children):
        return None
    text = "".join(" " if child.type.endswith("break") else child.content for child in children)
    return " ".join(text.split())
