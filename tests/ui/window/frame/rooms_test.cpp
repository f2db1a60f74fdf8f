// Tests of all rotary rooms together, in the main window.
#include <QApplication>
#include <QClipboard>
#include <QFileInfo>
#include <QLabel>
#include <QUndoStack>

#include "tests/ui/support/workbench.h"
#include "ui/figure/export/export.h"
#include "ui/models/model_map.h"
#include "ui/plot/figure_view.h"
#include "ui/rooms/rotation/animation_dialog.h"
#include "ui/rotary/rotary_room.h"
#include "ui/statements/statement_cards.h"
#include "ui/theme/theme_manager.h"
#include "ui/window/controllers/rotary_controller.h"
#include "ui/window/frame/figures.h"
#include "ui/window/main_window.h"

namespace ropelab::ui {
namespace {

const QStringList rotaryRooms = {QStringLiteral("rotation"), QStringLiteral("spectrum"), QStringLiteral("table"),
                                 QStringLiteral("context"), QStringLiteral("memory")};

class RotaryRoomsTest : public Workbench {
 protected:
    QImage picture(MainWindow& window, const QString& room) {
        window.showRoom(room);
        window.room().refreshNow();
        return window.room().grab().toImage();
    }
    QString setupIn(MainWindow& window, const QString& room) {
        window.showRoom(room);
        return window.room().figure().settings.value(QStringLiteral("setup")).toString();
    }
};

TEST_F(RotaryRoomsTest, ThetaChangeAndUndoReachEveryRoom) {
    MainWindow window(options());
    window.resize(1280, 800);
    window.show();
    RotaryModel& model = window.workspace().rotary();
    RotarySetup setup = model.setup();
    setup.theta = 123456;
    model.change("change theta", setup);
    for (const QString& room : rotaryRooms) {
        EXPECT_TRUE(setupIn(window, room).contains("123456")) << room.toStdString();
    }
    window.workspace().rotaryUndo().undo();
    for (const QString& room : rotaryRooms) {
        EXPECT_FALSE(setupIn(window, room).contains("123456")) << room.toStdString();
    }
}

TEST_F(RotaryRoomsTest, SetupOfARunIsComparedInEveryRoom) {
    MainWindow window(options());
    window.resize(1280, 800);
    window.show();
    Experiment experiment = smallSweep();
    experiment.set("theta", {"4321"});
    const Plan plan = window.workspace().lab().addSweep(experiment);
    ASSERT_FALSE(plan.runs.empty());
    emit window.workspace().setupComparisonAsked(plan.runs.front().id);
    const RotaryModel& model = window.workspace().rotary();
    ASSERT_TRUE(model.other());
    EXPECT_EQ(model.other()->setup.theta, 4321);
    EXPECT_EQ(model.other()->shape.sizes.head_dim, model.other()->setup.head_dim);
    EXPECT_EQ(window.room().objectName(), "spectrum");
    for (const QString& room : rotaryRooms) {
        EXPECT_TRUE(setupIn(window, room).contains("| B: theta=4321")) << room.toStdString();
    }
    window.workspace().rotaryUndo().undo();
    for (const QString& room : rotaryRooms) EXPECT_FALSE(setupIn(window, room).contains("4321")) << room.toStdString();
}

TEST_F(RotaryRoomsTest, RoomsHaveTheirLayoutAgainAfterAComparison) {
    MainWindow window(options());
    window.resize(1280, 800);
    window.show();
    const auto sizes = [&window] {
        QApplication::processEvents();
        QList<QSize> all;
        for (const FigureView* view : dynamic_cast<RotaryRoom&>(window.room()).views()) all << view->size();
        return all;
    };
    for (const QString& room : rotaryRooms) {
        const QImage before = picture(window, room);
        const QList<QSize> sizesBefore = sizes();
        RotarySetup other = window.workspace().rotary().setup();
        other.theta = 500000;
        window.workspace().rotary().compareWith("compare", {other, {}});
        EXPECT_NE(picture(window, room), before) << room.toStdString();
        window.workspace().rotary().endComparison();
        window.room().refreshNow();
        EXPECT_EQ(sizes(), sizesBefore) << room.toStdString();
    }
}

TEST_F(RotaryRoomsTest, EveryFigureCanBeAnimated) {
    MainWindow window(options());
    window.resize(1280, 800);
    window.show();
    for (const QString& name : rotaryRooms) {
        window.showRoom(name);
        window.room().refreshNow();
        auto& room = dynamic_cast<RotaryRoom&>(window.room());
        for (FigureView* view : room.views()) {
            if (!view->isVisible()) continue;
            emit view->chosen();
            room.openAnimation();
            std::unique_ptr<AnimationDialog> dialog(window.findChild<AnimationDialog*>());
            ASSERT_NE(dialog, nullptr) << name.toStdString();
            const AnimationJob job = dialog->job(QStringLiteral("x.gif"));
            EXPECT_NE(findRotaryFigure(job.figure), nullptr) << job.figure.toStdString();
            EXPECT_EQ(job.setup, window.workspace().rotary().setup());
        }
    }
}

TEST_F(RotaryRoomsTest, TableRoomIsFoundUnderItsEarlierName) {
    MainWindow window(options());
    window.showRoom("cache");
    EXPECT_EQ(window.room().objectName(), "table");
    window.showRoom("memory");
    window.showRoom("Table");
    EXPECT_EQ(window.room().objectName(), "table");
}

TEST_F(RotaryRoomsTest, SelectedPairIsHighlightedInEveryRoom) {
    MainWindow window(options());
    window.resize(1280, 800);
    window.show();
    const QStringList seen = {QStringLiteral("rotation"), QStringLiteral("spectrum"), QStringLiteral("table")};
    QList<QImage> before;
    for (const QString& room : seen) before.append(picture(window, room));
    window.workspace().rotary().pickPair(9);
    for (int i = 0; i < seen.size(); ++i) {
        EXPECT_NE(picture(window, seen[i]), before[i]) << seen[i].toStdString();
    }
    window.workspace().rotary().pickPair(std::nullopt);
    EXPECT_EQ(picture(window, seen[1]), before[1]);
}

TEST_F(RotaryRoomsTest, OnlyTheVisibleRoomIsUpdated) {
    MainWindow window(options());
    window.show();
    window.showRoom("spectrum");
    window.room().refreshNow();
    window.showRoom("memory");
    RotarySetup setup = window.workspace().rotary().setup();
    setup.theta = 777;
    window.workspace().rotary().change("change theta", setup);
    QTest::qWait(50);
    // A hidden room does not update its figures until it is shown.
    auto* spectrum = window.findChild<RotaryRoom*>("spectrum");
    ASSERT_NE(spectrum, nullptr);
    for (FigureView* view : spectrum->views()) {
        EXPECT_FALSE(view->figure().settings.value(QStringLiteral("setup")).toString().contains("777"));
    }
    EXPECT_TRUE(setupIn(window, "spectrum").contains("777"));
}

TEST_F(RotaryRoomsTest, NothingIsClippedInASmallWindow) {
    ThemeManager& theme = ThemeManager::instance();
    for (const auto& [scale, size] : {std::pair{200, QSize(1280, 720)}, std::pair{150, QSize(1024, 640)}}) {
        theme.setScale(scale);
        MainWindow window(options());
        window.setMinimumSize(1, 1);
        window.resize(size);
        window.show();
        for (const QString& name : rotaryRooms) {
            SCOPED_TRACE(QStringLiteral("%1 at %2 %").arg(name).arg(scale).toStdString());
            window.showRoom(name);
            window.room().refreshNow();
            QApplication::processEvents();
            EXPECT_LE(window.room().width(), window.room().parentWidget()->width())
                << "the right edge of the room must be visible";
            for (const FigureView* view : static_cast<RotaryRoom&>(window.room()).views()) {
                EXPECT_TRUE(!view->isVisible() || view->height() >= theme.pixels(150)) << view->height();
            }
            for (const QLabel* words : window.room().findChildren<QLabel*>()) {
                if (!words->isVisible() || !words->wordWrap()) continue;
                EXPECT_GE(words->height(), words->heightForWidth(words->width())) << words->text().toStdString();
            }
        }
    }
    theme.setScale(100);
}

TEST_F(RotaryRoomsTest, FiguresOfAllRoomsCanBeExported) {
    MainWindow window(options());
    window.resize(1024, 640);
    window.show();
    for (const QString& room : rotaryRooms) {
        window.showRoom(room);
        EXPECT_TRUE(window.actions().action("figure.export")->isEnabled()) << room.toStdString();
        ExportOptions svg;
        svg.format = FigureFormat::svg;
        const QString path = file("figure.svg");
        exportFigure(window.room().figure(), svg, path);
        EXPECT_GT(QFileInfo(path).size(), 1000) << room.toStdString();
    }
}

TEST_F(RotaryRoomsTest, StatementOpensTheRoomThatRefutesIt) {
    MainWindow window(options());
    window.show();
    emit window.rotary().statements().shown(QStringLiteral("context"), QStringLiteral("random"));
    EXPECT_EQ(window.room().objectName(), "context");
}

TEST_F(RotaryRoomsTest, LoadedModelCanBeUndone) {
    MainWindow window(options());
    window.show();
    ASSERT_TRUE(window.rotary().models().pick("Llama 3.1 8B"));
    ASSERT_TRUE(window.rotary().models().load());
    EXPECT_EQ(window.workspace().rotary().setup().theta, 500000);
    EXPECT_EQ(window.workspace().rotary().setup().scaling.method, ScalingMethod::llama3);
    EXPECT_TRUE(window.workspace().rotary().shape().name.contains("Llama 3.1 8B"));
    window.workspace().rotaryUndo().undo();
    EXPECT_EQ(window.workspace().rotary().setup(), RotarySetup{});
}

TEST_F(RotaryRoomsTest, InvalidSetupOnTheClipboardIsReported) {
    MainWindow window(options());
    window.show();
    QApplication::clipboard()->setText("theta=ten");
    QString message;
    QObject::connect(&window.actions(), &ActionRegistry::failed, [&](const QString& sentence) { message = sentence; });
    window.actions().action("rotary.paste")->trigger();
    EXPECT_TRUE(message.contains("ten")) << message.toStdString();
    EXPECT_EQ(window.workspace().rotary().setup(), RotarySetup{});
    QApplication::clipboard()->setText("theta=500k head_dim=128");
    window.actions().action("rotary.paste")->trigger();
    EXPECT_EQ(window.workspace().rotary().setup().head_dim, 128);
}

}  // namespace
}  // namespace ropelab::ui
