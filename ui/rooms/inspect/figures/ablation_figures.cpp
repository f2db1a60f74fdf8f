#include "ui/rooms/inspect/figures/figures.h"

#include <algorithm>
#include <cmath>

#include "ui/common/format.h"
#include "ui/common/text.h"
#include "ui/probes/interval_bands.h"
#include "ui/rooms/inspect/inspect_figures.h"
#include "ui/rooms/inspect/probe_work.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;
namespace {

using Values = std::vector<double>;
using ControlLists = std::vector<AblationControls>;

QString kindWord(Ablation::Kind kind) {
    switch (kind) {
        case Ablation::Kind::stop:
            return u"frozen"_s;
        case Ablation::Kind::remove:
            return u"removed"_s;
        case Ablation::Kind::mean:
            break;
    }
    return u"mean-ablated"_s;
}

/// What a control does to random other pairs.
QString kindVerb(Ablation::Kind kind) {
    switch (kind) {
        case Ablation::Kind::stop:
            return u"freezing"_s;
        case Ablation::Kind::remove:
            return u"removing"_s;
        case Ablation::Kind::mean:
            break;
    }
    return u"mean-ablating"_s;
}

InspectPicture noAblation(const InspectData& data, const char* name) {
    return withoutAnswer(data, name,
                         u"Evaluating the checkpoint with the chosen pairs ablated, and with random other pairs "
                         "ablated for comparison …"_s);
}

QString signedLoss(double loss) {
    return (loss > 0 ? u"+"_s : QString()) + lossText(loss);
}

QString riseText(const Description& rise, const QString& units) {
    if (!std::isfinite(rise.confidence_low)) return signedLoss(rise.mean);
    return u"%1 (95 % confidence interval %2 to %3, n = %4)"_s.arg(
        signedLoss(rise.mean), signedLoss(rise.confidence_low), signedLoss(rise.confidence_high),
        countText(rise.n, units));
}

QString lossChange(const AblationResult& result) {
    const QString change = u"loss %1 → %2 nats"_s.arg(lossText(result.whole->loss), lossText(result.without->loss));
    const Description rise = loss_rise(*result.whole, *result.without);
    if (!std::isfinite(rise.confidence_low)) return change;
    return u"%1, rise %2"_s.arg(change, riseText(rise, u"sequence"_s));
}

QString noControls() {
    return u"no control (ablation of random other pairs): no other pairs have nearly the same logit contribution as "
           "the ablated ones"_s;
}

QString controlText(const AblationResult& result) {
    if (result.controls.draws.empty()) return noControls();
    Values rises;
    for (const AblationControl& draw : result.controls.draws) rises.push_back(draw.result->loss - result.whole->loss);
    return u"control: %1 random other pairs with a logit contribution near %2 % changes the loss by %3"_s.arg(
        kindVerb(result.ablation.kind), QString::number(100 * result.controls.contribution, 'f', 1),
        riseText(describe(rises), u"random set"_s));
}

void addControls(Figure& figure, const AblationControls& controls, const QString& quantity,
                 const std::function<FigureCurve(const ProbeResult&)>& make) {
    if (controls.draws.empty()) return;
    const QString label = u"control"_s;
    std::vector<QList<double>> heights;
    QList<double> x;
    for (const AblationControl& draw : controls.draws) {
        FigureCurve curve = make(*draw.result);
        x = curve.x;
        heights.push_back(std::move(curve.y));
    }
    QList<double> means(x.size(), 0.0);
    for (const QList<double>& each : heights) {
        for (qsizetype i = 0; i < means.size(); ++i) means[i] += each[i] / static_cast<double>(heights.size());
    }
    FigureCurve curve = dashedCurve(inspectCurve(label, u"%1 after ablating random pairs (mean)"_s.arg(quantity),
                                                 {Ink::Kind::quiet}, std::move(x), std::move(means)));
    curve.dash = 1;  // another one than that of the whole model
    figure.curves.push_back(std::move(curve));
}

/// The losses of `ablated` minus those of the whole model, position by position and sequence by sequence.
ProbeResult riseOf(const ProbeResult& whole, const ProbeResult& ablated) {
    ProbeResult rise;
    rise.loss_by_position = ablated.loss_by_position;
    for (std::size_t i = 0; i < std::min(rise.loss_by_position.size(), whole.loss_by_position.size()); ++i)
        rise.loss_by_position[i] -= whole.loss_by_position[i];
    if (ablated.sequence_losses.shape != whole.sequence_losses.shape) return rise;
    rise.sequence_losses = ablated.sequence_losses;
    for (std::size_t i = 0; i < rise.sequence_losses.values.size(); ++i)
        rise.sequence_losses.values[i] -= whole.sequence_losses.values[i];
    return rise;
}

/// One end of the spectrum in a figure against the number of ablated pairs.
struct SpectrumEnd {
    QString label;
    int ink;
    Values values;                       // one per number of pairs
    std::vector<Interval> intervals;     // one per number of pairs, or empty
    std::vector<Values> control_values;  // one list per number of pairs, one value per control
};

std::vector<Values> controlValues(const ControlLists& controls,
                                  const std::function<double(const ProbeResult&)>& value) {
    std::vector<Values> result;
    for (const AblationControls& each : controls) {
        result.emplace_back();
        for (const AblationControl& draw : each.draws) result.back().push_back(value(*draw.result));
    }
    return result;
}

void addEnd(Figure& figure, const SpectrumEnd& side) {
    const Ink ink = Ink::data(side.ink);
    FigureBand band{u"%1, 95 % interval"_s.arg(side.label), ink, {}, {}, {}};
    FigureCurve curve = inspectCurve(side.label, figure.y.label, ink);
    const QString controlName = u"%1 after ablating random pairs (mean), %2"_s.arg(figure.y.label, side.label);
    FigureCurve control = inspectCurve({}, controlName, ink);
    control.companion = true;
    for (std::size_t i = 0; i < side.values.size(); ++i) {
        const auto count = static_cast<double>(i);
        curve.x.append(count);
        curve.y.append(side.values[i]);
        if (i < side.intervals.size()) band.add(count, side.intervals[i].low, side.intervals[i].high);
        if (i >= side.control_values.size()) continue;
        control.x.append(count);
        control.y.append(describe(side.control_values[i]).mean);  // NaN, a gap, without controls
    }
    addBand(figure, std::move(band));
    if (std::any_of(control.y.begin(), control.y.end(), [](double y) { return std::isfinite(y); }))
        figure.curves.push_back(std::move(control));
    figure.curves.push_back(std::move(curve));
}

/// Counts the numbers of pairs without a control, of those for which pairs remain.
QString controlsNote(const AblationCurve& curve) {
    std::size_t without = 0;
    std::size_t with = 0;
    for (const ControlLists* controls : {&curve.fast_controls, &curve.slow_controls}) {
        for (std::size_t i = 1; i + 1 < controls->size(); ++i) ++((*controls)[i].draws.empty() ? without : with);
    }
    if (with == 0) return noControls();
    QString note =
        u"dotted: control, the mean after %1 random other pairs with nearly the same logit contribution"_s.arg(
            kindVerb(curve.kind));
    if (without > 0) note += u" (%1 of %2 ablations have no such pairs)"_s.arg(without).arg(with + without);
    return note;
}

/// `counts`: what the values are means over.
InspectPicture curveFromBothEnds(const InspectData& data, const char* name, Axis y, const SpectrumEnd& fast,
                                 const SpectrumEnd& slow, const QString& counts) {
    const AblationCurve& curve = *data.ablationCurve;
    InspectPicture picture{
        inspectFigure(data, name, {u"number of %1 pairs"_s.arg(kindWord(curve.kind)), {}}, std::move(y))};
    Figure& figure = picture.figure;
    figure.x.whole = true;
    addEnd(figure, fast);
    addEnd(figure, slow);
    figure.note = u"%1; %2; %3"_s.arg(checkpointNote(data, curve.iteration), counts, controlsNote(curve));
    figure.summary =
        u"%1 of %2 against the number of %3 pairs, starting with the fastest or the slowest pair; %4."_s.arg(
            figure.y.label, data.run->name, kindWord(curve.kind), controlsNote(curve));
    figure.settings[u"ablation"_s] = text(word_of(curve.kind));
    return picture;
}

}  // namespace

/// As "pairs 0–3 frozen".
static QString ablationText(const Ablation& ablation) {
    const std::vector<std::int64_t>& all = ablation.pairs;
    const QString pairs = all.empty()       ? u"no pair"_s
                          : all.size() == 1 ? u"pair %1"_s.arg(all.front())
                                            : u"pairs %1–%2"_s.arg(all.front()).arg(all.back());
    return u"%1 %2"_s.arg(pairs, kindWord(ablation.kind));
}

// Each figure shows the controls beside the ablation (core/study/ablation_control.h), or says that there are none.

static InspectPicture ablationLoss(const InspectData& data) {
    constexpr const char* name = "ablation-loss";
    if (!data.run || !data.ablation) return noAblation(data, name);
    const AblationResult& result = *data.ablation;
    // The loss itself varies with the text by far more than with the ablation.
    InspectPicture picture{inspectFigure(data, name, {u"position"_s, u"tokens"_s}, {u"loss increase"_s, u"nats"_s})};
    Figure& figure = picture.figure;
    const auto curveOf = [&](const ProbeResult& probe, const QString& label, Ink ink) {
        FigureCurve curve = blockMeans(riseOf(*result.whole, probe).loss_by_position, label, ink);
        curve.quantity = figure.y.label;
        return curve;
    };
    const Ink ink = data.run->ink;
    addControls(figure, result.controls, figure.y.label,
                [&](const ProbeResult& probe) { return curveOf(probe, {}, {Ink::Kind::quiet}); });
    figure.curves.push_back(curveOf(*result.without, ablationText(result.ablation), ink));
    figure.horizontalLines.push_back({0, u"whole model"_s});
    figure.horizontalLines.back().labelAtEnd = true;
    FigureBand band = blockBand(u"%1, 95 % interval"_s.arg(ablationText(result.ablation)), ink,
                                riseOf(*result.whole, *result.without));
    const bool hasBands = !band.x.isEmpty();
    addBand(figure, std::move(band));
    figure.note =
        u"%1: %2; %3; %4; %5"_s.arg(ablationText(result.ablation), lossChange(result), controlText(result),
                                    checkpointNote(data, result.iteration), sequencesNote(*result.without, hasBands));
    figure.summary = u"Loss increase by position in the context, for the run %2 with %1: %3; %4."_s.arg(
        ablationText(result.ablation), data.run->name, lossChange(result), controlText(result));
    return picture;
}

static InspectPicture ablationRetrieval(const InspectData& data) {
    constexpr const char* name = "ablation-retrieval";
    if (!data.run || !data.ablation) return noAblation(data, name);
    const AblationResult& result = *data.ablation;
    if (result.whole->retrieval.empty()) {
        return withoutNumbers(data, name,
                              u"The retrieval accuracy is measured only in runs with a context of at least "
                              "8 tokens."_s);
    }
    InspectPicture picture{
        inspectFigure(data, name, {u"lag Δ"_s, u"tokens"_s, true}, {u"retrieval accuracy"_s, u"%"_s})};
    Figure& figure = picture.figure;
    figure.y.minimum = 0;
    const auto curveOf = [](const ProbeResult& probe, const QString& label, const QString& quantity, Ink ink) {
        return inspectCurve(label, quantity, ink, lagsOf(probe), accuraciesOf(probe));
    };
    const Ink quiet{Ink::Kind::quiet};
    const Ink ink = data.run->ink;
    figure.curves.push_back(
        dashedCurve(curveOf(*result.whole, u"whole model"_s, u"retrieval accuracy, whole model"_s, quiet)));
    addControls(figure, result.controls, figure.y.label,
                [&](const ProbeResult& probe) { return curveOf(probe, {}, {}, quiet); });
    figure.curves.push_back(curveOf(*result.without, ablationText(result.ablation), u"retrieval accuracy"_s, ink));
    addBand(figure, accuracyBand(u"%1, 95 % interval"_s.arg(ablationText(result.ablation)), ink, *result.without));
    const auto percent = [](const ProbeResult& probe) {
        return QString::number(100 * retrieval_accuracy(probe), 'f', 1);
    };
    Values controls;
    for (const AblationControl& draw : result.controls.draws)
        controls.push_back(100 * retrieval_accuracy(*draw.result));
    const QString control = controls.empty() ? noControls()
                                             : u"control: retrieval accuracy %1 % after %3 random other pairs "
                                               "(mean of %2)"_s.arg(QString::number(describe(controls).mean, 'f', 1),
                                                                    countText(std::ssize(controls), u"random set"_s),
                                                                    kindVerb(result.ablation.kind));
    figure.note = u"%6: retrieval accuracy %1 % → %2 %; %3; %4; %5"_s.arg(
        percent(*result.whole), percent(*result.without), control, checkpointNote(data, result.iteration),
        retrievalNote(*result.without), ablationText(result.ablation));
    figure.summary = u"Retrieval accuracy by lag with %1; %2."_s.arg(ablationText(result.ablation), control);
    return picture;
}

static InspectPicture ablationCurve(const InspectData& data) {
    constexpr const char* name = "ablation-curve";
    if (!data.run || !data.ablationCurve) return noAblation(data, name);
    const AblationCurve& curve = *data.ablationCurve;
    const auto sideOf = [&](const QString& label, int ink, const Values& losses, const std::vector<Description>& rises,
                            const ControlLists& controls) {
        SpectrumEnd side{
            label, ink, losses, {}, controlValues(controls, [](const ProbeResult& probe) { return probe.loss; })};
        for (const Description& rise : rises) {
            side.intervals.push_back({losses.front() + rise.confidence_low, losses.front() + rise.confidence_high});
        }
        return side;
    };
    const QString counts =
        u"n = %1 of %2; bands: 95 % confidence intervals of the loss increase due to the ablation"_s.arg(
            countText(curve.sequences, u"sequence"_s), countText(curve.length, u"token"_s));
    return curveFromBothEnds(data, name, {u"validation loss"_s, u"nats"_s},
                             sideOf(u"fastest first"_s, 0, curve.fast_loss, curve.fast_rise, curve.fast_controls),
                             sideOf(u"slowest first"_s, 1, curve.slow_loss, curve.slow_rise, curve.slow_controls),
                             counts);
}

static InspectPicture ablationRetrievalCurve(const InspectData& data) {
    constexpr const char* name = "ablation-retrieval-curve";
    if (!data.run || !data.ablationCurve) return noAblation(data, name);
    const AblationCurve& curve = *data.ablationCurve;
    const auto sideOf = [](const QString& label, int ink, const Values& accuracies,
                           const std::vector<Interval>& intervals, const ControlLists& controls) {
        SpectrumEnd side{label, ink, {}, {}, controlValues(controls, [](const ProbeResult& probe) {
                             return 100 * retrieval_accuracy(probe);
                         })};
        for (const double accuracy : accuracies) side.values.push_back(100 * accuracy);
        for (const Interval& interval : intervals) side.intervals.push_back({100 * interval.low, 100 * interval.high});
        return side;
    };
    const QString counts = u"n = %1; bands: 95 % confidence intervals over the sequences"_s.arg(
        countText(curve.retrieval_sequences, u"sequence"_s));
    return curveFromBothEnds(
        data, name, {u"retrieval accuracy"_s, u"%"_s},
        sideOf(u"fastest first"_s, 0, curve.fast_accuracy, curve.fast_accuracy_interval, curve.fast_controls),
        sideOf(u"slowest first"_s, 1, curve.slow_accuracy, curve.slow_accuracy_interval, curve.slow_controls), counts);
}

InspectFigures ablationFigures() {
    using Controls = InspectFigure::Controls;
    return {
        {"ablation-loss", InspectGroup::ablation, u"loss after ablation"_s,
         u"Shows the increase of the loss by position after rotary pairs are frozen (frequency 0), removed from the "
         u"attention logit, "
         "or mean-ablated (query and key replaced by their means). As a control, random other pairs with nearly the "
         "same logit contribution are ablated. Formula 8 of the guide"_s,
         &need::ablation, Controls::none, ablationLoss},
        {"ablation-retrieval", InspectGroup::ablation, u"retrieval after ablation"_s,
         u"Shows the percentage of copied tokens that the model predicts, by their distance to the original (lag), "
         "after rotary pairs are frozen, removed or mean-ablated. As a control, random other pairs with nearly the "
         "same logit contribution are ablated. Formula 8 of the guide"_s,
         &need::ablation, Controls::none, ablationRetrieval},
        {"ablation-curve", InspectGroup::ablation, u"loss by number of ablated pairs"_s,
         u"Shows the loss against the number of ablated rotary pairs, starting with the pair of the highest or of "
         "the lowest frequency. As a control, random other pairs with nearly the same logit contribution are "
         "ablated. Formula 8 of the guide"_s,
         &need::ablationCurve, Controls::none, ablationCurve},
        {"ablation-retrieval-curve", InspectGroup::ablation, u"retrieval by number of ablated pairs"_s,
         u"Shows the percentage of copied tokens that the model predicts against the number of ablated rotary pairs, "
         "starting with the pair of the highest or of the lowest frequency. As a control, random other pairs with "
         "nearly the same logit contribution are ablated. Formula 8 of the guide"_s,
         &need::ablationCurve, Controls::none, ablationRetrievalCurve},
    };
}

}  // namespace ropelab::ui
