#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "core/experiment/checkpoint.h"
#include "core/spec/engine.h"

namespace ropelab {

/// What is done to pairs in all layers and heads: their clocks stopped, or their terms taken out of the logit.
struct KnockOut {
    enum class Kind { stop, remove } kind = Kind::stop;
    std::vector<std::int64_t> pairs;

    bool operator==(const KnockOut&) const = default;
};

/// Pairs first … last; none where last < first.
KnockOut pair_range(KnockOut::Kind kind, std::int64_t first, std::int64_t last);

/// The pairs of a head of `count` that a text names: as `selection` (core/spec/selection.h), or "fast4" and "slow4",
/// the four from that end. Throws BadInput, naming `what`.
std::vector<std::int64_t> parse_pairs(std::string_view text, std::int64_t count, std::string_view what);

/// Sets what is asked, in place of what the request asked before.
void knock_out(ProbeRequest& request, const KnockOut& how);

/// A run's checkpoint read as it is and with pairs knocked out, over the same windows.
struct KnockOutResult {
    KnockOut knock_out;
    std::int64_t iteration = 0;
    std::shared_ptr<const ProbeResult> whole;
    std::shared_ptr<const ProbeResult> without;
};

/// Losses in nats and shares of copies told against how many pairs are knocked out, 0 … all, from both ends.
struct KnockOutCurve {
    KnockOut::Kind kind = KnockOut::Kind::stop;
    std::int64_t iteration = 0;
    std::vector<double> fast_loss, slow_loss;
    std::vector<double> fast_accuracy, slow_accuracy;  // of retrieval, over all lags; NaN without room for copies

    std::size_t count() const { return fast_loss.size(); }
};

// Both read as many evenly spaced windows of the validation split, of the run's context, as hold 4,096 symbols, but 4
// at least and 32 at most, and copies to retrieve. Cancelled ones end early, with numbers that nobody should read. They
// throw BadInput where the data is not there, and for pairs that a head does not have.

KnockOutResult judge_knock_out(Engine& engine, const Checkpoint& checkpoint, const KnockOut& how,
                               const std::filesystem::path& data_dir, const std::function<bool()>& cancelled);
KnockOutCurve judge_knock_outs(Engine& engine, const Checkpoint& checkpoint, KnockOut::Kind kind,
                               const std::filesystem::path& data_dir, const std::function<bool()>& cancelled);

/// The share of judged copied symbols that were told, over all lags; NaN where there are none.
double retrieval_accuracy(const ProbeResult& result);

}  // namespace ropelab
