#include "ui/lecture/lecture_text.h"

#include <gtest/gtest.h>

#include <QDir>
#include <QFile>
#include <QImage>
#include <QTemporaryDir>
#include <QTest>
#include <QTextTable>

#include "ui/lecture/documents/page_text.h"
#include "ui/lecture/lecture_words.h"
#include "ui/lecture/presentation/ink.h"
#include "ui/theme/theme_manager.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

namespace {

class LectureTextTest : public ::testing::Test {
 protected:
    void SetUp() override {
        ThemeManager::instance().apply();
        ThemeManager::instance().setChoice(ThemeManager::Choice::light);
        ASSERT_TRUE(QDir(folder.path()).mkpath("formulas"));
        write("formulas/a.svg",
              "<svg xmlns='http://www.w3.org/2000/svg' width='10' height='10' viewBox='0 0 10 10' "
              "fill='currentColor'><path d='M0 0 H10 V10 H0 Z'/></svg>");
        write("formulas/formulas.json",
              R"({"\\theta": {"file": "a.svg", "text": "theta sign", "height_ex": 1.5, "depth_ex": 0.2},
                  "x": {"file": "../secret.svg", "text": "x"}})");
    }
    void TearDown() override { ThemeManager::instance().setChoice(ThemeManager::Choice::system); }
    void write(const QString& name, const QByteArray& content) {
        QFile file(folder.filePath(name));
        ASSERT_TRUE(file.open(QIODevice::WriteOnly));
        file.write(content);
    }

    QTemporaryDir folder;
};

TEST_F(LectureTextTest, TexBecomesUnicode) {
    EXPECT_EQ(unicodeOfTex("\\lambda_0 = 2\\pi"), "λ₀ = 2π");
    EXPECT_EQ(unicodeOfTex("\\theta^{-2i/d}"), "θ^(−2i/d)");
    EXPECT_EQ(unicodeOfTex("x^2 + y_{10}"), "x² + y₁₀");
    EXPECT_EQ(unicodeOfTex("\\frac{a}{b}"), "(a)/(b)");
    EXPECT_EQ(unicodeOfTex("\\frac{a"), "(a)/()") << "unbalanced braces end with the text";
    EXPECT_EQ(unicodeOfTex("{\\"), "");
    EXPECT_EQ(unicodeOfTex("\\theta_\\mathrm{max}"), "θ_(max)") << "what follows a font belongs to it";
    EXPECT_EQ(unicodeOfTex("\\lceil x \\rceil \\leq \\mathrm{dim}"), "⌈ x ⌉ ≤ dim");
}

TEST_F(LectureTextTest, AValueStaysWithItsSigns) {
    EXPECT_EQ(withFixedSpaces("at θ = 10,000 or\n13 % of = it"), u"at θ\u00A0=\u00A010,000 or\n13\u00A0% of = it"_s);
    EXPECT_EQ(withFixedSpaces("x =\n−3, 0\n%"), u"x\u00A0=\u00A0−3, 0\u00A0%"_s);
    EXPECT_EQ(withFixedSpaces("2 ·\n64 · d"), u"2\u00A0·\u00A064 · d"_s);
}

TEST_F(LectureTextTest, ColumnsOfNumbersAreAlignedToTheRight) {
    QTextDocument document;
    setPageMarkdown(document,
                    "| θ | loss | what |\n|---|---|---|\n| 500 | 1.47 ± 0.01 | 3 |\n| **1,000** | 2 % | one |\n", {},
                    Qt::black);
    const auto* table = qobject_cast<QTextTable*>(document.rootFrame()->childFrames().value(0));
    ASSERT_NE(table, nullptr);
    for (int row = 0; row < table->rows(); ++row) {
        for (int column = 0; column < table->columns(); ++column) {
            const auto alignment = table->cellAt(row, column).firstCursorPosition().blockFormat().alignment();
            EXPECT_EQ(alignment.testFlag(Qt::AlignRight), column < 2) << row << ", " << column;
        }
    }
}

TEST_F(LectureTextTest, AColumnIsPaintedOnOneAxis) {
    const auto pictures = [](const QString& markdown) {
        QTextDocument document;
        setPageMarkdown(document, markdown, {}, Qt::black);
        const auto* table = qobject_cast<QTextTable*>(document.rootFrame()->childFrames().value(0));
        QStringList svg;
        for (int row = 0; row < table->rows(); ++row) {
            QTextCursor cell = table->cellAt(row, 1).firstCursorPosition();
            cell.movePosition(QTextCursor::NextCharacter);
            svg << QString::fromUtf8(cell.charFormat().property(QTextFormat::UserProperty + 1).toByteArray());
        }
        return svg;
    };
    const QString rows = u"|---|---|\n| a | 1 |\n| **b** | 2 ± 1 |\n| c | − |\n| d | 1,003 |\n"_s;
    const QStringList dots = pictures(u"| x | y ![dots](plot:dots) |\n"_s + rows);
    EXPECT_EQ(dots[0] + dots[3], "") << "a heading and a cell without a number";
    EXPECT_TRUE(dots[1].contains("cx='4'") && dots[4].contains("cx='106'")) << dots.join(u'\n').toStdString();
    EXPECT_TRUE(dots[2].contains("M4 5H")) << "its spread begins at 1";
    EXPECT_TRUE(dots[1].contains("dasharray") && dots[4].contains("dasharray")) << "the line of the bold row";
    const QStringList bars = pictures(u"| x | y ![bars](plot:bars) |\n"_s + rows);
    EXPECT_TRUE(bars[1].contains("M4 5H4.1") && bars[4].contains("M4 5H106")) << bars.join(u'\n').toStdString();
    EXPECT_EQ(pictures(u"| x | y |\n"_s + rows).join(QString()), "");
    LectureText text(12);
    text.setMarkdown(u"| x | y ![bars](plot:bars) |\n"_s + rows);
    EXPECT_FALSE(text.plainText().contains(QChar::ObjectReplacementCharacter));
}

TEST_F(LectureTextTest, FormulasComeFromTheIndexAndNeverFromOutsideItsFolder) {
    const LectureFormulas formulas(folder.path());
    EXPECT_EQ(formulas.formula("\\theta").text, "theta sign");
    EXPECT_EQ(formulas.formula("\\theta").file, folder.filePath("formulas/a.svg"));
    EXPECT_EQ(formulas.formula("x").file, folder.filePath("formulas/secret.svg"));
    EXPECT_EQ(formulas.formula("\\omega").text, "ω");
    EXPECT_EQ(formulas.formula("\\omega").file, "");
    EXPECT_EQ(LectureFormulas("/nowhere").formula("\\pi").text, "π");
}

// Its name could be that of a pipe or a device.
TEST_F(LectureTextTest, NoPictureOfALectureIsLoaded) {
    QImage picture(300, 200, QImage::Format_RGB32);
    picture.fill(Qt::red);
    const QString file = folder.filePath("red.png");
    ASSERT_TRUE(picture.save(file));
    const auto shows = [&](const QString& name) {
        LectureText text(12);
        text.setMarkdown(u"Before ![picture](%1) after"_s.arg(name));
        text.resize(600, 300);
        const QImage image = text.grab().toImage();
        bool isRed = false;
        for (int y = 0; y < image.height(); ++y) {
            for (int x = 0; x < image.width(); ++x) isRed = isRed || image.pixelColor(x, y) == Qt::red;
        }
        return isRed || text.heightForWidth(600) > 100;
    };
    EXPECT_FALSE(shows(file));
    EXPECT_FALSE(shows(u"file://"_s + file));
    const QDir before = QDir::current();
    ASSERT_TRUE(QDir::setCurrent(folder.path()));
    EXPECT_FALSE(shows("red.png"));
    QDir::setCurrent(before.path());
}

TEST_F(LectureTextTest, FormulasThatNameOtherFilesHaveNoPicture) {
    const LectureFormula whole{folder.filePath("formulas/a.svg"), "", 1, 0};
    EXPECT_TRUE(whole.svg(Qt::red).contains("fill='#ff0000'"));
    const QByteArray start = "<svg xmlns='http://www.w3.org/2000/svg' xmlns:a='http://www.w3.org/2000/svg'>";
    for (const QByteArray& content : {start + "<image href='a.png'/></svg>", start + "<a:image href='a.png'/></svg>",
                                      "<?xml-stylesheet type='text/css' href='a.css'?>" + start + "</svg>"}) {
        write("formulas/b.svg", content);
        EXPECT_EQ(LectureFormula({folder.filePath("formulas/b.svg"), "", 1, 0}).svg(Qt::red), QByteArray())
            << content.data();
    }
    EXPECT_EQ(LectureFormula({folder.path(), "", 1, 0}).svg(Qt::red), QByteArray()) << "a folder is no file";
}

TEST_F(LectureTextTest, ReadersHearTheFormulasAsUnicode) {
    LectureText text(12);
    text.setFormulas(LectureFormulas(folder.path()));
    text.setMarkdown("The base $\\theta$ and **$\\omega_i$** cost 5 dollars.");
    EXPECT_EQ(text.plainText(), "The base theta sign and ωᵢ cost 5 dollars.");
    EXPECT_EQ(text.accessibleName(), text.plainText());
}

TEST_F(LectureTextTest, PicturesOfFormulasHaveTheColourOfTheText) {
    LectureText text(40);
    text.setFormulas(LectureFormulas(folder.path()));
    text.setMarkdown("$\\theta$");
    text.resize(200, 120);
    for (const auto choice : {ThemeManager::Choice::light, ThemeManager::Choice::dark}) {
        ThemeManager::instance().setChoice(choice);
        const QImage image = text.grab().toImage();
        const QColor wanted = ThemeManager::instance().theme().text;
        int found = 0;
        for (int y = 0; y < image.height(); ++y) {
            for (int x = 0; x < image.width(); ++x) found += image.pixelColor(x, y) == wanted ? 1 : 0;
        }
        EXPECT_GT(found, 200);
    }
}

TEST_F(LectureTextTest, IsAsHighAsItsText) {
    LectureText text(12);
    const QString long_text = QStringLiteral("A long sentence of many words that needs some lines. ").repeated(6);
    EXPECT_EQ(text.heightForWidth(300), 0);
    text.setMarkdown(long_text);
    EXPECT_GT(text.heightForWidth(200), text.heightForWidth(600));
    EXPECT_EQ(text.heightOf(long_text, 300), text.heightForWidth(300));
}

TEST_F(LectureTextTest, ValuesAndTimesAreReadable) {
    EXPECT_EQ(quantityValueText(47117), "47,117");
    EXPECT_EQ(quantityValueText(nullptr), "none");
    EXPECT_EQ(quantityValueText({{1868, 1878}, {1941, 1984}}), "1,868 to 1,878, 1,941 to 1,984");
    EXPECT_EQ(clockText(725), "12:05");
    EXPECT_EQ(clockText(-3), "−0:03");
}

TEST_F(LectureTextTest, InkIsDrawnOnlyWhileDrawingAndWiped) {
    QWidget canvas;
    canvas.resize(300, 200);
    InkLayer ink(&canvas);
    ink.resize(300, 200);
    EXPECT_TRUE(ink.testAttribute(Qt::WA_TransparentForMouseEvents)) << "the mouse reaches the picture below";
    ink.setDrawing(true);
    EXPECT_FALSE(ink.testAttribute(Qt::WA_TransparentForMouseEvents));
    canvas.show();
    QTest::mousePress(&ink, Qt::LeftButton, {}, {20, 20});
    QTest::mouseMove(&ink, {120, 90});
    QTest::mouseRelease(&ink, Qt::LeftButton, {}, {120, 90});
    EXPECT_EQ(ink.strokes(), 1);
    ink.setDrawing(false);
    EXPECT_EQ(ink.strokes(), 1) << "ink stays when drawing ends";
    ink.wipe();
    EXPECT_EQ(ink.strokes(), 0);
    ink.setPointer(true);
    ink.movePointer({50, 60});
    EXPECT_TRUE(ink.hasPointer());
    ink.setPointer(false);
    EXPECT_FALSE(ink.hasPointer());
}

}  // namespace
}  // namespace ropelab::ui
