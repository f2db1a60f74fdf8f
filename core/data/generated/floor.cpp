#include "core/data/generated/floor.h"

#include <cmath>
#include <string>
#include <unordered_map>

#include "core/data/generated/filter.h"
#include "core/spec/error.h"

namespace ropelab {
namespace {

/// Follows windows from their start. Nearly all the work of a window lies in its first characters, where thousands of
/// states are possible; windows that begin with the same characters share it.
class WindowReader {
 public:
    WindowReader(const Source& source, std::span<const double> stationary)
        : filter_(source), stationary_(belief_of(stationary)) {}

    /// The loss at each character of `window`, the first included: (characters).
    void read(std::string_view window, std::size_t offset, std::vector<double>& losses) {
        losses.clear();
        const Belief* known = &stationary_;
        for (std::size_t seen = 1; seen <= window.size(); ++seen) {
            if (seen <= kSharedCharacters) {
                const Shared& step = shared_step(*known, window.substr(0, seen));
                losses.push_back(step.loss);
                known = &step.belief;
            } else {
                if (known != &belief_) belief_ = *known;
                known = &belief_;
                losses.push_back(-std::log(filter_.advance(belief_, window[seen - 1])));
            }
            if (known->states.empty()) refuse(window[seen - 1], offset + seen - 1);
        }
    }

 private:
    struct Shared {
        double loss;
        Belief belief;
    };

    static constexpr std::size_t kSharedCharacters = 2;

    const Shared& shared_step(const Belief& before, std::string_view seen) {
        auto entry = shared_.find(std::string(seen));
        if (entry == shared_.end()) {
            Shared step{0, before};
            step.loss = -std::log(filter_.advance(step.belief, seen.back()));
            entry = shared_.emplace(seen, std::move(step)).first;
        }
        return entry->second;
    }

    [[noreturn]] static void refuse(char symbol, std::size_t offset) {
        const bool printable = symbol > ' ' && symbol <= '~';
        const std::string shown =
            printable ? std::string("'") + symbol + "'" : "byte " + std::to_string(static_cast<unsigned char>(symbol));
        throw BadInput("A text of the generated language is needed, but " + shown + " at offset " +
                       std::to_string(offset) + " cannot stand there in it.");
    }

    Filter filter_;
    Belief stationary_;
    Belief belief_;
    std::unordered_map<std::string, Shared> shared_;
};

}  // namespace

std::vector<double> loss_by_position(const Source& source, std::span<const double> stationary, std::string_view text,
                                     int context, const std::function<bool()>& cancelled) {
    if (context < 1) {
        throw BadInput("The context is " + std::to_string(context) + ", but a window has at least 1 character.");
    }
    const auto width = static_cast<std::size_t>(context);
    if (text.size() < width + 1) {
        throw BadInput("The text has " + std::to_string(text.size()) + " characters, but a window of context " +
                       std::to_string(context) + " needs at least " + std::to_string(width + 1) + ".");
    }
    WindowReader reader(source, stationary);
    std::vector<double> sums(width, 0.0);
    std::vector<double> losses;
    const std::size_t windows = (text.size() - 1) / width;
    for (std::size_t window = 0; window < windows; ++window) {
        if (cancelled && cancelled()) return {};
        reader.read(text.substr(window * width, width + 1), window * width, losses);
        for (std::size_t t = 0; t < width; ++t) sums[t] += losses[t + 1];
    }
    for (double& sum : sums) sum /= static_cast<double>(windows);
    return sums;
}

}  // namespace ropelab
