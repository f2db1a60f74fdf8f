#pragma once

#include <QStringList>

namespace ropelab::ui {

/// Names without the parts (between commas) that all of them have, those first that few have: what tells them apart is
/// read even where the end is cut off. A name that would be empty, and one alone, stays whole.
QStringList distinctNames(const QStringList& names);

}  // namespace ropelab::ui
