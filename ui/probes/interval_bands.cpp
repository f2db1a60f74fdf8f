#include "ui/probes/interval_bands.h"

#include <QObject>
#include <algorithm>
#include <cmath>

#include "core/stats/descriptive.h"
#include "ui/common/format.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;
namespace {

constexpr std::size_t kMostBlocks = 48;

/// The bands, or why there are none. 0: the number of sequences per mean is unknown.
QString bandsNote(std::int64_t sequences, bool hasBands) {
    if (sequences > 0 && sequences < kFewestSequences)
        return u"no 95 % confidence interval: an interval requires at least three sequences"_s;
    return hasBands && sequences > 0 ? u"bands: 95 % confidence intervals over the sequences"_s
                                     : u"no 95 % confidence interval: this result was stored without standard errors"_s;
}

}  // namespace

FigureBand meanBand(const QString& label, Ink ink, const QList<double>& x, const QList<double>& means,
                    const std::vector<double>& errors, std::int64_t sequences) {
    FigureBand band{label, ink, {}, {}, {}};
    if (std::ssize(errors) != means.size() || x.size() != means.size()) return band;
    for (qsizetype i = 0; i < x.size(); ++i) {
        const Interval interval = mean_interval(means[i], errors[static_cast<std::size_t>(i)], degreesOf(sequences));
        band.add(x[i], interval.low, interval.high);
    }
    return band;
}

FigureBand accuracyBand(const QString& label, Ink ink, const ProbeResult& result) {
    FigureBand band{label, ink, {}, {}, {}};
    for (const RetrievalPoint& point : result.retrieval) {
        const Interval interval = share_interval(point.accuracy, point.accuracy_error, degreesOf(point.sequences));
        band.add(static_cast<double>(point.lag), 100 * interval.low, 100 * interval.high);
    }
    return band;
}

FigureBand blockBand(const QString& label, Ink ink, const ProbeResult& result) {
    FigureBand band{label, ink, {}, {}, {}};
    const ProbeArray& losses = result.sequence_losses;
    if (losses.empty() || losses.shape[0] < kFewestSequences) return band;
    const auto length = static_cast<std::size_t>(losses.shape[1]);
    const std::size_t block = blockSize(length);
    for (std::size_t start = 0; start < length; start += block) {
        const std::size_t end = std::min(length, start + block);
        std::vector<double> means;
        for (std::size_t first = 0; first < losses.values.size(); first += length) {
            double sum = 0;
            for (std::size_t i = start; i < end; ++i) sum += static_cast<double>(losses.values[first + i]);
            means.push_back(sum / static_cast<double>(end - start));
        }
        const Description mean = describe(means);
        band.add(0.5 * static_cast<double>(start + end - 1), mean.confidence_low, mean.confidence_high);
    }
    return band;
}

void addBand(Figure& figure, FigureBand band) {
    if (!band.x.isEmpty()) figure.bands.push_back(std::move(band));
}

std::size_t blockSize(std::size_t positions) {
    return std::max<std::size_t>(1, (positions + kMostBlocks - 1) / kMostBlocks);
}

QString sequencesText(const ProbeResult& result) {
    return u"n = %1 of %2"_s.arg(countText(result.sequences, u"sequence"_s), countText(result.length, u"token"_s));
}

QString sequencesNote(const ProbeResult& result, bool hasBands) {
    return u"%1; %2"_s.arg(sequencesText(result), bandsNote(result.sequences, hasBands));
}

QString headsNote(const QString& note, const InspectData& data, bool hasBands) {
    if (!hasBands || headOf(data) >= 0 || layerOf(data) >= 0) return note;
    return u"%1 (for the mean over heads, the bands are at least as wide as the 95 % confidence interval)"_s.arg(note);
}

QString retrievalNote(const ProbeResult& result, bool hasBands) {
    if (result.retrieval.empty()) return {};
    const RetrievalPoint& point = result.retrieval.front();
    const QString tokens = countText(point.tokens, u"token"_s);
    if (point.sequences < 1) return u"n = %1 per lag; %2"_s.arg(tokens, bandsNote(0, false));
    const QString sequences = countText(point.sequences, u"sequence"_s);
    return u"n = %1 with %2 per lag (distance to the original); %3"_s.arg(sequences, tokens,
                                                                          bandsNote(point.sequences, hasBands));
}

}  // namespace ropelab::ui
