#include "ui/plot/plot_readout.h"

#include <gtest/gtest.h>

namespace ropelab::ui {
namespace {

QList<PlotReadout::Row> rowsOf(int count) {
    QList<PlotReadout::Row> rows;
    for (int i = 0; i < count; ++i) rows.append({QString::number(i), {}, {}, static_cast<double>(count - i), false});
    return rows;
}

QString namesOf(const QList<PlotReadout::Row>& rows) {
    QStringList names;
    for (const PlotReadout::Row& row : rows) names << row.label;
    return names.join(' ');
}

TEST(PlotReadout, ShowsAllRowsThatFit) {
    EXPECT_EQ(namesOf(PlotReadout::rowsAround(rowsOf(3), 3, 0)), "0 1 2");
}

TEST(PlotReadout, ShowsRowsAroundTheMouseOrTheStrongRow) {
    QList<PlotReadout::Row> rows = rowsOf(10);  // y descends from 10 to 1
    EXPECT_EQ(namesOf(PlotReadout::rowsAround(rows, 3, 5.2)), "4 5 6");
    EXPECT_EQ(namesOf(PlotReadout::rowsAround(rows, 3, 100)), "0 1 2");
    EXPECT_EQ(namesOf(PlotReadout::rowsAround(rows, 3, -100)), "7 8 9");
    rows[2].strong = true;
    EXPECT_EQ(namesOf(PlotReadout::rowsAround(rows, 3, -100)), "1 2 3");
    EXPECT_EQ(PlotReadout::rowsAround(rows, 3, std::numeric_limits<double>::quiet_NaN()).size(), 3);
}

}  // namespace
}  // namespace ropelab::ui
