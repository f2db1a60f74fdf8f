#include "ui/probes/inside_run.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <ranges>

#include "core/base/error.h"
#include "core/experiment/experiment.h"
#include "core/experiment/setting_names.h"
#include "core/interop/external_model.h"
#include "core/sweep/stored_run.h"
#include "ui/common/format.h"
#include "ui/session/engine_work.h"
#include "ui/session/run_store.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

void OpenedTraining::add(const Snapshot& measured) {
    const std::lock_guard lock(m_mutex);
    m_measured[measured.iteration] = measured;
}

std::vector<Snapshot> OpenedTraining::measured() const {
    const std::lock_guard lock(m_mutex);
    const auto all = std::views::values(m_measured);
    return {all.begin(), all.end()};
}

std::int64_t InsideRun::lastKnownStep() const {
    const std::int64_t snapshot = snapshots.empty() ? -1 : snapshots.back().iteration;
    const std::int64_t evaluation = iterations.isEmpty() ? -1 : static_cast<std::int64_t>(iterations.last());
    return std::max(snapshot, evaluation);
}

const Snapshot* InsideRun::snapshotAt(std::int64_t iteration) const {
    if (snapshots.empty()) return nullptr;
    const auto later = std::upper_bound(snapshots.begin(), snapshots.end(), iteration,
                                        [](std::int64_t at, const Snapshot& each) { return at < each.iteration; });
    return later == snapshots.begin() ? &snapshots.front() : &*std::prev(later);
}

void InsideRun::addSnapshot(Snapshot snapshot) {
    const auto place = std::lower_bound(snapshots.begin(), snapshots.end(), snapshot.iteration,
                                        [](const Snapshot& each, std::int64_t at) { return each.iteration < at; });
    if (place != snapshots.end() && place->iteration == snapshot.iteration) {
        *place = std::move(snapshot);
    } else {
        snapshots.insert(place, std::move(snapshot));
    }
}

void InsideRun::truncateAfter(std::int64_t iteration) {
    std::erase_if(snapshots, [iteration](const Snapshot& each) { return each.iteration > iteration; });
    while (!iterations.isEmpty() && iterations.last() > static_cast<double>(iteration)) {
        iterations.removeLast();
        validationLoss.removeLast();
    }
}

QString InsideRun::at(std::int64_t step) const {
    const QString own =
        isOpened() ? u"%1 on %2"_s.arg(name, QString::fromStdString(checkpoint.external->corpus->name)) : name;
    return hasSteps() ? u"step %2: %1"_s.arg(own, groupedText(step)) : own;
}

QString InsideRun::words(std::int64_t step) const {
    const QString what = isOpened() ? u"the model"_s : u"the run"_s;
    return hasSteps() ? u"%1 %2 after %3 steps"_s.arg(what, name, groupedText(step)) : u"%1 %2"_s.arg(what, at(step));
}

QStringList InsideRun::tokenTexts(std::span<const std::int32_t> tokens) const {
    return visibleTokens(vocabulary, tokens);
}

QStringList visibleTokens(const std::string& vocabulary, std::span<const std::int32_t> tokens) {
    std::optional<Vocabulary> known;
    if (!vocabulary.empty()) known = Vocabulary::from_text(vocabulary);
    QStringList result;
    for (const std::int32_t token : tokens) {
        QString text = u"?"_s;
        if (known && token >= 0 && token < known->size()) text = QString::fromUtf8(known->bytes_of(token).c_str());
        text.replace(QLatin1Char(' '), u"␣"_s);
        text.replace(QLatin1Char('\n'), u"↵"_s);
        text.replace(QLatin1Char('\t'), u"⇥"_s);
        result << text;
    }
    return result;
}

namespace {

// Newest snapshots of the runs that differ from `run` only in the seed.
std::vector<OtherSeed> otherSeedsOf(const LabFile& lab, const InsideRun& run, const SettingColors& colors) {
    constexpr std::size_t most = 20;
    std::vector<OtherSeed> others;
    for (const RunRecord& record : lab.runs()) {
        if (record.id == run.id || others.size() == most) continue;
        RunSpec spec = stored_spec(record);
        const std::int64_t seed = spec.seed;
        spec.seed = run.spec.seed;
        if (seed == run.spec.seed || !(spec == run.spec)) continue;
        const std::vector<std::int64_t> iterations = lab.snapshots(record.id);
        if (iterations.empty()) continue;
        auto result = lab.snapshot(record.id, iterations.back());
        if (!result) continue;
        others.push_back({record.id,
                          seed,
                          colors.inkOf(settingKey(spec), seed),
                          {iterations.back(), std::make_shared<const ProbeResult>(std::move(*result))}});
    }
    return others;
}

}  // namespace

InsideRun readInsideRun(const LabFile& lab, RunId id) {
    const RunRecord record = lab.run(id);
    InsideRun run;
    run.id = id;
    run.spec = stored_spec(record);
    run.vocabulary = record.vocabulary;
    run.plan = plan_of(run.spec, run.vocabulary.empty() ? 1 : Vocabulary::from_text(run.vocabulary).size());
    run.checkpoint = checkpointOfRun(lab, id);
    run.isImported = is_imported(record);
    for (const std::int64_t iteration : lab.snapshots(id)) {
        auto result = lab.snapshot(id, iteration);
        if (result) run.snapshots.push_back({iteration, std::make_shared<const ProbeResult>(std::move(*result))});
    }
    const SettingColors colors = SettingColors::of(lab);
    const std::string setting = settingKey(run.spec);
    run.name = QString::fromStdString(shown_run_name(colors.lookOf(setting).name, record.name, run.spec));
    run.ink = colors.inkOf(setting, run.spec.seed);
    run.otherSeeds = otherSeedsOf(lab, run, colors);
    const RunMetrics metrics = lab.metrics(id);
    for (std::size_t i = 0; i < metrics.evaluations.iteration.size(); ++i) {
        run.iterations.append(static_cast<double>(metrics.evaluations.iteration[i]));
        run.validationLoss.append(metrics.evaluations.validation_loss[i]);
    }
    run.extrapolations = stored_extrapolations(lab, id);
    return run;
}

InsideRun openModel(const QString& path, const QString& text, const std::filesystem::path& dataDir) {
    InsideRun run;
    run.checkpoint = external_run(path.toStdString(), text.toStdString(), dataDir);
    run.name = QString::fromStdString(run.checkpoint.name);
    run.spec = run.checkpoint.spec;
    run.plan = run.checkpoint.external->plan;
    run.vocabulary = run.checkpoint.vocabulary;
    run.ink = Ink::data(0);
    std::vector<ModelStep> steps = model_steps(path.toStdString());
    if (steps.empty()) return run;
    RunMetrics logged = logged_losses(path.toStdString(), steps);
    run.training = std::make_shared<OpenedTraining>(std::move(steps), std::move(logged));
    return run;
}

InsideRun readInsideRunOrFirst(const LabFile& lab, RunId id) {
    if (id != 0) return readInsideRun(lab, id);
    const std::vector<RunRecord> runs = lab.runs();
    if (runs.empty()) throw BadInput("The lab contains no runs to inspect.");
    return readInsideRun(lab, runs.front().id);
}

std::vector<double> meanRow(const ProbeArray& array, std::int64_t layer, std::int64_t head, std::int64_t heads) {
    if (array.empty() || array.shape.size() < 2) return {};
    const std::int64_t layers = array.shape[0];
    const std::int64_t own = array.shape[1];
    const std::int64_t group = std::max<std::int64_t>(1, heads / std::max<std::int64_t>(1, own));
    const std::int64_t lastLayer = layer < 0 ? layers : std::min(layer, layers - 1) + 1;
    std::vector<double> sum;
    double rows = 0;
    for (std::int64_t l = layer < 0 ? 0 : std::min(layer, layers - 1); l < lastLayer; ++l) {
        const std::int64_t first = head < 0 ? 0 : std::min(head / group, own - 1);
        const std::int64_t last = head < 0 ? own : first + 1;
        for (std::int64_t h = first; h < last; ++h) {
            const auto row = array.row(l, h);
            if (!row.empty() && std::all_of(row.begin(), row.end(), [](float x) { return std::isnan(x); })) continue;
            sum.resize(row.size(), 0.0);
            for (std::size_t i = 0; i < row.size(); ++i) sum[i] += static_cast<double>(row[i]);
            ++rows;
        }
    }
    for (double& value : sum) value /= rows;
    return sum;
}

}  // namespace ropelab::ui
