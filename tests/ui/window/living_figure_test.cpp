// Tests of figures that know what they were made from: verifying them and dropping them on the window.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QApplication>
#include <QClipboard>
#include <QDir>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QFile>
#include <QFileInfo>
#include <QImage>
#include <QJsonArray>
#include <QMimeData>
#include <QUrl>
#include <cmath>
#include <limits>

#include "core/base/error.h"
#include "core/results/run_selection.h"
#include "tests/ui/support/answered_dialogs.h"
#include "tests/ui/support/window_fixture.h"
#include "ui/figure/export/export.h"
#include "ui/figure/export/figure_record.h"
#include "ui/figure/figure_caption.h"
#include "ui/rooms/results/results_picture.h"
#include "ui/rooms/train/train_room.h"
#include "ui/session/lab_origin.h"
#include "ui/shell/room.h"
#include "ui/window/batch/batch_modes.h"
#include "ui/window/batch/verify_figure.h"
#include "ui/window/frame/figures.h"

namespace ropelab::ui {
namespace {

class LivingFigures : public WindowFixture {
 protected:
    static LaunchOptions parse(const QStringList& flags) { return parseLaunchOptions(QStringList("ropelab") + flags); }
    static int verify(const QStringList& flags) { return verifyFigure(parse(flags)); }

    /// Trains two runs in the window and saves their lab.
    QString trainedLab() {
        engine.step_microseconds = 0;
        Workspace& workspace = window->workspace();
        workspace.experiment().replace(smallSweep(40));
        workspace.start();
        EXPECT_TRUE(waitForEnd(workspace));
        const QString path = file("trained.ropelab");
        workspace.saveLabAs(path);
        EXPECT_TRUE(waitUntil([&] { return workspace.lab().path() == path; }));
        return path;
    }

    /// Drops a file on the window.
    void drop(const QString& path) {
        QMimeData data;
        data.setUrls({QUrl::fromLocalFile(path)});
        QDragEnterEvent enter(QPoint(200, 200), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(window.get(), &enter);
        ASSERT_TRUE(enter.isAccepted());
        QDropEvent event(QPointF(200, 200), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(window.get(), &event);
    }
};

TEST_F(LivingFigures, HigherThanAPageNeedAWiderSizeOrAHeight) {
    const QStringList tall = {"--figure", "anatomy", "--model", "Gemma 3 4B", "--output", file("anatomy.svg")};
    try {
        writeFigure(parse(tall + QStringList{"--size-for", "icml-column"}));
        FAIL();
    } catch (const BadInput& problem) {
        EXPECT_TRUE(QString(problem.what()).contains("mm of height at a width of 82.5 mm, but a page has 228 mm"))
            << problem.what();
    }
    EXPECT_EQ(writeFigure(parse(tall + QStringList{"--size-for", "icml-column", "--height-mm", "320"})), 0);
    EXPECT_EQ(writeFigure(parse(tall + QStringList{"--size-for", "ieee-page"})), 0);
}

TEST_F(LivingFigures, OfARotarySetupAreVerifiedInEveryFormat) {
    for (const char* name : {"spectrum.pdf", "spectrum.svg", "spectrum.png"}) {
        ASSERT_EQ(
            writeFigure(parse({"--figure", "spectrum", "--setup", "theta=500k head_dim=32", "--output", file(name)})),
            0);
        EXPECT_EQ(verify({"--verify", file(name)}), 0) << name;
        EXPECT_EQ(verify({"--verify", file(name), "--json"}), 0) << name;
    }
}

TEST_F(LivingFigures, EveryRotaryFigureIsComputedAgainEqually) {
    for (const RotaryFigure& figure : rotaryFigures()) {
        const QString path = file("figure.svg");
        ASSERT_EQ(writeFigure(parse({"--figure", figure.name, "--setup", "head_dim=16 context=128", "--output", path})),
                  0);
        EXPECT_EQ(verify({"--verify", path}), 0) << figure.name;
    }
}

TEST_F(LivingFigures, EveryFigureOfTwoSetupsIsComputedAgainEqually) {
    const QString setups = "theta=100 head_dim=16 context=128 | theta=5k head_dim=16 context=128";
    for (const RotaryFigure& figure : rotaryFigures()) {
        const QString path = file("figure.svg");
        ASSERT_EQ(writeFigure(parse({"--figure", figure.name, "--setup", setups, "--output", path})), 0);
        const QString text = readFigureFile(path).front().origin.flags["setup"].toString();
        EXPECT_TRUE(text.contains("| B: theta=5k")) << figure.name << ": " << text.toStdString();
        EXPECT_EQ(verify({"--verify", path}), 0) << figure.name;
    }
}

TEST_F(LivingFigures, DroppedFigureOfTwoSetupsOpensBoth) {
    const QString path = file("both.svg");
    ASSERT_EQ(writeFigure(parse({"--figure", "spectrum", "--setup", "theta=777 | theta=888", "--output", path})), 0);
    drop(path);
    EXPECT_DOUBLE_EQ(window->workspace().rotary().setup().theta, 777);
    ASSERT_TRUE(window->workspace().rotary().other());
    EXPECT_DOUBLE_EQ(window->workspace().rotary().other()->setup.theta, 888);
}

TEST_F(LivingFigures, DifferenceInTheSecondPanelIsFound) {
    Figure figure = makeFigures(parse({"--figure", "spectrum", "--setup", "head_dim=16", "--output", "a.svg"})).front();
    figure.table = {};
    Figure both;
    both.panels = {figure, figure};
    FigureRecord record;
    record.data = figureCsv(both);
    EXPECT_TRUE(figureDifferences(record, both).isEmpty());
    both.panels[1].curves[0].y[2] *= 1.5;
    const QStringList differences = figureDifferences(record, both);
    ASSERT_EQ(differences.size(), 1);
    EXPECT_TRUE(differences[0].startsWith("Table 2, ")) << differences[0].toStdString();
}

TEST_F(LivingFigures, OfChosenRunsAreVerified) {
    const QString lab = trainedLab();
    const RunId last = window->workspace().runs().runs().back().record.id;
    const QString path = file("chosen.svg");
    ASSERT_EQ(writeFigure(parse(
                  {"--figure", "group-means", "--lab", lab, "--exclude-run", QString::number(last), "--output", path})),
              0);
    EXPECT_EQ(readFigureFile(path).front().origin.flags["exclude-run"].toArray().size(), 1);
    EXPECT_EQ(verify({"--verify", path}), 0);
}

TEST_F(LivingFigures, ShowTheRunsOfTheTableAndStayVerified) {
    const QString lab = trainedLab();
    const RunId last = window->workspace().runs().runs().back().record.id;
    RunSelection selection;
    selection.excluded = {last};
    ASSERT_TRUE(window->workspace().lab().storeChoice(selection_choice, to_text(selection)));
    const QString path = file("stored.svg");
    ASSERT_EQ(writeFigure(parse({"--figure", "group-means", "--lab", lab, "--output", path})), 0);
    EXPECT_EQ(readFigureFile(path).front().origin.flags["exclude-run"].toArray(), QJsonArray{QString::number(last)});
    ASSERT_EQ(writeFigure(parse({"--figure", "validation-loss", "--lab", lab, "--output", file("curves.svg")})), 0);
    const QString shown = readFigureFile(file("curves.svg")).front().origin.flags["runs"].toString();
    EXPECT_FALSE(shown.split(",").contains(QString::number(last))) << shown.toStdString();
    ASSERT_TRUE(window->workspace().lab().storeChoice(selection_choice, to_text(RunSelection())));
    EXPECT_EQ(verify({"--verify", path}), 0) << "the figure stores its own choice of runs";
}

TEST_F(LivingFigures, CaptionsNameThePrecisionThatWasUsed) {
    const QString lab = trainedLab();
    const QString path = file("figure.svg");
    ASSERT_EQ(writeFigure(parse({"--figure", "validation-loss", "--lab", lab, "--output", path})), 0);
    const QString caption = readFigureFile(path).front().caption;
    EXPECT_TRUE(caption.contains("Precision: float32.")) << caption.toStdString();
    EXPECT_FALSE(caption.contains("precision = ")) << caption.toStdString();
}

TEST_F(LivingFigures, OfALabAreVerifiedAndFindTheirLab) {
    const QString lab = trainedLab();
    for (const char* figure : {"validation-loss", "learning-rate", "loss-by-theta", "group-means"}) {
        const QString path = file("figure.pdf");
        ASSERT_EQ(writeFigure(parse({"--figure", figure, "--lab", lab, "--output", path})), 0);
        EXPECT_EQ(verify({"--verify", path}), 0) << figure;
        EXPECT_EQ(verify({"--verify", path, "--lab", lab}), 0) << figure;
    }
    // A lab beside the figure is found, too.
    ASSERT_TRUE(QDir(folder.path()).mkpath("moved"));
    window->workspace().newLab();
    ASSERT_TRUE(QFile::rename(lab, file("moved/trained.ropelab")));
    EXPECT_THROW(verify({"--verify", file("figure.pdf")}), BadInput);
    ASSERT_TRUE(QFile::copy(file("figure.pdf"), file("moved/figure.pdf")));
    EXPECT_EQ(verify({"--verify", file("moved/figure.pdf")}), 0);
}

TEST_F(LivingFigures, StagesOfARunAreVerifiedWithoutItsLab) {
    const QString lab = trainedLab();
    const QString path = file("stages.svg");
    ASSERT_EQ(writeFigure(parse({"--figure", "anatomy", "--lab", lab, "--run", "2", "--output", path})), 0);
    EXPECT_TRUE(readFigureFile(path).front().summary.startsWith("run 2: "));
    EXPECT_EQ(verify({"--verify", path}), 0);
    window->showRoom("anatomy");
    ExportOptions options;
    options.format = FigureFormat::svg;
    for (const char* part : {"stages", "traditional-modern"}) {
        window->room().showPart(part);
        window->room().refreshNow();
        exportFigure(window->room().exportedFigures().front(), options, path);
        EXPECT_EQ(verify({"--verify", path}), 0) << part;
    }
}

TEST_F(LivingFigures, AnotherLabIsRejected) {
    const QString lab = trainedLab();
    ASSERT_EQ(writeFigure(parse({"--figure", "learning-rate", "--lab", lab, "--output", file("figure.svg")})), 0);
    const QString other = file("other.ropelab");
    LabFile::create(other.toStdString());
    EXPECT_THROW(verify({"--verify", file("figure.svg"), "--lab", other}), BadInput);
}

TEST_F(LivingFigures, EditedDataDiffer) {
    const QString path = file("figure.svg");
    ASSERT_EQ(writeFigure(parse({"--figure", "spectrum", "--setup", "head_dim=16", "--output", path})), 0);
    QFile svg(path);
    ASSERT_TRUE(svg.open(QIODevice::ReadWrite));
    QByteArray bytes = svg.readAll();
    const qsizetype data = bytes.indexOf("\n1,", bytes.indexOf("<data"));
    ASSERT_GT(data, 0);
    bytes.insert(data + 3, "9");
    svg.resize(0);
    svg.seek(0);
    svg.write(bytes);
    svg.close();
    ::testing::internal::CaptureStdout();
    EXPECT_EQ(verify({"--verify", path}), 1);
    EXPECT_THAT(::testing::internal::GetCapturedStdout(),
                ::testing::HasSubstr("spectrum: differs\n  The figure was edited after its export"));
}

TEST_F(LivingFigures, DifferencesNameColumnsRowsAndSettings) {
    Figure figure = makeFigures(parse({"--figure", "spectrum", "--setup", "head_dim=16", "--output", "a.svg"})).front();
    FigureRecord record;
    record.settings = figure.settings;
    record.data = figureCsv(figure);
    EXPECT_TRUE(figureDifferences(record, figure).isEmpty());
    Figure other = figure;
    other.settings["setup"] = "theta=1";
    ASSERT_FALSE(other.curves.empty());
    other.table = {};
    figure.table = {};
    record.data = figureCsv(figure);
    other.curves[0].y[2] *= 1.5;
    const QStringList differences = figureDifferences(record, other);
    ASSERT_EQ(differences.size(), 2);
    EXPECT_TRUE(differences[0].startsWith("Setting setup:")) << differences[0].toStdString();
    EXPECT_TRUE(differences[1].contains("differ, most in row")) << differences[1].toStdString();
}

// Earlier versions drew the intervals of differences and wrote those of the means only.
TEST_F(LivingFigures, EarlierDataWithoutBarsDoNotDiffer) {
    Figure figure = makeFigures(parse({"--figure", "spectrum", "--setup", "head_dim=16", "--output", "a.svg"})).front();
    ASSERT_FALSE(figure.table.names.isEmpty());
    FigureRecord record;
    record.settings = figure.settings;
    record.data = figureCsv(figure);
    Figure now = figure;
    addBars(now.table, QStringLiteral("95 % interval of the difference"), figure.table.columns[0],
            figure.table.columns[0]);
    EXPECT_EQ(figureDifferences(record, now), QStringList());
    record.data = figureCsv(now);
    now.table.columns.last()[0] += 1;
    EXPECT_EQ(figureDifferences(record, now).size(), 1) << "its bars are compared";
    EXPECT_EQ(figureDifferences(record, figure).size(), 2);
    now.table.names.last() = QStringLiteral("another quantity");
    EXPECT_EQ(figureDifferences(record, now).size(), 2) << "other columns too";
}

TEST_F(LivingFigures, EarlierNamesOfSettingsDoNotDiffer) {
    const Figure figure = makeFigures(parse({"--figure", "position-reading", "--output", "a.svg"})).front();
    FigureRecord record;
    record.settings = figure.settings;
    record.settings["accuracy"] = record.settings.take("error");
    record.data = figureCsv(figure);
    EXPECT_EQ(figureDifferences(record, figure), QStringList());
    record.settings["accuracy"] = 20;
    EXPECT_EQ(figureDifferences(record, figure).size(), 1);
}

TEST_F(LivingFigures, EarlierNamesOfColumnsDoNotDiffer) {
    const auto recordOf = [](const QStringList& names) {
        Figure figure;
        figure.table = FigureTable::of(names);
        figure.table.addRow({1, 2});
        FigureRecord record;
        record.data = figureCsv(figure);
        return std::pair(record, figure);
    };
    const auto [earlier, before] = recordOf({"θ 209.758k", "θ 10k, 25 % (nats)"});
    const auto [record, now] = recordOf({"θ 209,758", "θ 10k, 25 %"});
    EXPECT_EQ(figureDifferences(earlier, now), QStringList());
    EXPECT_EQ(figureDifferences(earlier, recordOf({"θ 209,759", "θ 10k, 25 %"}).second).size(), 2);
    EXPECT_EQ(figureDifferences(recordOf({"loss (bits)", "2"}).first, recordOf({"loss", "0,2"}).second).size(), 2)
        << "a list is no number with thousands";
}

TEST_F(LivingFigures, ValuesThatAreNotFiniteHideNoOthers) {
    Figure figure = makeFigures(parse({"--figure", "spectrum", "--setup", "head_dim=16", "--output", "a.svg"})).front();
    figure.table = {};
    FigureRecord record;
    record.settings = figure.settings;
    for (const double wrong : {std::numeric_limits<double>::infinity(), std::nan("")}) {
        Figure doctored = figure;
        doctored.curves[0].y[0] = wrong;
        doctored.curves[0].y[2] = 12345;
        record.data = figureCsv(doctored);
        const QStringList differences = figureDifferences(record, figure);
        ASSERT_EQ(differences.size(), 1) << wrong;
        EXPECT_TRUE(differences[0].contains(": 2 of ")) << differences[0].toStdString();
    }
}

TEST_F(LivingFigures, FilesWithoutARecordAreRejected) {
    EXPECT_THROW(verify({"--verify", textFile()}), BadInput);
    EXPECT_THROW(verify({"--verify", file("missing.png")}), BadInput);
}

TEST_F(LivingFigures, DroppedFigureOfASetupOpensTheSetupAndItsRoom) {
    const QString path = file("bound.png");
    ASSERT_EQ(writeFigure(parse({"--figure", "context-bound", "--setup", "theta=77777 head_dim=32", "--output", path})),
              0);
    drop(path);
    EXPECT_DOUBLE_EQ(window->workspace().rotary().setup().theta, 77777);
    EXPECT_EQ(window->room().objectName(), "context");
    window->workspace().rotaryUndo().undo();
    EXPECT_NE(window->workspace().rotary().setup().theta, 77777);
}

TEST_F(LivingFigures, DroppedFigureOfALabOpensTheLabAndAsksWhereItIs) {
    const QString lab = trainedLab();
    const QString path = file("theta.pdf");
    ASSERT_EQ(writeFigure(parse({"--figure", "loss-by-theta", "--lab", lab, "--output", path})), 0);
    window->workspace().newLab();
    AnsweredDialogs answers;
    answers.path = file("elsewhere.ropelab");
    drop(path);
    EXPECT_EQ(QFileInfo(window->workspace().lab().path()), QFileInfo(lab));
    EXPECT_EQ(window->room().objectName(), "results");
    EXPECT_EQ(answers.questions.size(), 0);

    window->workspace().newLab();
    ASSERT_TRUE(QFile::rename(lab, file("elsewhere.ropelab")));
    drop(path);
    ASSERT_EQ(answers.questions.size(), 1);
    EXPECT_EQ(QFileInfo(answers.questions[0].path), QFileInfo(lab));
    EXPECT_EQ(QFileInfo(window->workspace().lab().path()), QFileInfo(file("elsewhere.ropelab")));
    drop(path);
    EXPECT_EQ(answers.questions.size(), 1) << "the lab that is open now is the one";
}

TEST_F(LivingFigures, DroppedFigureOfTwoQuantitiesShowsBoth) {
    trainedLab();
    window->showRoom("train");
    window->room().setControl("quantity", "losses");
    window->room().refreshNow();
    ExportOptions options;
    options.format = FigureFormat::svg;
    exportFigure(window->room().exportedFigure(), options, file("losses.svg"));
    window->room().setControl("quantity", "learning_rate");
    drop(file("losses.svg"));
    EXPECT_EQ(window->room().control("quantity").toString(), "losses");
}

TEST_F(LivingFigures, DroppedPictureWithoutARecordShowsAReason) {
    QImage picture(20, 20, QImage::Format_RGB32);
    picture.fill(Qt::white);
    ASSERT_TRUE(picture.save(file("photo.png")));
    drop(file("photo.png"));
    ASSERT_EQ(window->banners().texts().size(), 1);
    EXPECT_TRUE(window->banners().texts().first().contains("contains no record of how RoPE Lab made the figure"));
}

TEST_F(LivingFigures, ExportedFigureOfTheWindowIsVerified) {
    trainedLab();
    window->showRoom("results", "loss-by-theta");
    window->room().refreshNow();
    const QString path = file("window.svg");
    ExportOptions options;
    options.format = FigureFormat::svg;
    exportFigure(window->room().exportedFigure(), options, path);
    EXPECT_EQ(verify({"--verify", path}), 0);
    window->showRoom("train");
    window->room().refreshNow();
    exportFigure(window->room().exportedFigure(), options, path);
    EXPECT_EQ(verify({"--verify", path}), 0);
}

TEST_F(LivingFigures, ChoicesOfTheWindowWithoutAFlagAreVerified) {
    trainedLab();
    ExportOptions options;
    options.format = FigureFormat::svg;
    const QString path = file("window.svg");
    const auto exported = [&] {
        window->room().refreshNow();
        exportFigure(window->room().exportedFigure(), options, path);
        return readFigureFile(path).front();
    };
    window->workspace().settings().setValue("train/smoothing", 90);
    window->workspace().settings().setValue("train/logarithmic", true);
    TrainRoom room(window->workspace(), window->workspace().runAccess(), window->workspace().experiment(),
                   window->workspace().settings());
    room.showQuantity("losses");  // two quantities, smoothed, on a logarithmic axis
    room.refreshNow();
    exportFigure(room.exportedFigure(), options, path);
    const FigureRecord curves = readFigureFile(path).front();
    EXPECT_TRUE(curves.settings["view"].toObject()["logarithmic"].toBool());
    EXPECT_DOUBLE_EQ(curves.settings["view"].toObject()["smoothing"].toDouble(), 0.9);
    EXPECT_FALSE(curves.isEdited);
    EXPECT_EQ(verify({"--verify", path}), 0);
    FigureRecord earlier = curves;  // of a version that smoothed by an average and did not say so
    earlier.origin.view.remove("smoother");
    const Figure averages = recomputedFigure(earlier, window->workspace().lab().path(), {});
    EXPECT_FALSE(averages.settings["view"].toObject().contains("smoother"));
    EXPECT_TRUE(averages.note.contains("exponential moving average"));
    EXPECT_NE(averages.curves.back().y, room.exportedFigure().curves.back().y);

    window->showRoom("results", "spikes");
    window->room().refreshNow();
    ASSERT_TRUE(waitUntil([&] { return !window->room().isBusy(); }));
    EXPECT_TRUE(exported().origin.view.contains("picked"));
    EXPECT_EQ(verify({"--verify", path}), 0);
}

TEST_F(LivingFigures, EditedChoicesOfTheWindowAreRefused) {
    Figure figure = makeFigures(parse({"--figure", "spectrum", "--setup", "head_dim=16", "--output", "a.svg"})).front();
    figure.origin.view = {{"picked", 1}};
    ExportOptions options;
    options.format = FigureFormat::svg;
    const QString path = file("figure.svg");
    exportFigure(figure, options, path);
    EXPECT_FALSE(readFigureFile(path).front().isEdited);
    QFile svg(path);
    ASSERT_TRUE(svg.open(QIODevice::ReadWrite));
    QByteArray bytes = svg.readAll();
    ASSERT_TRUE(bytes.contains("\"picked\":1"));
    bytes.replace("\"picked\":1", "\"picked\":2");
    svg.seek(0);
    svg.write(bytes);
    svg.close();
    EXPECT_TRUE(readFigureFile(path).front().isEdited);
}

TEST_F(LivingFigures, CaptionOfARoomIsCopied) {
    window->showRoom("context", "bound");
    window->room().refreshNow();
    window->actions().action("figure.caption")->trigger();
    EXPECT_EQ(QApplication::clipboard()->text(), captionOf(window->room().exportedFigure()));
    EXPECT_TRUE(QApplication::clipboard()->text().contains("Setup: theta="));
}

TEST_F(LivingFigures, RoomWithSeveralViewsIsAPageOfPanels) {
    window->showRoom("spectrum");
    window->room().refreshNow();
    EXPECT_GE(window->room().exportedFigures().size(), 2U);
    for (const Figure& figure : window->room().exportedFigures()) {
        EXPECT_FALSE(figure.origin.flags.isEmpty()) << figure.name.toStdString();
    }
}

TEST_F(LivingFigures, EveryFigureHasARoom) {
    for (const FigureEntry& entry : figureEntries()) {
        if (entry.name == QLatin1String("model-map")) continue;  // has a window of its own
        ASSERT_FALSE(entry.room.isEmpty()) << entry.name.toStdString();
        EXPECT_NO_THROW(window->showRoom(entry.room, entry.part)) << entry.name.toStdString();
    }
}

TEST_F(LivingFigures, PageOfTheCommandLineHasPanels) {
    const QString path = file("page.pdf");
    ASSERT_EQ(writeFigure(parse({"--figure", "spectrum", "--figure", "context-bound", "--figure", "rope-cache",
                                 "--setup", "head_dim=16 context=128", "--size-for", "nature-page", "--output", path})),
              0);
    const auto records = readFigureFile(path);
    ASSERT_EQ(records.size(), 3U);
    EXPECT_EQ(records[1].letter, "b");
    EXPECT_EQ(records[1].figure, "context-bound");
    EXPECT_EQ(verify({"--verify", path}), 0);
    EXPECT_THROW(
        writeFigure(parse({"--figure", "spectrum", "--figure", "context-bound", "--output", file("page.csv")})),
        BadInput);
}

TEST_F(LivingFigures, PresetsSetTheSizeUnlessAFlagDoes) {
    const LaunchOptions column = parse({"--figure", "spectrum", "--size-for", "ieee-column", "--output", "a.pdf"});
    EXPECT_DOUBLE_EQ(column.figureOptions.widthMm, 88.9);
    EXPECT_DOUBLE_EQ(column.figureOptions.fontPt, 8);
    const LaunchOptions wide =
        parse({"--figure", "spectrum", "--size-for", "ieee-column", "--width-mm", "100", "--output", "a.pdf"});
    EXPECT_DOUBLE_EQ(wide.figureOptions.widthMm, 100);
    EXPECT_THROW(parse({"--figure", "spectrum", "--size-for", "poster", "--output", "a.pdf"}), BadInput);
    EXPECT_EQ(parse({"--figure", "spectrum", "--output", "a.tex"}).figureOptions.format, FigureFormat::pgfplots);
    EXPECT_TRUE(parse({"--figure", "spectrum", "--outlines", "--output", "a.svg"}).figureOptions.outlines);
}

}  // namespace
}  // namespace ropelab::ui
