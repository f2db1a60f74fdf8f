#include "ui/rooms/spectrum/spectrum_room.h"
#include "ui/rooms/spectrum/spectrum_panel.h"

#include <QCheckBox>
#include <QHash>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QToolButton>
#include <QWindow>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/base/error.h"
#include "tests/ui/rotary/room_fixture.h"
#include "ui/controls/number_slider.h"
#include "ui/rooms/spectrum/encodings_page.h"
#include "ui/rotary/figure_views.h"
#include "ui/session/experiment_model.h"
#include "ui/theme/theme_manager.h"

namespace ropelab::ui {
namespace {

class SpectrumRoomTest : public RoomFixture<SpectrumRoom> {
 protected:
    void SetUp() override {
        Workbench::SetUp();
        open({.head_dim = 128, .theta = 10000, .context = 4096}, {900, 700});
    }
    Figure figure() {
        room->refreshNow();
        return room->spectrumView()->figure();
    }
    /// Drags the line at `from` by a distance in pixels, in four steps, as a user does.
    void drag(const QPointF& from, QPoint by) {
        FigureView* view = room->spectrumView();
        QPoint at = inPlot(view, view->pixelOf(from));
        QTest::mousePress(plotOf(view), Qt::LeftButton, {}, at);
        for (int step = 1; step <= 4; ++step) {
            const QPoint to = at + by * step / 4;
            QMouseEvent move(QEvent::MouseMove, to, plotOf(view)->mapToGlobal(to), Qt::NoButton, Qt::LeftButton, {});
            QApplication::sendEvent(plotOf(view), &move);
            room->refreshNow();
        }
        QTest::mouseRelease(plotOf(view), Qt::LeftButton, {}, at + by);
        room->refreshNow();
    }
};

// At 200 % the axes of the main figure were lower than its labels.
TEST_F(SpectrumRoomTest, MainFigureKeepsItsHeightAtALargeScale) {
    ThemeManager& theme = ThemeManager::instance();
    const int before = theme.scale();
    for (const int scale : {100, 200}) {
        theme.setScale(scale);
        EXPECT_GE(room->spectrumView()->minimumHeight(), 240 * scale / 100);
    }
    theme.setScale(before);
}

TEST_F(SpectrumRoomTest, SaysHowFastTheFirstAndTheLastPairRotate) {
    room->refreshNow();
    const auto texts = room->findChildren<QLabel*>();
    EXPECT_TRUE(std::ranges::any_of(texts, [](const QLabel* label) {
        return label->text().startsWith("Pair 0 rotates by 1 rad per token, pair 63 by 1.15×10⁻⁴");
    }));
}

TEST_F(SpectrumRoomTest, DraggingTheContextLineIsOneUndoStep) {
    const int before = workspace->rotaryUndo().count();
    const Range ends{figure().y.minimum, figure().y.maximum};
    const double perPixel = std::log(ends.maximum / ends.minimum) / room->spectrumView()->canvasRect().height();
    drag({5, 4096}, {0, -20});
    const double expected = 4096 * std::exp(20 * perPixel);
    EXPECT_NEAR(static_cast<double>(model().setup().context) / expected, 1, 0.06);
    EXPECT_EQ(workspace->rotaryUndo().count(), before + 1);
    workspace->rotaryUndo().undo();
    EXPECT_EQ(model().setup().context, 4096);
}

TEST_F(SpectrumRoomTest, DraggingTheLongestWavelengthChangesTheta) {
    const double slowest = 2 * std::numbers::pi / model().plain().inverse_frequencies.back();
    drag({5, slowest}, {0, 30});
    EXPECT_LT(model().setup().theta, 9000);
    EXPECT_GT(model().setup().theta, 1000);
    // The dragged line is at the new longest wavelength.
    const double now = 2 * std::numbers::pi / model().plain().inverse_frequencies.back();
    for (const FigureLine& line : figure().horizontalLines) {
        if (line.handle == kThetaHandle) {
            EXPECT_NEAR(line.at / now, 1, 1e-9);
        }
    }
}

// The kernel stayed beside that of the setup before the drag.
TEST_F(SpectrumRoomTest, TheCurvesBeforeADragGoWithIt) {
    figure();
    FigureView* view = room->spectrumView();
    const double slowest = 2 * std::numbers::pi / model().plain().inverse_frequencies.back();
    QWidget* top = view->window();
    const QPoint at = plotOf(view)->mapTo(top, inPlot(view, view->pixelOf({5, slowest})));
    QTest::mousePress(top->windowHandle(), Qt::LeftButton, {}, at);
    for (const int by : {15, 30}) QTest::mouseMove(top->windowHandle(), at + QPoint(0, by));
    room->refreshNow();
    EXPECT_EQ(room->kernelView()->figure().curves.size(), 2U);
    EXPECT_TRUE(room->kernelView()->figure().note.startsWith("grey: before the change; "));
    const std::vector<FigureCurve>& curves = view->figure().curves;
    EXPECT_TRUE(std::any_of(curves.begin(), curves.end(), [](const FigureCurve& each) {
        return each.shape == FigureCurve::Shape::points && each.ink.kind == Ink::Kind::quiet;
    })) << "the points of before could be taken for those of now";
    QTest::mouseRelease(top->windowHandle(), Qt::LeftButton, {}, at + QPoint(0, 30));
    room->refreshNow();
    EXPECT_EQ(room->kernelView()->figure().curves.size(), 1U);
}

TEST_F(SpectrumRoomTest, ACurveThatStaysHasNoGreyCopy) {
    room->refreshNow();
    room->holdAxes([] {}, [] {});
    RotarySetup setup = model().setup();
    for (const double theta : {setup.theta, 2 * setup.theta}) {
        setup.theta = theta;
        setup.attention_window += 64;
        model().change(QStringLiteral("θ"), setup);
        room->refreshNow();
        EXPECT_EQ(room->kernelView()->figure().note.startsWith("grey: before the change"), theta > 10000);
    }
    room->releaseAxes();
}

TEST_F(SpectrumRoomTest, UnrotatedPairsStayOnAFixedAxis) {
    room->fixAxis(1, Range{3, 1e6});
    RotarySetup setup = model().setup();
    QList<double> places;
    for (const double theta : {10.0, 10000.0}) {
        setup.theta = theta;
        setup.fraction = 0.25;
        model().change(QStringLiteral("θ"), setup);
        places << figure().horizontalLines.back().at;
    }
    EXPECT_EQ(places.first(), places.last());
}

TEST_F(SpectrumRoomTest, AxisIsFixedWhileALineIsDragged) {
    FigureView* view = room->spectrumView();
    const double top = figure().y.maximum;
    emit view->lineDragged(kContextHandle, top * 0.99);
    EXPECT_EQ(figure().y.maximum, top);
    emit view->lineDropped(kContextHandle);
    EXPECT_GT(figure().y.maximum, top);
}

TEST_F(SpectrumRoomTest, LinesAreDraggedOnTheFrequencyAxis) {
    room->frequencyChoice()->click();
    EXPECT_EQ(figure().y.title(), "frequency (radians/token)");
    emit room->spectrumView()->lineDragged(kContextHandle, 2 * std::numbers::pi / 512);
    emit room->spectrumView()->lineDropped(kContextHandle);
    EXPECT_EQ(model().setup().context, 512);
}

TEST_F(SpectrumRoomTest, HoverHighlightsAPairAndClickSelectsIt) {
    FigureView* view = room->spectrumView();
    emit view->hovered({12.3, 100});
    EXPECT_EQ(model().highlightedPair(), 12);
    EXPECT_EQ(figure().verticalLines.front().at, 12);
    room->refreshNow();
    EXPECT_EQ(room->kernelSpectrumView()->figure().verticalLines.front().label, "pair 12");
    emit view->left();
    EXPECT_FALSE(model().highlightedPair());
    emit view->clicked({7, 100});
    EXPECT_EQ(model().pickedPair(), 7);
    emit view->keyPressed(Qt::Key_Right, {});
    EXPECT_EQ(model().pickedPair(), 8);
    emit view->keyPressed(Qt::Key_Escape, {});
    EXPECT_FALSE(model().pickedPair());
    // The spectrum of the kernel has pair 0 at its number of periods, 4096/2π.
    emit room->kernelSpectrumView()->clicked({652, 0.5});
    EXPECT_EQ(model().pickedPair(), 0);
}

TEST_F(SpectrumRoomTest, SwitchingSliceAndTruncatePreservesFrequencies) {
    RotarySetup setup = model().setup();
    EXPECT_FALSE(
        room->fields()->useOtherPartial()->isEnabled());  // all channels are rotated: slice and truncate are the same
    setup.fraction = 0.5;
    set(setup);
    room->refreshNow();
    ASSERT_TRUE(room->fields()->useOtherPartial()->isEnabled());
    const Frequencies before = model().frequencies();
    room->fields()->useOtherPartial()->click();
    EXPECT_EQ(model().setup().partial, Partial::truncate);
    EXPECT_NEAR(model().setup().theta / 1e8, 1, 1e-9);
    for (std::size_t i = 0; i < 32; ++i) {
        EXPECT_NEAR(model().frequencies().inverse_frequencies[i] / before.inverse_frequencies[i], 1, 1e-12);
    }
    room->refreshNow();
    room->fields()->useOtherPartial()->click();
    EXPECT_EQ(model().setup().partial, Partial::slice);
    EXPECT_NEAR(model().setup().theta / 10000, 1, 1e-9);
}

TEST_F(SpectrumRoomTest, ComparisonOfSliceAndTruncateIncludesTheScaling) {
    RotarySetup setup = model().setup();
    setup.scaling = {.method = ScalingMethod::yarn, .factor = 4, .original_context = 4096};
    set(setup);
    room->refreshNow();
    EXPECT_TRUE(room->fields()->partialWords()->text().contains(
        "slice and truncate (the two kinds of partial rotation) do not"))
        << room->fields()->partialWords()->text().toStdString();
    setup.fraction = 0.5;
    set(setup);
    room->refreshNow();
    // YaRN's ramp follows the number of periods, so that the same base as without scaling fits.
    EXPECT_TRUE(room->fields()->partialWords()->text().contains("first differ at pair 1."))
        << room->fields()->partialWords()->text().toStdString();
    EXPECT_TRUE(room->fields()->partialWords()->text().contains("the setup's scaled frequencies"))
        << room->fields()->partialWords()->text().toStdString();
    setup.scaling = {.method = ScalingMethod::ntk, .factor = 4};
    set(setup);
    room->refreshNow();
    // NTK-aware scaling depends on d_r (slice) or d (truncate).
    EXPECT_TRUE(room->fields()->partialWords()->text().contains(
        "before scaling; after scaling, the frequencies of the two setups first differ at pair 1"))
        << room->fields()->partialWords()->text().toStdString();
    const Frequencies before = model().frequencies();
    room->fields()->useOtherPartial()->click();
    EXPECT_NE(model().frequencies().inverse_frequencies[1], before.inverse_frequencies[1]);
}

TEST_F(SpectrumRoomTest, ChipsAddScalingsToTheFigure) {
    room->fields()->comparison()->choose(ScalingMethod::ntk, true);
    room->fields()->comparison()->choose(ScalingMethod::longrope,
                                         true);  // LongRoPE has no lists here, so it is not compared
    EXPECT_EQ(room->fields()->comparison()->chosen(), std::vector<ScalingMethod>{ScalingMethod::ntk});
    EXPECT_EQ(figure().name, "scalings");
    EXPECT_EQ(room->fields()->comparison()->slowestText(ScalingMethod::ntk), "×4");
    EXPECT_EQ(room->fields()->comparison()->slowestText(ScalingMethod::longrope), "–");
    EXPECT_EQ(room->fields()->comparison()->slowestText(ScalingMethod::dynamic), "×13");  // 4·4 − 3
    EXPECT_TRUE(room->fields()->comparison()->summary()->text().contains("s² − s + 1 = 13"));
    RotarySetup setup = model().setup();
    setup.scaling = {.method = ScalingMethod::linear, .factor = 8};
    set(setup);
    room->refreshNow();
    EXPECT_EQ(room->fields()->comparison()->slowestText(ScalingMethod::ntk), "×8");
}

TEST_F(SpectrumRoomTest, CheckBoxComparesSliceAndTruncate) {
    RotarySetup setup = model().setup();
    setup.fraction = 0.5;
    set(setup);
    EXPECT_FALSE(figure().table.names.last().contains("truncate"));
    room->fields()->form().setValue("other-partial", true);
    EXPECT_TRUE(figure().table.names.last().contains("truncate"));
}

TEST_F(SpectrumRoomTest, KernelFollowsItsLength) {
    EXPECT_EQ(room->kernelView()->figure().x.maximum, 4095);
    room->fields()->setKernelLength(512);
    room->refreshNow();
    EXPECT_EQ(room->kernelView()->figure().x.maximum, 511);
    EXPECT_EQ(room->kernelSpectrumView()->figure().x.maximum, 256);
    room->fields()->setKernelLength(0);
    room->refreshNow();
    EXPECT_EQ(room->kernelView()->figure().x.maximum, 4095);
}

TEST_F(SpectrumRoomTest, LongKernelIsComputedInTheBackground) {
    room->fields()->setKernelLength(200000);
    EXPECT_TRUE(waitUntil([&] { return room->kernelView()->figure().x.maximum == 199999; }));
    EXPECT_LT(room->kernelView()->figure().curves.front().x.size(), 20000);
}

TEST_F(SpectrumRoomTest, HiddenRoomComputesNothing) {
    room->hide();
    const QString before = room->spectrumView()->figure().note;
    RotarySetup setup = model().setup();
    setup.context = 128;
    set(setup);
    QTest::qWait(50);
    EXPECT_EQ(room->spectrumView()->figure().note, before);
    room->show();
    EXPECT_TRUE(waitUntil([&] { return room->spectrumView()->figure().note != before; }));
}

TEST_F(SpectrumRoomTest, EncodingsPageFollowsTheSetup) {
    const std::unique_ptr<QWidget> panel(room->panel());
    EncodingsPage* page = room->encodings();
    EXPECT_FALSE(page->isVisible());
    room->encodingsTab()->click();
    room->refreshNow();
    EXPECT_TRUE(page->isVisible());
    EXPECT_FALSE(room->spectrumView()->isVisible());
    EXPECT_EQ(room->figure().name, "alibi-bias");
    EXPECT_EQ(page->view()->figure().map->rows, 8);
    EXPECT_TRUE(page->form().field<QCheckBox>("whole-context")->isChecked());
    EXPECT_FALSE(page->form().field<NumberSlider>("window")->isEnabled());

    RotarySetup setup = model().setup();
    setup.heads = 4;
    setup.attention_window = 32;
    set(setup);
    room->refreshNow();
    EXPECT_EQ(page->view()->figure().map->rows, 4);
    EXPECT_EQ(page->form().field<NumberSlider>("heads")->value(), 4);
    EXPECT_EQ(page->form().field<NumberSlider>("window")->value(), 32);
    EXPECT_FALSE(page->form().field<QCheckBox>("whole-context")->isChecked());

    page->choice(EncodingsPage::Picture::mask)->click();
    room->refreshNow();
    EXPECT_EQ(room->figure().name, "attention-mask");
    EXPECT_TRUE(room->figure().note.contains("32"));
    EXPECT_TRUE(page->choice(EncodingsPage::Picture::mask)->toolTip().contains("N = 32 tokens"));
    page->choice(EncodingsPage::Picture::sinusoidal)->click();
    room->refreshNow();
    EXPECT_EQ(room->figure().name, "sinusoidal-embeddings");
    QStringList notes;
    for (const QLabel* label : panel->findChildren<QLabel*>()) notes << label->text();
    EXPECT_TRUE(notes.contains(QString("θ, fraction, “partial” and scaling do not change “Sinusoidal embeddings”.")));
    room->showPart("frequencies");
    room->refreshNow();
    EXPECT_TRUE(room->spectrumView()->isVisible());
    EXPECT_EQ(room->figure().name, "spectrum");
    room->showPart("attention-mask");
    EXPECT_EQ(room->figure().name, "attention-mask");
    EXPECT_THROW(room->showPart("unknown"), BadInput);
}

TEST_F(SpectrumRoomTest, EncodingsAreShownSideBySide) {
    const std::unique_ptr<QWidget> panel(room->panel());
    room->showPart("encodings");
    room->refreshNow();
    EncodingsPage* page = room->encodings();
    const QList<FigureView*>& views = page->grid()->panelViews();
    const Figure figure = room->figure();
    EXPECT_EQ(figure.name, "encodings");
    qsizetype drawn = 0;
    QStringList empty;
    for (const Figure& panel : figure.panels) {
        if (isEmpty(panel)) {
            empty << panel.emptyText;
            continue;
        }
        ASSERT_LT(drawn, views.size());
        EXPECT_TRUE(views[drawn]->isVisible());
        EXPECT_TRUE(views[drawn]->accessibleName().endsWith(panel.panelTitle));
        EXPECT_FALSE(views[drawn]->accessibleDescription().isEmpty()) << drawn;
        ++drawn;
    }
    // Three of twelve panels were placeholders.
    EXPECT_EQ(views.size(), drawn);
    EXPECT_EQ(empty.size(), 3);
    QStringList below;
    for (const QLabel* label : page->grid()->findChildren<QLabel*>()) {
        if (label->isVisible()) below << label->text();
    }
    for (const QString& text : empty) EXPECT_TRUE(below.join(QLatin1Char(' ')).contains(text)) << text.toStdString();
    EXPECT_EQ(room->exportedFigures().size(), 1U) << "the panels are exported as one figure";
    EXPECT_FALSE(page->form().field<NumberSlider>("layers")->isEnabled());
    page->form().field<NumberSlider>("head")->commit("2");
    page->form().field<QCheckBox>("whole-distances")->click();
    room->refreshNow();
    EXPECT_EQ(page->choices(), (EncodingChoices{.head = 2, .distances = 64}));
    EXPECT_EQ(views.first()->figure().x.maximum, 63);
    EXPECT_EQ(room->exportedFigure().origin.flags["head"].toString(), "1") << "flags count from 0";
    room->setControl("distances", "32");
    room->refreshNow();
    EXPECT_EQ(views.last()->figure().x.maximum, 31);
    EXPECT_EQ(room->control("distances").toInt(), 32);
    EXPECT_THROW(room->setControl("head", "0"), BadInput);

    RotarySetup other = model().setup();
    other.theta = 500;
    model().compareWith("compare", {other, {}});
    room->refreshNow();
    EXPECT_EQ(room->figure().panels.size(), figure.panels.size()) << "each panel has the curves of both setups";
    EXPECT_EQ(room->figure().panels[3].curves.size(), 2U);
    model().endComparison();
}

TEST_F(SpectrumRoomTest, AllEncodingsFitALowRoom) {
    room->resize(800, 560);
    room->showPart("encodings");
    room->refreshNow();
    PanelGrid* grid = room->encodings()->grid();
    EXPECT_FALSE(grid->sharedTitles()->isVisible());
    const QSize scrolling = grid->minimumSizeHint();
    room->showOnlyPart("encodings");
    QApplication::processEvents();
    QApplication::processEvents();
    EXPECT_LT(grid->minimumSizeHint().height(), scrolling.height());
    EXPECT_LE(grid->minimumSizeHint().height(), 440);
    EXPECT_TRUE(grid->sharedTitles()->isVisible());
    EXPECT_TRUE(grid->sharedTitles()->text().startsWith("change of the logit (nats) versus distance (tokens)"))
        << grid->sharedTitles()->text().toStdString();
    const QList<FigureView*>& views = grid->panelViews();
    ASSERT_EQ(views.size(), 9);
    for (FigureView* view : views) {
        const QRect place(view->mapTo(room.get(), QPoint()), view->size());
        EXPECT_TRUE(room->rect().contains(place)) << view->accessibleName().toStdString();
        EXPECT_EQ(view->figure().x.title(), "") << "above the panels";
        EXPECT_GE(view->width(), 130);
        EXPECT_GE(view->height(), 100);
    }
    EXPECT_EQ(views[1]->figure().y.title(), "cosine similarity") << "the axis of this panel is another one";
    EXPECT_EQ(views[2]->figure().y.title(), "");
    EXPECT_FALSE(room->figure().panels[3].y.title().isEmpty()) << "exports have all titles";
    room->showOnlyPart("");
    EXPECT_FALSE(grid->sharedTitles()->isVisible());
    EXPECT_EQ(views[2]->figure().y.title(), "change of the logit (nats)");
    EXPECT_EQ(grid->minimumSizeHint().width(), scrolling.width());
}

TEST_F(SpectrumRoomTest, AFigureOfThePageIsShownAlone) {
    const QHash<QString, FigureView*> views = {{"spectrum", room->spectrumView()},
                                               {"kernel", room->kernelView()},
                                               {"kernel-spectrum", room->kernelSpectrumView()}};
    for (const auto& [part, view] : views.asKeyValueRange()) {
        room->showOnlyPart(part);
        for (FigureView* each : views) EXPECT_EQ(each->isVisible(), each == view) << part.toStdString();
        EXPECT_EQ(room->figure().name, part);
        EXPECT_EQ(room->shownPart(), "frequencies");
    }
    room->showOnlyPart("frequencies");
    for (FigureView* each : views) EXPECT_TRUE(each->isVisible());
    room->showOnlyPart("kernel");
    room->showOnlyPart("");
    for (FigureView* each : views) EXPECT_TRUE(each->isVisible());
    room->showPart("frequencies");
    EXPECT_EQ(room->figure().name, "spectrum");
}

TEST_F(SpectrumRoomTest, ReceptiveFieldFollowsItsChoices) {
    const std::unique_ptr<QWidget> panel(room->panel());
    RotarySetup setup = model().setup();
    setup.attention_window = 16;
    set(setup);
    room->showPart("window-reach");
    room->refreshNow();
    EXPECT_EQ(room->figure().name, "window-reach");
    EXPECT_EQ(room->figure().table.columns[1].first(), 12 * 15 + 1);
    EncodingsPage* page = room->encodings();
    EXPECT_FALSE(page->form().field<NumberSlider>("head")->isEnabled());
    page->form().field<NumberSlider>("layers")->commit("4");
    room->refreshNow();
    EXPECT_EQ(room->figure().table.columns[1].first(), 61);
    EXPECT_TRUE(page->choice(EncodingsPage::Picture::reach)->toolTip().contains("R = 61 tokens"));
    room->setControl("full_every", "4");
    room->refreshNow();
    EXPECT_EQ(room->figure().table.columns[1].first(), static_cast<double>(setup.context));
    const auto readout = page->view()->readoutAt({0, 0});
    ASSERT_TRUE(readout);
    EXPECT_EQ(readout->rows.first().value, "can change the output");
    EXPECT_EQ(room->exportedFigure().origin.flags["attention-layers"].toString(), "3 window + 1 full");
    room->setControl("attention_layers", "1 window + 1 deltanet");
    EXPECT_EQ(page->form().field<QLineEdit>("attention")->text(), "1 window + 1 deltanet");
    EXPECT_THROW(room->setControl("attention_layers", "windows"), BadInput);
}

TEST_F(SpectrumRoomTest, ReceptiveFieldUsesATypedPatternOrThatOfTheSweep) {
    ExperimentModel sweep{Experiment("sweep"), nullptr};
    room = std::make_unique<SpectrumRoom>(model(), std::nullopt, &sweep);
    const std::unique_ptr<QWidget> panel(room->panel());
    room->showPart("window-reach");
    EncodingsPage* page = room->encodings();
    page->form().field<QLineEdit>("attention")->setText("3 windows");
    emit page->form().field<QLineEdit>("attention")->editingFinished();
    EXPECT_EQ(page->choices().attention_layers, "auto") << "the text is no pattern";
    page->form().field<QLineEdit>("attention")->setText("3 window + 1 full");
    emit page->form().field<QLineEdit>("attention")->editingFinished();
    EXPECT_EQ(page->choices().attention_layers, "3 window + 1 full");
    Experiment changed("sweep");
    changed.set("layers", {"6"});
    changed.set("attention_window", {"16"});
    changed.set("attention_layers", {"2 window + 1 full", "auto"});
    sweep.replace(changed);
    EXPECT_EQ(page->choices().layers, 12) << "the box is not ticked";
    page->form().field<QCheckBox>("follows")->setChecked(true);
    EXPECT_EQ(page->choices().layers, 6);
    EXPECT_EQ(page->choices().attention_layers, "2 window + 1 full");
    EXPECT_FALSE(page->form().field<QLineEdit>("attention")->isEnabled());
    changed.set("layers", {"9"});
    sweep.replace(changed);
    EXPECT_EQ(page->choices().layers, 9) << "it follows";
    room->setControl("layers", "4");
    EXPECT_FALSE(page->form().field<QCheckBox>("follows")->isChecked());
}

TEST_F(SpectrumRoomTest, HeadsAndAttentionWindowAreSetOnTheEncodingsPage) {
    const std::unique_ptr<QWidget> panel(room->panel());
    room->encodingsTab()->click();
    room->refreshNow();
    EncodingsPage* page = room->encodings();
    const RotarySetup before = model().setup();
    const int steps = workspace->rotaryUndo().count();
    page->form().field<NumberSlider>("heads")->commit("12");
    EXPECT_EQ(model().setup().heads, 12);
    page->form().field<QCheckBox>("whole-context")->click();
    EXPECT_EQ(model().setup().attention_window, 16);
    room->refreshNow();
    page->form().field<NumberSlider>("window")->commit("64");
    EXPECT_EQ(model().setup().attention_window, 64);
    EXPECT_EQ(model().setup().theta, before.theta);
    EXPECT_EQ(workspace->rotaryUndo().count(), steps + 3);
    room->refreshNow();
    page->form().field<QCheckBox>("whole-context")->click();
    EXPECT_EQ(model().setup().attention_window, 0);
    workspace->rotaryUndo().setIndex(steps);
    EXPECT_EQ(model().setup(), before);
}

TEST_F(SpectrumRoomTest, WidgetsHaveAccessibleNames) {
    std::unique_ptr<QWidget> panel(room->panel());
    for (QWidget* parent : {static_cast<QWidget*>(room.get()), panel.get()}) {
        for (const auto* button : parent->findChildren<QAbstractButton*>()) {
            EXPECT_FALSE(button->accessibleName().isEmpty() && button->text().isEmpty());
        }
    }
    for (const FigureView* view : room->views()) {
        EXPECT_FALSE(view->accessibleName().isEmpty());
        // The figure of a page that was never shown is not computed yet.
        if (view->isVisibleTo(room.get())) {
            EXPECT_FALSE(view->accessibleDescription().isEmpty());
        }
    }
}

}  // namespace
}  // namespace ropelab::ui
