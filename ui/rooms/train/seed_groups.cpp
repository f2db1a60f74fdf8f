#include "ui/rooms/train/seed_groups.h"

#include <QObject>
#include <algorithm>
#include <set>

#include "core/spec/run_names.h"
#include "ui/common/format.h"

namespace ropelab::ui {

std::vector<CurveGroup> seedGroups(const std::vector<RunView>& runs) {
    std::vector<RunSpec> specs;  // one per group
    std::vector<std::set<std::int64_t>> seeds;
    std::vector<CurveGroup> groups;
    std::vector<std::string> given;  // the user's name of each group's setting
    for (const RunView& run : runs) {
        if (!run.visible) continue;
        RunSpec spec = run.spec;
        spec.seed = RunSpec{}.seed;
        const auto known = std::find(specs.begin(), specs.end(), spec);
        const auto place = static_cast<std::size_t>(known - specs.begin());
        if (known == specs.end()) {
            specs.push_back(spec);
            seeds.emplace_back();
            groups.emplace_back();
            given.push_back(run.settingName);
        }
        // A repetition with the same seed adds no information about the variance over seeds.
        if (seeds[place].insert(run.spec.seed).second) groups[place].runs.push_back(run.record.id);
    }
    const std::vector<std::string> names = run_names(specs);
    for (std::size_t i = 0; i < groups.size(); ++i) {
        groups[i].label = QString::fromStdString(given[i].empty() ? names[i] : given[i]);
        if (groups[i].runs.size() < 2) continue;
        groups[i].label += QStringLiteral(", ") + countText(std::ssize(groups[i].runs), QObject::tr("seed"));
    }
    return groups;
}

bool anyRepeats(const std::vector<CurveGroup>& groups) {
    return std::any_of(groups.begin(), groups.end(), [](const CurveGroup& group) { return group.runs.size() > 1; });
}

}  // namespace ropelab::ui
