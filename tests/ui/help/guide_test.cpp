#include "ui/help/guide.h"

#include <QCursor>
#include <QDesktopServices>
#include <QDir>
#include <QFile>
#include <QFontMetricsF>
#include <QLineEdit>
#include <QListWidget>
#include <QRegularExpression>
#include <QScrollBar>
#include <QTextBlock>
#include <QTextBrowser>
#include <QToolButton>
#include <set>

#include "tests/support/source_file.h"
#include "tests/ui/support/window_fixture.h"
#include "ui/help/command_palette.h"
#include "ui/help/explanation_card.h"
#include "ui/help/guide_pages.h"
#include "ui/window/controllers/rotary_controller.h"
#include "ui/window/frame/rooms.h"

namespace ropelab::ui {
namespace {

class GuideTest : public WindowFixture {
 protected:
    Guide& open(const char* action = "help.guide") {
        window->actions().action(action)->trigger();
        Guide& guide = window->rotary().guide();
        EXPECT_TRUE(QTest::qWaitForWindowActive(&guide));
        return guide;
    }
    static void type(Guide& guide, const QString& words) {
        guide.search()->clear();
        QTest::keyClicks(guide.search(), words);
    }
    /// Calls `use` with the format of each piece of text of the page.
    static void forEachPiece(const Guide& guide, const std::function<void(const QTextFragment&)>& use) {
        for (QTextBlock block = guide.page()->document()->begin(); block.isValid(); block = block.next()) {
            for (auto piece = block.begin(); !piece.atEnd(); ++piece) use(piece.fragment());
        }
    }
};

TEST_F(GuideTest, HasEveryFileOfDocsWithItsText) {
    const QDir folder(QString::fromStdString(source_file("docs")));
    QStringList files;
    for (const GuidePage& page : guidePages()) files << page.file;
    EXPECT_EQ(files.front(), "README.md");
    files.sort();
    EXPECT_EQ(files, folder.entryList({"*.md"}, QDir::Files, QDir::Name))
        << "docs/README.md links every page, and ui/help/guide.qrc has it";
    const QRegularExpression comment("<!--.*?-->\n?", QRegularExpression::DotMatchesEverythingOption);
    for (const QString& name : files) {
        QFile file(folder.filePath(name));
        ASSERT_TRUE(file.open(QIODevice::ReadOnly));
        EXPECT_EQ(guideText(name), QString::fromUtf8(file.readAll()).remove(comment)) << name.toStdString();
    }
}

TEST_F(GuideTest, EveryPageLoadsAndItsLinksAndPicturesResolve) {
    Guide& guide = open();
    std::set<QString> links;  // sorted, so that each page is rendered once
    for (const GuidePage& page : guidePages()) {
        SCOPED_TRACE(page.file.toStdString());
        ASSERT_TRUE(guide.showPage(page.file));
        const QString text = guide.page()->toPlainText();
        EXPECT_FALSE(text.isEmpty());
        EXPECT_FALSE(text.contains("<!--"));
        EXPECT_LE(guide.page()->horizontalScrollBar()->maximum(), 1) << "a part is wider than the page";
        forEachPiece(guide, [&](const QTextFragment& piece) {
            const QTextCharFormat format = piece.charFormat();
            const QString target = format.anchorHref();
            if (!target.isEmpty() && !target.startsWith("http")) {
                links.insert(target.startsWith('#') ? page.file + target : target);
            }
            if (!format.isImageFormat()) return;
            const QUrl picture(format.toImageFormat().name());
            const QSize size =
                guide.page()->document()->resource(QTextDocument::ImageResource, picture).value<QImage>().size();
            EXPECT_FALSE(size.isEmpty()) << picture.toString().toStdString();
            EXPECT_LE(size.width(), guide.page()->viewport()->width());
        });
    }
    EXPECT_GT(links.size(), 50U);
    for (const GuideSection& section : guideSections()) links.insert(section.page.file + '#' + section.anchor);
    for (const RoomEntry& room : rooms()) links.insert(room.guide);
    for (const QString& link : links) EXPECT_TRUE(guide.showPage(link)) << link.toStdString();
    EXPECT_FALSE(guide.showPage("no-such-page.md"));
    EXPECT_FALSE(guide.showPage("train.md#no-such-heading"));
}

TEST_F(GuideTest, ShowsThePageOfTheRoomAndGoesBackAndForward) {
    window->showRoom("train");
    Guide& guide = open();
    EXPECT_FALSE(guide.isModal());
    EXPECT_EQ(guide.currentHeading(), "Train");
    EXPECT_EQ(guide.list()->currentItem()->text(), "Train");
    emit guide.page()->anchorClicked(QUrl("slurm-cuda-speed.md#cuda"));
    EXPECT_EQ(guide.currentHeading(), "CUDA");
    EXPECT_EQ(guide.list()->currentItem()->text(), "Slurm, CUDA, speed");
    QToolButton* back = nullptr;
    for (QToolButton* each : guide.findChildren<QToolButton*>()) {
        if (each->accessibleName() == "Back") back = each;
    }
    ASSERT_NE(back, nullptr);
    QTest::mouseClick(back, Qt::LeftButton);
    EXPECT_EQ(guide.file(), "train.md");
    EXPECT_TRUE(guide.page()->toPlainText().startsWith("Train\n"));
    guide.travel(1);
    EXPECT_EQ(guide.currentHeading(), "CUDA");

    QTest::keyClick(guide.search(), Qt::Key_Down);
    EXPECT_EQ(guide.file(), "limits.md") << "the next page of the list";
}

TEST_F(GuideTest, SearchListsSectionsOfAllPages) {
    Guide& guide = open();
    type(guide, "tokenizer.json");
    ASSERT_GT(guide.list()->count(), 1);
    QTest::keyClick(guide.search(), Qt::Key_Return);
    const QString first = guide.file();
    EXPECT_EQ(guide.page()->textCursor().selectedText(), "tokenizer.json");
    while (guide.list()->currentRow() + 1 < guide.list()->count()) QTest::keyClick(guide.search(), Qt::Key_Return);
    EXPECT_NE(guide.file(), first) << "sections of several pages";
    type(guide, "two setups side");
    EXPECT_EQ(guide.list()->item(0)->text(), "Two setups side by side (The rooms of RoPE)");
    type(guide, "rules preregistered");
    EXPECT_GT(guide.list()->count(), 0) << "words need not be beside each other";
    type(guide, "xyzzy");
    EXPECT_TRUE(guide.search()->property("wrong").toBool());
    EXPECT_EQ(guide.list()->count(), 0);
    guide.page()->verticalScrollBar()->setValue(1000);
    QTest::keyClick(guide.search(), Qt::Key_PageUp);
    EXPECT_LT(guide.page()->verticalScrollBar()->value(), 1000);
    guide.search()->clear();
    EXPECT_FALSE(guide.search()->property("wrong").toBool());
    EXPECT_GT(guide.list()->count(), guidePages().size()) << "pages and their groups";
}

TEST_F(GuideTest, LinksToWebPagesOpenInTheBrowser) {
    QTextBrowser opened;  // an object with a slot for a URL, in place of the browser
    QDesktopServices::setUrlHandler("https", &opened, "setSource");
    Guide& guide = open("help.formulas");
    EXPECT_EQ(guide.file(), "formulas.md");
    int position = -1;
    forEachPiece(guide, [&](const QTextFragment& piece) {
        if (position < 0 && piece.charFormat().anchorHref().startsWith("https")) position = piece.position() + 1;
    });
    ASSERT_GE(position, 0);
    QTextCursor cursor(guide.page()->document());
    cursor.setPosition(position);
    guide.page()->setTextCursor(cursor);
    QTest::mouseClick(guide.page()->viewport(), Qt::LeftButton, {}, guide.page()->cursorRect().center());
    QDesktopServices::unsetUrlHandler("https");
    EXPECT_EQ(opened.source().scheme(), "https");
    EXPECT_EQ(guide.file(), "formulas.md");
}

TEST_F(GuideTest, PaletteFindsPagesAndHeadings) {
    const auto matches = [this](const char* typed) {
        return window->commandPalette().matches(QString::fromUtf8(typed));
    };
    EXPECT_EQ(matches("formulas").value(0), "help.formulas");
    EXPECT_EQ(window->actions().spec("help.formulas").menu, "Help");
    EXPECT_EQ(window->actions().spec("help.guide").menu, "Help");
    EXPECT_TRUE(matches("guide: train").contains("guide.train.md#train"));
    EXPECT_TRUE(matches("settings, data, tokenizers").contains("guide.train.md#train")) << "what the page is about";
    EXPECT_TRUE(matches("growing a lab").contains("guide.train.md#growing-a-lab"));
}

TEST_F(GuideTest, FormulasHaveTheirIndicesAndAreFoundByNumber) {
    Guide& guide = open("help.formulas");
    const QString text = guide.page()->toPlainText();
    EXPECT_TRUE(text.startsWith("Formulas\n"));
    EXPECT_TRUE(text.contains("Formula 12: context bound\n")) << "Markdown is rendered";
    EXPECT_TRUE(text.contains(QStringLiteral("B(Δ) = K(Δ) = Σi cos(Δωi); θ supports L if B(Δ) ≥ 0")));
    EXPECT_TRUE(text.contains("Source: Men et al. 2024."));
    // Indices are subscripts; names of files keep their underscores.
    EXPECT_FALSE(text.contains("_{"));
    EXPECT_FALSE(text.contains(QStringLiteral("ω_"))) << "also where a letter precedes: mω_i";
    EXPECT_TRUE(text.contains(QStringLiteral("R(mωi) = [[cos mωi, −sin mωi], [sin mωi, cos mωi]]")));
    EXPECT_FALSE(text.contains(QRegularExpression("\\bd_r\\b")));
    EXPECT_TRUE(text.contains(QStringLiteral("|hj+1 − hj|")));
    EXPECT_TRUE(text.contains("modeling_rope_utils.py"));
    EXPECT_TRUE(guide.page()->toHtml().contains("vertical-align:sub"));
    for (const char* typed : {"12", "F12", "formula 12"}) {
        guide.showPage("train.md");
        type(guide, typed);
        QTest::keyClick(guide.search(), Qt::Key_Return);
        EXPECT_TRUE(guide.currentHeading().startsWith("Formula 12:"))
            << typed << ": " << guide.currentHeading().toStdString();
        EXPECT_FALSE(guide.search()->property("wrong").toBool());
    }
    EXPECT_FALSE(guide.showFormula(26)) << "there is no formula 26";
    QTest::keyClick(guide.search(), Qt::Key_Escape);
    EXPECT_FALSE(guide.isVisible());
}

TEST_F(GuideTest, ThemeAndScaleChangesKeepThePosition) {
    Guide& guide = open("help.formulas");
    ASSERT_TRUE(guide.showFormula(21));
    ThemeManager& theme = ThemeManager::instance();
    theme.setScale(200);
    theme.setChoice(ThemeManager::Choice::dark);
    EXPECT_TRUE(guide.currentHeading().startsWith("Formula 21:")) << guide.currentHeading().toStdString();
    bool hasLink = false;
    forEachPiece(guide, [&](const QTextFragment& piece) {
        const QTextCharFormat format = piece.charFormat();
        EXPECT_GE(format.font().pointSizeF(), 20.9) << piece.text().toStdString();
        if (!format.isAnchor()) return;
        hasLink = true;
        EXPECT_EQ(format.foreground().color(), Theme::dark().accent);
    });
    EXPECT_TRUE(hasLink);
}

TEST_F(GuideTest, CodeIsInAFixedPitchFontOnItsOwnBackground) {
    Guide& guide = open();
    ASSERT_TRUE(guide.showPage("install.md"));
    const QTextCursor code = guide.page()->document()->find("ropelab-cli engine fetch");
    ASSERT_FALSE(code.isNull());
    const QFontMetricsF metrics(code.charFormat().font());
    EXPECT_NEAR(metrics.horizontalAdvance("i"), metrics.horizontalAdvance("W"), 1e-6);
    EXPECT_EQ(code.blockFormat().background().color(), ThemeManager::instance().theme().window);
}

TEST_F(GuideTest, WindowFontContainsAllSigns) {
    const QFontMetricsF metrics(ThemeManager::instance().font());
    for (const QChar sign : open("help.formulas").page()->toPlainText()) {
        EXPECT_TRUE(sign.isSpace() || metrics.inFont(sign)) << QString(sign).toStdString();
    }
}

TEST_F(GuideTest, F1ExplainsTheSearchField) {
    Guide& guide = open();
    guide.activateWindow();
    ASSERT_TRUE(waitUntil([&guide] { return guide.search()->hasFocus(); }));
    QCursor::setPos(guide.mapToGlobal(QPoint(2, 2)));
    QTest::keyClick(guide.search(), Qt::Key_Shift);
    QTest::keyClick(guide.search(), Qt::Key_F1);
    const auto* card = guide.findChild<ExplanationCard*>();
    ASSERT_NE(card, nullptr);
    ASSERT_TRUE(card->isVisible());
    EXPECT_TRUE(card->why().text.contains("Shift+Enter"));
    QTest::keyClick(guide.search(), Qt::Key_Escape);
    EXPECT_TRUE(guide.isVisible()) << "the first Escape only hides the card";
}

TEST(FormulasIn, ReturnsNumbersInTheOrderOfTheText) {
    using Numbers = QList<int>;
    EXPECT_EQ(formulasIn("Men et al. 2024, formula 12"), Numbers({12}));
    EXPECT_EQ(formulasIn("Formulas 12 and 3, then formula 12"), Numbers({12, 3}));
    EXPECT_EQ(formulasIn("Formulas 18 to 20, 22 and 23"), Numbers({18, 19, 20, 22, 23}));
    EXPECT_EQ(formulasIn("5 formulas, F12 renames"), Numbers());
}

}  // namespace
}  // namespace ropelab::ui
