#pragma once

#include <QByteArray>

namespace ropelab::ui {

/// Converts the text of an SVG from Qt's generator to outlines, so that it looks the same where the bundled font is not
/// installed. The text is kept as aria-label. Other elements do not change. Input that is not XML is returned
/// unchanged.
QByteArray withOutlinedText(const QByteArray& svg);

}  // namespace ropelab::ui
