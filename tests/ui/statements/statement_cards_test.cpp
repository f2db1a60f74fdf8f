#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QToolButton>
#include <algorithm>

#include "tests/ui/support/workbench.h"
#include "ui/help/guide_pages.h"
#include "ui/statements/statement_cards.h"
#include "ui/statements/statements.h"

namespace ropelab::ui {
namespace {

/// Returns the statement whose claim contains `words`.
const Statement& about(const QString& words) {
    const auto found = std::find_if(wrongStatements().begin(), wrongStatements().end(),
                                    [&](const Statement& each) { return each.claim.contains(words); });
    EXPECT_NE(found, wrongStatements().end());
    return *found;
}

Evidence evidenceOf(const QString& words) {
    const Statement& statement = about(words);
    return statement.compute(statement.setup);
}

TEST(WrongStatements, HaveValidSetupsRoomsAndFormulas) {
    ASSERT_EQ(wrongStatements().size(), 6U);
    ThemeManager::instance().apply();
    const QStringList known = {"rotation", "spectrum", "table", "context", "memory"};
    for (const Statement& statement : wrongStatements()) {
        EXPECT_NO_THROW(check(statement.setup)) << statement.claim.toStdString();
        EXPECT_TRUE(known.contains(statement.room)) << statement.room.toStdString();
        EXPECT_NE(formulaSection(statement.formula), nullptr) << statement.formula;
        EXPECT_FALSE(statement.why.isEmpty());
    }
}

TEST(WrongStatements, RandomVectorsDoNotDecay) {
    const Evidence evidence = evidenceOf("random q and k");
    ASSERT_EQ(evidence.values.size(), 6U);
    for (const int at : {0, 2}) {
        const double mean = evidence.values[static_cast<std::size_t>(at)];
        const double error = evidence.values[static_cast<std::size_t>(at) + 1];
        EXPECT_NEAR(error, std::sqrt(64.0 / 20000), 0.003);  // the variance of q·k is d
        EXPECT_LT(std::abs(mean), 4 * error);
    }
    EXPECT_NEAR(evidence.values[4], 64.0, 1e-9);
    EXPECT_NEAR(evidence.values[5], 35.7, 0.05);
}

TEST(WrongStatements, LargerBasesCanFail) {
    const Evidence evidence = evidenceOf("larger base");
    ASSERT_GE(evidence.values.size(), 7U);
    EXPECT_EQ(evidence.values[0], 1413);
    EXPECT_EQ(evidence.values[1], 1792);
    EXPECT_EQ(evidence.values[2], 1892);
    EXPECT_EQ(evidence.values[3], 1897);
    EXPECT_EQ(evidence.values[4], 1952);
    EXPECT_EQ(evidence.values.size(), 7U);  // the last interval ends with the scan; the first negative m follows
    EXPECT_LT(evidence.values.back(), 256);
    EXPECT_TRUE(evidence.text.contains(QStringLiteral("1,413–1,792, 1,892–1,897, at least 1,952")));
    EXPECT_TRUE(evidence.text.contains(QStringLiteral("Δ = 235; the lowest value of B is −0.16 (the maximum is 32).")));
}

TEST(WrongStatements, QuarterDiffersBetweenSliceAndTruncate) {
    const Evidence evidence = evidenceOf("25 %");
    EXPECT_NEAR(evidence.values[0], 19869, 0.6);
    EXPECT_NEAR(evidence.values[1], 47, 0.5);
    EXPECT_NEAR(evidence.values[3], 10, 1e-9);  // 10,000^(16/64)
    EXPECT_TRUE(evidence.text.contains("19,869"));
}

TEST(WrongStatements, YarnDoesNotChangeHighFrequencies) {
    const Evidence evidence = evidenceOf("YaRN");
    EXPECT_EQ(evidence.values[0], 21);  // pairs 0 to low = 20
    EXPECT_EQ(evidence.values[1], 64);
    EXPECT_NEAR(evidence.values[2], 4, 1e-9);
}

TEST(WrongStatements, BoundIsFarBelowTheLongestWavelength) {
    const Evidence evidence = evidenceOf("bounds the context");
    EXPECT_EQ(evidence.values[0], 1707);
    EXPECT_NEAR(evidence.values[1], 62832, 0.5);
    EXPECT_TRUE(evidence.text.contains("1,707"));
    EXPECT_TRUE(evidence.text.contains("62,832"));
}

TEST(WrongStatements, BaseDoesNotChangeTheCost) {
    const Evidence evidence = evidenceOf("costs speed");
    EXPECT_EQ(evidence.values[0], evidence.values[1]);
    EXPECT_EQ(evidence.values[0], 1024.0 * 64 * 4);
    EXPECT_EQ(evidence.values[2], 128);
    EXPECT_EQ(evidence.values[3], 64);
    EXPECT_GT(evidence.values[4], 80);  // all cosines except pair 0 and those that are 1 at both bases
    EXPECT_LT(evidence.values[4], 97);
}

class StatementCardsTest : public Workbench {};

TEST_F(StatementCardsTest, EveryClaimIsMarkedAsFalse) {
    Workspace workspace(options());
    StatementCards cards(workspace.rotary(), [](const QString& room) { return room; });
    QStringList texts;
    for (const auto* label : cards.findChildren<QLabel*>()) texts << label->text();
    for (const Statement& statement : wrongStatements()) {
        EXPECT_TRUE(texts.contains("False: " + statement.claim)) << statement.claim.toStdString();
        EXPECT_FALSE(texts.contains(statement.claim)) << statement.claim.toStdString();
    }
}

TEST_F(StatementCardsTest, ButtonChangesTheSetupAndCanBeUndone) {
    Workspace workspace(options());
    StatementCards cards(workspace.rotary(), [](const QString& room) { return room; });
    QSignalSpy shown(&cards, &StatementCards::shown);
    const RotarySetup before = workspace.rotary().setup();
    for (int i = 0; i < static_cast<int>(wrongStatements().size()); ++i) {
        const Statement& statement = wrongStatements()[static_cast<std::size_t>(i)];
        cards.button(i)->click();
        EXPECT_EQ(workspace.rotary().setup(), statement.setup);
        ASSERT_EQ(shown.count(), i + 1);
        EXPECT_EQ(shown.last(), QVariantList({statement.room, statement.part}));
    }
    while (workspace.rotaryUndo().canUndo()) workspace.rotaryUndo().undo();
    EXPECT_EQ(workspace.rotary().setup(), before);
}

TEST_F(StatementCardsTest, FormulaButtonRequestsItsFormula) {
    Workspace workspace(options());
    StatementCards cards(workspace.rotary(), [](const QString& room) { return room; });
    QSignalSpy asked(&cards, &StatementCards::formulaRequested);
    for (auto* button : cards.findChildren<QToolButton*>()) button->click();
    ASSERT_EQ(asked.count(), static_cast<int>(wrongStatements().size()));
    for (int i = 0; i < asked.count(); ++i) {
        EXPECT_EQ(asked[i], QVariantList({wrongStatements()[static_cast<std::size_t>(i)].formula}));
    }
}

TEST_F(StatementCardsTest, EvidenceIsComputedWhenShown) {
    Workspace workspace(options());
    StatementCards cards(workspace.rotary(), [](const QString& room) { return room; });
    EXPECT_TRUE(cards.evidence(0).startsWith("computing"));
    cards.show();
    ASSERT_TRUE(waitUntil([&] { return !cards.evidence(0).startsWith("computing"); }));
    for (int i = 0; i < static_cast<int>(wrongStatements().size()); ++i) {
        const Statement& statement = wrongStatements()[static_cast<std::size_t>(i)];
        EXPECT_EQ(cards.evidence(i).replace(QChar(0x00A0), ' '), statement.compute(statement.setup).text);
    }
}

}  // namespace
}  // namespace ropelab::ui
