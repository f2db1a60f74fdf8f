#include "ui/rooms/train/chip_list_edit.h"

#include <QLineEdit>
#include <QMenu>
#include <QSignalSpy>

#include "tests/ui/support/workbench.h"

namespace ropelab::ui {
namespace {

class ChipListEditTest : public Workbench {
 protected:
    void SetUp() override {
        Workbench::SetUp();
        edit.setParser(parseTheta);
        edit.setDisplay(showTheta);
        edit.setSuggestions({"500", "10k", "1M"});
        edit.setValues({"500", "10000"});
        edit.resize(240, 120);
        edit.show();
        ASSERT_TRUE(QTest::qWaitForWindowActive(&edit));
    }
    QList<Chip*> chips() const {
        QList<Chip*> shown;
        for (Chip* chip : edit.findChildren<Chip*>("chip")) {
            if (chip->isVisible()) shown << chip;
        }
        return shown;
    }
    ChipListEdit edit{"θ"};
};

TEST_F(ChipListEditTest, ShowsValuesInTheirDisplayForm) {
    ASSERT_EQ(chips().size(), 2);
    EXPECT_TRUE(chips()[1]->text().startsWith("10k"));
}

TEST_F(ChipListEditTest, ElidesALongValueInsteadOfWideningThePanel) {
    edit.setParser([](const QString& typed) { return typed; });
    edit.setDisplay([](const QString& value) { return value; });
    const int before = edit.minimumSizeHint().width();
    edit.setTypable(false);
    edit.setValues({"block llama, context 512, fraction 0.03125, learning rate 0.001", "2 ch"});
    EXPECT_LE(edit.minimumSizeHint().width(), before + 10);
    ASSERT_TRUE(waitUntil([&] { return chips()[0]->y() < chips()[1]->y(); }));
    EXPECT_LE(chips()[0]->width(), edit.width());
    EXPECT_EQ(chips()[0]->toolTip(), edit.values()[0]);
    QSignalSpy edited(&edit, &ChipListEdit::edited);
    Chip* chip = chips()[0];
    QTest::mouseClick(chip, Qt::LeftButton, {}, QPoint(chip->width() - 6, chip->height() / 2));
    ASSERT_EQ(edited.size(), 1) << "the × of an elided chip is clickable";
    EXPECT_EQ(edit.values(), QStringList{"2 ch"});
}

TEST_F(ChipListEditTest, TypingAndEnterAddAValue) {
    QSignalSpy edited(&edit, &ChipListEdit::edited);
    edit.beginEdit(2);
    auto* field = edit.findChild<QLineEdit*>();
    ASSERT_TRUE(waitUntil([field] { return field->hasFocus(); }));
    QTest::keyClicks(field, "1e6");
    QTest::keyClick(field, Qt::Key_Return);
    EXPECT_EQ(edit.values(), (QStringList{"500", "10000", "1000000"}));
    ASSERT_EQ(edited.size(), 1);
    EXPECT_EQ(chips().size(), 3);
}

TEST_F(ChipListEditTest, InvalidTextShowsAnErrorAndKeepsTheFieldOpen) {
    edit.beginEdit(2);
    auto* field = edit.findChild<QLineEdit*>();
    QTest::keyClicks(field, "ten");
    QTest::keyClick(field, Qt::Key_Return);
    EXPECT_TRUE(edit.error().contains("ten")) << edit.error().toStdString();
    EXPECT_EQ(edit.values().size(), 2);
    EXPECT_TRUE(field->isVisible());
    field->setText("2k");
    QTest::keyClick(field, Qt::Key_Return);
    EXPECT_EQ(edit.error(), "");
    EXPECT_EQ(edit.values().last(), "2000");
}

TEST_F(ChipListEditTest, RejectsValuesOutOfRangeAndDuplicates) {
    EXPECT_FALSE(edit.commit(2, "0.5"));
    EXPECT_TRUE(edit.error().contains("0.5"));
    EXPECT_FALSE(edit.commit(2, "1e4"));
    EXPECT_TRUE(edit.error().contains("already"));
    EXPECT_TRUE(edit.commit(1, "10k")) << "a value may be replaced by itself";
}

TEST_F(ChipListEditTest, EscapeDiscardsTheEdit) {
    edit.beginEdit(0);
    auto* field = edit.findChild<QLineEdit*>();
    QTest::keyClicks(field, "77");
    QTest::keyClick(field, Qt::Key_Escape);
    EXPECT_EQ(edit.values(), (QStringList{"500", "10000"}));
    EXPECT_EQ(chips().size(), 2);
}

TEST_F(ChipListEditTest, CrossAndDeleteKeyRemoveAValue) {
    Chip* first = chips().first();
    QTest::mouseClick(first, Qt::LeftButton, {}, QPoint(first->width() - 8, first->height() / 2));
    EXPECT_EQ(edit.values(), QStringList{"10000"});
    QTest::keyClick(chips().first(), Qt::Key_Delete);
    EXPECT_TRUE(edit.values().isEmpty());
}

TEST_F(ChipListEditTest, ClickEditsAValueInPlace) {
    QTest::mouseClick(chips().first(), Qt::LeftButton, {}, QPoint(8, 8));
    auto* field = edit.findChild<QLineEdit*>();
    ASSERT_NE(field, nullptr);
    EXPECT_EQ(field->text(), "500");
    field->setText("1k");
    QTest::keyClick(field, Qt::Key_Return);
    EXPECT_EQ(edit.values(), (QStringList{"1000", "10000"}));
}

TEST_F(ChipListEditTest, PlusButtonOffersOnlyMissingValues) {
    for (Chip* chip : edit.findChildren<Chip*>()) {
        if (chip->text() == "+") QTest::mouseClick(chip, Qt::LeftButton);
    }
    auto* menu = edit.findChild<QMenu*>();
    ASSERT_NE(menu, nullptr);
    QStringList offered;
    for (QAction* action : menu->actions()) offered << action->text();
    EXPECT_EQ(offered.first(), "1M");
    EXPECT_FALSE(offered.contains("10k"));
    menu->actions().first()->trigger();
    EXPECT_EQ(edit.values().last(), "1000000");
    menu->close();
}

TEST(SweepChips, ParsesAndShowsFractions) {
    EXPECT_EQ(parseFraction("25 %"), "0.25");
    EXPECT_EQ(parseFraction("6ch"), "6 ch");
    EXPECT_EQ(showFraction("0.25"), "25 %");
    EXPECT_EQ(showFraction("6 ch"), "6 ch");
    EXPECT_THROW(parseFraction("120 %"), BadInput);
    EXPECT_THROW(parseFraction("3 ch"), BadInput);
    EXPECT_THROW(parseSeed("1.5"), BadInput);
}

TEST(SweepChips, LabelListsSettingsInTheOrderOfTheKeyTable) {
    Experiment experiment;
    experiment.set_explicit_runs({{{"learning_rate", "0.01"}, {"fraction", "0.25"}, {"context", "64"}}});
    EXPECT_EQ(explicitRunLabels(experiment), QStringList{"context 64, 25 %, learning rate 0.01"});
}

TEST(SweepChips, RunsOfTheDefaultSweepHaveTheNamesOfTheirCurves) {
    EXPECT_EQ(explicitRunLabels(presets().front().experiment),
              (QStringList{"RoPE 0 %", "θ 10k, 2 ch", "θ 10k, 25 %", "θ 10k, 100 %", "θ 100, 100 %", "θ 1M, 100 %"}));
}

}  // namespace
}  // namespace ropelab::ui
