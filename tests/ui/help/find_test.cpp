// The palette (Ctrl+K) finds settings, figures, formulas, models and rooms, and goes there.
#include <QFile>
#include <QLineEdit>

#include "tests/support/source_file.h"
#include "tests/ui/support/window_fixture.h"
#include "ui/help/command_palette.h"
#include "ui/help/guide.h"
#include "ui/help/guide_pages.h"
#include "ui/models/model_map.h"
#include "ui/rooms/train/sweep_fields.h"
#include "ui/shell/findables.h"
#include "ui/shell/room.h"
#include "ui/window/controllers/rotary_controller.h"

namespace ropelab::ui {
namespace {

class FindTest : public WindowFixture {
 protected:
    QList<QString> matches(const char* typed) { return window->commandPalette().matches(QString::fromUtf8(typed)); }
    /// Types into the palette and presses Enter.
    void find(const QString& typed) {
        QTest::keyClick(window.get(), Qt::Key_K, Qt::ControlModifier);
        auto* search = window->commandPalette().findChild<QLineEdit*>();
        ASSERT_TRUE(waitUntil([search] { return search->hasFocus(); }));
        QTest::keyClicks(search, typed);
        QTest::keyClick(search, Qt::Key_Return);
    }
};

TEST_F(FindTest, SettingOfTheRoomIsLitAndHasTheFocus) {
    window->showRoom("table");
    find("theta");
    EXPECT_EQ(window->room().objectName(), "table") << "the room that is shown comes first";
    QWidget* field = QApplication::focusWidget();
    ASSERT_NE(field, nullptr);
    EXPECT_TRUE(field->accessibleName().contains(QStringLiteral("θ"))) << field->accessibleName().toStdString();
    EXPECT_TRUE(isLit(field));
    EXPECT_TRUE(waitUntil([field] { return !isLit(field); })) << "the ring vanishes";
}

TEST_F(FindTest, UnfoldsThePanelAndItsHiddenSettings) {
    window->showRoom("spectrum");
    window->setPanelFolded(true);
    find("weight decay");
    EXPECT_TRUE(window->isPanelShown());
    KeyField* field = nullptr;
    for (KeyField* each : window->findChildren<KeyField*>()) {
        if (each->key().name == "weight_decay") field = each;
    }
    ASSERT_NE(field, nullptr);
    EXPECT_TRUE(field->isVisible());
    EXPECT_TRUE(isLit(field));
    EXPECT_TRUE(waitUntil([field] { return !field->visibleRegion().isEmpty(); })) << "it is scrolled into view";
    EXPECT_EQ(QApplication::focusWidget(), field->focusProxy());
}

TEST_F(FindTest, FigureOnAHiddenPageIsShown) {
    window->showRoom("train");
    find("helix of the enlarged pair");
    EXPECT_EQ(window->room().objectName(), "rotation");
    QWidget* view = QApplication::focusWidget();
    ASSERT_NE(view, nullptr);
    EXPECT_EQ(view->accessibleName(), "Helix of the enlarged pair");
    EXPECT_TRUE(view->isVisible());
    EXPECT_TRUE(isLit(view));
}

TEST_F(FindTest, FormulasModelsAndRooms) {
    EXPECT_TRUE(matches("yarn").contains("formula.22"));
    EXPECT_TRUE(matches("kv cache").contains("formula.32"));
    EXPECT_TRUE(matches("kv cache").contains("room.memory")) << "its purpose names the KV cache";
    EXPECT_TRUE(matches("llama 3").contains("model.Llama 3.1 8B"));
    EXPECT_TRUE(matches("llama 3").contains("formula.23"));
    EXPECT_EQ(matches("memory").filter("room.memory").size(), 1) << "no entry is listed twice";
    EXPECT_EQ(matches("rotated fraction").filter("find.setup.rotated fraction").size(), 1)
        << "the field that five rooms have is listed once";
    find("formula 22");
    EXPECT_TRUE(window->rotary().guide().isVisible());
    EXPECT_TRUE(window->rotary().guide().currentHeading().startsWith("Formula 22:"));
    window->rotary().guide().hide();
    window->activateWindow();
    ASSERT_TRUE(QTest::qWaitForWindowActive(window.get()));
    find("llama 3.1 8b");
    EXPECT_TRUE(window->rotary().models().isVisible());
    EXPECT_EQ(window->rotary().models().picked(), "Llama 3.1 8B");
}

TEST_F(FindTest, TitlesOfTheFormulasAreThoseOfTheDocument) {
    QFile file(QString::fromStdString(source_file("docs/formulas.md")));
    ASSERT_TRUE(file.open(QIODevice::ReadOnly));
    QStringList expected;
    for (const QString& line : QString::fromUtf8(file.readAll()).split('\n')) {
        if (line.startsWith("### Formula ")) expected << line.mid(4);
    }
    QStringList found;
    for (const FormulaTitle& each : formulaTitles()) {
        found << QStringLiteral("Formula %1: %2").arg(each.number).arg(each.title);
        EXPECT_FALSE(each.section.isEmpty()) << each.number;
    }
    EXPECT_GT(found.size(), 30);
    EXPECT_EQ(found, expected);
}

}  // namespace
}  // namespace ropelab::ui
