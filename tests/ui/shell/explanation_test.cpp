#include "ui/shell/explanation.h"

#include <QComboBox>
#include <QCursor>
#include <QDialog>
#include <QHelpEvent>
#include <QLabel>
#include <QLineEdit>
#include <QRegularExpression>
#include <QStandardItemModel>
#include <QTableView>
#include <QToolTip>

#include "tests/ui/support/window_fixture.h"
#include "ui/help/command_palette.h"
#include "ui/help/explanation_card.h"
#include "ui/help/guide.h"
#include "ui/help/keyboard_sheet.h"
#include "ui/plot/figure_view.h"
#include "ui/rotary/rotary_room.h"
#include "ui/shell/room.h"
#include "ui/shell/symbols.h"
#include "ui/window/controllers/rotary_controller.h"
#include "ui/window/frame/rooms.h"

namespace ropelab::ui {
namespace {

class ExplanationTest : public WindowFixture {
 protected:
    void SetUp() override {
        WindowFixture::SetUp();
        window->showRoom("spectrum");
        // The mouse pointer is over a widget without an explanation.
        QCursor::setPos(window->mapToGlobal(QPoint(window->width() / 2, window->height() - 8)));
        QTest::keyClick(window.get(), Qt::Key_Shift);
    }
    QLineEdit* field(const QString& name) const {
        for (auto* each : window->findChildren<QLineEdit*>()) {
            if (each->isVisible() && each->accessibleName() == name) return each;
        }
        return nullptr;
    }
    QString said() const { return textOf(window->whyCard()); }
    static QLabel* linksOf(const ExplanationCard& card) { return card.findChild<QLabel*>("formulas"); }
    static QString textOf(const ExplanationCard& card) {
        QStringList texts;
        for (const QLabel* label : card.findChildren<QLabel*>()) {
            if (label->isVisible() && label != linksOf(card)) texts << label->text();
        }
        return texts.join('\n');
    }
};

TEST_F(ExplanationTest, F1ExplainsTheFocusedFieldWithCurrentValues) {
    QLineEdit* theta = field("θ, the base");
    ASSERT_NE(theta, nullptr);
    theta->setFocus();
    QTest::keyClick(theta, Qt::Key_End);
    QTest::keyClick(theta, Qt::Key_F1);
    ASSERT_TRUE(window->whyCard().isVisible());
    EXPECT_FALSE(window->keyboardSheet().isVisible());
    EXPECT_TRUE(said().startsWith("θ, the base: 10k\n")) << said().toStdString();
    EXPECT_TRUE(said().contains("θ<sup>−2i/dᵣ</sup>")) << said().toStdString();
    EXPECT_TRUE(said().contains("θ = 10,000, dᵣ = 64")) << said().toStdString();
    EXPECT_TRUE(said().contains("Su et al. 2021; formula 3 of the guide"));
    EXPECT_TRUE(theta->hasFocus());

    RotarySetup setup = window->workspace().rotary().setup();
    setup.theta = 500000;
    window->workspace().rotary().change("change theta", setup);
    EXPECT_TRUE(waitUntil([&] { return said().contains("θ = 500,000"); })) << said().toStdString();

    QTest::keyClick(theta, Qt::Key_F1);
    EXPECT_FALSE(window->whyCard().isVisible());
    EXPECT_FALSE(window->keyboardSheet().isVisible());
    QTest::keyClick(theta, Qt::Key_F1);
    QTest::keyClick(theta, Qt::Key_Escape);
    EXPECT_FALSE(window->whyCard().isVisible());
    EXPECT_TRUE(theta->hasFocus());
}

TEST_F(ExplanationTest, OfTheFocusAndThePointerTheTitleSaysWhichIsExplained) {
    QLineEdit* theta = field("θ, the base");
    theta->setFocus();
    QLineEdit* other = field("rotated fraction");
    ASSERT_NE(other, nullptr);
    QCursor::setPos(other->mapToGlobal(other->rect().center()));
    QTest::keyClick(theta, Qt::Key_End);
    QTest::keyClick(theta, Qt::Key_F1);
    EXPECT_TRUE(said().startsWith("θ, the base: 10k (keyboard focus)\n")) << said().toStdString();
}

TEST_F(ExplanationTest, LinksShowTheFormulasOfTheText) {
    QLineEdit* theta = field("θ, the base");
    theta->setFocus();
    QTest::keyClick(theta, Qt::Key_End);
    QTest::keyClick(theta, Qt::Key_F1);
    QLabel* links = linksOf(window->whyCard());
    ASSERT_TRUE(links->isVisible());
    EXPECT_TRUE(links->text().contains("Formula 3<")) << links->text().toStdString();
    QTest::mouseClick(links, Qt::LeftButton, {}, QPoint(6, links->height() / 2));
    EXPECT_TRUE(window->rotary().guide().isVisible());
    EXPECT_TRUE(window->rotary().guide().currentHeading().startsWith("Formula 3:"));
    EXPECT_FALSE(window->whyCard().isVisible());
    window->rotary().guide().close();
    window->activateWindow();
    ASSERT_TRUE(waitUntil([theta] { return theta->hasFocus(); })) << "the focus returns to the field";

    QTest::keyClick(theta, Qt::Key_F1);
    ASSERT_TRUE(window->whyCard().isVisible());
    window->rotary().guide().showFormula(37);
    window->actions().action("help.formulas")->trigger();
    EXPECT_TRUE(window->rotary().guide().isVisible());
    EXPECT_TRUE(window->rotary().guide().currentHeading().startsWith("Formula 3:"))
        << "the formula of the current explanation is shown";
}

TEST_F(ExplanationTest, PaletteRestoresTheFocusBeforeExplaining) {
    QLineEdit* theta = field("θ, the base");
    theta->setFocus();
    QTest::keyClick(theta, Qt::Key_K, Qt::ControlModifier);
    auto* search = window->commandPalette().findChild<QLineEdit*>();
    ASSERT_TRUE(waitUntil([search] { return search->hasFocus(); }));
    QTest::keyClicks(search, "explain");
    QTest::keyClick(search, Qt::Key_Return);
    EXPECT_TRUE(theta->hasFocus());
    EXPECT_TRUE(said().contains("θ<sup>−2i/dᵣ</sup>")) << said().toStdString();
}

TEST_F(ExplanationTest, EveryFigureOfTheRotaryRoomsHasAnExplanation) {
    for (const char* name : {"rotation", "spectrum", "table", "context", "memory"}) {
        window->showRoom(name);
        window->room().refreshNow();
        for (FigureView* view : static_cast<RotaryRoom&>(window->room()).views()) {
            const Explanation why = explanationOf(view);
            ASSERT_EQ(why.widget, view) << name;
            EXPECT_FALSE(why.title.isEmpty()) << name;
            EXPECT_NE(why.text, view->figure().summary) << name << ": " << why.title.toStdString();
            EXPECT_EQ(why.summary, view->figure().summary) << name;
        }
    }
}

TEST(Symbols, HaveSubscriptsAndExponents) {
    EXPECT_EQ(symbolsAsHtml("θ^(−2i/d_r), 2·n_layer·n_kv"),
              "θ<sup>−2i/d<sub>r</sub></sup>, 2·n<sub>layer</sub>·n<sub>kv</sub>");
    EXPECT_EQ(symbolsAsHtml("settings: key_value_heads, head_dim=3\nR_m < 1"),
              "settings: key_value_heads, head_dim=3<br>R<sub>m</sub> &lt; 1");
    EXPECT_EQ(symbolsAsUnicode("h_kv = 2, D_r = 8, d_c"), "hₖᵥ = 2, Dᵣ = 8, d_c");
    EXPECT_EQ(symbolsAsUnicode("(h + 2h_kv)·D, n_layer, key_value_heads"), "(h + 2hₖᵥ)·D, n_layer, key_value_heads");
}

// Tooltips showed d_r, h_kv and n_layer as they are typed.
TEST_F(ExplanationTest, NoTooltipShowsARawSymbol) {
    static const QRegularExpression raw("(?<![\\w])\\p{L}_\\p{L}", QRegularExpression::UseUnicodePropertiesOption);
    int symbols = 0;
    for (const RoomEntry& entry : rooms()) {
        window->showRoom(QString::fromLatin1(entry.id));
        QTest::qWait(20);
        for (QWidget* each : window->findChildren<QWidget*>()) {
            if (each->toolTip().isEmpty() || !each->isVisible()) continue;
            EXPECT_FALSE(symbolsAsHtml(each->toolTip()).contains(raw)) << each->toolTip().toStdString();
            if (!each->toolTip().contains(raw)) continue;
            ++symbols;
            QHelpEvent help(QEvent::ToolTip, QPoint(1, 1), each->mapToGlobal(QPoint(1, 1)));
            QApplication::sendEvent(each, &help);
            EXPECT_TRUE(QToolTip::text().contains("<sub>")) << each->toolTip().toStdString();
            QToolTip::hideText();
        }
    }
    EXPECT_GE(symbols, 5);
}

TEST_F(ExplanationTest, MouseDecidesIfItMovedAfterTheLastKey) {
    QLineEdit* theta = field("θ, the base");
    QLineEdit* context = field("context, tokens");
    ASSERT_TRUE(theta && context);
    theta->setFocus();
    QTest::keyClick(theta, Qt::Key_End);
    QCursor::setPos(context->mapToGlobal(context->rect().center()));
    QTest::keyClick(theta, Qt::Key_F1);
    EXPECT_TRUE(said().contains("Context length L in tokens")) << said().toStdString();
    QTest::keyClick(theta, Qt::Key_Escape);
    QTest::keyClick(theta, Qt::Key_End);
    QTest::keyClick(theta, Qt::Key_F1);
    EXPECT_TRUE(said().contains("RoPE theta θ")) << said().toStdString();
}

TEST_F(ExplanationTest, EachDialogHasItsOwnCard) {
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
    const auto* card = models->findChild<ExplanationCard*>();
    ASSERT_NE(card, nullptr);
    ASSERT_TRUE(card->isVisible());
    EXPECT_EQ(textOf(*card), QStringList({card->why().title, symbolsAsHtml(card->why().text)}).join('\n'));
    EXPECT_EQ(card->why().widget, table);
    EXPECT_TRUE(models->rect().contains(card->geometry()));
    EXPECT_FALSE(window->whyCard().isVisible());
    QTest::keyClick(table, Qt::Key_Escape);
    EXPECT_FALSE(card->isVisible());
    EXPECT_TRUE(models->isVisible()) << "the first Escape only hides the card";
    models->hide();
    models->show();
    EXPECT_EQ(models->findChildren<ExplanationCard*>().size(), 1);
}

TEST_F(ExplanationTest, F1OpensTheGuideIfThereIsNoExplanation) {
    window->showRoom("context");
    window->setFocus();
    QTest::keyClick(window.get(), Qt::Key_F1, Qt::ShiftModifier);
    EXPECT_TRUE(window->keyboardSheet().isVisible());
    QTest::keyClick(&window->keyboardSheet(), Qt::Key_F1);
    EXPECT_FALSE(window->keyboardSheet().isVisible());
    QTest::keyClick(window.get(), Qt::Key_F1);
    EXPECT_FALSE(window->whyCard().isVisible());
    EXPECT_TRUE(window->rotary().guide().isVisible());
    EXPECT_EQ(window->rotary().guide().currentHeading(), "Context") << "the page of the room";
}

TEST_F(ExplanationTest, CardStaysInTheWindowAndHidesWithItsWidget) {
    for (const char* name : {"θ, the base", "context, tokens"}) {
        QLineEdit* explained = field(name);
        ASSERT_NE(explained, nullptr);
        explained->setFocus();
        QTest::keyClick(explained, Qt::Key_End);
        QTest::keyClick(explained, Qt::Key_F1);
        ASSERT_TRUE(window->whyCard().isVisible());
        EXPECT_TRUE(window->rect().contains(window->whyCard().geometry()));
    }
    window->showRoom("train");
    EXPECT_TRUE(waitUntil([&] { return !window->whyCard().isVisible(); }));
}

TEST(Explanation, CellWithoutTooltipIsExplainedByItsColumn) {
    QStandardItemModel model(1, 2);
    model.setHorizontalHeaderLabels({"losses", "runs"});
    model.setHeaderData(0, Qt::Horizontal, "nats per token", Qt::ToolTipRole);
    model.setData(model.index(0, 1), "three seeds", Qt::ToolTipRole);
    QTableView table;
    table.setModel(&model);
    table.setCurrentIndex(model.index(0, 0));
    EXPECT_EQ(explanationOf(&table).text, "nats per token");
    EXPECT_EQ(explanationOf(&table).title, "losses");
    table.setCurrentIndex(model.index(0, 1));
    EXPECT_EQ(explanationOf(table.viewport()).text, "three seeds");
}

TEST(Explanation, ExplainsTheChosenEntryAndDelegatesToAnotherWidget) {
    QComboBox choice;
    choice.setAccessibleName("Method");
    choice.addItem("YaRN");
    choice.setItemData(0, "by parts, formula 22", Qt::ToolTipRole);
    EXPECT_EQ(explanationOf(&choice).title, "Method: YaRN");
    EXPECT_EQ(explanationOf(&choice).text, "by parts, formula 22");
    QWidget picture;
    EXPECT_EQ(explanationOf(&picture).widget, nullptr);
    {
        QLabel words("18 pairs");
        words.setToolTip("L/λ ≥ 1");
        explainBy(&picture, &words);
        EXPECT_EQ(explanationOf(&picture).text, "L/λ ≥ 1");
        words.setToolTip("L/λ ≥ 2");
        EXPECT_EQ(explanationOf(&picture).text, "L/λ ≥ 2");
    }
    EXPECT_EQ(explanationOf(&picture).widget, nullptr);
}

TEST(Explanation, CompoundFieldHasTheNameOfItsEditor) {
    QWidget field;
    field.setToolTip("Highest learning rate.");
    QLineEdit edit("3e-3", &field);
    edit.setAccessibleName("learning rate");
    field.setFocusProxy(&edit);
    for (QWidget* asked : {&field, static_cast<QWidget*>(&edit)}) {
        EXPECT_EQ(explanationOf(asked).title, "learning rate: 3e-3");
        EXPECT_EQ(explanationOf(asked).text, "Highest learning rate.");
    }
}

}  // namespace
}  // namespace ropelab::ui
