// The pages Tokens and Circuit of the rotation room.
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QSpinBox>
#include <QToolButton>
#include <QUndoStack>
#include <cmath>
#include <numbers>

#include "core/data/corpus.h"
#include "core/rope/attention/circuit.h"
#include "core/run/checkpoint.h"
#include "core/study/head_vectors.h"
#include "tests/ui/support/workbench.h"
#include "ui/controls/number_slider.h"
#include "ui/figure/figure_style.h"
#include "ui/figure/ticks.h"
#include "ui/plot/figure_view.h"
#include "ui/rooms/rotation/circuit_page.h"
#include "ui/rooms/rotation/figures/scene_figures.h"
#include "ui/rooms/rotation/rotation_room.h"

namespace ropelab::ui {
namespace {

RotationScene sceneFor(const char* setup, const char* text) {
    RotationScene scene = standardScene(parse_setup(setup));
    scene.state.text = text;
    return scene;
}

TEST(TokenFigure, WordsOrCharactersAreTokens) {
    EXPECT_EQ(tokensOf("  the cat\n sat ", 12), (QStringList{"the", "cat", "sat"}));
    EXPECT_EQ(tokensOf("caf\u00e9", 12), (QStringList{"c", "a", "f", "\u00e9"}));
    EXPECT_EQ(tokensOf("a b c d", 2), (QStringList{"a", "b"}));
    EXPECT_TRUE(tokensOf("  ", 12).isEmpty());
}

TEST(TokenFigure, EachPairIsRotatedByItsPositionTimesItsFrequency) {
    RotationScene scene = sceneFor("theta=100 head_dim=8", "to be or not to be");
    scene.state.m = 7;
    const Figure figure = tokenFigure(scene);
    const auto& columns = figure.table.columns;
    ASSERT_EQ(columns[0].size(), 6 * 4);
    const QStringList& words = figure.table.words.front().second;
    for (qsizetype row = 0; row < columns[0].size(); ++row) {
        EXPECT_EQ(columns[0][row], static_cast<double>(7 + row / 4));
        const double frequency = std::pow(100.0, -2.0 * static_cast<double>(row % 4) / 8);
        EXPECT_NEAR(columns[2][row], frequency, 1e-12);
        const double turned = columns[3][row] + columns[0][row] * frequency * 180 / std::numbers::pi;
        EXPECT_NEAR(std::remainder(turned - columns[5][row], 360.0), 0, 1e-9) << row;
    }
    // The same word has the same query before rotation: "to" and "be" occur twice.
    for (int pair = 0; pair < 4; ++pair) EXPECT_EQ(columns[3][pair], columns[3][16 + pair]) << words[16].toStdString();
    EXPECT_NE(columns[3][0], columns[3][4]);
    EXPECT_TRUE(figure.summary.endsWith('.'));
}

TEST(TokenFigure, RowsOfTheGridFindTheirPairs) {
    RotationScene scene = sceneFor("head_dim=64", "a b c");
    scene.state.highlighted = 17;
    const FigureStyle style = FigureStyle::screen(Theme::light(), 1);
    const TokenGrid grid = tokenGridOf(scene, QRectF(10, 10, 500, 260), style);
    ASSERT_GT(grid.pairs.size(), 2);
    EXPECT_TRUE(grid.pairs.contains(17)) << "the enlarged pair is always shown";
    for (int row = 0; row < grid.pairs.size(); ++row)
        EXPECT_EQ(grid.pairAt(grid.cellOf(1, row).center()), grid.pairs[row]);
    EXPECT_FALSE(grid.pairAt({12, 12}));
    scene.state.text.clear();
    EXPECT_FALSE(tokenFigure(scene).emptyText.isEmpty());
}

TEST(CircuitFigure, ShowsTheAttentionOfTheCore) {
    RotationScene scene = sceneFor("theta=10k head_dim=32", "one two three four five");
    scene.buildHead(1);
    const auto logits = circuit_logits(scene.state.query, scene.state.key, scene.frequencies, scene.setup.partial,
                                       scene.setup.pairing, 5);
    const auto weights = circuit_attention(logits, 5);
    const Figure figure = circuitFigure(scene);
    ASSERT_TRUE(figure.map);
    for (int query = 0; query < 5; ++query) {
        for (int key = 0; key < 5; ++key) {
            const float value = figure.map->values[query * 5 + key];
            if (key > query) {
                EXPECT_TRUE(std::isnan(value));
            } else {
                EXPECT_FLOAT_EQ(value, static_cast<float>(weights[static_cast<std::size_t>(query * 5 + key)]));
            }
        }
    }
    const CircuitReadout readout = circuitReadout(scene);
    EXPECT_EQ(readout.peak, 1);
    EXPECT_EQ(readout.target, 1);
    EXPECT_NEAR(readout.share, circuit_attention_by_distance(logits, 5)[1], 1e-12);
    EXPECT_TRUE(circuitText(scene).contains(readableNumber(100 * readout.share)));
    const Figure distance = circuitDistanceFigure(scene);
    ASSERT_EQ(distance.curves.size(), 1U);
    EXPECT_NEAR(distance.curves[0].y[1], readout.share, 1e-12);
    EXPECT_TRUE(circuitText(sceneFor("fraction=0", "a b")).contains("No pair is rotated"));
    scene.state.text = "x";
    EXPECT_FALSE(circuitFigure(scene).emptyText.isEmpty());
}

TEST(CircuitScene, NormsAndPhasesArePairByPair) {
    RotationScene scene = sceneFor("theta=10k head_dim=16", "a b");
    scene.setPair(3, 2.5, -1.25);
    EXPECT_NEAR(scene.pairNorm(3), 2.5, 1e-12);
    EXPECT_NEAR(scene.term(3).phase, -1.25, 1e-12);
    EXPECT_EQ(scene.state.source, VectorSource::handEdited);
    scene.buildHead(3);
    EXPECT_EQ(scene.state.source, VectorSource::aimed);
    for (int pair = 0; pair < 8; ++pair) {
        EXPECT_NEAR(scene.pairNorm(pair), RotationScene::kHeadNorm, 1e-9);
        const double expected = std::remainder(-3 * scene.frequency(pair), 2 * std::numbers::pi);
        EXPECT_NEAR(scene.term(pair).phase, expected, 1e-9);
    }
    scene.scaleNorms(2);
    EXPECT_NEAR(scene.largestNorm(), 2, 1e-12);
    EXPECT_EQ(circuitReadout(scene).peak, 3);
}

class CircuitRoom : public Workbench {
 protected:
    void SetUp() override {
        Workbench::SetUp();
        workspace = std::make_unique<Workspace>(options());
        room = std::make_unique<RotationRoom>(workspace->rotary(), workspace->runAccess());
        room->resize(900, 640);
        room->show();
        ASSERT_TRUE(QTest::qWaitForWindowExposed(room.get()));
        room->showPart("circuit");
        room->refreshNow();
    }
    /// Trains two runs and writes a checkpoint file for the first of them.
    RunView trainedRun() {
        workspace->experiment().replace(smallSweep());
        workspace->start();
        EXPECT_TRUE(waitForEnd(*workspace));
        const RunView run = workspace->runs().runs().front();
        Checkpoint checkpoint;
        checkpoint.spec = run.spec;
        checkpoint.iteration = run.spec.iterations;
        checkpoint.vocabulary = open_corpus(run.spec, {})->vocabulary.to_text();
        checkpoint.state = {{"model.step", {1}, {1.0F}}};
        write_checkpoint(workspace->lab().file()->checkpoint_path(run.record.id), checkpoint);
        return run;
    }

    std::unique_ptr<Workspace> workspace;
    std::unique_ptr<RotationRoom> room;
};

TEST_F(CircuitRoom, ButtonsBuildHeadsThatCanBeUndone) {
    CircuitPage* page = room->circuitPage();
    const RotationState before = room->scene().state;
    page->headButton(1)->click();
    room->refreshNow();
    EXPECT_TRUE(page->sentence()->text().contains("at the distance Δ = 1.")) << page->sentence()->text().toStdString();
    EXPECT_EQ(room->figure().name, "circuit-attention");
    page->headButton(3)->click();
    room->refreshNow();
    EXPECT_TRUE(page->sentence()->text().contains("at the distance Δ = 3.")) << page->sentence()->text().toStdString();
    page->headButton(0)->click();
    room->refreshNow();
    EXPECT_EQ(circuitReadout(room->scene()).peak, 0);
    for (int i = 0; i < 3; ++i) workspace->rotaryUndo().undo();
    EXPECT_EQ(room->scene().state.query, before.query);
    EXPECT_EQ(room->scene().state.key, before.key);
}

TEST_F(CircuitRoom, FieldsSetNormAndPhaseOfThePickedPair) {
    workspace->rotary().pickPair(5);
    room->refreshNow();
    CircuitPage* page = room->circuitPage();
    page->form().field<NumberSlider>("norm")->commit("3");
    room->refreshNow();
    page->form().field<NumberSlider>("phase")->commit("-90");
    room->refreshNow();
    EXPECT_NEAR(room->scene().pairNorm(5), 3, 1e-9);
    EXPECT_NEAR(room->scene().term(5).phase, -std::numbers::pi / 2, 1e-9);
    EXPECT_NEAR(page->form().field<NumberSlider>("phase")->value(), -90, 1e-9);
    page->form().field<NumberSlider>("scale")->commit("6");
    room->refreshNow();
    EXPECT_NEAR(room->scene().largestNorm(), 6, 1e-9);
    page->form().field<NumberSlider>("norm")->commit("100");
    EXPECT_FALSE(page->form().field<NumberSlider>("norm")->error().isEmpty());
}

TEST_F(CircuitRoom, TypedTextIsShownOnBothPages) {
    QLineEdit* field = room->circuitPage()->textField();
    field->setFocus();
    field->selectAll();
    QTest::keyClicks(field, "rope rotates");
    room->refreshNow();
    EXPECT_EQ(room->circuitView()->figure().map->columns, 2);
    room->showPart("tokens");
    room->refreshNow();
    EXPECT_EQ(room->tokensField()->text(), "rope rotates");
    EXPECT_EQ(room->tokensView()->figure().table.words.front().second.first(), "rope");
    EXPECT_EQ(room->figure().name, "token-rotation");
    workspace->rotaryUndo().undo();
    room->refreshNow();
    EXPECT_TRUE(room->tokensField()->text().startsWith("Enhanced"));
}

TEST_F(CircuitRoom, ClickOnARowPicksItsPair) {
    room->showPart("tokens");
    room->refreshNow();
    FigureView* view = room->tokensView();
    const TokenGrid grid = tokenGridOf(room->scene(), view->canvasRect(), view->style());
    ASSERT_FALSE(grid.pairs.isEmpty());
    emit view->clicked(grid.cellOf(0, 0).center());
    EXPECT_EQ(workspace->rotary().pickedPair(), grid.pairs.first());
}

TEST_F(CircuitRoom, HeadInATrainedModelShowsBothLosses) {
    CircuitPage* page = room->circuitPage();
    EXPECT_FALSE(page->runs()->measureButton()->isEnabled());
    const RunView run = trainedRun();
    ASSERT_TRUE(waitUntil([&] { return page->runs()->measureButton()->isEnabled(); }));
    page->headButton(1)->click();
    room->refreshNow();
    page->runs()->layer()->setValue(static_cast<int>(run.spec.layers));
    EXPECT_EQ(page->runs()->layer()->value(), run.spec.layers - 1);
    page->runs()->measure();
    ASSERT_TRUE(waitUntil([&] { return !page->runs()->isWorking(); }));
    // The losses of the substitute engine.
    EXPECT_TRUE(waitUntil([&] { return page->runs()->text()->text().contains("from 1.5000 to 1.7500"); }))
        << page->runs()->text()->text().toStdString();
    EXPECT_EQ(room->scene().setup.theta, run.spec.theta) << "the settings of RoPE are those of the run";
    EXPECT_EQ(room->scene().setup.head_dim, run.spec.head_dim());
    room->refreshNow();
    EXPECT_TRUE(page->runs()->text()->text().contains("1.7500")) << "the result stays while the head stays";
    page->headButton(3)->click();
    room->refreshNow();
    EXPECT_FALSE(page->runs()->text()->text().contains("1.7500"));
    workspace->rotaryUndo().undo();
    workspace->rotaryUndo().undo();
    room->refreshNow();
    EXPECT_NE(room->scene().setup.theta, run.spec.theta) << "settings and head are one undo step";
}

TEST_F(CircuitRoom, FindsTheMostSimilarTrainedHead) {
    engine.probes_spectra = true;
    CircuitPage* page = room->circuitPage();
    trainedRun();
    ASSERT_TRUE(waitUntil([&] { return page->runs()->findButton()->isEnabled(); }));
    page->headButton(0)->click();
    room->refreshNow();
    page->runs()->find();
    ASSERT_TRUE(page->runs()->similar()) << page->runs()->text()->text().toStdString();
    const TrainedHead& found = *page->runs()->similar();
    std::vector<double> trained(found.trained.begin(), found.trained.end());
    std::vector<double> built(found.built.begin(), found.built.end());
    EXPECT_NEAR(found.similarity, cosine_similarity(trained, built), 1e-9);
    EXPECT_GT(found.similarity, 0.7) << "the attention of the substitute engine falls as 1/(1 + distance)";
    EXPECT_TRUE(page->runs()->text()->text().contains("cosine similarity"));
    room->refreshNow();
    EXPECT_EQ(room->circuitDistanceView()->figure().curves.size(), 2U);
    page->headButton(3)->click();
    room->refreshNow();
    EXPECT_FALSE(page->runs()->similar());
    EXPECT_EQ(room->circuitDistanceView()->figure().curves.size(), 1U);
}

}  // namespace
}  // namespace ropelab::ui
