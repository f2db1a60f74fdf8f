#include "ui/rotary/setup_panel.h"

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QFrame>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QSignalSpy>
#include <QToolButton>
#include <QUndoStack>
#include <QVBoxLayout>

#include "tests/ui/support/workbench.h"
#include "ui/controls/fields.h"
#include "ui/controls/number_slider.h"
#include "ui/rotary/comparison.h"

namespace ropelab::ui {
namespace {

class SetupPanelTest : public Workbench {};

TEST_F(SetupPanelTest, TypingChangesTheSetupAndCanBeUndone) {
    Workspace workspace(options());
    SetupPanel panel(workspace.rotary());
    panel.show();
    panel.slider("theta")->commit("500k");
    EXPECT_EQ(workspace.rotary().setup().theta, 500000);
    panel.slider("fraction")->commit("6 ch");
    EXPECT_EQ(rotary_dim(workspace.rotary().setup()), 6);
    panel.slider("context")->commit("8192");
    EXPECT_EQ(workspace.rotary().setup().context, 8192);
    workspace.rotaryUndo().undo();
    workspace.rotaryUndo().undo();
    EXPECT_EQ(workspace.rotary().setup().fraction, 1);
    EXPECT_EQ(panel.slider("fraction")->value(), 1);
    EXPECT_EQ(panel.slider("theta")->value(), 500000);
}

// In a low panel, the fields of the scaling were lower than their texts.
TEST_F(SetupPanelTest, FieldsOfTheScalingKeepTheirHeight) {
    Workspace workspace(options());
    QFrame host;
    const ScrollColumn made = makePanel(&host, QStringLiteral("panel"));
    auto* setup = new SetupPanel(workspace.rotary());
    SetupPanel& panel = *setup;
    made.column->addWidget(setup);
    panel.applyText("theta=10k scaling=yarn factor=8");
    host.resize(312, 400);
    host.show();
    QApplication::processEvents();
    for (const char* name : {"theta", "context", "factor", "beta_fast", "beta_slow"}) {
        const QWidget* field = panel.field(name);
        ASSERT_TRUE(field) << name;
        EXPECT_TRUE(field->isVisible()) << name;
        EXPECT_GE(field->height(), field->sizeHint().height()) << name;
    }
    EXPECT_GT(panel.height(), host.height()) << "the area scrolls";
}

TEST_F(SetupPanelTest, InvalidInputIsExplainedAndChangesNothing) {
    Workspace workspace(options());
    SetupPanel panel(workspace.rotary());
    panel.show();
    panel.slider("head_dim")->commit("63");
    EXPECT_TRUE(panel.slider("head_dim")->error().contains("multiple of 2"))
        << panel.slider("head_dim")->error().toStdString();
    panel.slider("theta")->commit("big");
    EXPECT_TRUE(panel.slider("theta")->error().startsWith("θ, the base: \"big\""))
        << panel.slider("theta")->error().toStdString();
    panel.slider("fraction")->commit("x");
    EXPECT_EQ(panel.slider("fraction")->error(),
              "Rotated fraction: \"x\" is not a fraction; enter 25 %, 0.25 or 6 ch.");
    panel.applyText("theta=1k colour=blue");
    EXPECT_TRUE(panel.problem().contains("colour")) << panel.problem().toStdString();
    EXPECT_EQ(workspace.rotary().setup(), RotarySetup{});
    panel.slider("theta")->commit("1000");
    EXPECT_TRUE(panel.slider("theta")->error().isEmpty());
}

// The field shows "100 %", so that 25 can only be a percentage.
TEST_F(SetupPanelTest, ANumberAboveOneIsAPercentageOfTheChannels) {
    Workspace workspace(options());
    SetupPanel panel(workspace.rotary());
    for (const char* typed : {"25", "25 %", "0.25"}) {
        panel.slider("fraction")->commit("1");
        EXPECT_EQ(workspace.rotary().setup().fraction, 1);
        panel.slider("fraction")->commit(typed);
        EXPECT_EQ(workspace.rotary().setup().fraction, 0.25) << typed;
    }
    panel.slider("fraction")->commit("250");
    EXPECT_FALSE(panel.slider("fraction")->error().isEmpty());
}

TEST_F(SetupPanelTest, ButtonAsksForTheWrongStatements) {
    Workspace workspace(options());
    SetupPanel panel(workspace.rotary());
    QSignalSpy asked(&workspace.rotary(), &RotaryModel::statementsRequested);
    panel.statements()->click();
    EXPECT_EQ(asked.count(), 1);
}

TEST_F(SetupPanelTest, PastedTextSetsAllSettings) {
    Workspace workspace(options());
    SetupPanel panel(workspace.rotary());
    panel.show();
    RotarySetup setup;
    setup.theta = 500000;
    setup.head_dim = 128;
    setup.context = 131072;
    setup.fraction = 0.5;
    setup.partial = Partial::truncate;
    setup.pairing = Pairing::interleaved;
    setup.scaling.method = ScalingMethod::llama3;
    setup.scaling.factor = 8;
    setup.scaling.original_context = 8192;
    setup.precision = NumberFormat::bfloat16;
    panel.applyText(QString::fromStdString(text_of(setup)));
    EXPECT_EQ(panel.problem().toStdString(), "");
    EXPECT_EQ(workspace.rotary().setup(), setup);
    EXPECT_EQ(panel.choice("scaling")->currentText(), "Llama 3");
    EXPECT_EQ(panel.slider("head_dim")->value(), 128);
}

TEST_F(SetupPanelTest, FieldsEditTheChosenOneOfTwoSetups) {
    Workspace workspace(options());
    SetupPanel panel(workspace.rotary());
    panel.show();
    ComparisonBar* bar = panel.comparison();
    EXPECT_FALSE(bar->isVisible());
    panel.slider("theta")->commit("500");
    panel.applyText("theta=10k | theta=500k");
    ASSERT_TRUE(bar->isVisible());
    EXPECT_EQ(bar->names()->text(), "A: θ = 10k\nB: θ = 500k");
    EXPECT_TRUE(bar->choiceA()->isChecked());
    EXPECT_EQ(panel.slider("theta")->value(), 10000);
    bar->choiceB()->click();
    EXPECT_EQ(panel.slider("theta")->value(), 500000);
    panel.slider("context")->commit("2048");
    EXPECT_EQ(workspace.rotary().setups().a.context, 1024);
    EXPECT_EQ(workspace.rotary().setups().b->context, 2048);
    bar->swap()->click();
    EXPECT_EQ(workspace.rotary().setups().a.theta, 500000);
    EXPECT_EQ(panel.slider("theta")->value(), 10000);
    bar->end()->click();
    EXPECT_FALSE(bar->isVisible());
    EXPECT_EQ(workspace.rotary().setup().theta, 10000);
    workspace.rotaryUndo().undo();
    EXPECT_TRUE(bar->isVisible());
}

TEST_F(SetupPanelTest, MenuComparesWithEarlierSetupsAndACopy) {
    Workspace workspace(options());
    SetupPanel panel(workspace.rotary());
    panel.show();
    const auto action = [&panel](QMenu& menu, const QString& text) {
        panel.comparison()->fill(menu);
        for (QAction* each : menu.actions()) {
            if (each->text() == text) return each;
        }
        return static_cast<QAction*>(nullptr);
    };
    QMenu menu;
    EXPECT_FALSE(action(menu, "Compare with the previous setup")->isEnabled());
    panel.slider("theta")->commit("500k");
    action(menu, "Compare with the previous setup")->trigger();
    EXPECT_EQ(workspace.rotary().setups().a.theta, 500000);
    EXPECT_EQ(workspace.rotary().setups().b->theta, 10000);
    workspace.rotary().endComparison();
    const QMenu* earlier = action(menu, "Compare with an earlier setup")->menu();
    ASSERT_EQ(earlier->actions().size(), 1);
    EXPECT_TRUE(earlier->actions().first()->text().contains("theta=10k"));
    action(menu, "Compare with a copy of this setup")->trigger();
    EXPECT_TRUE(workspace.rotary().editsB());
    EXPECT_EQ(workspace.rotary().setups().b->theta, 500000);
    QApplication::clipboard()->setText("thetta=1");
    action(menu, "Compare with the setup in the clipboard")->trigger();
    EXPECT_TRUE(panel.problem().contains("theta")) << panel.problem().toStdString();
}

TEST_F(SetupPanelTest, NewScalingGetsADefaultFactor) {
    Workspace workspace(options());
    SetupPanel panel(workspace.rotary());
    panel.show();
    const int index = panel.choice("scaling")->findData("linear");
    panel.choice("scaling")->setCurrentIndex(index);
    emit panel.choice("scaling")->activated(index);
    EXPECT_EQ(workspace.rotary().setup().scaling.method, ScalingMethod::linear);
    EXPECT_EQ(workspace.rotary().setup().scaling.factor, 4);
    EXPECT_DOUBLE_EQ(workspace.rotary().frequencies().inverse_frequencies[0], 0.25);
}

TEST_F(SetupPanelTest, ShowsTheFieldsOfTheScalingMethod) {
    Workspace workspace(options());
    SetupPanel panel(workspace.rotary());
    panel.show();
    const auto shown = [&panel] {
        QStringList names;
        for (const char* name :
             {"factor", "original_context", "beta_fast", "beta_slow", "low_freq_factor", "high_freq_factor"}) {
            const auto* field = panel.slider(name)->findChild<QLineEdit*>();
            if (field->isVisible() && field->isEnabled()) names << field->accessibleName();
        }
        return names;
    };
    EXPECT_EQ(shown(), QStringList());
    panel.applyText("scaling=yarn factor=8 context=16384");
    EXPECT_EQ(shown(), QStringList({"factor", "training context, tokens", "β fast, periods", "β slow, periods"}));
    panel.applyText("scaling=llama3 factor=8");
    EXPECT_EQ(shown().last(), "high frequency factor, periods");
    NumberSlider* factor = panel.slider("factor");
    factor->commit("4");
    EXPECT_EQ(workspace.rotary().setup().scaling.factor, 4);
    EXPECT_EQ(workspace.rotary().setup().scaling.method, ScalingMethod::llama3);
    EXPECT_EQ(workspace.rotaryUndo().undoText(), "change factor");
    panel.applyText("scaling=linear factor=2");
    EXPECT_EQ(shown(), QStringList("factor"));
    EXPECT_EQ(factor->value(), 2);
}

}  // namespace
}  // namespace ropelab::ui
