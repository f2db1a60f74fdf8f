#include "ui/figure/figure_caption.h"

#include <gtest/gtest.h>

#include <QJsonArray>

#include "tests/ui/figure/sample_figure.h"

namespace ropelab::ui {
namespace {

TEST(Captions, NameQuantityNoteRunsAndSettings) {
    Figure figure = sampleFigure();
    figure.note = "shaded: mean ± standard deviation over seeds";
    figure.origin.lab = {{"runs", QJsonArray{1, 2, 3}}};
    EXPECT_EQ(
        captionOf(figure),
        "Loss (nats) against iteration. Shaded: mean ± standard deviation over seeds. n = 3 runs. Settings: data = "
        "a ]]> b & \"c\"; theta = 10000.5.");
}

TEST(Captions, NameThePrecisionInWhichTheRunsTrained) {
    Figure figure = sampleFigure();
    figure.settings["precision"] = "auto";
    EXPECT_TRUE(captionOf(figure).contains("precision = auto"));
    figure.origin.lab = {{"precision", QJsonObject{{"bfloat16", 2}}}};
    EXPECT_TRUE(captionOf(figure).endsWith(" Precision: bfloat16."));
    EXPECT_FALSE(captionOf(figure).contains("auto"));
    figure.origin.lab = {{"precision", QJsonObject{{"bfloat16", 2}, {"float32", 1}}}};
    EXPECT_TRUE(captionOf(figure).endsWith(" Precision: bfloat16 (2 runs), float32 (1 run)."));
}

TEST(Captions, OfResultsNameSeedsGroupsAndBaseline) {
    Figure figure;
    figure.x.label = "θ";
    figure.y = {.label = "best validation loss", .unit = "nats"};
    figure.note = "bars: 95 % confidence interval";
    const QJsonObject baseline{{"theta", 10000}};
    const QJsonObject first{{"n", 3}, {"settings", QJsonObject{{"theta", 100}}}, {"baseline", baseline}};
    const QJsonObject second{{"n", 4}, {"settings", baseline}, {"baseline", baseline}};
    figure.settings["results"] =
        QJsonObject{{"groups", QJsonArray{first, second}}, {"baseline", QJsonObject{{"theta", 10000}}}};
    EXPECT_EQ(captionOf(figure),
              "Best validation loss (nats) against θ. Bars: 95 % confidence interval. n = 3 to 4 seeds per setting. "
              "Settings: theta = 100, 10000. Baseline: theta = 10000.");
}

TEST(Captions, OfResultsNameTheBaselineOfEachDataSet) {
    const auto group = [](const char* data, int theta, int baseline) {
        return QJsonObject{{"n", 3},
                           {"settings", QJsonObject{{"data", data}, {"theta", theta}}},
                           {"baseline", QJsonObject{{"data", data}, {"theta", baseline}}}};
    };
    Figure figure;
    figure.y.label = "loss";
    const QJsonObject baseline{{"data", "a"}, {"theta", 100}};
    figure.settings["results"] = QJsonObject{
        {"groups", QJsonArray{group("a", 100, 100), group("a", 500, 100), group("b", 100, 100), group("b", 500, 100)}},
        {"baseline", baseline}};
    EXPECT_TRUE(captionOf(figure).endsWith("Baselines: (data = a; theta = 100), (data = b; theta = 100)."))
        << captionOf(figure).toStdString();
    figure.settings["results"] =
        QJsonObject{{"groups", QJsonArray{group("a", 100, 100), group("b", 100, 100)}}, {"baseline", baseline}};
    EXPECT_FALSE(captionOf(figure).contains("Baseline")) << "nothing is compared";
}

TEST(Captions, OfResultsNameOnlyShownGroupsAndTheirRuns) {
    const auto group = [](int theta, int n, const char* precision) {
        return QJsonObject{{"n", n},
                           {"settings", QJsonObject{{"theta", theta}}},
                           {"chosen_precision", n > 0 ? QJsonObject{{precision, n}} : QJsonObject()}};
    };
    Figure figure;
    figure.y.label = "loss";
    QJsonArray groups{group(100, 0, ""), group(500, 3, "float32"), group(10000, 4, "bfloat16")};
    figure.settings["results"] = QJsonObject{{"groups", groups}};
    figure.origin.lab = {{"precision", QJsonObject{{"float32", 9}}}};
    EXPECT_EQ(captionOf(figure),
              "Loss. n = 3 to 4 seeds per setting. Settings: theta = 100, 500, 10000. Precision: bfloat16 (4 runs), "
              "float32 (3 runs).");
    const int shown[] = {0, 2, 0};
    for (int i = 0; i < 3; ++i) {
        QJsonObject each = groups[i].toObject();
        each["shown"] = shown[i];
        groups[i] = each;
    }
    figure.settings["results"] = QJsonObject{{"groups", groups}, {"counted", "seed pair"}};
    EXPECT_EQ(captionOf(figure), "Loss. n = 2 seed pairs per setting. Settings: theta = 500. Precision: float32.");
}

TEST(Captions, SayThatPointsOfShortBarsAreSmaller) {
    Figure figure = sampleFigure();
    const QString words = "Points are smaller where their bars are short.";
    EXPECT_FALSE(captionOf(figure).contains(words));
    figure.curves.front().bar = Range{1, 2};
    EXPECT_TRUE(captionOf(figure).contains(words)) << captionOf(figure).toStdString();
}

TEST(Captions, SayNoneForAMissingValueAmongSeveral) {
    Figure figure = sampleFigure();
    figure.settings = {{"frequencies", QJsonArray{"", "a.txt"}}};
    EXPECT_TRUE(captionOf(figure).endsWith("Settings: frequencies = none, a.txt.")) << captionOf(figure).toStdString();
}

TEST(Captions, OfARotaryFigureNameTheSetup) {
    Figure figure;
    figure.x.label = "distance";
    figure.y.label = "B(m)";
    figure.settings["setup"] = "theta=10k head_dim=64";
    EXPECT_EQ(captionOf(figure), "B(m) against distance. Setup: theta=10k head_dim=64.");
    figure.note = "head 4 of 8, counted from 1";
    figure.origin.flags = {{"figure", "encodings"}, {"head", "3"}, {"layer", "0"}, {"distances", "0"}};
    EXPECT_EQ(captionOf(figure), "B(m) against distance. Head 4 of 8, counted from 1. Setup: theta=10k head_dim=64.");
    figure.origin.flags["distances"] = "40";
    figure.origin.lab = {{"runs", QJsonArray{1}}};
    EXPECT_TRUE(captionOf(figure).endsWith("Distances = 40; layer = 0.")) << captionOf(figure).toStdString();
}

TEST(Captions, OfADrawingAreItsSummary) {
    Figure figure;
    figure.summary = "Eight dials.";
    figure.drawing = [](QPainter&, const QRectF&, const FigureStyle&) {};
    EXPECT_EQ(captionOf(figure), "Eight dials.");
    Figure both;
    both.panels = {figure, figure};
    both.summary = "A: θ = 10k. Eight dials. B: θ = 500. Four dials.";
    both.settings = {{"setup", "theta=10k | B: theta=500"}, {"compared", "A: θ = 10k; B: θ = 500"}};
    both.note = "A: θ = 10k · B: θ = 500";  // which the summary says
    EXPECT_EQ(captionOf(both), "A: θ = 10k. Eight dials. B: θ = 500. Four dials. Setups: A: theta=10k | B: theta=500.");
}

TEST(Captions, OfAMapNameItsValues) {
    Figure figure;
    figure.x.label = "pair";
    figure.y.label = "layer";
    FigureMap map;
    map.label = "logit contribution";
    map.unit = "%";
    figure.map = map;
    EXPECT_EQ(captionOf(figure), "Logit contribution (%) by pair and layer.");
    figure.map->label = "key norm by frequency";
    figure.map->unit.clear();
    figure.x.label = "pair, fastest first";
    EXPECT_EQ(captionOf(figure), "Key norm by frequency, by pair (fastest first) and layer.");
    figure.map->label = "value norm by pair";
    figure.x.label = "pair";
    EXPECT_EQ(captionOf(figure), "Value norm by pair and layer.");
    figure.map->classes = {"hidden", "attended"};
    EXPECT_EQ(captionOf(figure), "Hidden / attended, by pair and layer.");
}

TEST(Captions, OfPanelsNameEachQuantityOnce) {
    Figure loss;
    loss.x.label = "step";
    loss.y.label = "loss";
    loss.curves.emplace_back();
    Figure map = loss;
    map.map.emplace();
    map.map->label = "weight";
    Figure empty;
    empty.y.label = "nothing";
    Figure figure;
    figure.panels = {loss, map, loss, empty};
    EXPECT_EQ(captionOf(figure), "Loss against step; weight by step and loss.");
}

TEST(Captions, NotesBeginWithACapitalAndTwoModelsHaveTheirSettings) {
    Figure figure;
    figure.summary = "Two models.";
    figure.drawing = [](QPainter&, const QRectF&, const FigureStyle&) {};
    figure.note = "a head that is built; k = q";
    figure.settings = {
        {"settings", "bias=true"}, {"settings B", "block=llama"}, {"vocabulary", 29}, {"vocabulary B", 29}};
    EXPECT_EQ(captionOf(figure),
              "Two models. A head that is built. k = q. Settings of the first model: bias=true. Settings of the second "
              "model: block=llama. Both: vocabulary = 29.");
}

}  // namespace
}  // namespace ropelab::ui
