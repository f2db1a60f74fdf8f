#pragma once

#include <QStringList>

namespace ropelab::ui {

/// Removes the parts (between commas) and the prefix (before a plus sign) that all names have. For long names, also
/// removes parts that occur in the same names as an earlier part, and puts rare parts first, so that elided names
/// remain distinct. A name is not shortened if it is the only one or would become empty.
QStringList distinctNames(const QStringList& all);
/// If most names exceed 40 characters, the long ones are shortened by distinctNames(); all other names are unchanged.
QStringList listedNames(const QStringList& all);

}  // namespace ropelab::ui
