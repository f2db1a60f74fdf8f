#pragma once

#include <QByteArray>
#include <QString>

namespace ropelab::ui {

/// Text in the bundled font can be edited and searched; outlines need no font and keep their text as aria-label.
enum class SvgText { font, outlines };

/// In the order of preference: the bundled font, the font from which it was made, and the generic family.
QString svgFontFamily();

/// Other elements of the SVG from Qt's generator do not change. Input that is not XML is returned unchanged.
QByteArray withText(const QByteArray& svg, SvgText text);

}  // namespace ropelab::ui
