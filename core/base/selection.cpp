#include "core/base/selection.h"

#include <charconv>
#include <optional>
#include <string>

#include "core/base/error.h"

namespace ropelab {

namespace {

std::optional<std::int64_t> whole_number(std::string_view text) {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size() || number < 0) return std::nullopt;
    return number;
}

}  // namespace

std::vector<bool> selection(std::string_view text, std::int64_t count, std::string_view key) {
    const auto refuse = [&](const std::string& why) {
        throw BadInput("The setting " + std::string(key) + " is \"" + std::string(text) + "\", but " + why + ".");
    };
    std::vector<bool> chosen(static_cast<std::size_t>(count), text == "all");
    if (text == "all") return chosen;

    if (const auto of = text.find("of"); of != std::string_view::npos) {
        const auto first = whole_number(text.substr(0, of));
        const auto every = whole_number(text.substr(of + 2));
        if (!first || !every || *every == 0 || *first > *every) {
            refuse("a pattern must look like 3of4, which means the first three of every four");
        }
        for (std::int64_t i = 0; i < count; ++i) chosen[static_cast<std::size_t>(i)] = i % *every < *first;
        return chosen;
    }

    std::string_view rest = text;
    while (true) {
        const auto plus = rest.find('+');
        const std::string_view part = rest.substr(0, plus);
        const auto dash = part.find('-');
        const auto first = whole_number(part.substr(0, dash));
        const auto last = dash == std::string_view::npos ? first : whole_number(part.substr(dash + 1));
        if (!first || !last || *last < *first) {
            refuse(
                "it must be all, a list of numbers and ranges joined by plus signs like 0-2+5, or a pattern like 3of4");
        }
        if (*last >= count) {
            refuse("its numbers must be between 0 and " + std::to_string(count - 1) + "; " + std::to_string(*last) +
                   " is too large");
        }
        for (std::int64_t i = *first; i <= *last; ++i) chosen[static_cast<std::size_t>(i)] = true;
        if (plus == std::string_view::npos) return chosen;
        rest.remove_prefix(plus + 1);
    }
}

}  // namespace ropelab
