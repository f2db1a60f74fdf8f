// Handouts and slides of lectures, made by the mode --document and from the menu.
#include <QCryptographicHash>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QImage>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QPainter>
#include <QProcess>
#include <QRegularExpression>
#include <QStandardPaths>
#include <QSvgRenderer>
#include <QTextDocument>
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/base/error.h"
#include "core/lecture/quantities/quantity.h"
#include "core/rope/logit.h"
#include "tests/support/source_file.h"
#include "tests/ui/support/answered_dialogs.h"
#include "tests/ui/support/window_fixture.h"
#include "ui/animation/export_process.h"
#include "ui/common/paths.h"
#include "ui/lecture/documents/page_text.h"
#include "ui/lecture/documents/shown_lecture.h"
#include "ui/lecture/documents/slides.h"
#include "ui/lecture/lecture_words.h"
#include "ui/shell/room.h"
#include "ui/window/batch/batch_modes.h"
#include "ui/window/controllers/lecture_controller.h"
#include "ui/window/controllers/window_stage.h"

namespace ropelab::ui {
namespace {

constexpr const char* kDocumentLecture = R"(---
title: Hands of clocks
minutes: 10
author: A. Teacher
---
Words of the title page. ![pixel](https://example.org/pixel.png)

## One hand
```yaml
show: rotation/logit
setup: theta=10k head_dim=8 fraction=100% context=256
question: How far does the hand move?
find: wavelength(0)
steps:
  - say: The query stands at **ten**.
    set: {m: 10, n: 3}
  - say: It glides to sixty-four.
    set: {m: 64 over 20 s}
    loop: true
  - ask: {text: "Which hand is slowest?", choices: [the first hand, the last hand], right: 2, answer: Its wavelength is longest.}
  - ask: {text: "How long is its wavelength?", quantity: wavelength(3), tolerance: 1, answer: Read the spectrum.}
```
The logit is $q \cdot k$.

## A page
```yaml
question: Which words?
```
Only words.

## The bound
```yaml
show: context/bound
setup: theta=500 head_dim=64 fraction=100% context=1024
steps:
  - say: Think first.
  - ask: {text: Draw the bound., draw: true, answer: It falls in waves.}
  - say: This is the bound.
    set: {theta: 600}
```
)";

/// Runs a program of poppler-utils and returns its output; nullopt if the program is not installed.
std::optional<QString> popplerText(const QString& program, const QStringList& arguments) {
    const QString path = QStandardPaths::findExecutable(program);
    if (path.isEmpty()) return std::nullopt;
    QProcess process;
    process.start(path, arguments);
    process.waitForFinished();
    return QString::fromUtf8(process.readAllStandardOutput());
}

class LectureDocumentTest : public Workbench {
 protected:
    void SetUp() override {
        Workbench::SetUp();
        write("hands.md", kDocumentLecture);
    }
    void write(const char* name, const QByteArray& content) {
        QFile target(file(name));
        ASSERT_TRUE(target.open(QIODevice::WriteOnly));
        target.write(content);
    }
    QByteArray contentOf(const QString& path) {
        QFile source(path);
        EXPECT_TRUE(source.open(QIODevice::ReadOnly)) << path.toStdString();
        return source.readAll();
    }
    int make(const char* kind, const QString& output, nlohmann::json fields = nlohmann::json::object(),
             const QString& lecture = {}) {
        fields["kind"] = kind;
        fields["lecture"] = (lecture.isEmpty() ? file("hands.md") : lecture).toStdString();
        fields["output"] = output.toStdString();
        const QStringList flags = {"ropelab", "--document", QString::fromStdString(fields.dump())};
        return writeLectureDocument(parseLaunchOptions(flags), [this]() -> Engine& { return engine; });
    }
    /// Shows a lecture in a window and returns its pictures.
    ShownLecture shownLecture(const QString& path) {
        MainWindow window(options());
        window.resize(1600, 1000);
        window.show();
        const auto settle = [&window] {
            QTest::qWait(50);
            waitUntil([&window] { return !window.room().isBusy(); });
            window.room().refreshNow();
        };
        return *showLecture(window.windowStage(), load_lecture(toPath(path)), settle, [](int, int) { return true; });
    }
    static QString pageText(const QString& pdf, int page) {
        return popplerText("pdftotext", {"-layout", "-f", QString::number(page), "-l", QString::number(page), pdf, "-"})
            .value_or(QString())
            .simplified();
    }
    static bool hasValues(const Figure& figure) {
        return std::any_of(figure.curves.begin(), figure.curves.end(), [](const FigureCurve& curve) {
            return std::any_of(curve.y.begin(), curve.y.end(), [](double y) { return std::isfinite(y); });
        });
    }
    static int pagesOf(const QString& pdf) {
        const auto info = popplerText("pdfinfo", {pdf});
        return QRegularExpression("Pages: +(\\d+)").match(info.value_or(QString())).captured(1).toInt();
    }
};

// The first curve of the bound, one by its name, and one that does not exist.
TEST_F(LectureDocumentTest, ChecksTheCurvesThatTheClassDraws) {
    write("drawn.md", R"md(---
title: Drawn
---
## Bound
```yaml
show: context/bound
steps:
  - ask: {text: Draw it., draw: true}
  - ask: {text: Draw it., draw: true, curve: "b(Δ)"}
  - ask: {text: Draw it., draw: true, curve: the tangent}
```
## Dials
```yaml
show: rotation/dials
steps:
  - ask: {text: Draw it., draw: true}
```
)md");
    const ShownLecture shown = shownLecture(file("drawn.md"));
    ASSERT_EQ(shown.drawn.size(), 4U);
    EXPECT_EQ(shown.drawn[0].problem, "");
    EXPECT_EQ(shown.drawn[1].problem, "");
    EXPECT_EQ(shown.drawn[2].line, 10);
    EXPECT_EQ(shown.drawn[2].scene, "bound");
    EXPECT_TRUE(shown.drawn[2].problem.contains("has no curve “the tangent”; its curves are:"))
        << shown.drawn[2].problem.toStdString();
    EXPECT_TRUE(shown.drawn[2].problem.contains("B(Δ)")) << shown.drawn[2].problem.toStdString();
    EXPECT_TRUE(shown.drawn[3].problem.contains("no curve that could be drawn"));
    EXPECT_EQ(make("check", "-", nlohmann::json::object(), file("drawn.md")), 1);
    EXPECT_EQ(make("check", "-"), 0);
}

#define REQUIRE_POPPLER() \
    if (QStandardPaths::findExecutable("pdftotext").isEmpty()) GTEST_SKIP() << "poppler-utils is not installed."

TEST_F(LectureDocumentTest, HandoutHasTheScenesWithQuestionsAndAnswers) {
    REQUIRE_POPPLER();
    const QString pdf = file("handout.pdf");
    ASSERT_EQ(make("handout", pdf), 0);
    ASSERT_GE(pagesOf(pdf), 4);
    const QString first = pageText(pdf, 1);
    for (const char* words :
         {"Hands of clocks", "A. Teacher · 10 minutes", "Words of the title page.", "1 One hand", "3 The bound"}) {
        EXPECT_TRUE(first.contains(QString::fromUtf8(words))) << words << " is not in " << first.toStdString();
    }
    const QString scene = pageText(pdf, 2);
    const ComparedSetups setups = parse_setups("theta=10k head_dim=8 fraction=100% context=256");
    const QString value = quantityValueText(evaluate_quantity("wavelength(3)", {setups, nullptr}));
    for (const QString& words :
         {QStringLiteral("1 One hand"), QStringLiteral("The logit is q · k."), QStringLiteral("Questions"),
          QStringLiteral("1. How far does the hand move?"), QStringLiteral("2. Which hand is slowest?"),
          QStringLiteral("b) the last hand"), QStringLiteral("Answers"), QStringLiteral("1. wavelength(0) = 6.28"),
          QStringLiteral("2. b) the last hand"), QStringLiteral("Its wavelength is longest."),
          QStringLiteral("3. ") + value, QStringLiteral("page 2 of ")}) {
        EXPECT_TRUE(scene.contains(words)) << words.toStdString() << " is not in " << scene.toStdString();
    }
    // The pictures are vectors: their labels are text, and there are no images.
    EXPECT_TRUE(scene.contains("logit"));
    EXPECT_EQ(popplerText("pdfimages", {"-list", pdf})->trimmed().count(QLatin1Char('\n')), 1);
    EXPECT_TRUE(popplerText("pdfinfo", {pdf})->contains(QRegularExpression("Page size: +59\\d.* x 84\\d.*A4")));
}

TEST_F(LectureDocumentTest, HandoutWithoutAnswersShowsNone) {
    REQUIRE_POPPLER();
    const QString pdf = file("handout.pdf");
    ASSERT_EQ(make("handout", pdf, {{"answers", false}, {"paper", "letter"}}), 0);
    const QString all = popplerText("pdftotext", {"-layout", pdf, "-"})->simplified();
    EXPECT_TRUE(all.contains("Draw the bound."));
    for (const char* words : {"Answers", "Its wavelength is longest.", "It falls in waves.", "The logit is"}) {
        EXPECT_FALSE(all.contains(words)) << words;
    }
    EXPECT_TRUE(all.contains("Only words."));
    EXPECT_TRUE(popplerText("pdfinfo", {pdf})->contains("612 x 792"));
}

TEST_F(LectureDocumentTest, SlidesHaveAPagePerStep) {
    REQUIRE_POPPLER();
    const QString pdf = file("slides.pdf");
    ASSERT_EQ(make("slides", pdf), 0);
    // Title page, four steps and the text of the first scene, the page of text, three steps; answers follow questions.
    const QStringList words = {"Words of the title page.",
                               "The query stands at ten.",
                               "It glides to sixty-four.",
                               "Which hand is slowest?",
                               "Its wavelength is longest.",
                               "How long is its wavelength?",
                               "Read the spectrum.",
                               "The logit is",
                               "Only words.",
                               "Think first.",
                               "Draw the bound.",
                               "It falls in waves.",
                               "This is the bound."};
    ASSERT_EQ(pagesOf(pdf), words.size());
    for (int page = 1; page <= words.size(); ++page) {
        const QString shown = pageText(pdf, page);
        EXPECT_TRUE(shown.contains(words[page - 1])) << page << ": " << shown.toStdString();
    }
    EXPECT_TRUE(pageText(pdf, 3).contains("scene 1, step 2 of 4"));
    EXPECT_FALSE(pageText(pdf, 3).contains("How far does the hand move?")) << "the scene asks other questions";
    EXPECT_TRUE(pageText(pdf, 9).contains("Which words?"));
    EXPECT_TRUE(pageText(pdf, 4).contains("b) the last hand"));
    EXPECT_FALSE(pageText(pdf, 4).contains("Its wavelength is longest."));
}

TEST_F(LectureDocumentTest, SlidesWithoutAnswersEndASceneWithItsQuestions) {
    const QString page = file("slides.html");
    ASSERT_EQ(make("slides", page, {{"answers", false}}), 0);
    const QString html = QString::fromUtf8(contentOf(page));
    // The text of the first scene and the last step of the third follow questions.
    EXPECT_EQ(html.count("<section"), 8);
    for (const char* words : {"It glides to sixty-four.", "Which hand is slowest?", "the last hand",
                              "How long is its wavelength?", "Only words.", "Think first.", "Draw the bound."}) {
        EXPECT_TRUE(html.contains(words)) << words;
    }
    for (const char* words : {"Its wavelength is longest.", "It falls in waves.", "This is the bound.", "The logit is",
                              "<summary>Answer</summary>"}) {
        EXPECT_FALSE(html.contains(words)) << words;
    }
}

TEST_F(LectureDocumentTest, VersionsWithoutAnswersLeaveOutWhatFollowsAQuestion) {
    write("decided.md",
          "---\ntitle: Decided\n---\n\n## A page\n```yaml\nsteps:\n"
          "  - ask: {text: \"Which one?\", choices: [this, that], right: 1, hide: true}\n```\nIt is the first.\n\n"
          "## The bound\n```yaml\nshow: context/bound\nsteps:\n  - say: Look.\n"
          "  - ask: {text: \"Is it above 0?\", choices: [\"yes\", \"no\"], right: 1}\n  - say: It stays above.\n"
          "  - {say: And at 500 it does not., ask: {text: \"Why?\", choices: [a b, c d], right: 1}}\n```\n\n"
          "## All answers\n```yaml\nsummary: true\n```\nThis one, and yes.\n");
    const QString page = file("decided.html");
    ASSERT_EQ(make("slides", page, {{"answers", false}}, file("decided.md")), 0);
    const QString html = QString::fromUtf8(contentOf(page));
    EXPECT_EQ(html.count("<section"), 5);  // the title, and the questions with the step before
    EXPECT_EQ(html.count("<figure "), 2) << "only the step before the question and the question have the figure";
    for (const char* words :
         {"It is the first.", "It stays above.", "And at 500", "All answers", "This one, and yes."}) {
        EXPECT_FALSE(html.contains(words)) << words;
    }
    const ShownLecture shown = shownLecture(file("decided.md"));
    EXPECT_EQ(slidesOf(shown).size(), 8);
}

TEST_F(LectureDocumentTest, VersionsWithoutAnswersDoNotAnswerAcrossScenes) {
    write("across.md",
          "---\ntitle: Across\n---\n\n## Asks\n```yaml\nshow: context/bound\nsetup: theta=500 head_dim=64 context=256\n"
          "steps:\n  - ask: {text: \"Where is B negative?\", quantity: first_negative(2000), hide: true}\n```\n\n"
          "## Tells\n```yaml\nshow: context/bound\nsetup: theta=500 head_dim=64 context=256\nsteps:\n"
          "  - say: It is negative at 154.\n```\n");
    for (const bool hasAnswers : {true, false}) {
        const QString page = file("across.html");
        ASSERT_EQ(make("slides", page, {{"answers", hasAnswers}}, file("across.md")), 0);
        const QString html = QString::fromUtf8(contentOf(page));
        EXPECT_EQ(html.contains("It is negative at 154."), hasAnswers);
        EXPECT_EQ(html.count("<figure "), hasAnswers ? 1 : 0);
    }
}

TEST_F(LectureDocumentTest, ATextThatAQuestionHidesFollowsIt) {
    write("hides.md",
          "---\ntitle: Hides\n---\n\n## Table\n```yaml\nsteps:\n  - ask: {text: \"How many?\", choices: [a, b], right: "
          "2, "
          "hide: true}\n  - say: Look at the table.\n```\nThere are three.\n");
    const std::vector<LectureSlide> slides = slidesOf(shownLecture(file("hides.md")));
    ASSERT_EQ(slides.size(), 4);
    EXPECT_TRUE(slides[1].ask);
    EXPECT_EQ(slides[2].body.trimmed(), "There are three.");
    EXPECT_EQ(slides[3].sentence, "Look at the table.");
}

TEST_F(LectureDocumentTest, AWholePageHasItsFirstFigure) {
    write("whole.md",
          "---\ntitle: Whole\n---\n\n## Clocks\n```yaml\nshow: rotation\nsteps:\n  - say: Four.\n"
          "  - {say: A text., set: {room: rotation/tokens}}\n```\n\n"
          "## Sheet\n```yaml\nid: sheet\nshow: reproduce/checks\n```\n");
    const ShownLecture shown = shownLecture(file("whole.md"));
    ASSERT_TRUE(shown.scenes[0].steps[0].picture && shown.scenes[0].steps[1].picture);
    EXPECT_EQ(shown.scenes[0].steps[0].picture->name, "dials");
    EXPECT_EQ(shown.scenes[0].steps[1].picture->name, "token-rotation");
    EXPECT_EQ(shown.notes, QStringList{"Scene 2 (sheet) has no picture, because its page has no figure."});
}

TEST_F(LectureDocumentTest, SlidesAreFilesInAFolder) {
    const QString target = file("slides");
    ASSERT_EQ(make("slides", target, {{"width", 640}, {"theme", "dark"}}), 0);
    EXPECT_EQ(QDir(target).entryList({"*.png"}, QDir::Files).size(), 13);
    const QImage dark(target + "/slide-002.png");
    EXPECT_EQ(dark.size(), QSize(640, 360));
    EXPECT_LT(qGray(dark.pixel(2, 2)), 100);
    ASSERT_EQ(make("slides", target, {{"format", "svg"}}), 0);
    const QStringList drawn = QDir(target).entryList({"*.svg"}, QDir::Files);
    ASSERT_EQ(drawn.size(), 13);
    for (const QString& each : drawn) EXPECT_TRUE(QSvgRenderer(target + "/" + each).isValid()) << each.toStdString();
    EXPECT_TRUE(contentOf(target + "/slide-003.svg").contains("sixty-four"));
}

/// What slides_html.cpp seals, by number of the slide from 1.
QJsonObject opened(const QString& html, int slide) {
    const QRegularExpression section(
        QStringLiteral("<section id=\"slide-%1\"[^>]* data-sealed=\"([^\"]*)\"").arg(slide));
    QByteArray bytes = QByteArray::fromBase64(section.match(html).captured(1).toLatin1());
    auto state = static_cast<quint32>(slide);
    for (char& byte : bytes) {
        state = state * 1664525U + 1013904223U;
        byte = static_cast<char>(static_cast<unsigned char>(byte) ^ (state >> 24U));
    }
    return QJsonDocument::fromJson(bytes).object();
}

TEST_F(LectureDocumentTest, HtmlLoadsNothing) {
    const QString page = file("slides.html");
    ASSERT_EQ(make("slides", page), 0);
    const QString html = QString::fromUtf8(contentOf(page));
    EXPECT_EQ(html.count("http"), 1);
    EXPECT_EQ(html.count("http-equiv=\"Content-Security-Policy\""), 1);
    EXPECT_FALSE(html.contains("<link"));
    const QRegularExpression source("(?:src|srcset|href)=\"([^\"]*)\"|url\\(([^)]*)\\)");
    for (auto matches = source.globalMatch(html); matches.hasNext();) {
        const auto match = matches.next();
        const QString address = match.captured(1) + match.captured(2);
        EXPECT_TRUE(address.startsWith("data:") || address.startsWith("#")) << address.left(60).toStdString();
    }
    EXPECT_EQ(html.count("<section"), 10);
    EXPECT_EQ(html.count("<figure "), 7);
    EXPECT_EQ(html.count("<svg"), html.count("</svg>"));
    for (const char* words :
         {"The query stands at <b>ten</b>.", "It glides to sixty-four.", "the last hand", "Only words.",
          "href=\"#one-hand\"", "id=\"one-hand\"", "ArrowRight", "Home", "End", "aria-label=\"2 of 10: "}) {
        EXPECT_TRUE(html.contains(words)) << words;
    }
    // Without JavaScript every slide is visible: only the script hides slides.
    EXPECT_FALSE(html.contains("class=\"paged\""));
    // No other script runs, whatever the lecture contains.
    const auto script = html.mid(html.indexOf("<script>") + 8).section("</script>", 0, 0).toUtf8();
    EXPECT_GT(script.size(), 1000);
    EXPECT_EQ(html.count("<script"), 1);
    EXPECT_TRUE(html.contains("script-src 'sha256-" +
                              QCryptographicHash::hash(script, QCryptographicHash::Sha256).toBase64() + "'"));
}

TEST_F(LectureDocumentTest, AnswersAndNotesOfHtmlAreNotReadableBeforeTheyAreShown) {
    write("hands.md", QByteArray(kDocumentLecture).replace("find: wavelength(0)", "notes: Let them vote first."));
    const QString page = file("slides.html");
    ASSERT_EQ(make("slides", page), 0);
    const QString html = QString::fromUtf8(contentOf(page));
    for (const char* words : {"Its wavelength is longest.", "Read the spectrum.", "It falls in waves.", "Let them vote",
                              "\"right\":", "\"truth\":"}) {
        EXPECT_FALSE(html.contains(words)) << words;
    }
    EXPECT_TRUE(opened(html, 2)["notes"].toString().contains("Let them vote first."));
    const QJsonObject choice = opened(html, 4)["ask"].toObject();
    EXPECT_EQ(choice["kind"].toString(), "choice");
    EXPECT_EQ(choice["right"].toInt(), 1);
    EXPECT_TRUE(choice["answer"].toString().contains("Its wavelength is longest."));
    const QJsonObject number = opened(html, 5)["ask"].toObject();
    EXPECT_EQ(number["unit"].toString(), "tokens");
    EXPECT_EQ(number["tolerance"].toDouble(), 1);
    const ComparedSetups setups = parse_setups("theta=10k head_dim=8 fraction=100% context=256");
    EXPECT_EQ(number["truth"].toDouble(), evaluate_quantity("wavelength(3)", {setups, nullptr}).get<double>());

    ASSERT_EQ(make("slides", page, {{"answers", false}}), 0);
    const QString without = QString::fromUtf8(contentOf(page));
    EXPECT_FALSE(without.contains("data-sealed=\""));
    EXPECT_FALSE(without.contains("data-live=\""));
}

TEST_F(LectureDocumentTest, HtmlHasTheColorsOfBothThemes) {
    const QString page = file("slides.html");
    ASSERT_EQ(make("slides", page), 0);
    const QString html = QString::fromUtf8(contentOf(page));
    EXPECT_TRUE(html.startsWith("<!DOCTYPE html>\n<html lang=\"en\">"));
    EXPECT_TRUE(html.contains("prefers-color-scheme:dark"));
    const QString body = html.mid(html.indexOf("<body"));
    for (const Theme& theme : {Theme::light(), Theme::dark()}) {
        EXPECT_TRUE(html.contains(":" + theme.paper.name() + ";"));
        // Figures name their colours by variables.
        EXPECT_FALSE(body.contains("\"" + theme.text.name() + "\""));
    }
    EXPECT_TRUE(body.contains("fill=\"var(--c"));
    ASSERT_EQ(make("slides", page, {{"theme", "dark"}}), 0);
    EXPECT_TRUE(contentOf(page).startsWith("<!DOCTYPE html>\n<html lang=\"en\" data-theme=\"dark\">"));
}

// The sliders of a page begin where the figure is: the program's functions give its numbers from what the page has.
TEST_F(LectureDocumentTest, LiveFiguresBeginAsTheFigures) {
    write("live.md",
          "---\ntitle: Live\n---\n"
          "## Dials\n```yaml\nshow: rotation/dials\nsetup: theta=10k head_dim=8 context=128\ncontrols: [m, play]\n"
          "steps:\n  - set: {vectors: equal, n: 0, m: 6}\n```\n"
          "## Logit\n```yaml\nshow: rotation/logit\nsetup: theta=500 head_dim=64 fraction=50% context=128\n"
          "controls: [n, theta, precision]\nsteps:\n  - set: {vectors: random, seed: 3, n: 7, m: 50}\n```\n"
          "## Aim\n```yaml\nshow: rotation/aim\nsetup: theta=10k head_dim=64 context=1024\ncontrols: [distance]\n"
          "steps:\n  - set: {vectors: aimed, distance: 40}\n```\n"
          "## Spectrum\n```yaml\nshow: spectrum/spectrum\ncontrols: [context]\n```\n"
          "## Two\n```yaml\nshow: spectrum/spectrum\nsetup: \"theta=10k | B: theta=500k\"\ncontrols: [theta]\n```\n"
          "## Scaled\n```yaml\nshow: spectrum/spectrum\nsetup: theta=10k scaling=linear factor=4\ncontrols: "
          "[theta]\n```\n"
          "## Head\n```yaml\nshow: rotation/dials\ncontrols: [m]\nsteps:\n  - set: {vectors: head}\n```\n"
          "## None\n```yaml\nshow: spectrum/spectrum\ncontrols: []\n```\n");
    const ShownLecture shown = shownLecture(file("live.md"));
    const auto liveOf = [&](std::size_t scene) { return shown.scenes[scene].steps[0].live; };
    const auto pictureOf = [&](std::size_t scene) { return *shown.scenes[scene].steps[0].picture; };
    const auto vectorOf = [](const QJsonValue& value) {
        std::vector<double> numbers;
        for (const QJsonValue& each : value.toArray()) numbers.push_back(each.toDouble());
        return numbers;
    };
    // q = k of dials: the angle of q is that of the vector and m times the frequency.
    const auto query = vectorOf(liveOf(0)["query"]);
    ASSERT_EQ(query.size(), 8);
    EXPECT_FALSE(liveOf(0).contains("key"));
    EXPECT_EQ(liveOf(0)["m"].toDouble(), 6);
    EXPECT_EQ(liveOf(0)["sliders"].toArray(), (QJsonArray{"m", "play"}));
    const FigureTable& angles = pictureOf(0).table;
    EXPECT_NEAR(angles.columns[3][0], std::atan2(query[4], query[0]) * 180 / std::acos(-1.0), 1e-9);

    const RotarySetup half = parse_setup("theta=500 head_dim=64 fraction=50% context=128");
    const auto channels = canonical_channels(half.head_dim, rotary_dim(half), half.partial, half.pairing);
    const LogitSplit split =
        split_logit(laid_out(vectorOf(liveOf(1)["query"]), channels), laid_out(vectorOf(liveOf(1)["key"]), channels),
                    50, 7, frequencies(frequency_settings(half)), half.partial, half.pairing);
    EXPECT_NEAR(pictureOf(1).table.columns[2].last(), split.total, 1e-12);
    EXPECT_EQ(liveOf(1)["setup"].toObject()["fraction"].toDouble(), 0.5);
    EXPECT_EQ(liveOf(1)["sliders"].toArray(), (QJsonArray{"n", "theta"}));

    EXPECT_TRUE(liveOf(2)["aimed"].toBool());
    EXPECT_EQ(liveOf(2)["distance"].toDouble(), 40);
    double norm = 0;
    for (const double each : vectorOf(liveOf(2)["query"])) norm += each * each / 8;
    const auto& curve = pictureOf(2).curves.front().y;
    EXPECT_NEAR(*std::max_element(curve.begin(), curve.end()), norm, 1e-9);

    EXPECT_EQ(liveOf(3)["figure"].toString(), "spectrum");
    EXPECT_FALSE(liveOf(3).contains("query"));
    EXPECT_EQ(liveOf(3)["y"].toObject()["max"].toDouble(), yRange(pictureOf(3)).maximum);
    for (const std::size_t scene : {4, 5, 6, 7}) EXPECT_TRUE(liveOf(scene).isEmpty()) << scene;

    const QString page = file("live.html");
    ASSERT_EQ(make("slides", page, nlohmann::json::object(), file("live.md")), 0);
    EXPECT_EQ(contentOf(page).count("data-live=\""), 4);
}

TEST_F(LectureDocumentTest, PicturesAreThoseOfTheEndsOfSteps) {
    const ShownLecture shown = shownLecture(file("hands.md"));
    EXPECT_TRUE(shown.problems.isEmpty()) << shown.problems.join("; ").toStdString();
    ASSERT_EQ(shown.scenes.size(), 3);
    const auto& steps = shown.scenes[0].steps;
    ASSERT_EQ(steps.size(), 4);
    ASSERT_TRUE(steps[0].picture && steps[1].picture);
    // The end of the glide, although it takes 20 seconds and loops.
    EXPECT_NE(steps[0].picture->settings, steps[1].picture->settings);
    EXPECT_EQ(steps[1].picture->settings, steps[2].picture->settings);
    EXPECT_FALSE(shown.scenes[1].steps[0].picture);
    EXPECT_EQ(shown.scenes[0].found, "wavelength(0) = 6.283");
}

TEST_F(LectureDocumentTest, SlidesBeforeADrawnCurveHaveEmptyAxes) {
    const ShownLecture shown = shownLecture(file("hands.md"));
    const std::vector<LectureSlide> slides = slidesOf(shown);
    ASSERT_EQ(slides.size(), 10);
    ASSERT_TRUE(slides[7].picture && slides[8].picture && slides[9].picture);
    EXPECT_FALSE(hasValues(*slides[7].picture));
    EXPECT_FALSE(hasValues(*slides[8].picture));
    EXPECT_TRUE(hasValues(*slides[9].picture));
    const Figure& truth = *shown.scenes[2].steps[1].picture;
    EXPECT_EQ(slides[8].picture->y.maximum, yRange(truth).maximum);
    EXPECT_EQ(slides[8].picture->x.label, truth.x.label);
}

TEST_F(LectureDocumentTest, RecordedRunsAreShownAndNothingTrains) {
    const QString lab = QString::fromStdString(source_file("resources/lectures/labs/three-thetas.ropelab"));
    write("runs.md", "---\ntitle: Runs\n---\n\n## Recorded\n```yaml\nshow: train\nlab: \"" + lab.toUtf8() +
                         "\"\nlive: {preset: lecture-minute}\n```\n\n## Live\n```yaml\nshow: train\n"
                         "live: {preset: lecture-minute}\n```\n");
    const ShownLecture shown = shownLecture(file("runs.md"));
    EXPECT_TRUE(shown.problems.isEmpty()) << shown.problems.join("; ").toStdString();
    ASSERT_TRUE(shown.scenes[0].steps[0].picture);
    EXPECT_FALSE(shown.scenes[0].steps[0].picture->curves.empty());
    EXPECT_TRUE(shown.scenes[0].runs.contains("recorded lab three-thetas.ropelab"));
    EXPECT_FALSE(shown.scenes[1].steps[0].picture && !shown.scenes[1].steps[0].picture->curves.empty());
    EXPECT_TRUE(shown.scenes[1].runs.contains("trains live"));
}

TEST_F(LectureDocumentTest, FormulasArePictures) {
    REQUIRE_POPPLER();
    const QString lecture = file("formula.md");
    QDir(folder.path()).mkpath("formulas");
    write("formulas/x.svg",
          "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"8\" height=\"8\" viewBox=\"0 0 8 8\" "
          "fill=\"currentColor\"><path d=\"M 0 0 L 8 0 L 8 8 Z\"/></svg>");
    write("formulas/formulas.json",
          "{\"x^2\": {\"file\": \"x.svg\", \"text\": \"x squared\", \"height_ex\": 2, \"depth_ex\": 0.5}}");
    write("formula.md", "---\ntitle: F\n---\n## A page\nBefore $x^2$ after.\n");
    const QString pdf = file("formula.pdf");
    ASSERT_EQ(make("handout", pdf, {}, lecture), 0);
    const QString words = pageText(pdf, 2);
    EXPECT_TRUE(words.contains("Before")) << words.toStdString();
    EXPECT_FALSE(words.contains("squared"));
    EXPECT_EQ(popplerText("pdfimages", {"-list", pdf})->trimmed().count(QLatin1Char('\n')), 1);
    // A text that is nothing but the formula is drawn.
    const FigureStyle style = FigureStyle::print(Theme::light(), 10, 4);
    QTextDocument document;
    preparePage(document, style, 10);
    setPageMarkdown(document, "$x^2$", LectureFormulas(folder.path()), style.theme.text);
    EXPECT_EQ(document.characterAt(0), QChar(QChar::ObjectReplacementCharacter));
    QImage image(200, 200, QImage::Format_RGB32);
    image.fill(Qt::white);
    QPainter painter(&image);
    drawPageText(document, painter, {0, 0}, Qt::black);
    painter.end();
    QImage blank(image.size(), image.format());
    blank.fill(Qt::white);
    EXPECT_NE(image, blank);
    const QString html = file("formula.html");
    ASSERT_EQ(make("slides", html, {}, lecture), 0);
    EXPECT_TRUE(contentOf(html).contains("alt=\"x squared\" src=\"data:image/svg+xml;base64,"));
}

TEST_F(LectureDocumentTest, RefusesBadInputAndSaysWhatCannotBeWritten) {
    EXPECT_THROW(make("handout", file("a.pdf"), {}, file("none.md")), BadInput);
    EXPECT_THROW(make("handout", file("a.png")), BadInput);
    EXPECT_THROW(make("handout", file("none/a.pdf")), BadInput);
    EXPECT_THROW(make("handout", file("a.pdf"), {{"paper", "a5"}}), BadInput);
    EXPECT_THROW(make("slides", file("a.html"), {{"format", "pdf"}}), BadInput);
    EXPECT_THROW(make("slides", file("a.png")), BadInput);
    EXPECT_THROW(make("slides", "-"), BadInput);
    EXPECT_THROW(make("slides", file("a"), {{"width", 10}}), BadInput);
    EXPECT_THROW(make("slides", file("hands.md") + "/slides"), BadInput);
    EXPECT_THROW(make("handout", "/dev/full"), WriteError);
    EXPECT_FALSE(QFileInfo::exists(file("a.pdf")));
}

class LectureExportTest : public WindowFixture {
 protected:
    void SetUp() override {
        WindowFixture::SetUp();
        write("hands.md", kDocumentLecture);
        // A program that records its arguments; with a file "refuse" it fails.
        write("program.sh",
              "#!/bin/sh\nd=$(dirname \"$0\")\necho 'step 1 of 2' >&2\nif [ -e \"$d/refuse\" ]; then\n"
              "  echo 'ropelab: The disk is full.' >&2\n  exit 1\nfi\necho \"$@\" >\"$d/arguments\"\n");
        QFile(file("program.sh")).setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
        window->lectures().documents().setProgram(file("program.sh"));
    }
    void write(const char* name, const QByteArray& content) {
        QFile target(file(name));
        ASSERT_TRUE(target.open(QIODevice::WriteOnly));
        target.write(content);
    }
    QString banners() { return window->banners().texts().join(QLatin1Char('\n')); }
};

TEST_F(LectureExportTest, MenuExportsTheOpenLectureInASeparateProcess) {
    QAction* handout = window->actions().action("lecture.handout");
    EXPECT_FALSE(handout->isEnabled());
    window->lectures().open(file("hands.md"));
    ASSERT_TRUE(handout->isEnabled());
    AnsweredDialogs answers;
    answers.path = file("handout.pdf");
    handout->trigger();
    EXPECT_FALSE(handout->isEnabled());
    ASSERT_TRUE(waitUntil([&] { return banners().contains("The lecture was exported to " + file("handout.pdf")); }));
    EXPECT_TRUE(handout->isEnabled());
    QFile arguments(file("arguments"));
    ASSERT_TRUE(arguments.open(QIODevice::ReadOnly));
    const QString given = QString::fromUtf8(arguments.readAll());
    EXPECT_TRUE(given.startsWith("--document {")) << given.toStdString();
    EXPECT_TRUE(given.contains("\"kind\":\"handout\""));
    EXPECT_TRUE(given.contains(file("hands.md")));

    write("refuse", "");
    answers.path = file("slides.html");
    window->actions().action("lecture.slides")->trigger();
    EXPECT_TRUE(waitUntil([&] { return banners().contains("The disk is full."); })) << banners().toStdString();
}

TEST_F(LectureExportTest, OpeningALectureLooksForItsCurvesInASeparateProcess) {
    window->lectures().curves().setProgram(file("program.sh"));
    window->lectures().open(file("hands.md"));
    EXPECT_FALSE(window->lectures().curves().isRunning()) << "only where a user opens the window";
    window->lectures().setChecksCurves(true);
    window->lectures().open(file("hands.md"));
    ASSERT_TRUE(waitUntil([&] { return QFile::exists(file("arguments")); }));
    ASSERT_TRUE(waitUntil([&] { return !window->lectures().curves().isRunning(); }));
    QFile arguments(file("arguments"));
    ASSERT_TRUE(arguments.open(QIODevice::ReadOnly));
    EXPECT_TRUE(QString::fromUtf8(arguments.readAll()).contains("\"kind\":\"check\""));
    EXPECT_TRUE(banners().contains("is open")) << "the banner of the opened lecture stays";

    write("refuse", "");
    window->lectures().open(file("hands.md"));
    EXPECT_TRUE(waitUntil([&] { return banners().contains("The disk is full."); })) << banners().toStdString();
}

}  // namespace
}  // namespace ropelab::ui
