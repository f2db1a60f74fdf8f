#pragma once

#include "ui/probes/inspect_data.h"

namespace ropelab::ui {

// 95 % intervals of the figures of the Inspect room, and the numbers of sequences behind a mean. Sequences are the
// independent units: tokens of one sequence are not. A band is empty where a result has no standard errors, because it
// has one sequence only or was stored by an earlier version.

/// An interval requires three sequences: with two, Student's t makes it 12.7 standard errors wide on both sides, which
/// covers the axes and says nothing.
constexpr std::int64_t kFewestSequences = 3;
/// Degrees of freedom; 0, for which there is no interval, below three sequences.
constexpr std::int64_t degreesOf(std::int64_t sequences) {
    return sequences < kFewestSequences ? 0 : sequences - 1;
}

/// Mean ± t · error, with n − 1 degrees of freedom for n sequences. `errors` is empty if they are unknown; points whose
/// interval is unknown are left out.
FigureBand meanBand(const QString& label, Ink ink, const QList<double>& x, const QList<double>& means,
                    const std::vector<double>& errors, std::int64_t sequences);
/// Retrieval accuracy (in %) at each lag; see share_interval (core/stats/descriptive.h).
FigureBand accuracyBand(const QString& label, Ink ink, const ProbeResult& result);
/// Mean loss over blocks of positions, as blockMeans divides them. Needs ProbeResult::sequence_losses.
FigureBand blockBand(const QString& label, Ink ink, const ProbeResult& result);
/// Omits an empty band.
void addBand(Figure& figure, FigureBand band);

/// A curve by position then has at most 48 points.
std::size_t blockSize(std::size_t positions);

/// "n = 8 sequences of 128 tokens".
QString sequencesText(const ProbeResult& result);
/// "n = 8 sequences of 128 tokens; bands: 95 % confidence intervals over the sequences", or why there are none.
QString sequencesNote(const ProbeResult& result, bool hasBands);
/// Adds for means over heads that their intervals are upper bounds, because the standard errors of the heads are
/// averaged as if the heads were fully correlated.
QString headsNote(const QString& note, const InspectData& data, bool hasBands);
/// For a figure by lag: sequences and tokens per lag. `hasBands` is false where none is drawn.
QString retrievalNote(const ProbeResult& result, bool hasBands = true);

}  // namespace ropelab::ui
