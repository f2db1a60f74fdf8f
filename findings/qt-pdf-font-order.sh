#!/usr/bin/env bash
# Qt 6.8.1 writes the fonts of a PDF in another order in every process.
#
# QPdfWriter keeps embedded fonts in a hash table with a random seed. The same drawing with three fonts therefore gives
# other bytes, object numbers and font tags (QSAAAA+DejaVuSans, QYAAAA+DejaVuSans) from process to process, so that an
# exported figure cannot be compared byte by byte, nor by the names of its fonts. With QT_HASH_SEED=0 the order is fixed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check PySide6-Essentials==6.8.1 matplotlib==3.9.2
cd "$folder"
cat > draw.py <<'END'
import pathlib
import sys

import matplotlib
from PySide6.QtGui import QFont, QFontDatabase, QGuiApplication, QPainter, QPdfWriter

application = QGuiApplication([])
fonts = pathlib.Path(matplotlib.get_data_path()) / "fonts" / "ttf"
writer = QPdfWriter(sys.argv[1])
painter = QPainter(writer)
for line, name in enumerate(["DejaVuSans", "DejaVuSerif", "DejaVuSansMono"]):
    family = QFontDatabase.applicationFontFamilies(QFontDatabase.addApplicationFont(str(fonts / f"{name}.ttf")))[0]
    painter.setFont(QFont(family, 10))
    painter.drawText(100, 500 + 400 * line, "figure")
painter.end()
END
cat > compare.py <<'END'
import os
import re
import subprocess
import sys


def orders(**more):
    found = set()
    for attempt in range(10):
        environment = dict(os.environ, QT_QPA_PLATFORM="offscreen", **more)
        subprocess.run([sys.executable, "draw.py", "drawn.pdf"], env=environment, check=True)
        fonts = re.findall(rb"/FontName /([A-Z]{6}\+[A-Za-z-]+)", open("drawn.pdf", "rb").read())
        assert len(fonts) == 3, fonts
        found.add(tuple(sorted(font.decode() for font in fonts)))
    return found


free, fixed = orders(), orders(QT_HASH_SEED="0")
print(len(free), "orders in ten processes, such as", *sorted(free)[:2])
print(len(fixed), "order with QT_HASH_SEED=0:", *fixed)
assert len(free) > 1 and len(fixed) == 1
END
"$folder/venv/bin/python" compare.py
