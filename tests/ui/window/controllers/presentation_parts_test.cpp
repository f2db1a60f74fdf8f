// Parts of rooms that a presentation shows alone and large.
#include "core/lecture/lecture.h"
#include "tests/ui/window/presentation_fixture.h"
#include "ui/window/controllers/lecture_controller.h"

namespace ropelab::ui {
namespace {

// The table and the sentences of the Results room tell what a class is to find in its figure.
TEST_F(PresentationTest, AFigureOfResultsIsShownWithoutTheTable) {
    const QString recorded = recordedLab();
    stage().begin();
    stage().setPresenting(true, false);
    stage().showRuns(recorded, nullptr);
    stage().showRoom("results", "group-means");
    const auto visible = [&](const char* name) {
        for (const QWidget* each : window->room().findChildren<QWidget*>()) {
            if (each->accessibleName() == QLatin1String(name)) return each->isVisible();
        }
        ADD_FAILURE() << name;
        return false;
    };
    ASSERT_TRUE(waitUntil([&] { return window->room().figure().name == QStringLiteral("group-means"); }));
    QApplication::processEvents();
    EXPECT_FALSE(visible("Verdict"));
    stage().setPresenting(false, false);
    stage().finishTurns();
    EXPECT_TRUE(visible("Verdict"));
    stage().end();
}

TEST_F(PresentationTest, TheAxesOfALectureAreFixedOnlyWhileItPresents) {
    stage().begin();
    stage().setPresenting(true, false);
    stage().showRoom("spectrum", "frequencies");
    stage().setControl("y_axis", "1 to 50");
    const auto top = [&] {
        window->room().refreshNow();
        return window->room().figure().y.maximum;
    };
    EXPECT_EQ(top(), 50);
    stage().setPresenting(false, false);
    stage().finishTurns();
    EXPECT_NE(top(), 50) << "a paused lecture leaves the figures their own axes";
    stage().setPresenting(true, false);
    EXPECT_EQ(top(), 50);
    stage().end();
    EXPECT_NE(top(), 50);
    stage().setPresenting(false, false);
}

TEST_F(PresentationTest, TheAxesOfInspectAreFixed) {
    const auto lab = shipped_lectures().front().file.parent_path() / "labs" / "three-thetas.ropelab";
    stage().begin();
    stage().setPresenting(true, false);
    stage().showRuns(fromPath(lab), nullptr);
    stage().showRoom("inspect", "logit-contribution");
    stage().setControl("y_axis", "0 to 35");
    stage().setControl("x_axis", "-5 to 400");
    const auto axes = [&] {
        window->room().refreshNow();
        return window->room().figure();
    };
    ASSERT_TRUE(waitUntil([&] { return !axes().curves.empty(); }));
    EXPECT_EQ(axes().y.maximum, 35);
    ASSERT_TRUE(axes().x.logarithmic);
    EXPECT_GT(axes().x.minimum, 0) << "a logarithmic axis has no such end";
    stage().setPresenting(false, false);
    stage().finishTurns();
    EXPECT_NE(axes().y.maximum, 35);
    stage().end();
}

TEST_F(PresentationTest, ANamedPartOfTheRotationRoomIsShownAloneAndLarge) {
    window->resize(1280, 800);
    QByteArray lecture = kLecture;
    write(lecture.replace("show: rotation/logit", "show: rotation"));
    present();
    player().goTo(0, -1);
    QApplication::processEvents();
    const auto visibleViews = [this] {
        QList<const FigureView*> result;
        for (const FigureView* view : rotation().findChildren<FigureView*>()) {
            if (view->isVisible()) result << view;
        }
        return result;
    };
    EXPECT_EQ(visibleViews().size(), 3) << "dials, enlarged pair and logit";
    const QSize before = rotation().dialsView()->size();

    const auto viewOf = [this](const QString& part) {
        const RotationRoom& room = rotation();
        const QHash<QString, FigureView*> views = {{"dials", room.dialsView()},   {"pair", room.pairView()},
                                                   {"logit", room.logitView()},   {"helix", room.helixView()},
                                                   {"matrix", room.matrixView()}, {"aim", room.aimView()},
                                                   {"tokens", room.tokensView()}, {"helices", room.helicesView()}};
        return views.value(part);
    };
    for (const char* part : {"dials", "pair", "logit", "helix", "helices", "matrix", "aim", "tokens"}) {
        stage().showRoom("rotation", part);
        QApplication::processEvents();
        EXPECT_EQ(visibleViews(), (QList<const FigureView*>{viewOf(part)})) << part;
        EXPECT_TRUE(rotation().positionBar()->query()->isVisible()) << part;
    }
    stage().showRoom("rotation", "circuit");
    QApplication::processEvents();
    EXPECT_TRUE(rotation().circuitView()->isVisible());
    EXPECT_FALSE(rotation().dialsView()->isVisible());

    stage().showRoom("rotation", "dials");
    QApplication::processEvents();
    const QSize alone = rotation().dialsView()->size();
    EXPECT_GT(alone.width(), 0.97 * before.width()) << "the dials already have the whole width";
    EXPECT_GT(alone.height(), before.height());
    EXPECT_GT(2 * alone.width() * alone.height(), 3 * before.width() * before.height());

    press(Qt::Key_Escape);
    QApplication::processEvents();
    EXPECT_TRUE(rotation().dialsView()->isVisible()) << "the normal window shows the whole room";
    EXPECT_TRUE(rotation().logitView()->isVisible()) << "with the page that the part belongs to";
    EXPECT_TRUE(rotation().pairView()->isVisible());
    stage().showRoom("rotation", "pair");
    EXPECT_TRUE(rotation().dialsView()->isVisible()) << "outside of a presentation, a part is only brought into view";
}

TEST_F(PresentationTest, ANamedPartOfARotaryRoomIsShownAloneAndLarge) {
    window->resize(1280, 720);
    present();
    player().goTo(0, -1);
    const auto shown = [this] {
        QSet<QString> names;
        for (const FigureView* view : window->room().findChildren<FigureView*>()) {
            if (view->isVisible()) names.insert(view->figure().name);
        }
        return names;
    };
    const auto largestFigure = [this] {
        QSize largest;
        for (const FigureView* view : window->room().findChildren<FigureView*>()) {
            if (view->isVisible()) largest = largest.expandedTo(view->size());
        }
        return largest;
    };
    const auto visible = [this](const char* name) {
        for (const QWidget* each : window->room().findChildren<QWidget*>()) {
            if (each->accessibleName() == QLatin1String(name)) return each->isVisible();
        }
        ADD_FAILURE() << name;
        return false;
    };
    const auto show = [this](const char* room, const char* part) {
        stage().showRoom(room, part);
        stage().showControls({}, false);
        QApplication::processEvents();
        window->room().refreshNow();
    };
    show("spectrum", "");
    EXPECT_EQ(shown(), (QSet<QString>{"spectrum", "kernel", "kernel-spectrum"}));
    EXPECT_TRUE(visible("Rotation per token and critical dimension"));
    for (const char* part : {"spectrum", "kernel", "kernel-spectrum", "alibi-bias", "attention-mask"}) {
        show("spectrum", part);
        EXPECT_EQ(shown(), QSet<QString>{part}) << part;
        EXPECT_GT(largestFigure().height(), 0.8 * window->room().height()) << part;
    }
    for (const char* part : {"cosine-table", "sine-table", "table-error"}) {
        show("table", part);
        EXPECT_EQ(shown(), QSet<QString>{part}) << part;
        EXPECT_GT(largestFigure().height(), 0.8 * window->room().height()) << part;
    }
    show("spectrum", "spectrum");
    EXPECT_FALSE(visible("Rotation per token and critical dimension"));
    show("memory", "");
    EXPECT_TRUE(visible("Sizes of the cos/sin table and the KV cache"));
    for (const char* part : {"rope-cache", "kv-cache"}) {
        show("memory", part);
        EXPECT_EQ(shown(), QSet<QString>{part}) << part;
        EXPECT_FALSE(visible("Sizes of the cos/sin table and the KV cache"));
    }
    show("context", "");
    EXPECT_TRUE(visible("Summary of the figure"));
    const QSize before = window->room().picture()->size();
    show("context", "bound");
    EXPECT_EQ(shown(), QSet<QString>{"context-bound"});
    EXPECT_FALSE(visible("Summary of the figure"));
    EXPECT_GT(window->room().picture()->height(), before.height());
    press(Qt::Key_Escape);
    QApplication::processEvents();
    EXPECT_TRUE(visible("Summary of the figure"));
    window->showRoom("spectrum");
    EXPECT_TRUE(visible("Rotation per token and critical dimension"));
    stage().showRoom("spectrum", "kernel");
    EXPECT_EQ(shown(), (QSet<QString>{"spectrum", "kernel", "kernel-spectrum"}))
        << "outside of a presentation, a part is only brought into view";
    window->showRoom("memory");
    EXPECT_TRUE(visible("Sizes of the cos/sin table and the KV cache"));
}

TEST_F(PresentationTest, AllEncodingsSideBySideAreSeen) {
    QByteArray lecture = kLecture;
    write(lecture.replace("show: context/bound", "show: spectrum/encodings").replace("[theta]", "[head, distances]"));
    for (const QSize size : {QSize(1280, 720), QSize(1920, 1080)}) {
        window->setMinimumSize(1, 1);
        window->resize(size);
        QApplication::processEvents();
        present();
        player().goTo(2, 0);
        for (int i = 0; i < 3; ++i) QApplication::processEvents();
        window->room().refreshNow();
        int seen = 0;
        const auto* area = qobject_cast<const QScrollArea*>(window->room().parentWidget()->parentWidget());
        ASSERT_NE(area, nullptr);
        for (const FigureView* view : window->room().findChildren<FigureView*>()) {
            if (!view->isVisible()) continue;
            const QRect place(view->mapTo(area->viewport(), QPoint()), view->size());
            EXPECT_TRUE(area->viewport()->rect().contains(place)) << view->accessibleName().toStdString();
            ++seen;
        }
        EXPECT_EQ(seen, 9) << "those that have a curve before training";
        EXPECT_GE(ThemeManager::instance().scale(), 110);
        window->lectures().end();
    }
}

TEST_F(PresentationTest, TheWholeRoomFollowsAPartAndTheEndOfALecture) {
    QByteArray lecture = kLecture;
    write(lecture.replace("show: context/bound", "show: rotation").replace("rotation/logit", "rotation/dials"));
    present();
    player().goTo(0, -1);
    EXPECT_FALSE(rotation().pairView()->isVisible());
    player().goTo(2, -1);
    EXPECT_TRUE(rotation().pairView()->isVisible());
    EXPECT_TRUE(rotation().logitView()->isVisible());
    player().goTo(0, -1);
    EXPECT_FALSE(rotation().logitView()->isVisible());
    window->showRoom("spectrum");
    endLecture();
    window->showRoom("rotation");
    EXPECT_TRUE(rotation().dialsView()->isVisible());
    EXPECT_TRUE(rotation().pairView()->isVisible());
    EXPECT_TRUE(rotation().logitView()->isVisible());
}

}  // namespace
}  // namespace ropelab::ui
