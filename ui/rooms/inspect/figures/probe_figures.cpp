#include "ui/rooms/inspect/figures/figures.h"

#include <algorithm>
#include <cmath>

#include "ui/common/format.h"
#include "ui/common/text.h"
#include "ui/probes/interval_bands.h"
#include "ui/rooms/inspect/inspect_figures.h"
#include "ui/rooms/inspect/probe_work.h"
#include "ui/rotary/spectrum_data.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;
namespace {

const QString kLastPositions = u"numbers at the right: values at the last positions"_s;

InspectPicture noExtrapolation(const InspectData& data, const char* name) {
    return withoutAnswer(data, name, u"Evaluating the checkpoint beyond its training context …"_s);
}

QString countsOf(const ExtrapolationResult& result, bool hasBands) {
    return result.evaluations.empty() ? QString() : sequencesNote(*result.evaluations.front().result, hasBands);
}

/// At the length that is selected in the panel.
std::vector<const ExtrapolationResult*> tuningsAt(const InspectData& data) {
    std::vector<const ExtrapolationResult*> result;
    for (const ExtrapolationResult& tuning : data.fineTunings) {
        if (tuning.factor == data.fineTuning.factor && tuning.evaluations.size() == 2) result.push_back(&tuning);
    }
    return result;
}

/// The scaling method, or the position encoding of a run without RoPE.
QString titleOf(const ExtrapolationEvaluation& evaluation, const InsideRun& run) {
    if (run.isOpened() && evaluation.method == ScalingMethod::none) return u"as published"_s;
    return run.plan.rotary() ? methodTitle(evaluation.method) : QString::fromStdString(label_of(run.spec));
}

constexpr std::size_t kMostBands = 3;  // more bands cover each other and the curves

/// Of many methods, only the first has its band: they evaluate the same sequences, so that the bands are alike.
bool hasBand(const ExtrapolationResult& result, const ExtrapolationEvaluation& evaluation) {
    return result.evaluations.size() <= kMostBands || &evaluation == &result.evaluations.front();
}

QString firstBandNote(const ExtrapolationResult& result, const InsideRun& run, bool hasBands) {
    if (!hasBands || result.evaluations.size() <= kMostBands) return {};
    return u" (drawn for %1; those of the other methods are about as wide)"_s.arg(
        titleOf(result.evaluations.front(), run));
}

}  // namespace

InspectPicture withoutAnswer(const InspectData& data, const char* name, const QString& computing) {
    return withoutNumbers(data, name, data.problem.isEmpty() ? computing : data.problem);
}

QString checkpointNote(const InspectData& data, std::int64_t iteration) {
    if (!data.run->hasSteps()) return data.run->name;
    return u"%1, checkpoint at step %2"_s.arg(data.run->name, groupedText(iteration));
}

FigureCurve dashedCurve(FigureCurve curve) {
    curve.companion = true;
    curve.isNamed = true;
    return curve;
}

QString methodTitle(ScalingMethod method) {
    return text(scaling_names().at(static_cast<std::size_t>(method)).title);
}

FigureCurve blockMeans(const std::vector<double>& lossByPosition, const QString& label, Ink ink) {
    FigureCurve curve = inspectCurve(label, u"validation loss"_s, ink);
    const std::size_t block = blockSize(lossByPosition.size());
    for (std::size_t start = 0; start < lossByPosition.size(); start += block) {
        const std::size_t end = std::min(lossByPosition.size(), start + block);
        double sum = 0;
        double count = 0;
        for (std::size_t i = start; i < end; ++i) {
            if (!std::isfinite(lossByPosition[i])) continue;
            sum += lossByPosition[i];
            ++count;
        }
        curve.x.append(0.5 * static_cast<double>(start + end - 1));
        curve.y.append(count > 0 ? sum / count : std::nan(""));
    }
    return curve;
}

static InspectPicture extrapolationLoss(const InspectData& data) {
    constexpr const char* name = "extrapolation-loss";
    if (!data.run || !data.beyond) return noExtrapolation(data, name);
    InspectPicture picture{inspectFigure(data, name, {u"position"_s, u"tokens"_s}, {u"validation loss"_s, u"nats"_s})};
    Figure& figure = picture.figure;
    QStringList losses;
    for (const ExtrapolationEvaluation& evaluation : data.beyond->evaluations) {
        const QString title = titleOf(evaluation, *data.run);
        figure.curves.push_back(blockMeans(evaluation.result->loss_by_position, title, scalingInk(evaluation.method)));
        if (hasBand(*data.beyond, evaluation))
            addBand(figure,
                    blockBand(u"%1, 95 % interval"_s.arg(title), scalingInk(evaluation.method), *evaluation.result));
        losses << u"%1 %2"_s.arg(title, lossText(evaluation.result->loss));
    }
    figure.verticalLines.push_back({static_cast<double>(data.run->spec.context), u"training context"_s});
    figure.note = u"%1, evaluated on sequences of %2 × its training context; %3"_s
                      .arg(checkpointNote(data, data.beyond->iteration))
                      .arg(data.beyond->factor)
                      .arg(countsOf(*data.beyond, !figure.bands.empty()) +
                           firstBandNote(*data.beyond, *data.run, !figure.bands.empty()));
    figure.valuesNote = kLastPositions;
    figure.summary =
        u"Loss by position at %1 times the training context; mean losses in nats: %2."_s.arg(data.beyond->factor)
            .arg(losses.join(u", "_s));
    figure.settings[u"factor"_s] = static_cast<double>(data.beyond->factor);
    return picture;
}

static InspectPicture extrapolationRetrieval(const InspectData& data) {
    constexpr const char* name = "extrapolation-retrieval";
    if (!data.run || !data.beyond) return noExtrapolation(data, name);
    InspectPicture picture{
        inspectFigure(data, name, {u"lag Δ"_s, u"tokens"_s, true}, {u"retrieval accuracy"_s, u"%"_s})};
    Figure& figure = picture.figure;
    figure.y.minimum = 0;
    for (const ExtrapolationEvaluation& evaluation : data.beyond->evaluations) {
        const QString title = titleOf(evaluation, *data.run);
        figure.curves.push_back(inspectCurve(title, u"retrieval accuracy"_s, scalingInk(evaluation.method),
                                             lagsOf(*evaluation.result), accuraciesOf(*evaluation.result)));
        if (hasBand(*data.beyond, evaluation))
            addBand(figure,
                    accuracyBand(u"%1, 95 % interval"_s.arg(title), scalingInk(evaluation.method), *evaluation.result));
    }
    figure.verticalLines.push_back({static_cast<double>(data.run->spec.context), u"training context"_s});
    figure.note = u"%1, evaluated at %2 × its training context"_s.arg(checkpointNote(data, data.beyond->iteration))
                      .arg(data.beyond->factor);
    if (!data.beyond->evaluations.empty())
        figure.note += u"; %1"_s.arg(retrievalNote(*data.beyond->evaluations.front().result) +
                                     firstBandNote(*data.beyond, *data.run, !figure.bands.empty()));
    figure.summary =
        u"Retrieval accuracy by lag (distance to the original) at %1 times the training context, per scaling "
        "method."_s.arg(data.beyond->factor);
    return picture;
}

QStringList fineTunedNumbers(const InspectData& data) {
    QStringList lines;
    if (!data.run) return lines;
    for (const ExtrapolationResult* result : tuningsAt(data)) {
        const SplitLoss before = split_loss(*result->evaluations.front().result, data.run->spec.context);
        const SplitLoss after = split_loss(*result->evaluations.back().result, data.run->spec.context);
        lines << u"%1, %2 steps: loss beyond the training context %3 → %4 nats, inside the training context %5 → %6 "
                 "nats"_s.arg(titleOf(result->evaluations.back(), *data.run),
                              groupedText(result->evaluations.back().fine_tuning->steps), lossText(before.beyond),
                              lossText(after.beyond), lossText(before.inside), lossText(after.inside));
    }
    return lines;
}

static InspectPicture fineTunedLoss(const InspectData& data) {
    constexpr const char* name = "fine-tuned-loss";
    const std::vector<const ExtrapolationResult*> shown = tuningsAt(data);
    if (!data.run || shown.empty()) {
        const QString words =
            u"“Fine-tune copy” continues the training of a copy of this run at %1 × its context, and this figure "
            "compares the loss by position before and after the fine-tuning. The run and its checkpoint do not change."_s
                .arg(data.fineTuning.factor);
        return withoutAnswer(data, name, words);
    }
    InspectPicture picture{inspectFigure(data, name, {u"position"_s, u"tokens"_s}, {u"validation loss"_s, u"nats"_s})};
    Figure& figure = picture.figure;
    for (const ExtrapolationResult* result : shown) {
        const ExtrapolationEvaluation& after = result->evaluations.back();
        const Ink ink = scalingInk(after.method);
        const QString title = titleOf(after, *data.run);
        figure.curves.push_back(
            dashedCurve(blockMeans(result->evaluations.front().result->loss_by_position,
                                   shown.size() == 1 ? u"before fine-tuning"_s : u"%1, 0 steps"_s.arg(title),
                                   shown.size() == 1 ? Ink{Ink::Kind::quiet} : ink)));
        figure.curves.push_back(blockMeans(after.result->loss_by_position,
                                           u"%1, %2 steps"_s.arg(title, groupedText(after.fine_tuning->steps)), ink));
        addBand(figure, blockBand(u"%1, 95 % interval"_s.arg(title), ink, *after.result));
    }
    const ExtrapolationResult& newest = *shown.back();
    const FineTuning& how = *newest.evaluations.back().fine_tuning;
    figure.verticalLines.push_back({static_cast<double>(data.run->spec.context), u"training context"_s});
    figure.note = u"%1; %2; %3"_s.arg(fineTunedNumbers(data).back(), checkpointNote(data, newest.iteration),
                                      countsOf(newest, !figure.bands.empty()));
    figure.valuesNote = kLastPositions;
    figure.summary =
        u"Loss by position at %1 times the training context before and after fine-tuning. %2."_s.arg(how.factor)
            .arg(fineTunedNumbers(data).join(u"; "_s));
    figure.settings[u"factor"_s] = static_cast<double>(how.factor);
    figure.settings[u"steps"_s] = static_cast<double>(how.steps);
    figure.settings[u"learning_rate"_s] = learning_rate_of(how, data.run->spec);
    return picture;
}

InspectFigures probeFigures() {
    using Controls = InspectFigure::Controls;
    return {
        {"extrapolation-loss", InspectGroup::extrapolation, u"loss beyond the context"_s,
         u"Shows the loss by position at 2, 4 or 8 times the training context. A run with RoPE is evaluated without "
         "scaling and with seven scaling methods (the factors of LongRoPE are found by a search), a run without RoPE "
         "with its own position encoding. Formulas 18 to 24 of the guide"_s,
         &need::beyond, Controls::none, extrapolationLoss},
        {"extrapolation-retrieval", InspectGroup::extrapolation, u"retrieval beyond the context"_s,
         u"Shows the percentage of copied tokens that the model predicts, at lags (distances to the original) inside "
         "and beyond the training context. A run with RoPE is evaluated without scaling and with seven scaling "
         "methods. Formulas 18 to 24 of the guide"_s,
         &need::beyond, Controls::none, extrapolationRetrieval},
        {"fine-tuned-loss", InspectGroup::extrapolation, u"loss after fine-tuning"_s,
         u"Shows the loss by position inside and beyond the training context, before and after a short fine-tuning "
         "with longer sequences. Formulas 18 to 24 of the guide"_s,
         &need::fineTuning, Controls::none, fineTunedLoss},
    };
}

}  // namespace ropelab::ui
