#include "ui/figure/export/pgfplots.h"

#include <gtest/gtest.h>

#include <QFile>
#include <QProcess>
#include <QRegularExpression>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <vector>

#include "core/base/error.h"
#include "tests/ui/figure/sample_figure.h"
#include "ui/figure/export/export.h"
#include "ui/figure/export/latex_text.h"

namespace ropelab::ui {
namespace {

PgfplotsFiles filesOf(const Figure& figure) {
    ExportOptions options;
    options.format = FigureFormat::pgfplots;
    return pgfplots(figure, options, QStringLiteral("figure.dat"));
}

/// Returns a figure with points, error bars, bars, bands and lines, on a logarithmic axis.
Figure mixedFigure() {
    Figure figure;
    figure.name = "mixed_100%";
    figure.x.label = "θ";
    figure.x.logarithmic = true;
    figure.x.marks = {100, 10000};
    figure.y = {.label = "loss", .unit = "nats"};
    FigureCurve points;
    points.label = "best validation loss & 95 %";
    points.shape = FigureCurve::Shape::points;
    points.x = {100, 10000};
    points.y = {2.5, 2.25};
    FigureCurve bar;
    bar.x = {100, 100};
    bar.y = {2.4, 2.6};
    bar.dots = false;
    figure.curves = {points, bar};
    figure.bands.push_back({"± std", Ink::data(1), {100, 10000}, {2.3, 2.2}, {2.7, 2.3}});
    figure.verticalLines.push_back({1000, "θ = 1,000"});
    figure.horizontalLines.push_back({.at = 2.3, .label = "baseline", .labelAtEnd = true});
    return figure;
}

Figure barFigure() {
    Figure figure;
    figure.name = "bars";
    figure.x.categories = {"a_1", "b", "c#"};
    figure.y.label = "memory (GiB)";
    FigureCurve bars;
    bars.shape = FigureCurve::Shape::bars;
    bars.x = {0, 1, 2};
    bars.y = {1, 4, std::numeric_limits<double>::quiet_NaN()};
    figure.curves = {bars};
    return figure;
}

Figure mapFigure(int columns, int rows) {
    Figure figure;
    figure.name = "map";
    figure.x.label = "key";
    figure.y.label = "query";
    figure.y.downwards = true;
    FigureMap map;
    map.label = "attention";
    map.columns = columns;
    map.rows = rows;
    for (int i = 0; i < columns * rows; ++i) map.values << static_cast<float>(i);
    map.values[1] = std::numeric_limits<float>::quiet_NaN();
    figure.map = map;
    FigureCurve line;
    line.x = {0, 1, 2};
    line.y = {0, 1, 1};
    figure.curves.push_back(line);
    return figure;
}

TEST(LatexText, EscapesAndNamesCharacters) {
    EXPECT_EQ(latexText("25 % of a_b & c#"), "25 \\% of a\\_b \\& c\\#");
    EXPECT_EQ(latexText("run \"1\""), "run {\\char34}1{\\char34}") << "OT1 has no \\textquotedbl";
    EXPECT_EQ(latexText("θ = 10⁻⁴"), "\\ensuremath{\\theta} = 10\\ensuremath{^{-4}}");
    EXPECT_EQ(latexText("−1 ± 2"), "\\ensuremath{-}1 \\ensuremath{\\pm} 2");
    EXPECT_EQ(latexText("q₀₁"), "q\\ensuremath{_{01}}");
    EXPECT_EQ(latexText("é ☃"), "é [U+2603]");
}

TEST(Pgfplots, TableHasTheNumbersOfTheFigure) {
    const PgfplotsFiles files = filesOf(mixedFigure());
    const QByteArrayList lines = files.data.split('\n');
    const auto head =
        std::find_if(lines.begin(), lines.end(), [](const auto& line) { return line.startsWith("x0 y0"); });
    ASSERT_NE(head, lines.end());
    EXPECT_EQ(*head, "x0 y0 x1 y1 x2 y2");
    EXPECT_EQ(*(head + 1), "100 2.7 100 2.5 100 2.4");
    EXPECT_EQ(*(head + 2), "10000 2.3 10000 2.25 100 2.6");
    EXPECT_EQ(*(head + 3), "10000 2.2 nan nan nan nan");
    EXPECT_TRUE(files.tex.contains("table[x=x1,y=y1] {figure.dat}"));
    EXPECT_TRUE(files.tex.contains("xmode=log"));
    EXPECT_TRUE(files.tex.contains("\\addlegendentry{best validation loss \\& 95 \\%}"));
}

TEST(Pgfplots, LongCurvesAreThinned) {
    Figure figure = sampleFigure();
    figure.curves.resize(1);
    for (int i = 0; i < 100'000; ++i) {
        figure.curves[0].x.append(200 + i);
        figure.curves[0].y.append(2 + std::sin(i));
    }
    EXPECT_LT(filesOf(figure).data.count('\n'), 4000);
}

TEST(Pgfplots, RejectsDrawingsEmptyFiguresAndLargeMaps) {
    Figure drawing;
    drawing.drawing = [](QPainter&, const QRectF&, const FigureStyle&) {};
    EXPECT_THROW(filesOf(drawing), BadInput);
    EXPECT_THROW(filesOf(Figure()), BadInput);
    Figure panels;
    panels.panels = {mixedFigure(), mixedFigure()};
    EXPECT_THROW(filesOf(panels), BadInput);
    EXPECT_THROW(filesOf(mapFigure(200, 200)), BadInput);
    EXPECT_NO_THROW(filesOf(mapFigure(20, 20)));
}

TEST(Pgfplots, ExportWritesTwoFiles) {
    QTemporaryDir folder;
    ExportOptions options;
    options.format = FigureFormat::pgfplots;
    exportFigure(mixedFigure(), options, folder.filePath("one.tex"));
    EXPECT_TRUE(QFile::exists(folder.filePath("one.dat")));
    QFile tex(folder.filePath("one.tex"));
    ASSERT_TRUE(tex.open(QIODevice::ReadOnly));
    EXPECT_TRUE(tex.readAll().contains("{one.dat}"));
    EXPECT_THROW(exportFigure(mixedFigure(), options, folder.filePath("100%.tex")), BadInput);
    EXPECT_THROW(exportFigure(mixedFigure(), options, "-"), BadInput);
    EXPECT_EQ(formatOf("a.tex"), FigureFormat::pgfplots);
    EXPECT_EQ(formatNamed("pgfplots"), FigureFormat::pgfplots);
}

TEST(Pgfplots, Compiles) {
    const QString latex = QStandardPaths::findExecutable("pdflatex");
    const QString finder = QStandardPaths::findExecutable("kpsewhich");
    QProcess search;
    if (!finder.isEmpty()) search.start(finder, {"pgfplots.sty"});
    if (latex.isEmpty() || finder.isEmpty() || !search.waitForFinished() || search.exitCode() != 0) {
        GTEST_SKIP() << "pdflatex or pgfplots is missing; install texlive-pictures for this test.";
    }
    QTemporaryDir folder;
    ExportOptions options;
    options.format = FigureFormat::pgfplots;
    QByteArray document = "\\documentclass{article}\\usepackage{pgfplots}\\pgfplotsset{compat=1.16}\\begin{document}\n";
    const std::vector<Figure> figures = {sampleFigure(), mixedFigure(), barFigure(), mapFigure(20, 10)};
    for (std::size_t i = 0; i < figures.size(); ++i) {
        const QString name = QStringLiteral("figure%1.tex").arg(i);
        exportFigure(figures[i], options, folder.filePath(name));
        document += "\\input{" + name.toLatin1() + "}\\clearpage\n";
    }
    QFile paper(folder.filePath("paper.tex"));
    ASSERT_TRUE(paper.open(QIODevice::WriteOnly));
    paper.write(document + "\\end{document}\n");
    paper.close();
    QProcess process;
    process.setWorkingDirectory(folder.path());
    process.start(latex, {"-interaction=nonstopmode", "-halt-on-error", "paper.tex"});
    ASSERT_TRUE(process.waitForFinished(300'000));
    EXPECT_EQ(process.exitCode(), 0) << process.readAllStandardOutput().right(3000).toStdString();
    EXPECT_TRUE(QFile::exists(folder.filePath("paper.pdf")));
}

TEST(Pgfplots, MarksEachValueOnceWithoutExponents) {
    Figure figure = sampleFigure();
    figure.x.logarithmic = true;
    figure.x.minimum = 400;
    figure.x.maximum = 600000;
    figure.x.marks = {500000, 500, 500000, 2000, 500};
    const QString tex = QString::fromUtf8(pgfplots(figure, ExportOptions{}, QStringLiteral("a.dat")).tex);
    EXPECT_TRUE(tex.contains("xtick={500,2000,500000}, xticklabels={{500},{2,000},{500,000}}")) << tex.toStdString();
}

}  // namespace
}  // namespace ropelab::ui
