#include "core/data/synthetic/floor.h"

#include <cmath>
#include <string>
#include <unordered_map>

#include "core/data/synthetic/filter.h"
#include "core/spec/error.h"

namespace ropelab {
namespace {

/// Computes the optimal predictor's losses on sequences. Nearly all computation for a sequence concerns its first
/// characters, where thousands of states are possible; the results for equal beginnings are therefore cached.
class SequenceLosses {
 public:
    SequenceLosses(const Source& source, std::span<const double> stationary)
        : filter_(source), stationary_(belief_of(stationary)) {}

    /// Stores the loss at each character of `sequence`, including the first, in `losses`. `offset` is the position of
    /// the sequence in the text, for error messages.
    void compute(std::string_view sequence, std::size_t offset, std::vector<double>& losses) {
        losses.clear();
        const Belief* known = &stationary_;
        for (std::size_t seen = 1; seen <= sequence.size(); ++seen) {
            if (seen <= kCachedCharacters) {
                const CachedStep& step = cached_step(*known, sequence.substr(0, seen));
                losses.push_back(step.loss);
                known = &step.belief;
            } else {
                if (known != &belief_) belief_ = *known;
                known = &belief_;
                losses.push_back(-std::log(filter_.advance(belief_, sequence[seen - 1])));
            }
            if (known->states.empty()) refuse(sequence[seen - 1], offset + seen - 1);
        }
    }

 private:
    struct CachedStep {
        double loss;
        Belief belief;
    };

    static constexpr std::size_t kCachedCharacters = 2;

    const CachedStep& cached_step(const Belief& before, std::string_view seen) {
        auto entry = cache_.find(std::string(seen));
        if (entry == cache_.end()) {
            CachedStep step{0, before};
            step.loss = -std::log(filter_.advance(step.belief, seen.back()));
            entry = cache_.emplace(seen, std::move(step)).first;
        }
        return entry->second;
    }

    [[noreturn]] static void refuse(char character, std::size_t offset) {
        const bool printable = character > ' ' && character <= '~';
        const std::string shown = printable ? std::string("'") + character + "'"
                                            : "byte " + std::to_string(static_cast<unsigned char>(character));
        throw BadInput("The text is not from this synthetic language: " + shown + " at offset " +
                       std::to_string(offset) + " is not possible there.");
    }

    Filter filter_;
    Belief stationary_;
    Belief belief_;
    std::unordered_map<std::string, CachedStep> cache_;
};

}  // namespace

std::vector<double> loss_by_position(const Source& source, std::span<const double> stationary, std::string_view text,
                                     int context, const std::function<bool()>& cancelled) {
    if (context < 1) {
        throw BadInput("The context is " + std::to_string(context) + ", but it must be at least 1 character.");
    }
    const auto width = static_cast<std::size_t>(context);
    if (text.size() < width + 1) {
        throw BadInput("The text has " + std::to_string(text.size()) + " characters, but a context of " +
                       std::to_string(context) + " needs at least " + std::to_string(width + 1) + ".");
    }
    SequenceLosses sequence_losses(source, stationary);
    std::vector<double> sums(width, 0.0);
    std::vector<double> losses;
    const std::size_t sequences = (text.size() - 1) / width;
    for (std::size_t sequence = 0; sequence < sequences; ++sequence) {
        if (cancelled && cancelled()) return {};
        sequence_losses.compute(text.substr(sequence * width, width + 1), sequence * width, losses);
        for (std::size_t t = 0; t < width; ++t) sums[t] += losses[t + 1];
    }
    for (double& sum : sums) sum /= static_cast<double>(sequences);
    return sums;
}

}  // namespace ropelab
