#include <QPushButton>
#include <QSignalSpy>
#include <QToolButton>
#include <algorithm>

#include "tests/ui/support/workbench.h"
#include "ui/rotary/statements/statement_cards.h"
#include "ui/rotary/statements/statements.h"
#include "ui/window/formula_book.h"

namespace ropelab::ui {
namespace {

/// The statement in whose claim some words occur.
const Statement& about(const QString& words) {
    const auto found = std::find_if(wrongStatements().begin(), wrongStatements().end(),
                                    [&](const Statement& each) { return each.claim.contains(words); });
    EXPECT_NE(found, wrongStatements().end());
    return *found;
}

Reading readingOf(const QString& words) {
    const Statement& statement = about(words);
    return statement.read(statement.setup);
}

TEST(WrongStatements, AreSixWithSetupsThatMakeSense) {
    ASSERT_EQ(wrongStatements().size(), 6U);
    ThemeManager::instance().apply();
    FormulaBook book;
    const QStringList known = {"rotation", "spectrum", "cache", "context", "memory"};
    for (const Statement& statement : wrongStatements()) {
        EXPECT_NO_THROW(check(statement.setup)) << statement.claim.toStdString();
        EXPECT_TRUE(known.contains(statement.room)) << statement.room.toStdString();
        EXPECT_TRUE(book.showFormula(statement.formula)) << statement.formula;
        EXPECT_FALSE(statement.why.isEmpty());
    }
}

TEST(WrongStatements, RandomVectorsHaveNoDecay) {
    const Reading reading = readingOf("random q and k");
    ASSERT_EQ(reading.values.size(), 6U);
    for (const int at : {0, 2}) {
        const double mean = reading.values[static_cast<std::size_t>(at)];
        const double error = reading.values[static_cast<std::size_t>(at) + 1];
        EXPECT_NEAR(error, std::sqrt(64.0 / 20000), 0.003);  // the variance of q·k is d
        EXPECT_LT(std::abs(mean), 4 * error);
    }
    EXPECT_NEAR(reading.values[4], 64.0, 1e-9);
    EXPECT_NEAR(reading.values[5], 35.7, 0.05);
}

TEST(WrongStatements, LargerBasesCanFail) {
    const Reading reading = readingOf("larger base");
    ASSERT_GE(reading.values.size(), 7U);
    EXPECT_EQ(reading.values[0], 1413);
    EXPECT_EQ(reading.values[1], 1792);
    EXPECT_EQ(reading.values[2], 1892);
    EXPECT_EQ(reading.values[3], 1897);
    EXPECT_EQ(reading.values[4], 1952);
    EXPECT_EQ(reading.values.size(), 7U);  // the last goes to the scan's end; then the first negative m
    EXPECT_LT(reading.values.back(), 256);
    EXPECT_TRUE(reading.text.contains(QStringLiteral("1,413–1,792, 1,892–1,897, from 1,952 on")));
}

TEST(WrongStatements, AQuarterIsTwoThings) {
    const Reading reading = readingOf("25 %");
    EXPECT_NEAR(reading.values[0], 19869, 0.6);
    EXPECT_NEAR(reading.values[1], 47, 0.5);
    EXPECT_NEAR(reading.values[3], 10, 1e-9);  // 10,000^(16/64)
    EXPECT_TRUE(reading.text.contains("19,869"));
}

TEST(WrongStatements, YarnKeepsTheFastPairs) {
    const Reading reading = readingOf("YaRN");
    EXPECT_EQ(reading.values[0], 21);  // pairs 0 to low = 20
    EXPECT_EQ(reading.values[1], 64);
    EXPECT_NEAR(reading.values[2], 4, 1e-9);
}

TEST(WrongStatements, TheBoundIsFarBelowTheSlowestWavelength) {
    const Reading reading = readingOf("bounds the context");
    EXPECT_EQ(reading.values[0], 1707);
    EXPECT_NEAR(reading.values[1], 62832, 0.5);
    EXPECT_TRUE(reading.text.contains("1,707"));
    EXPECT_TRUE(reading.text.contains("62,832"));
}

TEST(WrongStatements, TheBaseChangesNumbersOnly) {
    const Reading reading = readingOf("costs speed");
    EXPECT_EQ(reading.values[0], reading.values[1]);
    EXPECT_EQ(reading.values[0], 1024.0 * 64 * 4);
    EXPECT_EQ(reading.values[2], 128);
    EXPECT_EQ(reading.values[3], 64);
    EXPECT_GT(reading.values[4], 80);  // all but pair 0 and what both call 1
    EXPECT_LT(reading.values[4], 97);
}

class StatementCardsTest : public Workbench {};

TEST_F(StatementCardsTest, AButtonTakesTheSetupThereAndCanBeUndone) {
    Workspace workspace(options());
    StatementCards cards(workspace);
    QSignalSpy shown(&cards, &StatementCards::shown);
    const RotarySetup before = workspace.rotary().setup();
    for (int i = 0; i < static_cast<int>(wrongStatements().size()); ++i) {
        const Statement& statement = wrongStatements()[static_cast<std::size_t>(i)];
        cards.button(i)->click();
        EXPECT_EQ(workspace.rotary().setup(), statement.setup);
        ASSERT_EQ(shown.count(), i + 1);
        EXPECT_EQ(shown.last(), QVariantList({statement.room, statement.part}));
    }
    while (workspace.undo().canUndo()) workspace.undo().undo();
    EXPECT_EQ(workspace.rotary().setup(), before);
}

TEST_F(StatementCardsTest, AFormulaIsLookedUp) {
    Workspace workspace(options());
    StatementCards cards(workspace);
    QSignalSpy asked(&cards, &StatementCards::formulaAsked);
    for (auto* button : cards.findChildren<QToolButton*>()) button->click();
    ASSERT_EQ(asked.count(), static_cast<int>(wrongStatements().size()));
    for (int i = 0; i < asked.count(); ++i) {
        EXPECT_EQ(asked[i], QVariantList({wrongStatements()[static_cast<std::size_t>(i)].formula}));
    }
}

TEST_F(StatementCardsTest, TheNumbersComeWhenItIsShown) {
    Workspace workspace(options());
    StatementCards cards(workspace);
    EXPECT_TRUE(cards.reading(0).startsWith("computing"));
    cards.show();
    ASSERT_TRUE(waitUntil([&] { return !cards.reading(0).startsWith("computing"); }));
    for (int i = 0; i < static_cast<int>(wrongStatements().size()); ++i) {
        const Statement& statement = wrongStatements()[static_cast<std::size_t>(i)];
        EXPECT_EQ(cards.reading(i).replace(QChar(0x00A0), ' '), statement.read(statement.setup).text);
    }
}

}  // namespace
}  // namespace ropelab::ui
