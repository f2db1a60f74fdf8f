#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>

#include "core/interop/config/hf_config.h"
#include "core/interop/model_table.h"
#include "core/reproduce/rules/measuring.h"
#include "core/run/probing.h"
#include "core/sweep/stored_run.h"
#include "ui/common/format.h"
#include "ui/common/paths.h"
#include "ui/common/text.h"
#include "ui/figure/paint/printed_figure.h"
#include "ui/figure/ticks.h"
#include "ui/rooms/context/context_figures.h"
#include "ui/rooms/context/criteria_panel.h"
#include "ui/rotary/spectrum_data.h"
#include "ui/session/lab_origin.h"
#include "ui/session/rotary_model.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;
namespace {

constexpr double kTurn = 2 * std::numbers::pi;
constexpr int kPlaces = 181;       // of a curve with a formula
constexpr double kShortest = 16;   // tokens
constexpr double kKeptGain = 0.5;  // of the largest retrieval gain of a run, at its longest distance

/// Empty without a scan, or if the bound excludes nothing.
FigureCurve boundCurve(const BaseProfile& profile, const BoundData& data) {
    FigureCurve curve;
    curve.label = u"B(Δ) ≥ 0 (Men et al.)"_s;
    curve.quantity = u"supported context length"_s;
    curve.ink = {Ink::Kind::rotated};
    curve.dots = false;
    if (!canBeNegative(data.setup)) return curve;
    for (const auto& [base, supported] : basesWithTheta(profile, data)) {
        const bool isKnown = supported < profile.range().limit;
        curve.x.append(base);
        curve.y.append(isKnown ? static_cast<double>(supported) : std::numeric_limits<double>::quiet_NaN());
    }
    return curve;
}

FigureCurve curveOf(const QString& label, Ink ink, const BaseProfile::Range& range,
                    const std::function<double(double)>& tokens) {
    FigureCurve curve;
    curve.label = label;
    curve.quantity = label;
    curve.ink = ink;
    curve.dots = false;
    for (int i = 0; i < kPlaces; ++i) {
        const double base = range.low * std::pow(range.high / range.low, i / (kPlaces - 1.0));
        curve.x.append(base);
        curve.y.append(tokens(base));
    }
    return curve;
}

ContextPlace placed(const QString& name, const Frequencies& frequencies, int headDim, double theta, double context) {
    const auto pairs = std::ranges::count_if(frequencies.inverse_frequencies, [](double each) { return each > 0; });
    return {.name = name,
            .theta = theta,
            .context = context,
            .isSupported = !first_negative(frequencies, headDim, static_cast<std::int64_t>(context)),
            .isComplete = complete_pairs(frequencies, context) >= pairs};
}

/// Whether the retrieval gain at the longest distance is at least half of the largest one; nullopt if it is not
/// measured.
std::optional<bool> retrieves(const std::map<std::string, double>& measurements, std::int64_t context) {
    double largest = 0;
    std::optional<double> last;
    for (std::int64_t lag = 1; lag <= context; ++lag) {
        const auto found = measurements.find(retrieval_gain(lag));
        if (found == measurements.end() || !std::isfinite(found->second)) continue;
        largest = std::max(largest, found->second);
        last = found->second;
    }
    if (!last || largest <= 0) return std::nullopt;
    return *last >= kKeptGain * largest;
}

FigureCurve pointOf(const ContextPlace& place) {
    FigureCurve point;
    point.label = place.name;
    point.quantity = place.isRun ? u"context of a run"_s : u"context of a known model"_s;
    point.ink = {place.isSupported ? Ink::Kind::success : Ink::Kind::error};
    point.x = {place.theta};
    point.y = {place.context};
    if (!place.isSupported) point.emphasis = FigureCurve::Emphasis::dimmed;  // a ring
    point.companion = true;
    point.shape = FigureCurve::Shape::points;
    point.pointPt = place.isRun ? 7 : 4;
    return point;
}

QString scoreText(const std::vector<ContextPlace>& places) {
    const auto count = [&](const auto& has) { return std::ranges::count_if(places, has); };
    const auto models = count([](const ContextPlace& place) { return !place.isRun; });
    QString text =
        u"Of %1 known models with RoPE, each with its own head dimension, fraction and scaling, B(Δ) ≥ 0 in "
        "the whole context of %2, and every pair completes a period in the context of %3."_s.arg(models)
            .arg(count([](const ContextPlace& place) { return !place.isRun && place.isSupported; }))
            .arg(count([](const ContextPlace& place) { return !place.isRun && place.isComplete; }));
    const auto runs = std::ssize(places) - models;
    if (runs == 0) return text;
    const auto scored = count([](const ContextPlace& place) { return place.retrieves.has_value(); });
    text += u" Of %1, the bound supports the context of %2."_s.arg(countText(runs, u"setting"_s))
                .arg(count([](const ContextPlace& place) { return place.isRun && place.isSupported; }));
    if (scored > 0) {
        text +=
            u" Retrieval at the longest distance (at least half of the largest gain) agrees with the bound in %1 "
            "of %2 measured settings."_s
                .arg(count(
                    [](const ContextPlace& place) { return place.retrieves && *place.retrieves == place.isSupported; }))
                .arg(scored);
    }
    return text;
}

}  // namespace

const std::vector<ContextPlace>& knownPlaces() {
    static const std::vector<ContextPlace> places = [] {
        std::vector<ContextPlace> result;
        for (const KnownModel& known : model_table()) {
            const HfModel model = read_hf_config(known.config);
            if (model.rotary.empty() || model.context <= 0) continue;
            const HfRotary& rotary = model.rotary.front();
            const auto context = static_cast<double>(model.context);
            result.push_back(
                placed(text(known.name), rotary.at(context), rotary.setup.head_dim, rotary.setup.theta, context));
        }
        return result;
    }();
    return places;
}

std::vector<ContextPlace> runPlaces(const LabFile& lab, std::vector<RunId>& used) {
    std::map<QString, ContextPlace> settings;
    for (const RunRecord& run : lab.runs()) {
        if (is_imported(run) || run.state != RunState::finished) continue;
        const RunSpec spec = stored_spec(run);
        if (!spec.rotates() || spec.theta_varies() || spec.fraction == 0) continue;
        used.push_back(run.id);
        const QString name = u"%1, context %2"_s.arg(text(label_of(spec))).arg(spec.context);
        const auto [place, isNew] = settings.try_emplace(name);
        if (isNew) {
            place->second = placed(name, frequencies(frequency_settings_of(spec)), spec.rotary_head_dim(), spec.theta,
                                   static_cast<double>(spec.context));
            place->second.isRun = true;
        }
        // Of several seeds, all must retrieve.
        const auto kept = retrieves(lab.measurements(run.id), spec.context);
        if (kept) place->second.retrieves = place->second.retrieves.value_or(true) && *kept;
    }
    std::vector<ContextPlace> result;
    for (auto& [name, place] : settings) result.push_back(std::move(place));
    return result;
}

Figure mapFigure(const BaseProfile& profile, const BoundData& data, const std::vector<ContextPlace>& places) {
    const RotarySetup& setup = data.setup;
    const auto& range = profile.range();
    Figure figure;
    figure.name = u"context-map"_s;
    figure.heightMm = 110;  // on paper, where a lower one has no place for the names
    figure.x = {.label = u"base θ"_s, .unit = {}, .logarithmic = true, .minimum = range.low, .maximum = range.high};
    double longest = static_cast<double>(std::max(setup.context, range.limit));
    for (const ContextPlace& place : places) {
        longest = std::max(longest, place.context);
        figure.x.minimum = std::min(figure.x.minimum, place.theta / 1.5);
        figure.x.maximum = std::max(figure.x.maximum, place.theta * 1.5);
    }
    figure.y = {.label = u"context length"_s,
                .unit = u"tokens"_s,
                .logarithmic = true,
                .minimum = kShortest,
                .maximum = 2 * longest};
    figure.settings = {{u"setup"_s, QString::fromStdString(text_of(setup))},
                       {u"scan_bases_done"_s, static_cast<double>(profile.done())},
                       {u"followed_to"_s, static_cast<double>(range.limit)}};
    figure.curves.push_back(boundCurve(profile, data));
    const int rotated = rotary_dim(setup);
    const TuningNumbers numbers = tuningNumbers(setup, {});
    if (rotated > 0) {
        const double slowest = static_cast<double>(rotated - 2) / static_cast<double>(numbers.dimension);
        figure.curves.push_back(curveOf(u"longest period"_s, {Ink::Kind::unrotated}, range,
                                        [&](double base) { return kTurn * std::pow(base, slowest); }));
    }
    if (numbers.extrapolationLimit) {
        const double trained = numbers.trainingContext / kTurn;
        figure.curves.push_back(
            curveOf(u"longest tuning context (Liu et al.)"_s, Ink::data(1), range,
                    [&](double base) { return kTurn * std::pow(trained, std::log(base) / std::log(setup.theta)); }));
        figure.curves.push_back(curveOf(u"extrapolation limit (Liu et al.)"_s, Ink::data(2), range, [&](double base) {
            return extrapolation_limit(numbers.dimension, numbers.criticalDimension, base);
        }));
    }
    std::vector<FigureCurve> points;
    for (const ContextPlace& place : places) points.push_back(pointOf(place));
    joinPoints(points);
    figure.curves.insert(figure.curves.end(), points.begin(), points.end());
    FigureCurve mark;
    mark.quantity = u"current setup"_s;
    mark.ink = {Ink::Kind::accent};
    mark.x = {setup.theta};
    mark.y = {static_cast<double>(setup.context)};
    mark.emphasis = FigureCurve::Emphasis::picked;
    mark.shape = FigureCurve::Shape::points;
    mark.pointPt = 9;
    figure.curves.push_back(std::move(mark));
    figure.summary = scoreText(places);
    figure.valuesNote = u"Numbers at the right: tokens at the largest θ of the axis"_s;
    figure.note = u"Curves for the setup's head of %1 channels, %2 of which rotate"_s.arg(setup.head_dim).arg(rotated);
    if (canBeNegative(setup)) {
        figure.note += u"; B(Δ) ≥ 0: context that a base supports, up to %1 tokens"_s.arg(
            tokensText(static_cast<double>(range.limit)));
    } else {
        figure.note += u"; B(Δ) ≥ 0 in every context"_s;
    }
    if (rotated > 0) figure.note += u"; longest period: from this context on every pair completes a period"_s;
    if (numbers.extrapolationLimit) {
        figure.note +=
            u"; longest tuning context: largest one for which fine-tuning at base θ extrapolates further, and "
            "extrapolation limit: how far, both after training at the setup's θ and context"_s;
    }
    figure.note +=
        u"; points: green and filled if B(Δ) ≥ 0 in the whole context, else red rings; +1: one more at the same place; "
        "large and blue: the setup."_s;
    figure.table = FigureTable::of({u"base"_s, u"context (tokens)"_s, u"B(Δ) ≥ 0"_s, u"all pairs complete"_s});
    QStringList names;
    for (const ContextPlace& place : places) {
        names << place.name;
        figure.table.addRow({place.theta, place.context, place.isSupported ? 1.0 : 0.0, place.isComplete ? 1.0 : 0.0});
    }
    figure.table.words = {{u"model or setting"_s, names}};
    return figure;
}

Figure requestedMap(const FigureRequest& request) {
    std::vector<ContextPlace> places = knownPlaces();
    std::vector<RunId> used;
    std::unique_ptr<LabFile> lab;
    if (!request.sources().labPath().isEmpty()) {
        lab = LabFile::open(toPath(request.sources().labPath()), LabFile::Mode::read);
        const std::vector<ContextPlace> runs = runPlaces(*lab, used);
        places.insert(places.end(), runs.begin(), runs.end());
    }
    Figure figure = ofSetups(request, [&](const RotarySetup& setup) {
        BaseProfile profile(setup, baseRange(setup, false));
        if (canBeNegative(setup)) profile.extend();
        return mapFigure(profile, boundData(setup, kMaxPositions), places);
    });
    if (!used.empty()) figure.origin.lab = labOrigin(*lab, used);
    return figure;
}

}  // namespace ropelab::ui
