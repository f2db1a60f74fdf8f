#include "ui/rooms/rotation/figures/scene_figures.h"

#include <gtest/gtest.h>

#include <QImage>
#include <QPainter>
#include <QRegularExpression>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <set>

#include "tests/support/rotation_matrix.h"
#include "ui/figure/figure_style.h"
#include "ui/figure/paint/axis_marks.h"
#include "ui/figure/ticks.h"
#include "ui/rooms/rotation/pair_dial.h"
#include "ui/rooms/rotation/rotation_text.h"

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
                EXPECT_TRUE(!isEmpty(figure) || !figure.emptyText.isEmpty()) << entry.name << " " << text;
            }
        }
        names.insert(entry.name);
    }
    EXPECT_EQ(names, (std::set<std::string>{"aim", "circuit-attention", "circuit-distance", "circuit-keys", "dials",
                                            "helices", "helix", "logit-split", "pair", "position-reading",
                                            "rotation-matrix", "sentence-attention", "token-rotation"}));
}

TEST(RotationFigures, TheBarsOfAHeadAreTheWeightsOfTheLecture) {
    RotationScene scene = sceneOf("theta=10k head_dim=64 context=64");
    const auto weightOf = [&](double norm, int pairs) {
        scene.buildHead(1, norm, pairs);
        return circuitKeysFigure(scene).curves.front().y.at(1);
    };
    // Percent, as tests/core/lecture/secrets_test.cpp has them.
    EXPECT_NEAR(weightOf(std::sqrt(2.0), 32), 18.5, 0.05);
    EXPECT_NEAR(weightOf(std::sqrt(2.0), 4), 3.8, 0.05);
    EXPECT_EQ(scene.pairsWithNorm(), 4);
    EXPECT_NEAR(weightOf(4, 4), 60.2, 0.05);
    EXPECT_TRUE(circuitKeysFigure(scene).note.contains("64 keys; weight at distance 1: 60.19 %"))
        << circuitKeysFigure(scene).note.toStdString();
    // A sharp head among many keys: its bars, not a line on both axes.
    scene = sceneOf("theta=10k head_dim=64 context=1024");
    scene.buildHead(1);
    const Figure sharp = circuitKeysFigure(scene);
    EXPECT_EQ(sharp.curves.front().shape, FigureCurve::Shape::bars);
    EXPECT_EQ(xRange(sharp).maximum, 19.5);
    EXPECT_EQ(sharp.curves.front().x.size(), 1024) << "the data are all distances";
    EXPECT_TRUE(sharp.note.endsWith("weight at distance 1: 99.97 %; the nearest 20 have 100.0 %"))
        << sharp.note.toStdString();
}

TEST(RotationFigures, TheRulerHasARowForEveryHandThatIsRead) {
    RotationScene scene = sceneOf("theta=10k head_dim=8 context=1024");
    scene.state.m = 374;
    Figure figure = readingFigure(scene);
    QStringList left;
    for (const FigureLine& line : figure.horizontalLines) left << line.label;
    EXPECT_EQ(left, (QStringList{"1,024 positions", "56", "6", "1", "1"}));
    EXPECT_EQ(figure.curves.at(3).x, QList<double>{374});
    EXPECT_GT(figure.curves.at(3).pointPt, figure.curves.at(1).pointPt) << "one point is larger than 56";
    EXPECT_TRUE(figure.note.contains("at the right their number"));
    const Figure both = comparedFigure(figure, figure, {scene.setup, {}}, {parse_setup("theta=500k"), {}});
    EXPECT_EQ(both.horizontalLines.size(), 5U) << "one label per row";
    scene.state.hands = 1;
    figure = readingFigure(scene);
    EXPECT_EQ(figure.horizontalLines.size(), 2U);
    EXPECT_EQ(figure.y.categories.size(), 5);  // the axis stays
}

TEST(RotationFigures, OnlyRotatedValuesMoveTheOutputOfASentence) {
    RotationScene scene = sceneOf("theta=10k head_dim=64 context=2048");
    scene.state.m = 1000;
    const Figure figure = sentenceFigure(scene);
    ASSERT_EQ(figure.panels.size(), 3U);
    EXPECT_EQ(figure.panels[1].map->rows, 6);
    EXPECT_EQ(figure.panels[2].map->columns, 64);
    EXPECT_TRUE(std::isnan(figure.panels[1].map->values[1]));  // of the future
    EXPECT_EQ(figure.panels[0].map->blankLabel, "later keys") << "a logit of 0 is as white as the paper";
    RotationScene other = scene;
    other.state.m = 0;
    other.state.rotatesValues = true;
    EXPECT_EQ(sentenceFigure(other).panels[2].map->maximum, figure.panels[2].map->maximum) << "colours stay";
    for (const Figure& panel : figure.panels) EXPECT_EQ(panel.note, "change from position 0: rounding only");
    EXPECT_EQ(figure.panels[0].x.categories.first(), "1,000") << "the axes have the positions of the tokens";
    EXPECT_EQ(figure.panels[0].y.categories.last(), "1,005");
    scene.state.rotatesValues = true;
    EXPECT_TRUE(QRegularExpression("change from position 0: 1[0-2][0-9] %")
                    .match(sentenceFigure(scene).panels[2].note)
                    .hasMatch())
        << sentenceFigure(scene).panels[2].note.toStdString();
    const Figure both = sentencePanels(
        comparedFigure(sentenceFigure(scene), sentenceFigure(scene), {scene.setup, {}}, {scene.setup, {}}));
    ASSERT_EQ(both.panels.size(), 6U);
    EXPECT_TRUE(both.panels[3].panelTitle.startsWith("B: "));
    scene.state.text.clear();
    EXPECT_EQ(sentencePanels(sentenceFigure(scene)).panels.size(), 1U);
}

TEST(RotationFigures, TheLogitOfOnePairHasOneMarkOnTheAxisOfPairs) {
    const Figure figure = logitFigure(sceneOf("head_dim=2 context=64"));
    const AxisScale scale{figure.x.minimum, figure.x.maximum, false, 600};
    const Ticks ticks = xAxisMarks(figure.x, scale, screen(), 0, 0, 100).ticks;
    EXPECT_EQ(ticks.at, QList<double>{0});
    EXPECT_TRUE(ticks.minor.isEmpty());
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

    // The hands of channels that are not rotated are those of the pair before rotation, at every position.
    const RotationScene scene = sceneOf("fraction=25% pairing=interleaved");
    const Figure figure = dialsFigure(scene);
    EXPECT_EQ(figure.table.columns[0].size(), 8);
    QImage empty(800, 300, QImage::Format_RGB32);
    empty.fill(Qt::white);
    QImage drawn = empty;
    QPainter painter(&drawn);
    figure.drawing(painter, drawn.rect(), screen());
    const DialGrid grid = gridOf(scene, drawn.rect(), screen());
    const double angle = std::arg(sceneOf("").query(20));
    const QPointF inside = grid.centreOf(20, screen()) + 0.7 * grid.radius * QPointF(std::cos(angle), -std::sin(angle));
    EXPECT_NE(drawn.pixel(inside.toPoint()), empty.pixel(inside.toPoint()));

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
    EXPECT_GE(gridOf(rect, 128, 1, style).radius, 8);
}

TEST(Dials, NoteBelowKeepsEveryWord) {
    const FigureStyle style = screen();
    DialsWords words{u"q"_s, u"k"_s, u"layer 1, head 0, step 100; full hand: norm 112.0; grey: not rotated"_s};
    const QStringList below = noteBelow(words, 160, style);
    EXPECT_GT(below.size(), 1);
    EXPECT_EQ(below.join(QLatin1Char(' ')), words.note);
    words.noteIsOptional = true;
    EXPECT_TRUE(noteBelow(words, 160, style).isEmpty());
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

const PairRow& rowOf(const std::vector<PairRow>& rows, PairRow::Kind kind) {
    return *std::find_if(rows.begin(), rows.end(), [kind](const PairRow& row) { return row.kind == kind; });
}

TEST(Pair, ShowsAngleWavelengthAndPeriods) {
    RotationScene scene = sceneOf("theta=10000 head_dim=64 context=1024");
    scene.state.highlighted = 16;  // ω = 0.01
    const std::vector<PairRow> rows = pairRows(scene);
    EXPECT_EQ(rowOf(rows, PairRow::Kind::channels).value, "16 and 48");
    EXPECT_EQ(rowOf(rows, PairRow::Kind::frequency).value, "0.01 rad/token");
    EXPECT_EQ(rowOf(rows, PairRow::Kind::wavelength).value, "628.3 tokens");
    EXPECT_EQ(rowOf(rows, PairRow::Kind::periods).value, "1.630 periods");
    EXPECT_EQ(rowOf(rows, PairRow::Kind::query).value, "57.3°");
    EXPECT_EQ(rowOf(rows, PairRow::Kind::relative).value, "22.9°");
    EXPECT_NEAR(pairFigure(scene).table.columns[6][0], scene.split().pairs[16], 1e-15);
    for (const char* source : {"formula 9 of", "formula 1 of", "formula 2 of", "formula 7 of"})
        EXPECT_TRUE(pairToolTip(scene).contains(source));

    const EnlargedDial dial = enlargedDialOf(scene, QRectF(0, 0, 300, 400), screen());
    const std::complex<double> value(0.5, -0.7);
    EXPECT_NEAR(std::abs(dial.valueAt(dial.pointOf(value)) - value), 0, 1e-12);
    EXPECT_NEAR(std::abs(dial.valueAt(dial.centre + QPointF(0, -10000))), rimOf(scene), 1e-9);
}

/// Returns the angle in degrees that a text such as "4,342.9° = 12 periods + 22.9°" or "≡ 22.9°" ends with.
double lastAngle(QString text) {
    text.remove(QLatin1Char(',')).remove(QStringLiteral("≡ ")).replace(QChar(0x2212), QLatin1Char('-'));
    text.replace(QStringLiteral("- "), QStringLiteral("-")).replace(QStringLiteral("+ "), QString());
    return text.section(QLatin1Char(' '), -1).chopped(1).toDouble();
}

/// Returns whether the sector of the sum is filled at an angle of the dial, between the circles of φ and of the sector.
/// The sector is blue, the lines of the dial are grey.
bool isFilled(const QImage& image, const PairDial& picture, double angle) {
    const double radius = 0.85 * picture.sector->radius;
    const QPointF at = picture.dial.centre + radius * QPointF(std::cos(angle), -std::sin(angle));
    const QColor color = image.pixelColor(at.toPoint());
    return color.blue() - color.red() > 20;
}

TEST(Pair, PictureLabelsTextsAndFormulaShowTheSameNumbers) {
    constexpr double degrees = 180 / std::numbers::pi;
    const FigureStyle style = screen();
    for (const char* text :
         {"", "fraction=25%", "fraction=40% partial=truncate", "fraction=0 partial=truncate", "pairing=interleaved",
          "scaling=linear factor=4", "scaling=ntk factor=4", "scaling=dynamic factor=2",
          "scaling=ntk-by-parts factor=4", "scaling=yarn factor=8", "scaling=llama3 factor=8"}) {
        for (const int pair : {0, 2, 5, 20}) {
            RotationScene scene = sceneOf(text);
            if (pair >= static_cast<int>(scene.pairs.size())) continue;
            scene.state.highlighted = pair;
            const QString where = QStringLiteral("%1 pair %2").arg(QString::fromUtf8(text)).arg(pair);
            const PairTerm term = scene.term(pair);
            const std::vector<PairRow> rows = pairRows(scene);
            const auto value = [&](PairRow::Kind kind) { return rowOf(rows, kind).value; };
            EXPECT_EQ(value(PairRow::Kind::query), angleText(term.query_rotation)) << where.toStdString();
            EXPECT_EQ(value(PairRow::Kind::key), angleText(term.key_rotation));
            EXPECT_EQ(value(PairRow::Kind::phase), degreesText(term.phase));
            EXPECT_EQ(value(PairRow::Kind::sum), betweenText(term.angle));
            EXPECT_EQ(value(PairRow::Kind::projection), readableNumber(term.projection));
            EXPECT_EQ(value(PairRow::Kind::term), signedText(term.term));

            const QRectF rect(0, 0, 700, 500);
            const auto picture = pairDialOf(scene, rect, style);
            ASSERT_TRUE(picture && picture->sector && picture->phaseArc) << where.toStdString();
            EXPECT_NEAR(std::remainder(lastAngle(value(PairRow::Kind::sum)) - picture->sector->span * degrees, 360), 0,
                        0.051);
            EXPECT_NEAR(lastAngle(value(PairRow::Kind::phase)), picture->phaseArc->span * degrees, 0.051);
            EXPECT_NEAR(picture->sector->from, std::arg(term.rotated_key), 1e-12);
            EXPECT_NEAR(std::remainder(picture->sector->from + picture->sector->span - std::arg(term.rotated_query),
                                       2 * std::numbers::pi),
                        0, 1e-9);
            EXPECT_EQ(picture->queryArc.has_value(), term.frequency > 0) << where.toStdString();
            if (picture->queryArc) {
                EXPECT_NEAR(
                    std::remainder(lastAngle(value(PairRow::Kind::query)) - picture->queryArc->span * degrees, 360), 0,
                    0.051);
            }
            const QPointF end = *picture->projectionEnd - picture->dial.centre;
            EXPECT_NEAR(std::hypot(end.x(), end.y()) / picture->dial.unit, std::abs(term.projection), 1e-9);

            const QString formula = pairFormulaText(term);
            for (const QString& number :
                 {readableNumber(term.query_norm), readableNumber(term.key_norm), readableNumber(term.product),
                  readableNumber(term.term), degreesText(term.phase)}) {
                EXPECT_TRUE(formula.contains(number)) << formula.toStdString() << " lacks " << number.toStdString();
                EXPECT_TRUE(pairToolTip(scene).contains(formula));
            }
            EXPECT_TRUE(
                pairFormulaLatex(term).startsWith("\\|q_{i}\\| \\|k_{i}\\| \\cos (\\varphi + (m - n)\\omega_{i}) = "));

            // The sector on screen begins and ends where the label says. The arrows cover its edges.
            QImage image(rect.size().toSize(), QImage::Format_RGB32);
            image.fill(style.theme.paper);
            QPainter painter(&image);
            PairDial bare = *picture;
            bare.labels.clear();
            bare.projectionEnd.reset();
            bare.queryArc.reset();
            bare.keyArc.reset();
            paintPairDial(painter, bare, style);
            painter.end();
            const double shown = lastAngle(value(PairRow::Kind::sum)) / degrees;
            if (std::abs(shown) < 0.6 || std::abs(shown) > 2.5) continue;
            const double sign = shown < 0 ? -1 : 1;
            for (const double inside : {0.25, 0.4, 0.6, 0.75}) {
                EXPECT_TRUE(isFilled(image, bare, picture->sector->from + inside * shown))
                    << where.toStdString() << " " << inside;
            }
            for (const double outside : {-0.3, std::abs(shown) + 0.3}) {
                EXPECT_FALSE(isFilled(image, bare, picture->sector->from + sign * outside))
                    << where.toStdString() << " " << outside;
            }
        }
    }
}

TEST(Pair, LabelsNeverOverlap) {
    for (const QSize size : {QSize(700, 500), QSize(320, 240), QSize(290, 420), QSize(420, 230)}) {
        for (const VectorSource source : {VectorSource::equal, VectorSource::random, VectorSource::aimed}) {
            for (const std::int64_t n : {100, 99, 60, 0}) {
                for (const double unit : {96.0 / 72, 192.0 / 72}) {
                    RotationScene scene = sceneOf("");
                    scene.state.source = source;
                    scene.state.n = n;
                    scene.refit();
                    const QRectF rect(QPointF(0, 0), QSizeF(size) * (unit * 72 / 96));
                    const auto picture = pairDialOf(scene, rect, FigureStyle::screen(Theme::dark(), unit));
                    ASSERT_TRUE(picture);
                    ASSERT_GE(picture->labels.size(), 2);
                    EXPECT_EQ(picture->labels[0].text, "Rₘqᵢ");
                    EXPECT_EQ(picture->labels[1].text, "Rₙkᵢ");
                    for (qsizetype i = 0; i < picture->labels.size(); ++i) {
                        EXPECT_TRUE(rect.contains(picture->labels[i].box)) << picture->labels[i].text.toStdString();
                        for (qsizetype j = 0; j < i; ++j) {
                            EXPECT_FALSE(picture->labels[i].box.intersects(picture->labels[j].box))
                                << picture->labels[i].text.toStdString() << " and "
                                << picture->labels[j].text.toStdString();
                        }
                    }
                }
            }
        }
    }
}

TEST(Pair, DialKeepsItsSizeWhileThePositionsMove) {
    const FigureStyle style = screen();
    RotationScene scene = sceneOf("");
    const QRectF rect(0, 0, 330, 250);
    const double radius = enlargedDialOf(scene, rect, style).radius;
    for (const std::int64_t m : {0, 60, 61, 500, 1023}) {
        for (const int pair : {0, 7, 31}) {
            scene.state.m = m;
            scene.state.highlighted = pair;
            EXPECT_EQ(enlargedDialOf(scene, rect, style).radius, radius) << m << " " << pair;
        }
    }
    EXPECT_GE(radius, 45);
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
        EXPECT_EQ(figure.x.categories.value(static_cast<qsizetype>(scene.pairs.size())),
                  2 * scene.pairs.size() < 64 ? "rest" : "");
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

// The unseen share of the first period is 1 − (L − 1)/λ.
TEST(Helices, ShowEveryPairAndTheAnglesThatTrainingDoesNotContain) {
    const RotationScene scene = sceneOf("head_dim=64 theta=10000 context=1024");
    const Figure figure = helicesFigure(scene);
    ASSERT_EQ(figure.table.columns[0].size(), 32);
    int unseen = 0;
    for (int pair = 0; pair < 32; ++pair) {
        const double wavelength = 2 * std::numbers::pi * std::pow(10000.0, 2.0 * pair / 64);
        EXPECT_NEAR(figure.table.columns[2][pair] / wavelength, 1, 1e-9) << pair;
        const double missing = std::max(0.0, 1 - 1023 / wavelength);
        EXPECT_NEAR(figure.table.columns[4][pair], missing, 1e-9) << pair;
        unseen += missing > 0 ? 1 : 0;
    }
    EXPECT_EQ(unseen, 14);
    EXPECT_TRUE(figure.summary.startsWith("14 of 32 rotated pairs complete no period in the context of 1,024 tokens"))
        << figure.summary.toStdString();
    EXPECT_TRUE(helicesFigure(sceneOf("theta=10 context=100000")).summary.startsWith("Every rotated pair completes"));
    EXPECT_TRUE(helicesFigure(sceneOf("fraction=0")).summary.contains("no pair is rotated"));
}

// Red pixels lie to the right of the context, in the rows of pairs with unseen angles only.
TEST(Helices, UnseenAnglesAreRedAndRowsFindTheirPair) {
    const RotationScene scene = sceneOf("head_dim=16 theta=10000 context=512");
    const FigureStyle style = screen();
    const QRect inside(20, 20, 800, 480);
    QImage image(840, 520, QImage::Format_RGB32);
    image.fill(style.theme.paper);
    QPainter painter(&image);
    helicesFigure(scene).drawing(painter, inside, style);
    painter.end();
    // A mixture of paper and the colour of errors, with a good share of the latter.
    const auto isRed = [&](int x, int y) {
        const QColor color = image.pixelColor(x, y);
        const QColor& paper = style.theme.paper;
        const QColor& ink = style.theme.error;
        const auto share = [](int from, int to, int now) { return static_cast<double>(now - from) / (to - from); };
        const auto [low, high] =
            std::minmax({share(paper.red(), ink.red(), color.red()), share(paper.green(), ink.green(), color.green()),
                         share(paper.blue(), ink.blue(), color.blue())});
        return low > 0.3 && high - low < 0.1;
    };
    std::set<int> red;
    for (int y = inside.top(); y < inside.bottom(); ++y) {
        const auto pair = pairOfHelix(scene, inside, style, QPointF(300, y));
        for (int x = inside.left(); x < inside.right(); ++x) {
            if (!isRed(x, y)) continue;
            ASSERT_TRUE(pair) << x << ' ' << y;
            EXPECT_GT(x, inside.center().x()) << y;
            red.insert(*pair);
        }
    }
    std::set<int> unseen;
    for (int pair = 0; pair < 8; ++pair) {
        if (scene.frequency(pair) * 511 < 2 * std::numbers::pi) unseen.insert(pair);
    }
    EXPECT_EQ(red, unseen);
    EXPECT_EQ(pairOfHelix(scene, inside, style, QPointF(300, 10)), std::nullopt);
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
    // With the partners of the first and the last channel, so that each row shows both of its entries.
    EXPECT_EQ(more, (std::vector<int>{0, 20, 63, 64, 84, 127}));
    RotationScene interleaved = sceneOf("head_dim=128 pairing=interleaved");
    interleaved.state.highlighted = 20;
    EXPECT_EQ(matrixChannels(interleaved, 8), (std::vector<int>{0, 1, 40, 41, 126, 127}));
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
    scene.state.m = 260;
    const Figure one = aimFigure(scene, logitCurve(scene, 1, 1000));
    ASSERT_EQ(one.verticalLines.size(), 1u) << "two lines at one distance are one";
    EXPECT_EQ(one.verticalLines[0].label, "aimed at r = m − n = 200");
    scene.state.m = 0;
    EXPECT_EQ(aimFigure(scene, logitCurve(scene, 1, 1000)).verticalLines.size(), 1u);
    EXPECT_TRUE(aimFigure(scene, logitCurve(scene, 16, 1000)).note.contains("16"));
}

}  // namespace
}  // namespace ropelab::ui
