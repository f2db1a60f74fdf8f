#include "core/contract/training_clock.h"

#include <charconv>

namespace ropelab {

namespace {

constexpr const char* random_word = "random";
constexpr const char* cohort_word = "cohort";

}  // namespace

std::string to_text(const TrainingClock& clock) {
    return std::string(clock.random_order ? random_word : cohort_word) + ' ' + std::to_string(clock.cohort) + ' ' +
           clock.session;
}

std::optional<TrainingClock> training_clock(const std::string& text) {
    const std::size_t number = text.find(' ');
    const std::size_t session = number == std::string::npos ? number : text.find(' ', number + 1);
    if (session == std::string::npos) return std::nullopt;
    const std::string word = text.substr(0, number);
    TrainingClock clock{text.substr(session + 1), 0, word == random_word};
    const auto [end, error] = std::from_chars(text.data() + number + 1, text.data() + session, clock.cohort);
    const bool is_clock = (clock.random_order || word == cohort_word) && error == std::errc() &&
                          end == text.data() + session && !clock.session.empty();
    return is_clock ? std::optional(clock) : std::nullopt;
}

}  // namespace ropelab
