#include "ui/rooms/memory/memory_room.h"

#include <QComboBox>
#include <QPushButton>
#include <QSpinBox>
#include <QToolButton>
#include <QUndoStack>

#include "tests/ui/rotary/room_fixture.h"
#include "ui/rooms/memory/shape_panel.h"

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
    EXPECT_EQ(model().shape().cache.kv_heads, 32);
    EXPECT_TRUE(room->words().contains("64 GiB")) << room->words().toStdString();
    EXPECT_GT(workspace->rotaryUndo().count(), steps);
    workspace->rotaryUndo().undo();
    room->refreshNow();
    EXPECT_EQ(model().shape().cache.kv_heads, 8);
    EXPECT_EQ(room->shape()->field("kv_heads")->value(), 8);
}

TEST_F(MemoryRoomTest, AttentionTypeAndPrecisionChangeTheFigures) {
    QComboBox* kind = room->shape()->kind();
    const int latent = kind->findData(static_cast<int>(KvCache::latent));
    kind->setCurrentIndex(latent);
    emit kind->activated(latent);
    room->refreshNow();
    EXPECT_EQ(model().shape().kind, KvCache::latent);
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
    shape.cache.layers = 61;
    shape.kind = KvCache::latent;
    model().changeShape("load", shape);
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
    ASSERT_TRUE(waitUntil([&] { return !room->measured().isEmpty(); }));
    EXPECT_TRUE(room->measured().contains("Allocated: 2,097,152 bytes (2 MiB)")) << room->measured().toStdString();
    small.context = 1 << 23;
    model().change("change context", small);
    room->refreshNow();
    EXPECT_TRUE(room->measured().isEmpty());  // another setup
    room->measure()->click();
    EXPECT_TRUE(room->measured().contains("at most 2 GiB")) << room->measured().toStdString();
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
}

}  // namespace
}  // namespace ropelab::ui
