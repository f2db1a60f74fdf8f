#include "core/interop/model_steps.h"

#include <algorithm>
#include <regex>

#include "core/base/error.h"
#include "core/interop/foreign/foreign_import.h"

namespace ropelab {

namespace fs = std::filesystem;

// −1 for a name without a step.
static std::int64_t step_of(const std::string& name) {
    static const std::regex with_step(
        R"((?:.*[-_.])?(?:checkpoint|ckpt|step|iter|iteration)[-_]?(\d{1,15})(?:[-_.].*)?|(\d{1,15}))",
        std::regex::icase);
    constexpr std::size_t longest_name = 255;
    std::smatch match;
    if (name.size() > longest_name || !std::regex_match(name, match, with_step)) return -1;
    return std::stoll(match[1].matched ? match[1] : match[2]);
}

std::vector<ModelStep> model_steps(const fs::path& folder) {
    std::error_code error;
    std::vector<ModelStep> steps;
    if (!fs::is_directory(folder, error) || fs::exists(folder / "config.json", error)) return steps;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
        const std::int64_t step = step_of(entry.path().filename().string());
        if (step >= 0 && fs::exists(entry.path() / "config.json", error)) steps.push_back({step, entry.path()});
    }
    std::ranges::sort(steps, {}, [](const ModelStep& each) { return std::pair(each.step, each.path); });
    const auto same = std::ranges::adjacent_find(steps, {}, &ModelStep::step);
    if (same != steps.end()) {
        throw BadInput("The folders " + same->path.filename().string() + " and " +
                       std::next(same)->path.filename().string() + " of " + folder.string() + " are both of step " +
                       std::to_string(same->step) + "; put the checkpoints of each training into a folder of its own.");
    }
    return steps.size() < 2 ? std::vector<ModelStep>() : steps;
}

fs::path last_model(const fs::path& path) {
    const std::vector<ModelStep> steps = model_steps(path);
    return steps.empty() ? path : steps.back().path;
}

OpenedModel open_step(const ModelStep& step, const ModelPlan& others) {
    OpenedModel model(step.path);
    const ModelPlan plan = model.plan();
    if (plan.layers != others.layers || plan.sizes != others.sizes) {
        throw BadInput("The config of " + step.path.string() +
                       " describes another model than those of the other checkpoints, but a folder of checkpoints must "
                       "be of one training; move it elsewhere.");
    }
    return model;
}

RunMetrics logged_losses(const fs::path& folder, std::span<const ModelStep> steps) {
    std::vector<fs::path> folders = {folder};
    for (auto step = steps.rbegin(); step != steps.rend(); ++step) folders.push_back(step->path);
    std::error_code error;
    for (const fs::path& each : folders) {
        const fs::path file = each / "trainer_state.json";
        if (!fs::exists(file, error)) continue;
        try {
            return plan_import(std::vector{file}).runs.front().metrics;
        } catch (const BadInput&) {
            break;  // nothing was logged, or the file is damaged: the checkpoints can be measured without it
        }
    }
    return {};
}

}  // namespace ropelab
