#include "ui/session/rotary_model.h"

#include <gtest/gtest.h>

#include <QSignalSpy>
#include <QUndoStack>

#include "core/base/error.h"
#include "ui/session/undo_step.h"

namespace ropelab::ui {
namespace {

RotarySetup withTheta(const RotaryModel& model, double theta) {
    RotarySetup setup = model.setup();
    setup.theta = theta;
    return setup;
}

// The status strip has room for two changes.
TEST(UndoStep, NamesUpToTwoChanges) {
    const QStringList changes = {changedValue("θ", "500", "10k"), changedValue("context", "1k", "4k"), "third"};
    EXPECT_EQ(changedValues(changes.first(1)), "θ 500 → 10k");
    EXPECT_EQ(changedValues(changes.first(2)), "θ 500 → 10k, context 1k → 4k");
    EXPECT_EQ(changedValues(changes), "");
}

TEST(RotaryChanges, NameEveryNumberOfASetup) {
    const RotarySetup setup = parse_setup("scaling=llama3 factor=4 original_context=512");
    int numbers = 0;
    for (const SetupKey& key : setup_keys()) {
        RotarySetup other = setup;
        const Value value = key.get(setup);
        if (const auto* whole = std::get_if<std::int64_t>(&value)) {
            key.set(other, *whole + 2);
        } else if (const auto* number = std::get_if<double>(&value)) {
            key.set(other, *number > 0 ? *number / 2 : 1.0);
        } else {
            continue;
        }
        ++numbers;
        EXPECT_FALSE(rotaryChanges({setup, {}}, {other, {}}).isEmpty()) << key.name;
    }
    EXPECT_GE(numbers, 10);
}

TEST(RotaryModel, PastingTwiceIsTwoSteps) {
    QUndoStack undo;
    RotaryModel model(undo);
    model.changeBoth("paste", {withTheta(model, 500), withTheta(model, 2000)});
    model.changeBoth("paste", {withTheta(model, 3000), withTheta(model, 4000)});
    EXPECT_EQ(undo.count(), 2);
    undo.undo();
    EXPECT_EQ(model.setup().theta, 500);
}

TEST(RotaryModel, ChangesEmitOneSignalAndCanBeUndone) {
    QUndoStack undo;
    RotaryModel model(undo);
    QSignalSpy changed(&model, &RotaryModel::changed);
    model.change("change theta", withTheta(model, 500));
    EXPECT_EQ(changed.count(), 1);
    EXPECT_DOUBLE_EQ(model.frequencies().inverse_frequencies[1], std::pow(500.0, -2.0 / 64));
    undo.undo();
    EXPECT_EQ(model.setup().theta, 10000);
    EXPECT_DOUBLE_EQ(model.frequencies().inverse_frequencies[1], std::pow(10000.0, -2.0 / 64));
    undo.redo();
    EXPECT_EQ(model.setup().theta, 500);
}

TEST(RotaryModel, DragIsOneUndoStep) {
    QUndoStack undo;
    RotaryModel model(undo);
    for (double theta : {600.0, 700.0, 800.0}) model.change("change theta", withTheta(model, theta));
    EXPECT_EQ(undo.count(), 1);
    model.endDrag();
    model.change("change theta", withTheta(model, 900));
    EXPECT_EQ(undo.count(), 2);
    RotarySetup longer = model.setup();
    longer.context = 4096;
    model.change("change context", longer);
    EXPECT_EQ(undo.count(), 3);
    undo.undo();
    undo.undo();
    EXPECT_EQ(model.setup().theta, 800);
    undo.undo();
    EXPECT_EQ(model.setup(), RotarySetup{});
}

TEST(RotaryModel, SecondSetupIsSetExchangedAndEndedByUndoSteps) {
    QUndoStack undo;
    RotaryModel model(undo);
    QSignalSpy changed(&model, &RotaryModel::changed);
    const RotarySetup a = model.setup();
    const RotarySetup b = withTheta(model, 500000);
    EXPECT_FALSE(model.setupB());
    model.compareWith("compare", {b, {}});
    EXPECT_EQ(changed.count(), 1);
    EXPECT_EQ(model.setups(), (ComparedSetups{a, b}));
    EXPECT_DOUBLE_EQ(model.otherFrequencies().inverse_frequencies[1], std::pow(500000.0, -2.0 / 64));
    model.edit(true);
    EXPECT_TRUE(model.editsB());
    EXPECT_EQ(model.setup(), b);
    EXPECT_EQ(model.setups(), (ComparedSetups{a, b})) << "editing B exchanges no letters";
    model.change("change theta", withTheta(model, 2000));
    EXPECT_EQ(model.setups().a, a);
    EXPECT_EQ(model.setups().b->theta, 2000);
    model.swapSetups();
    EXPECT_TRUE(model.editsB());
    EXPECT_EQ(model.setups().a.theta, 2000);
    EXPECT_EQ(*model.setups().b, a);
    EXPECT_EQ(model.setup(), a);
    model.endComparison();
    EXPECT_FALSE(model.other());
    EXPECT_EQ(model.setup(), a);
    EXPECT_FALSE(model.editsB());
    EXPECT_EQ(undo.count(), 5);
    undo.undo();
    undo.undo();
    EXPECT_EQ(model.setups().b->theta, 2000);
    EXPECT_TRUE(model.editsB());
    undo.undo();
    undo.undo();
    EXPECT_EQ(model.setups(), (ComparedSetups{a, b}));
    EXPECT_FALSE(model.editsB());
    undo.undo();
    EXPECT_FALSE(model.other());
    model.swapSetups();
    model.endComparison();
    model.edit(true);
    EXPECT_EQ(undo.index(), 0) << "without a second setup there is nothing to change";
    EXPECT_THROW(model.compareWith("compare", {withTheta(model, 0.5), {}}), BadInput);
    EXPECT_FALSE(model.other());
}

TEST(RotaryModel, BothSetupsOfATextAreOneStep) {
    QUndoStack undo;
    RotaryModel model(undo);
    const ComparedSetups both{withTheta(model, 1000), withTheta(model, 2000)};
    model.changeBoth("paste", both);
    EXPECT_EQ(model.setups(), both);
    EXPECT_EQ(undo.count(), 1);
    model.changeBoth("paste", {withTheta(model, 3000), std::nullopt});
    EXPECT_EQ(model.setup().theta, 3000);
    EXPECT_EQ(model.other()->setup.theta, 2000) << "the text of one setup changes the edited one";
    undo.undo();
    undo.undo();
    EXPECT_FALSE(model.other());
}

TEST(RotaryModel, EarlierSetupsAreThoseOfTheUndoHistory) {
    QUndoStack undo;
    RotaryModel model(undo);
    EXPECT_TRUE(model.earlierSetups(10).empty());
    for (const double theta : {500.0, 600.0, 500.0, 700.0}) {
        model.change("change theta", withTheta(model, theta));
        model.endDrag();
    }
    const auto earlier = model.earlierSetups(10);
    ASSERT_EQ(earlier.size(), 3U);
    EXPECT_EQ(earlier[0].setup.setup.theta, 500);
    EXPECT_EQ(earlier[0].replacedBy, "change theta");
    EXPECT_EQ(earlier[1].setup.setup.theta, 600);
    EXPECT_EQ(earlier[2].setup.setup.theta, 10000);
    EXPECT_EQ(model.earlierSetups(1).size(), 1U);
    model.compareWith("compare", earlier[0].setup);
    EXPECT_EQ(model.earlierSetups(10).front().setup.setup.theta, 600) << "setups that are shown are not listed";
}

TEST(RotaryModel, NamesOfTwoSetupsSayWhatDiffers) {
    const auto names = [](const char* a, const char* b, const QString& modelA = {}, const QString& modelB = {}) {
        const SetupNames result = setupNames({parse_setup(a), {modelA, {}, {}}}, {parse_setup(b), {modelB, {}, {}}});
        return result.a + " | " + result.b;
    };
    EXPECT_EQ(names("theta=10k", "theta=500k"), "θ = 10k | θ = 500k");
    EXPECT_EQ(names("fraction=50%", "fraction=50% partial=truncate"), "slice | truncate");
    EXPECT_EQ(names("theta=10k context=4096", "theta=500k context=131072"),
              "θ = 10k, context = 4,096 | θ = 500k, context = 131,072");
    EXPECT_EQ(
        names("theta=10k context=4096", "theta=500k context=131072 scaling=llama3 factor=8", "Llama 2", "Llama 3.1"),
        "Llama 2 | Llama 3.1");
    EXPECT_EQ(names("theta=10k", "theta=500k", "one", "two"), "θ = 10k | θ = 500k");
    EXPECT_EQ(names("theta=10k", "theta=10k"), " | ") << "nothing differs";
}

TEST(RotaryModel, RejectsInvalidSetups) {
    QUndoStack undo;
    RotaryModel model(undo);
    EXPECT_THROW(model.change("change theta", withTheta(model, 0.5)), BadInput);
    EXPECT_EQ(model.setup(), RotarySetup{});
    EXPECT_EQ(undo.count(), 0);
}

TEST(RotaryModel, PickedPairsCanBeUndone) {
    QUndoStack undo;
    RotaryModel model(undo);
    QSignalSpy changed(&model, &RotaryModel::changed);
    QSignalSpy restored(&model, &RotaryModel::pickRestored);
    model.pickPair(20);
    RotarySetup quarter = model.setup();
    quarter.fraction = 0.25;
    model.change("change fraction", quarter);
    EXPECT_EQ(model.pickedPair(), std::nullopt);
    undo.undo();
    EXPECT_EQ(model.pickedPair(), 20) << "the pair exists again";
    EXPECT_EQ(changed.count(), 2);
    undo.undo();
    EXPECT_EQ(model.pickedPair(), std::nullopt);
    EXPECT_EQ(changed.count(), 2) << "picking a pair does not change the setup";
    EXPECT_EQ(restored.count(), 2);
    for (const int pair : {1, 2, 3}) model.pickPair(pair, true);
    EXPECT_EQ(undo.count(), 1) << "steps from pair to pair are one step";
    model.pickPair(9);
    EXPECT_EQ(undo.count(), 2);
}

TEST(RotaryModel, HighlightsTheHoveredOrSelectedPair) {
    QUndoStack undo;
    RotaryModel model(undo);
    QSignalSpy lit(&model, &RotaryModel::pairHighlighted);
    model.pickPair(5);
    model.hoverPair(7);
    EXPECT_EQ(model.highlightedPair(), 7);
    model.hoverPair(std::nullopt);
    EXPECT_EQ(model.highlightedPair(), 5);
    EXPECT_EQ(lit.count(), 3);
    model.pickPair(32);  // a head of 64 has pairs 0 … 31
    EXPECT_EQ(model.highlightedPair(), std::nullopt);
    model.pickPair(20);
    RotarySetup quarter = model.setup();
    quarter.fraction = 0.25;
    model.change("change fraction", quarter);
    EXPECT_EQ(model.pickedPair(), std::nullopt);  // only 8 pairs are left
}

TEST(RotaryModel, ShownStatesAreCheckedAndAreNoUndoSteps) {
    QUndoStack undo;
    RotaryModel model(undo);
    model.change("change theta", withTheta(model, 600));
    RotaryModel::State state = model.state();
    state.setup.theta = 0.5;
    EXPECT_THROW(model.show(state), BadInput);
    state.setup.theta = 700;
    state.other = ShapedSetup{withTheta(model, 0.5), {}};
    EXPECT_THROW(model.show(state), BadInput);
    EXPECT_EQ(model.setup().theta, 600);
    state.other.reset();
    model.show(state);
    EXPECT_EQ(model.setup().theta, 700);
    EXPECT_FALSE(model.isDragging());
    EXPECT_EQ(undo.count(), 1);
}

TEST(RotaryModel, UndoAndRedoRestoreWhatRoomsKeep) {
    QUndoStack undo;
    RotaryModel model(undo);
    int position = 1;
    {
        QObject room;
        model.keepForUndo(&room, [&position] { return [&position, kept = position] { position = kept; }; });
        model.change("change theta", withTheta(model, 600));
        position = 2;
        undo.undo();
        EXPECT_EQ(position, 1);
        undo.redo();
        EXPECT_EQ(position, 2);
        undo.undo();
        position = 3;
    }
    model.change("change theta", withTheta(model, 700));
    undo.undo();
    EXPECT_EQ(position, 3) << "the room does not exist any more";
}

TEST(RotaryModel, OtherStepsEndADragOnce) {
    QUndoStack undo;
    RotaryModel model(undo);
    QSignalSpy ended(&model, &RotaryModel::dragEnded);
    model.endDrag();
    EXPECT_EQ(ended.count(), 0) << "nothing was dragged";
    model.change("change theta", withTheta(model, 600));
    model.compareWith("compare", {withTheta(model, 900), {}});
    EXPECT_EQ(ended.count(), 1);
    EXPECT_FALSE(model.isDragging());
    model.change("change theta", withTheta(model, 700));
    model.pickPair(3);
    EXPECT_FALSE(model.isDragging());
    model.change("change theta", withTheta(model, 800));
    undo.undo();
    EXPECT_FALSE(model.isDragging());
    EXPECT_EQ(model.setup().theta, 700);
}

TEST(RotaryModel, EarlierSetupsIncludeThoseOfStepsOfSeveralChanges) {
    QUndoStack undo;
    RotaryModel model(undo);
    undo.beginMacro("load model");
    for (const double theta : {500.0, 600.0, 700.0}) {
        model.change("change theta", withTheta(model, theta));
        model.endDrag();
    }
    undo.endMacro();
    const auto earlier = model.earlierSetups(10);
    ASSERT_EQ(earlier.size(), 3U);
    EXPECT_EQ(earlier[0].setup.setup.theta, 600);
    EXPECT_EQ(earlier[2].setup.setup.theta, 10000);
}

TEST(RotaryModel, PairsOutOfRangeAreNotHovered) {
    QUndoStack undo;
    RotaryModel model(undo);
    for (const int pair : {-1, 32}) {  // a head of 64 has pairs 0 … 31
        model.hoverPair(0);
        EXPECT_EQ(model.highlightedPair(), 0);
        model.hoverPair(pair);
        EXPECT_EQ(model.highlightedPair(), std::nullopt);
        model.pickPair(31);
        EXPECT_EQ(model.pickedPair(), 31);
        model.pickPair(pair);
        EXPECT_EQ(model.pickedPair(), std::nullopt);
    }
}

}  // namespace
}  // namespace ropelab::ui
