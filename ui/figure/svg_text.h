#pragma once

#include <QByteArray>
#include <QString>

namespace ropelab::ui {

/// Text in the bundled font can be edited and searched. Outlines look the same where this font is not installed; their
/// text is kept as aria-label.
enum class SvgText { font, outlines };

/// In the order of preference: the bundled font, the font from which it was made, and the generic family.
QString svgFontFamily();

/// Other elements of the SVG from Qt's generator do not change. Input that is not XML is returned unchanged.
QByteArray withText(const QByteArray& svg, SvgText text);

}  // namespace ropelab::ui
