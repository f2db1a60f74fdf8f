#include "ui/session/sheet_measurement.h"

#include <algorithm>

#include "core/reproduce/rules/measuring.h"
#include "ui/common/paths.h"
#include "ui/session/engine_work.h"

namespace ropelab::ui {

QString measureWithLock(EngineLock& engineLock, const QString& lab, const std::vector<StoredSheet>& sheets,
                        const std::filesystem::path& dataDir, const Cancelled& cancelled) {
    const auto outcome = withEngine<bool>(engineLock, cancelled, [&](Engine& engine, const Cancelled& ends) {
        const auto lockedEngine = [&engine]() -> Engine& { return engine; };
        const auto file = LabFile::open(toPath(lab));
        return std::all_of(sheets.begin(), sheets.end(), [&](const StoredSheet& sheet) {
            return measure_runs(*file, sheet.experiment, sheet.plan, dataDir, lockedEngine, ends);
        });
    });
    return outcome.problem;
}

}  // namespace ropelab::ui
