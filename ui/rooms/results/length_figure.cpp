#include "ui/rooms/results/length_figure.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <vector>

#include "core/reproduce/rules/measuring.h"
#include "core/stats/descriptive.h"
#include "ui/common/results_words.h"
#include "ui/figure/ticks.h"

namespace ropelab::ui {
namespace {

constexpr std::int64_t kMostTimes = 64;   // largest multiple of the context that is looked up
constexpr double kLengthCap = 1.02;       // factor between the end of a cap and its middle
constexpr std::size_t kLeastLengths = 2;  // a curve has at least these lengths

/// Describes a group's losses over its seeds, by the multiple of the context.
std::map<std::int64_t, Description> lossesOf(const ResultsData& data, const ResultGroup& group) {
    std::map<std::int64_t, Description> losses;
    for (std::int64_t times = 1; times <= kMostTimes; ++times) {
        std::vector<double> values;
        for (const std::size_t run : group.counted) {
            const auto found = data.runs[run].measurements.find(loss_at(times));
            if (found != data.runs[run].measurements.end()) values.push_back(found->second);
        }
        const Description described = describe(values);
        if (described.n > 0) losses[times] = described;
    }
    return losses;
}

}  // namespace

ResultsPicture lossByLength(const ResultsData& data) {
    const ResultsTable& table = data.table();
    ResultsPicture picture{emptyFigure(data, "loss-by-length"), {}};
    Figure& figure = picture.figure;
    figure.emptyText = QObject::tr(
        "This figure needs losses at lengths beyond the training context: measure them with ropelab-cli results "
        "--measure-lengths, or train the sheet encodings.");
    figure.x = {.label = QObject::tr("sequence length"), .unit = QObject::tr("tokens"), .logarithmic = true};
    figure.y = {QObject::tr("validation loss"), QObject::tr("nats")};
    FigureTable& rows = figure.table;
    rows.names = {QObject::tr("sequence length (tokens)"), QObject::tr("n"), QObject::tr("mean (nats)"),
                  QObject::tr("95 % interval, low (nats)"), QObject::tr("95 % interval, high (nats)")};
    rows.columns.resize(rows.names.size());
    std::vector<std::size_t> drawn;
    std::set<double> lengths;
    std::set<std::int64_t> contexts;
    QStringList without;
    struct Curve {
        std::size_t group;
        std::int64_t context;
        std::map<std::int64_t, Description> losses;
    };
    std::vector<Curve> curves;
    for (const std::size_t i : groupsInOrder(table)) {
        Curve curve{i, data.exampleOf(table.groups[i]).spec.context, lossesOf(data, table.groups[i])};
        if (curve.losses.size() < kLeastLengths) {
            without << shortLabel(table, table.groups[i]);
            continue;
        }
        contexts.insert(curve.context);
        for (const auto& [times, described] : curve.losses) lengths.insert(static_cast<double>(times * curve.context));
        curves.push_back(std::move(curve));
    }
    const QList<double> places(lengths.begin(), lengths.end());
    padX(figure, places);
    const SideBySide across(figure, table, places, curves.size());
    for (std::size_t c = 0; c < curves.size(); ++c) {
        const auto& [i, context, losses] = curves[c];
        const ResultGroup& group = table.groups[i];
        const Ink ink = data.results.inkOf(group);
        QList<double> x;
        QList<double> y;
        for (const auto& [times, described] : losses) {
            const auto length = static_cast<double>(times * context);
            const double at = across.at(length, c);
            x.append(at);
            y.append(described.mean);
            addErrorBar(figure, at, described.confidence_low, described.confidence_high, kLengthCap, ink,
                        emphasisOf(data, i));
            Spot spot{{at, described.mean}, longLabel(table, group), {}, static_cast<int>(i)};
            spot.rows.append({QObject::tr("length"), QObject::tr("%1 tokens").arg(readableCount(length))});
            spot.rows.append({QObject::tr("mean loss"), QObject::tr("%1 nats").arg(readableNumber(described.mean))});
            if (std::isfinite(described.confidence_low)) {
                spot.rows.append({QObject::tr("95 % interval"),
                                  QObject::tr("%1 … %2").arg(readableNumber(described.confidence_low),
                                                             readableNumber(described.confidence_high))});
            }
            spot.rows.append({QObject::tr("seeds"), QString::number(described.n)});
            picture.spots.push_back(std::move(spot));
            drawn.push_back(i);
            const double numbers[] = {length, static_cast<double>(described.n), described.mean,
                                      described.confidence_low, described.confidence_high};
            for (qsizetype column = 0; column < rows.columns.size(); ++column) {
                rows.columns[column].append(numbers[column]);
            }
        }
        FigureCurve curve = stroke(std::move(x), std::move(y), ink, emphasisOf(data, i));
        curve.label = shortLabel(table, group);
        curve.quantity = figure.y.label;
        figure.curves.push_back(std::move(curve));
    }
    addKeys(rows, table, drawn);
    if (lengths.empty()) {
        figure.summary = figure.emptyText;
        return picture;
    }
    figure.x.marks = places;
    if (contexts.size() == 1) {
        figure.verticalLines.push_back(
            {static_cast<double>(*contexts.begin()), QObject::tr("training context"), {Ink::Kind::quiet}});
    }
    figure.note = barsNote(table, QObject::tr("bars: 95 % confidence interval"));
    across.apply(figure);
    if (!without.isEmpty()) {
        addNote(figure, QObject::tr("no losses at other lengths: %1").arg(without.join(QStringLiteral(", "))));
    }
    figure.summary = QObject::tr(
                         "Mean validation loss of %1 at sequence lengths from %2 to %3 tokens, with 95 % "
                         "confidence intervals over the seeds.")
                         .arg(table.groups.size() == 1 ? QObject::tr("one group")
                                                       : QObject::tr("%1 groups").arg(table.groups.size()),
                              readableCount(*lengths.begin()), readableCount(*lengths.rbegin()));
    return picture;
}

}  // namespace ropelab::ui
