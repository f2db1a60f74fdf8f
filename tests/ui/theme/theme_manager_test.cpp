#include "ui/theme/theme_manager.h"

#include <gtest/gtest.h>

#include <QAbstractItemView>
#include <QApplication>
#include <QComboBox>
#include <QFontInfo>
#include <QFontMetricsF>
#include <QLineEdit>
#include <QMenu>
#include <QPalette>
#include <QRegularExpression>
#include <QScrollBar>
#include <QSignalSpy>
#include <QStyle>
#include <QTest>
#include <QVBoxLayout>

namespace ropelab::ui {
namespace {

class ThemeManagerTest : public testing::Test {
 protected:
    void SetUp() override {
        manager.setScale(100);
        manager.setChoice(ThemeManager::Choice::light);
        manager.apply();
    }
    ThemeManager& manager = ThemeManager::instance();
};

TEST_F(ThemeManagerTest, SetsPaletteStyleSheetAndFont) {
    EXPECT_EQ(QApplication::palette().color(QPalette::Window), Theme::light().window);
    EXPECT_EQ(QApplication::font().family(), ThemeManager::family());
    EXPECT_DOUBLE_EQ(QApplication::font().pointSizeF(), 10.5);
    manager.setChoice(ThemeManager::Choice::dark);
    EXPECT_EQ(QApplication::palette().color(QPalette::Window), Theme::dark().window);
    EXPECT_TRUE(qApp->styleSheet().contains(Theme::dark().accent.name()));
    EXPECT_FALSE(qApp->styleSheet().contains(Theme::light().accent.name()));
}

// At a height of 800 pixels, the menu View had two columns.
TEST_F(ThemeManagerTest, HighMenusScroll) {
    const QMenu menu;
    EXPECT_EQ(menu.style()->styleHint(QStyle::SH_Menu_Scrollable, nullptr, &menu), 1);
}

TEST_F(ThemeManagerTest, StyleSheetContainsNoUnreplacedNames) {
    const QRegularExpression name(QStringLiteral("@[A-Za-z]+"));
    EXPECT_FALSE(qApp->styleSheet().isEmpty());
    EXPECT_EQ(name.match(qApp->styleSheet()).captured().toStdString(), "");
}

// A list kept the margins of the unfocused box, so that a scroll arrow hid its last row.
TEST_F(ThemeManagerTest, ListOfAFocusedBoxShowsAllRows) {
    for (const int scale : {100, 125, 150}) {
        manager.setScale(scale);
        QWidget window;
        QVBoxLayout column(&window);
        QLineEdit before;
        QComboBox box;
        column.addWidget(&before);
        column.addWidget(&box);
        box.addItems({QStringLiteral("a"), QStringLiteral("b"), QStringLiteral("c")});
        window.show();
        window.activateWindow();
        ASSERT_TRUE(QTest::qWaitForWindowActive(&window));
        before.setFocus();
        const int height = box.height();
        QAbstractItemView* list = box.view();
        box.setFocus();
        ASSERT_TRUE(box.hasFocus());
        QCoreApplication::processEvents();
        EXPECT_EQ(box.height(), height);
        box.showPopup();
        EXPECT_EQ(list->verticalScrollBar()->maximum(), 0) << scale;
        EXPECT_TRUE(list->viewport()->rect().contains(list->visualRect(box.model()->index(2, 0)).center())) << scale;
        box.hidePopup();
    }
    manager.setScale(100);
}

TEST_F(ThemeManagerTest, ScalesFontsAndLengthsTogether) {
    const double font = manager.font().pointSizeF();
    const double length = manager.px(12);
    manager.setScale(150);
    EXPECT_DOUBLE_EQ(manager.font().pointSizeF(), font * 1.5);
    EXPECT_DOUBLE_EQ(manager.px(12), length * 1.5);
    EXPECT_DOUBLE_EQ(QApplication::font().pointSizeF(), font * 1.5);
}

TEST_F(ThemeManagerTest, LimitsTheScale) {
    manager.setScale(10);
    EXPECT_EQ(manager.scale(), 100);
    manager.smaller();
    EXPECT_EQ(manager.scale(), 100);
    manager.larger();
    EXPECT_EQ(manager.scale(), 110);
    manager.setScale(999);
    EXPECT_EQ(manager.scale(), 250);
    manager.larger();
    EXPECT_EQ(manager.scale(), 250);
    manager.setScale(140);
    manager.smaller();
    EXPECT_EQ(manager.scale(), 125);
}

TEST_F(ThemeManagerTest, EmitsSignalsOnlyForChanges) {
    QSignalSpy changes(&manager, &ThemeManager::changed);
    manager.setChoice(ThemeManager::Choice::light);
    manager.setScale(100);
    EXPECT_EQ(changes.count(), 0);
    manager.setChoice(ThemeManager::Choice::dark);
    manager.setScale(125);
    EXPECT_EQ(changes.count(), 2);
}

TEST_F(ThemeManagerTest, BundledFontHasTabularDigitsAndGreek) {
    EXPECT_EQ(QFontInfo(manager.font()).family(), ThemeManager::family());
    for (const auto weight : {QFont::Normal, QFont::DemiBold}) {
        const QFontMetricsF metrics(manager.fontAt(10.5, weight));
        const double width = metrics.horizontalAdvance(u'0');
        for (char16_t digit = u'1'; digit <= u'9'; ++digit) {
            EXPECT_DOUBLE_EQ(metrics.horizontalAdvance(digit), width) << static_cast<char>(digit);
        }
        EXPECT_TRUE(metrics.inFont(QChar(0x03B8)));
        EXPECT_TRUE(metrics.inFont(QChar(0x207B)));
    }
}

}  // namespace
}  // namespace ropelab::ui
