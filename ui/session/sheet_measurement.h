#pragma once

#include <QString>
#include <filesystem>
#include <vector>

#include "core/reproduce/sheet_lab.h"
#include "core/rope/context.h"

namespace ropelab::ui {

class EngineLock;

/// Measures the quantities that sheets (reproductions and sets of predictions) require of their runs. Uses the engine
/// exclusively, because speeds are measured too. Returns why it failed; "" if it finished or was cancelled.
QString measureWithLock(EngineLock& engineLock, const QString& lab, const std::vector<StoredSheet>& sheets,
                        const std::filesystem::path& dataDir, const Cancelled& cancelled);

}  // namespace ropelab::ui
