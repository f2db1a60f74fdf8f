#include <gtest/gtest.h>

#include <QJsonDocument>
#include <QLocale>
#include <QStringList>
#include <clocale>
#include <cmath>

#include "tests/ui/figure/sample_figure.h"
#include "ui/figure/export/export.h"

namespace ropelab::ui {
namespace {

/// Parses one line of CSV (RFC 4180).
QStringList cellsOf(const QString& line) {
    QStringList cells{QString()};
    bool quoted = false;
    for (qsizetype i = 0; i < line.size(); ++i) {
        if (line[i] == u'"') {
            if (quoted && i + 1 < line.size() && line[i + 1] == u'"') {
                cells.last() += u'"';
                ++i;
            } else {
                quoted = !quoted;
            }
        } else if (line[i] == u',' && !quoted) {
            cells.append(QString());
        } else {
            cells.last() += line[i];
        }
    }
    return cells;
}

struct Table {
    QStringList comments;
    QStringList header;
    QList<QStringList> rows;
};

Table parsed(const QByteArray& csv) {
    Table table;
    for (const QString& line : QString::fromUtf8(csv).split(u'\n', Qt::SkipEmptyParts)) {
        if (line.startsWith(u'#')) {
            table.comments.append(line);
        } else if (table.header.isEmpty()) {
            table.header = cellsOf(line);
        } else {
            table.rows.append(cellsOf(line));
        }
    }
    return table;
}

TEST(FigureCsv, NumbersSurviveARoundTripInALocaleWithDecimalComma) {
    const QLocale before;
    QLocale::setDefault(QLocale(QLocale::German, QLocale::Germany));
    const std::string locale = std::setlocale(LC_ALL, nullptr);
    std::setlocale(LC_ALL, "de_DE.UTF-8");  // no effect if the locale is not installed

    const Figure figure = sampleFigure();
    const Table table = parsed(figureCsv(figure));
    std::setlocale(LC_ALL, locale.c_str());
    QLocale::setDefault(before);

    ASSERT_EQ(table.header.size(), 4);
    EXPECT_EQ(table.header[0], "iteration");
    EXPECT_EQ(table.header[1], "θ = 0, 25 % · loss (nats)");
    EXPECT_EQ(table.header[2], "θ = 1, 25 % · loss · smoothed (nats)");
    EXPECT_EQ(table.header[3], "θ = 1, 25 % · loss · raw (nats)");

    const FigureCurve& first = figure.curves[0];
    const FigureCurve& second = figure.curves[1];
    qsizetype firstRow = 0;
    qsizetype secondRow = 0;
    for (const QStringList& row : table.rows) {
        ASSERT_EQ(row.size(), 4);
        const double x = row[0].toDouble();
        if (!row[1].isEmpty()) {
            EXPECT_EQ(x, first.x[firstRow]);
            EXPECT_EQ(row[1].toDouble(), first.y[firstRow]);
            ++firstRow;
        }
        if (!row[3].isEmpty()) {
            EXPECT_EQ(x, second.x[secondRow]);
            EXPECT_EQ(row[3].toDouble(), second.raw[secondRow]);
            EXPECT_EQ(row[2].isEmpty(), std::isnan(second.y[secondRow]));
            if (!row[2].isEmpty()) {
                EXPECT_EQ(row[2].toDouble(), second.y[secondRow]);
            }
            ++secondRow;
        }
    }
    EXPECT_EQ(firstRow, first.x.size());
    EXPECT_EQ(secondRow, second.x.size());
}

TEST(FigureCsv, CommentsContainSettingsAndLines) {
    const Figure figure = sampleFigure();
    const Table table = parsed(figureCsv(figure));
    const QString prefix = QStringLiteral("# settings: ");
    const auto settings = table.comments.filter(prefix);
    ASSERT_EQ(settings.size(), 1);
    EXPECT_EQ(QJsonDocument::fromJson(settings[0].mid(prefix.size()).toUtf8()).object(), figure.settings);
    EXPECT_TRUE(table.comments.contains(QStringLiteral("# line at y = 1.6: floor 1.6")));
}

TEST(FigureCsv, QuotesNamesAndAcceptsAnEmptyFigure) {
    Figure figure;
    figure.x.label = QStringLiteral("x \"quoted\", with comma");
    const Table table = parsed(figureCsv(figure));
    ASSERT_EQ(table.header.size(), 1);
    EXPECT_EQ(table.header[0], figure.x.label);
    EXPECT_TRUE(table.rows.isEmpty());
}

TEST(FigureCsv, EveryColumnHasAName) {
    Figure figure;
    figure.x.label = "distance";
    figure.y = {"bound", "nats"};
    figure.curves.resize(1);  // a curve that has neither label nor quantity
    figure.curves[0].x = {1};
    figure.curves[0].y = {2};
    EXPECT_TRUE(figureCsv(figure).contains("\ndistance,bound (nats)\n1,2\n")) << figureCsv(figure).toStdString();
}

TEST(FigureCsv, TextColumnsPrecedeNumbers) {
    Figure figure;
    figure.table = {{"loss"}, {{1.5, 1.25}}, {{"partial", {"slice", "a, b"}}}};
    EXPECT_TRUE(figureCsv(figure).endsWith("partial,loss\nslice,1.5\n\"a, b\",1.25\n"));
}

TEST(FigureCsv, WholeNumbersHaveNoExponent) {
    Figure figure;
    figure.table.names = {"theta"};
    figure.table.columns = {{500000, 1e6, 1.5e-9}};
    EXPECT_TRUE(figureCsv(figure).endsWith("theta\n500000\n1000000\n1.5e-09\n")) << figureCsv(figure).toStdString();
}

}  // namespace
}  // namespace ropelab::ui
