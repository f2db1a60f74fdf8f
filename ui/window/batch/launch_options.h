#pragma once

#include <QJsonObject>
#include <QSize>
#include <QString>
#include <QStringList>
#include <filesystem>
#include <optional>

#include "core/rope/rotary_setup.h"
#include "ui/figure/export/export.h"
#include "ui/lecture/documents/document_job.h"
#include "ui/rooms/inspect/replay_job.h"
#include "ui/rooms/rotation/animation_job.h"

namespace ropelab::ui {

struct LaunchOptions {
    /// `window` opens the main window; `startup` measures how long that takes.
    enum class Mode {
        window,
        screenshot,
        startup,
        headless,
        figure,
        replay,
        animate,
        document,
        verify,
        version,
        help
    } mode = Mode::window;

    QString lab;  // path of the lab to open, or ""
    std::filesystem::path dataDir;
    QString room;       // id of the room to show; "" for the first
    QString part;       // id of the part of the room to show, or ""
    QString lecture;    // lecture to present: a file, or the name of one that belongs to the program; "" for none
    QString scene;      // scene of the lecture to show, by its number or name; "" for the first page
    int sceneStep = 0;  // step of that scene, from 1; 0: before the first one
    std::optional<RotarySetup> setup;
    std::optional<RotarySetup> otherSetup;  // setup B, compared with `setup`
    // Options of --screenshot.
    QString screenshot;
    QSize size{1280, 720};
    std::optional<Appearance> theme;
    int scale = 100;
    double after = 0;  // seconds of training before the screenshot is taken; 0: no training
    // Options of --headless and --figure.
    QString preset;               // name of a preset; "" for the default
    QString output;               // output folder of --headless, or output file of --figure
    QStringList figures;          // names of figures, for example "validation-loss"; several are panels of one page
    QJsonObject figureFlags;      // FigureOrigin::flags of all figures together, without "figure"
    bool showsCaption = false;    // print the captions of the figures
    bool isHeightChosen = false;  // false: a figure is as high as it needs
    bool isForPage = false;       // a publisher's size: a figure is not higher than its page
    ExportOptions figureOptions;
    bool writesEach = false;  // true: --output is a folder, and each figure a PDF and an SVG file in it
    bool isSound = false;     // true: --output is the sound of the figure, a WAV file
    QString verified;         // the figure file that --verify checks
    ReplayJob replay;
    AnimationJob animation;
    LectureDocumentJob document;  // of --document
    bool asJson = false;  // true: --figure, --replay, --animate, --document and --verify print their results as JSON
    QString helpText;
};

/// The first argument is the program. "--figures" as the second one begins the command line of ropelab-cli figure:
/// names of figures and their options. Throws BadInput with one sentence if an option is invalid or contradicts others.
LaunchOptions parseLaunchOptions(const QStringList& arguments);

}  // namespace ropelab::ui
