#include "ui/rooms/anatomy/anatomy_room.h"

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QFile>
#include <QImage>
#include <QLineEdit>
#include <QPainter>
#include <QPushButton>
#include <QRegularExpression>
#include <QSet>
#include <QSignalSpy>
#include <QTableView>
#include <QToolButton>
#include <QUndoStack>

#include <cmath>
#include <limits>

#include "core/contract/anatomy_times.h"
#include "core/data/corpus.h"
#include "core/plan/layout.h"
#include "core/report/anatomy_report.h"
#include "core/run/checkpoint.h"
#include "tests/core/plan/anatomy_variants.h"
#include "tests/ui/support/answered_dialogs.h"
#include "tests/ui/support/workbench.h"
#include "ui/controls/field_note.h"
#include "ui/figure/export/export.h"
#include "ui/figure/export/figure_page.h"
#include "ui/rooms/anatomy/activation_figure.h"
#include "ui/rooms/anatomy/anatomy_figure.h"
#include "ui/rooms/anatomy/anatomy_panel.h"

namespace ropelab::ui {
namespace {

class AnatomyRoomTest : public Workbench {
 protected:
    void SetUp() override {
        Workbench::SetUp();
        workspace = std::make_unique<Workspace>(options());
        room = std::make_unique<AnatomyRoom>(*workspace, workspace->runAccess(), workspace->experiment());
        panel = static_cast<AnatomyPanel*>(room->panel());
        room->resize(900, 700);
        room->show();
        panel->show();
        room->refreshNow();
    }
    /// Adds a run with a checkpoint of a model with the vocabulary "abc", and returns its number.
    RunId addTrainedRun() {
        const Plan plan = workspace->lab().addSweep(smallSweep());
        const RunId run = plan.runs.front().id;
        const Layout layout = layout_of(plan.runs.front().spec, 3);
        Checkpoint checkpoint;
        checkpoint.spec = plan.runs.front().spec;
        checkpoint.vocabulary = Vocabulary::of_characters("abc").to_text();
        for (const Parameter& parameter : layout.parameters) {
            NamedTensor tensor{"model." + parameter.name, parameter.shape, {}};
            tensor.values.resize(static_cast<std::size_t>(parameter.size));
            for (std::size_t i = 0; i < tensor.values.size(); ++i) tensor.values[i] = i % 2 == 0 ? 0.5F : -0.25F;
            checkpoint.state.push_back(std::move(tensor));
        }
        std::filesystem::create_directories(workspace->lab().file()->checkpoint_path(run).parent_path());
        write_checkpoint(workspace->lab().file()->checkpoint_path(run), checkpoint);
        return run;
    }
    std::int64_t parameters() const { return room->model().anatomy.totals().parameters.value_or(-1); }
    std::string sweepValue(const char* key) const { return workspace->experiment().value().values(key).front(); }

    std::unique_ptr<Workspace> workspace;
    std::unique_ptr<AnatomyRoom> room;
    AnatomyPanel* panel = nullptr;
};

TEST_F(AnatomyRoomTest, ShowsTheModelOfTheSweepPanel) {
    const RunSpec spec = workspace->experiment().value().expand().front();
    EXPECT_EQ(parameters(), layout_of(spec, static_cast<int>(room->model().vocabulary)).total);
    EXPECT_EQ(panel->total("parameters").toStdString(), grouped(parameters()));
    EXPECT_EQ(panel->difference("parameters"), "");
    EXPECT_FALSE(panel->resetButton()->isEnabled());
    EXPECT_FALSE(panel->useButton()->isEnabled());
    workspace->experiment().edit("change", [](Experiment& experiment) { experiment.set("layers", {"3"}); });
    EXPECT_EQ(room->model().spec->layers, 3);
}

// In a window of 1280 × 800, a page has about 800 × 500 pixels beside the panel.
TEST_F(AnatomyRoomTest, PictureFitsASmallWindow) {
    const auto size = [this] {
        return AnatomyPicture({room->model()}, {}).size(FigureStyle::screen(Theme::light(), 96.0 / 72));
    };
    EXPECT_LE(size().width(), 796);
    EXPECT_LE(size().height(), 500);
    room->showSource("model:Llama 3 8B");
    EXPECT_LE(size().width(), 796);
}

// Each row has a stage of its own at every height, whatever the parts of the model.
TEST_F(AnatomyRoomTest, PictureHasABlockForEveryStageOfEveryVariant) {
    const FigureStyle style = FigureStyle::screen(Theme::light(), 96.0 / 72);
    for (const std::string& settings : anatomy_variants()) {
        const AnatomyModel model = model_of_settings(anatomy_spec(settings));
        for (const auto& models : {std::vector{model}, traditionalAndModern(*model.spec, model.vocabulary)}) {
            const AnatomyPicture picture(models, {});
            const QRectF rect(QPointF(0, 0), picture.size(style));
            for (const QString& id : picture.ids()) {
                const double y = picture.place(rect, style, id).center().y();
                EXPECT_TRUE(rect.contains(1, y)) << settings << " " << id.toStdString();
                EXPECT_EQ(picture.stageAt(rect, style, y), id) << settings;
            }
            EXPECT_EQ(stageTable(models).ids.size(), picture.ids().size() + 1) << "and the totals: " << settings;
            QImage image(rect.size().toSize(), QImage::Format_ARGB32);
            QPainter painter(&image);
            picture.paint(painter, rect, style);
            EXPECT_EQ(picture.layouts(), 1) << settings;
        }
    }
}

TEST_F(AnatomyRoomTest, PictureIsLaidOutAgainForAnotherPlaceOrSize) {
    const FigureStyle style = FigureStyle::screen(Theme::light(), 96.0 / 72);
    const AnatomyPicture picture({room->model()}, {});
    const QRectF rect(0, 0, 800, 600);
    const QRectF first = picture.place(rect, style, u"attention.qkv"_s);
    EXPECT_EQ(AnatomyPicture(picture).place(rect, style, u"attention.qkv"_s), first) << "a copy uses the same layout";
    EXPECT_EQ(picture.layouts(), 1);
    EXPECT_NE(picture.place(rect.translated(5, 0), style, u"attention.qkv"_s), first);
    EXPECT_NE(picture.place(rect, FigureStyle::screen(Theme::light(), 3), u"attention.qkv"_s), first);
    EXPECT_EQ(picture.layouts(), 3);
    EXPECT_EQ(picture.place(rect, style, u"attention.qkv"_s), first);
}

TEST_F(AnatomyRoomTest, LabOpensWithItsFirstRun) {
    const RunId run = addTrainedRun();
    room->refreshNow();
    EXPECT_EQ(panel->source()->currentData().toString(), "run:" + QString::number(run));
    room->showSource("sweep");
    EXPECT_EQ(panel->source()->currentData().toString(), "sweep") << "a choice stays";
}

TEST_F(AnatomyRoomTest, TableHasBlanksAndPicksStages) {
    room->tableButton()->click();
    EXPECT_TRUE(room->table()->isVisible());
    EXPECT_FALSE(room->listing()->isVisible());
    const StageTable table = stageTable({room->model()});
    const auto row = static_cast<std::size_t>(table.ids.indexOf("attention.weights"));
    EXPECT_EQ(table.content.rows[row][4].text, "") << "softmax has no parameters";
    EXPECT_EQ(room->table()->currentIndex().row(), table.ids.indexOf(room->picked()));
    room->table()->selectRow(static_cast<int>(row));
    EXPECT_EQ(room->picked(), "attention.weights");
}

TEST_F(AnatomyRoomTest, SourceIsARunAKnownModelOrAConfig) {
    room->showSource("model:Llama 3 8B");
    EXPECT_FALSE(room->model().spec);
    EXPECT_EQ(parameters(), 8030261248);
    EXPECT_FALSE(panel->field("layers")->isEnabled());
    EXPECT_EQ(static_cast<QLineEdit*>(panel->field("layers"))->text(), "");
    EXPECT_EQ(static_cast<QComboBox*>(panel->field("block"))->currentText(), "") << "no fact about the model";

    QFile config(file("config.json"));
    ASSERT_TRUE(config.open(QIODevice::WriteOnly));
    config.write(R"({"model_type": "llama", "hidden_size": 64, "intermediate_size": 96, "num_hidden_layers": 2,
                     "num_attention_heads": 4, "vocab_size": 10, "max_position_embeddings": 32})");
    config.close();
    AnsweredDialogs answers;
    answers.path = file("config.json");
    panel->openButton()->click();
    EXPECT_EQ(parameters(), 2 * 640 + 64 + 2 * (4 * 64 * 64 + 3 * 64 * 96 + 2 * 64));
    EXPECT_EQ(panel->source()->currentData().toString(), "config:" + file("config.json"));

    const Plan plan = workspace->lab().addSweep(smallSweep());
    const RunId run = plan.runs.front().id;
    room->showSource("run:" + QString::number(run));
    EXPECT_EQ(room->model().spec->context, 32);
    EXPECT_TRUE(panel->field("layers")->isEnabled());
}

TEST_F(AnatomyRoomTest, UnreadableSourceIsReportedAndTheModelStays) {
    const std::int64_t before = parameters();
    const QSignalSpy problems(workspace.get(), &SessionActions::problem);
    room->showSource("config:" + file("missing.json"));
    EXPECT_EQ(problems.size(), 1);
    EXPECT_EQ(parameters(), before);
    EXPECT_EQ(panel->source()->currentData().toString(), "sweep");
}

TEST_F(AnatomyRoomTest, ActiveParametersOfAMixtureOfExperts) {
    EXPECT_EQ(panel->total("active"), panel->total("parameters"));
    room->showSource("model:DeepSeek-V3");
    EXPECT_EQ(panel->total("parameters"), "671,026,419,200");
    EXPECT_EQ(panel->total("active"), "37,552,297,472");
}

TEST_F(AnatomyRoomTest, MissingCheckpointOfAFinishedRunIsNamed) {
    const RunId run = addTrainedRun();
    const std::vector<Event> events = {event::RunEnded{run, RunState::finished, "", {}}};
    LabFile::open(workspace->lab().path().toStdString())->record(events);
    const std::filesystem::path path = workspace->lab().file()->checkpoint_path(run);
    std::filesystem::remove(path);
    room->showSource("run:" + QString::number(run));
    room->pick("attention.output");
    ASSERT_TRUE(waitUntil([this] { return room->weights()->figure().emptyText.contains("is missing"); }));
    EXPECT_TRUE(room->weights()->figure().emptyText.contains(QString::fromStdString(path.string())));
    ASSERT_TRUE(waitUntil([this] { return room->activation().view()->figure().emptyText.contains("is missing"); }));
}

TEST_F(AnatomyRoomTest, EditingMovesTheTotals) {
    const RunSpec before = *room->model().spec;
    const std::int64_t vocabulary = room->model().vocabulary;
    room->editCopy("block", "llama");
    RunSpec after = before;
    after.block = Block::llama;
    EXPECT_EQ(parameters(), layout_of(after, static_cast<int>(vocabulary)).total);
    EXPECT_TRUE(panel->difference("parameters").contains('%')) << panel->difference("parameters").toStdString();
    EXPECT_TRUE(panel->resetButton()->isEnabled());
    EXPECT_TRUE(panel->useButton()->isEnabled());
    EXPECT_EQ(workspace->experiment().value().expand().front(), before) << "a copy";
    auto* block = qobject_cast<QComboBox*>(panel->field("block"));
    ASSERT_NE(block, nullptr);
    EXPECT_EQ(block->currentData().toString(), "llama");

    room->editCopy("block", "gpt2");
    EXPECT_EQ(panel->difference("parameters"), "");
    EXPECT_FALSE(panel->resetButton()->isEnabled());

    auto* layers = qobject_cast<QLineEdit*>(panel->field("layers"));
    ASSERT_NE(layers, nullptr);
    layers->setFocus();
    layers->clear();
    QTest::keyClicks(layers, "7");
    QTest::keyClick(layers, Qt::Key_Return);
    EXPECT_EQ(room->model().spec->layers, 7);
    panel->resetButton()->click();
    EXPECT_EQ(*room->model().spec, before);
}

TEST_F(AnatomyRoomTest, RefusedValueIsExplainedAndChangesNothing) {
    const RunSpec before = *room->model().spec;
    room->editCopy("heads", "3");
    EXPECT_TRUE(panel->problem().contains("multiple")) << panel->problem().toStdString();
    EXPECT_EQ(*room->model().spec, before);
    const auto notes = panel->findChildren<FieldNote*>();
    ASSERT_EQ(notes.size(), 1);
    EXPECT_TRUE(notes.front()->isVisible());
    QWidget* heads = panel->field("heads");
    EXPECT_LE(std::abs(notes.front()->mapToGlobal(QPoint()).y() - heads->mapToGlobal(QPoint()).y()),
              notes.front()->height() + heads->height())
        << "beside the field";
    room->editCopy("layers", "5");
    EXPECT_EQ(panel->problem(), "");
}

TEST_F(AnatomyRoomTest, UseInTheSweepIsOneUndoStep) {
    room->editCopy("block", "llama");
    room->editCopy("layers", "4");
    const int steps = workspace->undo().index();
    panel->useButton()->click();
    EXPECT_EQ(workspace->undo().index(), steps + 1);
    EXPECT_EQ(sweepValue("block"), "llama");
    EXPECT_EQ(sweepValue("layers"), "4");
    EXPECT_EQ(panel->difference("parameters"), "");
    workspace->undo().undo();
    EXPECT_NE(sweepValue("block"), "llama");
    EXPECT_EQ(room->model().spec->block, Block::gpt2);
}

TEST_F(AnatomyRoomTest, PickedStageShowsItsFormula) {
    room->pick("attention.weights");
    EXPECT_EQ(room->picked(), "attention.weights");
    const std::vector<Figure> figures = room->exportedFigures();
    EXPECT_TRUE(figures.back().summary.contains("softmax")) << figures.back().summary.toStdString();
    ASSERT_FALSE(room->controls().empty());
    EXPECT_TRUE(room->setControl("stage", "mlp.up"));
    EXPECT_EQ(room->control("stage").toString(), "mlp.up");
    EXPECT_THROW(room->setControl("stage", "nothing"), BadInput);

    const AnatomyPicture lines({room->model()}, {});
    const QRectF place = lines.place(room->listing()->canvasRect(), room->listing()->style(), "head");
    emit room->listing()->clicked(place.center());
    EXPECT_EQ(room->picked(), "head");
    emit room->listing()->keyPressed(Qt::Key_Up, Qt::NoModifier);
    EXPECT_EQ(room->picked(), "final_norm");
}

TEST_F(AnatomyRoomTest, FoldedLayersAreHidden) {
    const AnatomyPicture whole({room->model()}, {});
    const AnatomyPicture folded({room->model()}, {.isFolded = true, .picked = {}});
    EXPECT_TRUE(whole.ids().contains("mlp.up"));
    EXPECT_FALSE(folded.ids().contains("mlp.up"));
    EXPECT_TRUE(folded.ids().contains("head"));
    const int height = room->listing()->minimumHeight();
    room->foldButton()->click();
    EXPECT_LT(room->listing()->minimumHeight(), height);
}

TEST_F(AnatomyRoomTest, EachKindOfLayerHasItsOwnLines) {
    room->editCopy("layers", "4");
    room->editCopy("attention_layers", "deltanet + full");
    EXPECT_EQ(panel->problem(), "");
    const QStringList ids = AnatomyPicture({room->model()}, {}).ids();
    EXPECT_TRUE(ids.contains("attention.state") && ids.contains("attention.scores"));
    EXPECT_TRUE(ids.contains("attention.output#2"));
    EXPECT_EQ(QSet<QString>(ids.begin(), ids.end()).size(), ids.size());
    room->pick("attention.output#2");
    emit room->listing()->keyPressed(Qt::Key_Down, Qt::NoModifier);
    EXPECT_EQ(room->picked(), "attention.sum#2");
}

TEST_F(AnatomyRoomTest, TraditionalAndModernStandSideBySide) {
    room->showPart("traditional-modern");
    EXPECT_EQ(room->shownPart(), "traditional-modern");
    const Figure figure = room->listing()->figure();
    EXPECT_EQ(figure.name, kComparedAnatomyFigure);
    EXPECT_TRUE(figure.summary.contains("Traditional") && figure.summary.contains("Modern"));
    QStringList stages;
    for (const auto& [name, cells] : figure.table.words) {
        if (name == "stage") stages = cells;
    }
    EXPECT_TRUE(stages.contains("Activation: GELU") && stages.contains("Activation: SwiGLU"));
    EXPECT_THROW(room->showPart("none"), BadInput);
}

TEST_F(AnatomyRoomTest, FigureIsExportedAndCanBeComputedAgain) {
    room->editCopy("layers", "3");
    const std::vector<Figure> figures = room->exportedFigures();
    EXPECT_EQ(figures.front().origin.flags["figure"].toString(), kAnatomyFigure);
    EXPECT_TRUE(figures.front().origin.flags["settings"].toString().contains("layers=3"));
    for (const FigureFormat format : {FigureFormat::svg, FigureFormat::pdf, FigureFormat::png, FigureFormat::csv}) {
        ExportOptions paper;
        paper.format = format;
        paper.heightMm = figures.front().heightMm;
        const QString path = file("anatomy.out");
        exportFigure(figures.front(), paper, path);
        EXPECT_GT(QFileInfo(path).size(), 500);
    }
}

TEST_F(AnatomyRoomTest, TableIsCopiedAndSaved) {
    panel->output().choose("csv");
    panel->output().copyButton()->click();
    EXPECT_EQ(QApplication::clipboard()->text().toStdString(), anatomy_table(room->model(), AnatomyFormat::csv));
    AnsweredDialogs answers;
    answers.path = file("anatomy.tex");
    panel->output().choose("tex");
    panel->output().saveButton()->click();
    QFile saved(file("anatomy.tex"));
    ASSERT_TRUE(saved.open(QIODevice::ReadOnly));
    EXPECT_TRUE(saved.readAll().contains("\\begin{tabular}"));
}

TEST_F(AnatomyRoomTest, WeightsOfARunAreAHeatMap) {
    room->showSource("run:" + QString::number(addTrainedRun()));
    room->pick("attention.output");
    EXPECT_TRUE(room->tensors()->isEnabled());
    EXPECT_EQ(room->tensors()->currentData().toString(), "layers.0.attention.output.weight");
    ASSERT_TRUE(waitUntil([this] { return room->weights()->figure().map.has_value(); }));
    const FigureMap& map = *room->weights()->figure().map;
    EXPECT_EQ(map.scale, FigureMap::Scale::diverging);
    EXPECT_EQ(map.rows, 64);
    EXPECT_EQ(map.range().minimum, -map.range().maximum);
    room->pick("attention.weights");
    EXPECT_FALSE(room->tensors()->isEnabled());
    EXPECT_FALSE(room->weights()->figure().map);
}

TEST_F(AnatomyRoomTest, MeasuredTimesAreAColumnOfTheListing) {
    EXPECT_FALSE(room->listing()->figure().table.names.contains("seconds per pass"));
    ASSERT_TRUE(room->measureButton()->isEnabled());
    room->measureButton()->click();
    EXPECT_TRUE(room->isBusy());
    ASSERT_TRUE(waitUntil([this] { return !room->model().anatomy.times.empty(); }));
    EXPECT_EQ(stage_time(*room->model().anatomy.find("embedding")), "1.000");
    EXPECT_EQ(stage_time(*room->model().anatomy.find("attention.queries")), "in Queries, keys, values");
    const FigureTable& table = room->listing()->figure().table;
    ASSERT_EQ(table.names.back(), "seconds per pass");
    EXPECT_EQ(table.columns.back()[1], 0.001);
    EXPECT_TRUE(room->exportedFigures().front().origin.flags.isEmpty()) << "times cannot be computed again";
    panel->output().choose("csv");
    panel->output().copyButton()->click();
    EXPECT_TRUE(QApplication::clipboard()->text().contains("seconds_per_pass"));
    room->pick("attention.queries");
    EXPECT_TRUE(room->exportedFigures().back().summary.contains("time: in Queries"));

    // Other settings were not measured; the measured ones keep their times.
    room->editCopy("layers", "3");
    EXPECT_TRUE(room->model().anatomy.times.empty());
    panel->resetButton()->click();
    EXPECT_FALSE(room->model().anatomy.times.empty());

    room->showPart("traditional-modern");
    EXPECT_FALSE(room->measureButton()->isEnabled());
    EXPECT_TRUE(room->measureButton()->toolTip().contains("one model"));
    EXPECT_FALSE(room->listing()->figure().table.names.contains("seconds per pass"));
    room->showPart("stages");
    EXPECT_TRUE(room->measureButton()->isEnabled());
    room->showSource("model:Llama 3 8B");
    EXPECT_FALSE(room->measureButton()->isEnabled());
    EXPECT_TRUE(room->measureButton()->toolTip().contains("published"));
}

TEST_F(AnatomyRoomTest, ActivationOfARunIsAHeatMapOfTheTypedText) {
    ActivationPane& activation = room->activation();
    EXPECT_FALSE(activation.textField()->isEnabled());
    EXPECT_FALSE(activation.view()->figure().map);
    room->showSource("run:" + QString::number(addTrainedRun()));
    room->pick("attention.output");
    EXPECT_EQ(activation.outputs()->count(), static_cast<int>(room->model().spec->layers));
    QCoreApplication::processEvents();
    EXPECT_EQ(activation.outputs()->y(), activation.textField()->y()) << "two rows would take half of the map's height";
    // The excerpt cannot be read, because the data set has another vocabulary than the checkpoint.
    ASSERT_TRUE(waitUntil([&] { return activation.view()->figure().emptyText.contains("vocabulary"); }));

    QTest::keyClicks(activation.textField(), "abca");
    QTest::keyClick(activation.textField(), Qt::Key_Return);
    ASSERT_TRUE(waitUntil([&] { return activation.view()->figure().map.has_value(); }));
    const Figure rows = activation.view()->figure();
    EXPECT_EQ(rows.name, "anatomy-activation");
    EXPECT_EQ(rows.y.categories, (QStringList{"a", "b", "c", "a"}));
    EXPECT_EQ(rows.map->rows, 4);
    EXPECT_EQ(rows.map->columns, 4);
    EXPECT_EQ(rows.map->values[4], 1) << "the channels of the second token";
    EXPECT_EQ(rows.map->scale, FigureMap::Scale::diverging);

    room->pick("attention.weights");
    EXPECT_EQ(activation.outputs()->count(), static_cast<int>(room->model().spec->layers * room->model().spec->heads));
    ASSERT_TRUE(waitUntil([&] {
        const Figure& figure = activation.view()->figure();
        return figure.map && figure.x.categories.size() == 4;
    }));
    activation.outputs()->setCurrentIndex(1);
    ASSERT_TRUE(waitUntil([&] {
        const Figure& figure = activation.view()->figure();
        return figure.map && figure.map->values[0] == 10;
    })) << "the second head";
    EXPECT_TRUE(activation.view()->figure().summary.contains("head 1"));

    room->editCopy("layers", "3");
    EXPECT_FALSE(activation.textField()->isEnabled());
    EXPECT_FALSE(activation.view()->figure().map);
}

// Titles of layers in one line made the text of all of the picture smaller.
TEST(AnatomyFigure, HasNoTextBelowSixPointsInAColumn) {
    for (const char* name : {"Qwen3-Next 80B A3B", "Gemma 3 4B", "gpt-oss 20B", "DeepSeek-V2"}) {
        const Figure figure = anatomyFigure({model_of_name(name)}, AnatomyView());
        ExportOptions paper;
        paper.format = FigureFormat::svg;
        paper.widthMm = 85;
        paper.heightMm = fittedHeightMm({&figure, 1}, paper);
        const QString page = QString::fromUtf8(figureBytes(figure, paper));
        static const QRegularExpression sizes("font-size=\"([0-9.]+)\"");
        for (const auto& size : sizes.globalMatch(page)) {
            EXPECT_GE(size.captured(1).toDouble(), 59) << name << ", tenths of a point";
        }
    }
}

// Models with two kinds of layers were 248 to 299 mm high.
TEST(AnatomyFigure, FitsOnAPage) {
    for (const char* name : {"Qwen3-Next 80B A3B", "Gemma 3 4B", "gpt-oss 20B", "DeepSeek-V2"}) {
        const Figure figure = anatomyFigure({model_of_name(name)}, AnatomyView());
        const FigurePreset& page = figurePreset("ieee-page");
        ExportOptions paper{.widthMm = page.widthMm, .heightMm = page.heightMm, .fontPt = page.fontPt};
        paper.heightMm = fittedHeightMm({&figure, 1}, paper);
        EXPECT_EQ(higherThanPage({&figure, 1}, paper), "") << name;
    }
}

TEST(ActivationFigure, LeavesOutHiddenKeys) {
    StageActivation activation;
    activation.place = {"attention.scores", 1};
    activation.tokens = {0, 1};
    activation.numbers = {{1, 2, 2}, {3, -std::numeric_limits<float>::infinity(), -4, 2}};
    const Figure figure = activationFigure(activation, "Attention scores", {"a", "b"}, 7);
    ASSERT_TRUE(figure.map);
    EXPECT_EQ(figure.map->values[0], 3);
    EXPECT_TRUE(std::isnan(figure.map->values[1]));
    EXPECT_TRUE(figure.summary.contains("layer 1, head 0")) << figure.summary.toStdString();
    EXPECT_TRUE(figure.summary.contains("from -4 to 3"));
    EXPECT_FALSE(isMatrixPerHead("attention.values"));
    activation.place.id = "attention.weights";
    activation.numbers.values = {1, 0, 0, 1};
    const Figure weights = activationFigure(activation, "Attention weights", {"a", "b"}, 0);
    EXPECT_TRUE(std::isnan(weights.map->values[1])) << "a masked key has no weight";
    EXPECT_EQ(weights.map->values[2], 0) << "and this key the weight 0";
}

TEST(WeightsFigure, AveragesNeighbouringWeights) {
    NamedTensor tensor{"w", {192, 2}, std::vector<float>(384)};
    for (std::size_t i = 0; i < tensor.values.size(); ++i) tensor.values[i] = static_cast<float>(i / 4);
    const Figure figure = weightsFigure(tensor, {});
    ASSERT_TRUE(figure.map);
    EXPECT_EQ(figure.map->rows, 96);
    EXPECT_EQ(figure.map->columns, 2);
    for (int row = 0; row < 96; ++row) EXPECT_EQ(figure.map->values[2 * row], static_cast<float>(row));
    EXPECT_EQ(weightsFigure(std::nullopt, "none").emptyText, "none");
}

TEST(WeightsFigure, MatricesOfExpertsAreBelowEachOther) {
    const NamedTensor tensor{"w", {2, 3, 4}, std::vector<float>(24, 1.0F)};
    const Figure figure = weightsFigure(tensor, {});
    ASSERT_TRUE(figure.map);
    EXPECT_EQ(figure.map->rows, 6);
    EXPECT_EQ(figure.map->columns, 4);
}

TEST(StageFormula, ReadsIndicesAndExponents) {
    EXPECT_EQ(stageFormula("A = softmax(S)").unicode(), "A = softmax(S)");
    EXPECT_EQ(stageFormula("x_{ij}^2").latex(),
              Formula::superscript(Formula::subscript(Formula::symbol("x"), Formula::row({Formula::text("ij")})),
                                   Formula::text("2"))
                  .latex());
}

}  // namespace
}  // namespace ropelab::ui
