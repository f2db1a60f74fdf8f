#include "ui/rooms/results/text_figure.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

#include "core/data/corpus.h"
#include "core/rope/frequencies.h"
#include "core/spec/error.h"
#include "core/spec/numbers.h"
#include "ui/common/format.h"
#include "ui/common/results_words.h"
#include "ui/figure/ticks.h"

namespace ropelab::ui {

namespace {

constexpr std::int64_t kMaxDistance = 5000;    // in tokens
constexpr std::size_t kMaxTokens = 2'000'000;  // the most tokens of the training split that are used
constexpr double kRowFactor = 6;               // between two rows of wavelengths on the logarithmic y axis
constexpr double kSmallestFraction = 1e-4;     // values below this fraction of the largest one are not drawn
constexpr std::size_t kMaxRows = 8;
constexpr double kWavelengthPt = 4.5;

/// Equal for runs with the same data set, tokenizer and split.
std::string textKey(const RunSpec& spec) {
    return spec.data + '|' + std::to_string(spec.data_seed) + '|' + std::to_string(spec.data_length) + '|' +
           std::to_string(static_cast<int>(spec.tokenizer)) + '|' + spec.tokenizer_file + '|' +
           std::to_string(spec.largest_vocabulary()) + '|' + std::to_string(static_cast<int>(spec.split));
}

/// One per swept theta, with the largest rotated fraction; at most kMaxRows.
std::vector<RunSpec> specPerTheta(const ResultsData& data) {
    std::vector<RunSpec> result;
    for (const ResultsRun& run : data.runs) {
        if (!run.spec.rotates() || run.spec.frequencies != "auto") continue;
        if (rotary_dim(run.spec.rotary_head_dim(), run.spec.fraction) == 0) continue;
        const auto known = std::find_if(result.begin(), result.end(),
                                        [&](const RunSpec& spec) { return spec.theta == run.spec.theta; });
        if (known == result.end()) {
            result.push_back(run.spec);
        } else if (run.spec.fraction > known->fraction) {
            *known = run.spec;
        }
    }
    std::sort(result.begin(), result.end(), [](const RunSpec& a, const RunSpec& b) { return a.theta < b.theta; });
    if (result.size() > kMaxRows) result.resize(kMaxRows);
    return result;
}

void addWavelengths(ResultsPicture& picture, const ResultsData& data, double below) {
    Figure& figure = picture.figure;
    double row = below;
    int beyond = 0;
    const std::vector<RunSpec> specs = specPerTheta(data);
    for (std::size_t i = 0; i < specs.size(); ++i) {
        const RunSpec& spec = specs[i];
        row /= kRowFactor;
        const Ink ink{Ink::Kind::rotated};
        const QString name = QObject::tr("θ %1").arg(settingTitle("theta", spec.theta));
        FigureCurve points;
        points.ink = ink;
        points.shape = FigureCurve::Shape::points;
        points.pointPt = kWavelengthPt;
        const auto lengths = wavelengths(frequencies({.head_dim = spec.rotary_head_dim(),
                                                      .theta = spec.theta,
                                                      .fraction = spec.fraction,
                                                      .partial = spec.partial}));
        for (std::size_t pair = 0; pair < lengths.size(); ++pair) {
            if (!std::isfinite(lengths[pair])) continue;
            if (lengths[pair] > figure.x.maximum) {
                ++beyond;
                continue;
            }
            points.x.append(lengths[pair]);
            points.y.append(row);
            picture.spots.push_back(
                {{lengths[pair], row},
                 name,
                 {{QObject::tr("pair"), QString::number(pair)},
                  {QObject::tr("wavelength 2π/g"), QObject::tr("%1 tokens").arg(readableCount(lengths[pair]))}}});
        }
        figure.horizontalLines.push_back({.at = row, .label = name, .ink = ink, .labelAtEnd = true});
        figure.curves.push_back(std::move(points));
    }
    figure.y.minimum = row / kRowFactor;
    if (beyond > 0)
        addNote(
            figure,
            QObject::tr("%1 longer than the x axis are not shown").arg(countText(beyond, QObject::tr("wavelength"))));
}

}  // namespace

std::string textsKey(const std::vector<ResultsRun>& runs) {
    std::set<std::string> keys;
    for (const ResultsRun& run : runs) keys.insert(textKey(run.spec));
    std::string all;
    for (const std::string& key : keys) all += key + '\n';
    return all;
}

std::vector<TextInformation> textInformation(const std::vector<ResultsRun>& runs, const std::filesystem::path& dataDir,
                                             const std::function<bool()>& cancelled) {
    std::vector<TextInformation> result;
    std::set<std::string> seen;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const RunSpec& spec = runs[i].spec;
        if (cancelled && cancelled()) break;
        if (!seen.insert(textKey(spec)).second) continue;
        std::vector<int> taken;
        for (const TextInformation& other : result) taken.push_back(other.colorIndex);
        TextInformation& text = result.emplace_back();
        text.colorIndex = distinctColor(taken, runs[i].ink.index);
        text.name = QString::fromStdString(std::filesystem::path(spec.data).filename().string());
        try {
            const auto corpus = open_corpus(spec, dataDir);
            text.name = QString::fromStdString(corpus->name);
            const TokenText training = corpus->training_text();
            std::vector<std::int32_t> tokens(std::min(training.size(), kMaxTokens));
            training.copy(0, std::ssize(tokens), tokens.data());
            // At a tenth of the length, the longest distance still has most of its token pairs.
            const auto maxDistance = std::min<std::int64_t>(kMaxDistance, std::ssize(tokens) / 10);
            text.information =
                mutual_information(tokens, corpus->vocabulary.size(), spaced_distances(maxDistance), cancelled);
        } catch (const std::exception& error) {
            text.problem = QString::fromStdString(error.what());
        }
    }
    return result;
}

ResultsPicture informationFigure(const ResultsData& data) {
    ResultsPicture picture{emptyFigure(data, "mutual-information"), {}};
    Figure& figure = picture.figure;
    const bool bits = data.inBits();
    figure.x = {QObject::tr("distance"), QObject::tr("tokens"), true};
    figure.y = {QObject::tr("mutual information"), bits ? QStringLiteral("bits") : QStringLiteral("nats"), true};
    const double factor = bits ? 1 / std::numbers::ln2 : 1.0;
    QStringList problems;
    double highest = 0;
    for (const TextInformation& text : data.texts) {
        for (const double nats : text.information.nats) highest = std::max(highest, factor * nats);
    }
    const double floor = kSmallestFraction * highest;
    double farthest = 1;
    for (const TextInformation& text : data.texts) {
        if (!text.problem.isEmpty()) problems << text.problem;
        const MutualInformation& information = text.information;
        if (information.distances.empty()) continue;
        FigureCurve curve;
        curve.label = text.name;
        curve.quantity = figure.y.label;
        curve.ink = Ink::data(text.colorIndex);
        for (std::size_t i = 0; i < information.distances.size(); ++i) {
            const double value = factor * information.nats[i];
            const auto x = static_cast<double>(information.distances[i]);
            curve.x.append(x);
            curve.y.append(value >= floor ? value : std::nan(""));
            farthest = std::max(farthest, x);
            if (value < floor) continue;
            picture.spots.push_back(
                {{x, value},
                 text.name,
                 {{QObject::tr("distance"), QObject::tr("%1 tokens").arg(readableCount(x))},
                  {figure.y.label, readableNumber(value) + QLatin1Char(' ') + figure.y.unit},
                  {QObject::tr("uncorrected estimate"), readableNumber(factor * information.plug_in[i])},
                  {QObject::tr("sample size"),
                   QObject::tr("%1 tokens").arg(readableCount(static_cast<double>(information.tokens)))}}});
        }
        figure.curves.push_back(std::move(curve));
    }
    if (figure.curves.empty() || !(highest > 0)) {
        figure.curves.clear();
        picture.spots.clear();
        figure.emptyText = problems.isEmpty() ? QObject::tr("Computing the mutual information of the data sets …")
                                              : problems.join(QLatin1Char(' '));
        figure.summary = figure.emptyText;
        return picture;
    }
    figure.x.minimum = 0.9;
    figure.x.maximum = 1.1 * farthest;
    figure.y.maximum = 1.3 * highest;
    figure.note = QObject::tr(
        "estimate with Miller–Madow correction; gaps: values below 1/10,000 of the maximum; points: wavelengths of "
        "pairs");
    for (const QString& problem : problems) addNote(figure, problem);
    figure.summary = QObject::tr("Mutual information of two tokens by their distance, with the wavelengths of %1.")
                         .arg(countText(static_cast<std::int64_t>(specPerTheta(data).size()), QObject::tr("theta")));
    FigureTable& table = figure.table;
    for (const TextInformation& text : data.texts) {
        if (text.information.distances.empty()) continue;
        table.names << text.name + QObject::tr(" · distance (tokens)")
                    << text.name + QObject::tr(" · mutual information (nats)")
                    << text.name + QObject::tr(" · plug-in estimate (nats)");
        table.columns.append(QList<double>(text.information.distances.begin(), text.information.distances.end()));
        table.columns.append(QList<double>(text.information.nats.begin(), text.information.nats.end()));
        table.columns.append(QList<double>(text.information.plug_in.begin(), text.information.plug_in.end()));
    }
    addWavelengths(picture, data, floor);
    return picture;
}

}  // namespace ropelab::ui
