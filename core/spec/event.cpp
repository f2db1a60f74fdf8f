#include "core/spec/event.h"

#include <array>
#include <string_view>

#include "core/spec/error.h"

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

}  // namespace ropelab
