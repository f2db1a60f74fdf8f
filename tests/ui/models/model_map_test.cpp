#include <QComboBox>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMimeData>
#include <QPushButton>
#include <QScrollBar>
#include <QTableView>
#include <QUrl>
#include <algorithm>

#include "tests/support/shared_data.h"
#include "tests/ui/support/workbench.h"
#include "ui/models/model_map.h"
#include "ui/models/model_views.h"

namespace ropelab::ui {
namespace {

class ModelMapTest : public Workbench {
 protected:
    void SetUp() override {
        Workbench::SetUp();
        workspace = std::make_unique<Workspace>(options());
        map = std::make_unique<ModelMap>(workspace->rotary());
    }

    RotaryModel& model() { return workspace->rotary(); }
    QString write(const QString& name, const QByteArray& text) {
        const QString path = folder.filePath(name);
        EXPECT_TRUE(QDir().mkpath(QFileInfo(path).absolutePath()));
        QFile out(path);
        EXPECT_TRUE(out.open(QIODevice::WriteOnly));
        out.write(text);
        return path;
    }
    QString cell(int row, ModelList::Column column) const {
        return map->table()->model()->index(row, column).data().toString();
    }
    static const ModelEntry& known(const QString& name) {
        const auto found = std::find_if(knownModels().begin(), knownModels().end(),
                                        [&](const ModelEntry& each) { return each.name == name; });
        EXPECT_NE(found, knownModels().end()) << name.toStdString();
        return *found;
    }
    /// Returns the name of a known model with several layer types.
    QString mixedModel() const {
        for (const ModelEntry& entry : knownModels()) {
            if (entry.model.rotary.size() > 1) return entry.name;
        }
        return {};
    }

    /// Returns the parameters that the table shows for a model.
    QString parameters(const QString& name) const {
        const auto* rows = map->table()->model();
        for (int row = 0; row < rows->rowCount(); ++row) {
            if (cell(row, ModelList::Name) == name) return cell(row, ModelList::Parameters);
        }
        return {};
    }

    const QByteArray llama =
        R"({"model_type": "llama", "hidden_size": 4096, "num_attention_heads": 32, "num_key_value_heads": 8,
            "num_hidden_layers": 32, "max_position_embeddings": 8192, "rope_theta": 500000.0})";
    std::unique_ptr<Workspace> workspace;
    std::unique_ptr<ModelMap> map;
};

TEST_F(ModelMapTest, TableShowsParameters) {
    EXPECT_EQ(parameters("Llama 3 8B"), "8.03B");
    EXPECT_EQ(parameters("DeepSeek-V3"), "671B (37.6B active)");
    EXPECT_EQ(parameters("Kimi K2"), "1.03T (32.9B active)");
    EXPECT_EQ(parameters("ModernBERT base"), "150M");
    map->table()->sortByColumn(ModelList::Parameters, Qt::DescendingOrder);
    EXPECT_EQ(cell(0, ModelList::Name), "Kimi K2");
    ASSERT_TRUE(map->importConfig(write("Small/config.json", llama)));
    EXPECT_EQ(parameters("Small"), "–") << "the configuration has no vocabulary";
}

TEST_F(ModelMapTest, ColumnsFitAWindowOf1280Pixels) {
    map->resize(1250, 740);
    map->show();
    ASSERT_TRUE(QTest::qWaitForWindowExposed(map.get()));
    EXPECT_EQ(map->table()->horizontalScrollBar()->maximum(), 0);
}

TEST_F(ModelMapTest, FractionsHaveOneDecimal) {
    EXPECT_EQ(fractionText(known("DeepSeek-V3").rotary(0).setup), "33.3 %");
    EXPECT_EQ(fractionText(known("Phi-2").rotary(0).setup), "40 %");
}

TEST_F(ModelMapTest, DetailsSayWhetherRopeIsTheSameInAllLayers) {
    ASSERT_TRUE(map->pick("Llama 3.1 8B"));
    EXPECT_TRUE(map->details().contains("Layers: 32, RoPE is the same in all layers.")) << map->details().toStdString();
}

TEST_F(ModelMapTest, LoadsSetupAndShapeAsOneUndoStep) {
    ASSERT_TRUE(map->pick("Llama 3.1 8B"));
    RotarySetup before = model().setup();
    before.precision = NumberFormat::bfloat16;
    model().change("change precision", before);
    ASSERT_TRUE(map->load());
    EXPECT_EQ(model().setup().theta, 5e5);
    EXPECT_EQ(model().setup().head_dim, 128);
    EXPECT_EQ(model().setup().context, 131072);
    EXPECT_EQ(model().setup().heads, 32);
    EXPECT_EQ(model().setup().attention_window, 0);
    EXPECT_EQ(model().setup().scaling.method, ScalingMethod::llama3);
    EXPECT_EQ(model().setup().precision, NumberFormat::bfloat16);
    EXPECT_EQ(model().shape().name, "Llama 3.1 8B");
    EXPECT_EQ(model().shape().sizes.layers, 32);
    EXPECT_EQ(model().shape().sizes.kv_heads, 8);
    EXPECT_EQ(workspace->rotaryUndo().undoText(), "load Llama 3.1 8B");
    workspace->rotaryUndo().undo();
    EXPECT_EQ(model().setup(), before);
    EXPECT_EQ(model().shape(), ModelShape{});
}

TEST_F(ModelMapTest, EveryKnownModelLoads) {
    for (const ModelEntry& entry : knownModels()) {
        ASSERT_TRUE(map->pick(entry.name)) << entry.name.toStdString();
        EXPECT_EQ(map->picked(), entry.name);
        EXPECT_TRUE(map->load()) << map->problem().toStdString();
        EXPECT_TRUE(map->details().contains(entry.source)) << entry.name.toStdString();
        EXPECT_EQ(model().setup().theta, entry.rotary(0).setup.theta);
    }
}

TEST_F(ModelMapTest, SearchShowsModelsThatContainAllWords) {
    const int all = map->table()->model()->rowCount();
    ASSERT_EQ(all, static_cast<int>(knownModels().size()));
    QTest::keyClicks(map->search(), "llama 8b");
    const int found = map->table()->model()->rowCount();
    EXPECT_GT(found, 0);
    EXPECT_LT(found, all);
    for (int row = 0; row < found; ++row) {
        EXPECT_TRUE(cell(row, ModelList::Name).contains("llama", Qt::CaseInsensitive));
    }
    EXPECT_TRUE(map->picked().contains("llama", Qt::CaseInsensitive));
    map->search()->setText("no such model");
    EXPECT_EQ(map->picked(), "");
    EXPECT_FALSE(map->load());
    EXPECT_TRUE(map->pick("Llama 3.1 8B"));  // clears the search
    EXPECT_EQ(map->table()->model()->rowCount(), all);
}

TEST_F(ModelMapTest, ArrowKeysInTheSearchMoveTheRowAndEnterLoads) {
    map->show();
    map->search()->setFocus();
    QTest::keyClick(map->search(), Qt::Key_Down);
    EXPECT_EQ(map->table()->currentIndex().row(), 1);
    const QString second = map->picked();
    QTest::keyClick(map->search(), Qt::Key_Return);
    EXPECT_TRUE(model().shape().name.startsWith(second));
    EXPECT_EQ(workspace->rotaryUndo().count(), 1);
    QTest::keyClick(map->table(), Qt::Key_Down);
    QTest::keyClick(map->table(), Qt::Key_Return);
    EXPECT_EQ(workspace->rotaryUndo().count(), 2);
}

TEST_F(ModelMapTest, LoadingSaysWhatWasLoadedAndOffersUndoAndClose) {
    map->show();
    EXPECT_EQ(map->loaded()->text(), "Current setup: custom");
    EXPECT_FALSE(map->undoButton()->isEnabled());
    const RotarySetup before = model().setup();
    ASSERT_TRUE(map->pick("Llama 3.1 8B"));
    ASSERT_TRUE(map->load());
    EXPECT_EQ(map->loaded()->text(), "In use: Llama 3.1 8B");
    EXPECT_TRUE(map->isVisible()) << "another model can be loaded";
    ASSERT_TRUE(map->undoButton()->isEnabled());
    map->undoButton()->click();
    EXPECT_EQ(model().setup(), before);
    EXPECT_EQ(map->loaded()->text(), "Current setup: custom");
    EXPECT_FALSE(map->undoButton()->isEnabled());
    ASSERT_TRUE(map->load());
    model().pickPair(3);
    EXPECT_FALSE(map->undoButton()->isEnabled()) << "the latest step is not the loading";
    map->closeButton()->click();
    EXPECT_FALSE(map->isVisible());
    EXPECT_EQ(model().shape().name, "Llama 3.1 8B");
}

TEST_F(ModelMapTest, SortsNumbersAsNumbers) {
    map->table()->sortByColumn(ModelList::Theta, Qt::AscendingOrder);
    double previous = 0;
    for (int row = 0; row < map->table()->model()->rowCount(); ++row) {
        const double theta = map->table()->model()->index(row, ModelList::Theta).data(ModelList::kSortRole).toDouble();
        EXPECT_GE(theta, previous);
        previous = theta;
    }
}

TEST_F(ModelMapTest, OffersTheLayerTypes) {
    ASSERT_TRUE(map->pick("Llama 3.1 8B"));
    EXPECT_TRUE(map->layerTypes()->isHidden());
    const QString name = mixedModel();
    ASSERT_FALSE(name.isEmpty());
    ASSERT_TRUE(map->pick(name));
    EXPECT_FALSE(map->layerTypes()->isHidden());
    ASSERT_GE(map->layerTypes()->count(), 2);
    map->layerTypes()->setCurrentIndex(1);
    emit map->layerTypes()->activated(1);
    ASSERT_TRUE(map->load());
    const ModelEntry& entry = known(name);
    EXPECT_EQ(model().setup().theta, entry.rotary(1).setup.theta);
    EXPECT_EQ(model().shape().name, entry.nameWithLayerType(1));
    EXPECT_TRUE(map->details().contains(layerTypeText(entry.rotary(1))));
}

TEST_F(ModelMapTest, ImportsAFileOnTopOfTheTable) {
    const QString path = write("My Llama/config.json", llama);
    ASSERT_TRUE(map->importConfig(path)) << map->problem().toStdString();
    EXPECT_EQ(map->picked(), "My Llama");
    EXPECT_EQ(model().shape().name, "My Llama");
    EXPECT_EQ(model().setup().theta, 5e5);
    EXPECT_EQ(model().setup().context, 8192);
    EXPECT_TRUE(map->details().contains("from the file"));
    EXPECT_TRUE(map->details().contains("library default"));
    EXPECT_TRUE(map->details().contains(path));
    for (const auto order : {Qt::AscendingOrder, Qt::DescendingOrder}) {
        map->table()->sortByColumn(ModelList::Name, order);
        EXPECT_EQ(cell(0, ModelList::Name), "My Llama");
    }
    // A second import of the file replaces the first.
    const int rows = map->table()->model()->rowCount();
    write("My Llama/config.json", QByteArray(llama).replace("500000.0", "10000.0"));
    ASSERT_TRUE(map->importConfig(path));
    EXPECT_EQ(map->table()->model()->rowCount(), rows);
    EXPECT_EQ(model().setup().theta, 10000);
    EXPECT_EQ(workspace->rotaryUndo().count(), 2);
}

TEST_F(ModelMapTest, NamesAModelOfTheHuggingFaceCache) {
    ASSERT_TRUE(map->importConfig(write("models--lab--tiny-llama/snapshots/0f3a/config.json", llama)));
    EXPECT_EQ(map->picked(), "tiny-llama");
}

TEST_F(ModelMapTest, ListsUnknownKeysAndMissingValues) {
    const QString path = write("little.json", R"({"head_dim": 64, "rope_theta": 20000,
                                                  "rope_wobble": "<b>3</b>"})");
    ASSERT_TRUE(map->importConfig(path)) << map->problem().toStdString();
    EXPECT_EQ(map->picked(), "little");
    EXPECT_TRUE(map->details().contains("rope_wobble"));
    EXPECT_TRUE(map->details().contains("KV cache is unknown"));
    EXPECT_EQ(model().shape().sizes, AttentionSizes{});
    EXPECT_TRUE(model().shape().name.contains("unknown"));
}

TEST_F(ModelMapTest, ShowsErrorsOfAFileAndChangesNothing) {
    const RotarySetup before = model().setup();
    const int rows = map->table()->model()->rowCount();
    for (const auto& [name, text] : {std::pair<QString, QByteArray>{"broken.json", "{\"rope_theta\": "},
                                     {"type.json", R"({"model_type": "llama", "head_dim": 64, "rope_theta": "x"})"},
                                     {"list.json", "[1, 2]"}}) {
        EXPECT_FALSE(map->importConfig(write(name, text)));
        EXPECT_FALSE(map->problem().isEmpty());
    }
    EXPECT_FALSE(map->importConfig(folder.filePath("none.json")));
    EXPECT_TRUE(map->problem().contains("none.json"));
    EXPECT_EQ(model().setup(), before);
    EXPECT_EQ(workspace->rotaryUndo().count(), 0);
    EXPECT_EQ(map->table()->model()->rowCount(), rows);
    ASSERT_TRUE(map->importConfig(write("good.json", llama)));
    EXPECT_EQ(map->problem(), "");
}

TEST_F(ModelMapTest, ImportsADroppedFile) {
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(write("dropped/config.json", llama))});
    QDragEnterEvent enter({10, 10}, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(map.get(), &enter);
    EXPECT_TRUE(enter.isAccepted());
    QDropEvent drop({10, 10}, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(map.get(), &drop);
    EXPECT_EQ(model().shape().name, "dropped");
}

TEST_F(ModelMapTest, ClicksOnASpotSelectItsModelsInTurn) {
    map->resize(1100, 700);
    map->show();
    ASSERT_TRUE(QTest::qWaitForWindowExposed(map.get()));
    FigureView* view = map->map()->view();
    ASSERT_TRUE(map->pick("Llama 3.1 8B"));
    view->refreshNow();
    const QPointF spot = map->map()->pixelOf(known("Llama 3.1 8B").rotary(0).setup);
    const QList<int> there = map->map()->pointsAt(spot);
    ASSERT_GE(there.size(), 2);  // Llama 3.2 1B is at the same place
    EXPECT_TRUE(map->map()->tooltipText(spot).contains("Llama 3.2 1B: 100 %, Llama 3 ×32"));
    EXPECT_TRUE(map->map()->tooltipText(spot).contains("context 131,072 tokens, b_eff 500k"));
    const QPointF empty = view->canvasRect().topLeft();
    EXPECT_TRUE(map->map()->pointsAt(empty).isEmpty());
    EXPECT_EQ(map->map()->tooltipText(empty), "");
    QStringList seen;
    for (int i = 0; i < there.size(); ++i) {
        emit view->clicked(view->valueAt(spot));
        seen << map->picked();
    }
    EXPECT_EQ(seen.removeDuplicates(), 0);
    EXPECT_EQ(map->picked(), "Llama 3.1 8B");  // the last click selects the first model again
    EXPECT_EQ(model().shape().name, "");       // selecting a model does not load it
}

TEST_F(ModelMapTest, ComparesWithTheSelectedModel) {
    ASSERT_TRUE(map->pick("Llama 2 7B"));
    ASSERT_TRUE(map->load());
    ASSERT_TRUE(map->pick("Llama 3.1 8B"));
    map->compareButton()->click();
    EXPECT_EQ(model().shape().name, "Llama 2 7B");
    ASSERT_TRUE(model().other());
    EXPECT_EQ(model().other()->shape.name, "Llama 3.1 8B");
    EXPECT_EQ(model().other()->setup.theta, 500000);
    EXPECT_EQ(model().other()->shape.sizes.kv_heads, 8);
    model().undoStack().undo();
    EXPECT_FALSE(model().other());
}

TEST_F(ModelMapTest, MapShowsTheCurrentSetup) {
    map->show();
    RotarySetup setup = model().setup();
    setup.context = 4096;
    model().change("change context", setup);
    EXPECT_EQ(map->map()->view()->figure().settings["setup"].toString(), QString::fromStdString(text_of(setup)));
}

TEST_F(ModelMapTest, ReadsConfigurationsWrittenByTransformers) {
    SKIP_WITHOUT_SHARED_DATA("oracles/hf_models/neox_25/config.json");
    const auto path = shared_data("oracles/hf_models/neox_25/config.json");
    ASSERT_TRUE(map->importConfig(QString::fromStdString(path.string())));
    EXPECT_EQ(map->picked(), "neox_25");
    EXPECT_EQ(model().setup().fraction, 0.25);
    EXPECT_FALSE(map->importConfig(QString::fromStdString(shared_data("oracles/hf_models/gpt2/config.json").string())));
    EXPECT_TRUE(map->problem().contains("without rotary embeddings"));
}

}  // namespace
}  // namespace ropelab::ui
