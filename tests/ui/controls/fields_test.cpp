#include "ui/controls/fields.h"

#include <gtest/gtest.h>

#include <QAbstractButton>
#include <QApplication>
#include <QButtonGroup>
#include <QComboBox>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QSignalSpy>
#include <QSlider>
#include <QSpinBox>
#include <QTest>
#include <QVBoxLayout>
#include <QWheelEvent>

#include "ui/common/format.h"
#include "ui/controls/choice_box.h"
#include "ui/controls/number_slider.h"

namespace ropelab::ui {
namespace {

/// Fixture with a panel that contains one field of each kind.
class FieldsTest : public ::testing::Test {
 protected:
    void SetUp() override {
        const ScrollColumn made = makePanel(&panel, QStringLiteral("panel"));
        choice = makeChoice(QStringLiteral("choice"), made.content);
        choice->addItems({QStringLiteral("a"), QStringLiteral("b"), QStringLiteral("c")});
        spin = new QSpinBox(made.content);
        slider = new QSlider(Qt::Horizontal, made.content);
        for (QWidget* field : fields()) made.column->addWidget(field);
        panel.show();
        panel.activateWindow();
        ASSERT_TRUE(QTest::qWaitForWindowActive(&panel));
        if (QWidget* first = panel.focusWidget()) first->clearFocus();
    }
    std::vector<QWidget*> fields() const { return {choice, spin, slider}; }
    /// Returns whether the field accepts a wheel event. If not, Qt sends the event to the parent, which scrolls.
    static bool takesWheel(QWidget* field) {
        const QPointF place(3, 3);
        QWheelEvent event(place, field->mapToGlobal(place), QPoint(), QPoint(0, -120), Qt::NoButton, Qt::NoModifier,
                          Qt::NoScrollPhase, false);
        QApplication::sendEvent(field, &event);
        return event.isAccepted();
    }
    QFrame panel;
    QComboBox* choice = nullptr;
    QSpinBox* spin = nullptr;
    QSlider* slider = nullptr;
};

// The panel cut "default baseline: θ 10k" at the end, where its value is.
TEST_F(FieldsTest, LongTextOfAChoiceIsShortenedInTheMiddle) {
    auto* box = qobject_cast<ChoiceBox*>(choice);
    ASSERT_TRUE(box);
    EXPECT_EQ(box->shownText(), "a");
    box->addItem(QStringLiteral("default baseline: position learned+rope, θ 10k"));
    box->setCurrentIndex(box->count() - 1);
    box->setFixedWidth(200);
    const QString shown = box->shownText();
    EXPECT_TRUE(shown.startsWith("default")) << shown.toStdString();
    EXPECT_TRUE(shown.endsWith(QStringLiteral("10k"))) << shown.toStdString();
    EXPECT_TRUE(shown.contains(QChar(0x2026)));
    box->setFixedWidth(1200);
    EXPECT_EQ(box->shownText(), box->currentText());
}

TEST_F(FieldsTest, TheLongestNumberOfAFieldIsWholeBesideItsUnit) {
    NumberSlider context({.label = "context", .unit = "tokens", .minimum = 16, .maximum = 1048576, .text = wholeText});
    context.resize(282, 40);
    context.show();
    context.setValue(1048576);
    QApplication::processEvents();
    auto* field = context.findChild<QLineEdit*>();
    EXPECT_EQ(field->text(), "1,048,576");
    EXPECT_EQ(field->cursorPositionAt(QPoint(1, field->height() / 2)), 0) << "the first digit is cut";
}

TEST_F(FieldsTest, WheelChangesOnlyTheFocusedField) {
    spin->setValue(50);
    slider->setValue(50);
    for (QWidget* field : fields()) {
        EXPECT_FALSE(takesWheel(field)) << field->metaObject()->className();
        EXPECT_FALSE(field->focusPolicy() == Qt::WheelFocus) << "the wheel must not move the focus";
    }
    EXPECT_EQ(choice->currentIndex(), 0);
    EXPECT_EQ(spin->value(), 50);
    EXPECT_EQ(slider->value(), 50);
    for (QWidget* field : fields()) {
        field->setFocus();
        ASSERT_TRUE(field->hasFocus());
        EXPECT_TRUE(takesWheel(field)) << field->metaObject()->className();
    }
    EXPECT_EQ(choice->currentIndex(), 1);
    EXPECT_NE(spin->value(), 50);
    EXPECT_NE(slider->value(), 50);
}

TEST_F(FieldsTest, LabelIsDisabledTogetherWithItsField) {
    auto* field = new QSpinBox(&panel);
    field->setEnabled(false);
    QGridLayout* grid = makeFieldGrid();
    QLabel* label = addField(grid, QStringLiteral("label"), field, {});
    panel.layout()->addItem(grid);
    EXPECT_FALSE(label->isEnabled());
    field->setEnabled(true);
    EXPECT_TRUE(label->isEnabled());
    field->setEnabled(false);
    EXPECT_FALSE(label->isEnabled());
}

TEST_F(FieldsTest, UnchangedEntriesDoNotRebuildAList) {
    const QList<QPair<QString, QVariant>> entries = {{"one", 1}, {"two", 2}, {"three", QVariantMap{{"x", 3}}}};
    refillChoice(choice, entries, 2);
    EXPECT_EQ(choice->currentText(), "two");
    QSignalSpy removed(choice->model(), &QAbstractItemModel::rowsRemoved);
    QSignalSpy reset(choice->model(), &QAbstractItemModel::modelReset);
    QSignalSpy chosen(choice, &QComboBox::currentIndexChanged);
    refillChoice(choice, entries, QVariantMap{{"x", 3}});
    EXPECT_EQ(choice->currentText(), "three");
    EXPECT_EQ(removed.count() + reset.count(), 0);
    refillChoice(choice, {{"one", 1}, {"two", 3}}, 3);
    EXPECT_EQ(choice->currentText(), "two");
    EXPECT_GT(removed.count() + reset.count(), 0);
    EXPECT_EQ(chosen.count(), 0) << "no signal is emitted";
}

TEST(Toggles, HaveTheirPlacesAsIds) {
    QWidget box;
    auto* row = new QHBoxLayout(&box);
    int chosen = -1;
    QButtonGroup* group = addToggles(row, {{"a", "Show a"}, {"b", "Show b"}}, [&chosen](int id) { chosen = id; });
    EXPECT_EQ(group->checkedId(), 0);
    EXPECT_EQ(group->button(1)->text(), "b");
    group->button(1)->click();
    EXPECT_EQ(chosen, 1);
    EXPECT_FALSE(group->button(0)->isChecked());
}

}  // namespace
}  // namespace ropelab::ui
