#include "ui/rooms/train/figures/live_figures.h"

#include <gtest/gtest.h>

#include <QJsonArray>
#include <list>
#include <numbers>

#include "core/contract/probe.h"
#include "tests/ui/support/fake_engine.h"

namespace ropelab::ui {
namespace {

RunSpec liveSpec(double theta) {
    RunSpec spec;
    spec.theta = theta;
    spec.context = 32;
    spec.iterations = 2000;
    spec.evaluate_every = 250;
    spec.experts = 4;
    spec.expert_capacity = 1.25;
    return spec;
}

/// Returns a run with spectra after `iteration` steps; −1: without a snapshot.
LiveRun liveRun(RunId id, const RunSpec& given, std::int64_t iteration) {
    static std::list<RunSpec> specs;  // runs only point to them
    const RunSpec& spec = specs.emplace_back(given);
    LiveRun run{id,
                QStringLiteral("run %1").arg(id),
                &spec,
                Ink::data(static_cast<int>(id)),
                std::nullopt,
                RunState::running,
                std::max<std::int64_t>(0, iteration),
                {{0, 1.5, 0.5}, {std::max<std::int64_t>(1, iteration), 1.25, 0.125}}};
    if (iteration < 0) return run;
    ProbeResult result;
    result.sequences = 2;
    result.length = spec.context;
    testing::FakeEngine::add_spectra(result, spec, iteration);
    run.snapshot = Snapshot{iteration, std::make_shared<const ProbeResult>(std::move(result))};
    return run;
}

Figure liveFigure(const char* name, const LiveData& data) {
    const LiveFigure* figure = findLiveFigure(QLatin1String(name));
    return figure ? figure->make(data).figure : Figure();
}

LiveData twoSettings(std::int64_t firstStep = 500, std::int64_t secondStep = 500) {
    LiveData data;
    data.settings.push_back({"θ 500", {liveRun(1, liveSpec(500), firstStep)}});
    data.settings.push_back({"θ 10k", {liveRun(2, liveSpec(10000), secondStep)}});
    return data;
}

TEST(LiveFigures, EveryFigureHasOneCurvePerSettingInItsColour) {
    const LiveData data = twoSettings();
    for (const LiveFigure& figure : liveFigures()) {
        const Figure made = figure.make(data).figure;
        ASSERT_EQ(made.curves.size(), 2U) << figure.name;
        EXPECT_EQ(made.curves[0].ink, Ink::data(1)) << figure.name;
        EXPECT_EQ(made.curves[1].label, "θ 10k") << figure.name;
        EXPECT_EQ(made.name, figure.name);
        EXPECT_TRUE(made.summary.contains("step 500 of 2,000")) << made.summary.toStdString();
        EXPECT_EQ(made.settings.value("runs").toArray().size(), 2);
    }
    EXPECT_EQ(liveStepText(data), "step 500 of 2,000");
    EXPECT_EQ(findLiveFigure("no such figure"), nullptr);
}

TEST(LiveFigures, NormsAreShownByTheWavelengthOfTheirPair) {
    const Figure figure = liveFigure("query-spectrum", twoSettings());
    const RunSpec spec = liveSpec(500);
    const std::vector<double> wavelengths = wavelengthsOf(plan_of(spec, 1));
    const FigureCurve& curve = figure.curves.front();
    ASSERT_EQ(curve.x.size(), static_cast<qsizetype>(wavelengths.size()));
    EXPECT_NEAR(curve.x.front(), 2 * std::numbers::pi, 1e-9) << "the fastest pair rotates by 1 radian per token";
    for (qsizetype i = 0; i < curve.x.size(); ++i) {
        EXPECT_DOUBLE_EQ(curve.x[i], wavelengths[static_cast<std::size_t>(i)]);
        EXPECT_DOUBLE_EQ(curve.y[i], 500.0 + static_cast<double>(i));
    }
    EXPECT_TRUE(figure.x.logarithmic);
}

// Many small runs on a slow machine: measurements would take longer than 4 % of the training.
TEST(LiveFigures, LeftOutMeasurementsAreSaid) {
    LiveData data = twoSettings();
    data.picked = liveRun(1, liveSpec(500), 500);
    const std::int64_t next = *next_probe(*data.picked->spec, 500);
    const auto skips_at = [&](std::int64_t step) {
        data.picked->iteration = step;
        return skipsProbes(data);
    };
    EXPECT_FALSE(skips_at(next)) << "the measurement may be on its way";
    EXPECT_TRUE(skips_at(next + 1));
    data.settings.front().seeds.push_back(*data.picked);
    data.picked.reset();
    EXPECT_TRUE(skipsProbes(data)) << "one of several";
    data.settings.front().seeds.back().state = RunState::finished;
    EXPECT_FALSE(skipsProbes(data));
}

// The gradients of attention and MLP alternate: 0.5, 1, 1.5, …
TEST(LiveFigures, GradientsOfTheMlpAreShownByLayer) {
    LiveData data = twoSettings();
    const Figure figure = liveFigure("gradient-norm-by-layer", data);
    EXPECT_EQ(figure.curves.front().x, (QList<double>{0, 1}));
    EXPECT_EQ(figure.curves.front().y, (QList<double>{1, 2}));
    EXPECT_EQ(liveFigure("residual-stream-by-layer", data).curves.front().y, (QList<double>{1, 2, 3}));
    data.picked = liveRun(1, liveSpec(500), 500);
    EXPECT_EQ(liveFigure("gradient-norm-by-layer", data).curves.size(), 1U);
}

TEST(LiveFigures, NumbersOfExpertsAreShownOverTraining) {
    LiveData data = twoSettings();
    const Figure balance = liveFigure("expert-balance", data);
    EXPECT_EQ(balance.curves.front().x, (QList<double>{0, 500}));
    EXPECT_EQ(balance.curves.front().y, (QList<double>{1.5, 1.25}));
    const Figure dropped = liveFigure("expert-dropped", data);
    EXPECT_EQ(dropped.curves.front().y, (QList<double>{50, 12.5}));
    EXPECT_EQ(dropped.y.title(), "choices beyond the capacity (%)");
    data.settings.resize(1);
    RunSpec changed = *data.settings.front().seeds.front().spec;
    changed.expert_capacity = 0;
    data.settings.front().seeds.front().spec = &changed;
    EXPECT_TRUE(liveFigure("expert-dropped", data).emptyText.contains("have no capacity"));
    EXPECT_EQ(liveFigure("expert-balance", data).curves.size(), 1U) << "does not need a capacity";
    changed.experts = 0;
    data.settings.front().seeds.front().experts.clear();
    EXPECT_TRUE(liveFigure("expert-dropped", data).emptyText.contains("has no experts"));
}

TEST(LiveFigures, MeansOfExpertsLeaveOutDenseLayers) {
    ProbeResult result;
    EXPECT_EQ(expertPoint(7, result), std::nullopt);
    result.expert_balance = {{3, 1}, {0, 1.5F, 1}};
    result.expert_dropped = {{3, 1}, {0, 0.25F, 0}};
    EXPECT_EQ(expertPoint(7, result), (ExpertPoint{7, 1.25, 0.125}));
}

TEST(LiveFigures, ATrainedThetaMovesTheWavelengths) {
    LiveData data;
    LiveRun run = liveRun(1, liveSpec(500), 500);
    ProbeResult result = *run.snapshot->result;
    const std::int64_t pairs = run.spec->head_dim() / 2;
    result.frequencies = {{run.spec->layers, 1, pairs}, {}};
    for (std::int64_t i = 0; i < run.spec->layers * pairs; ++i) {
        result.frequencies.values.push_back(0.5F / static_cast<float>(i % pairs + 1));
    }
    run.snapshot->result = std::make_shared<const ProbeResult>(result);
    data.settings.push_back({"trained θ", {run}});
    EXPECT_NEAR(liveFigure("key-spectrum", data).curves.front().x.front(), 4 * std::numbers::pi, 1e-6);
}

TEST(LiveFigures, CurvesOfDifferentStepsSayTheirStep) {
    const LiveData data = twoSettings(64, 2000);
    const Figure figure = liveFigure("attention-by-distance", data);
    EXPECT_EQ(figure.curves[0].label, "θ 500, step 64");
    EXPECT_EQ(figure.curves[1].label, "θ 10k, step 2,000");
    EXPECT_EQ(liveStepText(data), "steps 64 to 2,000 of 2,000");
}

TEST(LiveFigures, SeedsAreAveragedAtTheirNewestStep) {
    LiveData data;
    data.settings.push_back(
        {"θ 500, 3 seeds",
         {liveRun(1, liveSpec(500), 500), liveRun(2, liveSpec(500), 500), liveRun(3, liveSpec(500), 64)}});
    data.settings.front().seeds[0].ink.shade = 2;
    const Figure figure = liveFigure("query-spectrum", data);
    ASSERT_EQ(figure.curves.size(), 1U);
    EXPECT_DOUBLE_EQ(figure.curves.front().y.front(), 500) << "the seed of step 64 is not part of the mean";
    EXPECT_EQ(figure.curves.front().ink.shade, 0);
    EXPECT_EQ(figure.note, "mean over layers and heads, and seeds; not all seeds are measured yet");
}

TEST(LiveFigures, ARunWithoutRotationIsNamedInsteadOfDrawn) {
    LiveData data = twoSettings();
    RunSpec spec = liveSpec(500);
    spec.fraction = 0;
    data.settings.push_back({"RoPE 0 %, 2 seeds", {liveRun(3, spec, 500), liveRun(4, spec, 500)}});
    const Figure figure = liveFigure("logit-contribution", data);
    EXPECT_EQ(figure.curves.size(), 2U);
    EXPECT_TRUE(figure.note.contains("not shown: RoPE 0 % (2 seeds)")) << figure.note.toStdString();
    EXPECT_EQ(liveFigure("attention-by-distance", data).curves.size(), 3U) << "its attention has distances";
    data.picked = data.settings.back().seeds.front();
    for (const char* name : {"logit-contribution", "query-spectrum", "key-spectrum"}) {
        const Figure alone = liveFigure(name, data);
        EXPECT_FALSE(alone.map) << name;
        EXPECT_TRUE(alone.emptyText.contains("rotates no pairs")) << alone.emptyText.toStdString();
    }
}

TEST(LiveFigures, ThePickedRunIsShownAlone) {
    LiveData data = twoSettings(500, 250);
    data.picked = data.settings.back().seeds.front();
    const Figure map = liveFigure("query-spectrum", data);
    ASSERT_TRUE(map.map);
    EXPECT_EQ(map.map->rows, static_cast<int>(data.picked->spec->layers));
    const Figure attention = liveFigure("attention-by-distance", data);
    ASSERT_EQ(attention.curves.size(), 1U);
    EXPECT_EQ(attention.curves.front().ink, Ink::data(2));
    EXPECT_DOUBLE_EQ(liveFigure("retrieval-accuracy", data).curves.front().y.front(), 50);
    EXPECT_EQ(liveStepText(data), "step 250 of 2,000");
}

TEST(LiveFigures, WithoutAProbeTheySayWhenItFollows) {
    LiveRun run = liveRun(1, liveSpec(500), -1);
    run.state = RunState::waiting;
    EXPECT_EQ(whyNoProbe(run), "The run run 1 has not started, so it has no measurement (probe) yet.");
    run.state = RunState::running;
    run.iteration = 300;
    EXPECT_EQ(whyNoProbe(run), "No measurement (probe) yet; the next one is after step 500 of 2,000 of the run run 1.");
    LiveData data;
    data.settings.push_back({"θ 500", {run}});
    for (const LiveFigure& figure : liveFigures()) {
        EXPECT_EQ(figure.make(data).figure.emptyText, whyNoProbe(run)) << figure.name;
    }
    run.state = RunState::finished;
    EXPECT_EQ(whyNoProbe(run),
              "The run run 1 stored no measurements during training (probes), so this figure cannot show the run.");
    RunSpec without = *run.spec;
    without.probe_every = 0;
    run.spec = &without;
    EXPECT_TRUE(whyNoProbe(run).contains("set probe_every to 1")) << whyNoProbe(run).toStdString();
    EXPECT_EQ(liveStepText(data), "");
}

}  // namespace
}  // namespace ropelab::ui
