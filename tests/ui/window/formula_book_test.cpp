#include "ui/help/formula_book.h"

#include <QCursor>
#include <QFontMetricsF>
#include <QLineEdit>
#include <QRegularExpression>
#include <QScrollBar>
#include <QTextBlock>
#include <QTextBrowser>

#include "tests/ui/support/window_fixture.h"
#include "ui/help/command_palette.h"
#include "ui/help/explanation_card.h"
#include "ui/window/rotary_controller.h"

namespace ropelab::ui {
namespace {

class FormulaBookTest : public WindowFixture {
 protected:
    FormulaBook& open() {
        window->actions().action("help.formulas")->trigger();
        FormulaBook& book = window->rotary().formulas();
        EXPECT_TRUE(QTest::qWaitForWindowActive(&book));
        return book;
    }
    static void type(FormulaBook& book, const QString& words) {
        book.search()->clear();
        QTest::keyClicks(book.search(), words);
    }
};

TEST_F(FormulaBookTest, HelpMenuAndPaletteOpenTheFormulas) {
    EXPECT_EQ(window->commandPalette().matches("formulas").value(0), "help.formulas");
    EXPECT_EQ(window->actions().spec("help.formulas").menu, "Help");
    FormulaBook& book = open();
    EXPECT_TRUE(book.isVisible());
    EXPECT_FALSE(book.isModal());
    const QString text = book.page()->toPlainText();
    EXPECT_TRUE(text.startsWith("Formulas\n"));
    EXPECT_TRUE(text.contains("Formula 12: context bound\n")) << "Markdown is rendered";
    EXPECT_TRUE(text.contains(QStringLiteral("B(Δ) = K(Δ) = Σi cos(Δωi); θ supports L if B(Δ) ≥ 0")));
    EXPECT_TRUE(text.contains("Source: Men et al. 2024."));
    // Indices are subscripts; names of files keep their underscores.
    EXPECT_FALSE(text.contains("_{"));
    EXPECT_FALSE(text.contains(QStringLiteral("ω_"))) << "also where a letter precedes: mω_i";
    EXPECT_TRUE(text.contains(QStringLiteral("R(mωi) = [[cos mωi, −sin mωi], [sin mωi, cos mωi]]")));
    EXPECT_FALSE(text.contains(QRegularExpression("\\bd_r\\b")));
    EXPECT_TRUE(text.contains(QStringLiteral("|hj+1 − hj|")));
    EXPECT_TRUE(text.contains("modeling_rope_utils.py"));
    EXPECT_TRUE(book.page()->toHtml().contains("vertical-align:sub"));
    EXPECT_TRUE(book.page()->toHtml().contains("href=\"https://arxiv.org/abs/2405.14591\""));
    QTest::keyClick(book.search(), Qt::Key_Escape);
    EXPECT_FALSE(book.isVisible());
}

TEST_F(FormulaBookTest, FindsFormulasByNumberAndText) {
    FormulaBook& book = open();
    for (const char* typed : {"12", "F12", "formula 12"}) {
        type(book, "1");
        type(book, typed);
        EXPECT_TRUE(book.currentHeading().startsWith("Formula 12:"))
            << typed << ": " << book.currentHeading().toStdString();
        EXPECT_FALSE(book.search()->property("wrong").toBool());
    }
    type(book, "YaRN");
    QTextCursor first = book.page()->textCursor();
    EXPECT_EQ(first.selectedText(), "YaRN");
    QTest::keyClick(book.search(), Qt::Key_Return);
    EXPECT_GT(book.page()->textCursor().position(), first.position());
    QTest::keyClick(book.search(), Qt::Key_Return, Qt::ShiftModifier);
    EXPECT_EQ(book.page()->textCursor().position(), first.position());
    type(book, "no such words");
    EXPECT_TRUE(book.search()->property("wrong").toBool());
    const int before = book.page()->verticalScrollBar()->value();
    QTest::keyClick(book.search(), Qt::Key_PageUp);
    EXPECT_LT(book.page()->verticalScrollBar()->value(), before);
    EXPECT_FALSE(book.showFormula(26)) << "there is no formula 26";
}

TEST_F(FormulaBookTest, ThemeAndScaleChangesKeepThePosition) {
    FormulaBook& book = open();
    ASSERT_TRUE(book.showFormula(21));
    ThemeManager& theme = ThemeManager::instance();
    theme.setScale(200);
    theme.setChoice(ThemeManager::Choice::dark);
    EXPECT_TRUE(book.currentHeading().startsWith("Formula 21:")) << book.currentHeading().toStdString();
    bool hasLink = false;
    for (QTextBlock block = book.page()->document()->begin(); block.isValid(); block = block.next()) {
        for (auto piece = block.begin(); !piece.atEnd(); ++piece) {
            const QTextCharFormat format = piece.fragment().charFormat();
            EXPECT_GE(format.font().pointSizeF(), 20.9) << piece.fragment().text().toStdString();
            if (!format.isAnchor()) continue;
            hasLink = true;
            EXPECT_EQ(format.foreground().color(), Theme::dark().accent);
        }
    }
    EXPECT_TRUE(hasLink);
}

TEST_F(FormulaBookTest, WindowFontContainsAllSigns) {
    const QFontMetricsF metrics(ThemeManager::instance().font());
    for (const QChar sign : open().page()->toPlainText()) {
        EXPECT_TRUE(sign.isSpace() || metrics.inFont(sign)) << QString(sign).toStdString();
    }
}

TEST_F(FormulaBookTest, F1ExplainsTheSearchField) {
    FormulaBook& book = open();
    book.activateWindow();
    ASSERT_TRUE(waitUntil([&book] { return book.search()->hasFocus(); }));
    QCursor::setPos(book.mapToGlobal(QPoint(2, 2)));
    QTest::keyClick(book.search(), Qt::Key_Shift);
    QTest::keyClick(book.search(), Qt::Key_F1);
    const auto* card = book.findChild<ExplanationCard*>();
    ASSERT_NE(card, nullptr);
    ASSERT_TRUE(card->isVisible());
    EXPECT_TRUE(card->why().text.contains("Shift+Enter"));
    QTest::keyClick(book.search(), Qt::Key_Escape);
    EXPECT_TRUE(book.isVisible()) << "the first Escape only hides the card";
}

TEST(FormulasIn, ReturnsNumbersInTheOrderOfTheText) {
    using Numbers = QList<int>;
    EXPECT_EQ(formulasIn("Men et al. 2024, formula 12"), Numbers({12}));
    EXPECT_EQ(formulasIn("Formulas 12 and 3, then formula 12"), Numbers({12, 3}));
    EXPECT_EQ(formulasIn("Formulas 18 to 20, 22 and 23"), Numbers({18, 19, 20, 22, 23}));
    EXPECT_EQ(formulasIn("5 formulas, F12 renames"), Numbers());
}

}  // namespace
}  // namespace ropelab::ui
