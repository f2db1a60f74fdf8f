// Tests of dropping runs of other programs on the window.
#include <gtest/gtest.h>

#include <QAbstractItemModel>
#include <QApplication>
#include <QDialog>
#include <QDialogButtonBox>
#include <QDir>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QHeaderView>
#include <QMimeData>
#include <QPushButton>
#include <QTableView>
#include <QUrl>
#include <fstream>

#include "tests/ui/support/window_fixture.h"
#include "ui/window/controllers/run_import.h"

namespace ropelab::ui {
namespace {

using namespace Qt::StringLiterals;

class RunImportTest : public WindowFixture {
 protected:
    void write(const QString& name, const std::string& text) {
        const QString path = folder.filePath(name);
        QDir().mkpath(QFileInfo(path).absolutePath());
        std::ofstream(path.toStdString()) << text;
    }
    /// Whether the window accepts it.
    bool drop(const QStringList& names) {
        QMimeData data;
        QList<QUrl> urls;
        for (const QString& name : names) urls << QUrl::fromLocalFile(folder.filePath(name));
        data.setUrls(urls);
        QDragEnterEvent enter(QPoint(200, 200), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        enter.ignore();
        QApplication::sendEvent(window.get(), &enter);
        if (!enter.isAccepted()) return false;
        QDropEvent event(QPointF(200, 200), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(window.get(), &event);
        return true;
    }
    QDialog* question() {
        QDialog* found = nullptr;
        waitUntil([&] { return (found = window->findChild<QDialog*>(u"import"_s)) != nullptr && found->isVisible(); });
        return found;
    }
    void answer(QDialogButtonBox::ButtonRole role) {
        auto* buttons = question()->findChild<QDialogButtonBox*>();
        for (QAbstractButton* button : buttons->buttons()) {
            if (buttons->buttonRole(button) == role) return button->click();
        }
    }
};

TEST_F(RunImportTest, ADroppedFolderIsShownAndThenImported) {
    for (const char* kind : {"base", "wide"}) {
        for (const char* seed : {"1", "2"}) {
            write(u"runs/%1-seed%2/metrics.csv"_s.arg(QLatin1String(kind), QLatin1String(seed)),
                  "step,train_loss,val_loss\n0,4,4\n10,3,3." + std::string(seed) + "\n");
        }
    }
    auto& workspace = window->workspace();
    const std::size_t before = workspace.runs().runs().size();
    ASSERT_TRUE(drop({u"runs"_s}));
    ASSERT_NE(question(), nullptr);
    const auto* table = question()->findChild<QTableView*>();
    ASSERT_EQ(table->model()->rowCount(), 4);
    EXPECT_TRUE(table->verticalHeader()->isHidden()) << "numbers of rows would look like those of runs";
    EXPECT_EQ(table->model()->index(0, 0).data().toString(), u"base-seed1"_s);
    EXPECT_EQ(table->model()->index(0, 6).data().toString(), u"setting=base"_s);
    answer(QDialogButtonBox::RejectRole);
    EXPECT_EQ(workspace.runs().runs().size(), before);

    QApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    ASSERT_TRUE(drop({u"runs"_s}));
    answer(QDialogButtonBox::AcceptRole);
    ASSERT_TRUE(waitUntil([&] { return workspace.runs().runs().size() >= 4; }));
    const std::vector<RunView>& runs = workspace.runs().runs();
    EXPECT_EQ(runs[0].setting, runs[1].setting);
    EXPECT_NE(runs[0].setting, runs[2].setting);  // although both have no setting that RoPE Lab knows
    EXPECT_EQ(runs[0].evaluations.validation_loss.size(), 2U);
}

TEST_F(RunImportTest, OnlySelectedRunsAreImported) {
    for (const char* seed : {"1", "2", "3"}) {
        write(u"runs/base-seed%1/metrics.csv"_s.arg(QLatin1String(seed)), "step,val_loss\n0,4\n10,3\n");
    }
    ASSERT_TRUE(drop({u"runs"_s}));
    ASSERT_NE(question(), nullptr);
    auto* table = question()->findChild<QTableView*>();
    const QAbstractButton* accept = nullptr;
    for (const auto* each : question()->findChildren<QAbstractButton*>()) {
        if (each->text().startsWith(u"Import"_s)) accept = each;
    }
    ASSERT_NE(accept, nullptr);
    EXPECT_EQ(accept->text(), u"Import 3 runs"_s);
    table->clearSelection();
    EXPECT_FALSE(accept->isEnabled());
    table->selectRow(1);
    EXPECT_EQ(accept->text(), u"Import 1 run"_s);
    answer(QDialogButtonBox::AcceptRole);
    auto& workspace = window->workspace();
    ASSERT_TRUE(waitUntil([&] {
        const auto& runs = workspace.runs().runs();
        return runs.size() == 1 && runs[0].record.name.find("base-seed2") != std::string::npos;
    }));
}

TEST_F(RunImportTest, OtherFilesAreOpenedAsBefore) {
    write(u"notes.txt"_s, "no runs");
    write(u"a.csv"_s, "name,value\n1,2\n");
    EXPECT_FALSE(drop({u"notes.txt"_s}));
    EXPECT_FALSE(drop({u"a.csv"_s}));
    EXPECT_FALSE(RunImport::accepts(file("notes.txt")));
    write(u"trainer_state.json"_s, R"({"log_history": [{"step": 1, "loss": 2.0}]})");
    EXPECT_TRUE(drop({u"trainer_state.json"_s}));
    ASSERT_NE(question(), nullptr);
    answer(QDialogButtonBox::RejectRole);
}

}  // namespace
}  // namespace ropelab::ui
