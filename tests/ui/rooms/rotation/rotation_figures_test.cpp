#include "ui/rooms/rotation/rotation_figures.h"

#include <gtest/gtest.h>

#include <QImage>
#include <QPainter>
#include <cmath>
#include <numbers>
#include <numeric>
#include <set>

#include "ui/figure/figure_style.h"
#include "ui/rooms/rotation/aim_figure.h"
#include "ui/rooms/rotation/dials_figure.h"
#include "ui/rooms/rotation/helix_figure.h"
#include "ui/rooms/rotation/logit_figure.h"
#include "ui/rooms/rotation/matrix_figure.h"
#include "ui/rooms/rotation/pair_figure.h"

namespace ropelab::ui {
namespace {

RotationScene sceneOf(const char* setup) {
    return standardScene(parse_setup(setup));
}

FigureStyle screen() {
    return FigureStyle::screen(Theme::light(), 96.0 / 72);
}

TEST(RotationFigures, EveryFigureHasNameDataAndSettings) {
    std::set<std::string> names;
    for (const RotaryFigure& entry : rotationFigures()) {
        for (const char* text : {"", "fraction=0", "fraction=25%", "fraction=40% partial=truncate",
                                 "head_dim=2 context=1", "head_dim=4096 context=1M pairing=interleaved"}) {
            const RotarySetup setup = parse_setup(text);
            const Figure figure = entry.make(setup, ModelShape{});
            EXPECT_EQ(figure.name, entry.name);
            EXPECT_FALSE(figure.summary.isEmpty()) << entry.name << " " << text;
            EXPECT_EQ(parse_setup(figure.settings["setup"].toString().toStdString()), setup);
            if (figure.drawing) {
                ASSERT_FALSE(figure.table.names.isEmpty()) << entry.name;
                ASSERT_EQ(figure.table.names.size(), figure.table.columns.size());
                for (const auto& column : figure.table.columns) {
                    EXPECT_EQ(column.size(), figure.table.columns[0].size()) << entry.name << " " << text;
                }
            } else {
                EXPECT_FALSE(figure.curves.empty()) << entry.name << " " << text;
            }
        }
        names.insert(entry.name);
    }
    EXPECT_EQ(names, (std::set<std::string>{"aim", "dials", "helix", "logit-split", "pair", "rotation-matrix"}));
}

TEST(RotationFigures, DrawingsStayInsideTheirRectangle) {
    const FigureStyle style = screen();
    for (const RotaryFigure& entry : rotationFigures()) {
        for (const char* text : {"", "fraction=0", "fraction=25%", "head_dim=256 context=8192", "head_dim=16",
                                 "fraction=40% partial=truncate"}) {
            const Figure figure = entry.make(parse_setup(text), ModelShape{});
            if (!figure.drawing) continue;
            for (const QSize size : {QSize(700, 400), QSize(300, 420), QSize(420, 230)}) {
                if (figure.name == QStringLiteral("rotation-matrix") && size.width() < 700)
                    continue;  // the room scrolls a narrower matrix
                const QRect inside(QPoint(60, 60), size);
                QImage image(size + QSize(120, 120), QImage::Format_RGB32);
                image.fill(style.theme.paper);
                QPainter painter(&image);
                painter.setRenderHint(QPainter::Antialiasing);
                figure.drawing(painter, inside, style);
                painter.end();
                int outside = 0;
                int ink = 0;
                for (int y = 0; y < image.height(); ++y) {
                    for (int x = 0; x < image.width(); ++x) {
                        if (image.pixel(x, y) == style.theme.paper.rgb()) continue;
                        ++(inside.adjusted(-1, -1, 1, 1).contains(x, y) ? ink : outside);
                    }
                }
                EXPECT_EQ(outside, 0) << entry.name << " " << text << " " << size.width() << "x" << size.height();
                EXPECT_GT(ink, 200) << entry.name << " " << text;
            }
        }
    }
}

TEST(Dials, OneDialPerPairAndGreyDialsForTheRest) {
    const auto count = [](const QList<Dial>& dials, Dial::Kind kind) {
        return std::count_if(dials.begin(), dials.end(), [kind](const Dial& dial) { return dial.kind == kind; });
    };
    const QList<Dial> slice = dialsOf(sceneOf("fraction=25%"));
    EXPECT_EQ(slice.size(), 32);
    EXPECT_EQ(count(slice, Dial::Kind::rotated), 8);
    EXPECT_EQ(count(slice, Dial::Kind::outside), 24);
    const QList<Dial> truncate = dialsOf(sceneOf("fraction=25% partial=truncate"));
    EXPECT_EQ(count(truncate, Dial::Kind::rotated), 8);
    EXPECT_EQ(count(truncate, Dial::Kind::frozen), 24);
    EXPECT_TRUE(dialsNote(sceneOf("fraction=25%")).contains("channels 16–63"));
    EXPECT_TRUE(dialsNote(sceneOf("fraction=25% partial=truncate")).contains("24 of 32 pairs have frequency 0"));

    RotationScene large = sceneOf("head_dim=4096");
    large.state.highlighted = 1000;
    const QList<Dial> some = dialsOf(large);
    EXPECT_EQ(some.size(), 128);
    EXPECT_EQ(some.first().index, 0);
    EXPECT_EQ(some.last().index, 2047);
    EXPECT_TRUE(
        std::is_sorted(some.begin(), some.end(), [](const Dial& a, const Dial& b) { return a.index < b.index; }));
    EXPECT_TRUE(std::any_of(some.begin(), some.end(), [](const Dial& dial) { return dial.index == 1000; }));
    EXPECT_TRUE(dialsNote(large).contains("128 of 2,048"));
}

TEST(Dials, PairAtFindsEveryDrawnDial) {
    const FigureStyle style = screen();
    const RotationScene scene = sceneOf("head_dim=128 fraction=50%");
    const QRectF rect(10, 20, 430, 230);
    const QList<Dial> dials = dialsOf(scene);
    const DialGrid grid = gridOf(scene, rect, style);
    EXPECT_GE(grid.radius, 10);  // 64 dials are still legible
    for (qsizetype i = 0; i < dials.size(); ++i) {
        EXPECT_TRUE(rect.contains(grid.cellOf(i)));
        const auto pair = pairAt(scene, rect, style, grid.centreOf(i, style));
        EXPECT_EQ(pair, dials[i].kind == Dial::Kind::rotated ? std::optional(dials[i].index) : std::nullopt);
    }
    EXPECT_EQ(pairAt(scene, rect, style, rect.topLeft()), std::nullopt);
    EXPECT_GE(gridOf(rect, 128, true, style).radius, 8);
}

TEST(Dials, HandsHaveTheRotatedAngles) {
    RotationScene scene = sceneOf("head_dim=8");
    scene.state.query = {1, 1, 1, 1, 0, 0, 0, 0};
    scene.state.key = {0, 0, 0, 0, 1, 1, 1, 1};
    scene.state.m = 3;
    scene.state.n = 2;
    const Figure figure = dialsFigure(scene);
    const auto degrees = [](double radians) { return std::remainder(radians * 180 / std::numbers::pi, 360); };
    for (int pair = 0; pair < 4; ++pair) {
        const double g = std::pow(10000.0, -2.0 * pair / 8);
        EXPECT_NEAR(figure.table.columns[1][pair], g, 1e-15);
        EXPECT_NEAR(figure.table.columns[2][pair], degrees(3 * g), 1e-9);
        EXPECT_NEAR(figure.table.columns[3][pair], degrees(2 * g + std::numbers::pi / 2), 1e-9);
    }
}

TEST(Pair, ShowsAngleWavelengthAndPeriods) {
    RotationScene scene = sceneOf("theta=10000 head_dim=64 context=1024");
    scene.state.highlighted = 16;  // g = 0.01
    const std::vector<PairRow> rows = pairRows(scene);
    EXPECT_EQ(rows[0].value, "16 and 48");
    EXPECT_EQ(rows[1].value, "0.01 rad/token");
    EXPECT_EQ(rows[2].value, "628.3 tokens");
    EXPECT_EQ(rows[3].value, "1.630 periods");
    EXPECT_EQ(rows[4].value, "57.3°");
    EXPECT_EQ(rows[6].value, "22.9°");
    EXPECT_NEAR(pairFigure(scene).table.columns[6][0], scene.split().pairs[16], 1e-15);
    for (const char* source : {"formula 9)", "formula 1)", "formula 7)"})
        EXPECT_TRUE(pairToolTip(scene).contains(source));

    const EnlargedDial dial = enlargedDialOf(scene, QRectF(0, 0, 300, 400), screen());
    const std::complex<double> value(0.5, -0.7);
    EXPECT_NEAR(std::abs(dial.valueAt(dial.pointOf(value)) - value), 0, 1e-12);
    EXPECT_NEAR(std::abs(dial.valueAt(dial.centre + QPointF(0, -10000))), rimOf(scene), 1e-9);
}

TEST(LogitSplitFigure, BarsAddUpToTheLogit) {
    for (const char* setup : {"", "fraction=25%", "fraction=25% partial=truncate", "fraction=0"}) {
        const RotationScene scene = sceneOf(setup);
        const Figure figure = logitFigure(scene);
        const LogitSplit split = scene.split();
        double bars = 0;
        int highlightedBars = 0;
        for (const FigureCurve& curve : figure.curves) {
            if (curve.shape != FigureCurve::Shape::bars) continue;
            for (const double part : curve.y) bars += std::isfinite(part) ? part : 0;
            highlightedBars += curve.emphasis == FigureCurve::Emphasis::picked ? 1 : 0;
        }
        EXPECT_NEAR(bars, split.total, 1e-12) << setup;
        EXPECT_EQ(highlightedBars, scene.enlargedPair() ? 1 : 0);
        EXPECT_NEAR(figure.table.columns[2].last(), split.total, 1e-12);
        EXPECT_NEAR(std::accumulate(figure.table.columns[1].begin(), figure.table.columns[1].end(), 0.0), split.total,
                    1e-12);
        ASSERT_EQ(figure.horizontalLines.size(), 1u);
        EXPECT_DOUBLE_EQ(figure.horizontalLines[0].at, split.total);
    }
    const RotationScene scene = sceneOf("fraction=25%");
    EXPECT_EQ(pairOfBar(scene, 3.3), 3);
    EXPECT_EQ(pairOfBar(scene, 8), std::nullopt);
    EXPECT_EQ(barText(scene, 8)->title, "channels that belong to no pair");
    EXPECT_EQ(barText(scene, 9), std::nullopt);
}

TEST(Helix, ShowsTheContextOrFortyPeriods) {
    RotationScene scene = sceneOf("context=1024");
    scene.state.highlighted = 16;
    EXPECT_EQ(helixRange(scene).minimum, 0);
    EXPECT_EQ(helixRange(scene).maximum, 1023);
    scene.state.highlighted = 0;
    const Range part = helixRange(scene);
    EXPECT_NEAR(part.maximum - part.minimum, 40 * 2 * std::numbers::pi, 1e-9);
    EXPECT_LE(part.minimum, 100);
    EXPECT_GE(part.maximum, 100);
    const Figure figure = helixFigure(scene);
    for (qsizetype i = 0; i < figure.table.columns[0].size(); ++i) {
        EXPECT_DOUBLE_EQ(figure.table.columns[1][i], std::cos(figure.table.columns[0][i]));
        EXPECT_DOUBLE_EQ(figure.table.columns[2][i], std::sin(figure.table.columns[0][i]));
    }
}

TEST(Matrix, AgreesWithRotationMatrix) {
    for (const char* text :
         {"head_dim=12", "head_dim=12 pairing=interleaved", "head_dim=12 fraction=50%",
          "head_dim=12 fraction=50% partial=truncate", "head_dim=12 fraction=50% partial=truncate pairing=interleaved",
          "head_dim=12 fraction=0"}) {
        const RotationScene scene = sceneOf(text);
        const std::vector<double> matrix = rotation_matrix(12, static_cast<double>(scene.state.m), scene.frequencies,
                                                           scene.setup.partial, scene.setup.pairing);
        for (int row = 0; row < 12; ++row) {
            for (int column = 0; column < 12; ++column) {
                EXPECT_NEAR(matrixEntry(scene, row, column), matrix[static_cast<std::size_t>(row * 12 + column)], 1e-15)
                    << text << " " << row << " " << column;
            }
        }
        const Figure figure = matrixFigure(scene);
        double sum = 0;
        for (qsizetype i = 0; i < figure.table.columns[0].size(); ++i) {
            const auto at = static_cast<std::size_t>(figure.table.columns[0][i] * 12 + figure.table.columns[1][i]);
            EXPECT_NEAR(figure.table.columns[2][i], matrix[at], 1e-15);
            sum += std::abs(figure.table.columns[2][i]);
        }
        double all = 0;
        for (const double entry : matrix) all += std::abs(entry);
        EXPECT_NEAR(sum, all, 1e-9) << text;  // all other entries are zero
    }
}

TEST(Matrix, LargeHeadsShowTheEnlargedPairAndItsNeighbours) {
    EXPECT_EQ(matrixChannels(sceneOf("head_dim=16"), 3).size(), 16u);
    RotationScene scene = sceneOf("head_dim=128");
    scene.state.highlighted = 20;
    EXPECT_EQ(matrixChannels(scene, 8), (std::vector<int>{0, 20, 84, 127}));
    const std::vector<int> more = matrixChannels(scene, 14);
    EXPECT_EQ(more, (std::vector<int>{0, 1, 19, 20, 21, 83, 84, 85, 126, 127}));
    RotationScene interleaved = sceneOf("head_dim=128 pairing=interleaved");
    interleaved.state.highlighted = 20;
    EXPECT_EQ(matrixChannels(interleaved, 8), (std::vector<int>{0, 40, 41, 127}));
}

TEST(AimFigure, MarksTheMaximumAndTheCurrentDistance) {
    RotationScene scene = sceneOf("context=512");
    scene.state.source = VectorSource::aimed;
    scene.state.distance = 200;
    scene.refit();
    const Figure figure = aimFigure(scene, logitCurve(scene, 1, 1000));
    ASSERT_EQ(figure.curves.size(), 2u);
    EXPECT_EQ(figure.curves[1].x, QList<double>{200});
    EXPECT_DOUBLE_EQ(figure.curves[1].y[0], *std::max_element(figure.curves[0].y.begin(), figure.curves[0].y.end()));
    ASSERT_EQ(figure.verticalLines.size(), 2u);
    EXPECT_EQ(figure.verticalLines[0].handle, kAimHandle);
    EXPECT_EQ(figure.verticalLines[0].at, 200);
    EXPECT_EQ(figure.verticalLines[1].at, 40);
    EXPECT_TRUE(figure.summary.contains("distance of 200"));
    scene.state.m = 0;
    EXPECT_EQ(aimFigure(scene, logitCurve(scene, 1, 1000)).verticalLines.size(), 1u);
    EXPECT_TRUE(aimFigure(scene, logitCurve(scene, 16, 1000)).note.contains("16"));
}

}  // namespace
}  // namespace ropelab::ui
