#pragma once

#include <QString>
#include <filesystem>

#include "core/rope/context.h"
#include "core/spec/engine.h"
#include "ui/probes/inside_run.h"
#include "ui/probes/text_numbers.h"

namespace ropelab::ui {

// Computations for the figures of a run's data set. They take seconds, so call them outside the window's thread. They
// throw BadInput, with one sentence, if the data set or the checkpoint is missing. If `cancelled` returns true, the
// result is incomplete and must be discarded.

inline constexpr std::int64_t kMaxCountedTokens = 500'000;
/// Tokens of the excerpt, and the most tokens of a typed text.
inline constexpr std::int64_t kExcerptTokens = 600;
/// In tokens.
inline constexpr std::int64_t kMaxInformationDistance = 5000;

TextStatistics textStatistics(const InsideRun& run, const std::filesystem::path& dataDir, const Cancelled& cancelled);

/// "" selects the excerpt of the validation split.
PaintedText paintedText(Engine& engine, const InsideRun& run, const QString& text, const std::filesystem::path& dataDir,
                        const Cancelled& cancelled);

}  // namespace ropelab::ui
