#include "core/data/synthetic/language.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "core/base/aliases.h"
#include "core/base/error.h"
#include "core/data/synthetic/random.h"
#include "core/data/synthetic/rules.h"
#include "core/data/synthetic/source.h"

namespace ropelab {

std::optional<Language> find_language(std::string_view data) {
    data = current_name(Alias::Kind::data, data);
    const auto found = std::ranges::find(languages(), data, &LanguageFacts::name);
    return found == languages().end() ? std::nullopt : std::optional(found->language);
}

std::span<const LanguageFacts> languages() {
    static constexpr auto all = std::to_array<LanguageFacts>({
        {Language::positional, "synthetic", "synthetic language",
         "A synthetic language in which the positions of characters matter."},
        {Language::local, "synthetic-local", "synthetic local language",
         "A synthetic language for control experiments: each character depends only on the previous one."},
        {Language::window_8, "synthetic-window-8", "synthetic language of width 8",
         "A synthetic language whose characters mostly repeat one of the last 8.", 8},
        {Language::window_32, "synthetic-window-32", "synthetic language of width 32",
         "A synthetic language whose characters mostly repeat one of the last 32.", 32},
    });
    return all;
}

namespace {

// Window languages: one of `odds` characters is one of the letters, all equally likely; the others repeat one of the
// last characters.
constexpr std::string_view letters = "abdefghiklmnoprstuvz";
constexpr std::uint32_t odds = 8;
constexpr std::size_t rate_characters = 1 << 20;

std::size_t window_of(Language language) {
    return std::ranges::find(languages(), language, &LanguageFacts::language)->window;
}

std::string window_text(std::size_t window, CounterRandom& random, std::size_t characters) {
    std::string text;
    while (text.size() < characters) {
        const bool is_new = random.below(odds) == 0 || text.size() < window;
        text += is_new ? letters[random.below(letters.size())]
                       : text[text.size() - 1 - random.below(static_cast<std::uint32_t>(window))];
    }
    return text;
}

// −ln of the probability of character `at` after the characters before it; those that are missing are any letters.
double window_loss(std::string_view text, std::size_t at, std::size_t window) {
    const std::size_t known = std::min(at, window);
    const auto same = std::ranges::count(text.substr(at - known, known), text[at]);
    const double any = 1.0 / static_cast<double>(letters.size());
    const double repeated =
        (static_cast<double>(same) + static_cast<double>(window - known) * any) / static_cast<double>(window);
    return -std::log(((odds - 1) * repeated + any) / odds);
}

std::vector<double> window_losses(std::string_view text, std::size_t window, std::size_t context,
                                  const std::function<bool()>& cancelled) {
    if (context < 1 || text.size() <= context)
        throw BadInput("The validation text has " + std::to_string(text.size()) +
                       " characters, but the context needs more than " + std::to_string(context) + ".");
    if (const auto at = text.find_first_not_of(letters); at != std::string_view::npos)
        throw BadInput("Character " + std::to_string(at + 1) + " of the text is not one of the letters " +
                       std::string(letters) + " of the synthetic language.");
    const std::size_t sequences = (text.size() - 1) / context;
    std::vector<double> losses(context);
    for (std::size_t sequence = 0; sequence < sequences; ++sequence) {
        if (cancelled && cancelled()) return {};
        for (std::size_t t = 0; t < context; ++t)
            losses[t] += window_loss(text, sequence * context + t + 1, window) / static_cast<double>(sequences);
    }
    return losses;
}

struct Compiled {
    explicit Compiled(Source rules)
        : source(std::move(rules)),
          stationary(stationary_distribution(source)),
          rate(entropy_rate(source, stationary)) {}

    Source source;
    std::vector<double> stationary;
    double rate;
};

const Compiled& compiled(Language language) {
    if (window_of(language) > 0) throw std::logic_error("A window language is no Markov source.");
    if (language == Language::local) {
        static const Compiled local(local_language());
        return local;
    }
    static const Compiled positional(positional_language());
    return positional;
}

}  // namespace

const Source& language_source(Language language) {
    return compiled(language).source;
}

double entropy_rate(Language language) {
    if (const std::size_t window = window_of(language); window > 0) {
        CounterRandom random(1);
        const std::string text = window_text(window, random, rate_characters + window);
        double sum = 0;
        for (std::size_t at = window; at < text.size(); ++at) sum += window_loss(text, at, window);
        return sum / static_cast<double>(rate_characters);
    }
    return compiled(language).rate;
}

std::string generate_text(Language language, std::int64_t seed, std::size_t characters) {
    CounterRandom random(mix64(static_cast<std::uint64_t>(seed)));
    if (const std::size_t window = window_of(language); window > 0) return window_text(window, random, characters);
    const Source& source = language_source(language);
    std::string text;
    text.reserve(characters);
    std::int32_t state = Source::kStart;
    while (text.size() < characters) {
        const auto arcs = source.arcs(state);
        std::size_t chosen = 0;
        if (arcs.size() > 1) {
            std::uint32_t rest = random.below(source.total_weight(state));
            while (rest >= arcs[chosen].weight) rest -= arcs[chosen++].weight;
        }
        text += arcs[chosen].character;
        state = arcs[chosen].next;
    }
    return text;
}

EntropyFloor language_floor(Language language, std::string_view validation_text, int context,
                            const std::function<bool()>& cancelled) {
    EntropyFloor floor;
    if (const std::size_t window = window_of(language); window > 0) {
        floor.loss_by_position =
            window_losses(validation_text, window, static_cast<std::size_t>(std::max(context, 0)), cancelled);
    } else {
        const Compiled& rules = compiled(language);
        floor.loss_by_position = loss_by_position(rules.source, rules.stationary, validation_text, context, cancelled);
    }
    if (floor.loss_by_position.empty()) return {};
    floor.mean = std::accumulate(floor.loss_by_position.begin(), floor.loss_by_position.end(), 0.0) /
                 static_cast<double>(floor.loss_by_position.size());
    floor.entropy_rate = entropy_rate(language);
    return floor;
}

}  // namespace ropelab
