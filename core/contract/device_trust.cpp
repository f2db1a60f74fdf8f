#include "core/contract/device_trust.h"

#include <algorithm>
#include <array>

#include "core/base/error.h"
#include "core/base/numbers.h"

namespace ropelab {

namespace {

constexpr std::array<std::string_view, 3> outcome_words = {"started", "passed", "failed"};

}  // namespace

std::string_view word_of(DeviceCheck::Outcome outcome) {
    return outcome_words[static_cast<std::size_t>(outcome)];
}
DeviceCheck::Outcome device_check_outcome(std::string_view word) {
    const auto found = std::find(outcome_words.begin(), outcome_words.end(), word);
    if (found != outcome_words.end()) return static_cast<DeviceCheck::Outcome>(found - outcome_words.begin());
    throw BadInput("\"" + std::string(word) +
                   "\" is not an outcome of a device check; it must be started, passed or "
                   "failed.");
}

std::string to_text(const DeviceTrust& trust) {
    if (!trust.device) return "no device";
    return trust.graphs ? "graphs" : "off";
}

DeviceTrust parse_device_trust(std::string_view text) {
    text = trimmed(text);
    if (text == "no device") return {.device = false};
    if (text == "off" || text == "no-graphs") return {};
    if (text == "graphs" || text == "all") return {.graphs = true};
    if (text.starts_with("all but ")) return {.graphs = text.find("graphs") == std::string_view::npos};
    throw BadInput("\"" + std::string(text) + "\" is not a use of a CUDA device; it must be graphs, off or no device.");
}

void apply(const DeviceCheck& check, DeviceTrust& trust) {
    if (check.outcome != DeviceCheck::Outcome::failed) return;
    trust.graphs = false;
    trust.device = trust.device && check.of_graphs;
}

}  // namespace ropelab
