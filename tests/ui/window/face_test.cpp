// Figures come first: how much of the window they have, and whether the controls beside them tell the truth.
#include <QFile>
#include <QLabel>
#include <map>
#include <set>

#include "core/lecture/lecture.h"
#include "core/rope/rotary_setup.h"
#include "tests/ui/support/window_fixture.h"
#include "ui/common/paths.h"
#include "ui/figure/figure.h"
#include "ui/plot/plot_widget.h"
#include "ui/rotary/rotary_room.h"
#include "ui/shell/room.h"
#include "ui/window/frame/rooms.h"

namespace ropelab::ui {
namespace {

class FaceTest : public WindowFixture {
 protected:
    void openRecordedLab() {
        const auto lectures = shipped_lectures();
        ASSERT_FALSE(lectures.empty());
        const QString lab = fromPath(lectures.front().file.parent_path() / "labs" / "three-thetas.ropelab");
        ASSERT_TRUE(QFile::copy(lab, file("recorded.ropelab")));
        window->workspace().openLab(file("recorded.ropelab"));
        ASSERT_TRUE(waitUntil([this] { return window->workspace().runs().runs().size() == 9U; }));
    }
    void rest() {
        QTest::qWait(40);
        EXPECT_TRUE(waitUntil([this] { return !window->room().isBusy(); }));
        window->room().refreshNow();
        QTest::qWait(40);
    }
    /// Part of the window that the axes of the room's figures have: of the largest one and of all together.
    std::pair<double, double> shares() const {
        double largest = 0;
        double all = 0;
        for (const PlotWidget* view : window->room().findChildren<PlotWidget*>()) {
            if (!view->isVisible()) continue;
            const QSizeF size = view->canvasRect().size();
            const double share = size.width() * size.height() / (window->width() * window->height());
            largest = std::max(largest, share);
            all += share;
        }
        return {largest, all};
    }
};

TEST_F(FaceTest, FiguresHaveTheirShareOfTheWindow) {
    openRecordedLab();
    // In rooms with figures of one scale side by side, all of them count.
    const std::set<QString> pairs = {"table", "rotation", "inspect"};
    for (const RoomEntry& entry : rooms()) {
        const QString id = QString::fromLatin1(entry.id);
        if (id == "reproduce") continue;  // it opens with the claims of a sheet, which are cards
        window->showRoom(id);
        rest();
        const auto [largest, all] = shares();
        const double share = pairs.contains(id) ? all : largest;
        RecordProperty(entry.id, std::to_string(share));
        EXPECT_GE(share, id == "train" ? 0.30 : 0.25) << entry.id << ": largest " << largest << ", all " << all;
    }
}

TEST_F(FaceTest, ControlsThatSayTheyHaveNoEffectHaveNone) {
    const std::map<QString, std::string> other = {
        {"theta", "500"}, {"pairing", "interleaved"}, {"precision", "bfloat16"}, {"scaling", "yarn"}};
    RotaryModel& model = window->workspace().rotary();
    const RotarySetup usual = model.setup();
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
    }
    EXPECT_GE(checked, 5);
}

}  // namespace
}  // namespace ropelab::ui
