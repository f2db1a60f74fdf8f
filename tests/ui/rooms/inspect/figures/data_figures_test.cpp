#include "ui/rooms/inspect/figures/figures.h"

#include <QImage>
#include <QPainter>
#include <QRegularExpression>
#include <algorithm>
#include <cmath>

#include "tests/ui/rooms/inspect/inspect_fixture.h"
#include "ui/figure/export/export.h"
#include "ui/rooms/inspect/inspect_figures.h"
#include "ui/rooms/inspect/model_answers.h"
#include "ui/rooms/inspect/probe_work.h"
#include "ui/session/workspace.h"

namespace ropelab::ui {
namespace {

class DataFiguresTest : public InspectBench {
 protected:
    std::shared_ptr<const InsideRun> firstRun() {
        workspace.lab().open(writeLab());
        return std::make_shared<const InsideRun>(readInsideRun(*workspace.lab().file(), 1));
    }
    static bool never() { return false; }

    QTemporaryDir place;
    Workspace workspace{{.settingsFile = place.filePath("settings.ini"),
                         .labsFolder = place.filePath("labs"),
                         .dataDir = {},
                         .engine = [this]() -> Engine& { return engine; }}};
};

TEST(BitsColor, TextStaysReadableAndCostsDiffer) {
    for (const Theme* theme : {&Theme::light(), &Theme::dark(), &Theme::highContrast()}) {
        EXPECT_EQ(bitsColor(0, 6, *theme), theme->paper);
        for (const double bits : {0.0, 1.0, 3.0, 6.0, 60.0}) {
            EXPECT_GE(contrastRatio(theme->text, bitsColor(bits, 6, *theme)), 4.5) << bits;
        }
        EXPECT_GE(contrastRatio(theme->paper, bitsColor(6, 6, *theme)), 1.4) << "the full tint is visible";
        EXPECT_EQ(bitsColor(60, 6, *theme), bitsColor(6, 6, *theme));
    }
}

TEST(TokenLayout, FillsLinesAndShrinksLetters) {
    const FigureStyle style = FigureStyle::screen(Theme::light(), 1);
    const QStringList tokens(40, QStringLiteral("ab"));
    const TokenLayout wide = layoutTokens(tokens, QRectF(0, 0, 4000, 100), style);
    EXPECT_EQ(wide.places.size(), 40);
    EXPECT_EQ(wide.fontPt, 11);
    EXPECT_EQ(wide.places.first().top(), wide.places.last().top());
    const QRectF low(0, 0, 60, 60);
    const TokenLayout narrow = layoutTokens(tokens, low, style);
    EXPECT_LT(narrow.fontPt, 11);
    for (int i = 0; i < narrow.places.size(); ++i) {
        EXPECT_TRUE(low.adjusted(-0.1, -0.1, 0.1, 0.1).contains(narrow.places[i])) << i;
        if (i == 0) continue;
        EXPECT_FALSE(narrow.places[i].adjusted(0.1, 0.1, -0.1, -0.1).intersects(narrow.places[i - 1])) << i;
    }
    const TokenLayout lines = layoutTokens({"a", "↵", "b"}, QRectF(0, 0, 100, 100), style);
    EXPECT_GT(lines.places[2].top(), lines.places[1].top());
    EXPECT_EQ(lines.places[2].left(), 0);
    EXPECT_LT(layoutTokens(QStringList(4000, "ab"), low, style).places.size(), 4000) << "the rest is omitted";
}

TEST_F(DataFiguresTest, StatisticsAreThoseOfTheTrainingSplit) {
    const auto run = firstRun();
    const TextStatistics result = textStatistics(*run, {}, never);
    const auto corpus = open_corpus(run->spec);
    EXPECT_EQ(result.tokens, std::ssize(corpus->training));
    EXPECT_TRUE(result.isWhole);
    for (const char* letter : {"t", "o", " "}) {
        const std::int32_t token = corpus->vocabulary.encode(letter).front();
        EXPECT_EQ(result.counts[static_cast<std::size_t>(token)],
                  std::count(corpus->training.begin(), corpus->training.end(), token))
            << letter;
    }
    ASSERT_TRUE(result.tokenFit);
    EXPECT_GT(result.tokenFit->exponent, 0);
    // The text repeats one line, so that a token determines every later one.
    ASSERT_TRUE(result.shuffled);
    for (const double nats : result.information.nats) EXPECT_GT(nats, result.shuffled->upper());
    EXPECT_EQ(std::ssize(result.excerpt), kExcerptTokens);
}

TEST_F(DataFiguresTest, BitsOfAModelThatKnowsNothingAreThoseOfAUniformGuess) {
    const auto run = firstRun();
    const PaintedText result = paintedText(engine, *run, {}, {}, never);
    const double guess = std::log2(Vocabulary::from_text(run->vocabulary).size());
    ASSERT_EQ(std::ssize(result.bits.bits), kExcerptTokens);
    for (const double bits : result.bits.bits) EXPECT_NEAR(bits, guess, 1e-5);
    EXPECT_NEAR(result.perCharacter.mean, guess, 1e-5);
    EXPECT_NEAR(result.totalBits, guess * static_cast<double>(kExcerptTokens), 1e-2);
    EXPECT_EQ(result.bytes, kExcerptTokens);
    const PaintedText typed = paintedText(engine, *run, "the lazy dog", {}, never);
    EXPECT_EQ(typed.tokens.size(), 12U);
    EXPECT_EQ(typed.source, "typed text");
    EXPECT_TRUE(refusal([&] { (void)paintedText(engine, *run, "Äh", {}, never); }).contains("not among the"));
}

TEST_F(DataFiguresTest, AnswersAreComputedInTheBackground) {
    const auto run = firstRun();
    ModelAnswers answers(workspace.runAccess());
    answers.request(need::statistics, run, {});
    answers.request(need::bits, run, {.text = "the fox"});
    EXPECT_TRUE(answers.isBusy());
    ASSERT_TRUE(waitUntil([&] { return !answers.isBusy(); }));
    InspectData data;
    data.run = run;
    answers.fill(data, &need::bits);
    ASSERT_TRUE(data.statistics);
    ASSERT_TRUE(data.painted) << data.problem.toStdString();
    EXPECT_EQ(data.painted->tokens.size(), 7U);
    answers.request(need::bits, run, {.text = "Äh"});
    ASSERT_TRUE(waitUntil([&] { return !answers.isBusy(); }));
    InspectData refused;
    refused.run = run;
    answers.fill(refused, &need::bits);
    EXPECT_FALSE(refused.painted);
    EXPECT_TRUE(drawn("data-bits", refused).figure.emptyText.contains("not among the"));
}

TEST_F(DataFiguresTest, PaintedTextHasToolTipsAndATable) {
    const auto run = firstRun();
    InspectData data;
    data.run = run;
    data.painted = std::make_shared<const PaintedText>(paintedText(engine, *run, "the fox", {}, never));
    const InspectPicture picture = drawn("data-bits", data);
    EXPECT_EQ(picture.figure.table.columns.front().size(), 7);
    EXPECT_EQ(picture.figure.table.words.front().second.join(QString()), "the␣fox");
    EXPECT_TRUE(picture.figure.summary.contains("bits per character")) << picture.figure.summary.toStdString();
    ASSERT_TRUE(picture.drawnToolTipAt);
    const FigureStyle style = FigureStyle::screen(Theme::light(), 1);
    const QRectF canvas(0, 0, 600, 200);
    EXPECT_TRUE(picture.drawnToolTipAt({8, 12}, canvas, style).startsWith("token t, vocabulary id "));
    EXPECT_EQ(picture.drawnToolTipAt({590, 190}, canvas, style), "");
    QImage image(600, 200, QImage::Format_RGB32);
    image.fill(Theme::light().paper);
    QPainter painter(&image);
    picture.figure.drawing(painter, canvas, style);
    painter.end();
    // All tokens cost as much as a uniform guess, which is the full tint.
    EXPECT_EQ(QColor(image.pixel(7, 7)), bitsColor(6, 6, Theme::light()));
}

TEST_F(DataFiguresTest, NumbersBelowAPaintedTextAreNeverCut) {
    const auto run = firstRun();
    InspectData data;
    data.run = run;
    data.painted = std::make_shared<const PaintedText>(paintedText(engine, *run, "the fox", {}, never));
    const Figure figure = drawn("data-bits", data).figure;
    for (const double width : {80.0, 120.0, 260.0}) {
        ExportOptions options;
        options.format = FigureFormat::svg;
        options.widthMm = width;
        const QString svg = QString::fromUtf8(figureBytes(figure, options));
        QString words;
        static const QRegularExpression text(QStringLiteral("<text[^>]*>([^<]*)</text>"));
        for (const auto& each : text.globalMatch(svg)) words += each.captured(1) + QLatin1Char(' ');
        words = words.simplified();
        EXPECT_FALSE(words.contains(QStringLiteral("…"))) << width << words.toStdString();
        EXPECT_TRUE(words.contains(QStringLiteral("bits (a uniform guess) or more"))) << words.toStdString();
        EXPECT_TRUE(words.contains(QStringLiteral("bits per character"))) << width << words.toStdString();
        EXPECT_TRUE(words.contains(QStringLiteral("of its 7 bytes"))) << width << words.toStdString();
    }
}

TEST_F(DataFiguresTest, CommandLineMakesFigures) {
    firstRun();
    for (const char* name : {"data-bits", "data-tokens", "data-frequencies", "data-zipf", "data-mutual-information"}) {
        const InspectFigure* figure = findInspectFigure(name);
        ASSERT_NE(figure, nullptr);
        const Figure made =
            inspectFigureOf(workspace.lab().file(), workspace.engine(), workspace.dataDir(), *figure, {});
        EXPECT_FALSE(isEmpty(made)) << name;
        EXPECT_EQ(made.settings.value("run").toInt(), 1);
    }
}

}  // namespace
}  // namespace ropelab::ui
