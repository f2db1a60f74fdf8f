#include "core/spec/device_trust.h"

#include <algorithm>

#include "core/spec/error.h"
#include "core/spec/numbers.h"

namespace ropelab {

namespace {

constexpr std::array<std::string_view, device_part_count> part_words = {
    "rotation", "norm", "dropout", "softmax", "activation", "loss", "embedding", "optimizer", "batches", "graphs"};
constexpr std::array<std::string_view, 4> outcome_words = {"started", "passed", "slower", "failed"};

template <typename Enum, std::size_t count>
Enum value_of(const std::array<std::string_view, count>& words, std::string_view word, const std::string& what) {
    const auto found = std::find(words.begin(), words.end(), word);
    if (found != words.end()) return static_cast<Enum>(found - words.begin());
    std::string list;
    for (const std::string_view known : words) list += (list.empty() ? "" : ", ") + std::string(known);
    throw BadInput("\"" + std::string(word) + "\" is not " + what + "; it must be one of: " + list + ".");
}

}  // namespace

std::string_view word_of(DevicePart part) {
    return part_words[static_cast<std::size_t>(part)];
}
DevicePart device_part(std::string_view word) {
    return value_of<DevicePart>(part_words, word, "a part of the CUDA code");
}

std::string_view word_of(DeviceCheck::Outcome outcome) {
    return outcome_words[static_cast<std::size_t>(outcome)];
}
DeviceCheck::Outcome device_check_outcome(std::string_view word) {
    return value_of<DeviceCheck::Outcome>(outcome_words, word, "an outcome of a device check");
}

DeviceTrust DeviceTrust::everything() {
    DeviceTrust trust;
    trust.parts_.fill(true);
    return trust;
}

std::string to_text(const DeviceTrust& trust) {
    if (!trust.device) return "no device";
    if (trust == DeviceTrust::everything()) return "all";
    if (trust == DeviceTrust::libtorch_alone()) return "off";
    std::string text;
    for (std::size_t part = 0; part < device_part_count; ++part) {
        if (trust.trusts(static_cast<DevicePart>(part))) continue;
        text += (text.empty() ? "all but " : ", ") + std::string(part_words[part]);
    }
    return text;
}

DeviceTrust parse_device_trust(std::string_view text) {
    text = trimmed(text);
    DeviceTrust trust = DeviceTrust::everything();
    if (text == "all") return trust;
    if (text == "off") return DeviceTrust::libtorch_alone();
    if (text == "no device") {
        trust = DeviceTrust::libtorch_alone();
        trust.device = false;
        return trust;
    }
    constexpr std::string_view all_but = "all but ";
    if (text == "no-graphs") {
        text = "graphs";
    } else if (text.starts_with(all_but)) {
        text.remove_prefix(all_but.size());
    } else {
        throw BadInput("\"" + std::string(text) +
                       "\" is not a choice of CUDA kernels; it must be all, no-graphs, off or a list like \"all but "
                       "graphs, norm\".");
    }
    while (!text.empty()) {
        const std::size_t comma = std::min(text.find(','), text.size());
        trust.set(device_part(trimmed(text.substr(0, comma))), false);
        text.remove_prefix(std::min(comma + 1, text.size()));
    }
    return trust;
}

void apply(const DeviceCheck& check, DeviceTrust& trust) {
    using Outcome = DeviceCheck::Outcome;
    if (check.outcome != Outcome::failed && check.outcome != Outcome::slower) return;
    if (!check.checks_libtorch) {
        trust.set(check.part, false);
    } else if (check.outcome == Outcome::failed) {
        trust = DeviceTrust::libtorch_alone();
        trust.device = false;
    }
}

}  // namespace ropelab
