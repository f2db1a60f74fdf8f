#!/usr/bin/env python3
"""Renders the formulas of the lectures as SVG: ./make_formulas.py [--check]

Every formula $…$ of a lecture (resources/lectures/*.md) becomes a file that is named by a hash of its TeX, with its
glyphs as paths in the colour "currentColor"; whoever shows it replaces that word by the colour of its text. The index
formulas.json lists for each TeX source its file, its text in Unicode, and the height and depth below the baseline in ex
(the height of an x). Needs pdflatex with amsmath and pdftocairo (Debian: texlive-latex-recommended, poppler-utils). With
--check nothing is rendered: the program ends with 1 and names what is missing or superfluous in the index.
"""
import argparse
import hashlib
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

HERE = pathlib.Path(__file__).resolve().parent
SVG = "{http://www.w3.org/2000/svg}"
LINK = "{http://www.w3.org/1999/xlink}href"

# Unicode text of commands; the rest is handled in unicode_text().
WORDS = {
    "theta": "θ", "omega": "ω", "lambda": "λ", "Delta": "Δ", "beta": "β", "varphi": "φ", "pi": "π", "infty": "∞",
    "cdot": "·", "le": "≤", "ge": "≥", "approx": "≈", "to": "→", "ldots": "…", "sim": "∼", "top": "ᵀ", "sum": "Σ",
    "cos": "cos ", "sin": "sin ", "ln": "ln ", "log": "log", "max": "max", "lceil": "⌈", "rceil": "⌉", "quad": " ",
    "left": "", "right": "", "|": "‖", ",": " ", "!": "", "{": "{", "}": "}", "%": "%",
}
SUPERSCRIPTS = dict(zip("0123456789+-=()int", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁱⁿᵗ"))
SUBSCRIPTS = dict(zip("0123456789+-=()aehijklmnoprstuvx", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ"))


def formulas_of(text):
    """Returns the TeX of all formulas of a lecture, in their order, without repetition."""
    return list(dict.fromkeys(re.findall(r"\$([^$\n]+)\$", text)))


def all_formulas():
    """Returns the TeX of all formulas, each with its style: that of a display if it stands alone in a line."""
    found = {}
    for file in sorted(HERE.parent.glob("*.md")):
        text = file.read_text(encoding="utf-8")
        alone = set(re.findall(r"^\$([^$\n]+)\$[.,]?$", text, re.MULTILINE))
        for tex in formulas_of(text):
            found[tex] = r"\displaystyle" if tex in alone or found.get(tex) == r"\displaystyle" else r"\textstyle"
    return found


def group(tex, at):
    """Returns the argument that begins at an index, a group in braces, a command or a character, and what follows."""
    while at < len(tex) and tex[at] == " ":
        at += 1
    if tex[at] == "{":
        depth, end = 1, at + 1
        while depth:
            depth += {"{": 1, "}": -1}.get(tex[end], 0) if tex[end - 1] != "\\" else 0
            end += 1
        return tex[at + 1:end - 1], end
    if tex[at] == "\\":
        end = at + 2
        while tex[at + 1].isalpha() and end < len(tex) and tex[end].isalpha():
            end += 1
        return tex[at:end], end
    return tex[at], at + 1


def raised(text, table, mark):
    text = text.strip()
    if text in ("′", "ᵀ"):
        return text
    if text and all(c in table for c in text):
        return "".join(table[c] for c in text)
    return mark + (text if len(text) == 1 else f"({text})")


def quotient_part(text):
    """Returns the part of a quotient, in brackets unless it is a number, a letter with its indices or a function."""
    simple = r"\d+|\w[′₀-ₜ⁰-ⁿᵣ]*|\w+\([^()]*\)|√\([^()]*\)"
    return text if re.fullmatch(simple, text) else f"({text})"


def matrix_text(body):
    rows = [", ".join(unicode_text(cell).strip() for cell in row.split("&")) for row in body.split(r"\\")]
    return "[" + "; ".join(rows) + "]"


def unicode_text(tex):
    """Returns a formula as a line of Unicode text, for screen readers and where no picture is shown."""
    tex = re.sub(r"\\begin\{pmatrix\}(.*?)\\end\{pmatrix\}", lambda m: "{" + matrix_text(m[1]) + "}", tex)
    out, at = "", 0
    while at < len(tex):
        char = tex[at]
        if char in "^_":
            argument, at = group(tex, at + 1)
            table, mark = (SUPERSCRIPTS, "^") if char == "^" else (SUBSCRIPTS, "_")
            out = out.rstrip() + raised(unicode_text(argument).replace("−", "-"), table, mark).replace("-", "−")
            if out.endswith(tuple(SUBSCRIPTS.values())) and re.search(r"(log|max|Σ)\S*$", out):
                out += " "
        elif char == "{":
            argument, at = group(tex, at)
            out += argument if argument.startswith("[") else unicode_text(argument)
        elif char == "\\":
            command, at = group(tex, at)
            name = command[1:]
            if name in ("frac", "dfrac"):
                above, at = group(tex, at)
                below, at = group(tex, at)
                quotient = "/".join(quotient_part(unicode_text(part).strip()) for part in (above, below))
                follows = tex[at:].lstrip()
                is_factor = bool(out) and not out.endswith((" ", "·")) or follows.startswith("\\sum") or out.endswith("log_θ ")
                out += f"({quotient})" if is_factor else quotient
            elif name == "sqrt":
                inside, at = group(tex, at)
                inside = unicode_text(inside)
                out += "√" + (inside if len(inside) == 1 else f"({inside})")
            elif name == "bar":
                inside, at = group(tex, at)
                out += unicode_text(inside) + "\u0304"
            elif name in ("mathrm", "mathcal", "mathrel", "text"):
                inside, at = group(tex, at)
                out += unicode_text(inside)
            elif name in WORDS:
                out += WORDS[name]
                if name in ("cos", "sin", "ln") and tex[at:].lstrip().startswith("("):
                    out = out.rstrip()
            else:
                raise SystemExit(f"make_formulas.py does not know the Unicode text of {command} in ${tex}$.")
        elif char == "'":
            out, at = out + "′", at + 1
        elif char == "-":
            out, at = out + "−", at + 1
        else:
            out, at = out + char, at + 1
    return re.sub(r" +", " ", out).strip()


# Place of a formula on its page, in PostScript points: the left end, and the baseline from the top. The page has whole
# points, because pdftocairo scales others.
LEFT, BASELINE, MARGIN = 10, 100, 1
POINTS = 72 / 72.27  # PostScript points per TeX point


def page(tex, style):
    """Returns the TeX of a page with one formula, which also writes the size of the formula to the log."""
    return (rf"\setbox0=\hbox{{${style} {tex}$}}" "\n"
            r"\typeout{SIZE \the\wd0 \space\the\ht0 \space\the\dp0 \space\the\fontdimen5\textfont2}" "\n"
            rf"\shipout\hbox{{\vrule width 0pt height {BASELINE}bp depth 50bp\hskip{LEFT}bp\box0}}" "\n")


def rendered(formulas, folder):
    """Returns for each formula its SVG and its size (width, height, depth, ex) in TeX points."""
    source = (r"\documentclass[12pt]{article}\usepackage{amsmath,amssymb}\hoffset=-1in\voffset=-1in"
              r"\pdfpagewidth=800bp\pdfpageheight=150bp\begin{document}" + "\n" + "".join(page(tex, style) for tex, style in formulas.items()) + r"\end{document}" + "\n")
    (folder / "formulas.tex").write_text(source, encoding="utf-8")
    log = subprocess.run(["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "formulas.tex"], cwd=folder,
                         capture_output=True, text=True)
    if log.returncode:
        raise SystemExit(log.stdout[-2000:])
    sizes = [tuple(map(float, m)) for m in
             re.findall(r"SIZE ([\d.]+)pt ([\d.]+)pt ([\d.]+)pt ([\d.]+)pt", log.stdout.replace("\n", " "))]
    if len(sizes) != len(formulas):
        raise SystemExit(f"LaTeX measured {len(sizes)} of {len(formulas)} formulas.")
    pictures = []
    for number in range(1, len(formulas) + 1):
        picture = folder / "page.svg"
        subprocess.run(["pdftocairo", "-svg", "-f", str(number), "-l", str(number), "formulas.pdf", picture],
                       cwd=folder, check=True)
        pictures.append(picture.read_text(encoding="utf-8"))
    return list(zip(pictures, sizes))


def number(value):
    return f"{value:.2f}".rstrip("0").rstrip(".") if value else "0"


def flat(svg, size):
    """Returns a small SVG of paths only, because Qt's SVG reader does not know <symbol>."""
    wide, high, deep = (value * POINTS for value in size[:3])
    left, top = LEFT - MARGIN, BASELINE - high - MARGIN
    width, height = wide + 2 * MARGIN, high + deep + 2 * MARGIN
    root = xml.fromstring(svg)
    glyphs = {}
    for symbol in root.iter():
        if symbol.tag in (SVG + "symbol", SVG + "g") and symbol.get("id", "").startswith("glyph"):
            glyphs[symbol.get("id")] = "".join(path.get("d") for path in symbol.iter(SVG + "path")).strip()
    parts = []
    for element in root.iter():
        if element.tag == SVG + "use":
            path = glyphs[element.get(LINK)[1:]]
            if path:
                place = f'translate({number(float(element.get("x", 0)))} {number(float(element.get("y", 0)))})'
                parts.append(f'<path transform="{place}" d="{compact(path)}"/>')
    for element in root.iter(SVG + "path"):
        if element.get("style", "").startswith("fill:none;stroke-width"):  # rules of fractions and roots
            stroke = float(re.search(r"stroke-width:([\d.]+)", element.get("style"))[1])
            matrix = element.get("transform", "matrix(1,0,0,1,0,0)")
            parts.append(f'<path fill="none" stroke="currentColor" stroke-width="{number(stroke)}" '
                         f'transform="{matrix}" d="{element.get("d").strip()}"/>')
        elif element.get("style", "").startswith("fill-rule:nonzero"):
            parts.append(f'<path d="{compact(element.get("d"))}"/>')
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{number(width)}" height="{number(height)}" '
            f'viewBox="{number(left)} {number(top)} {number(width)} {number(height)}" fill="currentColor">' + "".join(parts) + "</svg>\n")


def compact(path):
    return re.sub(r"-?\d+\.\d+", lambda m: number(float(m[0])), " ".join(path.split()))


def file_of(tex):
    return hashlib.sha256(tex.encode()).hexdigest()[:16] + ".svg"


def index_errors(formulas):
    index = HERE / "formulas.json"
    entries = json.loads(index.read_text(encoding="utf-8")) if index.exists() else {}
    errors = [f"not rendered: ${tex}$" for tex in formulas if tex not in entries]
    errors += [f"in no lecture: ${tex}$" for tex in entries if tex not in formulas]
    errors += [f"no picture: {entry['file']}" for entry in entries.values() if not (HERE / entry["file"]).exists()]
    errors += [f"wrong name: {entry['file']}" for tex, entry in entries.items() if entry["file"] != file_of(tex)]
    files = {entry["file"] for entry in entries.values()}
    errors += [f"superfluous: {file.name}" for file in sorted(HERE.glob("*.svg")) if file.name not in files]
    return errors


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="only compare the index with the lectures")
    formulas = all_formulas()
    if parser.parse_args().check:
        errors = index_errors(formulas)
        for error in errors:
            print(error, file=sys.stderr)
        if errors:
            print("Run resources/lectures/formulas/make_formulas.py.", file=sys.stderr)
        return 1 if errors else 0
    for file in HERE.glob("*.svg"):
        file.unlink()
    index = {}
    with tempfile.TemporaryDirectory() as folder:
        for tex, (svg, size) in zip(formulas, rendered(formulas, pathlib.Path(folder))):
            (HERE / file_of(tex)).write_text(flat(svg, size), encoding="utf-8")
            _, height, depth, ex = size
            margin = MARGIN / POINTS
            index[tex] = {"file": file_of(tex), "text": unicode_text(tex),
                          "height_ex": round((height + depth + 2 * margin) / ex, 3),
                          "depth_ex": round((depth + margin) / ex, 3)}
    (HERE / "formulas.json").write_text(json.dumps(index, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
