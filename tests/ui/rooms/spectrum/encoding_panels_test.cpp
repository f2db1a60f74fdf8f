#include "ui/rooms/spectrum/spectrum_figures.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/rope/encodings.h"
#include "core/rope/logit.h"
#include "ui/figure/export/export.h"

namespace ropelab::ui {
namespace {

const RotarySetup kPanelSetup = {.head_dim = 16, .theta = 500, .context = 300, .heads = 4};

const Figure& panelOf(const Figure& figure, const QString& title) {
    const auto found = std::find_if(figure.panels.begin(), figure.panels.end(),
                                    [&](const Figure& panel) { return panel.panelTitle.startsWith(title); });
    EXPECT_NE(found, figure.panels.end()) << title.toStdString();
    return found == figure.panels.end() ? figure.panels.front() : *found;
}

TEST(EncodingPanels, ShowAllEncodingsAtTheSameDistances) {
    const Figure figure = encodingsFigure(kPanelSetup, {.head = 2});
    EXPECT_EQ(figure.panels.size(), 12U);
    for (const Figure& panel : figure.panels) {
        EXPECT_EQ(panel.x.title(), "distance (tokens)");
        EXPECT_EQ(panel.x.maximum, 298) << "every second distance, at most 256 of them";
        EXPECT_FALSE(panel.summary.isEmpty());
        if (panel.y.unit != "nats") continue;
        EXPECT_EQ(panel.y.minimum, panelOf(figure, "RoPE: ").y.minimum) << panel.panelTitle.toStdString();
        EXPECT_EQ(panel.y.maximum, panelOf(figure, "RoPE: ").y.maximum);
    }
    EXPECT_EQ(encodingDistances(kPanelSetup, {.distances = 5}), (std::vector<std::int64_t>{0, 1, 2, 3, 4}));
    EXPECT_EQ(encodingDistances(kPanelSetup, {}).size(), 150U);
}

TEST(EncodingPanels, CurvesAreThoseOfTheFormulas) {
    const Figure figure = encodingsFigure(kPanelSetup, {.head = 3, .distances = 40});
    const std::vector<double> ones(16, 1.0);
    const Frequencies now = frequencies(frequency_settings(kPanelSetup));
    const auto logit = [&](std::int64_t distance) {
        return split_logit(ones, ones, distance, 0, now, Partial::slice, Pairing::half).total;
    };
    const double slope = alibi_slopes(4)[2];
    for (const int distance : {0, 1, 17, 39}) {
        EXPECT_EQ(panelOf(figure, "No encoding").curves.front().y[distance], 0);
        EXPECT_NEAR(panelOf(figure, "RoPE: ").curves.front().y[distance], logit(distance) - logit(0), 1e-9);
        EXPECT_DOUBLE_EQ(panelOf(figure, "ALiBi").curves.front().y[distance], -slope * distance);
        double decayed = 0;
        for (std::size_t pair = 0; pair < 8; ++pair) {
            const double zeta = (static_cast<double>(pair) / 8 + 0.4) / 1.4;
            decayed += std::pow(zeta, distance / 512.0) * std::cos(distance * now.inverse_frequencies[pair]) - 1;
        }
        EXPECT_NEAR(panelOf(figure, "xPos").curves.front().y[distance], decayed / 2, 1e-9);
        double similarity = 0;
        for (std::size_t channel = 0; channel < 64; ++channel) {
            similarity += sinusoidal_embedding(static_cast<std::size_t>(distance) + 7, channel, 64) *
                          sinusoidal_embedding(7, channel, 64);
        }
        EXPECT_NEAR(panelOf(figure, "Sinusoidal").curves.front().y[distance], similarity / 32, 1e-9);
    }
}

TEST(EncodingPanels, LearnedEncodingsShowTheirStructureBeforeTraining) {
    const Figure figure = encodingsFigure(kPanelSetup, {.distances = 200});
    const Figure t5 = panelOf(figure, "T5");
    EXPECT_EQ(t5.y.title(), "bucket");
    EXPECT_TRUE(t5.note.startsWith("before training")) << t5.note.toStdString();
    const std::vector<int> buckets = t5_buckets(200, 32, 128);
    for (const int distance : {0, 15, 16, 40, 199}) {
        EXPECT_EQ(t5.curves.front().y[distance], buckets[static_cast<std::size_t>(distance)]) << distance;
    }
    const Figure kerple = panelOf(encodingsFigure(kPanelSetup, {.head = 2, .distances = 200}), "KERPLE");
    EXPECT_EQ(kerple.note, "before training: head 2 of 4");
    EXPECT_DOUBLE_EQ(kerple.curves.front().y[8], -0.75 * std::log(1 + 0.375 * 8));
    const Figure shaw = panelOf(figure, "Shaw");
    EXPECT_EQ(shaw.curves.front().y[16], 16);
    EXPECT_EQ(shaw.curves.front().y[199], 16);
    for (const char* title : {"Learned", "Transformer-XL", "CoPE"}) {
        EXPECT_TRUE(panelOf(figure, title).curves.empty()) << title;
        EXPECT_TRUE(panelOf(figure, title).emptyText.startsWith("Before training")) << title;
    }
}

TEST(EncodingPanels, LearnedEncodingsShowTheRun) {
    LearnedPanels learned;
    learned["t5"] = {7, "run 7", {LearnedEncoding::Kind::change, {0, 0.5, -0.25}}};
    learned["shaw"] = {8, "run 8", {LearnedEncoding::Kind::deviation, {0.1, 0.2, 0.3}}};
    learned["learned"] = {9, "run 9", {LearnedEncoding::Kind::similarity, {1, 0.5, 0.25}}};
    const Figure figure = encodingsFigure(kPanelSetup, {.distances = 3}, learned);
    EXPECT_EQ(panelOf(figure, "T5").curves.front().y, QList<double>({0, 0.5, -0.25}));
    EXPECT_EQ(panelOf(figure, "T5").note, "trained: run 7, head 1");
    EXPECT_EQ(panelOf(figure, "Shaw").y.title(), "standard deviation (nats)");
    EXPECT_EQ(panelOf(figure, "Shaw").y.minimum, 0) << "it is no change, whose axis the other panels have";
    EXPECT_EQ(panelOf(figure, "Shaw").note, "trained: run 8, layer 0");
    EXPECT_EQ(panelOf(figure, "Learned").y.title(), "cosine similarity");
    EXPECT_EQ(runsOf(learned), (std::vector<std::int64_t>{9, 8, 7}));
    EXPECT_TRUE(figureCsv(figure).contains("run 8"));
}

TEST(EncodingPanels, EveryLearnedEncodingHasAPanel) {
    for (const PositionEncoding& encoding : position_encodings()) {
        // The embeddings beside RoPE are those of the encoding "learned".
        if (!encoding.is_learned() || encoding.choice.value == Position::learned_rope) continue;
        LearnedPanels learned;
        learned[std::string(encoding.choice.word)] = {7, "run 7", {LearnedEncoding::Kind::change, {0, 0.5, -0.25}}};
        const Figure figure = encodingsFigure(kPanelSetup, {.distances = 3}, learned);
        const auto shown = std::count_if(figure.panels.begin(), figure.panels.end(),
                                         [](const Figure& panel) { return panel.note.startsWith("trained: run 7"); });
        EXPECT_EQ(shown, 1) << encoding.choice.word;
    }
}

TEST(EncodingPanels, TheLargestSetupIsComputedForASmallerWidth) {
    const Figure figure = encodingsFigure({.head_dim = 4096, .context = 1000000, .heads = 65536}, {.distances = 16});
    EXPECT_EQ(panelOf(figure, "Sinusoidal").note, "for 32,768 embedding channels");
    EXPECT_EQ(panelOf(encodingsFigure(kPanelSetup, {}), "Sinusoidal").note, "");
}

TEST(EncodingPanels, LowChangesAreCutForAllPanels) {
    const Figure figure = encodingsFigure({.head_dim = 16, .context = 4096, .heads = 4}, {.head = 1});
    EXPECT_EQ(panelOf(figure, "ALiBi").y.minimum, kLeastChange);
    EXPECT_LT(panelOf(figure, "ALiBi").curves.front().y.last(), -1000);
    EXPECT_EQ(figure.settings["head"].toInt(), 1);
    // A head that the setup lacks is its last one.
    const Figure last = encodingsFigure(kPanelSetup, {.head = 9});
    // A page leaves out the panels without numbers, so the note names them.
    EXPECT_TRUE(
        last.note.startsWith("head 4 of 4, counted from 1; not shown, because they are learned and no run of the lab "
                             "has learned them: Learned, T5, "))
        << last.note.toStdString();
    EXPECT_EQ(panelOf(last, "ALiBi").note, "head 4 of 4");
    EXPECT_EQ(panelOf(figure, "ALiBi").note, "head 1 of 4; the axis ends at −16 nats");
}

TEST(ReachFigure, ShowsTheReceptiveFieldOfEachLayer) {
    RotarySetup setup = kPanelSetup;
    setup.attention_window = 20;
    const Figure figure = reachFigure(setup, {.layers = 4});
    ASSERT_EQ(figure.map->rows, 5);
    const std::vector<std::int64_t> fields = {77, 58, 39, 20, 1};
    for (int row = 0; row < 5; ++row) {
        qsizetype visible = 0;
        for (int column = 0; column < figure.map->columns; ++column) {
            visible += figure.map->values[row * figure.map->columns + column] == kVisible ? 1 : 0;
        }
        EXPECT_EQ(visible, (fields[static_cast<std::size_t>(row)] + 1) / 2) << row << ", in steps of 2 tokens";
        EXPECT_EQ(figure.table.columns[1][row], static_cast<double>(fields[static_cast<std::size_t>(row)]));
    }
    EXPECT_TRUE(figure.summary.contains("77 of the 300 tokens of the context")) << figure.summary.toStdString();
    EXPECT_EQ(figure.map->columns, 150) << "the whole context";
    EXPECT_EQ(figure.y.categories, (QStringList{"embeddings", "1", "2", "3", "4"}));
    setup.context = 1 << 20;
    EXPECT_LT(reachFigure(setup, {.layers = 4}).map->columns, 100) << "the reach is no thin line";
    setup.context = 300;
    // A layer that attends to the whole context reaches all tokens.
    EXPECT_EQ(reachFigure(setup, {.layers = 4, .attention_layers = "3 window + 1 full"}).table.columns[1].first(), 300);
    EXPECT_EQ(reachFigure(setup, {.layers = 4, .attention_layers = "1 full + 3 window"}).table.columns[1],
              QList<double>({300, 58, 39, 20, 1}));
    EXPECT_EQ(reachFigure(setup, {.layers = 2, .attention_layers = "1 window + 1 deltanet"}).table.columns[1].first(),
              300);
    EXPECT_EQ(reachFigure(setup, {.layers = 4, .attention_layers = "3 window + 1 full"}).note,
              "4 layers: 3 with a sliding window of 20 tokens, 1 with the whole context, pattern 3 "
              "window + 1 full");
    EXPECT_EQ(figure.note, "4 layers with a sliding window of 20 tokens");
    setup.attention_window = 0;
    EXPECT_EQ(reachFigure(setup, {.layers = 4, .attention_layers = "3 window + 1 full"}).note,
              "4 layers with the whole context")
        << "as it is drawn";
    EXPECT_EQ(reachFigure(setup, {.layers = 1}).table.columns[1], QList<double>({300, 1}));
}

}  // namespace
}  // namespace ropelab::ui
