#include "ui/rooms/reproduce/letters_view.h"

#include <gtest/gtest.h>

#include <QSlider>

#include "ui/controls/number_slider.h"
#include "ui/controls/text_table.h"
#include "ui/plot/figure_view.h"
#include "ui/theme/theme_manager.h"

namespace ropelab::ui {
namespace {

class LettersViewTest : public ::testing::Test {
 protected:
    QString cell(int row, int column) { return view.table().index(row, column).data().toString(); }

    LettersView view;
};

TEST_F(LettersViewTest, TableShowsPrintedAndCorrectNumbers) {
    EXPECT_EQ(view.probability(), 0.9);
    const char* expected[3][5] = {{"letter A", "0.152", "0.47", "0.152", "disagrees"},
                                  {"letter B", "3.322", "3.32", "3.322", "agrees"},
                                  {"mean per letter", "0.469", "0.8", "0.469", "disagrees"}};
    for (int row = 0; row < 3; ++row) {
        for (int column = 0; column < 5; ++column) EXPECT_EQ(cell(row, column), expected[row][column]);
    }
    const QColor error = ThemeManager::instance().theme().error;
    EXPECT_EQ(view.table().index(0, 2).data(Qt::ForegroundRole).value<QColor>(), error);
    EXPECT_FALSE(view.table().index(1, 2).data(Qt::ForegroundRole).isValid());
    EXPECT_TRUE(
        view.words().contains("the code length of the letter A is 0.152 bits, that of B is 3.322 bits, and the mean "
                              "per letter is 0.469 bits"));
    EXPECT_TRUE(view.words().contains("both are wrong"));
}

TEST_F(LettersViewTest, SliderCoversOneToNinetyNinePercent) {
    auto* slider = view.slider().findChild<QSlider*>();
    ASSERT_NE(slider, nullptr);
    slider->setValue(slider->minimum());
    EXPECT_EQ(view.probability(), 0.01);
    EXPECT_EQ(cell(0, 1), "6.644");
    slider->setValue(slider->maximum());
    EXPECT_EQ(view.probability(), 0.99);
    view.slider().commit("0.5");
    for (int row = 0; row < 3; ++row) EXPECT_EQ(cell(row, 1), "1.000");
    EXPECT_FALSE(view.words().contains("wrong"));
    view.slider().commit("1.5");
    EXPECT_FALSE(view.slider().error().isEmpty());
    EXPECT_EQ(view.probability(), 0.5);
}

TEST_F(LettersViewTest, DraggedLineSetsProbability) {
    emit view.view().lineDragged("p(A)", 0.2512);
    EXPECT_EQ(view.probability(), 0.25);
    const Figure figure = view.figure();
    ASSERT_EQ(figure.verticalLines.size(), 1U);
    EXPECT_EQ(figure.verticalLines.front().at, 0.25);
    EXPECT_EQ(figure.curves.size(), 6U);  // three curves and the post's three values
    EXPECT_EQ(figure.curves[5].y.front(), 0.8);
    EXPECT_TRUE(figure.summary.contains("2.000"));
    // The line at p has the accent colour, which is that of the first curve of other figures.
    for (const FigureCurve& curve : figure.curves) EXPECT_NE(curve.ink, Ink::data(0));
    EXPECT_EQ(figure.valuesNote, "numbers at the right: values at p(A) = 0.99");
}

}  // namespace
}  // namespace ropelab::ui
