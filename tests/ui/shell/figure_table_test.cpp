#include "ui/shell/figure_table.h"

#include <gtest/gtest.h>

#include <QPointer>
#include <QTableView>
#include <QTest>

namespace ropelab::ui {
namespace {

Figure figureOf(const FigureTable& table) {
    Figure figure;
    figure.name = "example";
    figure.table = table;
    return figure;
}

TEST(FigureTables, HaveTheCellsOfTheExportedFile) {
    const Figure figure = figureOf({{"loss"}, {{1.5, 1.25}}, {{"partial", {"slice", "a, \"b\""}}}});
    const auto tables = figureTables(figure);
    ASSERT_EQ(tables.size(), 1u);
    ASSERT_EQ(tables[0].columns.size(), 2u);
    EXPECT_EQ(tables[0].columns[0].title, "partial");
    EXPECT_TRUE(tables[0].columns[0].isWord);
    EXPECT_FALSE(tables[0].columns[1].isWord);
    ASSERT_EQ(tables[0].rows.size(), 2u);
    EXPECT_EQ(tables[0].rows[1][0].text, "a, \"b\"");
    EXPECT_EQ(tables[0].rows[1][1].text, "1.25");
}

TEST(FigureTables, MapWithACurveHasTwoTables) {
    Figure figure;
    figure.x.label = "key";
    figure.y.label = "query";
    FigureMap map;
    map.columns = 2;
    map.rows = 1;
    map.values = {1, 2};
    figure.map = map;
    FigureCurve curve;
    curve.label = "diagonal";
    curve.x = {0, 1};
    curve.y = {0, 1};
    figure.curves = {curve};
    const auto tables = figureTables(figure);
    ASSERT_EQ(tables.size(), 2u);
    EXPECT_EQ(tables[0].rows.size(), 1u);
    EXPECT_EQ(tables[1].rows.size(), 2u);
}

TEST(FigureTables, WindowShowsAReadOnlyTableAndDeletesItself) {
    QPointer<FigureTableWindow> window = new FigureTableWindow(figureOf({{"loss"}, {{1.5}}}));
    window->show();
    ASSERT_EQ(window->views().size(), 1);
    const QTableView* view = window->views().first();
    EXPECT_EQ(view->model()->index(0, 0).data().toString(), "1.5");
    EXPECT_EQ(view->editTriggers(), QAbstractItemView::NoEditTriggers);
    EXPECT_FALSE(view->accessibleName().isEmpty());
    window->close();
    EXPECT_TRUE(QTest::qWaitFor([&] { return window.isNull(); }));
}

}  // namespace
}  // namespace ropelab::ui
