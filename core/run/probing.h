#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include "core/contract/engine.h"
#include "core/contract/probe.h"
#include "core/data/corpus.h"
#include "core/run/checkpoint.h"

namespace ropelab {

/// The fixed probe batch: the same sequences of the validation split at every step (at most 8), and a retrieval test
/// (recall of copied tokens). It costs little compared with the training between two evaluations. Its attention maps
/// have at most 8,192 numbers over all heads, but at least 8 × 8 per head. At the `last` step the retrieval test has
/// the lags of retrieval_grid and up to 16 sequences per lag (192 tokens: the standard error of an accuracy is at most
/// 3.6 percentage points); it costs about 2 % of the training.
ProbeRequest snapshot_request(const RunSpec& spec, std::span<const std::int32_t> validation, bool last = false);

/// What a snapshot has, of an external model: of 4 to 8 sequences of 256 tokens, 4 of 128 tokens for a large model, and
/// a retrieval test in 128 tokens, so that it takes seconds on a CPU. Its attention maps have up to 32 tokens.
ProbeRequest external_snapshot_request(const Checkpoint& checkpoint);

/// With targets; at most the non-overlapping ones, and all of these if `count` is 0. Throws BadInput for fewer than
/// length + 1 tokens.
ProbeSequences spaced_sequences(std::span<const std::int32_t> text, std::int64_t length, std::int64_t count);

/// Losses, also of each sequence, and retrieval: about `tokens` tokens in 4 to 32 sequences. Throws as
/// spaced_sequences.
ProbeRequest loss_request(std::span<const std::int32_t> text, std::int64_t length, std::int64_t tokens);

/// The last token has no target. Throws BadInput for an empty text.
ProbeSequences sequence_of(std::span<const std::int32_t> text);

/// Ascending distances of copies in sequences of `length` tokens: from the length of the copy (a quarter of the
/// sequence, at most 16 tokens), doubling up to the largest that fits. Empty if `length` is below 8.
std::vector<std::int64_t> retrieval_lags(std::int64_t length);

/// Ascending: retrieval_lags and 32 evenly spaced ones (or all) between their ends. Empty if `length` is below 8.
std::vector<std::int64_t> retrieval_grid(std::int64_t length);

/// `windows_per_lag` sequences per lag of retrieval_lags. Each sequence is a piece of the text whose last tokens repeat
/// the tokens `lag` positions before. The copied tokens (at most 16) are sampled independently from the text, so that
/// only the first copy predicts the second; the last three quarters of them are tested. A token is predicted from the
/// one before it, so that retrieval at a lag attends at the distance lag − 1. The sequences of a lag are equal at every
/// call. There are none if `length` is below 8 or the text has fewer than length + 1 tokens.
RetrievalTest retrieval_test(std::span<const std::int32_t> text, std::int64_t length, std::int64_t windows_per_lag);
/// Throws BadInput if a lag is shorter or longer than those of retrieval_lags: the copies would overlap or not fit.
RetrievalTest retrieval_test(std::span<const std::int32_t> text, std::int64_t length, std::int64_t windows_per_lag,
                             std::span<const std::int64_t> lags);

/// |DFT| of a head's mean attention by distance less its mean, scaled like kernel_spectrum (core/stats/spectrum.h). Bin
/// j has a wavelength of length/j tokens. Empty if the result's curves have a reduced number of distances.
std::vector<double> attention_spectrum(const ProbeResult& result, std::int64_t layer, std::int64_t head);

/// Per head, those that are not rotated included: of the first layer with attention scores, else of the first layer.
std::int64_t pairs_of(const ModelPlan& plan);

/// In the first layer that rotates, in radians per token, one per pair; 0 for pairs that are not rotated.
std::vector<double> probed_frequencies(const ModelPlan& plan, const ProbeRequest& request);

/// For Δ = 0 … count − 1 (formulas 12 and 13). Empty without RoPE or if theta changes during training.
std::vector<double> bound_by_distance(const ModelPlan& plan, const ProbeRequest& request, std::int64_t count);

/// Of a run, or of an external model for sequences of its context.
ModelPlan plan_of(const Checkpoint& checkpoint);

/// Tokens of each sequence on which a model is evaluated by default: the context of a run, and at most 512 for an
/// external model, whose context would take minutes.
std::int64_t evaluated_length(const Checkpoint& checkpoint);

/// Throws BadInput like open_corpus, and if the data has changed since training.
std::shared_ptr<const Corpus> corpus_of(const Checkpoint& checkpoint, const std::filesystem::path& data_dir);

/// With `times` the context of a run (only 1 for learned positions), or with the frequencies of an external model for
/// `times` the evaluated length. While a Runner trains, use Runner::probe instead.
std::shared_ptr<Model> model_of(Engine& engine, const Checkpoint& checkpoint, std::int64_t times = 1);
/// For a probe of sequences of `tokens` tokens, which may exceed the context.
std::shared_ptr<Model> model_for(Engine& engine, const Checkpoint& checkpoint, std::int64_t tokens);

}  // namespace ropelab
