#include "ui/rooms/results/results_picture.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "core/base/error.h"
#include "core/results/results_cells.h"
#include "ui/common/format.h"
#include "ui/common/results_words.h"
#include "ui/common/text.h"
#include "ui/theme/theme.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

namespace {

/// A run in training gets a summary from its latest evaluation; its time and speed are unknown. A run that was resumed
/// still has the summary of its stop.
std::optional<RunSummary> summaryOf(const RunView& run) {
    if (!run.last) return run.record.summary;
    if (run.record.summary && run.record.summary->iterations >= run.last->iteration) return run.record.summary;
    RunSummary summary;
    summary.iterations = run.last->iteration;
    summary.final_validation_loss = run.last->validation_loss;
    summary.final_training_loss = run.last->training_loss;
    if (run.best) {
        summary.best_validation_loss = run.best->validation_loss;
        summary.best_iteration = run.best->iteration;
    }
    summary.bytes_per_token = run.record.bytes_per_token;
    summary.subwords = run.spec.has_subwords();
    summary.seconds = RunSummary::unknown;
    summary.tokens_per_second = RunSummary::unknown;
    return summary;
}

}  // namespace

Ink Results::inkOf(const ResultGroup& group) const {
    if (group.members.empty()) return Ink::data(0);
    return Ink::data(inks[group.members.front()].index);
}

ChosenRuns chosenRuns(const RunStore& store, const ResultsChoices& choices, const LabFile* measured) {
    std::vector<SelectableRun> selectable;
    std::set<std::int64_t> experiments;
    for (const RunView& run : store.runs()) {
        selectable.push_back({run.record.id, run.record.experiment, run.record.state != RunState::waiting});
        experiments.insert(run.record.experiment);
    }
    ChosenRuns chosen{selected_runs(selectable, choices.selection()), experiments.size(), store.runs().size()};
    chosen.results.experiment = chosen.selected.experiment;
    const bool withEvaluations =
        choices.options.target_loss ||
        std::ranges::any_of(chosen.selected.indices, [&](std::size_t index) { return store.runs()[index].imported; });
    for (const std::size_t index : chosen.selected.indices) {
        const RunView& run = store.runs()[index];
        chosen.results.runs.push_back(run.record.id);
        chosen.results.inks.push_back(run.ink);
        chosen.settings.emplace_back(run.changed, run.spec.seed);
        ResultRun& result = chosen.runs.emplace_back();
        result.name = run.name.toStdString();
        result.summary = choices.options.unfinished ? summaryOf(run) : run.record.summary;
        result.state = run.record.state;
        result.conditions = run.record.conditions;
        result.setting_name = run.settingName;
        result.searched = run.searched;
        result.pruned = stopped_at_rung(run.record).has_value();
        result.look = run.look;
        result.sequential = run.sequential;
        result.excluded = choices.excluded.contains(run.record.id);
        if (measured) result.measurements = measured->measurements(run.record.id);
        if (!withEvaluations) continue;
        const auto& evaluations = run.evaluations;
        for (std::size_t i = 0; i < evaluations.iteration.size(); ++i) {
            result.evaluations.push_back({evaluations.iteration[i], evaluations.validation_loss[i]});
        }
    }
    return chosen;
}

Results resultsOf(ChosenRuns chosen, const ResultsOptions& chosenOptions) {
    Results results = std::move(chosen.results);
    for (std::size_t i = 0; i < chosen.runs.size(); ++i)
        chosen.runs[i].settings = settingsOf(*chosen.settings[i].first, chosen.settings[i].second);
    try {
        results.table = results_table(chosen.runs, chosenOptions);
    } catch (const BadInput& refusal) {
        // The only invalid choice here is a baseline that belongs to other runs.
        ResultsOptions options = chosenOptions;
        options.baseline.clear();
        results.table = results_table(chosen.runs, options);
        results.baselineProblem = refusal.what();
    }
    sort_by_settings(results.table);
    for (const ResultGroup& group : results.table.groups) {
        results.verdicts.push_back(verdict_of(results.table, group));
        if (results.table.groups.size() < 2) continue;
        QVariantMap settings;
        for (const auto& [key, value] : group.settings) settings[text(key)] = text(setting_text(value));
        results.baselines.append({settingName(results.table, group), settings});
    }
    if (!chosen.runs.empty()) {
        results.words =
            QString::fromStdString(selection_words(results.table, chosen.selected, chosen.experiments, chosen.inLab));
    }
    return results;
}

Results resultsOf(const RunStore& store, const ResultsChoices& choices, const LabFile* measured) {
    return resultsOf(chosenRuns(store, choices, measured), choices.options);
}

std::vector<ResultsRun> runsOf(const RunStore& store, const Results& results, bool withEvaluations) {
    std::vector<ResultsRun> runs;
    runs.reserve(results.runs.size());
    for (const RunId id : results.runs) {
        const RunView* view = store.find(id);
        ResultsRun& run = runs.emplace_back();
        run.id = id;
        if (!view) continue;  // the run was deleted
        run.name = view->name;
        run.spec = view->spec;
        run.state = view->record.state;
        run.ink = view->ink;
        run.imported = view->imported;
        run.text = view->record.text;
        if (withEvaluations) run.evaluations = view->evaluations;
    }
    return runs;
}

namespace {

constexpr double kDivergedPt = 6;

QString settingWords(const nlohmann::json& value) {
    return value.is_null() ? QString() : text(setting_text(value));
}

}  // namespace

Emphasis emphasisOf(const ResultsData& data, std::size_t group) {
    return static_cast<int>(group) == data.picked ? Emphasis::picked : Emphasis::normal;
}

int distinctColor(std::span<const int> taken, int wanted) {
    const int count = static_cast<int>(Theme::light().data.size());
    const auto isFree = [&](int color) {
        return std::none_of(taken.begin(), taken.end(), [&](int other) {
            return other % count == color % count || Theme::dashes(other, true) == Theme::dashes(color, true);
        });
    };
    for (int step = 0; step < count; ++step) {
        for (int round = 0; round < count; ++round) {  // `round` selects other dashes of the same colour
            const int color = wanted + step + count * round;
            if (isFree(color)) return color;
        }
    }
    return wanted;
}

std::vector<Ink> seriesInks(const ResultsData& data, std::span<const std::size_t> firstGroups) {
    if (firstGroups.size() < 2) return std::vector<Ink>(firstGroups.size(), Ink{Ink::Kind::quiet});
    std::vector<Ink> inks;
    std::vector<int> taken;
    for (const std::size_t group : firstGroups) {
        taken.push_back(distinctColor(taken, data.results.inkOf(data.table().groups[group]).index));
        inks.push_back(Ink::data(taken.back()));
    }
    return inks;
}

FigureCurve stroke(QList<double> x, QList<double> y, Ink ink, Emphasis emphasis) {
    FigureCurve curve;
    curve.x = std::move(x);
    curve.y = std::move(y);
    curve.ink = ink;
    curve.emphasis = emphasis;
    return curve;
}

FigureCurve dot(double x, double y, double sizePt, Ink ink, Emphasis emphasis) {
    FigureCurve curve = stroke({x}, {y}, ink, emphasis);
    curve.shape = FigureCurve::Shape::points;
    curve.pointPt = sizePt;
    return curve;
}

FigureCurve dotWithBar(double x, double y, double low, double high, double sizePt, Ink ink, Emphasis emphasis) {
    FigureCurve curve = dot(x, y, sizePt, ink, emphasis);
    if (std::isfinite(low) && std::isfinite(high) && low < high) curve.bar = Range{low, high};
    return curve;
}

void addErrorBar(Figure& figure, double x, double low, double high, double cap, Ink ink, Emphasis emphasis) {
    if (!std::isfinite(low) || !std::isfinite(high)) return;
    const double left = figure.x.logarithmic ? x / cap : x - cap;
    const double right = figure.x.logarithmic ? x * cap : x + cap;
    const auto add = [&](QList<double> across, QList<double> up) {
        FigureCurve bar = stroke(std::move(across), std::move(up), ink, emphasis);
        bar.dots = false;
        bar.solid = true;
        figure.curves.push_back(std::move(bar));
    };
    add({x, x}, {low, high});
    for (const double end : {low, high}) add({left, right}, {end, end});
}

void joinAlike(Figure& figure) {
    constexpr std::size_t few = 2000;
    if (figure.curves.size() <= few) return;
    std::vector<FigureCurve> joined;
    std::map<std::tuple<Ink::Kind, int, Emphasis, FigureCurve::Shape, double>, std::vector<std::size_t>> places;
    for (FigureCurve& curve : figure.curves) {
        if (std::exchange(curve.bar, std::nullopt)) curve.pointPt *= 0.6;  // smaller than most of the bars
        auto& alike = places[{curve.ink.kind, curve.ink.index, curve.emphasis, curve.shape, curve.pointPt}];
        const auto place = std::ranges::find_if(  // x of a curve ascends
            alike, [&](std::size_t each) { return joined[each].x.last() <= curve.x.first(); });
        if (place == alike.end()) {
            alike.push_back(joined.size());
            joined.push_back(std::move(curve));
            continue;
        }
        FigureCurve& whole = joined[*place];
        if (curve.shape == FigureCurve::Shape::line) {
            whole.x.append(curve.x.first());
            whole.y.append(std::nan(""));
        }
        whole.x.append(curve.x);
        whole.y.append(curve.y);
    }
    figure.curves = std::move(joined);
}

RunsWithoutValue& RunsWithoutValue::operator+=(const RunsWithoutValue& other) {
    failed += other.failed;
    undefined += other.undefined;
    return *this;
}

RunsWithoutValue runsWithoutValue(const ResultsTable& table, const ResultGroup& group) {
    return {group.failed, std::ssize(group.summaries) - counted_runs(table, group)};
}

ResultsPicture withoutNumbers(ResultsPicture picture, const QString& why) {
    if (!why.isEmpty()) picture.figure.emptyText = why;
    picture.figure.summary = picture.figure.emptyText;
    return picture;
}

void addNote(Figure& figure, const QString& words) {
    if (words.isEmpty()) return;
    figure.note += (figure.note.isEmpty() ? QString() : u"; "_s) + words;
}

void addTokenizerNote(Figure& figure, const ResultsTable& table) {
    const bool differ = std::any_of(table.swept.begin(), table.swept.end(), [](const std::string& key) {
        return key == "tokenizer" || key == "vocabulary_size";
    });
    if (differ) addNote(figure, u"losses per token of different tokenizers cannot be compared"_s);
}

void addLabelNote(Figure& figure, const ResultsTable& table) {
    const bool isNamed = std::all_of(table.groups.begin(), table.groups.end(),
                                     [](const ResultGroup& group) { return !group.name.empty(); });
    if (!table.swept.empty() && !isNamed) addNote(figure, u"labels: %1"_s.arg(shortLabelKeys(table)));
}

namespace {

constexpr QLatin1StringView kFailedWords = "diverged or failed"_L1;

QString undefinedWords(const ResultsTable& table) {
    return u"without a finite "_s + text(measures()[table.compared].name);
}

/// The rows of a readout.
QList<std::pair<QString, QString>> withoutValueRows(const ResultsTable& table, const RunsWithoutValue& runs) {
    QList<std::pair<QString, QString>> rows;
    if (runs.failed > 0) rows.append({kFailedWords, countText(runs.failed, u"run"_s)});
    if (runs.undefined > 0) rows.append({undefinedWords(table), countText(runs.undefined, u"run"_s)});
    return rows;
}

/// "1 run that diverged or failed and 2 runs without a finite test_loss".
QString withoutValueWords(const ResultsTable& table, const RunsWithoutValue& runs) {
    QStringList parts;
    if (runs.failed > 0) parts << countText(runs.failed, u"run"_s) + u" that "_s + kFailedWords;
    if (runs.undefined > 0) parts << countText(runs.undefined, u"run"_s) + u' ' + undefinedWords(table);
    return parts.join(u" and "_s);
}

}  // namespace

void addWithoutValue(ResultsPicture& picture, const ResultsData& data, const QList<double>& x) {
    const ResultsTable& table = data.table();
    Figure& figure = picture.figure;
    RunsWithoutValue all;
    for (const ResultGroup& group : table.groups) all += runsWithoutValue(table, group);
    if (all.count() == 0) return;
    const Range range = yRange(figure);
    figure.y.minimum = range.minimum;
    figure.y.maximum = range.maximum;
    const double top = range.maximum - 0.03 * (range.maximum - range.minimum);
    RunsWithoutValue drawn;
    for (std::size_t i = 0; i < table.groups.size() && i < static_cast<std::size_t>(x.size()); ++i) {
        const ResultGroup& group = table.groups[i];
        const RunsWithoutValue here = runsWithoutValue(table, group);
        const double at = x[static_cast<qsizetype>(i)];
        if (here.count() == 0 || !std::isfinite(at)) continue;
        drawn += here;
        FigureCurve mark = dot(at, top, kDivergedPt, {Ink::Kind::error}, emphasisOf(data, i));
        figure.curves.push_back(std::move(mark));
        picture.spots.push_back(
            {{at, top}, longLabel(table, group), withoutValueRows(table, here), static_cast<int>(i)});
    }
    if (drawn.count() > 0) {
        const QString words = withoutValueWords(table, drawn);
        addNote(figure, u"red: %1; the means exclude these runs"_s.arg(words));
        figure.summary += u" The means exclude %1."_s.arg(words);
    }
}

void padX(Figure& figure, const QList<double>& x) {
    double low = std::numeric_limits<double>::infinity();
    double high = -low;
    for (const double value : x) {
        if (!std::isfinite(value) || (figure.x.logarithmic && value <= 0)) continue;
        low = std::min(low, value);
        high = std::max(high, value);
    }
    if (low > high) return;
    if (figure.x.logarithmic) {
        const double room = std::max(1.15, std::pow(high / low, 0.06));
        figure.x.minimum = low / room;
        figure.x.maximum = high * room;
    } else {
        const double room = high > low ? 0.05 * (high - low) : 0.05 * std::max(1.0, std::abs(high));
        figure.x.minimum = low - room;
        figure.x.maximum = high + room;
    }
}

SideBySide::SideBySide(const Figure& figure, const ResultsTable& table, QList<double> places, std::size_t count)
    : m_logarithmic(figure.x.logarithmic), m_middle((static_cast<double>(count) - 1) / 2) {
    places.removeIf([this](double x) { return !std::isfinite(x) || (m_logarithmic && x <= 0); });
    std::sort(places.begin(), places.end());
    places.erase(std::unique(places.begin(), places.end()), places.end());
    const bool hasBars = std::any_of(table.groups.begin(), table.groups.end(), [&table](const ResultGroup& group) {
        return group.described[table.compared].n > 1;
    });
    if (!hasBars || count < 2 || places.size() < 2) return;
    const auto scaled = [this](double x) { return m_logarithmic ? std::log(x) : x; };
    constexpr double kLargestStep = 0.04;  // of the axis
    constexpr double kLargestPart = 0.8;   // of the distance of two places, for all curves together
    m_step = kLargestStep * (scaled(figure.x.maximum) - scaled(figure.x.minimum));
    for (qsizetype i = 1; i < places.size(); ++i) {
        const double gap = scaled(places[i]) - scaled(places[i - 1]);
        m_step = std::min(m_step, kLargestPart * gap / static_cast<double>(count));
    }
    m_ends = {places.first(), places.last()};
}

double SideBySide::at(double x, std::size_t curve) const {
    const double shift = m_step * (static_cast<double>(curve) - m_middle);
    return m_logarithmic ? x * std::exp(shift) : x + shift;
}

void SideBySide::apply(Figure& figure) const {
    if (m_step == 0) return;
    const Range before{figure.x.minimum, figure.x.maximum};
    padX(figure, {at(m_ends.first(), 0), at(m_ends.last(), static_cast<std::size_t>(2 * m_middle))});
    figure.x.minimum = std::min(figure.x.minimum, before.minimum);
    figure.x.maximum = std::max(figure.x.maximum, before.maximum);
    addNote(figure, u"points with equal %1 are shifted sideways so that they do not overlap"_s.arg(figure.x.label));
}

QString valueText(const ResultsTable& table, const Measure& measure, double value) {
    const QString number = text(fixed_text(value, measure.decimals));
    const QString unit = measureUnit(table, measure);
    return std::isfinite(value) && !unit.isEmpty() ? number + QChar(QChar::Nbsp) + unit : number;
}

Spot groupSpot(const ResultsData& data, std::size_t group, QPointF at) {
    const ResultGroup& shown = data.table().groups[group];
    const Measure& measure = data.measure();
    const Description& described = shown.described[data.table().compared];
    Spot spot{at, longLabel(data.table(), shown), {}, static_cast<int>(group)};
    spot.rows.append({u"mean"_s, valueText(data.table(), measure, described.mean)});
    if (described.n > 1) {
        spot.rows.append({u"std. deviation"_s, text(fixed_text(described.standard_deviation, measure.decimals))});
        if (std::isfinite(described.confidence_low))
            spot.rows.append({u"95 % interval"_s, text(interval_text(described, measure.decimals))});
    }
    spot.rows.append({u"seeds"_s, QString::number(described.n)});
    if (shown.improvement_percent) {
        spot.rows.append({u"improvement"_s, numberText(signed_percent(shown.improvement_percent)) + " %"_L1});
        spot.rows.append({u"verdict"_s, text(to_string(verdict_of(data.table(), shown)))});
    }
    spot.rows += withoutValueRows(data.table(), runsWithoutValue(data.table(), shown));
    return spot;
}

void ShownValues::addBar(double low, std::int64_t n) {
    if (n > 1) (std::isfinite(low) ? haveBars : lackBars) = true;
}

QString measureUnit(const ResultsTable& table, const Measure& measure) {
    return is_loss(measure) && !imported_words(table).empty() ? QString() : measureUnit(measure);
}

QString testTitle(const ResultsTable& table) {
    return table.sequential ? text(name_of(table.sequential->design)) : testTitle(table.test);
}

QString intervalTitle(const ResultsTable& table) {
    return u"95 % confidence interval"_s + (table.sequential ? u" at all looks together"_s : QString());
}

ShownValues shownMeans(const ResultsTable& table) {
    ShownValues shown;
    if (!imported_words(table).empty()) shown.unit = u"value"_s;  // such as a printed mean
    for (const ResultGroup& group : table.groups) {
        shown.counts.push_back(group.described[table.compared].n);
        // Runs that share a clock are one measurement of their speed.
        if (shown.counts.back() < counted_runs(table, group)) shown.unit = u"measurement"_s;
        shown.addBar(group.described[table.compared].confidence_low, shown.counts.back());
    }
    return shown;
}

QString barsNote(const ShownValues& shown, const QString& bars, const QString& points) {
    const bool anySingle = std::find(shown.counts.begin(), shown.counts.end(), 1) != shown.counts.end();
    if (shown.haveBars && shown.lackBars)
        return u"%1; points without a bar have too few %2s for an interval"_s.arg(bars, shown.unit);
    if (shown.haveBars) return anySingle ? u"%1; groups of one %2 have no interval"_s.arg(bars, shown.unit) : bars;
    if (shown.lackBars)
        return points + u"no interval is drawn, because it has no bounds after so few %1s"_s.arg(shown.unit);
    return anySingle ? u"one %1 per group, so no interval is drawn"_s.arg(shown.unit) : QString();
}

void setShown(Figure& figure, const ShownValues& shown) {
    QJsonObject results = figure.settings[u"results"_s].toObject();
    QJsonArray groups = results[u"groups"_s].toArray();
    for (qsizetype i = 0; i < groups.size(); ++i) {
        QJsonObject group = groups[i].toObject();
        group[u"shown"_s] = static_cast<qint64>(shown.counts[static_cast<std::size_t>(i)]);
        groups[i] = group;
    }
    results[u"groups"_s] = groups;
    results[u"counted"_s] = shown.unit;
    figure.settings[u"results"_s] = results;
}

Figure emptyFigure(const ResultsData& data, const char* name) {
    Figure figure;
    figure.name = QString::fromLatin1(name);
    if (!data.isRecorded) return figure;
    const auto json = QByteArray::fromStdString(results_json(data.table()).dump());
    QJsonObject results = QJsonDocument::fromJson(json).object();
    const ResultsTable& table = data.table();
    QStringList warnings = {text(search_warning(table)), text(look_warning(table))};
    if (table.sequential)
        warnings << u"Stopping rule, fixed before the first run: %1."_s.arg(text(words_of(table.sequential->design)));
    warnings.removeAll(QString());
    results[u"search_warning"_s] = warnings.join(QLatin1Char(' '));
    figure.settings = {{u"results"_s, results}};
    return figure;
}

void addKeys(FigureTable& rows, const ResultsTable& table, std::span<const std::size_t> groups) {
    if (has_names(table)) {
        QStringList names;
        for (const std::size_t group : groups) names << text(group_name(table, table.groups[group]));
        rows.words.append({u"name"_s, names});
    }
    for (const std::string& key : table.swept) {
        QStringList words;
        for (const std::size_t group : groups) words << settingWords(table.groups[group].settings.at(key));
        rows.words.append({text(key), words});
    }
}

FigureTable groupColumns(const ResultsData& data) {
    const ResultsTable& table = data.table();
    FigureTable result;
    const auto add = [&](const QString& name, auto number) {
        QList<double> column;
        for (const ResultGroup& group : table.groups) column.append(number(group));
        result.names << name;
        result.columns.append(column);
    };
    if (has_names(table)) {
        QStringList names;
        for (const ResultGroup& group : table.groups) names << text(group_name(table, group));
        result.words.append({u"name"_s, names});
    }
    for (const std::string& key : table.swept) {
        const bool isNumber = std::all_of(table.groups.begin(), table.groups.end(), [&](const ResultGroup& group) {
            const auto& value = group.settings.at(key);
            return value.is_number() || value.is_boolean();
        });
        if (!isNumber) {
            QStringList words;
            for (const ResultGroup& group : table.groups) words << settingWords(group.settings.at(key));
            result.words.append({text(key), words});
            continue;
        }
        add(text(key), [&key](const ResultGroup& group) {
            const auto& value = group.settings.at(key);
            return value.is_boolean() ? (value.get<bool>() ? 1.0 : 0.0) : value.get<double>();
        });
    }
    const std::size_t compared = table.compared;
    const QString what = Axis{measureTitle(data.measure()), measureUnit(data.table())}.title();
    add(u"n"_s, [=](const ResultGroup& g) { return static_cast<double>(g.described[compared].n); });
    add(what, [=](const ResultGroup& g) { return g.described[compared].mean; });
    add(u"standard deviation"_s, [=](const ResultGroup& g) { return g.described[compared].standard_deviation; });
    add(u"95 % interval, low"_s, [=](const ResultGroup& g) { return g.described[compared].confidence_low; });
    add(u"95 % interval, high"_s, [=](const ResultGroup& g) { return g.described[compared].confidence_high; });
    add(kFailedWords, [](const ResultGroup& g) { return static_cast<double>(g.failed); });
    const auto undefined = [&](const ResultGroup& g) { return runsWithoutValue(table, g).undefined; };
    if (std::any_of(table.groups.begin(), table.groups.end(), undefined)) {
        add(undefinedWords(table), [&](const ResultGroup& g) { return static_cast<double>(undefined(g)); });
    }
    return result;
}

void addBars(FigureTable& table, const QString& of, const QList<double>& low, const QList<double>& high) {
    table.names << u"bar, low (%1)"_s.arg(of) << u"bar, high (%1)"_s.arg(of);
    for (QList<double> ends : {low, high}) {
        for (double& end : ends) end = std::isfinite(end) ? end : std::nan("");  // no bounds, so no bar
        table.columns << ends;
    }
}

}  // namespace ropelab::ui
