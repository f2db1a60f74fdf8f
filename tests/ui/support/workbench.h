#pragma once

#include <gtest/gtest.h>

#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <functional>
#include <memory>

#include "core/experiment/experiment.h"
#include "tests/ui/support/fake_engine.h"
#include "ui/session/workspace.h"
#include "ui/theme/theme_manager.h"

namespace ropelab::ui {

/// Fixture with a temporary folder for settings, labs and a text file, and with an engine that needs no LibTorch.
class Workbench : public ::testing::Test {
 protected:
    void SetUp() override {
        ASSERT_TRUE(folder.isValid());
        ThemeManager::instance().apply();
        QFile text(textFile());
        ASSERT_TRUE(text.open(QIODevice::WriteOnly));
        for (int i = 0; i < 400; ++i) text.write("the quick brown fox jumps over the lazy dog\n");
    }

    QString file(const char* name) const { return folder.filePath(QString::fromLatin1(name)); }
    QString textFile() const { return file("text.txt"); }
    WorkspaceOptions options() {
        return {.settingsFile = file("settings.ini"),
                .labsFolder = file("labs"),
                .dataDir = {},
                .engine = [this]() -> Engine& { return engine; }};
    }

    /// Returns an experiment with two runs of `iterations` steps on the text file.
    Experiment smallSweep(int iterations = 200) const {
        Experiment experiment("small");
        experiment.set("data", {textFile().toStdString()});
        experiment.set("theta", {"100", "10000"});
        experiment.set("context", {"32"});
        experiment.set("iterations", {std::to_string(iterations)});
        experiment.set("evaluate_every", {"20"});
        experiment.set("warmup", {"0"});
        return experiment;
    }

    /// Runs the event loop until `condition` is true; returns false after the timeout.
    static bool waitUntil(const std::function<bool()>& condition, int milliseconds = 30000) {
        return QTest::qWaitFor(condition, milliseconds);
    }
    /// Runs the event loop until the sweep has ended; returns false after a timeout.
    static bool waitForEnd(Workspace& workspace) {
        return waitUntil([&] { return !workspace.session().isActive(); });
    }

    QTemporaryDir folder;
    testing::FakeEngine engine;
};

}  // namespace ropelab::ui
