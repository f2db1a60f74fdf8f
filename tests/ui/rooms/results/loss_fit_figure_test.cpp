// Tests of the figure of the fitted loss.
#include "ui/rooms/results/results_figures.h"

#include <gtest/gtest.h>

#include <QJsonObject>
#include <algorithm>
#include <cmath>

#include "core/results/fits/loss_fit.h"
#include "tests/ui/rooms/results/results_data.h"
#include "ui/figure/export/export.h"

namespace ropelab::ui {
namespace {

/// Returns two seeds at every combination of three fractions, the numbers of layers and two numbers of iterations.
std::vector<SyntheticRun> fitGrid(const std::vector<int>& layers,
                                  const nlohmann::json& shared = nlohmann::json::object()) {
    std::vector<SyntheticRun> runs;
    for (const double fraction : {0.0, 0.25, 1.0}) {
        for (const int depth : layers) {
            for (const int iterations : {100, 400}) {
                for (int seed = 1; seed <= 2; ++seed) {
                    nlohmann::json settings = {
                        {"fraction", fraction}, {"layers", depth}, {"iterations", iterations}, {"seed", seed}};
                    settings.update(shared);
                    const double deviation = ((7 * static_cast<int>(runs.size())) % 11 - 5) * 0.001;
                    runs.push_back({settings, std::exp(1 - 0.2 * std::sqrt(fraction) + 0.1 * fraction - 0.02 * depth -
                                                       0.05 * std::log(iterations) + deviation)});
                }
            }
        }
    }
    return runs;
}

/// Returns the fitted curves: lines with more points than a bar.
std::vector<const FigureCurve*> fitLines(const Figure& figure) {
    std::vector<const FigureCurve*> result;
    for (const FigureCurve& curve : figure.curves) {
        if (curve.shape == FigureCurve::Shape::line && curve.x.size() > 2) result.push_back(&curve);
    }
    return result;
}

QString valueOf(const Spot& spot, const QString& label) {
    const auto row =
        std::find_if(spot.rows.begin(), spot.rows.end(), [&](const auto& each) { return each.first == label; });
    return row == spot.rows.end() ? QString() : row->second;
}

TEST(LossFitFigure, HasACurveAndABandPerSizeAndNumberOfTokens) {
    const ResultsData data = resultsData(fitGrid({1, 3}));
    const ResultsPicture picture = lossFitFigure(data);
    const Figure& figure = picture.figure;
    EXPECT_EQ(figure.x.title(), "rotated fraction in whole pairs (%)");
    EXPECT_EQ(figure.y.title(), "best validation loss (nats)");
    const auto lines = fitLines(figure);
    ASSERT_EQ(lines.size(), 4u);
    ASSERT_EQ(figure.bands.size(), 4u);
    EXPECT_EQ(lines[0]->label, "N 49k, D 205k");
    EXPECT_EQ(lines[0]->x.first(), 0);
    EXPECT_EQ(lines[0]->x.last(), 100);
    EXPECT_FALSE(lines[0]->dots);
    EXPECT_EQ(lines[0]->ink, figure.bands[0].ink);
    for (std::size_t i = 0; i < 4; ++i) {
        for (std::size_t j = 0; j < i; ++j) EXPECT_FALSE(lines[i]->ink == lines[j]->ink) << i << " and " << j;
    }
    EXPECT_EQ(figure.x.marks.size(), 3) << "each fraction has one mark";

    // Curve and band are the predictions of the same fit as in the terminal.
    std::vector<LossFitSource> sources;
    for (const ResultsRun& run : data.runs) sources.push_back({run.spec, run.state});
    const TableLossFit fit = fit_table(data.table(), sources);
    const LossPrediction last = predict_loss(fit.fit, loss_point_of(data.runs.back().spec));
    EXPECT_NEAR(lines[3]->y.last(), last.loss, 1e-12);
    EXPECT_NEAR(figure.bands[3].lower.last(), last.low, 1e-12);
    EXPECT_NEAR(figure.bands[3].upper.last(), last.high, 1e-12);

    ASSERT_EQ(picture.spots.size(), 12u);
    const auto spot =
        std::find_if(picture.spots.begin(), picture.spots.end(), [](const Spot& each) { return each.group == 11; });
    ASSERT_NE(spot, picture.spots.end());
    EXPECT_EQ(spot->at.x(), 100);
    EXPECT_EQ(valueOf(*spot, "fit"), valueText(data.table(), data.measure(), last.loss));
    EXPECT_EQ(valueOf(*spot, "training tokens (D)"), "819,200");
    EXPECT_TRUE(figure.note.contains("fit of the loss to 24 runs at 12 settings")) << figure.note.toStdString();
    EXPECT_TRUE(figure.summary.contains("Range of the fitted runs: rotated fraction p = 0 to 100"))
        << figure.summary.toStdString();
    EXPECT_EQ(figure.settings["loss_fit"].toObject()["n"], 24);
    ASSERT_EQ(figure.table.columns.size(), 9);
    EXPECT_EQ(figure.table.columns[0].size(), 12);
    EXPECT_TRUE(figureCsv(figure).contains("95 % prediction interval, low"));
}

TEST(LossFitFigure, ManyCurvesHaveTheBandOfTheSelectedGroup) {
    ResultsData data = resultsData(fitGrid({1, 2, 3}));
    EXPECT_TRUE(lossFitFigure(data).figure.bands.empty());
    data.picked = 0;
    const Figure figure = lossFitFigure(data).figure;
    ASSERT_EQ(fitLines(figure).size(), 6u);
    ASSERT_EQ(figure.bands.size(), 1u);
    EXPECT_EQ(figure.bands[0].ink, fitLines(figure)[0]->ink);
    EXPECT_TRUE(figure.note.contains("for the selected group's curve")) << figure.note.toStdString();
}

TEST(LossFitFigure, TheSelectedGroupChoosesTheRuns) {
    std::vector<SyntheticRun> runs = fitGrid({1, 3});
    const auto others = fitGrid({1, 3}, {{"data", "enwik8"}});
    runs.insert(runs.end(), others.begin(), others.end());
    ResultsData data = resultsData(runs);
    Figure figure = lossFitFigure(data).figure;
    EXPECT_TRUE(isEmpty(figure));
    EXPECT_TRUE(figure.emptyText.contains("also differ in data (synthetic, enwik8)")) << figure.emptyText.toStdString();
    EXPECT_TRUE(figure.emptyText.contains("Select a group in the table"));
    EXPECT_EQ(figure.summary, figure.emptyText);
    data.picked = 13;
    figure = lossFitFigure(data).figure;
    EXPECT_EQ(figure.table.words[0].second.count("enwik8"), 12) << figure.table.words[0].first.toStdString();
    EXPECT_TRUE(figure.note.contains("24 runs excluded from the fit, because of other values of data"))
        << figure.note.toStdString();
    data.picked = -1;
    data.fitLike = 0;
    EXPECT_EQ(lossFitFigure(data).figure.table.columns[0].size(), 12);
}

TEST(LossFitFigure, SaysWhatIsMissing) {
    std::vector<SyntheticRun> runs = fitGrid({1, 3});
    runs.resize(5);
    EXPECT_TRUE(lossFitFigure(resultsData(runs)).figure.emptyText.contains("needs at least")) << "too few runs";
    runs = fitGrid({1, 3});
    std::erase_if(runs, [](const SyntheticRun& run) { return run.settings["fraction"] != 1.0; });
    EXPECT_TRUE(lossFitFigure(resultsData(runs)).figure.emptyText.contains("two or more rotated fractions"));
    ResultsOptions speed;
    speed.compare = "tokens_per_second";
    EXPECT_TRUE(lossFitFigure(resultsData(fitGrid({1, 3}), speed)).figure.emptyText.contains("needs a loss"));
}

TEST(LossFitFigure, DivergedRunsAreMarked) {
    std::vector<SyntheticRun> runs = fitGrid({1, 3});
    runs.back().best = std::nan("");
    const Figure figure = lossFitFigure(resultsData(runs)).figure;
    EXPECT_TRUE(figure.note.contains("red: 1 run that diverged or failed")) << figure.note.toStdString();
    EXPECT_TRUE(figure.note.contains("fit of the loss to 23 runs"));
}

}  // namespace
}  // namespace ropelab::ui
