// Nothing jumps, and nothing is cut off: places of the controls of all rooms.
#include <QDialog>
#include <QLabel>
#include <QPushButton>
#include <QRawFont>
#include <QScrollArea>
#include <QSlider>
#include <QTableView>
#include <QToolButton>
#include <string>

#include "tests/ui/support/answered_dialogs.h"
#include "tests/ui/support/places.h"
#include "tests/ui/support/window_fixture.h"
#include "ui/controls/number_slider.h"
#include "ui/plot/curve_plot.h"
#include "ui/plot/figure_view.h"
#include "ui/rooms/train/chip_list_edit.h"
#include "ui/rooms/train/sweep_fields.h"
#include "ui/rooms/train/train_room.h"
#include "ui/rotary/setup_panel.h"
#include "ui/shell/room.h"
#include "ui/window/frame/corner.h"
#include "ui/window/frame/rail.h"
#include "ui/window/frame/rooms.h"
#include "ui/window/frame/status_strip.h"

namespace ropelab::ui {
namespace {

class LayoutTest : public WindowFixture {
 protected:
    /// Lets the layouts and the figures of the room follow a change. On a loaded machine the wait alone may hold one
    /// turn of the event loop, and nested layouts need several.
    static void settle() {
        QTest::qWait(40);
        for (int turn = 0; turn < 10; ++turn) QCoreApplication::processEvents();
    }
    /// Waits until the room has computed its figures and the layouts have placed all controls.
    void rest() {
        settle();
        EXPECT_TRUE(waitUntil([this] { return !window->room().isBusy(); }));
        EXPECT_TRUE(waitUntil([this] {
            const Places before(window.get());
            settle();
            return before.moved().isEmpty();
        }));
    }
    /// Returns what a change of `setting` has moved. On a loaded machine a layout may still be half done after a while;
    /// then what counts is where the controls come to rest.
    QStringList movedBy(const QWidget* setting, const Places& before) {
        settle();
        if (before.moved(setting).isEmpty()) return {};
        rest();
        return before.moved(setting);
    }
    /// Returns whether a button folds the fields below it, which moves what follows them.
    static bool folds(const QAbstractButton& button) {
        return button.text().endsWith(QChar(0x25B2)) || button.text().endsWith(QChar(0x25BC));  // ▲ or ▼
    }
    /// Returns whether a setting shows another sweep, sheet or model, or what belongs to its value beside it, as a
    /// button that folds does.
    static bool replaces(const QString& title) {
        static const QStringList all = {"scaling",         "Preset", "Sheet", "Scale", "Source of the model",
                                        "Runs in the plot"};
        return all.contains(title);
    }
    /// Shows a room and returns the names of the rooms.
    static QStringList roomNames() {
        QStringList names;
        for (const RoomEntry& entry : rooms()) names << QLatin1String(entry.id);
        return names;
    }
    /// Returns the controls whose state is a setting: lists, sliders and buttons that stay pressed, except those that
    /// fold fields.
    QList<QWidget*> settingsOf(Room& room) {
        QList<QWidget*> found;
        for (const QWidget* root : {static_cast<QWidget*>(&room), room.panel()}) {
            if (!root) continue;
            for (QWidget* each : controlsIn(root)) {
                const auto* button = qobject_cast<QAbstractButton*>(each);
                const bool isSetting = qobject_cast<QComboBox*>(each) || qobject_cast<QSlider*>(each) ||
                                       (button && button->isCheckable() && !folds(*button));
                if (isSetting && each->isEnabled()) found.append(each);
            }
        }
        return found;
    }
    /// Gives a setting all its values (of a slider the ends and the middle), calls `check` after each, and restores it.
    static void walk(QWidget* setting, const std::function<void(const QString&)>& check) {
        if (auto* list = qobject_cast<QComboBox*>(setting)) {
            const int before = list->currentIndex();
            const auto choose = [list](int index) {
                list->setCurrentIndex(index);
                emit list->activated(index);
            };
            for (int i = 0; i < list->count(); ++i) {
                choose(i);
                check(list->itemText(i));
            }
            choose(before);
        } else if (auto* slider = qobject_cast<QSlider*>(setting)) {
            const int before = slider->value();
            for (const int value :
                 {slider->minimum(), (slider->minimum() + slider->maximum()) / 2, slider->maximum()}) {
                slider->setValue(value);
                check(QString::number(value));
            }
            slider->setValue(before);
        } else if (auto* button = qobject_cast<QAbstractButton*>(setting)) {
            const bool before = button->isChecked();
            button->click();
            check(QStringLiteral("clicked"));
            if (button->isChecked() != before && !button->autoExclusive() && !button->group()) button->click();
        }
    }
};

TEST_F(LayoutTest, SettingsMoveNoOtherControl) {
    const AnsweredDialogs cancels;
    for (const QString& name : roomNames()) {
        window->showRoom(name);
        rest();
        for (QWidget* setting : settingsOf(window->room())) {
            if (!setting->isVisible() || !setting->isEnabled()) continue;  // on a page that is no longer shown
            const QString title = Places::nameOf(setting);
            if (replaces(title)) continue;
            const Places before(window.get());
            walk(setting, [&](const QString& value) {
                const QStringList moved = movedBy(setting, before);
                EXPECT_TRUE(moved.isEmpty()) << name.toStdString() << ": " << title.toStdString() << " = "
                                             << value.toStdString() << " moved " << moved.join("; ").toStdString();
            });
            rest();
        }
    }
}

TEST_F(LayoutTest, SettingsOfTrainMoveNothingBesideItsCurves) {
    window->workspace().experiment().replace(smallSweep(40));
    window->workspace().start();
    ASSERT_TRUE(waitForEnd(window->workspace()));
    window->showRoom("train");
    rest();
    for (QWidget* setting : settingsOf(window->room())) {
        if (!setting->isVisible() || !setting->isEnabled()) continue;
        const auto* data = qobject_cast<DataChoice*>(setting);
        if (data) continue;  // asks for files; the test above changes it
        if (replaces(Places::nameOf(setting))) continue;
        const Places before(window.get());
        walk(setting, [&](const QString& value) {
            const QStringList moved = movedBy(setting, before);
            EXPECT_TRUE(moved.isEmpty()) << Places::nameOf(setting).toStdString() << " = " << value.toStdString()
                                         << " moved " << moved.join("; ").toStdString();
        });
        rest();
    }
}

TEST_F(LayoutTest, TheCurvesOfTrainHaveTheSpace) {
    Experiment seeds = smallSweep(40);
    seeds.set("seed", {"1", "2", "3"});
    window->workspace().experiment().replace(seeds);
    window->workspace().start();
    ASSERT_TRUE(waitForEnd(window->workspace()));
    window->showRoom("train");
    for (const auto& [size, least] : {std::pair(QSize(1280, 800), 0.30), {QSize(1920, 1080), 0.40}}) {
        window->resize(size);
        rest();
        auto& room = static_cast<TrainRoom&>(window->room());
        room.refreshNow();
        const QRectF axes = room.plot().canvasRect();
        EXPECT_GE(axes.width() * axes.height() / (size.width() * size.height()), least) << size.width();
    }
}

TEST_F(LayoutTest, RowsOfChipsAreAsHighAsTheirChipsAndScrollFromTheFourthLineOn) {
    window->showRoom("train");
    rest();
    const auto height = [this](const char* name) {
        for (const auto* edit : window->findChildren<ChipListEdit*>()) {
            if (edit->accessibleName() == QString::fromUtf8(name)) return edit->height();
        }
        return 0;
    };
    window->workspace().experiment().replace(smallSweep());
    settle();
    const int line = height("seeds");
    Experiment many = smallSweep();
    many.set("theta", {"100", "200", "300", "400", "500", "600", "700", "800", "900", "1000", "2000"});
    many.set("seed", {"1", "2", "3", "4", "5", "6", "7", "8", "9"});
    window->workspace().experiment().replace(many);
    settle();
    EXPECT_GT(height("θ"), 2 * line);
    EXPECT_LT(height("θ"), 4 * line);
}

TEST_F(LayoutTest, RotationIsFoldedAndNotScrolledSideways) {
    window->setMinimumSize(1, 1);
    for (const auto& [compares, scale] : {std::pair(false, 100), {false, 200}, {true, 100}, {true, 200}}) {
        if (compares && scale == 100) {
            window->workspace().rotary().compareWith("compare", {parse_setup("theta=500k"), {}});
        }
        ThemeManager::instance().setScale(scale);
        for (const QSize& size : {QSize(1024, 640), QSize(1280, 720), QSize(1280, 800)}) {
            window->resize(size);
            window->showRoom("rotation");
            rest();
            QWidget* page = window->room().parentWidget();  // the viewport of the scrolling page
            EXPECT_LE(window->room().width(), page->width()) << scale << " %, " << size.width() << ", " << compares;
        }
    }
}

TEST_F(LayoutTest, NoRoomIsScrolledSideways) {
    window->setMinimumSize(1, 1);
    for (const int width : {700, 760, 800, 860, 960, 1024}) {
        window->resize(width, 600);
        for (const QString& name : roomNames()) {
            window->showRoom(name);
            rest();
            EXPECT_LE(window->room().width(), window->room().parentWidget()->width()) << width << name.toStdString();
        }
    }
}

TEST_F(LayoutTest, InvalidInputMovesNothingAndIsShownBelowItsField) {
    window->showRoom("spectrum");
    rest();
    auto* panel = window->room().panel()->findChild<SetupPanel*>();
    ASSERT_NE(panel, nullptr);
    const Places before(window.get());
    panel->slider("theta")->commit("big");
    settle();
    EXPECT_EQ(before.moved().join("; ").toStdString(), "");
    QLabel* note = nullptr;
    for (QLabel* each : window->findChildren<QLabel*>()) {
        if (each->isVisible() && each->text() == panel->slider("theta")->error()) note = each;
    }
    ASSERT_NE(note, nullptr);
    EXPECT_GE(note->height(), note->heightForWidth(note->width()));
    EXPECT_EQ(note->mapToGlobal(QPoint()).y(),
              panel->slider("theta")->mapToGlobal(QPoint(0, panel->slider("theta")->height())).y());
    window->showRoom("rotation");
    EXPECT_FALSE(note->isVisible()) << "the note belongs to the field of the other room";
    window->showRoom("spectrum");
    panel->slider("theta")->commit("1000");
    EXPECT_FALSE(note->isVisible());
}

TEST_F(LayoutTest, PauseAndStopKeepTheirPlace) {
    engine.step_microseconds = 2000;
    QPushButton* pause = window->strip().pauseButton();
    QPushButton* stop = window->strip().stopButton();
    const auto places = [&] {
        settle();
        return QList<QRect>{pause->geometry(), stop->geometry(), window->strip().geometry()};
    };
    const QList<QRect> before = places();
    EXPECT_TRUE(pause->isVisible() && stop->isVisible());
    EXPECT_FALSE(pause->isEnabled() || stop->isEnabled());
    window->workspace().experiment().replace(smallSweep(100000));
    window->workspace().start();
    ASSERT_TRUE(waitUntil([&] { return pause->isEnabled() && stop->isEnabled(); }));
    EXPECT_EQ(places(), before);
    pause->click();
    ASSERT_TRUE(waitUntil([&] { return pause->text() == "Resume"; }));
    EXPECT_EQ(places(), before);
    stop->click();
    ASSERT_TRUE(waitForEnd(window->workspace()));
    EXPECT_EQ(places(), before);
    EXPECT_FALSE(pause->isEnabled() || stop->isEnabled());
}

TEST_F(LayoutTest, BannersCoverAndMoveNothing) {
    for (const QString& name : roomNames()) {
        SCOPED_TRACE(name.toStdString());
        window->showRoom(name);
        rest();
        const Places before(window.get());
        const QRect picture = window->room().geometry();
        window->banners().show("one", BannerArea::Kind::error, "The first message.");
        window->banners().show("two", BannerArea::Kind::warning, QString("A long message. ").repeated(20));
        settle();
        EXPECT_EQ(before.moved().join("; ").toStdString(), "");
        EXPECT_EQ(window->room().geometry(), picture);
        const QRect shown(window->banners().mapTo(window.get(), QPoint()), window->banners().size());
        EXPECT_TRUE(window->rect().contains(shown));
        EXPECT_LE(shown.bottom(), window->strip().mapTo(window.get(), QPoint()).y());
        EXPECT_FALSE(window->banners().visibleRegion().isEmpty());
        for (const QLabel* text : window->banners().findChildren<QLabel*>("text")) {
            EXPECT_GE(text->height(), text->heightForWidth(text->width())) << "the whole text is visible";
        }
        window->banners().dismiss("one");
        window->banners().dismiss("two");
        settle();
        EXPECT_FALSE(window->banners().isVisible());
    }
}

TEST_F(LayoutTest, FirstWindowFitsTheScreenWithItsFrame) {
    // A panel of 48 pixels, a title bar and borders leave 1270 x 710 or a little more of 1280 x 800.
    for (const QSize& available : {QSize(1280, 752), QSize(1280, 800)}) {
        const QSize size = sizeWithinScreen({1280, 800}, available);
        EXPECT_LE(size.width(), 1270);
        EXPECT_LE(size.height(), 715);
        EXPECT_GE(size.height(), 700);
    }
    EXPECT_EQ(sizeWithinScreen({3840, 2160}, {3840, 2100}), QSize(3830, 2060));
}

TEST_F(LayoutTest, NothingIsCutOff) {
    window->setMinimumSize(1, 1);
    for (const int scale : {100, 200}) {
        ThemeManager::instance().setScale(scale);
        for (const QSize& size : {QSize(1024, 640), QSize(1280, 720), QSize(1280, 800), QSize(1920, 1080)}) {
            window->resize(size);
            for (const QString& name : roomNames()) {
                SCOPED_TRACE(QStringLiteral("%1 at %2 %, %3 x %4")
                                 .arg(name)
                                 .arg(scale)
                                 .arg(size.width())
                                 .arg(size.height())
                                 .toStdString());
                window->showRoom(name);
                settle();
                for (const QWidget* part :
                     std::initializer_list<QWidget*>{&window->strip(), &window->corner(), window->findChild<Rail*>()}) {
                    for (const QWidget* each : controlsIn(part)) {
                        const QRect place(each->mapTo(window.get(), QPoint()), each->size());
                        EXPECT_TRUE(window->rect().contains(place)) << Places::nameOf(each).toStdString();
                    }
                }
                for (const QPushButton* button : {window->strip().pauseButton(), window->strip().stopButton()}) {
                    EXPECT_GE(button->width(), button->minimumSizeHint().width()) << button->text().toStdString();
                    EXPECT_GE(button->height(), button->minimumSizeHint().height()) << button->text().toStdString();
                }
                // A page scrolls, so a control is reachable if the room contains it.
                const Room& room = window->room();
                for (const QWidget* each : controlsIn(&room)) {
                    bool isScrolled = false;
                    for (const QWidget* outer = each; outer != &room; outer = outer->parentWidget()) {
                        isScrolled = isScrolled || qobject_cast<const QAbstractScrollArea*>(outer);
                    }
                    const QRect place(each->mapTo(&room, QPoint()), each->size());
                    EXPECT_TRUE(isScrolled || room.rect().contains(place)) << Places::nameOf(each).toStdString();
                }
            }
        }
    }
}

TEST_F(LayoutTest, FiguresAreNotSmallerAtALargeScale) {
    window->setMinimumSize(1, 1);
    window->resize(1280, 720);
    for (const char* name : {"rotation", "spectrum", "table", "context", "memory"}) {
        const auto area = [&](int scale) {
            ThemeManager::instance().setScale(scale);
            window->showRoom(name);
            rest();
            const QSize size = window->room().picture()->visibleRegion().boundingRect().size();
            return size.width() * size.height();
        };
        const int usual = area(100);
        EXPECT_GE(usual, 1280 * 720 / 10) << name;
        EXPECT_GE(area(200), 9 * usual / 10) << name;
        ThemeManager::instance().setScale(100);
    }
}

TEST_F(LayoutTest, PanelFoldsAndReturnsWithTheWidth) {
    window->setMinimumSize(1, 1);
    ThemeManager::instance().setScale(200);
    window->resize(1280, 720);
    EXPECT_FALSE(window->isPanelShown());
    window->resize(2560, 1440);
    EXPECT_TRUE(window->isPanelShown()) << "immediately, without another event";
    window->setPanelFolded(true);
    window->resize(1280, 720);
    window->resize(2560, 1440);
    EXPECT_FALSE(window->isPanelShown()) << "the user folded it";
}

TEST_F(LayoutTest, F2ShowsTheNumbersOfTheFigure) {
    window->showRoom("spectrum");
    window->room().refreshNow();
    window->focusPicture(Qt::ShortcutFocusReason);
    QTest::keyClick(window->room().picture(), Qt::Key_F2);
    auto* table = window->findChild<QDialog*>("figure-table");
    ASSERT_NE(table, nullptr);
    EXPECT_TRUE(table->isVisible());
    auto* view = table->findChild<QTableView*>();
    ASSERT_NE(view, nullptr);
    EXPECT_FALSE(view->accessibleName().isEmpty());
    EXPECT_GE(view->model()->rowCount(), 32) << "one row per pair";
    table->close();
}

TEST_F(LayoutTest, EveryFigureHasASummary) {
    for (const QString& name : roomNames()) {
        window->showRoom(name);
        window->room().refreshNow();
        for (const FigureView* view : window->room().findChildren<FigureView*>()) {
            if (!view->isVisible()) continue;
            EXPECT_FALSE(view->accessibleDescription().isEmpty()) << name.toStdString();
            EXPECT_FALSE(view->accessibleName().isEmpty()) << name.toStdString();
        }
    }
}

// On a computer without other fonts, a sign that the bundled font lacks is a box.
TEST_F(LayoutTest, SignsOnButtonsAreInTheBundledFont) {
    for (const QString& name : roomNames()) {
        window->showRoom(name);
        for (const QAbstractButton* button : window->findChildren<QAbstractButton*>()) {
            const QRawFont font = QRawFont::fromFont(button->font());
            for (const char32_t sign : button->text().toUcs4()) {
                EXPECT_TRUE(font.supportsCharacter(sign)) << name.toStdString() << ": " << button->text().toStdString();
            }
        }
    }
}

}  // namespace
}  // namespace ropelab::ui
