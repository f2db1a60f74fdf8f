#pragma once

#include <QSize>
#include <QString>
#include <QStringList>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "core/rope/rotary_setup.h"
#include "core/stats/results_table.h"
#include "ui/figure/export.h"
#include "ui/inspect/replay_job.h"

namespace ropelab::ui {

/// What the command line of `ropelab` asks for.
struct LaunchOptions {
    enum class Mode { window, screenshot, startup, headless, figure, replay, version, help } mode = Mode::window;

    QString lab;  // a lab to open, or ""
    std::filesystem::path dataDir;
    QString room;  // "" for the first
    QString part;  // of the room, or ""
    std::optional<RotarySetup> setup;
    // Screenshot
    QString screenshot;
    QSize size{1280, 720};
    std::optional<Appearance> theme;
    int scale = 100;
    double after = 0;  // seconds of the sweep before the picture is taken; 0 starts none
    // Headless, figure
    QString preset;  // "" for the default
    QString output;
    QString figure;  // "validation-loss" …
    QString unit;    // of losses: "nats" or "bits"
    // Of a figure of the Inspect room: 0 and −1 as InspectMoment has them.
    std::int64_t run = 0;
    std::int64_t beside = 0;
    std::int64_t step = -1;
    QString text;  // that attention figures read; "" for the snapshot's own
    int pair = 0;  // that pair-logits is of
    // Of a figure of the Results room.
    std::map<std::string, std::string> baseline;  // as ResultsOptions has it
    std::string compare;                          // "" for the losses in `unit`
    TestKind test = TestKind::welch;              // that intervals and verdicts follow
    ExportOptions figureOptions;
    ReplayJob replay;
    bool asJson = false;  // what a figure or replay says that it wrote
    QString helpText;
};

/// The figures of a lab that --figure knows; those of a rotary setup are rotaryFigures().
QStringList labFigureNames();

/// Reads the command line, the program's name first. Throws BadInput, one sentence, for what cannot be met.
LaunchOptions parseLaunchOptions(const QStringList& arguments);

}  // namespace ropelab::ui
