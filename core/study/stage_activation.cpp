#include "core/study/stage_activation.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/run/probing.h"

namespace ropelab {

StageActivation stage_activation(Engine& engine, const Checkpoint& checkpoint, std::string_view text,
                                 const StagePlace& place) {
    StageActivation result;
    result.place = place;
    result.iteration = checkpoint.iteration;
    result.tokens = Vocabulary::from_text(checkpoint.vocabulary).encode(text);
    if (result.tokens.empty()) throw BadInput("The text is empty; give at least one token.");
    const std::int64_t most = std::min(most_activation_tokens, checkpoint.spec.context);
    if (std::ssize(result.tokens) > most) result.tokens.resize(static_cast<std::size_t>(most));
    result.numbers = model_of(engine, checkpoint)->stage_output(result.tokens, place);
    return result;
}

std::string activation_excerpt(const Checkpoint& checkpoint, const std::filesystem::path& data_dir) {
    constexpr std::size_t length = 32;
    const auto corpus = corpus_of(checkpoint, data_dir);
    const std::span<const std::int32_t> tokens(corpus->validation);
    return corpus->vocabulary.decode(tokens.first(std::min(length, tokens.size())));
}

}  // namespace ropelab
