#include "ui/rooms/results/results_figures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QSet>
#include <algorithm>
#include <cmath>
#include <map>

#include "tests/ui/rooms/results/results_data.h"
#include "ui/common/results_words.h"
#include "ui/figure/export/export.h"
#include "ui/figure/figure_caption.h"
#include "ui/theme/theme.h"

namespace ropelab::ui {
namespace {

using Shape = FigureCurve::Shape;

const double diverged = std::nan("");

/// Returns the figure's large points, which are the means.
std::vector<const FigureCurve*> means(const Figure& figure) {
    std::vector<const FigureCurve*> result;
    for (const FigureCurve& curve : figure.curves) {
        if (curve.shape == Shape::points && curve.pointPt >= kMeanPt) result.push_back(&curve);
    }
    return result;
}

std::vector<const FigureCurve*> redPoints(const Figure& figure) {
    std::vector<const FigureCurve*> result;
    for (const FigureCurve& curve : figure.curves) {
        if (curve.shape == Shape::points && curve.ink == Ink{Ink::Kind::error}) result.push_back(&curve);
    }
    return result;
}

/// Returns the vertical bars of a figure as {x, low, high}.
std::vector<std::vector<double>> bars(const Figure& figure) {
    std::vector<std::vector<double>> result;
    for (const FigureCurve& curve : figure.curves) {
        if (curve.shape == Shape::line && curve.x.size() == 2 && curve.x[0] == curve.x[1]) {
            result.push_back({curve.x[0], curve.y[0], curve.y[1]});
        }
    }
    return result;
}

QString rowOf(const Spot& spot, const QString& label) {
    for (const auto& [name, value] : spot.rows) {
        if (name == label) return value;
    }
    return {};
}

TEST(ResultsFigures, HaveTitlesAndEmptyTexts) {
    QSet<QString> names;
    const ResultsData nothing = resultsData({});
    for (const ResultsFigure& figure : resultsFigures()) {
        names.insert(QLatin1String(figure.name));
        EXPECT_FALSE(figure.title.isEmpty());
        EXPECT_TRUE(figure.why.endsWith('.')) << figure.name;
        const ResultsPicture picture = figure.make(nothing);
        EXPECT_TRUE(isEmpty(picture.figure)) << figure.name;
        EXPECT_GT(picture.figure.emptyText.size(), 20) << figure.name;
        EXPECT_EQ(picture.figure.name, QLatin1String(figure.name));
    }
    EXPECT_EQ(names.size(), static_cast<qsizetype>(resultsFigures().size()));
}

// Bars of ± one standard deviation stood beside the p of a paired test, which the spread over seeds does not affect.
TEST(ResultsFigures, LossByThetaAscendsAndHasTheIntervalsOfTheTest) {
    const ResultsData data = resultsData(syntheticRuns("theta", {{10000, {1.5, 1.6, 1.7}}, {500, {1.2, 1.4}}}));
    const Figure figure = lossByTheta(data).figure;
    EXPECT_TRUE(figure.x.logarithmic);
    EXPECT_EQ(figure.curves.front().x, QList<double>({500, 10000}));
    EXPECT_NEAR(figure.curves.front().y[0], 1.3, 1e-12);
    const auto found = bars(figure);
    ASSERT_EQ(found.size(), 1u) << "the baseline has no difference from itself";
    EXPECT_EQ(found[0][0], 500);
    // Differences of −0.3 and −0.2, t(0.975; 1) = 12.7062.
    EXPECT_NEAR(found[0][1], 1.3 - 12.7062 * 0.05, 1e-5);
    EXPECT_NEAR(found[0][2], 1.3 + 12.7062 * 0.05, 1e-5);
    ASSERT_EQ(figure.horizontalLines.size(), 1u);
    EXPECT_NEAR(figure.horizontalLines[0].at, 1.6, 1e-12);
    EXPECT_TRUE(
        figure.note.contains("bars: 95 % confidence interval of the difference from θ 10k (test: paired by seed)"))
        << figure.note.toStdString();
    EXPECT_EQ(means(figure)[0]->ink, Ink::data(1));  // θ = 500 is the second setting
    EXPECT_EQ(figure.table.names.first(), "theta");
    // The data had the intervals of the means only.
    const auto column = [](const FigureTable& table, const QString& name) {
        return table.columns.value(table.names.indexOf(name));
    };
    const QString of = QStringLiteral("95 % interval of the ");
    const QList<double> low = column(figure.table, "bar, low (" + of + "difference)");
    ASSERT_EQ(low.size(), 2);
    EXPECT_TRUE(std::isnan(low[0])) << "the baseline, which comes first";
    EXPECT_EQ(low[1], found[0][1]);
    EXPECT_EQ(column(figure.table, "bar, high (" + of + "difference)")[1], found[0][2]);
    const FigureTable pairs = pairedDifferences(data).figure.table;
    const QList<double> high = column(pairs, "bar, high (" + of + "group's mean difference)");
    ASSERT_EQ(high.size(), 2) << "one row per seed";
    EXPECT_NEAR(high[1], -0.25 + 12.7062 * 0.05, 1e-5);
}

TEST(ResultsFigures, ExportsSettingsThatAreWords) {
    std::vector<SyntheticRun> runs = syntheticRuns("theta", {{500, {1.2}}, {10000, {1.4}}}, {{"partial", "slice"}});
    runs.push_back({{{"partial", "truncate"}, {"theta", 500}, {"seed", 1}}, 1.9});
    const ResultsData data = resultsData(runs);
    const QByteArray csv = figureCsv(lossByTheta(data).figure);
    EXPECT_TRUE(csv.contains("\npartial,theta,n,")) << csv.toStdString();
    EXPECT_TRUE(csv.contains("\nslice,500,1,1.2")) << csv.toStdString();
    EXPECT_TRUE(csv.contains("\ntruncate,500,1,1.9")) << csv.toStdString();
    EXPECT_TRUE(figureCsv(improvementFigure(data).figure).contains("\ntheta,partial,improvement (%)") ||
                figureCsv(improvementFigure(data).figure).contains("\npartial,theta,improvement (%)"));
}

TEST(ResultsFigures, LossByLengthComparesGroupsAtMultiplesOfTheirContext) {
    std::vector<SyntheticRun> runs;
    for (const char* position : {"rope", "alibi", "learned"}) {
        for (const int seed : {1, 2}) {
            runs.push_back({{{"position", position}, {"context", 64}, {"seed", seed}}, 1.5});
        }
    }
    ResultsData data = resultsData(runs);
    EXPECT_TRUE(isEmpty(lossByLength(data).figure));
    EXPECT_TRUE(lossByLength(data).figure.emptyText.contains("--measure-lengths"));
    for (std::size_t i = 0; i < 4; ++i) {  // the runs of rope and alibi; learned positions have no such losses
        const double rise = i < 2 ? 0.5 : 0.1;
        const double noise = i % 2 == 0 ? 0.01 : -0.01;
        data.runs[i].measurements = {{"loss_at_1x", 1.5 + noise},
                                     {"loss_at_2x", 1.5 + rise + noise},
                                     {"loss_at_4x", 1.5 + 2 * rise + noise},
                                     {"extension_rise", 2 * rise}};
    }
    const ResultsPicture picture = lossByLength(data);
    const Figure& figure = picture.figure;
    EXPECT_EQ(figure.name, "loss-by-length");
    EXPECT_EQ(figure.x.title(), "sequence length (tokens)");
    EXPECT_EQ(figure.x.marks, QList<double>({64, 128, 256}));
    ASSERT_EQ(figure.verticalLines.size(), 1U);
    EXPECT_EQ(figure.verticalLines[0].at, 64);
    std::map<QString, const FigureCurve*> curves;
    for (const FigureCurve& curve : figure.curves) {
        if (curve.x.size() == 3 && !curve.label.isEmpty()) curves[curve.label] = &curve;
    }
    ASSERT_EQ(curves.size(), 2U);
    std::vector<double> last;
    for (const auto& [label, curve] : curves) {
        for (qsizetype i = 0; i < 3; ++i) EXPECT_NEAR(curve->x[i], 64 << i, 0.05 * (64 << i));
        EXPECT_NEAR(curve->y[0], 1.5, 1e-12);
        last.push_back(curve->y[2]);
    }
    EXPECT_THAT(last, testing::UnorderedElementsAre(testing::DoubleNear(2.5, 1e-12), testing::DoubleNear(1.7, 1e-12)));
    // Two seeds: the interval is the mean ± t · s/√2 with t = 12.7062 for one degree of freedom.
    EXPECT_EQ(bars(figure).size(), 6U);
    EXPECT_NEAR(bars(figure)[0][2] - bars(figure)[0][1], 2 * 12.7062 * 0.01, 1e-5);
    EXPECT_TRUE(figure.note.contains("not shown, because losses at other lengths are not measured: learned"))
        << figure.note.toStdString();
    EXPECT_EQ(picture.spots.size(), 6U);
    EXPECT_TRUE(figureCsv(figure).contains("sequence length (tokens)"));
}

TEST(ResultsFigures, CurvesOfManyGroupsAreFewAndHaveEveryPoint) {
    std::vector<std::pair<double, std::vector<double>>> groups;
    for (int i = 0; i < 400; ++i) groups.push_back({100.0 + i, {2 + 0.001 * i, 2.1 - 0.0005 * i}});
    ResultsData data = resultsData(syntheticRuns("theta", groups));
    for (std::size_t i = 0; i < data.results.inks.size(); ++i) data.results.inks[i].index %= 7;
    const Figure figure = meansFigure(data).figure;
    EXPECT_LT(figure.curves.size(), 100U);
    qsizetype points = 0, bars = 0;
    for (const FigureCurve& curve : figure.curves) {
        EXPECT_TRUE(std::is_sorted(curve.x.begin(), curve.x.end()));
        const bool isLine = curve.shape == FigureCurve::Shape::line;
        (isLine ? bars : points) +=
            isLine ? 1 + std::count_if(curve.y.begin(), curve.y.end(), [](double y) { return std::isnan(y); })
                   : curve.x.size();
    }
    EXPECT_EQ(points, 400 + 800) << "a mean and two seeds of each group";
    EXPECT_EQ(bars, 3 * 400);
}

TEST(ResultsFigures, OneThetaGivesAnEmptyFigure) {
    const Figure figure = lossByTheta(resultsData(syntheticRuns("theta", {{500, {1.2, 1.4}}}))).figure;
    EXPECT_TRUE(isEmpty(figure));
    EXPECT_TRUE(figure.emptyText.contains("at least two values of θ"));
}

TEST(ResultsFigures, EveryFigureWithoutFinishedRunsSaysWhatItNeeds) {
    const ResultsData none = resultsData(syntheticRuns("theta", {{500, {diverged}}, {10000, {diverged}}}));
    for (const auto make : {improvementFigure, pairedDifferences, lossBySpeed}) {
        const Figure figure = make(none).figure;
        EXPECT_TRUE(isEmpty(figure)) << figure.name.toStdString();
        EXPECT_TRUE(figure.emptyText.contains("need")) << figure.name.toStdString();
    }
}

TEST(ResultsFigures, DivergedRunsAreShownButInNoMean) {
    const ResultsData data =
        resultsData(syntheticRuns("theta", {{500, {1.2, diverged, 1.4}}, {10000, {1.5, 1.6, 1.7}}}));
    for (const auto make : {lossByTheta, meansFigure, improvementFigure, lossBySpeed}) {
        const ResultsPicture picture = make(data);
        ASSERT_EQ(redPoints(picture.figure).size(), 1u) << picture.figure.name.toStdString();
        EXPECT_TRUE(picture.figure.note.contains("1 run that diverged or failed")) << picture.figure.note.toStdString();
        EXPECT_TRUE(picture.figure.summary.contains("The means exclude"));
    }
    EXPECT_NEAR(lossByTheta(data).figure.curves.front().y[0], 1.3, 1e-12);
    EXPECT_EQ(rowOf(lossByTheta(data).spots.front(), "diverged or failed"), "1 run");
}

TEST(ResultsFigures, GroupsOfOneTextAreBesideEachOtherBelowItsName) {
    std::vector<SyntheticRun> runs;
    for (const double theta : {500, 10000, 20000}) {
        for (const char* text : {"a.txt", "b.txt"}) {
            const double loss = theta / 10000 + (*text == 'a' ? 1 : 4);
            runs.push_back({{{"theta", theta}, {"data", text}, {"seed", 1}}, loss});
        }
    }
    const ResultsData data = resultsData(runs);
    const ResultsPicture picture = meansFigure(data);
    const Figure& figure = picture.figure;
    EXPECT_EQ(figure.x.label, "θ");
    EXPECT_EQ(figure.x.categories, (QStringList{"500", "10k", "20k", "500", "10k", "20k"}));
    ASSERT_EQ(figure.verticalLines.size(), 2U);
    EXPECT_EQ(figure.verticalLines[1].at, 2.5);
    EXPECT_EQ(figure.verticalLines[1].label, "b.txt");
    EXPECT_TRUE(figure.horizontalLines.empty()) << "a baseline is that of its text alone";
    EXPECT_TRUE(figure.note.contains("grey: baseline of each data set")) << figure.note.toStdString();
    for (const Spot& spot : picture.spots) {
        const auto& group = data.table().groups[static_cast<std::size_t>(spot.group)];
        EXPECT_EQ(spot.at.x() < 2.5, group.settings.at("data") == "a.txt");
    }
}

TEST(ResultsFigures, RunsWithoutATestLossDidNotDiverge) {
    ResultsOptions options;
    options.compare = "test_loss";
    ResultsData data = resultsData(syntheticRuns("theta", {{500, {1.2, 1.3}}, {10000, {1.5, diverged, 1.6}}}), options);
    std::vector<ResultGroup>& groups = data.results.table.groups;
    for (RunSummary& summary : groups[0].summaries) summary.test_loss = 1.4;
    groups[0].described[data.table().compared] = describe(groups[0].values(data.table().compared));
    const ResultsPicture picture = meansFigure(data);
    const Figure& figure = picture.figure;
    EXPECT_TRUE(figure.note.contains("red: 1 run that diverged or failed and 2 runs without a finite test_loss; "))
        << figure.note.toStdString();
    EXPECT_EQ(rowOf(picture.spots.back(), "diverged or failed"), "1 run");
    EXPECT_EQ(rowOf(picture.spots.back(), "without a finite test_loss"), "2 runs");
    const auto column = [&](const char* name) { return figure.table.columns[figure.table.names.indexOf(name)]; };
    EXPECT_EQ(column("diverged or failed"), QList<double>({0, 1}));
    EXPECT_EQ(column("without a finite test_loss"), QList<double>({0, 2}));
    EXPECT_TRUE(overallWords(data.table()).contains("2 runs without a finite test_loss"));
    EXPECT_FALSE(meansFigure(resultsData(syntheticRuns("theta", {{500, {1.2, 1.3}}})))
                     .figure.table.names.contains("without a finite best_validation_loss"));
}

TEST(ResultsFigures, ModelWithoutRopeIsAHorizontalLine) {
    std::vector<SyntheticRun> runs = syntheticRuns("theta", {{500, {1.2, 1.4}}, {10000, {1.5, 1.6}}});
    for (const int seed : {1, 2}) runs.push_back({{{"position", "learned"}, {"theta", 10000}, {"seed", seed}}, 1.9});
    const Figure figure = lossByTheta(resultsData(runs)).figure;
    ASSERT_EQ(figure.horizontalLines.size(), 2u);
    EXPECT_EQ(figure.horizontalLines[0].label, "baseline");
    EXPECT_NEAR(figure.horizontalLines[1].at, 1.9, 1e-12);
    EXPECT_TRUE(figure.horizontalLines[1].labelAtEnd);
    EXPECT_EQ(figure.x.marks, QList<double>({500, 10000}));  // the trained values are the axis marks
    EXPECT_EQ(means(figure).size(), 2u);
}

TEST(ResultsFigures, PublishedValuesAreGreyAndOfTheSameDataSet) {
    ResultsData data =
        resultsData(syntheticRuns("theta", {{500, {1.2, 1.4}}, {10000, {1.5, 1.6}}}, {{"data", "tinyshakespeare"}}));
    data.published = {{"theta paper", "tinyshakespeare", "theta", 5000, "best_validation_loss", {3, 1.4662, 0.0014}},
                      {"theta paper", "enwik8", "theta", 5000, "best_validation_loss", {3, 1.0814, 0.0016}},
                      {"theta paper", "tinyshakespeare", "theta", 5000, "bits_per_character", {3, 2.1, 0.1}}};
    const ResultsPicture picture = lossByTheta(data);
    int grey = 0;
    for (const FigureCurve& curve : picture.figure.curves) {
        if (curve.shape != Shape::points || curve.ink != Ink{Ink::Kind::quiet}) continue;
        ++grey;
        EXPECT_EQ(curve.y, QList<double>({1.4662}));
    }
    EXPECT_EQ(grey, 1);
    const auto named = std::count_if(picture.figure.curves.begin(), picture.figure.curves.end(),
                                     [](const auto& curve) { return curve.label == "theta paper, tinyshakespeare"; });
    EXPECT_EQ(named, 1);  // one label, at the line's end
    EXPECT_TRUE(picture.figure.note.contains("published values (theta paper, tinyshakespeare)"));
    EXPECT_EQ(means(picture.figure).size(), 2u);
    EXPECT_TRUE(picture.spots.back().title.startsWith("published"));
}

TEST(ResultsFigures, StatesWhyPublishedValuesAreLeftOut) {
    ResultsData data =
        resultsData(syntheticRuns("theta", {{500, {1.2}}, {10000, {1.5}}}, {{"data", "tinyshakespeare"}}));
    const PublishedResults published = publishedResults(data.runs);
    EXPECT_TRUE(published.values.empty());
    ASSERT_EQ(published.omitted.size(), 1u);
    data.omitted << QString::fromStdString(published.omitted.front());
    EXPECT_TRUE(lossByTheta(data).figure.note.contains("Published values for tinyshakespeare are left out: "));
    EXPECT_TRUE(lossByFraction(data).figure.note.isEmpty());
}

TEST(ResultsFigures, OneSeedHasNoInterval) {
    const auto one = resultsData(syntheticRuns("theta", {{500, {1.2}}, {10000, {1.5}}}));
    for (const auto make : {lossByTheta, meansFigure, lossBySpeed}) {
        const Figure figure = make(one).figure;
        EXPECT_TRUE(figure.note.contains("one seed per group, so no interval is drawn")) << figure.note.toStdString();
    }
    const auto mixed = resultsData(syntheticRuns("theta", {{500, {1.2}}, {10000, {1.5, 1.6}}}));
    EXPECT_TRUE(lossByTheta(mixed).figure.note.contains("; groups of one seed have no interval"));
    const auto both = resultsData(syntheticRuns("theta", {{500, {1.2, 1.3}}, {10000, {1.5, 1.6}}}));
    EXPECT_FALSE(lossByTheta(both).figure.note.contains("no interval"));
    for (const auto make : {lossByTheta, meansFigure, improvementFigure, pairedDifferences}) {
        const Figure figure = make(one).figure;
        EXPECT_FALSE(figure.summary.contains("95 %") || figure.summary.contains("± standard deviation"))
            << figure.summary.toStdString();
    }
    EXPECT_TRUE(pairedDifferences(one).figure.note.startsWith("one seed pair per group, so no interval is drawn"));
    EXPECT_TRUE(improvementFigure(one).figure.note.startsWith("one seed per group, so no interval is drawn"));
    EXPECT_FALSE(
        meansFigure(resultsData(syntheticRuns("theta", {{500, {diverged}}}))).figure.note.contains("per group"));
}

// After three seeds the interval of the stopping rule has no bounds, and the words claimed bars.
TEST(ResultsFigures, WordsOfIntervalsOfAStoppingRuleAreThoseOfTheBars) {
    auto rule = std::make_shared<SequentialSeeds>();
    rule->design.cap = 12;
    for (std::int64_t seed = 1; seed <= 12; ++seed) rule->seeds.push_back(seed);
    for (const std::size_t seeds : {std::size_t{3}, std::size_t{12}}) {
        std::vector<std::pair<double, std::vector<double>>> groups = {{500, {}}, {10000, {}}};
        for (std::size_t i = 0; i < seeds; ++i) {
            const double at = static_cast<double>(i);
            groups[0].second.push_back(1.2 + 0.03 * std::sin(at));
            groups[1].second.push_back(1.3 + 0.03 * std::sin(at) + 0.01 * std::cos(7 * at));
        }
        const ResultsData data = resultsData(syntheticRuns("theta", groups), {}, rule);
        ASSERT_TRUE(data.table().sequential);
        for (const auto make : {meansFigure, pairedDifferences, lossByTheta, improvementFigure}) {
            const ResultsPicture picture = make(data);
            const Figure& figure = picture.figure;
            const QString words = figure.summary + captionOf(figure);
            EXPECT_EQ(bars(figure).empty(), seeds == 3) << figure.name.toStdString();
            EXPECT_EQ(words.contains("95 % confidence interval"), seeds > 3) << words.toStdString();
            EXPECT_EQ(figure.note.contains("interval at all looks together"), seeds > 3) << figure.note.toStdString();
            EXPECT_EQ(figure.note.contains("no interval is drawn, because it has no bounds"), seeds == 3)
                << figure.note.toStdString();
            EXPECT_FALSE(words.contains("paired by seed")) << words.toStdString();
            EXPECT_EQ(rowOf(picture.spots.front(), "95 % interval").isEmpty(), seeds == 3);
        }
    }
}

TEST(ResultsFigures, LossesOfImportedRunsHaveNoUnit) {
    nlohmann::json shared = {{"imported", "JSON Lines"}};
    std::vector<SyntheticRun> runs = syntheticRuns("theta", {{500, {1.2, 1.3}}, {10000, {1.5, 1.6}}}, shared);
    for (SyntheticRun& run : runs) {
        auto& evaluations = run.metrics.evaluations;
        evaluations.iteration.push_back(100);
        for (auto* values : {&evaluations.validation_loss, &evaluations.training_loss, &evaluations.time})
            values->push_back(run.best);
    }
    const ResultsData data = resultsData(runs);
    for (const auto make : {meanCurves, meansFigure, lossByTheta, parallelCoordinates, pairedDifferences}) {
        const ResultsPicture picture = make(data);
        const Figure& figure = picture.figure;
        QStringList words = {figure.y.title(), figure.note, figure.summary, captionOf(figure)};
        words << figure.y.categories << figure.table.names;
        for (const Spot& spot : picture.spots) {
            for (const auto& [name, value] : spot.rows) words << value;
        }
        EXPECT_FALSE(figure.curves.empty()) << figure.name.toStdString();
        EXPECT_FALSE(words.join(' ').contains("nats")) << words.join('\n').toStdString();
    }
}

TEST(ResultsFigures, RunsThatShareAClockAreOneMeasurement) {
    ResultsOptions speed;
    speed.compare = "tokens_per_second";
    ResultsData data = resultsData(syntheticRuns("theta", {{500, {1.2, 1.3}}, {10000, {1.5, 1.6}}}), speed);
    for (ResultGroup& group : data.results.table.groups) group.described[data.table().compared].n = 1;
    EXPECT_TRUE(meansFigure(data).figure.note.startsWith("one measurement per group, so no interval is drawn"));
}

TEST(ResultsFigures, CaptionsCountWhatTheFiguresShow) {
    const std::vector<SyntheticRun> runs =
        syntheticRuns("theta", {{10000, {1.5, 1.6, 1.7}}, {500, {1.4, 1.45, 1.5, 1.6, 1.7}}, {2000, {diverged}}});
    const ResultsData data = resultsData(runs);
    const QString means = captionOf(meansFigure(data).figure);
    EXPECT_TRUE(means.contains("n = 3 to 5 seeds per setting.")) << means.toStdString();
    const QString pairs = captionOf(pairedDifferences(data).figure);
    EXPECT_TRUE(pairs.contains("n = 3 seed pairs per setting. Settings: theta = 500. Baseline: theta = 10000."))
        << pairs.toStdString();
}

TEST(ResultsFigures, ErrorBarsAreSolidAndLongerThanTheirMarks) {
    const auto data = resultsData(syntheticRuns("theta", {{500, {1.2, 1.3}}, {10000, {1.5, 1.6}}}));
    for (const auto make : {lossByTheta, meansFigure, lossBySpeed}) {
        const Figure figure = make(data).figure;
        ASSERT_EQ(bars(figure).size(), 2u);
        for (const FigureCurve& curve : figure.curves) {
            const bool isBar = curve.shape == Shape::line && curve.x.size() == 2 && curve.x[0] == curve.x[1];
            EXPECT_EQ(isBar && !curve.solid, false);
        }
        if (make == lossBySpeed) continue;  // the sizes of its points have a meaning
        for (const FigureCurve* mean : means(figure)) EXPECT_TRUE(mean->bar);
    }
}

TEST(ResultsFigures, PointsOnTheParetoFrontAreLargeWhateverTheirErrorBars) {
    // The first group is on the front with the shorter bar; the larger cache of the second one is worth nothing.
    const ResultsData data = resultsData(syntheticRuns("fraction", {{0.5, {1.2, 1.201}}, {1, {1.3, 1.9}}}));
    std::vector<double> sizes;
    for (const FigureCurve& curve : lossByCache(data).figure.curves) {
        if (curve.shape != Shape::points) continue;
        sizes.push_back(curve.pointPt);
        EXPECT_FALSE(curve.bar) << "a bar would make the point smaller";
    }
    ASSERT_EQ(sizes.size(), 2u);
    EXPECT_GT(sizes[0], sizes[1]) << "the front comes first";
}

TEST(ResultsFigures, ManyDominatedSettingsAreGreyWithoutNames) {
    // The table of a larger fraction is larger, and here its loss is higher.
    std::vector<std::pair<double, std::vector<double>>> groups;
    for (int i = 1; i <= 10; ++i) groups.push_back({0.1 * i, {1.2 + 0.01 * i, 1.21 + 0.01 * i}});
    const Figure figure = lossByCache(resultsData(syntheticRuns("fraction", groups))).figure;
    std::size_t grey = 0;
    for (const FigureCurve& curve : figure.curves) {
        if (curve.shape != Shape::points) continue;
        EXPECT_EQ(curve.label.isEmpty(), curve.ink.kind == Ink::Kind::quiet);
        grey += curve.ink.kind == Ink::Kind::quiet;
    }
    EXPECT_EQ(grey, 9u);
    EXPECT_TRUE(figure.note.contains("grey: the other settings, which a setting on the front matches or beats in both"))
        << figure.note.toStdString();
}

TEST(ResultsFigures, ImprovementUsesTheBaselineOfEachDataSet) {
    std::vector<SyntheticRun> runs =
        syntheticRuns("theta", {{10000, {2.0, 2.02}}, {500, {1.0, 1.03}}}, {{"data", "a.txt"}});
    const auto others = syntheticRuns("theta", {{10000, {4.0, 4.04}}, {500, {5.0, 5.05}}}, {{"data", "b.txt"}});
    runs.insert(runs.end(), others.begin(), others.end());
    const Figure figure = improvementFigure(resultsData(runs)).figure;
    std::vector<double> ours;
    for (const FigureCurve* mean : means(figure)) ours.push_back(mean->y[0]);
    ASSERT_EQ(ours.size(), 4u);
    EXPECT_NEAR(ours[0], 100 * 0.995 / 2.01, 1e-9);
    EXPECT_EQ(ours[1], 0);
    EXPECT_NEAR(ours[2], -100 * 1.005 / 4.02, 1e-9);
    EXPECT_EQ(bars(figure).size(), 2u);  // a baseline has no interval of its difference from itself
    for (const auto& bar : bars(figure)) EXPECT_LT(bar[1], bar[2]);
}

TEST(ResultsFigures, ImprovementOverThetaAndFractionIsThatOfTheTable) {
    std::vector<SyntheticRun> runs;
    for (const double fraction : {0.25, 1.0}) {
        const auto part = syntheticRuns("theta", {{10000, {2.0 * fraction, 2.02}}, {500, {1.5, 1.52 + fraction}}},
                                        {{"fraction", fraction}});
        runs.insert(runs.end(), part.begin(), part.end());
    }
    const ResultsData data = resultsData(runs);
    const Figure figure = improvementFigure(data).figure;
    std::vector<double> drawn;
    for (const FigureCurve* mean : means(figure)) drawn.push_back(mean->y[0]);
    std::vector<double> expected;
    for (const ResultGroup& group : data.table().groups) expected.push_back(group.improvement_percent.value_or(0));
    EXPECT_THAT(drawn, testing::UnorderedPointwise(testing::DoubleNear(1e-9), expected));
    EXPECT_EQ(expected.size(), 4u);
    EXPECT_TRUE(figure.summary.contains("fraction")) << "the summary names the baseline of the table";
    EXPECT_EQ(figure.horizontalLines.front().label, "baseline: θ = 10,000");
}

TEST(ResultsFigures, BandsCoverTheRangeOfTheRuns) {
    const nlohmann::json head = {{"width", 64}, {"heads", 1}};
    const ResultsData data = resultsData(syntheticRuns(
        "fraction", {{0, {1.9, 1.8}}, {2.0 / 64, {1.7, 1.75}}, {0.1, {1.5, 1.52}}, {1, {1.45, 1.55}}}, head));
    const Figure figure = lossByFraction(data).figure;
    ASSERT_EQ(figure.bands.size(), 2u);
    EXPECT_EQ(figure.bands[0].lower.first(), 1.7);
    EXPECT_EQ(figure.bands[0].upper.first(), 1.9);
    EXPECT_EQ(figure.bands[1].lower.first(), 1.45);
    EXPECT_EQ(figure.bands[1].upper.first(), 1.55);
    EXPECT_EQ(figure.bands[1].x, QList<double>({10, 100}));
    EXPECT_TRUE(figure.note.contains("0.15 nats apart")) << figure.note.toStdString();
    EXPECT_TRUE(figure.note.contains(QStringLiteral("10\u202F% or more")));  // non-breaking spaces
    EXPECT_EQ(figure.curves.front().x, QList<double>({0, 3.125, 10, 100}));
}

TEST(ResultsFigures, AnAxisSaysWhetherTheFractionIsRounded) {
    const ResultsPicture picture = lossByFraction(resultsData(syntheticRuns("fraction", {{0.1, {1.4}}, {1, {1.2}}})));
    EXPECT_EQ(picture.figure.x.title(), "rotated fraction as set (%)") << "loss-fit shows whole pairs";
    EXPECT_EQ(picture.spots[0].at.x(), 10);
}

TEST(ResultsFigures, SmallHeadHasNoBands) {
    // In a head of 16 channels, 10 % are two channels.
    const nlohmann::json head = {{"width", 16}, {"heads", 1}};
    const Figure figure =
        lossByFraction(resultsData(syntheticRuns("fraction", {{0, {1.9, 1.8}}, {0.1, {1.5, 1.6}}}, head))).figure;
    EXPECT_TRUE(figure.bands.empty());
    EXPECT_EQ(means(figure).size(), 2u);
}

TEST(ResultsFigures, NopeIsAtFractionZero) {
    std::vector<SyntheticRun> runs = syntheticRuns("fraction", {{0.5, {1.2, 1.4}}, {1, {1.5, 1.6}}});
    runs.push_back({{{"position", "none"}, {"seed", 1}}, 1.9});
    EXPECT_EQ(lossByFraction(resultsData(runs)).figure.curves.front().x, QList<double>({0, 50, 100}));
}

TEST(ResultsFigures, LossByContextHasALinePerFractionWithPointsInItsColour) {
    std::vector<SyntheticRun> runs = syntheticRuns("context", {{64, {1.5}}, {128, {1.4}}}, {{"fraction", 0.25}});
    const auto full = syntheticRuns("context", {{64, {1.3}}, {128, {1.2}}}, {{"fraction", 1}});
    runs.insert(runs.end(), full.begin(), full.end());
    const Figure figure = lossByContext(resultsData(runs)).figure;
    EXPECT_EQ(figure.curves[0].label, "fraction 25 %");
    EXPECT_EQ(figure.curves[1].label, "fraction 100 %");
    EXPECT_EQ(figure.curves[1].y, QList<double>({1.3, 1.2}));
    EXPECT_EQ(figure.curves[0].ink.kind, Ink::Kind::data);
    EXPECT_EQ(figure.curves[1].ink.kind, Ink::Kind::data);
    EXPECT_NE(Theme::light().dataColor(figure.curves[0].ink.index, 0),
              Theme::light().dataColor(figure.curves[1].ink.index, 0));
    const auto points = means(figure);
    ASSERT_EQ(points.size(), 4u);
    for (std::size_t i = 0; i < points.size(); ++i) EXPECT_EQ(points[i]->ink, figure.curves[i / 2].ink);
    EXPECT_EQ(figure.curves[0].x, QList<double>({64, 128})) << "without error bars nothing is shifted";
}

// Over θ × fraction all lines were grey and their bars covered each other.
TEST(ResultsFigures, FiguresOfTwoSettingsHaveDistinctCurvesSideBySide) {
    std::vector<SyntheticRun> runs;
    for (const double fraction : {1.0, 0.25, 0.5}) {
        const auto made = syntheticRuns("theta", {{500, {1.5, 1.6}}, {500000, {1.4, 1.5}}, {2000, {1.3, 1.4}}},
                                        {{"fraction", fraction}});
        runs.insert(runs.end(), made.begin(), made.end());
    }
    ResultsData data = resultsData(runs);
    sort_by_settings(data.results.table);
    for (const Figure& figure :
         {lossByTheta(data).figure, lossByFraction(data).figure, improvementFigure(data).figure}) {
        QStringList labels;
        QStringList inks;
        for (const FigureCurve& curve : figure.curves) {
            if (curve.label.isEmpty()) continue;
            labels << curve.label;
            inks << QString::number(curve.ink.index);
            EXPECT_EQ(curve.ink.kind, Ink::Kind::data);
        }
        const bool isByFraction = figure.name == QLatin1String("loss-by-fraction");
        EXPECT_EQ(labels, isByFraction ? QStringList({"θ 500", "θ 2k", "θ 500k"})
                                       : QStringList({"fraction 25 %", "fraction 50 %", "fraction 100 %"}));
        EXPECT_EQ(inks.removeDuplicates(), 0) << figure.name.toStdString();
        QSet<double> places;
        for (const auto& bar : bars(figure)) {
            EXPECT_FALSE(places.contains(bar[0])) << figure.name.toStdString() << ": two bars at " << bar[0];
            places.insert(bar[0]);
            EXPECT_GT(bar[0], figure.x.minimum);
            EXPECT_LT(bar[0], figure.x.maximum);
        }
        QList<double> marks = figure.x.marks;
        EXPECT_EQ(marks.size(), 3) << "each value has one mark";
        EXPECT_TRUE(std::is_sorted(marks.begin(), marks.end()));
        EXPECT_TRUE(figure.note.contains("shifted sideways")) << figure.note.toStdString();
    }
}

TEST(ResultsFigures, SettingsThatFollowTheContextDoNotSplitCurves) {
    // The batch size changes with the context, so that the number of tokens per step is constant.
    std::vector<SyntheticRun> runs;
    for (const double fraction : {0.25, 1.0}) {
        for (const int context : {64, 128}) {
            runs.push_back({{{"fraction", fraction}, {"context", context}, {"batch", 1024 / context}, {"seed", 1}},
                            1.5 - fraction / 10});
        }
    }
    Figure figure = lossByContext(resultsData(runs)).figure;
    EXPECT_EQ(figure.curves[0].label, "fraction 25 %");
    EXPECT_EQ(figure.curves[0].x, QList<double>({64, 128}));
    EXPECT_EQ(figure.curves[1].x, QList<double>({64, 128}));
    EXPECT_TRUE(figure.note.contains("batch changes together with context")) << figure.note.toStdString();
    // Two groups that differ in both settings do not show which one follows the other.
    figure = lossByContext(resultsData({runs[0], runs[1]})).figure;
    EXPECT_FALSE(figure.note.contains("batch"));
}

TEST(ResultsFigures, NoteSummarizesAllCurvesAndTheSummaryEachOne) {
    std::vector<SyntheticRun> runs;
    for (const int layers : {1, 2, 3}) {
        const auto made = syntheticRuns(
            "fraction",
            {{0, {1.9}}, {0.1, {1.8}}, {0.25, {1.7}}, {0.4, {1.6}}, {0.5, {1.5}}, {0.75, {1.4}}, {1, {1.3}}},
            {{"layers", layers}, {"width", 64}, {"heads", 1}});
        runs.insert(runs.end(), made.begin(), made.end());
    }
    const Figure figure = lossByFraction(resultsData(runs)).figure;
    EXPECT_TRUE(figure.note.contains("apart in 3 of 3 curves, by 0.10 nats")) << figure.note.toStdString();
    EXPECT_EQ(figure.summary.count("apart"), 3);
}

TEST(ResultsFigures, GroupsOfSevenSeedsHaveDistinctColours) {
    const std::vector<double> seeds(7, 1.5);
    const ResultsData data = resultsData(syntheticRuns("theta", {{500, seeds}, {1000, seeds}, {10000, seeds}}));
    QSet<QRgb> colors;
    for (const ResultGroup& group : data.table().groups) {
        colors.insert(Theme::light().dataColor(data.results.inkOf(group).index).rgb());
    }
    EXPECT_EQ(colors.size(), 3);
    EXPECT_EQ(data.results.inkOf(data.table().groups[0]), Ink::data(0));  // not in the shade of a seed
}

TEST(ResultsFigures, ColorOfAGroupIsThatOfItsSettingWhateverItsPlace) {
    ResultsData data =
        resultsData(syntheticRuns("theta", {{500, {1.5, 1.6}}, {1000, {1.5, 1.6}}, {10000, {1.5, 1.6}}}));
    const auto colors = [&] {
        std::map<double, int> result;
        for (const ResultGroup& group : data.table().groups) {
            result[group.settings.at("theta").get<double>()] = data.results.inkOf(group).index;
        }
        return result;
    };
    const std::map<double, int> expected = {{500, 0}, {1000, 1}, {10000, 2}};
    EXPECT_EQ(colors(), expected);
    sort_groups(data.results.table, "-theta");
    EXPECT_EQ(colors(), expected);
}

TEST(ResultsFigures, LossByThetaTestsAMinimumAtAMiddleTheta) {
    const std::vector<SyntheticRun> runs = syntheticRuns(
        "theta", {{100, {2.60, 2.58}}, {1000, {2.14, 2.12}}, {10000, {2.00, 2.01}}, {100000, {2.18, 2.21}}});
    const Figure figure = lossByTheta(resultsData(runs)).figure;
    EXPECT_TRUE(figure.note.contains("quadratic in ln θ against a constant: p <")) << figure.note.toStdString();
    EXPECT_TRUE(figure.note.contains("minimum at θ = ")) << figure.note.toStdString();
    EXPECT_TRUE(figure.summary.contains("the fitted minimum is at theta = ")) << figure.summary.toStdString();
    const Figure three = lossByTheta(resultsData({runs.begin(), runs.begin() + 6})).figure;
    EXPECT_FALSE(three.note.contains("quadratic")) << three.note.toStdString();
}

TEST(ResultsFigures, LongBaselineNameMovesToTheNote) {
    std::vector<SyntheticRun> runs =
        syntheticRuns("theta", {{500, {1.2, 1.4}}}, {{"block", "llama"}, {"learning_rate", 0.01}});
    const auto others = syntheticRuns("theta", {{10000, {1.5, 1.6}}}, {{"block", "pythia"}, {"learning_rate", 0.001}});
    runs.insert(runs.end(), others.begin(), others.end());
    const Figure figure = pairedDifferences(resultsData(runs)).figure;
    EXPECT_EQ(figure.y.title(), "difference from the baseline (nats)");
    EXPECT_TRUE(figure.note.contains("baseline: ")) << figure.note.toStdString();
    EXPECT_EQ(pairedDifferences(resultsData(syntheticRuns("theta", {{10000, {1.5, 1.6}}, {500, {1.4, 1.45}}})))
                  .figure.y.title(),
              "difference from θ 10k (nats)");
}

TEST(ResultsFigures, BaselineLabelDoesNotCoverPoints) {
    const ResultsData data = resultsData(syntheticRuns("theta", {{10000, {1.5, 1.6}}, {500, {1.2, 1.4}}}));
    for (const auto make : {meansFigure, improvementFigure}) {
        const Figure figure = make(data).figure;
        ASSERT_EQ(figure.horizontalLines.size(), 1u);
        EXPECT_TRUE(figure.horizontalLines[0].labelAtEnd) << figure.name.toStdString();
        EXPECT_TRUE(figure.horizontalLines[0].label.startsWith("baseline"));
    }
}

TEST(ResultsFigures, TheAxisNamesManyTextsInsteadOfRepeatingTheLabelsOfTheirFirstColumns) {
    const auto figureOf = [](int rates) {
        std::vector<SyntheticRun> runs;
        for (int i = 1; i <= rates; ++i) {
            for (const double theta : {100, 400}) {
                for (const int seed : {1, 2})
                    runs.push_back({{{"learning_rate", i * 1e-4}, {"theta", theta}, {"seed", seed}},
                                    1.2 + 0.1 * seed + theta / 1e4});
            }
        }
        return meansFigure(resultsData(runs)).figure;
    };
    const Figure few = figureOf(3);
    ASSERT_EQ(few.x.categories, QStringList({"100", "400", "100", "400", "100", "400"}));
    EXPECT_EQ(few.verticalLines.front().label, "1e-04");
    const Figure many = figureOf(40);
    QStringList named = many.x.categories;
    ASSERT_EQ(named.size(), 80);
    named.removeAll(QString());
    EXPECT_EQ(named.size(), 40);
    EXPECT_EQ(named.removeDuplicates(), 0);
    EXPECT_EQ(many.x.categories[2], "2e-04");
    EXPECT_EQ(many.x.label, "learning rate");
    EXPECT_EQ(many.verticalLines.size(), 40u);
    EXPECT_EQ(many.verticalLines.front().label, QString());
}

TEST(ResultsFigures, PairedDifferencesUseEqualSeeds) {
    const ResultsPicture picture = pairedDifferences(
        resultsData(syntheticRuns("theta", {{10000, {1.5, 1.6, 1.7}}, {500, {1.4, 1.45, diverged}}})));
    const Figure& figure = picture.figure;
    ASSERT_EQ(means(figure).size(), 1u);
    EXPECT_EQ(figure.x.categories, QStringList("500")) << "the baseline has no column";
    EXPECT_EQ(means(figure)[0]->x[0], 0);
    EXPECT_NEAR(means(figure)[0]->y[0], -0.125, 1e-12);
    EXPECT_EQ(figure.table.columns[0], QList<double>({1, 2}));
    EXPECT_NEAR(figure.table.columns[1][1], -0.15, 1e-12);
    ASSERT_EQ(figure.table.words.size(), 1);
    EXPECT_EQ(figure.table.words[0].first, "theta");
    EXPECT_EQ(figure.table.words[0].second, QStringList({"500", "500"}));
    EXPECT_EQ(figure.horizontalLines.front().at, 0);
    EXPECT_EQ(redPoints(figure).size(), 1u);
    EXPECT_TRUE(rowOf(picture.spots.front(), "seed 2").contains("0.15"));
}

RunMetrics evaluated(const std::vector<double>& losses) {
    RunMetrics metrics;
    for (std::size_t i = 0; i < losses.size(); ++i) {
        metrics.evaluations.iteration.push_back(static_cast<std::int64_t>(10 * i));
        metrics.evaluations.validation_loss.push_back(losses[i]);
        metrics.evaluations.training_loss.push_back(losses[i]);
        metrics.evaluations.time.push_back(0);
    }
    return metrics;
}

TEST(ResultsFigures, LearningCurvesAreMeansOverAllSeeds) {
    const ResultsData data = resultsData({{{{"seed", 1}}, 1.0, evaluated({4, 2, 1})},
                                          {{{"seed", 2}}, 1.0, evaluated({4, 3})},
                                          {{{"seed", 3}}, diverged, evaluated({4, 50})}});
    const Figure figure = meanCurves(data).figure;
    const FigureCurve& mean = figure.curves.back();
    EXPECT_EQ(mean.x, QList<double>({0, 10}));
    EXPECT_EQ(mean.y, QList<double>({4, 2.5}));
    ASSERT_EQ(figure.bands.size(), 1u);
    EXPECT_NEAR(figure.bands[0].upper[1] - figure.bands[0].lower[1], 2 * std::sqrt(0.5), 1e-12);
    int red = 0;
    for (const FigureCurve& curve : figure.curves) red += curve.companion && curve.ink == Ink{Ink::Kind::error};
    EXPECT_EQ(red, 1);
    EXPECT_TRUE(figure.note.contains("1 run that failed; the means exclude these runs"));
}

RunMetrics stepped(double loss) {
    RunMetrics metrics;
    metrics.steps = {{1, 2, 3}, {loss, 9, loss}, {1, 30, 1}, {0, 0, 0}, {0, 0, 0}};
    return metrics;
}

TEST(ResultsFigures, SpikesShowLossAndGradientNormOfFewRuns) {
    ResultsData data = resultsData(
        {{{{"theta", 500}, {"seed", 1}}, 1.0, stepped(2)}, {{{"theta", 10000}, {"seed", 1}}, diverged, stepped(3)}});
    const Figure few = spikeFigure(data).figure;
    EXPECT_TRUE(few.y.logarithmic);
    ASSERT_EQ(few.curves.size(), 5u);  // two curves per run, and a point where the failed run ended
    EXPECT_EQ(few.curves[1].y, QList<double>({0.1, 3, 0.1}));  // a tenth, below the losses
    EXPECT_EQ(few.curves[1].ink, few.curves[0].ink) << "its seed's colour";
    EXPECT_EQ(few.y.label, "training loss (nats), gradient norm / 10");
    EXPECT_TRUE(few.curves[1].companion);
    EXPECT_EQ(few.curves[3].label, "10k · seed 1, failed");
    EXPECT_EQ(redPoints(few).size(), 1u);

    std::vector<SyntheticRun> many;
    for (int i = 0; i < 9; ++i) many.push_back({{{"theta", i % 2 ? 500 : 10000}, {"seed", i}}, 1.0, stepped(2)});
    data = resultsData(many);
    data.picked = 1;
    EXPECT_EQ(spikeFigure(data).figure.curves.size(), 8u);  // two curves for each of the four seeds at θ = 500
    EXPECT_TRUE(spikeFigure(data).figure.note.contains("θ 500"));
    EXPECT_TRUE(captionOf(spikeFigure(data).figure).endsWith("θ 500. n = 4 seeds per setting. Settings: theta = 500."))
        << captionOf(spikeFigure(data).figure).toStdString();
}

TEST(ResultsFigures, EquivalentSettingsAreNamedOnce) {
    std::vector<SyntheticRun> runs;
    for (const char* block : {"pythia", "llama"}) {
        for (const double rate : {0.01, 0.001}) {
            for (const double fraction : {0.0, 1.0}) {
                runs.push_back({{{"block", block},
                                 {"fraction", fraction},
                                 {"learning_rate", rate},
                                 {"final_learning_rate", rate / 10},
                                 {"seed", 1}},
                                1.5 - rate});
            }
        }
    }
    ResultsData data = resultsData(runs);
    sort_by_settings(data.results.table);
    EXPECT_EQ(distinguishing_keys(data.table()).size(), 3u);
    EXPECT_EQ(shortLabel(data.table(), data.table().groups[0]).count(QChar(0xB7)), 2);
    const Figure figure = lossByFraction(data).figure;
    EXPECT_EQ(figure.curves[0].label, "pythia, learning rate 0.001");
    EXPECT_EQ(figure.curves[3].label, "llama, learning rate 0.01");
}

TEST(ResultsFigures, ParetoFrontContainsUnbeatenGroups) {
    // A run with a lower loss is slower here, so both groups are on the front.
    ResultsData data = resultsData(syntheticRuns("theta", {{500, {1.2, 1.2}}, {1000, {1.4, 1.4}}}));
    const ResultsPicture both = lossBySpeed(data);
    int onFront = 0;
    for (const Spot& spot : both.spots) onFront += rowOf(spot, "Pareto front of the means").startsWith("yes");
    EXPECT_EQ(onFront, 2);
    EXPECT_TRUE(both.figure.note.startsWith("large points, dashed line: Pareto front of the means; "));
    QStringList names;
    for (const FigureCurve& curve : both.figure.curves) {
        if (!curve.label.isEmpty()) names << curve.label;
    }
    EXPECT_EQ(names, QStringList({"1k", "500"}));
    const Figure memory = lossByMemory(data).figure;  // shapes are equal: the settings are side by side
    EXPECT_EQ(memory.x.categories, QStringList({"500", "1k"}));
    for (const Spot& spot : lossByMemory(data).spots) {
        const QString words = rowOf(spot, "Pareto front of the means");
        EXPECT_TRUE(words.endsWith(": another mean is at least as good in loss and cost, and better in one") ||
                    words.startsWith("yes: no other mean"))
            << words.toStdString();
    }
    EXPECT_TRUE(memory.note.startsWith("estimated memory for training one run: ")) << memory.note.toStdString();
    EXPECT_TRUE(memory.note.contains(" MB in every setting")) << memory.note.toStdString();
    EXPECT_FALSE(memory.note.contains("Pareto")) << "nothing is weighed against the loss";
    ResultsOptions speed;
    speed.compare = "tokens_per_second";
    EXPECT_TRUE(
        lossBySpeed(resultsData(syntheticRuns("theta", {{500, {1.2}}}), speed)).figure.emptyText.contains("loss"));
}

TEST(ResultsFigures, LossAgainstGenerationSpeedAndCacheSize) {
    const auto onFront = [](const ResultsPicture& picture) {
        QStringList titles;
        for (const Spot& spot : picture.spots) {
            if (rowOf(spot, "Pareto front of the means").startsWith("yes")) titles << spot.title;
        }
        return titles;
    };
    // A lower loss generates faster here, so it is alone on the front.
    const ResultsData data = resultsData(syntheticRuns("theta", {{500, {1.25, 1.25}}, {1000, {1.6, 1.6}}}));
    const ResultsPicture speed = lossByGenerationSpeed(data);
    EXPECT_EQ(onFront(speed).size(), 1);
    EXPECT_EQ(speed.spots[0].at.x(), 80);
    // The table of the smaller fraction is smaller: both groups are on the front.
    const ResultsPicture cache =
        lossByCache(resultsData(syntheticRuns("fraction", {{0.5, {1.4, 1.4}}, {1, {1.2, 1.2}}})));
    EXPECT_EQ(onFront(cache).size(), 2);
    // 2 · 2 layers · 2 heads · 32 channels · 128 tokens · 4 bytes and 32 channels · 128 positions · 4 bytes
    EXPECT_NEAR(cache.spots[1].at.x(), 147.456, 1e-9);
}

TEST(ResultsFigures, LossesOfDifferentTokenizersAreSaidNotToBeComparable) {
    std::vector<SyntheticRun> runs;
    for (const char* tokenizer : {"characters", "bytes"}) {
        const double loss = runs.empty() ? 1.5 : 1.6;
        runs.push_back({{{"tokenizer", tokenizer}, {"seed", 1}}, loss, evaluated({2, loss})});
    }
    ResultsOptions perByte;
    perByte.compare = "bits_per_byte";
    const QString words = "losses per token of different tokenizers cannot be compared";
    for (const auto make : {meansFigure, meanCurves, parallelCoordinates}) {
        const Figure figure = make(resultsData(runs)).figure;
        EXPECT_TRUE(figure.note.contains(words)) << figure.name.toStdString() << ": " << figure.note.toStdString();
    }
    EXPECT_FALSE(meansFigure(resultsData(runs, perByte)).figure.note.contains(words));
    EXPECT_FALSE(meanCurves(resultsData(syntheticRuns("theta", {{500, {1.2}}}))).figure.note.contains(words));
}

TEST(ResultsFigures, EachDataSetHasItsOwnParetoFront) {
    // All losses on the second data set are higher, so a common front would contain none of its groups.
    std::vector<SyntheticRun> runs = syntheticRuns("theta", {{500, {1.2}}, {1000, {1.4}}}, {{"data", "a.txt"}});
    const auto others = syntheticRuns("theta", {{500, {3.4}}, {1000, {3.2}}}, {{"data", "b.txt"}});
    runs.insert(runs.end(), others.begin(), others.end());
    const ResultsPicture memory =
        lossByMemory(resultsData(runs));  // shapes are equal: the lowest loss of each data set wins
    QStringList onFront;
    for (const Spot& spot : memory.spots) {
        if (rowOf(spot, "Pareto front of the means").startsWith("yes")) onFront << spot.title;
    }
    EXPECT_EQ(onFront, QStringList({"data a.txt, θ 500", "data b.txt, θ 1k"}));
    const Figure speed = lossBySpeed(resultsData(runs)).figure;
    const auto stairs = std::count_if(speed.curves.begin(), speed.curves.end(), [](const FigureCurve& curve) {
        return curve.quantity == QLatin1String("Pareto front");
    });
    EXPECT_EQ(stairs, 2);
    EXPECT_TRUE(speed.note.contains("Pareto front of the means of each data set")) << speed.note.toStdString();
}

TEST(ResultsFigures, ParallelCoordinatesRangeFromLowestToHighest) {
    const ResultsPicture picture =
        parallelCoordinates(resultsData(syntheticRuns("theta", {{10000, {1.5}}, {500, {1.3}}, {1000, {diverged}}})));
    const Figure& figure = picture.figure;
    EXPECT_EQ(figure.horizontalLines.front().label, "500 · 1k · 10k");
    EXPECT_TRUE(figure.horizontalLines.front().labelAtEnd);
    EXPECT_EQ(figure.y.categories.last(), "θ");        // the highest axis
    const FigureCurve& first = figure.curves.front();  // from θ 10k, the highest, to the highest final training loss
    EXPECT_EQ(first.x, QList<double>({1, 1}));
    EXPECT_EQ(redPoints(figure).size(), 1u);
    EXPECT_EQ(redPoints(figure)[0]->x, QList<double>({0.5}));
    for (const FigureCurve& curve : figure.curves) EXPECT_LE(curve.x.first(), curve.x.last());
    EXPECT_TRUE(figure.note.contains("that diverged or failed"));
}

TEST(ResultsFigures, ParallelCoordinatesOfEqualMeasuresSayWhatIsEqual) {
    const Figure figure =
        parallelCoordinates(resultsData(syntheticRuns("theta", {{500, {1.5}}, {1000, {1.5}}}))).figure;
    EXPECT_TRUE(figure.curves.empty());
    EXPECT_TRUE(figure.emptyText.contains("Equal in all groups: ") && figure.emptyText.contains("1.5"))
        << figure.emptyText.toStdString();
}

TEST(ResultsFigures, MutualInformationIsAboveTheWavelengths) {
    ResultsData data =
        resultsData(syntheticRuns("theta", {{500, {1.3}}, {10000, {1.5}}}, {{"width", 16}, {"heads", 1}}));
    EXPECT_TRUE(informationFigure(data).figure.emptyText.startsWith("Computing"));
    data.texts = {{"", "a text", 0, {}, {{1, 10, 100}, {1.0, 0.1, -0.001}, {1.1, 0.2, 0.001}, 5000}}};
    const ResultsPicture picture = informationFigure(data);
    const FigureCurve& curve = picture.figure.curves.front();
    EXPECT_EQ(curve.y[1], 0.1);
    EXPECT_TRUE(std::isnan(curve.y[2]));  // below the smallest drawn value
    double shortest = 1e9;
    int waves = 0;
    for (const Spot& spot : picture.spots) {
        if (!spot.title.startsWith("θ")) continue;
        ++waves;
        EXPECT_LT(spot.at.y(), 1e-4);
        shortest = std::min(shortest, spot.at.x());
    }
    EXPECT_GT(waves, 2);
    EXPECT_NEAR(shortest, 2 * M_PI, 1e-9);
    EXPECT_TRUE(picture.figure.note.contains("longer than the x axis"));
    ASSERT_EQ(picture.figure.horizontalLines.size(), 2u);  // each row of wavelengths has its θ as label
    for (const FigureLine& line : picture.figure.horizontalLines) EXPECT_TRUE(line.labelAtEnd);
    data.texts = {{"", "b", 0, "There is no such file.", {}}};
    EXPECT_EQ(informationFigure(data).figure.emptyText, "There is no such file.");
}

TEST(ResultsFigures, OneDataSetHasNoRelationOfItsThetaToItsWidth) {
    ResultsData data =
        resultsData(syntheticRuns("theta", {{100, {1.5, 1.6}}, {1000, {1.3, 1.4}}, {10000, {1.5, 1.6}}}));
    std::string key = textsKey(data.runs);
    key.pop_back();  // the line's end after the only text
    data.texts = {{key, "a text", 0, {}, {{1, 10, 100}, {1.0, 0.1, 0.01}, {1.1, 0.2, 0.02}, 5000}}};
    const ResultsPicture picture = optimumFigure(data);
    EXPECT_TRUE(picture.figure.emptyText.startsWith("This figure needs a second data set: the best θ of a text alone"))
        << picture.figure.emptyText.toStdString();
    EXPECT_TRUE(picture.figure.curves.empty() && picture.spots.empty());
}

TEST(ResultsFigures, CrosshairReadsTheNearestSpot) {
    const ResultsPicture picture =
        lossByTheta(resultsData(syntheticRuns("theta", {{500, {1.2, 1.4}}, {10000, {1.5, 1.7}}})));
    const Spot* spot = spotNear(picture, {520, 1.31});
    ASSERT_NE(spot, nullptr);
    EXPECT_EQ(spot->group, 0);
    EXPECT_EQ(spotNear(picture, {2200, 1.7}), nullptr);
    const auto readout = readoutAt(picture, {10000, 1.6});
    ASSERT_TRUE(readout);
    EXPECT_EQ(readout->title, "θ 10k");
    EXPECT_EQ(readout->rows[0].label, "mean");
    EXPECT_TRUE(readout->rows[0].value.startsWith("1.6000"));
    const ResultsPicture columns =
        meansFigure(resultsData(syntheticRuns("theta", {{500, {1.2, 1.4}}, {10000, {1.5, 1.7}}})));
    ASSERT_NE(spotNear(columns, {0.4, 1.69}), nullptr);  // the whole column belongs to the spot
    EXPECT_EQ(spotNear(columns, {0.4, 1.69})->group, 0);
}

}  // namespace
}  // namespace ropelab::ui
