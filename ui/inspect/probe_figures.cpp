#include "ui/inspect/probe_figures.h"

#include <QObject>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "ui/inspect/moment_figures.h"
#include "ui/window/format.h"

namespace ropelab::ui {
namespace {

constexpr std::size_t kMostPoints = 48;  // of a curve by position

QString onItsWay(const InspectData& data, const QString& words) {
    return data.problem.isEmpty() ? words : data.problem;
}

InspectPicture noKnockOut(const InspectData& data, const char* name) {
    return withoutNumbers(data, name, onItsWay(data, QObject::tr("Reading the run with these pairs knocked out …")));
}

InspectPicture noBeyond(const InspectData& data, const char* name) {
    return withoutNumbers(data, name, onItsWay(data, QObject::tr("Reading the run beyond its context …")));
}

QString checkpointNote(const InspectData& data, std::int64_t iteration) {
    return QObject::tr("%1, checkpoint of step %2").arg(data.run->name, groupedText(iteration));
}

QString lossChange(const KnockOutResult& result) {
    return QObject::tr("loss %1 → %2 nats").arg(lossText(result.whole->loss), lossText(result.without->loss));
}

FigureCurve dashed(FigureCurve curve) {
    curve.companion = true;
    curve.isNamed = true;
    return curve;
}

using Numbers = std::vector<double>;

InspectPicture endsCurve(const InspectData& data, const char* name, Axis y, Numbers KnockOutCurve::*fast,
                         Numbers KnockOutCurve::*slow, double factor) {
    if (!data.run || !data.knockOutCurve) return noKnockOut(data, name);
    const KnockOutCurve& curve = *data.knockOutCurve;
    InspectPicture picture{inspectFigure(data, name)};
    Figure& figure = picture.figure;
    const bool stop = curve.kind == KnockOut::Kind::stop;
    figure.x = {stop ? QObject::tr("pairs stopped") : QObject::tr("pairs removed"), {}};
    figure.y = std::move(y);
    QList<double> counts(static_cast<qsizetype>(curve.count()));
    std::iota(counts.begin(), counts.end(), 0.0);
    const auto add = [&](const QString& label, int ink, const Numbers& numbers) {
        QList<double> heights;
        for (const double number : numbers) heights.append(factor * number);
        figure.curves.push_back(inspectCurve(label, figure.y.label, Ink::data(ink), counts, heights));
    };
    add(QObject::tr("fast end"), 0, curve.*fast);
    add(QObject::tr("slow end"), 1, curve.*slow);
    figure.note = checkpointNote(data, curve.iteration);
    figure.summary = QObject::tr("%1 of %2 against how many pairs are %3, from the fastest and from the slowest on.")
                         .arg(figure.y.label, data.run->name, stop ? QObject::tr("stopped") : QObject::tr("removed"));
    figure.settings[QStringLiteral("knock_out")] = stop ? QStringLiteral("stop") : QStringLiteral("remove");
    return picture;
}

/// The fine-tunings at the length that the panel shows.
std::vector<const BeyondResult*> tuningsAt(const InspectData& data) {
    std::vector<const BeyondResult*> result;
    for (const BeyondResult& tuning : data.fineTunings) {
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

QString knockOutText(const KnockOut& knockOut) {
    const std::vector<std::int64_t>& all = knockOut.pairs;
    const QString pairs = all.empty()       ? QObject::tr("no pair")
                          : all.size() == 1 ? QObject::tr("pair %1").arg(all.front())
                                            : QObject::tr("pairs %1–%2").arg(all.front()).arg(all.back());
    return knockOut.kind == KnockOut::Kind::stop ? QObject::tr("%1 stopped").arg(pairs)
                                                 : QObject::tr("%1 removed").arg(pairs);
}

FigureCurve blockMeans(const std::vector<double>& lossByPosition, const QString& label, Ink ink) {
    FigureCurve curve = inspectCurve(label, QObject::tr("validation loss"), ink, {}, {});
    const std::size_t block = std::max<std::size_t>(1, (lossByPosition.size() + kMostPoints - 1) / kMostPoints);
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

InspectPicture knockOutLoss(const InspectData& data) {
    constexpr const char* name = "knock-out-loss";
    if (!data.run || !data.knockOut) return noKnockOut(data, name);
    const KnockOutResult& result = *data.knockOut;
    InspectPicture picture{inspectFigure(data, name)};
    Figure& figure = picture.figure;
    figure.x = {QObject::tr("position"), QObject::tr("symbols")};
    figure.y = {QObject::tr("validation loss"), QObject::tr("nats")};
    figure.curves.push_back(
        dashed(blockMeans(result.whole->loss_by_position, QObject::tr("whole"), {Ink::Kind::quiet})));
    figure.curves.push_back(blockMeans(result.without->loss_by_position, knockOutText(result.knock_out),
                                       Ink::data(data.run->colorIndex())));
    figure.note = QObject::tr("%1; %2").arg(lossChange(result), checkpointNote(data, result.iteration));
    figure.summary = QObject::tr("With %1, %2 goes from %3.")
                         .arg(knockOutText(result.knock_out), data.run->name, lossChange(result));
    return picture;
}

InspectPicture knockOutRetrieval(const InspectData& data) {
    constexpr const char* name = "knock-out-retrieval";
    if (!data.run || !data.knockOut) return noKnockOut(data, name);
    const KnockOutResult& result = *data.knockOut;
    if (result.whole->retrieval.empty()) {
        return withoutNumbers(data, name, QObject::tr("Contexts below 8 symbols have no room for copies to retrieve."));
    }
    InspectPicture picture{inspectFigure(data, name)};
    Figure& figure = picture.figure;
    figure.x = {QObject::tr("lag Δ"), QObject::tr("symbols"), true};
    figure.y = {QObject::tr("copies told"), QStringLiteral("%")};
    figure.y.minimum = 0;
    figure.curves.push_back(
        dashed(inspectCurve(QObject::tr("whole"), QObject::tr("copies told, whole"), {Ink::Kind::quiet},
                            lagsOf(*result.whole), accuraciesOf(*result.whole))));
    figure.curves.push_back(inspectCurve(knockOutText(result.knock_out), QObject::tr("copies told"),
                                         Ink::data(data.run->colorIndex()), lagsOf(*result.without),
                                         accuraciesOf(*result.without)));
    const auto percent = [](const ProbeResult& of) { return QString::number(100 * retrieval_accuracy(of), 'f', 1); };
    figure.note = QObject::tr("%1 % → %2 % of copies; %3")
                      .arg(percent(*result.whole), percent(*result.without), checkpointNote(data, result.iteration));
    figure.summary = QObject::tr("Copies told at each lag with %1.").arg(knockOutText(result.knock_out));
    return picture;
}

InspectPicture knockOutCurve(const InspectData& data) {
    return endsCurve(data, "knock-out-curve", {QObject::tr("validation loss"), QObject::tr("nats")},
                     &KnockOutCurve::fast_loss, &KnockOutCurve::slow_loss, 1);
}

InspectPicture knockOutRetrievalCurve(const InspectData& data) {
    return endsCurve(data, "knock-out-retrieval-curve", {QObject::tr("copies told"), QStringLiteral("%")},
                     &KnockOutCurve::fast_accuracy, &KnockOutCurve::slow_accuracy, 100);
}

InspectPicture beyondLoss(const InspectData& data) {
    constexpr const char* name = "beyond-loss";
    if (!data.run || !data.beyond) return noBeyond(data, name);
    InspectPicture picture{inspectFigure(data, name)};
    Figure& figure = picture.figure;
    figure.x = {QObject::tr("position"), QObject::tr("symbols")};
    figure.y = {QObject::tr("validation loss"), QObject::tr("nats")};
    QStringList losses;
    for (const BeyondReading& reading : data.beyond->readings) {
        figure.curves.push_back(
            blockMeans(reading.result->loss_by_position, methodTitle(reading.method), methodInk(reading.method)));
        losses << QObject::tr("%1 %2").arg(methodTitle(reading.method), lossText(reading.result->loss));
    }
    figure.verticalLines.push_back({static_cast<double>(data.run->spec.context), QObject::tr("context")});
    figure.note = QObject::tr("%1, read at %2 × its context")
                      .arg(checkpointNote(data, data.beyond->iteration))
                      .arg(data.beyond->factor);
    figure.summary = QObject::tr("Loss by position at %1 times the context; means in nats: %2.")
                         .arg(data.beyond->factor)
                         .arg(losses.join(QStringLiteral(", ")));
    figure.settings[QStringLiteral("factor")] = static_cast<double>(data.beyond->factor);
    return picture;
}

InspectPicture beyondRetrieval(const InspectData& data) {
    constexpr const char* name = "beyond-retrieval";
    if (!data.run || !data.beyond) return noBeyond(data, name);
    InspectPicture picture{inspectFigure(data, name)};
    Figure& figure = picture.figure;
    figure.x = {QObject::tr("lag Δ"), QObject::tr("symbols"), true};
    figure.y = {QObject::tr("copies told"), QStringLiteral("%")};
    figure.y.minimum = 0;
    for (const BeyondReading& reading : data.beyond->readings) {
        figure.curves.push_back(inspectCurve(methodTitle(reading.method), QObject::tr("copies told"),
                                             methodInk(reading.method), lagsOf(*reading.result),
                                             accuraciesOf(*reading.result)));
    }
    figure.verticalLines.push_back({static_cast<double>(data.run->spec.context), QObject::tr("context")});
    figure.note = QObject::tr("%1, read at %2 × its context")
                      .arg(checkpointNote(data, data.beyond->iteration))
                      .arg(data.beyond->factor);
    figure.summary = QObject::tr("Copies told at each lag, read at %1 times the context, by scaling method.")
                         .arg(data.beyond->factor);
    return picture;
}

QStringList fineTunedNumbers(const InspectData& data) {
    QStringList lines;
    if (!data.run) return lines;
    for (const BeyondResult* result : tuningsAt(data)) {
        const SplitLoss before = split_loss(*result->readings.front().result, data.run->spec.context);
        const SplitLoss after = split_loss(*result->readings.back().result, data.run->spec.context);
        lines << QObject::tr("%1, %2 steps: beyond the context %3 → %4 nats, inside %5 → %6")
                     .arg(methodTitle(result->readings.back().method),
                          groupedText(result->readings.back().fine_tuning->steps), lossText(before.beyond),
                          lossText(after.beyond), lossText(before.inside), lossText(after.inside));
    }
    return lines;
}

InspectPicture fineTunedLoss(const InspectData& data) {
    constexpr const char* name = "fine-tuned-loss";
    const std::vector<const BeyondResult*> shown = tuningsAt(data);
    if (!data.run || shown.empty()) {
        const QString words =
            QObject::tr(
                "Fine-tune trains a copy of this run on at %1 × its context, and compares the loss by position before "
                "and after. The run itself and its checkpoint stay as they are.")
                .arg(data.fineTuning.factor);
        return withoutNumbers(data, name, onItsWay(data, words));
    }
    InspectPicture picture{inspectFigure(data, name)};
    Figure& figure = picture.figure;
    figure.x = {QObject::tr("position"), QObject::tr("symbols")};
    figure.y = {QObject::tr("validation loss"), QObject::tr("nats")};
    for (const BeyondResult* result : shown) {
        const BeyondReading& after = result->readings.back();
        const Ink ink = methodInk(after.method);
        figure.curves.push_back(
            dashed(blockMeans(result->readings.front().result->loss_by_position, QObject::tr("before"), ink)));
        figure.curves.push_back(blockMeans(
            after.result->loss_by_position,
            QObject::tr("%1, %2 steps").arg(methodTitle(after.method), groupedText(after.fine_tuning->steps)), ink));
    }
    const BeyondResult& newest = *shown.back();
    const FineTuning& how = *newest.readings.back().fine_tuning;
    figure.verticalLines.push_back({static_cast<double>(data.run->spec.context), QObject::tr("context")});
    figure.note = QObject::tr("%1; %2").arg(fineTunedNumbers(data).back(), checkpointNote(data, newest.iteration));
    figure.summary = QObject::tr("Loss by position at %1 times the context before and after fine-tuning. %2.")
                         .arg(how.factor)
                         .arg(fineTunedNumbers(data).join(QStringLiteral("; ")));
    figure.settings[QStringLiteral("factor")] = static_cast<double>(how.factor);
    figure.settings[QStringLiteral("steps")] = static_cast<double>(how.steps);
    figure.settings[QStringLiteral("learning_rate")] = learning_rate_of(how, data.run->spec);
    return picture;
}

}  // namespace ropelab::ui
