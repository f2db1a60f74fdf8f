#include "ui/probes/interval_bands.h"

#include <QObject>
#include <algorithm>
#include <cmath>

#include "core/stats/descriptive.h"
#include "ui/common/format.h"

namespace ropelab::ui {
namespace {

constexpr std::size_t kMostBlocks = 48;

/// 0: the number of sequences per mean is unknown.
QString whyNoInterval(std::int64_t sequences) {
    return sequences == 1 ? QObject::tr("no interval: it requires at least two sequences")
                          : QObject::tr("no interval: this result was stored without standard errors");
}

}  // namespace

FigureBand meanBand(const QString& label, Ink ink, const QList<double>& x, const QList<double>& means,
                    const std::vector<double>& errors, std::int64_t sequences) {
    FigureBand band{label, ink, {}, {}, {}};
    if (std::ssize(errors) != means.size() || x.size() != means.size()) return band;
    for (qsizetype i = 0; i < x.size(); ++i) {
        const Interval interval = mean_interval(means[i], errors[static_cast<std::size_t>(i)], sequences - 1);
        band.add(x[i], interval.low, interval.high);
    }
    return band;
}

FigureBand accuracyBand(const QString& label, Ink ink, const ProbeResult& result) {
    FigureBand band{label, ink, {}, {}, {}};
    for (const RetrievalPoint& point : result.retrieval) {
        const Interval interval = share_interval(point.accuracy, point.accuracy_error, point.sequences - 1);
        band.add(static_cast<double>(point.lag), 100 * interval.low, 100 * interval.high);
    }
    return band;
}

FigureBand blockBand(const QString& label, Ink ink, const ProbeResult& result) {
    FigureBand band{label, ink, {}, {}, {}};
    const ProbeArray& losses = result.sequence_losses;
    if (losses.empty()) return band;
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

FigureBand bandOverCurves(const QString& label, Ink ink, const QList<double>& x,
                          const std::vector<QList<double>>& curves) {
    FigureBand band{label, ink, {}, {}, {}};
    for (qsizetype i = 0; i < x.size(); ++i) {
        std::vector<double> values;
        for (const QList<double>& curve : curves) {
            if (i < curve.size()) values.push_back(curve[i]);
        }
        const Description mean = describe(values);
        band.add(x[i], mean.confidence_low, mean.confidence_high);
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
    return QObject::tr("n = %1 of %2")
        .arg(countText(result.sequences, QObject::tr("sequence")), countText(result.length, QObject::tr("token")));
}

QString sequencesNote(const ProbeResult& result, bool hasBands) {
    return QObject::tr("%1; %2").arg(
        sequencesText(result),
        hasBands ? QObject::tr("bands: 95 % intervals over the sequences") : whyNoInterval(result.sequences));
}

QString headsNote(const QString& note, const InspectData& data, bool hasBands) {
    if (!hasBands || headOf(data) >= 0 || layerOf(data) >= 0) return note;
    return QObject::tr("%1 (upper bounds for the mean over heads)").arg(note);
}

QString retrievalNote(const ProbeResult& result) {
    if (result.retrieval.empty()) return {};
    const RetrievalPoint& point = result.retrieval.front();
    const QString tokens = countText(point.tokens, QObject::tr("token"));
    if (point.sequences < 1) return QObject::tr("n = %1 per lag; %2").arg(tokens, whyNoInterval(0));
    const QString sequences = countText(point.sequences, QObject::tr("sequence"));
    return QObject::tr("n = %1 with %2 per lag; %3")
        .arg(sequences, tokens,
             point.sequences > 1 ? QObject::tr("bands: 95 % intervals over the sequences") : whyNoInterval(1));
}

}  // namespace ropelab::ui
