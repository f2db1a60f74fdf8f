// Figures come first: how much of the window they have, and whether the controls beside them tell the truth.
#include <QDir>
#include <QFile>
#include <QLabel>
#include <QScrollBar>
#include <QTableView>
#include <algorithm>
#include <map>
#include <set>

#include "core/lecture/lecture.h"
#include "core/lecture/lecture_rooms.h"
#include "core/rope/rotary_setup.h"
#include "tests/ui/support/window_fixture.h"
#include "ui/common/paths.h"
#include "ui/common/text.h"
#include "ui/controls/fitting_label.h"
#include "ui/figure/figure.h"
#include "ui/plot/plot_widget.h"
#include "ui/rotary/rotary_room.h"
#include "ui/shell/room.h"
#include "ui/window/frame/rooms.h"

namespace ropelab::ui {
namespace {

class FaceTest : public WindowFixture {
 protected:
    void rest() {
        QTest::qWait(40);
        EXPECT_TRUE(waitUntil([this] { return !window->room().isBusy(); }));
        window->room().refreshNow();
        QTest::qWait(40);
    }
    /// Part of the window that the axes, or the drawing, of the room's largest figure have.
    double largestShare() const {
        double largest = 0;
        for (const PlotWidget* view : window->room().findChildren<PlotWidget*>()) {
            if (!view->isVisible()) continue;
            const QSizeF size = view->canvasRect().size();
            largest = std::max(largest, size.width() * size.height() / (window->width() * window->height()));
        }
        return largest;
    }
    /// A copy of a lab that comes with the lectures.
    void openLab(const QString& name) {
        const QString lab = fromPath(shipped_lectures().front().file.parent_path() / "labs" / name.toStdString());
        const QString copy = file(name.toUtf8().constData());
        if (!QFile::exists(copy)) {
            ASSERT_TRUE(QFile::copy(lab, copy));
        }
        window->workspace().openLab(copy);
        ASSERT_TRUE(waitUntil(
            [&] { return window->workspace().lab().path() == copy && !window->workspace().runs().runs().empty(); }));
    }
};

double least(const QString& room, const QString& lab) {
    // The names of 20 settings, which differ in four keys, are beside or below the axes.
    if (lab == "speed.ropelab" && room == "train") return 0.18;
    if (lab == "speed.ropelab" && room == "results") return 0.15;
    return room == "train" ? 0.27 : 0.25;
}

TEST_F(FaceTest, TheLargestFigureHasItsShareOfTheWindow) {
    const QDir labs(fromPath(shipped_lectures().front().file.parent_path() / "labs"));
    ASSERT_GE(labs.entryList({"*.ropelab"}).size(), 4);
    for (const QString& lab : labs.entryList({"*.ropelab"})) {
        openLab(lab);
        for (const RoomEntry& entry : rooms()) {
            const QString id = QString::fromLatin1(entry.id);
            window->showRoom(id);
            rest();
            const double share = largestShare();
            RecordProperty(std::string(entry.id) + "_" + lab.section('.', 0, 0).toStdString(), std::to_string(share));
            EXPECT_GE(share, least(id, lab)) << entry.id << ", " << lab.toStdString();
        }
    }
}

TEST_F(FaceTest, AtTwiceTheSizeTheFigureOfResultsIsReadableAndOnlyThePageScrolls) {
    openLab("three-thetas.ropelab");
    window->setMinimumSize(1, 1);
    window->resize(1280, 720);
    ThemeManager::instance().setScale(200);
    window->showRoom("results");
    rest();
    rest();
    for (const PlotWidget* view : window->room().findChildren<PlotWidget*>()) {
        if (!view->isVisible()) continue;
        EXPECT_GE(view->canvasRect().height(), 80);
    }
    for (const QTableView* table : window->room().findChildren<QTableView*>()) {
        if (!table->isVisible()) continue;
        EXPECT_EQ(table->verticalScrollBar()->maximum(), 0);
    }
    EXPECT_GT(window->room().height(), window->room().parentWidget()->height());
}

TEST_F(FaceTest, TheHeadlineOfResultsIsOneLine) {
    openLab("lecture-minute.ropelab");
    window->showRoom("results");
    rest();
    const auto* headline = window->room().findChild<FittingLabel*>();
    ASSERT_NE(headline, nullptr);
    EXPECT_FALSE(headline->text().isEmpty());
    EXPECT_LT(headline->height(), 2 * headline->fontMetrics().height());
}

TEST_F(FaceTest, ControlsSayThatTheyHaveNoEffectWhereTheyHaveNone) {
    const std::map<QString, std::string> other = {{"theta", "500"},
                                                  {"pairing", "interleaved"},
                                                  {"precision", "bfloat16"},
                                                  {"scaling", "yarn"},
                                                  {"partial", "truncate"}};
    RotaryModel& model = window->workspace().rotary();
    RotarySetup usual = model.setup();
    usual.fraction = 0.25;  // "partial" has an effect then
    model.change("test", usual, model.shape());
    int checked = 0;
    for (const RoomEntry& entry : rooms()) {
        window->showRoom(QString::fromLatin1(entry.id));
        auto* room = qobject_cast<RotaryRoom*>(&window->room());
        if (!room) continue;
        const auto curves = [&] {
            rest();
            QStringList numbers;  // as text, because a gap (NaN) is not equal to itself
            for (const FigureView* view : room->views()) {
                for (const FigureCurve& curve : view->figure().curves) {
                    for (const double x : curve.x) numbers << QString::number(x, 'g', 17);
                    for (const double y : curve.y) numbers << QString::number(y, 'g', 17);
                }
                if (!view->figure().map) continue;
                for (const float value : view->figure().map->values) numbers << QString::number(value);
            }
            return numbers;
        };
        const auto before = curves();
        for (const QString& setting : room->withoutEffect()) {
            ASSERT_TRUE(other.contains(setting)) << setting.toStdString();
            RotarySetup changed = usual;
            changed.scaling.factor = 4;
            set_setting(changed, setting.toStdString(), other.at(setting));
            model.change("test", changed, model.shape());
            EXPECT_EQ(curves(), before) << entry.id << ": " << setting.toStdString();
            model.change("test", usual, model.shape());
            ++checked;
        }
        for (const auto& [setting, value] : other) {
            const bool isOfMeasurement = room->objectName() == "memory" && setting == "partial";  // not of a figure
            if (room->withoutEffect().contains(setting) || isOfMeasurement) continue;
            RotarySetup changed = usual;
            changed.scaling.factor = 4;
            set_setting(changed, setting.toStdString(), value);
            const auto& parts = lecture_room(entry.id).parts;
            EXPECT_TRUE(std::ranges::any_of(parts,
                                            [&](std::string_view part) {
                                                room->showPart(text(part));
                                                const auto numbers = curves();
                                                model.change("test", changed, model.shape());
                                                const bool changes = curves() != numbers;
                                                model.change("test", usual, model.shape());
                                                return changes;
                                            }))
                << entry.id << ": " << setting.toStdString() << " changes nothing and does not say so";
        }
    }
    EXPECT_GE(checked, 7);
}

}  // namespace
}  // namespace ropelab::ui
