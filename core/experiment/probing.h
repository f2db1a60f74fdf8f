#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include "core/data/corpus.h"
#include "core/experiment/checkpoint.h"
#include "core/spec/engine.h"
#include "core/spec/probe.h"

namespace ropelab {

// What is looked at inside a run, and when.

/// Whether a run in training is looked into after `iteration` steps: at every `probe_every`-th evaluation, at the end,
/// and after 1, 2, 4, 8, … steps up to the first evaluation. Where this would be more than 100 evaluations they are
/// thinned evenly, so that the lab file stays small.
bool probes_at(const RunSpec& spec, std::int64_t iteration);

/// Whether looking inside has cost so much beside the training steps, both in seconds, that the next look is left out:
/// more than 5 seconds and 4 % (many small runs on a fast device; elsewhere about 1 %).
bool probes_are_dear(double probing, double training);

/// The fixed probe batch of a run: the same windows of the validation split at every iteration, and copies to retrieve.
/// It is small beside the training between two evaluations, 8 windows at most; its attention maps have at most 8,192
/// numbers over all heads (8 symbols at least).
ProbeRequest snapshot_request(const RunSpec& spec, std::span<const std::int32_t> validation);

/// `count` windows of `length` symbols, evenly spaced, with their targets; 0: every non-overlapping one, in order.
/// Throws BadInput where the text has fewer than length + 1 symbols.
ProbeWindows spaced_windows(std::span<const std::int32_t> text, std::int64_t length, std::int64_t count);

/// What a model reads to be judged by its losses: about `symbols` symbols of a text in windows of `length` (4 to 32 of
/// them), and copies to retrieve; nothing inside attention is measured. Throws as `spaced_windows`.
ProbeRequest judging_request(std::span<const std::int32_t> text, std::int64_t length, std::int64_t symbols);

/// A text as one window; nothing follows its last symbol. Throws BadInput for an empty one.
ProbeWindows window_of(std::span<const std::int32_t> text);

/// The lags at which copies are looked for in windows of `length` symbols, ascending: from the copy's own length, a
/// quarter of the window and 16 at most, doubling up to what the window holds. None where the length is below 8.
std::vector<std::int64_t> retrieval_lags(std::int64_t length);

/// Copies at retrieval_lags, `windows_a_lag` windows each: a
/// stretch of the text whose last symbols repeat what stood `lag` before. The copied symbols are drawn one by one from
/// the text, so that nothing but the copy tells them; of up to 16 the last three quarters are judged. The same windows
/// at every call. Without windows where the length is below 8 or the text shorter than length + 1.
RetrievalText retrieval_text(std::span<const std::int32_t> text, std::int64_t length, std::int64_t windows_a_lag);

/// |DFT| of a head's mean attention by distance, scaled as `kernel_spectrum` (core/stats/spectrum.h): bin j at j turns
/// in the window, a wavelength of length/j tokens; what is the same at all distances (bin 0) is taken out before. Empty
/// where the curves are thinned.
std::vector<double> attention_spectrum(const ProbeResult& result, std::int64_t layer, std::int64_t head);

/// The frequencies that a probe of this run used in a layer that rotates, one a pair, 0 where it does not turn.
std::vector<double> probed_frequencies(const RunSpec& spec, const ProbeRequest& request);

/// The texts that a checkpoint's run was trained and judged on. Throws BadInput as `open_corpus`, and where they have
/// become others by now.
std::shared_ptr<const Corpus> corpus_of(const Checkpoint& checkpoint, const std::filesystem::path& data_dir);

/// The model of a checkpoint, as its run has it; `times` its context, where it has no learned positions. Not while a
/// Runner trains: then Runner::probe asks the run itself.
std::unique_ptr<Model> model_of(Engine& engine, const Checkpoint& checkpoint, std::int64_t times = 1);

}  // namespace ropelab
