#pragma once

#include <QString>

namespace ropelab::ui {

/// For pdfLaTeX, LuaLaTeX and XeLaTeX without further packages: special characters are escaped, and Greek letters,
/// mathematical signs, superscripts and subscripts become commands. A character that LaTeX cannot print is replaced by
/// its code point: "[U+2603]".
QString latexText(const QString& text);

}  // namespace ropelab::ui
