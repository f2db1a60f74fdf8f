#include "ui/rooms/memory/memory_room.h"

#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QSpinBox>
#include <QToolButton>
#include <QUndoStack>

#include "tests/ui/rotary/room_fixture.h"
#include "ui/rooms/memory/memory_panels.h"
#include "ui/session/run_store.h"
#include "ui/session/sweep_session.h"

namespace ropelab::ui {
namespace {

class MemoryRoomTest : public RoomFixture<MemoryRoom> {
 protected:
    void SetUp() override {
        Workbench::SetUp();
        open({.head_dim = 128, .context = 131072}, {900, 600});
        panel.reset(room->panel());
    }
    void TearDown() override {
        room.reset();
        panel.reset();
        RoomFixture::TearDown();
    }

    std::unique_ptr<QWidget> panel;
};

TEST_F(MemoryRoomTest, StatesBothSizes) {
    EXPECT_TRUE(room->words().contains("128 MiB")) << room->words().toStdString();
    EXPECT_TRUE(room->words().contains("16 GiB")) << room->words().toStdString();
    room->singleLayout()->click();
    room->refreshNow();
    EXPECT_TRUE(room->words().contains("64 MiB")) << room->words().toStdString();
    room->perLayer()->click();
    room->refreshNow();
    EXPECT_TRUE(room->words().contains("2 GiB")) << room->words().toStdString();
    EXPECT_EQ(room->tableView()->figure().settings.value("tables").toInt(), 32);
}

TEST_F(MemoryRoomTest, ShapeIsEditedAndUndone) {
    const int steps = workspace->rotaryUndo().count();
    room->shape()->field("kv_heads")->setValue(32);
    room->refreshNow();
    EXPECT_EQ(model().shape().sizes.kv_heads, 32);
    EXPECT_TRUE(room->words().contains("64 GiB")) << room->words().toStdString();
    EXPECT_GT(workspace->rotaryUndo().count(), steps);
    workspace->rotaryUndo().undo();
    room->refreshNow();
    EXPECT_EQ(model().shape().sizes.kv_heads, 8);
    EXPECT_EQ(room->shape()->field("kv_heads")->value(), 8);
}

TEST_F(MemoryRoomTest, AttentionTypeAndPrecisionChangeTheFigures) {
    QComboBox* kind = room->shape()->kind();
    const int latent = kind->findData(static_cast<int>(KvCache::latent));
    kind->setCurrentIndex(latent);
    emit kind->activated(latent);
    room->refreshNow();
    EXPECT_EQ(model().shape().sizes.kind, KvCache::latent);
    EXPECT_TRUE(room->words().contains("MLA")) << room->words().toStdString();
    QComboBox* format = room->shape()->kvFormat();
    format->setCurrentIndex(0);
    emit format->activated(0);
    room->refreshNow();
    EXPECT_EQ(room->cacheView()->figure().settings.value("kv_precision").toString(), "float32");
}

TEST_F(MemoryRoomTest, ShowingAModelDoesNotChangeIt) {
    ModelShape shape;
    shape.name = "a model";
    shape.sizes.layers = 61;
    shape.sizes.kind = KvCache::latent;
    model().change("load", model().setup(), shape);
    const int steps = workspace->rotaryUndo().count();
    room->refreshNow();
    EXPECT_EQ(room->shape()->field("layers")->value(), 61);
    EXPECT_EQ(model().shape(), shape);
    EXPECT_EQ(workspace->rotaryUndo().count(), steps);
}

TEST_F(MemoryRoomTest, ContextIsDragged) {
    emit room->cacheView()->lineDragged(kMemoryContextLine, 8200);
    emit room->cacheView()->lineDropped(kMemoryContextLine);
    EXPECT_EQ(model().setup().context, 8192);
}

TEST_F(MemoryRoomTest, MeasurementAllocatesTheTable) {
    RotarySetup small = model().setup();
    small.context = 4096;
    model().change("change context", small);
    room->refreshNow();
    room->measure()->click();
    ASSERT_TRUE(waitUntil([&] { return !room->measured()->text().isEmpty(); }));
    EXPECT_TRUE(room->measured()->text().contains("The allocated table has 2,097,152 bytes (2 MiB)"))
        << room->measured()->text().toStdString();
    small.context = 1 << 23;
    model().change("change context", small);
    room->refreshNow();
    EXPECT_TRUE(room->measured()->text().isEmpty());  // another setup
    room->measure()->click();
    EXPECT_TRUE(room->measured()->text().contains("at most 2 GiB")) << room->measured()->text().toStdString();
}

TEST_F(MemoryRoomTest, MeasuresTheKvCacheOfTheSweepAndOfARun) {
    EXPECT_EQ(room->cacheMeasurement(), nullptr) << "without runs nothing can be measured";
    Experiment sweep = smallSweep(40);
    sweep.set("layers", {"2"});
    sweep.set("heads", {"2"});
    sweep.set("width", {"16"});
    workspace->experiment().replace(sweep);
    panel.reset();
    room = std::make_unique<MemoryRoom>(model(), workspace->runAccess(), &workspace->experiment());
    panel.reset(room->panel());
    CacheMeasurement& measurement = *room->cacheMeasurement();
    ASSERT_EQ(measurement.choice().count(), 1);
    measurement.button().click();
    // The formula: 2 layers × (keys and values) × 16 channels × 32 tokens × 4 bytes.
    ASSERT_TRUE(waitUntil([&] {
        return measurement.words()->text().contains("8,192 bytes for a context of 32 tokens");
    })) << measurement.words()->text().toStdString();
    EXPECT_TRUE(measurement.words()->text().contains("generated 16 tokens, its KV cache had 4,096 bytes (4 KiB)"))
        << measurement.words()->text().toStdString();
    engine.step_microseconds = 5000;
    workspace->start();
    ASSERT_TRUE(waitUntil([&] { return workspace->session().isActive(); }));
    measurement.button().click();
    EXPECT_TRUE(measurement.words()->text().contains("A sweep is training"))
        << measurement.words()->text().toStdString();
    ASSERT_TRUE(waitForEnd(*workspace));
    ASSERT_TRUE(waitUntil([&] { return measurement.choice().count() == 3; }));
    measurement.choice().setCurrentIndex(2);
    EXPECT_TRUE(measurement.words()->text().isEmpty()) << "the text was about another model";
    measurement.button().click();
    const QString name = workspace->runs().find(2)->name;
    EXPECT_TRUE(waitUntil([&] { return measurement.words()->text().startsWith("While " + name + " generated"); }))
        << measurement.words()->text().toStdString();
}

TEST_F(MemoryRoomTest, AnEagerModelHasNoKvCache) {
    RunSpec spec;
    spec.operations = Operations::eager;
    const bench::MeasuredCache measured{16, 0, cache_bytes(spec)};
    EXPECT_TRUE(measuredCacheSentence("a run", spec, measured).contains("without a KV cache"));
}

TEST_F(MemoryRoomTest, NarrowRoomShowsOneFigure) {
    EXPECT_TRUE(room->tableView()->isVisible());
    EXPECT_TRUE(room->cacheView()->isVisible());
    room->fitPage({500, 600});
    room->resize(500, 600);
    EXPECT_TRUE(room->tableView()->isVisible());
    EXPECT_FALSE(room->cacheView()->isVisible());
    EXPECT_EQ(room->figure().name, "rope-cache");
    room->showCache()->click();
    EXPECT_FALSE(room->tableView()->isVisible());
    EXPECT_TRUE(room->cacheView()->isVisible());
    EXPECT_EQ(room->figure().name, "kv-cache");
    EXPECT_TRUE(room->perLayer()->isVisible()) << "the table beside the KV cache depends on it";
}

TEST_F(MemoryRoomTest, ShowsBarsToScale) {
    EXPECT_EQ(room->control("log_axis").toString(), "on");
    const auto restore = room->restorer();
    room->setControl("log_axis", "off");
    room->refreshNow();
    EXPECT_TRUE(room->toScale()->isChecked());
    EXPECT_EQ(room->tableView()->figure().name, "rope-cache-bars");
    EXPECT_EQ(room->cacheView()->figure().name, "kv-cache-bars");
    EXPECT_EQ(room->figure().name, "rope-cache-bars") << "of the part that is shown";
    EXPECT_THROW(room->setControl("log_axis", "maybe"), BadInput);
    room->singleLayout()->click();
    room->refreshNow();
    EXPECT_EQ(room->tableView()->figure().table.columns.front().last(), 64);
    ShapedSetup other{model().setup(), model().shape()};
    other.setup.fraction = 0.1;
    model().compareWith("compare", other);
    room->refreshNow();
    EXPECT_TRUE(room->tableView()->figure().x.categories.contains("B: 10 %"));
    restore();
    room->refreshNow();
    EXPECT_EQ(room->tableView()->figure().name, "rope-cache");
}

TEST_F(MemoryRoomTest, PartsAreItsFigures) {
    room->showPart("kv-cache");
    EXPECT_TRUE(room->tableView()->isVisible()) << "outside of a presentation both are shown";
    EXPECT_EQ(room->figure().name, "kv-cache");
    EXPECT_EQ(room->shownPart(), "");
    room->showPart("rope-cache");
    EXPECT_EQ(room->figure().name, "rope-cache");
    EXPECT_THROW(room->showPart("cache"), BadInput);

    const auto restore = room->restorer();
    room->showOnlyPart("kv-cache");
    EXPECT_FALSE(room->tableView()->isVisible());
    EXPECT_TRUE(room->cacheView()->isVisible());
    EXPECT_EQ(room->figure().name, "kv-cache");
    EXPECT_EQ(room->shownPart(), "kv-cache");
    room->showOnlyPart("rope-cache");
    EXPECT_TRUE(room->tableView()->isVisible());
    EXPECT_FALSE(room->cacheView()->isVisible());
    room->showPart("kv-cache");
    room->showOnlyPart("");
    EXPECT_TRUE(room->tableView()->isVisible());
    EXPECT_TRUE(room->cacheView()->isVisible());
    restore();
    EXPECT_EQ(room->figure().name, "rope-cache");
}

}  // namespace
}  // namespace ropelab::ui
