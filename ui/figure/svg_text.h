#pragma once

#include <QByteArray>

namespace ropelab::ui {

/// An SVG of Qt's generator with its words as outlines, so that it looks the same where the bundled font is missing;
/// the words stay readable as aria-label. Other elements are kept. Where the input is no XML it comes back as it is.
QByteArray withOutlinedText(const QByteArray& svg);

}  // namespace ropelab::ui
