#include "ui/rooms/inspect/inspect_figures.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

#include "tests/support/scratch_folder.h"
#include "tests/ui/rooms/inspect/inspect_fixture.h"
#include "ui/figure/export/export.h"
#include "ui/probes/spectrum_maps.h"
#include "ui/rooms/inspect/figures/figures.h"

namespace ropelab::ui {
namespace {

/// Returns data with results for all figures.
InspectData someData() {
    InspectData data;
    data.run = std::make_shared<const InsideRun>(testRun(1, 100));
    data.iteration = 100;
    const auto whole = std::make_shared<const ProbeResult>(probeResultAt(1));
    data.ablation = AblationResult{pair_range(Ablation::Kind::stop, 0, 1), 100, whole, whole};
    AblationCurve curve;
    curve.fast_loss = {2, 3, 4};
    curve.slow_loss = {2, 2.5, 4};
    curve.fast_accuracy = {0.8, 0.4, 0};
    curve.slow_accuracy = {0.8, 0.7, 0};
    data.ablationCurve = curve;
    data.beyond = ExtrapolationResult{4, 100, {{ScalingMethod::none, whole}, {ScalingMethod::yarn, whole}}};
    const FineTuning how{.method = ScalingMethod::yarn, .factor = 4, .steps = 100};
    TextStatistics text;
    text.name = "letters";
    text.vocabulary = kTestVocabulary;
    text.tokens = 100;
    text.counts = {40, 30, 15, 10, 5};
    text.rankedTokens = text.counts;
    text.rankedWords = {20, 12, 10};
    text.tokenFit = fit_zipf(text.rankedTokens);
    text.wordFit = fit_zipf(text.rankedWords);
    text.information = {{1, 2, 4}, {0.5, 0.25, 0.001}, {0.51, 0.26, 0.01}, 100};
    text.shuffled = ShuffledInformation{0, 0.01};
    text.excerpt = {0, 1, 2, 3, 4};
    data.statistics = std::make_shared<const TextStatistics>(text);
    PaintedText painted;
    painted.iteration = 100;
    painted.source = "typed text";
    painted.vocabulary = kTestVocabulary;
    painted.tokens = {1, 2, 0, 3};
    painted.bits = {{2.3, 0.5, 4, 1}, {0, 1, 2, 3}};
    painted.perByte.mean = painted.perCharacter.mean = 1.95;
    painted.totalBits = 7.8;
    painted.bytes = 4;
    data.painted = std::make_shared<const PaintedText>(painted);
    data.fineTunings = {ExtrapolationResult{4, 100, {{how.method, whole}, {how.method, whole, how}}}};
    return data;
}

float cell(const Figure& figure, int row, int column) {
    return figure.map->values.at(static_cast<qsizetype>(row) * figure.map->columns + column);
}

TEST(InspectFigures, HaveUniqueNamesAndExplanations) {
    std::set<QString> names;
    for (const InspectFigure& figure : inspectFigures()) {
        EXPECT_TRUE(names.insert(QLatin1String(figure.name)).second) << figure.name;
        EXPECT_FALSE(figure.why.isEmpty()) << figure.name;
        EXPECT_EQ(findInspectFigure(QLatin1String(figure.name)), &figure);
    }
    EXPECT_EQ(findInspectFigure(QStringLiteral("no such figure")), nullptr);
}

TEST(InspectFigures, AllArePaintedAndExported) {
    InspectData data = someData();
    ProbeResult text = probeResultAt(1);
    text.pair_logits = text.attention;
    data.text = std::make_shared<const ProbeResult>(text);
    data.choices.pair = 2;
    data.textPair = 2;
    for (const InspectFigure& figure : inspectFigures()) {
        // That figure shows vectors which a model computes: ModelAnswersTest.
        if (figure.name == std::string_view("head-components")) continue;
        const Figure made = figure.make(data).figure;
        EXPECT_EQ(made.name, QLatin1String(figure.name));
        EXPECT_FALSE(isEmpty(made)) << figure.name << ": " << made.emptyText.toStdString();
        EXPECT_FALSE(made.summary.isEmpty()) << figure.name;
        ExportOptions svg;
        svg.format = FigureFormat::svg;
        EXPECT_GT(figureBytes(made, svg).size(), 1000) << figure.name;
        EXPECT_GT(figureCsv(made).count('\n'), 2) << figure.name;
    }
}

TEST(InspectFigures, ExplainMissingData) {
    InspectData data;
    for (const InspectFigure& figure : inspectFigures()) {
        const Figure made = figure.make(data).figure;
        EXPECT_TRUE(isEmpty(made)) << figure.name;
        EXPECT_TRUE(made.emptyText.contains("no run")) << figure.name << ": " << made.emptyText.toStdString();
    }
    InsideRun run = testRun(1, 100);
    run.snapshots.clear();
    run.spec.probe_every = 0;
    data.run = std::make_shared<const InsideRun>(run);
    EXPECT_TRUE(contributionSpectrum(data).figure.emptyText.contains("probe_every = 0"));
    run.spec.probe_every = 1;
    data.run = std::make_shared<const InsideRun>(run);
    EXPECT_TRUE(contributionSpectrum(data).figure.emptyText.contains("Choose another run")) << "it was evaluated";
    run.iterations.clear();
    data.run = std::make_shared<const InsideRun>(run);
    EXPECT_TRUE(contributionSpectrum(data).figure.emptyText.contains("first snapshot"));
    data.problem = "This run has no checkpoint yet.";
    EXPECT_EQ(drawn("extrapolation-loss", data).figure.emptyText, data.problem);
}

// A course of one snapshot was an empty plot with a point at its end, or one column of a map over the whole width.
TEST(InspectFigures, ACourseOfOneSnapshotIsASentence) {
    InspectData data = someData();
    InsideRun run = *data.run;
    ASSERT_GT(run.snapshots.size(), 1U);
    run.snapshots.erase(run.snapshots.begin(), run.snapshots.end() - 1);
    InspectData one = data;
    one.run = std::make_shared<const InsideRun>(run);
    int courses = 0;
    for (const InspectFigure& figure : inspectFigures()) {
        const Figure whole = inspectPicture(figure, data).figure;
        const bool isCourse = figure.group == InspectGroup::training && QString(figure.name) != "inspect-loss";
        if (!isCourse || isEmpty(whole)) continue;
        ++courses;
        const Figure made = inspectPicture(figure, one).figure;
        EXPECT_TRUE(isEmpty(made)) << figure.name;
        EXPECT_TRUE(made.emptyText.contains("needs at least two")) << figure.name << made.emptyText.toStdString();
    }
    EXPECT_GE(courses, 7);
}

TEST(InspectFigures, MeasurementsByLayerHaveARowPerBranchAndAColumnPerSnapshot) {
    InspectData data = someData();
    const Figure gradients = findInspectFigure(QStringLiteral("gradient-norm-over-training"))->make(data).figure;
    ASSERT_TRUE(gradients.map);
    EXPECT_EQ(gradients.map->columns, 3);
    EXPECT_EQ(gradients.map->rows, 2 * kTestLayers);
    EXPECT_FLOAT_EQ(cell(gradients, 0, 1), std::log10(5.0F));  // layer 0, attention, step 50: 0.1 · 50
    const Figure stream = findInspectFigure(QStringLiteral("residual-stream-over-training"))->make(data).figure;
    ASSERT_TRUE(stream.map);
    EXPECT_EQ(stream.map->rows, kTestLayers + 1);
    EXPECT_FLOAT_EQ(cell(stream, 2, 0), 2);  // after the last layer, step 1: 1 + 2 · 0.5
    const auto makeUpdates = findInspectFigure(QStringLiteral("updates-by-layer"))->make;
    EXPECT_EQ(makeUpdates(data).figure.curves.size(), data.ghostSnapshot() ? 8U : 4U);
    // The snapshot before the first step has no gradients.
    InsideRun run = testRun(1, 100);
    ProbeResult start = probeResultAt(0);
    start.gradient_norm = start.update_ratio = start.accumulated_update = {};
    run.addSnapshot({0, std::make_shared<const ProbeResult>(start)});
    data.run = std::make_shared<const InsideRun>(run);
    data.iteration = 0;
    EXPECT_TRUE(makeUpdates(data).figure.emptyText.contains("step 1"));
}

TEST(InspectFigures, ExpertsHaveARowEach) {
    InspectData data = someData();
    const Figure load = drawn("expert-load", data).figure;
    ASSERT_TRUE(load.map);
    EXPECT_EQ(load.y.categories, (QStringList{"1.0", "1.1"}));  // layer 0 is dense
    EXPECT_EQ(load.x.categories, (QStringList{"1", "50", "100"}));
    EXPECT_FLOAT_EQ(cell(load, 1, 2), 62.5F);
    const InspectPicture classes = drawn("expert-load-by-class", data);
    EXPECT_EQ(classes.figure.x.categories, (QStringList{"letters", "white space"}));
    EXPECT_FLOAT_EQ(cell(classes.figure, 0, 1), 100.0F);
    const auto readout = classes.readout(QPointF(1, 0));
    ASSERT_TRUE(readout);
    EXPECT_EQ(readout->title, QStringLiteral("layer 1, expert 0, white space"));
    data.choices.layer = 1;
    const Figure tokens = drawn("expert-tokens", data).figure;
    EXPECT_EQ(tokens.y.categories, (QStringList{QStringLiteral("0: ␣ a"), QStringLiteral("1: a b")}));
    EXPECT_FLOAT_EQ(cell(tokens, 1, 0), 60.0F);
    const Figure balance = drawn("expert-balance", data).figure;
    ASSERT_EQ(balance.curves.size(), 1U);
    EXPECT_NEAR(balance.curves.front().y.last(), 2.0, 1e-6);
    EXPECT_NEAR(drawn("expert-dropped", data).figure.curves.front().y.last(), 12.5, 1e-6);
    InsideRun unlimited = *data.run;
    unlimited.spec.expert_capacity = 0;
    data.run = std::make_shared<const InsideRun>(unlimited);
    EXPECT_TRUE(drawn("expert-dropped", data).figure.emptyText.contains("no capacity"));
    data.choices.layer = 0;
    EXPECT_TRUE(drawn("expert-load", data).figure.emptyText.contains("dense"));
    ProbeResult dense = probeResultAt(1);
    dense.expert_shares = {};
    InsideRun run = testRun(1, 100);
    run.snapshots = {{100, std::make_shared<const ProbeResult>(dense)}};
    data.run = std::make_shared<const InsideRun>(run);
    EXPECT_TRUE(drawn("expert-tokens", data).figure.emptyText.contains("experts = 4"));
}

TEST(InspectFigures, SpectrumIsTheMeanOverHeadsAtTheCursor) {
    InspectData data = someData();
    data.iteration = 60;  // selects the snapshot at step 50
    const Figure figure = querySpectrum(data).figure;
    ASSERT_TRUE(figure.map);
    EXPECT_EQ(figure.map->columns, kTestPairs);
    EXPECT_EQ(figure.map->rows, kTestLayers);
    // In layer 1, pair 3 has the values 50 + 8 + 3 and 50 + 12 + 3 in the two heads.
    EXPECT_FLOAT_EQ(cell(figure, 1, 3), 63);
    data.choices.head = 1;
    EXPECT_FLOAT_EQ(cell(querySpectrum(data).figure, 1, 3), 65);
    data.choices.layer = 0;
    data.choices.rows = InspectRows::headsOfLayer;
    EXPECT_FLOAT_EQ(cell(querySpectrum(data).figure, 1, 3), 57);
    // The colour scale covers all snapshots.
    EXPECT_DOUBLE_EQ(querySpectrum(data).figure.map->maximum, 100 + 7);
}

TEST(InspectFigures, DifferenceIsFirstMinusSecondRun) {
    InspectData data = someData();
    InsideRun other = testRun(2, 100);
    other.addSnapshot({100, std::make_shared<const ProbeResult>(probeResultAt(103))});
    data.ghost = std::make_shared<const InsideRun>(other);
    data.choices.difference = true;
    const Figure figure = querySpectrum(data).figure;
    EXPECT_EQ(figure.map->scale, FigureMap::Scale::diverging);
    EXPECT_FLOAT_EQ(cell(figure, 0, 0), -3);
    InsideRun wide = other;
    ProbeResult more = probeResultAt(1);
    more.query_usage = filledArray({3, kTestHeads, kTestPairs}, 0, 1);
    wide.addSnapshot({100, std::make_shared<const ProbeResult>(more)});
    data.ghost = std::make_shared<const InsideRun>(wide);
    EXPECT_TRUE(querySpectrum(data).figure.emptyText.contains("differ in their number of layers"));
}

TEST(InspectFigures, PairsAreFoundByIndexAndByWavelength) {
    InspectData data = someData();
    data.choices.pair = 2;
    InspectPicture picture = contributionSpectrum(data);
    ASSERT_EQ(picture.figure.verticalLines.size(), 1U);
    EXPECT_EQ(picture.figure.verticalLines[0].at, 2);
    EXPECT_EQ(picture.pairAt(QPointF(2.3, 0)), 2);
    EXPECT_EQ(picture.pairAt(QPointF(4, 0)), std::nullopt);  // beside the map
    const auto readout = picture.readout(QPointF(2, 1));
    ASSERT_TRUE(readout);
    EXPECT_TRUE(readout->title.contains("pair 2")) << readout->title.toStdString();
    EXPECT_TRUE(readout->title.startsWith("layer 1, ")) << readout->title.toStdString();
    EXPECT_TRUE(readout->rows[0].value.endsWith(" %"));
    EXPECT_TRUE(readout->rows[1].value.startsWith("Cov("));
    EXPECT_EQ(picture.figure.map->title(), "logit contribution (%)");
    data.choices.rows = InspectRows::headsOfLayer;
    EXPECT_TRUE(contributionSpectrum(data).readout(QPointF(2, 1))->title.startsWith("layer 0, head 1, pair 2"));
    data.choices.rows = InspectRows::layers;
    data.choices.byWavelength = true;
    picture = querySpectrum(data);
    // With θ = 100 and 8 channels, λ = 2π · 100^(i/4): pair 0 is first, pair 3 last, at even steps of the logarithm.
    EXPECT_EQ(picture.pairAt(QPointF(0, 0)), 0);
    EXPECT_EQ(picture.pairAt(QPointF(picture.figure.map->columns - 1, 0)), 3);
    EXPECT_EQ(picture.figure.x.categories.first(), "6.3");
    EXPECT_EQ(picture.figure.x.unit, "tokens");
}

// Thirty-two numbers in coloured cells said less than their stems over the wavelength, with the context among them.
TEST(InspectFigures, FewRowsAreStemsOverTheWavelength) {
    InspectData data = someData();
    data.choices.lollipops = true;
    InspectPicture picture = querySpectrum(data);
    const Figure& figure = picture.figure;
    EXPECT_FALSE(figure.map);
    EXPECT_TRUE(figure.x.logarithmic);
    ASSERT_EQ(figure.curves.size(), 2U * kTestLayers) << "stems and heads of each layer";
    EXPECT_EQ(figure.curves[3].label, "layer 1");
    ASSERT_EQ(figure.curves[3].y.size(), kTestPairs);
    InspectData map = data;
    map.choices.lollipops = false;
    for (int pair = 0; pair < kTestPairs; ++pair) {
        EXPECT_FLOAT_EQ(static_cast<float>(figure.curves[3].y[pair]), cell(querySpectrum(map).figure, 1, pair)) << pair;
        // All at the wavelength of the pair: λ = 2π · 100^(i/4). The higher stem begins at the lower one.
        const double wavelength = 2 * std::numbers::pi * std::pow(100, pair / 4.0);
        EXPECT_EQ(figure.curves[1].x[pair], figure.curves[3].x[pair]);
        EXPECT_NEAR(figure.curves[3].x[pair], wavelength, 1e-9 * wavelength);
        const double low = std::min(figure.curves[1].y[pair], figure.curves[3].y[pair]);
        for (const int stems : {0, 2})
            EXPECT_EQ(figure.curves[stems].y[3 * pair], figure.curves[stems + 1].y[pair] > low ? low : 0) << pair;
        EXPECT_EQ(picture.pairAt(QPointF(wavelength, 0)), pair);
    }
    EXPECT_EQ(figure.verticalLines.front().at, static_cast<double>(data.run->spec.context));
    EXPECT_TRUE(picture.sentence.startsWith("Layer 1 has its largest query norm in pair 3 (wavelength 199, "))
        << picture.sentence.toStdString();
    EXPECT_TRUE(picture.sentence.contains("; layer 0 has its largest query norm in pair 3 ("));
    EXPECT_EQ(figure.y.maximum, 1.05 * querySpectrum(map).figure.map->maximum) << "the axis of all snapshots";
    data.choices.difference = true;
    data.ghost = data.run;
    EXPECT_TRUE(querySpectrum(data).figure.map) << "a difference is a heat map";
}

// The unrotated channels of a partly rotated run contribute many times what a pair does.
TEST(InspectFigures, UnrotatedChannelsAreOutsideTheColourScale) {
    InspectData data = someData();
    auto run = std::make_shared<InsideRun>(*data.run);
    run->snapshots.clear();
    ProbeResult result = probeResultAt(1);
    for (std::size_t i = 0; i < result.logit_contribution.values.size(); ++i) {
        result.logit_contribution.values[i] = i % (kTestPairs + 1) == kTestPairs ? 0.5F : 0.125F;
    }
    run->addSnapshot({100, std::make_shared<const ProbeResult>(result)});
    data.run = run;
    const Figure figure = contributionSpectrum(data).figure;
    EXPECT_EQ(figure.map->columns, kTestPairs);
    EXPECT_FLOAT_EQ(static_cast<float>(figure.map->range().maximum), 12.5F);
    EXPECT_EQ(figure.y.categories.front().toStdString(), "0: rest 50 %");
    const QString csv = QString::fromUtf8(figureCsv(figure));
    EXPECT_TRUE(csv.contains("\"layer \\ pair, fastest first; rest: unrotated channels\",0,1,2,3,4"))
        << csv.toStdString();
    EXPECT_TRUE(csv.contains("0,12.5,12.5,12.5,12.5,50")) << csv.toStdString();
}

TEST(InspectFigures, CurvesOverTrainingHaveOnePointPerSnapshot) {
    InspectData data = someData();
    data.ghost = std::make_shared<const InsideRun>(testRun(2, 10000));
    const Figure figure = drawn("attention-entropy", data).figure;
    ASSERT_EQ(figure.curves.size(), 4U);  // one curve per layer and run
    EXPECT_TRUE(figure.summary.endsWith(", one curve per layer, mean over heads.")) << figure.summary.toStdString();
    InspectData heads = data;
    heads.choices.layer = 1;
    EXPECT_TRUE(drawn("attention-entropy", heads).figure.summary.endsWith(", layer 1, one curve per head."));
    EXPECT_TRUE(figure.curves[0].companion);
    EXPECT_EQ(figure.curves[0].emphasis, FigureCurve::Emphasis::normal) << "faint dashes have too little contrast";
    EXPECT_EQ(figure.curves[1].x, (QList<double>{1, 50, 100}));
    EXPECT_NEAR(figure.curves[1].y[1], 50.25, 1e-5);  // the mean over the two heads
    EXPECT_EQ(figure.verticalLines.at(0).handle, "time");
    data.choices.pair = 0;  // not among the largest contributions
    bool highlighted = false;
    for (const FigureCurve& curve : drawn("logit-contribution-over-training", data).figure.curves) {
        highlighted = highlighted || curve.emphasis == FigureCurve::Emphasis::picked;
    }
    EXPECT_TRUE(highlighted);
    EXPECT_EQ(drawn("value-spectrum", data).figure.x.label, "pair of channels") << "values are not rotated";
    EXPECT_EQ(drawn("query-spectrum", data).figure.x.label, "pair, fastest first");
    EXPECT_TRUE(
        drawn("query-channels", data)
            .figure.note.endsWith("massive query values: norm of the channel over the positions of a sequence"));
    const Figure retrieval = drawn("retrieval-accuracy", data).figure;
    EXPECT_EQ(retrieval.curves.back().y, (QList<double>{25, 75}));
}

TEST(InspectFigures, RetrievalGainHasTheBoundAndTheLogitOnOneAxis) {
    InspectData data = someData();
    const Figure figure = drawn("retrieval-gain", data).figure;
    ASSERT_EQ(figure.curves.size(), 3U);
    const FigureCurve& bound = figure.curves[0];
    EXPECT_EQ(bound.x.size(), kTestLength);
    EXPECT_DOUBLE_EQ(bound.y[0], 100);
    // d = 8, θ = 100: B(3)/4 = (cos 3 + cos(3/√10) + cos 0.3 + cos(0.3/√10))/4
    EXPECT_NEAR(bound.y[3],
                25 * (std::cos(3) + std::cos(3 / std::sqrt(10)) + std::cos(0.3) + std::cos(0.3 / std::sqrt(10))), 1e-9);
    const FigureCurve& logit = figure.curves[1];
    EXPECT_NEAR(logit.y.front(), -100, 1e-2);
    EXPECT_NEAR(logit.y.back(), 100, 1e-2);
    const FigureCurve& gain = figure.curves[2];
    EXPECT_EQ(gain.x, (QList<double>{3, 7}));  // lags 4 and 8 attend at the distances 3 and 7
    EXPECT_NEAR(gain.y[0], 15, 1e-9);
    EXPECT_NEAR(gain.y[1], 65, 1e-9);
    ASSERT_EQ(figure.bands.size(), 1U);
    // √((0.25 · 0.75 + 0.1 · 0.9)/8) = 0.186246
    EXPECT_NEAR(figure.bands[0].upper[0] - gain.y[0], 196 * 0.186246, 1e-2);
    EXPECT_TRUE(figure.note.contains("8 tokens per distance")) << figure.note.toStdString();
    EXPECT_TRUE(figure.note.contains("at most 18.6 percentage points")) << figure.note.toStdString();
    EXPECT_TRUE(
        figure.note.contains("; B(Δ)/B(0): context bound in % of its value at distance 0; logit: mean attention "
                             "logit, centred, in % of its largest deviation"))
        << figure.note.toStdString();
    EXPECT_FALSE(figure.note.contains("also shown"));
    // Another seed and the second run have curves and intervals of their own.
    InsideRun seeds = testRun(1, 100);
    seeds.otherSeeds.push_back({9, 7, Ink::data(2), {100, std::make_shared<const ProbeResult>(probeResultAt(2))}});
    data.run = std::make_shared<const InsideRun>(seeds);
    data.ghost = std::make_shared<const InsideRun>(testRun(2, 10000));
    const Figure more = drawn("retrieval-gain", data).figure;
    EXPECT_EQ(more.bands.size(), 3U);
    EXPECT_EQ(more.curves[2].label, "seed 7");
    EXPECT_TRUE(more.note.endsWith("; also shown: seed 7")) << more.note.toStdString();
    EXPECT_EQ(more.curves[2].y, more.curves.back().y);
}

// The lab has the run, another seed of it, and a run with another base.
TEST(InspectFigures, OtherSeedsDifferOnlyInTheSeed) {
    const ScratchFolder folder;
    const auto lab = LabFile::create(folder / "seeds.ropelab");
    const std::int64_t experiment = lab->add_experiment("seeds", Experiment("seeds").to_json().dump());
    std::vector<Event> events;
    for (const auto& [theta, seed] : {std::pair(100.0, 1), std::pair(100.0, 2), std::pair(500.0, 3)}) {
        RunSpec spec = testSpec(theta);
        spec.seed = seed;
        const RunId run = lab->add_run(experiment, "run", to_json(spec).dump());
        for (const std::int64_t iteration : {1, 100}) {
            events.emplace_back(event::Probed{run, iteration, std::make_shared<const ProbeResult>(probeResultAt(1))});
        }
        events.emplace_back(event::RunEnded{run, RunState::finished, "", {}});
    }
    lab->record(events);
    const InsideRun run = readInsideRun(*lab, 1);
    ASSERT_EQ(run.otherSeeds.size(), 1U);
    EXPECT_EQ(run.otherSeeds[0].seed, 2);
    EXPECT_EQ(run.otherSeeds[0].ink.index, run.ink.index) << "both runs have the colour of their setting";
    EXPECT_NE(run.otherSeeds[0].ink.shade, run.ink.shade);
    EXPECT_NE(readInsideRun(*lab, 3).ink.index, run.ink.index);
    EXPECT_EQ(run.otherSeeds[0].snapshot.iteration, 100);
    EXPECT_TRUE(readInsideRun(*lab, 3).otherSeeds.empty());
}

TEST(InspectFigures, TrainedThetaIsComputedFromTheFrequencies) {
    InspectData data = someData();
    const Figure thetas = drawn("theta-over-training", data).figure;
    ASSERT_EQ(thetas.curves.size(), 2U);
    EXPECT_NEAR(thetas.curves[0].y[0], 100, 0.01);
    EXPECT_NEAR(thetas.curves[0].y[2], 10000, 1);
    EXPECT_NEAR(thetas.curves[1].y[1], 5000, 0.5);

    auto run = std::make_shared<InsideRun>(*data.run);
    run->spec.theta_training = ThetaTraining::free;
    data.run = run;
    const Figure wavelengths = drawn("theta-over-training", data).figure;
    ASSERT_EQ(wavelengths.curves.size(), static_cast<std::size_t>(kTestPairs));
    EXPECT_NEAR(wavelengths.curves[0].y[0], 2 * std::numbers::pi, 1e-5);

    for (Snapshot& snapshot : run->snapshots) {
        auto still = std::make_shared<ProbeResult>(*snapshot.result);
        still->frequencies = {};
        snapshot.result = still;
    }
    EXPECT_TRUE(drawn("theta-over-training", data).figure.curves.empty());
}

TEST(InspectFigures, PairTermsAreShownOnTheAttentionMapOfATypedText) {
    InspectData data = someData();
    EXPECT_TRUE(drawn("attention-map", data).figure.curves.empty());
    ProbeResult text = probeResultAt(1);
    text.pair_logits = text.attention;
    for (float& value : text.pair_logits.values) value = 0;
    // In layer 1, head 0, the pair raises the logit of query 3 and key 1 and lowers that of query 4 and key 2 by half
    // as much.
    const std::size_t map = 2 * kTestMapSize * kTestMapSize;
    text.pair_logits.values[map + 3 * kTestMapSize + 1] = 2;
    text.pair_logits.values[map + 4 * kTestMapSize + 2] = -1;
    data.text = std::make_shared<const ProbeResult>(text);
    data.textPair = 2;
    data.choices.pair = 0;  // highlighted now, but not the requested pair
    data.choices.layer = 1;
    data.choices.head = 0;
    const InspectPicture picture = drawn("attention-map", data);
    ASSERT_EQ(picture.figure.curves.size(), 2U);
    EXPECT_EQ(picture.figure.curves[0].quantity, "logit raised");
    EXPECT_EQ(picture.figure.curves[0].x, (QList<double>{1}));
    EXPECT_EQ(picture.figure.curves[0].y, (QList<double>{3}));
    EXPECT_EQ(picture.figure.curves[1].x, (QList<double>{2}));
    EXPECT_LT(picture.figure.curves[1].pointPt, picture.figure.curves[0].pointPt);
    EXPECT_TRUE(picture.figure.note.contains("pair 2")) << picture.figure.note.toStdString();
    const auto readout = picture.readout(QPointF(1, 3));
    ASSERT_TRUE(readout);
    EXPECT_EQ(readout->rows.back().label, "logit term of pair 2");
    EXPECT_EQ(readout->rows.back().value.toDouble(), 2);
    EXPECT_TRUE(drawn("pair-logits", data).figure.summary.contains("logit term of pair 2"));
    data.choices.head = 1;
    EXPECT_TRUE(drawn("attention-map", data).figure.curves.empty());
}

TEST(InspectFigures, ExplainsHowToGetPairTerms) {
    InspectData data = someData();
    const auto words = [&data] { return drawn("pair-logits", data).figure.emptyText; };
    EXPECT_TRUE(words().startsWith("Type a text")) << words().toStdString();
    EXPECT_FALSE(words().contains("pair 0")) << words().toStdString();
    data.choices.pair = 3;
    EXPECT_TRUE(words().contains("the term of pair 3")) << words().toStdString();
    data.textRequested = true;
    data.text = std::make_shared<const ProbeResult>(probeResultAt(1));
    EXPECT_TRUE(words().startsWith("Click pair 3")) << words().toStdString();
    data.choices.pair.reset();
    EXPECT_TRUE(words().startsWith("Select a pair")) << words().toStdString();
    data.requestedPair = 2;
    EXPECT_TRUE(words().startsWith("Computing the logit term of pair 2")) << words().toStdString();
    data.problem = "No checkpoint.";
    EXPECT_EQ(words(), "No checkpoint.");
}

TEST(InspectFigures, AttentionRowIsARowOfTheMap) {
    InspectData data = someData();
    const AttentionRow last = attentionRow(data, -1);
    EXPECT_EQ(last.query, kTestMapSize - 1);
    EXPECT_EQ(last.tokens, (QStringList{"a", "b", "c", "d", "␣", "a"}));
    const AttentionRow third = attentionRow(data, 2);
    EXPECT_NEAR(third.weights[0], 1.0 / 3, 1e-6);
    EXPECT_EQ(third.weights[3], 0);
    const InspectPicture map = drawn("attention-map", data);
    EXPECT_TRUE(std::isnan(cell(map.figure, 0, 1)));  // causal mask: a key after the query has no weight
    EXPECT_EQ(map.tokenAt(QPointF(0, 2.2)), 2);
    EXPECT_TRUE(map.readout(QPointF(0, 2))->title.contains("query “c” at position 2, key “a” at position 0"));
    EXPECT_EQ(drawn("attention-heads", data).headAt(QPointF(0.9, 0.1)), std::pair(0, 1));
}

/// Returns data whose newest snapshot has the largest rotary contribution in layer 1, head 0 (0.5 + 0.25), although the
/// unrotated channels of layer 0, head 1 contribute more (0.99).
InspectData withContributions() {
    InspectData data = someData();
    auto run = std::make_shared<InsideRun>(*data.run);
    auto newest = std::make_shared<ProbeResult>(*run->snapshots.back().result);
    std::vector<float>& values = newest->logit_contribution.values;
    std::fill(values.begin(), values.end(), 0.01F);
    constexpr std::size_t columns = kTestPairs + 1;
    values[1 * columns + kTestPairs] = 0.99F;
    values[2 * columns] = 0.5F;
    values[2 * columns + 3] = 0.25F;
    // In layer 1, head 0, the last query attends to key 0 only.
    constexpr std::size_t map = 2 * kTestMapSize * kTestMapSize;
    for (std::size_t key = 0; key < kTestMapSize; ++key) {
        newest->attention.values[map + (kTestMapSize - 1) * kTestMapSize + key] = key == 0 ? 1.0F : 0.0F;
    }
    run->snapshots.back().result = newest;
    data.run = run;
    data.choices.head = kAutomaticHead;
    return data;
}

TEST(InspectFigures, AttentionMapShowsTheHeadWithTheLargestRotaryContribution) {
    InspectData data = withContributions();
    const Figure map = drawn("attention-map", data).figure;
    EXPECT_TRUE(map.note.contains("layer 1, head 0 (the largest rotary logit contribution)")) << map.note.toStdString();
    EXPECT_EQ(map.settings.value("layer").toInt(), 1);
    EXPECT_EQ(map.settings.value("head").toInt(), 0);
    EXPECT_FLOAT_EQ(cell(map, kTestMapSize - 1, 0), 1);
    EXPECT_EQ(attentionRow(data, -1).weights[0], 1) << "the text strip shows the same head";
    EXPECT_EQ(map.x.categories, attentionRow(data, -1).tokens) << "a short text has its tokens on the axes";
    data.iteration = 1;
    EXPECT_TRUE(drawn("attention-map", data).figure.note.contains("layer 1, head 0 ("))
        << "the same head at every step";
    data.choices.layer = 0;  // contributions 4 · 0.01 in both heads
    EXPECT_TRUE(drawn("attention-map", data)
                    .figure.note.contains("layer 0, head 0 (the largest rotary logit contribution in this layer)"));
}

TEST(InspectFigures, AttentionMapShowsTheMeanIfChosen) {
    InspectData data = withContributions();
    data.choices.head = -1;
    const Figure map = drawn("attention-map", data).figure;
    EXPECT_TRUE(map.note.contains("mean over layers and heads")) << map.note.toStdString();
    EXPECT_FLOAT_EQ(cell(map, kTestMapSize - 1, 0), (1 + 3.0F / kTestMapSize) / 4);
    data.choices.layer = 0;
    data.choices.head = 1;
    EXPECT_TRUE(drawn("attention-map", data).figure.note.endsWith("layer 0, head 1")) << "a choice needs no reason";
    // Other figures show the mean over heads.
    data.choices.head = kAutomaticHead;
    EXPECT_EQ(headOf(data), -1);
    EXPECT_EQ(inspectFigure(data, "attention-entropy").settings.value("head").toInt(), -1);
}

TEST(InspectFigures, AttentionMapOfARunWithoutRotationShowsTheHeadWithTheLowestEntropy) {
    InspectData data = withContributions();
    auto run = std::make_shared<InsideRun>(*data.run);
    auto newest = std::make_shared<ProbeResult>(*run->snapshots.back().result);
    std::fill(newest->logit_contribution.values.begin(), newest->logit_contribution.values.end(), 0.0F);
    newest->entropy.values = {2, 1.5F, 0.5F, 1};
    run->snapshots.back().result = newest;
    data.run = run;
    const auto note = [&data] { return drawn("attention-map", data).figure.note; };
    EXPECT_TRUE(note().contains("layer 1, head 0 (the lowest attention entropy)")) << note().toStdString();
    data.choices.layer = 0;
    EXPECT_TRUE(note().contains("layer 0, head 1 (the lowest attention entropy in this layer)"))
        << note().toStdString();
    newest->entropy = {};
    EXPECT_TRUE(note().contains("layer 0, mean over heads")) << "nothing to choose by: " << note().toStdString();
}

TEST(InspectFigures, LogitContributionOfARunWithoutRotationSaysWhyItIsEmpty) {
    InspectData data = someData();
    auto run = std::make_shared<InsideRun>(*data.run);
    run->spec.fraction = 0;
    run->plan = plan_of(run->spec, 65);
    data.run = run;
    for (const auto& figure : {contributionSpectrum(data).figure, weightedContributionSpectrum(data).figure}) {
        EXPECT_FALSE(figure.map);
        EXPECT_TRUE(figure.emptyText.contains("rotates no pairs")) << figure.emptyText.toStdString();
    }
    EXPECT_TRUE(querySpectrum(data).figure.map) << "queries have a norm without rotation too";
}

TEST(InspectFigures, AttentionMapsHaveTheFirstQueryAtTheTop) {
    InspectData data = someData();
    const Figure map = drawn("attention-map", data).figure;
    EXPECT_TRUE(map.y.downwards);
    // Only the cell of query 0 and key 0 has the weight 1 (yellow).
    const ExportOptions options{.format = FigureFormat::png, .widthMm = 80, .heightMm = 80, .dpi = 96};
    const QImage image = figureImage(map, options);
    const auto isYellow = [](const QColor& color) { return color.red() > 200 && color.blue() < 100; };
    int top = image.height();
    for (int y = 0; y < image.height(); ++y) {
        for (int x = 0; x < image.width() / 2; ++x) {
            if (isYellow(image.pixelColor(x, y))) top = std::min(top, y);
        }
    }
    EXPECT_LT(top, image.height() / 4);
    EXPECT_TRUE(drawn("attention-heads", data).figure.summary.contains("query (0 at the top)"));
}

TEST(InspectFigures, BlockMeansPreserveTheMean) {
    std::vector<double> losses(512);
    for (std::size_t i = 0; i < losses.size(); ++i) losses[i] = static_cast<double>(i);
    const FigureCurve curve = blockMeans(losses, {}, {});
    EXPECT_LE(curve.x.size(), 48);
    EXPECT_DOUBLE_EQ(curve.x[0], curve.y[0]);
    EXPECT_EQ(blockMeans({1, std::nan(""), 3}, {}, {}).y.size(), 3);
}

TEST(InspectFigures, CurvesStateTheirCountsAndIntervals) {
    InspectData data = someData();
    // The fixture's results have no standard errors, as those of an earlier version.
    EXPECT_TRUE(drawn("loss-by-position", data).figure.bands.empty());
    EXPECT_TRUE(drawn("loss-by-position", data)
                    .figure.note.contains("n = 2 sequences of 16 tokens; no 95 % confidence interval: an "
                                          "interval requires at least three sequences"))
        << drawn("loss-by-position", data).figure.note.toStdString();
    EXPECT_TRUE(
        drawn("retrieval-accuracy", data).figure.note.contains("n = 8 tokens per lag; no 95 % confidence interval"));

    ProbeResult result = probeResultAt(100);
    result.sequences = 3;
    result.loss_by_position_error.assign(kTestLength, 0.1);
    result.attention_by_distance_error = filledArray({kTestLayers, kTestHeads, kTestLength}, 0.01F, 0);
    result.entropy_error = filledArray({kTestLayers, kTestHeads}, 0.5F, 0);
    for (RetrievalPoint& point : result.retrieval) {
        point.sequences = 3;
        point.accuracy_error = 0.01;
    }
    InsideRun run = testRun(1, 100);
    run.addSnapshot({100, std::make_shared<const ProbeResult>(result)});
    data.run = std::make_shared<const InsideRun>(run);
    // scipy.stats.t.ppf(0.975, 2) = 4.3026527
    const Figure losses = drawn("loss-by-position", data).figure;
    ASSERT_EQ(losses.bands.size(), 1U);
    EXPECT_NEAR(losses.bands[0].lower[0], 3.0 - 0.43026527, 1e-6);
    EXPECT_NEAR(losses.bands[0].upper[0], 3.0 + 0.43026527, 1e-6);
    EXPECT_TRUE(losses.note.contains("bands: 95 % confidence intervals over the sequences"));
    EXPECT_TRUE(figureCsv(losses).contains("95 % interval · lower (nats)"));
    const Figure retrieval = drawn("retrieval-accuracy", data).figure;
    ASSERT_EQ(retrieval.bands.size(), 1U);
    EXPECT_NEAR(retrieval.bands[0].lower[0], 25 - 4.3026527, 1e-5);
    EXPECT_TRUE(retrieval.note.contains("n = 3 sequences with 8 tokens per lag")) << retrieval.note.toStdString();
    EXPECT_EQ(drawn("attention-by-distance", data).figure.bands.size(), 2U);  // one per head
    const Figure entropy = drawn("attention-entropy", data).figure;
    ASSERT_EQ(entropy.bands.size(), 2U);  // one per layer, at the only snapshot with standard errors
    EXPECT_EQ(entropy.bands[0].x, (QList<double>{100}));
    EXPECT_TRUE(entropy.note.contains("at least as wide as the 95 % confidence interval"));

    // Two sequences have intervals of 12.7 standard errors, which would cover the axes.
    result.sequences = 2;
    for (RetrievalPoint& point : result.retrieval) point.sequences = 2;
    InsideRun two = testRun(1, 100);
    two.addSnapshot({100, std::make_shared<const ProbeResult>(result)});
    data.run = std::make_shared<const InsideRun>(two);
    for (const char* name : {"loss-by-position", "retrieval-accuracy", "retrieval-loss", "retrieval-gain",
                             "attention-by-distance", "attention-entropy", "retrieval-over-training"}) {
        const Figure figure = drawn(name, data).figure;
        EXPECT_TRUE(figure.bands.empty()) << name;
        EXPECT_FALSE(figure.note.contains("bands:")) << name << ": " << figure.note.toStdString();
    }
}

TEST(InspectFigures, AblationsShowTheirControls) {
    InspectData data = someData();
    EXPECT_TRUE(drawn("ablation-loss", data).figure.note.contains("no control"))
        << drawn("ablation-loss", data).figure.note.toStdString();
    EXPECT_TRUE(drawn("ablation-curve", data).figure.note.contains("no control"));
    EXPECT_TRUE(drawn("ablation-loss", data).figure.note.contains(" frozen: loss "));
    EXPECT_TRUE(drawn("ablation-retrieval", data).figure.note.contains(" frozen: retrieval accuracy "));
    InspectData mean = data;
    mean.ablation->ablation = pair_range(Ablation::Kind::mean, 0, 1);
    EXPECT_EQ(drawn("ablation-loss", mean).figure.curves.back().label, "pairs 0–1 mean-ablated");

    const auto withLoss = [](double loss) {
        ProbeResult result = probeResultAt(1);
        result.loss = loss;
        return std::make_shared<const ProbeResult>(result);
    };
    AblationControls controls{0.25, {{{2}, 0.25, withLoss(2.5)}, {{3}, 0.24, withLoss(2.75)}}};
    data.ablation->controls = controls;
    const Figure losses = drawn("ablation-loss", data).figure;
    // The increase over the whole model, whose line is at 0.
    ASSERT_EQ(losses.curves.size(), 2U);  // control, ablation
    EXPECT_EQ(losses.curves[0].label, "control");
    EXPECT_EQ(losses.y.title(), "loss increase (nats)");
    ASSERT_EQ(losses.horizontalLines.size(), 1U);
    EXPECT_EQ(losses.horizontalLines[0].label, "whole model");
    for (qsizetype i = 0; i < losses.curves[1].x.size(); ++i) {
        const auto place = static_cast<std::size_t>(losses.curves[1].x[i]);
        EXPECT_NEAR(losses.curves[1].y[i],
                    data.ablation->without->loss_by_position[place] - data.ablation->whole->loss_by_position[place],
                    1e-9);
    }
    EXPECT_TRUE(losses.note.contains(
        "control: freezing random other pairs with a logit contribution near 25.0 % changes the loss by +0.3750"))
        << losses.note.toStdString();
    EXPECT_EQ(drawn("ablation-retrieval", data).figure.curves.size(), 3U);

    data.ablationCurve->fast_controls = {{}, controls, {}};
    data.ablationCurve->slow_controls = {{}, {}, {}};
    const Figure curve = drawn("ablation-curve", data).figure;
    ASSERT_EQ(curve.curves.size(), 3U);  // control and curve from the fast end; curve from the slow end
    EXPECT_TRUE(curve.curves[0].companion);
    EXPECT_NEAR(curve.curves[0].y[1], 2.625, 1e-12);
    EXPECT_TRUE(std::isnan(curve.curves[0].y[0]));
    EXPECT_TRUE(curve.note.contains("1 of 2 ablations have no such pairs")) << curve.note.toStdString();
}

TEST(InspectFigures, SnapshotsAreSortedByStep) {
    InsideRun run = testRun(1, 100);
    EXPECT_EQ(run.snapshotAt(0)->iteration, 1);
    EXPECT_EQ(run.snapshotAt(99)->iteration, 50);
    run.addSnapshot({50, std::make_shared<const ProbeResult>(probeResultAt(7))});
    EXPECT_EQ(run.snapshots.size(), 3U);
    EXPECT_FLOAT_EQ(run.snapshotAt(50)->result->query_usage.values[0], 7);
    run.truncateAfter(50);
    EXPECT_EQ(run.snapshots.size(), 2U);
    EXPECT_EQ(run.iterations, (QList<double>{50}));
}

}  // namespace
}  // namespace ropelab::ui
