#pragma once

#include <QJsonObject>
#include <QSize>
#include <QString>
#include <QStringList>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/results/results_table.h"
#include "core/results/run_selection.h"
#include "core/rope/context.h"
#include "core/rope/rotary_setup.h"
#include "ui/figure/export.h"
#include "ui/lecture/document_job.h"
#include "ui/rooms/inspect/replay_job.h"
#include "ui/rooms/rotation/animation_job.h"
#include "ui/rooms/spectrum/encoding_panels.h"

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
    QString preset;       // name of a preset; "" for the default
    QString output;       // output folder of --headless, or output file of --figure
    QStringList figures;  // names of figures, for example "validation-loss"; several are panels of one page
    /// FigureOrigin::flags without "figure".
    QJsonObject figureFlags;
    /// FigureOrigin::view, for figures that are computed again.
    QJsonObject view;
    bool showsCaption = false;    // print the captions of the figures
    std::string claim;            // id or number of the claim of a forest plot; "" for all
    int question = 0;             // number of the question of the figure answers, from 1; 0 for the last one
    bool isHeightChosen = false;  // false: a figure with Figure::heightMm has this height
    QString unit;                 // unit of losses: "nats" or "bits"
    // Options of the figures of the Inspect room; see InspectMoment for the meaning of 0 and −1.
    std::vector<RunId> runs;  // runs that figures of training show; empty: all
    std::int64_t run = 0;
    std::int64_t beside = 0;
    std::int64_t step = -1;
    QString text;               // text that attention figures evaluate; "" for the text stored in the snapshot
    int pair = 0;               // index of the pair that the figure pair-logits shows
    RandomVectors vectors;      // distribution of q and k of the figure random-logits
    EncodingChoices encodings;  // choices of the figures encodings and window-reach
    // Options of the figures of a model's stages.
    QString modelSettings;        // settings of the model, such as "layers=4 block=llama"
    QString knownModel;           // name of a known model; "" for none
    QString stage;                // of the figure anatomy-activation: "attention.weights/0/1"
    QString hfConfig;             // a config.json of Hugging Face; "" for none
    std::int64_t vocabulary = 0;  // size of the vocabulary; 0: that of the data set
    // Options of the figures of the Results room.
    /// Runs of the lab's stored selection, changed by the flags, or those of the flags alone.
    RunSelection selection{RunSelection::all_experiments};
    bool isExperimentChosen = false;              // --experiment is given
    bool usesStoredSelection = true;              // false for figures that are computed again
    std::map<std::string, std::string> baseline;  // settings of the baseline group; see ResultsOptions
    bool withPublished = false;                   // a figure of results also shows published values
    std::string compare;                          // the measure to compare; "" for the loss in `unit`
    std::optional<TestKind> test = {};            // for confidence intervals and significance; see ResultsOptions
    ExportOptions figureOptions;
    bool isSound = false;  // true: --output is the sound of the figure, a WAV file
    QString verified;      // the figure file that --verify checks
    ReplayJob replay;
    AnimationJob animation;
    LectureDocumentJob document;  // of --document
    bool asJson = false;  // true: --figure, --replay, --animate, --document and --verify print their results as JSON
    QString helpText;
};

/// Figures of a model's stages: anatomy, traditional-modern, anatomy-activation.
QStringList anatomyFigureNames();
/// Figures of a lab for --figure. Those of a rotary setup are in rotaryFigures().
QStringList labFigureNames();

/// Only flags that choose what a figure shows are taken from an exported file, which a stranger may have written; none
/// of them names a file.
bool isFlagOfFigures(const QString& flag);

/// The first argument is the program. Throws BadInput with one sentence if an option is invalid or contradicts others.
LaunchOptions parseLaunchOptions(const QStringList& arguments);

}  // namespace ropelab::ui
