#include "ui/window/why.h"

#include <QComboBox>
#include <QCursor>
#include <QDialog>
#include <QLabel>
#include <QLineEdit>
#include <QStandardItemModel>
#include <QTableView>

#include "tests/ui/support/window_fixture.h"
#include "ui/plot/figure_view.h"
#include "ui/rotary/rotary_room.h"
#include "ui/window/command_palette.h"
#include "ui/window/formula_book.h"
#include "ui/window/keyboard_sheet.h"
#include "ui/window/room.h"
#include "ui/window/why_card.h"

namespace ropelab::ui {
namespace {

class WhyTest : public WindowFixture {
 protected:
    void SetUp() override {
        WindowFixture::SetUp();
        window->showRoom("spectrum");
        // Where nothing is explained.
        QCursor::setPos(window->mapToGlobal(QPoint(window->width() / 2, window->height() - 8)));
        QTest::keyClick(window.get(), Qt::Key_Shift);
    }
    QLineEdit* field(const QString& name) const {
        for (auto* each : window->findChildren<QLineEdit*>()) {
            if (each->isVisible() && each->accessibleName() == name) return each;
        }
        return nullptr;
    }
    QString said() const { return saidBy(window->whyCard()); }
    static QLabel* linksOf(const WhyCard& card) { return card.findChild<QLabel*>("formulas"); }
    static QString saidBy(const WhyCard& card) {
        QStringList texts;
        for (const QLabel* label : card.findChildren<QLabel*>()) {
            if (label->isVisible() && label != linksOf(card)) texts << label->text();
        }
        return texts.join('\n');
    }
};

TEST_F(WhyTest, F1ExplainsTheFieldThatHasTheKeyboardWithTodaysValues) {
    QLineEdit* theta = field("θ, the base");
    ASSERT_NE(theta, nullptr);
    theta->setFocus();
    QTest::keyClick(theta, Qt::Key_End);
    QTest::keyClick(theta, Qt::Key_F1);
    ASSERT_TRUE(window->whyCard().isVisible());
    EXPECT_FALSE(window->keyboardSheet().isVisible());
    EXPECT_TRUE(said().startsWith("θ, the base: 10k\n")) << said().toStdString();
    EXPECT_TRUE(said().contains("b^(−2i/d_r)")) << said().toStdString();
    EXPECT_TRUE(said().contains("b = 10,000, d_r = 64")) << said().toStdString();
    EXPECT_TRUE(said().contains("Su et al. 2021, formula 3"));
    EXPECT_TRUE(theta->hasFocus());

    RotarySetup setup = window->workspace().rotary().setup();
    setup.theta = 500000;
    window->workspace().rotary().change("change theta", setup);
    EXPECT_TRUE(waitUntil([&] { return said().contains("b = 500,000"); })) << said().toStdString();

    QTest::keyClick(theta, Qt::Key_F1);
    EXPECT_FALSE(window->whyCard().isVisible());
    EXPECT_FALSE(window->keyboardSheet().isVisible());
    QTest::keyClick(theta, Qt::Key_F1);
    QTest::keyClick(theta, Qt::Key_Escape);
    EXPECT_FALSE(window->whyCard().isVisible());
    EXPECT_TRUE(theta->hasFocus());
}

TEST_F(WhyTest, LinksLeadToTheFormulasThatTheTextNames) {
    QLineEdit* theta = field("θ, the base");
    theta->setFocus();
    QTest::keyClick(theta, Qt::Key_End);
    QTest::keyClick(theta, Qt::Key_F1);
    QLabel* links = linksOf(window->whyCard());
    ASSERT_TRUE(links->isVisible());
    EXPECT_TRUE(links->text().contains("Formula 3<")) << links->text().toStdString();
    QTest::mouseClick(links, Qt::LeftButton, {}, QPoint(6, links->height() / 2));
    EXPECT_TRUE(window->formulas().isVisible());
    EXPECT_TRUE(window->formulas().present().startsWith("Formula 3:"));
    EXPECT_FALSE(window->whyCard().isVisible());
    window->formulas().close();
    window->activateWindow();
    ASSERT_TRUE(waitUntil([theta] { return theta->hasFocus(); })) << "the keyboard goes back to it";

    QTest::keyClick(theta, Qt::Key_F1);
    ASSERT_TRUE(window->whyCard().isVisible());
    window->formulas().showFormula(37);
    window->actions().action("help.formulas")->trigger();
    EXPECT_TRUE(window->formulas().isVisible());
    EXPECT_TRUE(window->formulas().present().startsWith("Formula 3:")) << "what is explained is looked up";
}

TEST_F(WhyTest, ThePaletteGivesTheKeyboardBackToWhatItExplains) {
    QLineEdit* theta = field("θ, the base");
    theta->setFocus();
    QTest::keyClick(theta, Qt::Key_K, Qt::ControlModifier);
    auto* search = window->commandPalette().findChild<QLineEdit*>();
    ASSERT_TRUE(waitUntil([search] { return search->hasFocus(); }));
    QTest::keyClicks(search, "explain");
    QTest::keyClick(search, Qt::Key_Return);
    EXPECT_TRUE(theta->hasFocus());
    EXPECT_TRUE(said().contains("b^(−2i/d_r)")) << said().toStdString();
}

TEST_F(WhyTest, EveryPictureOfARotaryRoomIsExplainedByAFormula) {
    for (const char* name : {"rotation", "spectrum", "cache", "context", "memory"}) {
        window->showRoom(name);
        window->room().refreshNow();
        for (FigureView* view : static_cast<RotaryRoom&>(window->room()).views()) {
            const Why why = whyOf(view);
            ASSERT_EQ(why.widget, view) << name;
            EXPECT_FALSE(why.title.isEmpty()) << name;
            EXPECT_NE(why.text, view->figure().summary) << name << ": " << why.title.toStdString();
            EXPECT_EQ(why.summary, view->figure().summary) << name;
        }
    }
}

TEST_F(WhyTest, TheMouseDecidesWhereItMovedLast) {
    QLineEdit* theta = field("θ, the base");
    QLineEdit* context = field("context, tokens");
    ASSERT_TRUE(theta && context);
    theta->setFocus();
    QTest::keyClick(theta, Qt::Key_End);
    QCursor::setPos(context->mapToGlobal(context->rect().center()));
    QTest::keyClick(theta, Qt::Key_F1);
    EXPECT_TRUE(said().contains("L, the context in tokens")) << said().toStdString();
    QTest::keyClick(theta, Qt::Key_Escape);
    QTest::keyClick(theta, Qt::Key_End);
    QTest::keyClick(theta, Qt::Key_F1);
    EXPECT_TRUE(said().contains("Rope theta b")) << said().toStdString();
}

TEST_F(WhyTest, ADialogHasACardOfItsOwn) {
    window->actions().action("rotary.models")->trigger();
    auto* models = window->findChild<QDialog*>("models");
    ASSERT_NE(models, nullptr);
    ASSERT_TRUE(QTest::qWaitForWindowActive(models));
    QCursor::setPos(models->mapToGlobal(QPoint(2, 2)));
    auto* table = models->findChild<QTableView*>();
    table->setFocus();
    models->activateWindow();
    ASSERT_TRUE(waitUntil([table] { return table->hasFocus(); }));
    QTest::keyClick(table, Qt::Key_Right);
    QTest::keyClick(table, Qt::Key_F1);
    const auto* card = models->findChild<WhyCard*>();
    ASSERT_NE(card, nullptr);
    ASSERT_TRUE(card->isVisible());
    EXPECT_EQ(saidBy(*card), QStringList({card->why().title, card->why().text}).join('\n'));
    EXPECT_EQ(card->why().widget, table);
    EXPECT_TRUE(models->rect().contains(card->geometry()));
    EXPECT_FALSE(window->whyCard().isVisible());
    QTest::keyClick(table, Qt::Key_Escape);
    EXPECT_FALSE(card->isVisible());
    EXPECT_TRUE(models->isVisible()) << "the first Escape is the card's";
    models->hide();
    models->show();
    EXPECT_EQ(models->findChildren<WhyCard*>().size(), 1);
}

TEST_F(WhyTest, WhereNothingExplainsItTheKeysAreListed) {
    window->setFocus();
    QTest::keyClick(window.get(), Qt::Key_F1);
    EXPECT_FALSE(window->whyCard().isVisible());
    EXPECT_TRUE(window->keyboardSheet().isVisible());
    QTest::keyClick(&window->keyboardSheet(), Qt::Key_F1);
    EXPECT_FALSE(window->keyboardSheet().isVisible());
    QTest::keyClick(window.get(), Qt::Key_F1, Qt::ShiftModifier);
    EXPECT_TRUE(window->keyboardSheet().isVisible());
}

TEST_F(WhyTest, TheCardStaysInTheWindowAndGoesWithWhatItExplains) {
    for (const char* name : {"θ, the base", "context, tokens"}) {
        QLineEdit* of = field(name);
        ASSERT_NE(of, nullptr);
        of->setFocus();
        QTest::keyClick(of, Qt::Key_End);
        QTest::keyClick(of, Qt::Key_F1);
        ASSERT_TRUE(window->whyCard().isVisible());
        EXPECT_TRUE(window->rect().contains(window->whyCard().geometry()));
    }
    window->showRoom("train");
    EXPECT_TRUE(waitUntil([&] { return !window->whyCard().isVisible(); }));
}

TEST(Why, ACellIsExplainedByItselfElseByItsColumn) {
    QStandardItemModel model(1, 2);
    model.setHorizontalHeaderLabels({"losses", "runs"});
    model.setHeaderData(0, Qt::Horizontal, "nats per symbol", Qt::ToolTipRole);
    model.setData(model.index(0, 1), "three seeds", Qt::ToolTipRole);
    QTableView table;
    table.setModel(&model);
    table.setCurrentIndex(model.index(0, 0));
    EXPECT_EQ(whyOf(&table).text, "nats per symbol");
    EXPECT_EQ(whyOf(&table).title, "losses");
    table.setCurrentIndex(model.index(0, 1));
    EXPECT_EQ(whyOf(table.viewport()).text, "three seeds");
}

TEST(Why, AListSaysWhatIsChosenAndAWidgetWhatAnotherSays) {
    QComboBox choice;
    choice.setAccessibleName("Method");
    choice.addItem("YaRN");
    choice.setItemData(0, "by parts, formula 22", Qt::ToolTipRole);
    EXPECT_EQ(whyOf(&choice).title, "Method: YaRN");
    EXPECT_EQ(whyOf(&choice).text, "by parts, formula 22");
    QWidget picture;
    EXPECT_EQ(whyOf(&picture).widget, nullptr);
    {
        QLabel words("18 pairs");
        words.setToolTip("L/λ ≥ 1");
        explainBy(&picture, &words);
        EXPECT_EQ(whyOf(&picture).text, "L/λ ≥ 1");
        words.setToolTip("L/λ ≥ 2");
        EXPECT_EQ(whyOf(&picture).text, "L/λ ≥ 2");
    }
    EXPECT_EQ(whyOf(&picture).widget, nullptr);
}

TEST(Why, AFieldOfSeveralWidgetsIsCalledAsWhatIsTypedInto) {
    QWidget field;
    field.setToolTip("Highest learning rate.");
    QLineEdit edit("3e-3", &field);
    edit.setAccessibleName("learning rate");
    field.setFocusProxy(&edit);
    for (QWidget* asked : {&field, static_cast<QWidget*>(&edit)}) {
        EXPECT_EQ(whyOf(asked).title, "learning rate: 3e-3");
        EXPECT_EQ(whyOf(asked).text, "Highest learning rate.");
    }
}

}  // namespace
}  // namespace ropelab::ui
