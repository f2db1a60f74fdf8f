#include "ui/rooms/spectrum/learned_panels.h"

#include <algorithm>

#include "core/sweep/stored_run.h"
#include "core/spec/error.h"
#include "core/spec/keys.h"

namespace ropelab::ui {

LearnedPanels learnedPanels(const LabFile& lab, int head, std::span<const std::int64_t> distances,
                            const Cancelled& cancelled) {
    LearnedPanels panels;
    const std::vector<RunRecord> runs = lab.runs();
    for (auto run = runs.rbegin(); run != runs.rend() && !(cancelled && cancelled()); ++run) {
        try {
            const RunSpec spec = stored_spec(*run);
            const std::string position = to_text(key("position").get(spec));
            if (panels.contains(position)) continue;
            const bool isLearned = spec.position == Position::learned || spec.has_distance_bias() ||
                                   spec.position == Position::shaw || spec.position == Position::transformer_xl ||
                                   spec.position == Position::cope;
            const auto checkpoint = isLearned ? read_checkpoint(lab.checkpoint_path(run->id)) : std::nullopt;
            if (!checkpoint) continue;
            const std::int64_t ofRun = std::clamp<std::int64_t>(head, 1, spec.heads) - 1;
            auto learned = learned_encoding(*checkpoint, 0, ofRun, distances);
            if (!learned) continue;
            panels[position] = {run->id, QString::fromStdString(run->name), std::move(*learned),
                                static_cast<int>(ofRun) + 1};
        } catch (const BadInput&) {  // a damaged run has no panel
        }
    }
    return panels;
}

}  // namespace ropelab::ui
