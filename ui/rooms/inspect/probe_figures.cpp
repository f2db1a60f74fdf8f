#include "ui/rooms/inspect/probe_figures.h"

#include <QObject>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "ui/common/format.h"
#include "ui/rooms/inspect/moment_figures.h"

namespace ropelab::ui {
namespace {

constexpr std::size_t kMaxPoints = 48;  // of a curve by position

/// Returns the problem of the data, else `words`.
QString problemOr(const InspectData& data, const QString& words) {
    return data.problem.isEmpty() ? words : data.problem;
}

InspectPicture noAblation(const InspectData& data, const char* name) {
    return withoutNumbers(data, name,
                          problemOr(data, QObject::tr("Evaluating the checkpoint with these pairs ablated …")));
}

InspectPicture noExtrapolation(const InspectData& data, const char* name) {
    return withoutNumbers(data, name,
                          problemOr(data, QObject::tr("Evaluating the checkpoint beyond its training context …")));
}

QString checkpointNote(const InspectData& data, std::int64_t iteration) {
    return QObject::tr("%1, checkpoint at step %2").arg(data.run->name, groupedText(iteration));
}

QString lossChange(const AblationResult& result) {
    return QObject::tr("loss %1 → %2 nats").arg(lossText(result.whole->loss), lossText(result.without->loss));
}

FigureCurve dashed(FigureCurve curve) {
    curve.companion = true;
    curve.isNamed = true;
    return curve;
}

using Values = std::vector<double>;

/// Returns a figure against the number of ablated pairs, with one curve for each end of the spectrum. `factor` converts
/// the values to the unit of y.
InspectPicture curveFromBothEnds(const InspectData& data, const char* name, Axis y, Values AblationCurve::*fast,
                                 Values AblationCurve::*slow, double factor) {
    if (!data.run || !data.ablationCurve) return noAblation(data, name);
    const AblationCurve& curve = *data.ablationCurve;
    InspectPicture picture{inspectFigure(data, name)};
    Figure& figure = picture.figure;
    const bool isFrozen = curve.kind == Ablation::Kind::stop;
    figure.x = {isFrozen ? QObject::tr("number of frozen pairs") : QObject::tr("number of removed pairs"), {}};
    figure.y = std::move(y);
    QList<double> counts(static_cast<qsizetype>(curve.count()));
    std::iota(counts.begin(), counts.end(), 0.0);
    const auto add = [&](const QString& label, int ink, const Values& values) {
        QList<double> heights;
        for (const double value : values) heights.append(factor * value);
        figure.curves.push_back(inspectCurve(label, figure.y.label, Ink::data(ink), counts, heights));
    };
    add(QObject::tr("fastest first"), 0, curve.*fast);
    add(QObject::tr("slowest first"), 1, curve.*slow);
    figure.note = checkpointNote(data, curve.iteration);
    figure.summary =
        QObject::tr("%1 of %2 against the number of %3 pairs, starting with the fastest or the slowest pair.")
            .arg(figure.y.label, data.run->name, isFrozen ? QObject::tr("frozen") : QObject::tr("removed"));
    figure.settings[QStringLiteral("ablation")] = isFrozen ? QStringLiteral("freeze") : QStringLiteral("ablate");
    return picture;
}

/// Returns the fine-tunings at the length that is selected in the panel.
std::vector<const ExtrapolationResult*> tuningsAt(const InspectData& data) {
    std::vector<const ExtrapolationResult*> result;
    for (const ExtrapolationResult& tuning : data.fineTunings) {
        if (tuning.factor == data.fineTuning.factor && tuning.readings.size() == 2) result.push_back(&tuning);
    }
    return result;
}

}  // namespace

QString methodTitle(ScalingMethod method) {
    const std::string_view title = scaling_names().at(static_cast<std::size_t>(method)).title;
    return QString::fromUtf8(title.data(), static_cast<qsizetype>(title.size()));
}

Ink methodInk(ScalingMethod method) {
    return Ink::data(static_cast<int>(method));
}

QString ablationText(const Ablation& ablation) {
    const std::vector<std::int64_t>& all = ablation.pairs;
    const QString pairs = all.empty()       ? QObject::tr("no pair")
                          : all.size() == 1 ? QObject::tr("pair %1").arg(all.front())
                                            : QObject::tr("pairs %1–%2").arg(all.front()).arg(all.back());
    return ablation.kind == Ablation::Kind::stop ? QObject::tr("%1 frozen").arg(pairs)
                                                 : QObject::tr("%1 removed").arg(pairs);
}

FigureCurve blockMeans(const std::vector<double>& lossByPosition, const QString& label, Ink ink) {
    FigureCurve curve = inspectCurve(label, QObject::tr("validation loss"), ink, {}, {});
    const std::size_t block = std::max<std::size_t>(1, (lossByPosition.size() + kMaxPoints - 1) / kMaxPoints);
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

InspectPicture ablationLoss(const InspectData& data) {
    constexpr const char* name = "ablation-loss";
    if (!data.run || !data.ablation) return noAblation(data, name);
    const AblationResult& result = *data.ablation;
    InspectPicture picture{inspectFigure(data, name)};
    Figure& figure = picture.figure;
    figure.x = {QObject::tr("position"), QObject::tr("tokens")};
    figure.y = {QObject::tr("validation loss"), QObject::tr("nats")};
    figure.curves.push_back(
        dashed(blockMeans(result.whole->loss_by_position, QObject::tr("whole model"), {Ink::Kind::quiet})));
    figure.curves.push_back(
        blockMeans(result.without->loss_by_position, ablationText(result.ablation), Ink::data(data.run->colorIndex())));
    figure.note = QObject::tr("%1; %2").arg(lossChange(result), checkpointNote(data, result.iteration));
    figure.summary = QObject::tr("Loss by position of %2 with %1: %3.")
                         .arg(ablationText(result.ablation), data.run->name, lossChange(result));
    return picture;
}

InspectPicture ablationRetrieval(const InspectData& data) {
    constexpr const char* name = "ablation-retrieval";
    if (!data.run || !data.ablation) return noAblation(data, name);
    const AblationResult& result = *data.ablation;
    if (result.whole->retrieval.empty()) {
        return withoutNumbers(data, name, QObject::tr("Retrieval needs a context of at least 8 tokens."));
    }
    InspectPicture picture{inspectFigure(data, name)};
    Figure& figure = picture.figure;
    figure.x = {QObject::tr("lag Δ"), QObject::tr("tokens"), true};
    figure.y = {QObject::tr("retrieval accuracy"), QStringLiteral("%")};
    figure.y.minimum = 0;
    figure.curves.push_back(
        dashed(inspectCurve(QObject::tr("whole model"), QObject::tr("retrieval accuracy, whole model"),
                            {Ink::Kind::quiet}, lagsOf(*result.whole), accuraciesOf(*result.whole))));
    figure.curves.push_back(inspectCurve(ablationText(result.ablation), QObject::tr("retrieval accuracy"),
                                         Ink::data(data.run->colorIndex()), lagsOf(*result.without),
                                         accuraciesOf(*result.without)));
    const auto percent = [](const ProbeResult& probe) {
        return QString::number(100 * retrieval_accuracy(probe), 'f', 1);
    };
    figure.note = QObject::tr("retrieval accuracy %1 % → %2 %; %3")
                      .arg(percent(*result.whole), percent(*result.without), checkpointNote(data, result.iteration));
    figure.summary = QObject::tr("Retrieval accuracy by lag with %1.").arg(ablationText(result.ablation));
    return picture;
}

InspectPicture ablationCurve(const InspectData& data) {
    return curveFromBothEnds(data, "ablation-curve", {QObject::tr("validation loss"), QObject::tr("nats")},
                             &AblationCurve::fast_loss, &AblationCurve::slow_loss, 1);
}

InspectPicture ablationRetrievalCurve(const InspectData& data) {
    return curveFromBothEnds(data, "ablation-retrieval-curve", {QObject::tr("retrieval accuracy"), QStringLiteral("%")},
                             &AblationCurve::fast_accuracy, &AblationCurve::slow_accuracy, 100);
}

InspectPicture extrapolationLoss(const InspectData& data) {
    constexpr const char* name = "extrapolation-loss";
    if (!data.run || !data.beyond) return noExtrapolation(data, name);
    InspectPicture picture{inspectFigure(data, name)};
    Figure& figure = picture.figure;
    figure.x = {QObject::tr("position"), QObject::tr("tokens")};
    figure.y = {QObject::tr("validation loss"), QObject::tr("nats")};
    QStringList losses;
    for (const ExtrapolationEvaluation& reading : data.beyond->readings) {
        figure.curves.push_back(
            blockMeans(reading.result->loss_by_position, methodTitle(reading.method), methodInk(reading.method)));
        losses << QObject::tr("%1 %2").arg(methodTitle(reading.method), lossText(reading.result->loss));
    }
    figure.verticalLines.push_back({static_cast<double>(data.run->spec.context), QObject::tr("training context")});
    figure.note = QObject::tr("%1, evaluated at %2 × its training context")
                      .arg(checkpointNote(data, data.beyond->iteration))
                      .arg(data.beyond->factor);
    figure.summary = QObject::tr("Loss by position at %1 times the training context; mean losses in nats: %2.")
                         .arg(data.beyond->factor)
                         .arg(losses.join(QStringLiteral(", ")));
    figure.settings[QStringLiteral("factor")] = static_cast<double>(data.beyond->factor);
    return picture;
}

InspectPicture extrapolationRetrieval(const InspectData& data) {
    constexpr const char* name = "extrapolation-retrieval";
    if (!data.run || !data.beyond) return noExtrapolation(data, name);
    InspectPicture picture{inspectFigure(data, name)};
    Figure& figure = picture.figure;
    figure.x = {QObject::tr("lag Δ"), QObject::tr("tokens"), true};
    figure.y = {QObject::tr("retrieval accuracy"), QStringLiteral("%")};
    figure.y.minimum = 0;
    for (const ExtrapolationEvaluation& reading : data.beyond->readings) {
        figure.curves.push_back(inspectCurve(methodTitle(reading.method), QObject::tr("retrieval accuracy"),
                                             methodInk(reading.method), lagsOf(*reading.result),
                                             accuraciesOf(*reading.result)));
    }
    figure.verticalLines.push_back({static_cast<double>(data.run->spec.context), QObject::tr("training context")});
    figure.note = QObject::tr("%1, evaluated at %2 × its training context")
                      .arg(checkpointNote(data, data.beyond->iteration))
                      .arg(data.beyond->factor);
    figure.summary = QObject::tr("Retrieval accuracy by lag at %1 times the training context, per scaling method.")
                         .arg(data.beyond->factor);
    return picture;
}

QStringList fineTunedNumbers(const InspectData& data) {
    QStringList lines;
    if (!data.run) return lines;
    for (const ExtrapolationResult* result : tuningsAt(data)) {
        const SplitLoss before = split_loss(*result->readings.front().result, data.run->spec.context);
        const SplitLoss after = split_loss(*result->readings.back().result, data.run->spec.context);
        lines << QObject::tr("%1, %2 steps: loss beyond the context %3 → %4 nats, inside %5 → %6 nats")
                     .arg(methodTitle(result->readings.back().method),
                          groupedText(result->readings.back().fine_tuning->steps), lossText(before.beyond),
                          lossText(after.beyond), lossText(before.inside), lossText(after.inside));
    }
    return lines;
}

InspectPicture fineTunedLoss(const InspectData& data) {
    constexpr const char* name = "fine-tuned-loss";
    const std::vector<const ExtrapolationResult*> shown = tuningsAt(data);
    if (!data.run || shown.empty()) {
        const QString words =
            QObject::tr(
                "“Fine-tune copy” continues the training of a copy of this run at %1 × its context, and this figure "
                "compares the loss by position before and after. The run and its checkpoint do not change.")
                .arg(data.fineTuning.factor);
        return withoutNumbers(data, name, problemOr(data, words));
    }
    InspectPicture picture{inspectFigure(data, name)};
    Figure& figure = picture.figure;
    figure.x = {QObject::tr("position"), QObject::tr("tokens")};
    figure.y = {QObject::tr("validation loss"), QObject::tr("nats")};
    for (const ExtrapolationResult* result : shown) {
        const ExtrapolationEvaluation& after = result->readings.back();
        const Ink ink = methodInk(after.method);
        figure.curves.push_back(dashed(
            blockMeans(result->readings.front().result->loss_by_position, QObject::tr("before fine-tuning"), ink)));
        figure.curves.push_back(blockMeans(
            after.result->loss_by_position,
            QObject::tr("%1, %2 steps").arg(methodTitle(after.method), groupedText(after.fine_tuning->steps)), ink));
    }
    const ExtrapolationResult& newest = *shown.back();
    const FineTuning& how = *newest.readings.back().fine_tuning;
    figure.verticalLines.push_back({static_cast<double>(data.run->spec.context), QObject::tr("training context")});
    figure.note = QObject::tr("%1; %2").arg(fineTunedNumbers(data).back(), checkpointNote(data, newest.iteration));
    figure.summary = QObject::tr("Loss by position at %1 times the training context before and after fine-tuning. %2.")
                         .arg(how.factor)
                         .arg(fineTunedNumbers(data).join(QStringLiteral("; ")));
    figure.settings[QStringLiteral("factor")] = static_cast<double>(how.factor);
    figure.settings[QStringLiteral("steps")] = static_cast<double>(how.steps);
    figure.settings[QStringLiteral("learning_rate")] = learning_rate_of(how, data.run->spec);
    return picture;
}

}  // namespace ropelab::ui
