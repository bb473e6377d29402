#!/usr/bin/env python3
"""Writes m-plus-1p-bold.tsv: the letters of texts in pictures, as outlines. Needs fonttools and brotli.

    npm pack @fontsource/m-plus-1p && tar xzf fontsource-m-plus-1p-*.tgz
    extract.py package/files/m-plus-1p-*-700-normal.woff2

Each line has a character, its advance width and its outline, in thousandths of the font size; y points down.
"""
import pathlib
import re
import sys

from fontTools.pens.svgPathPen import SVGPathPen
from fontTools.pens.transformPen import TransformPen
from fontTools.ttLib import TTFont

FOLDER = pathlib.Path(__file__).parent
# The messages that the picture of a day's result shows.
MESSAGES = ["daily-text-title", "daily-date", "daily-result", "daily-better", "daily-streak"]


def wanted():
    characters = set(map(chr, range(0x20, 0x7F))) | set(map(chr, range(0x410, 0x450))) | set("Ёё·—月\u00a0")
    for file in (FOLDER.parent / "text").glob("daily.*.ftl"):
        text = file.read_text()
        for message in MESSAGES:
            found = re.search(rf"^{message} =.*(?:\n  .*)*", text, re.M)
            characters |= set(found.group(0))
    return {character for character in characters if character >= " "}


def outlines(files):
    rest = wanted()
    for file in files:
        font = TTFont(file)
        names, glyphs = font.getBestCmap(), font.getGlyphSet()
        scale = 1000 / font["head"].unitsPerEm
        for character in sorted(rest & set(map(chr, names))):
            name = names[ord(character)]
            pen = SVGPathPen(glyphs, ntos=lambda number: str(round(number)))
            glyphs[name].draw(TransformPen(pen, (scale, 0, 0, -scale, 0, 0)))
            yield character, round(glyphs[name].width * scale), pen.getCommands()
            rest.discard(character)
    assert not rest, f"no font has {rest}"


lines = sorted(outlines(sys.argv[1:]))
text = "".join(f"{character}\t{width}\t{path}\n" for character, width, path in lines)
(FOLDER / "m-plus-1p-bold.tsv").write_text(text)
