#include "ui/rooms/inspect/figures/figures.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <span>

#include "core/rope/frequencies.h"
#include "core/stats/descriptive.h"
#include "ui/common/format.h"
#include "ui/probes/interval_bands.h"
#include "ui/rooms/inspect/inspect_figures.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;
namespace {

constexpr std::size_t kMaxPairs = 5;

using Emphasis = FigureCurve::Emphasis;

void addCursor(Figure& figure, const InspectData& data) {
    if (const Snapshot* now = data.snapshot()) addTimeCursor(figure, static_cast<double>(now->iteration), *now);
}

FigureBand courseBand(const InsideRun& run, const QString& label, Ink ink,
                      const std::function<Interval(const ProbeResult&)>& interval) {
    FigureBand band{u"%1, 95 % interval"_s.arg(label), ink, {}, {}, {}};
    for (const Snapshot& snapshot : run.snapshots) {
        const Interval here = interval(*snapshot.result);
        band.add(static_cast<double>(snapshot.iteration), here.low, here.high);
    }
    return band;
}

double numberAt(const std::vector<double>& row, std::size_t place) {
    return place < row.size() ? row[place] : std::nan("");
}

/// The head is ignored if all heads have the same frequencies.
std::span<const float> frequencyRow(const ProbeArray& array, std::int64_t layer, std::int64_t head) {
    return array.row(layer, std::min(head, array.shape[1] - 1));
}

/// Solves g = θ^(−2i/d) for the slowest rotated pair i; NaN if no pair is rotated.
double thetaOf(std::span<const float> frequencies, const RunSpec& spec) {
    const int dimension =
        spec.partial == Partial::slice ? rotary_dim(spec.rotary_head_dim(), spec.fraction) : spec.rotary_head_dim();
    for (std::size_t pair = frequencies.size() - 1; pair > 0; --pair) {
        if (frequencies[pair] <= 0) continue;
        return std::pow(static_cast<double>(frequencies[pair]), -dimension / (2.0 * static_cast<double>(pair)));
    }
    return std::nan("");
}

/// The layers and heads of headLines(), as "one curve per layer, mean over heads".
QString linesText(const InspectData& data) {
    const std::int64_t layer = layerOf(data);
    const std::int64_t head = headOf(data);
    if (layer >= 0 && head >= 0) return whereText(data.choices);
    const QString heads = head >= 0   ? u"head %1"_s.arg(head)
                          : layer < 0 ? u"mean over heads"_s
                                      : u"one curve per head"_s;
    return u"%1, %2"_s.arg(layer < 0 ? u"one curve per layer"_s : u"layer %1"_s.arg(layer), heads);
}

InspectPicture courseByLayer(const InspectData& data, const char* name, const Axis& y, ProbeArray ProbeResult::*array,
                             ProbeArray ProbeResult::*errors) {
    if (!data.snapshot() || (data.snapshot()->result.get()->*array).empty()) return withoutNumbers(data, name);
    InspectPicture picture{overTraining(data, name, y)};
    Figure& figure = picture.figure;
    int index = 0;
    for (const HeadLine& line : headLines(data)) {
        const auto number = [&](const ProbeResult& result) {
            return numberAt(meanRow(result.*array, line.layer, line.head, data.run->spec.heads), 0);
        };
        const FigureCurve curve = courseOf(*data.run, line.label, y.label, Ink::data(index++), number);
        if (data.ghost) {
            figure.curves.push_back(
                ghostCurve(courseOf(*data.ghost, line.label, y.label, curve.ink, number), *data.ghost));
        }
        figure.curves.push_back(curve);
        addBand(figure, courseBand(*data.run, line.label, curve.ink, [&](const ProbeResult& result) {
                    const auto row = meanRow(result.*errors, line.layer, line.head, data.run->spec.heads);
                    return row.empty() ? Interval()
                                       : mean_interval(number(result), row[0], degreesOf(result.sequences));
                }));
    }
    addCursor(figure, data);
    const bool hasBands = !figure.bands.empty();
    figure.note =
        u"%1; %2"_s.arg(data.run->name, headsNote(sequencesNote(*data.snapshot()->result, hasBands), data, hasBands));
    figure.summary = u"%1 during the training of the run %2, %3."_s.arg(y.label, data.run->name, linesText(data));
    return picture;
}

}  // namespace

Figure overTraining(const InspectData& data, const char* name, Axis y) {
    Axis x{u"step"_s, {}};
    x.minimum = 0;
    x.maximum = static_cast<double>(data.run->spec.iterations);
    return inspectFigure(data, name, std::move(x), std::move(y));
}

FigureCurve courseOf(const InsideRun& run, const QString& label, const QString& quantity, Ink ink,
                     const std::function<std::optional<double>(const ProbeResult&)>& number) {
    FigureCurve curve = inspectCurve(label, quantity, ink);
    for (const Snapshot& snapshot : run.snapshots) {
        const std::optional<double> here = number(*snapshot.result);
        if (!here) continue;
        curve.x.append(static_cast<double>(snapshot.iteration));
        curve.y.append(*here);
    }
    return curve;
}

std::vector<HeadLine> headLines(const InspectData& data) {
    std::vector<HeadLine> lines;
    const std::int64_t layer = layerOf(data);
    if (layer < 0) {
        for (std::int64_t i = 0; i < data.run->spec.layers; ++i) {
            lines.push_back({u"layer %1"_s.arg(i), i, headOf(data)});
        }
    } else {
        for (std::int64_t i = 0; i < data.run->spec.heads; ++i) {
            if (headOf(data) < 0 || headOf(data) == i) lines.push_back({u"head %1"_s.arg(i), layer, i});
        }
    }
    return lines;
}

/// The logit contribution (F8) of the five parts with the largest contribution at the cursor, and of the highlighted
/// pair. A part is a pair or all channels that are not rotated.
static InspectPicture contributionsOverTraining(const InspectData& data) {
    constexpr const char* name = "logit-contribution-over-training";
    const Snapshot* now = data.snapshot();
    if (!now || now->result->logit_contribution.empty()) return withoutNumbers(data, name);
    InspectPicture picture{overTraining(data, name, {u"logit contribution"_s, u"%"_s})};
    Figure& figure = picture.figure;
    const auto wavelengths = wavelengthsOf(data.run->plan);
    const auto row = meanRow(now->result->logit_contribution, layerOf(data), headOf(data), data.run->spec.heads);
    std::vector<std::size_t> order(row.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&row](auto a, auto b) { return row[a] > row[b]; });
    order.resize(std::min(order.size(), kMaxPairs));
    const auto highlighted = data.choices.pair;
    if (highlighted && *highlighted < static_cast<int>(row.size()) &&
        std::find(order.begin(), order.end(), static_cast<std::size_t>(*highlighted)) == order.end()) {
        order.push_back(static_cast<std::size_t>(*highlighted));
    }
    std::sort(order.begin(), order.end());
    for (std::size_t i = 0; i < order.size(); ++i) {
        const std::size_t pair = order[i];
        const bool unrotated = pair >= wavelengths.size();
        const QString label = unrotated ? u"not rotated"_s : u"pair %1"_s.arg(pair);
        const auto number = [&](const ProbeResult& result) {
            return 100 * numberAt(meanRow(result.logit_contribution, layerOf(data), headOf(data), data.run->spec.heads),
                                  pair);
        };
        // Without the fifth colour, which is similar to the second one.
        const Ink ink = unrotated ? Ink{Ink::Kind::unrotated} : Ink::data(static_cast<int>(i < 4 ? i : i + 1));
        FigureCurve curve = courseOf(*data.run, label, u"logit contribution, %1"_s.arg(label), ink, number);
        if (data.ghost) {
            figure.curves.push_back(ghostCurve(courseOf(*data.ghost, label, {}, ink, number), *data.ghost));
        }
        addBand(figure, courseBand(*data.run, label, ink, [&](const ProbeResult& result) {
                    const auto errors =
                        meanRow(result.logit_contribution_error, layerOf(data), headOf(data), data.run->spec.heads);
                    return mean_interval(number(result), 100 * numberAt(errors, pair), degreesOf(result.sequences));
                }));
        if (highlighted && static_cast<std::size_t>(*highlighted) == pair) curve.emphasis = Emphasis::picked;
        figure.curves.push_back(std::move(curve));
    }
    addCursor(figure, data);
    const bool hasBands = !figure.bands.empty();
    const bool isMean = hasBands && (layerOf(data) < 0 || headOf(data) < 0);
    figure.note = u"%1, %2; %3%4"_s.arg(data.run->name, whereText(data.choices), sequencesNote(*now->result, hasBands),
                                        isMean ? u" (for the mean over heads, the bands are at least as wide "
                                                 "as the 95 % confidence interval)"_s
                                               : QString());
    if (order.size() < row.size()) {
        figure.note += u"; the largest %1 of %2 pairs at step %3"_s.arg(
            QString::number(order.size()), QString::number(wavelengths.size()), groupedText(now->iteration));
    }
    figure.summary = u"Largest logit contributions during the training of the run %1, %2."_s.arg(
        data.run->name, whereText(data.choices));
    return picture;
}

static InspectPicture entropyCourse(const InspectData& data) {
    return courseByLayer(data, "attention-entropy", {u"attention entropy"_s, u"nats"_s}, &ProbeResult::entropy,
                         &ProbeResult::entropy_error);
}

static InspectPicture sinkCourse(const InspectData& data) {
    InspectPicture picture = courseByLayer(data, "attention-sink", {u"attention weight of the first token"_s, {}},
                                           &ProbeResult::sink, &ProbeResult::sink_error);
    if (!picture.figure.curves.empty()) picture.figure.y.minimum = 0;
    return picture;
}

/// If every frequency is trained separately, the curves are the wavelengths of one layer's pairs.
static InspectPicture thetaCourse(const InspectData& data) {
    constexpr const char* name = "theta-over-training";
    const Snapshot* now = data.snapshot();
    if (!now || now->result->frequencies.empty()) {
        return withoutNumbers(data, name,
                              now ? u"Theta is constant in this run. This figure needs a run with the "
                                    "setting theta_training or theta_schedule."_s
                                  : QString());
    }
    const RunSpec& spec = data.run->spec;
    const bool free = spec.theta_training == ThetaTraining::free;
    Axis y{free ? u"wavelength"_s : u"θ"_s, free ? u"tokens"_s : QString()};
    y.logarithmic = true;
    InspectPicture picture{overTraining(data, name, y)};
    Figure& figure = picture.figure;
    const auto add = [&](const QString& label, int index, const std::function<double(const ProbeResult&)>& number) {
        figure.curves.push_back(courseOf(*data.run, label, y.label, Ink::data(index), number));
    };
    if (free) {
        const std::int64_t layer = std::max<std::int64_t>(0, layerOf(data));
        for (std::int64_t pair = 0; pair < data.run->pairs(); ++pair) {
            add(u"pair %1"_s.arg(pair), static_cast<int>(pair), [layer, pair](const ProbeResult& result) {
                return 2 * std::numbers::pi /
                       frequencyRow(result.frequencies, layer, 0)[static_cast<std::size_t>(pair)];
            });
        }
        figure.note = u"%1, layer %2"_s.arg(data.run->name).arg(layer);
    } else {
        int index = 0;
        for (const HeadLine& line : headLines(data)) {
            add(line.label, index++, [&spec, &line](const ProbeResult& result) {
                return thetaOf(frequencyRow(result.frequencies, line.layer, std::max<std::int64_t>(0, line.head)),
                               spec);
            });
        }
        figure.note = data.run->name;
    }
    addCursor(figure, data);
    figure.summary = u"%1 during the training of the run %2."_s.arg(y.label, data.run->name);
    return picture;
}

static InspectPicture retrievalCourse(const InspectData& data) {
    constexpr const char* name = "retrieval-over-training";
    const Snapshot* now = data.snapshot();
    if (!now || now->result->retrieval.empty()) return withoutNumbers(data, name);
    InspectPicture picture{overTraining(data, name, {u"retrieval accuracy"_s, u"%"_s})};
    Figure& figure = picture.figure;
    int index = 0;
    // The last snapshot tests more lags than the others; the curves are those that every snapshot has.
    const auto& firstPoints = data.run->snapshots.front().result->retrieval;
    for (const RetrievalPoint& lag : firstPoints.empty() ? now->result->retrieval : firstPoints) {
        const QString label = u"lag %1"_s.arg(lag.lag);
        const Ink ink = Ink::data(index++);
        const auto pointOf = [&lag](const ProbeResult& result) {
            for (const RetrievalPoint& point : result.retrieval) {
                if (point.lag == lag.lag) return point;
            }
            return RetrievalPoint{.accuracy = std::nan("")};
        };
        figure.curves.push_back(courseOf(*data.run, label, label, ink,
                                         [&](const ProbeResult& result) { return 100 * pointOf(result).accuracy; }));
        addBand(figure, courseBand(*data.run, label, ink, [&](const ProbeResult& result) {
                    const RetrievalPoint point = pointOf(result);
                    const Interval share =
                        share_interval(point.accuracy, point.accuracy_error, degreesOf(point.sequences));
                    return Interval{100 * share.low, 100 * share.high};
                }));
    }
    figure.y.minimum = 0;
    addCursor(figure, data);
    figure.note = u"%1; %2"_s.arg(data.run->name, retrievalNote(*now->result, !figure.bands.empty()));
    figure.summary =
        u"Retrieval accuracy of the run %1 at each lag (distance to the original) during training: the percentage of "
        "copied tokens that the model predicts."_s.arg(data.run->name);
    return picture;
}

// On the text, and what the trainer logged.
static InspectPicture openedLossCourse(const InspectData& data, const char* name) {
    if (!data.snapshot()) return withoutNumbers(data, name);
    const InsideRun& run = *data.run;
    const QString text = QString::fromStdString(run.checkpoint.external->corpus->name);
    InspectPicture picture{overTraining(data, name, {u"loss"_s, u"nats"_s})};
    Figure& figure = picture.figure;
    const auto addLogged = [&figure](const QString& label, int color, const std::vector<std::int64_t>& steps,
                                     const std::vector<double>& losses) {
        FigureCurve curve = inspectCurve(label, label, Ink::data(color));
        for (std::size_t i = 0; i < steps.size(); ++i) {
            if (!std::isfinite(losses[i])) continue;
            curve.x.append(static_cast<double>(steps[i]));
            curve.y.append(losses[i]);
        }
        if (!curve.x.isEmpty()) figure.curves.push_back(std::move(curve));
    };
    const auto& [steps, evaluations, sample] = run.training->logged();
    addLogged(u"training loss"_s, 1, steps.iteration, steps.training_loss);
    addLogged(u"validation loss"_s, 2, evaluations.iteration, evaluations.validation_loss);
    const QString label = u"on %1"_s.arg(text);
    figure.curves.push_back(courseOf(run, label, u"loss on %1"_s.arg(text), run.ink,
                                     [](const ProbeResult& result) { return result.loss; }));
    addCursor(figure, data);
    figure.note = u"%1: mean over %2 of %3 tokens; no interval is drawn"_s.arg(
        label, countText(data.snapshot()->result->sequences, u"sequence"_s),
        groupedText(data.snapshot()->result->length));
    if (const auto all = run.training->steps().size(); run.snapshots.size() < all)
        figure.note = u"%1 of %2 checkpoints measured"_s.arg(run.snapshots.size()).arg(all);
    figure.summary = u"Loss of the model %1 on %2 after each step of its training that has a checkpoint%3."_s.arg(
        run.name, text, figure.curves.size() > 1 ? u", and the losses that were logged during training"_s : QString());
    return picture;
}

InspectPicture lossCourse(const InspectData& data) {
    constexpr const char* name = "inspect-loss";
    if (!data.run || (data.run->iterations.isEmpty() && !data.snapshot())) return withoutNumbers(data, name);
    if (data.run->training) return openedLossCourse(data, name);
    if (data.run->isOpened()) {
        return withoutNumbers(data, name,
                              u"Loss of %1 on %2: %3 nats per token. Its training is not in this lab."_s.arg(
                                  data.run->name, QString::fromStdString(data.run->checkpoint.external->corpus->name),
                                  readableNumber(data.snapshot()->result->loss)));
    }
    InspectPicture picture{overTraining(data, name, {u"validation loss"_s, u"nats"_s})};
    Figure& figure = picture.figure;
    const auto curveOf = [](const InsideRun& run) {
        return inspectCurve({}, u"validation loss"_s, run.ink, run.iterations, run.validationLoss);
    };
    if (data.ghost) figure.curves.push_back(ghostCurve(curveOf(*data.ghost), *data.ghost));
    figure.curves.push_back(curveOf(*data.run));
    addCursor(figure, data);
    const RunSpec& spec = data.run->spec;
    figure.note = spec.evaluation == Evaluation::whole
                      ? u"mean over the whole validation split; no interval is stored"_s
                      : u"n = %1; no interval is stored"_s.arg(
                            countText(spec.evaluation_batches * spec.batch, u"sampled sequence"_s));
    figure.summary =
        u"Validation loss of the run %1 during training; a line marks the step that the other figures "
        "show."_s.arg(data.run->name);
    return picture;
}

InspectFigures courseFigures() {
    using Controls = InspectFigure::Controls;
    return {
        {"logit-contribution-over-training", InspectGroup::training, u"largest logit contributions"_s,
         u"Shows the logit contribution over training of the highlighted pair and of the pairs that contribute most at "
         "the selected step: their share of the variance of the attention logits. Every key counts equally, also keys "
         "with an attention weight near 0. Formula 8 of the guide"_s,
         nullptr, Controls::layerAndHead, contributionsOverTraining},
        {"attention-entropy", InspectGroup::training, u"attention entropy"_s,
         u"Shows the mean entropy of the attention weights of a query in nats. The entropy is large if the attention "
         "is spread over many keys."_s,
         nullptr, Controls::layerAndHead, entropyCourse},
        {"attention-sink", InspectGroup::training, u"attention sink"_s,
         u"Shows the mean attention weight of the first token of a sequence."_s, nullptr, Controls::layerAndHead,
         sinkCourse},
        {"retrieval-over-training", InspectGroup::training, u"retrieval accuracy"_s,
         u"Shows the percentage of copied tokens that the model predicts, by their distance to the original (lag)."_s,
         nullptr, Controls::none, retrievalCourse},
        {"theta-over-training", InspectGroup::training, u"trained or scheduled theta"_s,
         u"Shows the RoPE theta of a run in which theta is trained or follows a schedule: θ = g^(−d/2i), where g is "
         "the frequency of the slowest rotated pair i in rad/token. Formula 3 of the guide"_s,
         nullptr, Controls::layerAndHead, thetaCourse},
        {"inspect-loss", InspectGroup::training, u"validation loss"_s,
         u"Shows the validation loss over training; a line marks the step that the other figures show."_s, nullptr,
         Controls::none, lossCourse},
    };
}

}  // namespace ropelab::ui
