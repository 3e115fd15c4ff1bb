# Makes blocks.ttf, a font whose every character is the same block: with it text takes the same
# place on every machine, whatever fonts it has. Needs fonttools.
from pathlib import Path

from fontTools.fontBuilder import FontBuilder
from fontTools.pens.ttGlyphPen import TTGlyphPen
from fontTools.ttLib import newTable
from fontTools.ttLib.tables._c_m_a_p import cmap_format_13


def block():
    pen = TTGlyphPen(None)
    pen.moveTo((40, 0))
    pen.lineTo((40, 500))
    pen.lineTo((480, 500))
    pen.lineTo((480, 0))
    pen.closePath()
    return pen.glyph()


font = FontBuilder(1000, isTTF=True)
names = [".notdef", "space", "block"]
font.setupGlyphOrder(names)
empty = TTGlyphPen(None).glyph()
font.setupCharacterMap({})
font.setupGlyf({".notdef": block(), "space": empty, "block": block()})
font.setupHorizontalMetrics({name: (520, 0) for name in names})
font.setupHorizontalHeader(ascent=900, descent=-250)
font.setupNameTable({"familyName": "Blocks", "styleName": "Regular"})
font.setupOS2(sTypoAscender=900, sTypoDescender=-250, usWinAscent=900, usWinDescent=250)
font.setupPost()
table = cmap_format_13(13)
table.platformID, table.platEncID, table.language = 3, 10, 0
table.format, table.reserved, table.length, table.nGroups = 13, 0, 0, 0
every = range(0x21, 0x30000)
table.cmap = {code: "block" for code in every} | {0x20: "space", 0xA0: "space", 0x202F: "space"}
cmap = newTable("cmap")
cmap.tableVersion = 0
cmap.tables = [table]
font.font["cmap"] = cmap
font.setupHead(unitsPerEm=1000, created=0, modified=0)
font.save(Path(__file__).with_name("blocks.ttf"))
