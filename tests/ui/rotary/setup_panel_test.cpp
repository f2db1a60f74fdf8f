#include "ui/rotary/setup_panel.h"

#include <QComboBox>
#include <QLineEdit>
#include <QUndoStack>

#include "tests/ui/support/workbench.h"
#include "ui/rotary/number_slider.h"
#include "ui/rotary/scaling_fields.h"

namespace ropelab::ui {
namespace {

class SetupPanelTest : public Workbench {};

TEST_F(SetupPanelTest, TypingReachesTheSetupAndUndoComesBack) {
    Workspace workspace(options());
    SetupPanel panel(workspace);
    panel.show();
    panel.theta()->commit("500k");
    EXPECT_EQ(workspace.rotary().setup().theta, 500000);
    panel.fraction()->commit("6 ch");
    EXPECT_EQ(rotary_dim(workspace.rotary().setup()), 6);
    panel.context()->commit("8192");
    EXPECT_EQ(workspace.rotary().setup().context, 8192);
    workspace.undo().undo();
    workspace.undo().undo();
    EXPECT_EQ(workspace.rotary().setup().fraction, 1);
    EXPECT_EQ(panel.fraction()->value(), 1);
    EXPECT_EQ(panel.theta()->value(), 500000);
}

TEST_F(SetupPanelTest, WrongInputIsExplainedAndChangesNothing) {
    Workspace workspace(options());
    SetupPanel panel(workspace);
    panel.show();
    panel.headDim()->commit("63");
    EXPECT_TRUE(panel.headDim()->error().contains("multiple of 2")) << panel.headDim()->error().toStdString();
    panel.theta()->commit("big");
    EXPECT_FALSE(panel.theta()->error().isEmpty());
    panel.take("theta=1k colour=blue");
    EXPECT_TRUE(panel.problem().contains("colour")) << panel.problem().toStdString();
    EXPECT_EQ(workspace.rotary().setup(), RotarySetup{});
    panel.theta()->commit("1000");
    EXPECT_TRUE(panel.theta()->error().isEmpty());
}

TEST_F(SetupPanelTest, ATextSetsEverything) {
    Workspace workspace(options());
    SetupPanel panel(workspace);
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
    panel.take(QString::fromStdString(text_of(setup)));
    EXPECT_EQ(panel.problem().toStdString(), "");
    EXPECT_EQ(workspace.rotary().setup(), setup);
    EXPECT_EQ(panel.scaling()->currentText(), "Llama 3");
    EXPECT_EQ(panel.headDim()->value(), 128);
}

TEST_F(SetupPanelTest, ChoosingAScalingGivesItAFactor) {
    Workspace workspace(options());
    SetupPanel panel(workspace);
    panel.show();
    const int index = panel.scaling()->findData(static_cast<int>(ScalingMethod::linear));
    panel.scaling()->setCurrentIndex(index);
    emit panel.scaling()->activated(index);
    EXPECT_EQ(workspace.rotary().setup().scaling.method, ScalingMethod::linear);
    EXPECT_EQ(workspace.rotary().setup().scaling.factor, 4);
    EXPECT_DOUBLE_EQ(workspace.rotary().frequencies().inverse_frequencies[0], 0.25);
}

TEST_F(SetupPanelTest, TheFieldsOfTheChosenScalingAreShownAndSetIt) {
    Workspace workspace(options());
    SetupPanel panel(workspace);
    panel.show();
    const auto shown = [&panel] {
        QStringList names;
        for (const QLineEdit* field : panel.findChild<ScalingFields*>()->findChildren<QLineEdit*>()) {
            if (field->isVisible()) names << field->accessibleName();
        }
        return names;
    };
    EXPECT_EQ(shown(), QStringList());
    panel.take("scaling=yarn factor=8 context=16384");
    EXPECT_EQ(shown(), QStringList({"factor", "training context, tokens", "β fast, turns", "β slow, turns"}));
    panel.take("scaling=llama3 factor=8");
    EXPECT_EQ(shown().last(), "high frequency factor, turns");
    auto* factor = panel.findChild<ScalingFields*>()->findChild<NumberSlider*>();
    factor->commit("4");
    EXPECT_EQ(workspace.rotary().setup().scaling.factor, 4);
    EXPECT_EQ(workspace.rotary().setup().scaling.method, ScalingMethod::llama3);
    EXPECT_EQ(workspace.undo().undoText(), "change factor");
    panel.take("scaling=linear factor=2");
    EXPECT_EQ(shown(), QStringList("factor"));
    EXPECT_EQ(factor->value(), 2);
}

}  // namespace
}  // namespace ropelab::ui
