#pragma once

#include <QStringList>

namespace ropelab::ui {

/// Names without the parts (between commas) and the start (before a plus) that all of them have. Of long ones, parts
/// that the very same names have are told by the first of them, and those parts come first that few have: what tells
/// them apart is read even where the end is cut off. A name that would be empty, and one alone, stays whole.
QStringList distinctNames(const QStringList& all);
/// For a list: where most names have more letters than it has room for, those long ones by distinctNames(); else, and
/// the short ones, as they are.
QStringList listedNames(const QStringList& all);

}  // namespace ropelab::ui
