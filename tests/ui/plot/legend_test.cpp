#include "ui/plot/legend.h"

#include <gtest/gtest.h>

#include <QAbstractButton>
#include <QSignalSpy>
#include <QToolButton>

namespace ropelab::ui {
namespace {

std::vector<Legend::Entry> entries(int count) {
    std::vector<Legend::Entry> result;
    for (int i = 1; i <= count; ++i) {
        result.push_back({i, QStringLiteral("run number %1").arg(i), QPen(Qt::blue), true});
    }
    return result;
}

QList<QAbstractButton*> shownButtons(const Legend& legend) {
    QList<QAbstractButton*> shown;
    for (QAbstractButton* button : legend.findChildren<QAbstractButton*>()) {
        if (button->isVisibleTo(&legend) && qobject_cast<QToolButton*>(button) == nullptr) {
            shown.append(button);
        }
    }
    return shown;
}

TEST(Legend, ClickTogglesARun) {
    Legend legend;
    legend.resize(600, 100);
    legend.setEntries(entries(3));
    QSignalSpy toggled(&legend, &Legend::toggled);
    shownButtons(legend)[1]->click();
    ASSERT_EQ(toggled.count(), 1);
    EXPECT_EQ(toggled[0][0].value<RunId>(), 2);
    EXPECT_FALSE(toggled[0][1].toBool());
    EXPECT_EQ(shownButtons(legend)[1]->accessibleName(), "run number 2");
}

TEST(Legend, ShowsShortenedNamesAndFullToolTips) {
    Legend legend;
    legend.resize(600, 100);
    legend.setEntries({{1, "learned + θ 500, 100 %, 3 seeds", QPen(Qt::blue), true},
                       {2, "learned + θ 10k, 100 %, 3 seeds", QPen(Qt::red), false}});
    EXPECT_EQ(shownButtons(legend)[0]->text(), QStringLiteral("θ 500"));
    EXPECT_EQ(shownButtons(legend)[1]->text(), QStringLiteral("θ 10k"));
    EXPECT_EQ(shownButtons(legend)[1]->toolTip(), QStringLiteral("Show learned + θ 10k, 100 %, 3 seeds"));
    EXPECT_EQ(shownButtons(legend)[1]->accessibleName(), QStringLiteral("learned + θ 10k, 100 %, 3 seeds"));
}

TEST(Legend, HidesEntriesAfterThreeRows) {
    Legend legend;
    legend.resize(500, 200);
    legend.setEntries(entries(40));
    const qsizetype folded = shownButtons(legend).size();
    EXPECT_GT(folded, 6);
    EXPECT_LT(folded, 40);
    auto* more = legend.findChild<QToolButton*>();
    ASSERT_NE(more, nullptr);
    EXPECT_EQ(more->text(), QStringLiteral("%1 more").arg(40 - folded));
    for (const QAbstractButton* button : shownButtons(legend)) {
        EXPECT_LE(button->geometry().right(), 500);
        EXPECT_FALSE(button->geometry().intersects(more->geometry()));
    }
    // Measuring for another width does not change the text of the button.
    EXPECT_GT(legend.heightForWidth(200), 0);
    EXPECT_EQ(more->text(), QStringLiteral("%1 more").arg(40 - folded));
    more->click();
    EXPECT_EQ(shownButtons(legend).size(), 40);
    legend.setEntries(entries(2));
    EXPECT_EQ(shownButtons(legend).size(), 2);
    EXPECT_FALSE(more->isVisibleTo(&legend));
}

}  // namespace
}  // namespace ropelab::ui
