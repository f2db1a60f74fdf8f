#include "core/data/synthetic/language.h"

#include <numeric>

#include "core/base/aliases.h"
#include "core/data/synthetic/random.h"
#include "core/data/synthetic/rules.h"
#include "core/data/synthetic/source.h"

namespace ropelab {

std::optional<Language> find_language(std::string_view data) {
    data = current_name(Alias::Kind::data, data);
    if (data == "synthetic") return Language::positional;
    if (data == "synthetic-local") return Language::local;
    return std::nullopt;
}

namespace {

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
    return compiled(language).rate;
}

std::string generate_text(Language language, std::int64_t seed, std::size_t characters) {
    const Source& source = language_source(language);
    CounterRandom random(mix64(static_cast<std::uint64_t>(seed)));
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
    const Compiled& rules = compiled(language);
    EntropyFloor floor;
    floor.loss_by_position = loss_by_position(rules.source, rules.stationary, validation_text, context, cancelled);
    if (floor.loss_by_position.empty()) return {};
    floor.mean = std::accumulate(floor.loss_by_position.begin(), floor.loss_by_position.end(), 0.0) /
                 static_cast<double>(floor.loss_by_position.size());
    floor.entropy_rate = rules.rate;
    return floor;
}

}  // namespace ropelab
