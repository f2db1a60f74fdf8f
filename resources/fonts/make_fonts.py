#!/usr/bin/env python3
"""Creates the bundled font family from Inter, with digits of equal width.

Qt 6.4 cannot enable the `tnum` feature of a font, and the width of a changing number must not change with its digits.
Therefore the character map of these copies refers to the tabular digits directly. Contextual alternates (a raised equals
sign beside digits, "->" as an arrow) are removed: their glyphs have no character, and text copied from a PDF would lack
them. The family has its own name, so that an installed Inter is not used instead.

    python3 make_fonts.py FOLDER_OF_INTER [TARGET]

The script requires fonttools. The Debian package fonts-inter installs Inter in /usr/share/fonts/opentype/inter.
"""

import pathlib
import sys

from fontTools.ttLib import TTFont

FAMILY = "Ropelab Sans"
STYLES = ["Regular", "SemiBold"]


def tabular_digits(font: TTFont) -> dict[str, str]:
    """Returns a map from each glyph to its variant of equal width, according to the font's `tnum` feature."""
    table = font["GSUB"].table
    found: dict[str, str] = {}
    for record in table.FeatureList.FeatureRecord:
        if record.FeatureTag != "tnum":
            continue
        for index in record.Feature.LookupListIndex:
            for lookup in table.LookupList.Lookup[index].SubTable:
                found.update(getattr(lookup, "ExtSubTable", lookup).mapping)
    return found


def make(source: pathlib.Path, style: str, target: pathlib.Path) -> None:
    """Writes the font of one style to the folder `target`."""
    font = TTFont(source / f"Inter-{style}.otf", recalcTimestamp=False)
    tabular = tabular_digits(font)
    for table in font["cmap"].tables:
        for digit in range(ord("0"), ord("9") + 1):
            if digit in table.cmap:
                table.cmap[digit] = tabular.get(table.cmap[digit], table.cmap[digit])  # several tables may share one map
    glyphs = {font.getBestCmap()[ord(c)] for c in "0123456789"}
    width = max(font["hmtx"][glyph][0] for glyph in glyphs)
    for glyph in glyphs:  # the widths of interpolated weights differ by 0.1 %
        font["hmtx"][glyph] = (width, font["hmtx"][glyph][1])

    for record in font["GSUB"].table.FeatureList.FeatureRecord:
        if record.FeatureTag == "calt":
            record.Feature.LookupListIndex = []
            record.Feature.LookupCount = 0

    if style == "SemiBold":
        font["OS/2"].usWeightClass = 700  # bold text finds it; for a weight of 600, Qt would embolden the glyphs again

    full = f"{FAMILY} {style}"
    postscript = f"RopelabSans-{style}"
    names = {1: FAMILY if style == "Regular" else full, 2: "Regular", 3: f"{full} from Inter 3.019", 4: full,
             6: postscript, 16: FAMILY, 17: style}
    for record in list(font["name"].names):
        if record.nameID in names:
            record.string = names[record.nameID]
    cff = font["CFF "].cff
    cff.fontNames = [postscript]
    cff.topDictIndex[0].FamilyName = FAMILY
    cff.topDictIndex[0].FullName = full
    font.save(target / f"{postscript}.otf")


if __name__ == "__main__":
    folder = pathlib.Path(sys.argv[1])
    out = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else pathlib.Path(__file__).parent)
    for each in STYLES:
        make(folder, each, out)
