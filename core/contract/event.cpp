#include "core/contract/event.h"

#include <array>
#include <string_view>

#include "core/base/error.h"

namespace ropelab {

namespace {
constexpr std::array<std::string_view, 6> words = {"waiting", "running", "paused", "finished", "failed", "stopped"};
}

std::string to_string(RunState state) {
    return std::string(words[static_cast<std::size_t>(state)]);
}

RunState run_state(const std::string& word) {
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (words[i] == word) return static_cast<RunState>(i);
    }
    throw BadInput(
        "\"" + word +
        "\" is not a state of a run; the states are waiting, running, paused, finished, failed and stopped.");
}

ExperimentPrecision experiment_precision(const RunConditions& conditions) {
    std::string reason = conditions.reason;
    if (const std::string name = conditions.precision + ": "; reason.starts_with(name)) reason.erase(0, name.size());
    const auto end = reason.find(". ");
    return {precision_of(conditions), end == std::string::npos ? reason : reason.substr(0, end + 1)};
}

}  // namespace ropelab
