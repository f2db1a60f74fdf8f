#include "ui/rooms/train/figures/second_picture.h"

#include <QComboBox>
#include <QLabel>
#include <QPainter>
#include <QSplitter>
#include <QStackedWidget>
#include <QToolButton>

#include "tests/ui/support/drawn_texts.h"
#include "tests/ui/support/workbench.h"
#include "ui/plot/curve_plot.h"
#include "ui/plot/figure_view.h"
#include "ui/rooms/train/figures/live_figures.h"
#include "ui/rooms/train/figures/setting_strips.h"
#include "ui/rooms/train/run_list.h"
#include "ui/rooms/train/train_room.h"
#include "ui/shell/actions.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;
using testing::TextRecorder;

namespace {

class SecondPictureTest : public Workbench {
 protected:
    void SetUp() override {
        Workbench::SetUp();
        engine.probes_spectra = true;
        workspace = std::make_unique<Workspace>(options());
        workspace->experiment().replace(smallSweep(60));
        room = openRoom();
    }
    std::unique_ptr<TrainRoom> openRoom() {
        auto opened = std::make_unique<TrainRoom>(*workspace, workspace->runAccess(), workspace->experiment(),
                                                  workspace->settings());
        opened->resize(900, 640);
        opened->show();
        return opened;
    }
    void train() {
        workspace->start();
        ASSERT_TRUE(waitForEnd(*workspace));
    }
    SecondPicture& second() { return room->second(); }
    const Figure& figure() {
        second().refreshNow();
        return second().picture();
    }
    QString nameOf(RunId run) { return QString::fromStdString(workspace->runs().find(run)->record.name); }

    std::unique_ptr<Workspace> workspace;
    std::unique_ptr<TrainRoom> room;
};

TEST_F(SecondPictureTest, FollowsTrainingWithOneCurvePerSettingInItsColour) {
    engine.step_microseconds = 10000;
    ASSERT_TRUE(second().choose("query-spectrum"));
    workspace->start();
    ASSERT_TRUE(waitUntil([&] { return second().title() == "Measured at step 40 of 60: all settings"; }))
        << second().title().toStdString();
    ASSERT_TRUE(waitForEnd(*workspace));
    ASSERT_TRUE(waitUntil([&] { return second().title() == "Measured at step 60 of 60: all settings"; }));
    const Figure& now = second().picture();  // it followed without a refresh of the test
    ASSERT_EQ(now.curves.size(), 2U);
    for (int i = 0; i < 2; ++i) {
        const FigureCurve& curve = now.curves[static_cast<std::size_t>(i)];
        EXPECT_EQ(curve.ink, workspace->runs().find(i + 1)->ink);
        EXPECT_DOUBLE_EQ(curve.y.front(), 60);
    }
    EXPECT_EQ(second().view().accessibleName(), "Query norm by frequency");
    EXPECT_EQ(second().view().accessibleDescription(), now.summary);
    EXPECT_TRUE(now.summary.contains("step 60 of 60")) << now.summary.toStdString();
}

// On one axis, the 75 % of a setting with one pair flattened the dots of all others.
TEST_F(SecondPictureTest, SpectraHaveAStripPerSettingAndOtherHighPicturesHaveAxes) {
    train();
    ASSERT_TRUE(second().choose("logit-contribution"));
    ASSERT_TRUE(waitUntil([&] { return figure().curves.size() == 2; }));
    const Figure& shown = second().view().figure();
    EXPECT_TRUE(shown.drawing);
    EXPECT_TRUE(shown.curves.empty()) << "the strips are painted instead";
    EXPECT_EQ(shown.summary, figure().summary);
    EXPECT_EQ(figure().curves.front().shape, FigureCurve::Shape::points) << "a line would join few pairs";
    const FigureView& view = second().view();
    emit second().view().hovered(view.canvasRect().topLeft() + QPointF(2, 2));
    const auto* title = second().findChild<QLabel*>();
    ASSERT_NE(title, nullptr);
    EXPECT_TRUE(title->text().contains("wavelength")) << title->text().toStdString();
    emit second().view().left();
    EXPECT_TRUE(title->text().startsWith("Bars: logit contribution")) << title->text().toStdString();
    second().foldButton()->click();
    QTest::qWait(50);
    EXPECT_TRUE(second().view().figure().drawing) << "larger strips";
    EXPECT_TRUE(areSpectra(second().picture()));
    ASSERT_TRUE(second().choose("attention-by-distance"));
    EXPECT_TRUE(waitUntil([&] { return !second().view().figure().drawing; }));
    EXPECT_FALSE(areSpectra(second().picture()));
}

TEST(SettingStrips, TheStepOfTheBarsComesBeforeWhyItIsNotTheCurrentOne) {
    Figure figure;
    figure.x.label = u"wavelength"_s;
    figure.y = {u"logit contribution"_s, u"%"_s};
    figure.note = u"mean over heads; not shown: RoPE 0 %"_s;
    EXPECT_EQ(stripWords(figure, u"Measured at step 1 of 200: all settings; measured less often"_s),
              (QStringList{u"Bars: logit contribution by wavelength"_s, u"measured at step 1 of 200: all settings"_s,
                           u"not shown: RoPE 0 %"_s, u"mean over heads"_s, u"measured less often"_s, u"%"_s,
                           u"scaled to the tallest bar"_s, u"lowest at the left"_s}));
}

TEST(SettingStrips, WhereNotAllFitTheLastPlaceSaysHowManyAreLeftOut) {
    Figure figure;
    for (int i = 0; i < 20; ++i) {
        FigureCurve curve;
        curve.label = u"θ %1"_s.arg(100 * (i + 1));
        curve.x = {1, 2, 3};
        curve.y = {1, 2, 3};
        figure.curves.push_back(std::move(curve));
    }
    const FigureStyle style = FigureStyle::screen(Theme::light(), 1);
    const auto texts = [&](const QRectF& rect) {
        QWidget paper;
        TextRecorder recorder(paper);
        QPainter painter(&recorder);
        stripsOf(figure, {})(painter, rect, style);
        return recorder.texts();
    };
    const QRectF low(0, 0, style.units(400), style.units(56));
    EXPECT_EQ(texts(low).last(), "13 more: Enlarge") << "two rows of four, the last place for the number";
    EXPECT_TRUE(texts(low).contains("θ 700"));
    EXPECT_FALSE(texts(low).contains("θ 800"));
    EXPECT_EQ(stripAt(figure, low, style, {style.units(310), style.units(50)}), "");
    const QRectF high(0, 0, style.units(400), style.units(300));
    EXPECT_TRUE(texts(high).contains("θ 2000"));
    // An enlarged strip names the ends of its axis in one text, so that they cannot cover each other.
    figure.curves.resize(2);
    figure.x.unit = u"tokens"_s;
    figure.y.unit = u"%"_s;
    figure.curves[1].x = {7};
    figure.curves[1].y = {12};
    EXPECT_EQ(texts(high), (QStringList{"θ 100", "tallest bar 3.000 %", "1 … 3 tokens", "θ 200", "tallest bar 12.00 %",
                                        "7 tokens"}));
}

TEST_F(SecondPictureTest, ShowsTheLayersOfThePickedRun) {
    train();
    ASSERT_TRUE(second().choose("logit-contribution"));
    ASSERT_TRUE(waitUntil([&] { return figure().curves.size() == 2; })) << "loaded from the lab";
    room->runList().pick(2);
    ASSERT_TRUE(waitUntil([&] { return figure().map.has_value(); }));
    EXPECT_EQ(second().title(), "Measured at step 60 of 60: " + nameOf(2));
    EXPECT_EQ(figure().map->rows, static_cast<int>(workspace->runs().find(2)->spec.layers));
    room->plot().pickRun(CurvePlot::kNoRun);
    EXPECT_FALSE(figure().map) << "without a picked run, it shows all settings";
    EXPECT_FALSE(second().pickedButton()->isEnabled());
    EXPECT_FALSE(second().pickedButton()->isChecked()) << "it shows all settings";
    room->plot().pickRun(2);
    EXPECT_TRUE(second().pickedButton()->isChecked());
    EXPECT_TRUE(figure().map) << "the same run is picked again";
    second().pickedButton()->click();
    EXPECT_EQ(figure().curves.size(), 2U);
    EXPECT_EQ(second().title(), "Measured at step 60 of 60: all settings");
    EXPECT_FALSE(workspace->settings().value("train/picked_only").toBool());
}

TEST_F(SecondPictureTest, HiddenRunsAreNotShown) {
    train();
    ASSERT_TRUE(second().choose("attention-by-distance"));
    ASSERT_TRUE(waitUntil([&] { return figure().curves.size() == 2; }));
    workspace->runs().setVisible(1, false);
    ASSERT_EQ(figure().curves.size(), 1U);
    EXPECT_EQ(figure().curves.front().ink, workspace->runs().find(2)->ink);
    workspace->runs().setVisible(1, true);
    EXPECT_TRUE(waitUntil([&] { return figure().curves.size() == 2; }));
}

TEST_F(SecondPictureTest, ReopenedLabShowsItsNewestProbes) {
    train();
    const QString path = workspace->lab().path();
    workspace->lab().startEmptyLab();
    workspace->lab().open(path);
    ASSERT_TRUE(second().choose("retrieval-accuracy"));
    ASSERT_TRUE(waitUntil([&] { return figure().curves.size() == 2; }));
    EXPECT_NEAR(figure().curves.front().y.front(), 31, 1e-4);  // stored in single precision
    EXPECT_EQ(second().title(), "Measured at step 60 of 60: all settings");
}

TEST_F(SecondPictureTest, SaysWhenTheFirstProbeFollows) {
    workspace->lab().addSweep(smallSweep(60));  // runs that wait
    ASSERT_TRUE(second().choose("key-spectrum"));
    ASSERT_TRUE(waitUntil([&] { return !second().isBusy(); }));
    EXPECT_TRUE(figure().emptyText.contains("has not started")) << figure().emptyText.toStdString();
}

TEST_F(SecondPictureTest, SaysHowToTurnProbesOn) {
    Experiment experiment = smallSweep(20);
    experiment.set("probe_every", {"0"});
    workspace->experiment().replace(experiment);
    train();
    ASSERT_TRUE(second().choose("logit-contribution"));
    ASSERT_TRUE(waitUntil([&] { return !second().isBusy(); }));
    EXPECT_TRUE(figure().emptyText.contains("set probe_every to 1 under “More settings”"))
        << figure().emptyText.toStdString();
}

TEST_F(SecondPictureTest, ARunWithoutRotationIsNamed) {
    Experiment experiment = smallSweep(20);
    experiment.set("theta", {"10000"});
    experiment.set("fraction", {"0", "1"});
    workspace->experiment().replace(experiment);
    train();
    ASSERT_TRUE(second().choose("logit-contribution"));
    ASSERT_TRUE(waitUntil([&] { return figure().curves.size() == 1; }));
    EXPECT_TRUE(figure().note.contains("not shown:")) << figure().note.toStdString();
    for (const RunView& run : workspace->runs().runs()) {
        room->runList().pick(run.record.id);
        EXPECT_EQ(figure().map.has_value(), run.spec.fraction > 0);
        EXPECT_EQ(figure().emptyText.contains("rotates no pairs"), run.spec.fraction == 0);
    }
}

TEST_F(SecondPictureTest, SeedsOfASettingAreOneCurve) {
    Experiment seeds = smallSweep(20);
    seeds.set("seed", {"1", "2", "3"});
    workspace->experiment().replace(seeds);
    train();
    ASSERT_TRUE(second().choose("query-spectrum"));
    ASSERT_TRUE(waitUntil([&] { return figure().curves.size() == 2; }));
    for (const FigureCurve& curve : figure().curves) EXPECT_EQ(curve.ink.shade, 0) << "the colour of the setting";
    EXPECT_TRUE(waitUntil([&] { return figure().note == "mean over layers and heads, and seeds"; }));
}

TEST_F(SecondPictureTest, GradientNormIsPlottedLive) {
    ASSERT_TRUE(second().choose("gradient-norm"));
    train();
    const CurveId gradient{1, Quantity::gradient_norm};
    EXPECT_EQ(second().gradientPlot().yValues(gradient), room->plot().yValues(gradient));
    EXPECT_EQ(second().gradientPlot().yValues(gradient).size(), 60);
    EXPECT_FALSE(second().gradientPlot().isVisible()) << "a low picture shows strips";
    second().foldButton()->click();
    EXPECT_TRUE(waitUntil([&] { return second().gradientPlot().isVisible(); }));
    second().gradientPlot().pickRun(2);
    EXPECT_EQ(room->runList().picked(), 2);
    EXPECT_EQ(room->plot().pickedRun(), 2);
}

TEST_F(SecondPictureTest, ChoiceAndFoldAreRemembered) {
    train();
    ASSERT_TRUE(second().choose("attention-by-distance"));
    second().foldButton()->click();
    EXPECT_FALSE(second().choose("speed of light"));
    room = openRoom();
    EXPECT_EQ(second().chosen(), "attention-by-distance");
    EXPECT_FALSE(room->plot().isVisible());
    EXPECT_TRUE(second().isVisible());
}

TEST_F(SecondPictureTest, FoldingAPictureGivesItsSpaceToTheOther) {
    train();
    QApplication::processEvents();
    auto* pictures = qobject_cast<QSplitter*>(second().parentWidget());
    ASSERT_NE(pictures, nullptr);
    const QWidget* plot = pictures->widget(0);
    EXPECT_EQ(plot->width(), second().width());
    EXPECT_GT(plot->height(), 3 * second().height()) << "the curves are the main figure";
    const QPoint chooser = second().chooser()->mapTo(room.get(), QPoint());

    second().foldButton()->click();
    QApplication::processEvents();
    EXPECT_FALSE(plot->isVisible());
    EXPECT_EQ(second().height(), pictures->height());
    second().foldButton()->click();

    ASSERT_TRUE(second().choose("nothing"));
    QApplication::processEvents();
    EXPECT_FALSE(second().isVisible());
    EXPECT_EQ(plot->height(), pictures->height());
    EXPECT_EQ(second().chooser()->mapTo(room.get(), QPoint()), chooser) << "the list of choices keeps its place";
}

TEST_F(SecondPictureTest, ALowRoomShowsThePictureThatWasChosenLast) {
    train();
    room->resize(900, 260);
    QApplication::processEvents();
    EXPECT_TRUE(room->plot().isVisible());
    EXPECT_FALSE(second().isVisible());
    ASSERT_TRUE(second().choose("query-spectrum"));
    QApplication::processEvents();
    EXPECT_TRUE(second().isVisible());
    EXPECT_FALSE(room->plot().isVisible());
    second().foldButton()->click();
    room->resize(900, 640);
    QApplication::processEvents();
    EXPECT_TRUE(room->plot().isVisible());
    EXPECT_TRUE(second().isVisible());
}

TEST_F(SecondPictureTest, ExportsThePictureThatWasClickedLast) {
    train();
    ASSERT_TRUE(second().choose("logit-contribution"));
    ASSERT_TRUE(waitUntil([&] { return figure().curves.size() == 2; }));
    EXPECT_EQ(room->figure().name, "training");
    emit second().view().chosen();
    EXPECT_EQ(room->figure().name, "logit-contribution");
    EXPECT_TRUE(room->figure().note.startsWith("Measured at step 60 of 60: all settings"))
        << room->figure().note.toStdString();
    emit room->plot().chosen();
    EXPECT_EQ(room->figure().name, "training");
    second().foldButton()->click();
    EXPECT_EQ(room->figure().name, "logit-contribution") << "the plot is folded";
    ASSERT_TRUE(second().choose("sample"));
    EXPECT_EQ(room->figure().name, "training") << "a sample is no figure";
}

TEST_F(SecondPictureTest, DroppedChoicesAreACurveOverTraining) {
    Experiment experiment = smallSweep(60);
    experiment.set("experts", {"4"});
    experiment.set("expert_capacity", {"1.25"});
    workspace->experiment().replace(experiment);
    train();
    ASSERT_TRUE(second().choose("expert-dropped"));
    ASSERT_TRUE(waitUntil([&] {
        const std::vector<FigureCurve>& curves = figure().curves;
        return curves.size() == 2 && curves.front().x.front() == 0 && curves.front().x.back() == 60;
    })) << "all probes are loaded";
    const FigureCurve curve = figure().curves.front();
    EXPECT_NEAR(curve.y.back(), 6, 1e-4);
    const QString path = workspace->lab().path();
    workspace->lab().startEmptyLab();
    workspace->lab().open(path);
    EXPECT_TRUE(waitUntil([&] { return figure().curves.size() == 2 && figure().curves.front().x == curve.x; }));
    ASSERT_TRUE(second().choose("query-spectrum"));
    ASSERT_TRUE(waitUntil([&] { return figure().curves.size() == 2; }));
    ASSERT_TRUE(second().choose("expert-balance"));
    EXPECT_TRUE(waitUntil([&] { return figure().curves.size() == 2 && figure().curves.front().x == curve.x; }))
        << "earlier snapshots are loaded";
    EXPECT_NEAR(figure().curves.front().y.front(), 1.5, 1e-6);
}

TEST_F(SecondPictureTest, EveryChoiceIsAnAction) {
    QWidget window;
    ActionRegistry registry(&window);
    registry.add({.id = "room.train", .menu = {}, .text = "Train", .handler = [] {}});
    TrainRoom::addActions(registry, *room);
    train();
    for (const LiveFigure& choice : liveFigures()) {
        registry.action(QStringLiteral("plot.second.") + choice.name)->trigger();
        EXPECT_EQ(second().chosen(), choice.name);
    }
    registry.refresh();
    EXPECT_TRUE(registry.action("plot.curves")->isChecked());
    registry.action("plot.curves")->trigger();
    registry.refresh();
    EXPECT_FALSE(registry.action("plot.curves")->isChecked());
    EXPECT_FALSE(registry.action("plot.log")->isEnabled()) << "the plot is folded";
}

}  // namespace
}  // namespace ropelab::ui
