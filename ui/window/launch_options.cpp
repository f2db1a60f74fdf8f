#include "ui/window/launch_options.h"

#include <QFileInfo>
#include <QJsonArray>
#include <algorithm>
#include <cmath>
#include <utility>

#include "core/experiment/experiment.h"
#include "core/results/results_table.h"
#include "core/spec/error.h"
#include "core/spec/keys.h"
#include "core/spec/run_spec.h"
#include "core/store/output_file.h"
#include "ui/common/paths.h"
#include "ui/figure/figure_preset.h"
#include "ui/lecture/answers_figure.h"
#include "ui/plot/quantity.h"
#include "ui/rooms/anatomy/activation_figure.h"
#include "ui/rooms/anatomy/anatomy_figure.h"
#include "ui/rooms/context/context_figures.h"
#include "ui/rooms/inspect/inspect_figures.h"
#include "ui/rooms/reproduce/forest_figure.h"
#include "ui/rooms/results/results_figures.h"
#include "ui/rooms/rotation/rotation_figures.h"
#include "ui/window/command_line.h"
#include "ui/window/rotary_figures.h"

namespace ropelab::ui {

namespace {

double numberIn(const CommandLine& parser, const QString& flag, double minimum, double maximum) {
    const std::string typed = parser.value(flag).toStdString();
    const std::string range = number_text(minimum) + " to " + number_text(maximum);
    double value = 0;
    try {
        value = parse_number(typed);
    } catch (const BadInput&) {
        throw BadInput("--" + flag.toStdString() + " requires a number from " + range + "; got \"" + typed + "\".");
    }
    if (!(value >= minimum && value <= maximum)) {
        throw BadInput("--" + flag.toStdString() + " is " + typed + ", but it must be from " + range + ".");
    }
    return value;
}

std::int64_t wholeIn(const CommandLine& parser, const QString& flag, double minimum, double maximum) {
    const double value = numberIn(parser, flag, minimum, maximum);
    if (value == std::floor(value)) return static_cast<std::int64_t>(value);
    throw BadInput("--" + flag.toStdString() + " is " + number_text(value) + ", but it must be a whole number.");
}

QSize sizeOf(const QString& typed) {
    const QStringList parts = typed.split(QLatin1Char('x'));
    bool wide = false;
    bool high = false;
    if (parts.size() == 2) {
        const QSize size(parts[0].toInt(&wide), parts[1].toInt(&high));
        if (wide && high && size.width() >= 320 && size.height() >= 240 && size.width() <= 16384 &&
            size.height() <= 16384) {
            return size;
        }
    }
    throw BadInput("--size requires width x height in pixels, for example 1280x720 and at least 320x240; got \"" +
                   typed.toStdString() + "\".");
}

QStringList trainingFigureNames() {
    return {QStringLiteral("validation-loss"), QStringLiteral("training-loss"), QStringLiteral("learning-rate"),
            QStringLiteral("gradient-norm")};
}

std::vector<RunId> runsOfText(const QString& typed) {
    std::vector<RunId> runs;
    for (const QString& part : typed.split(QLatin1Char(','))) {
        bool isNumber = false;
        runs.push_back(part.trimmed().toLongLong(&isNumber));
        if (!isNumber || runs.back() <= 0) {
            throw BadInput("--runs requires the ids of runs, separated by commas, for example 1,2,5; got \"" +
                           typed.toStdString() + "\".");
        }
    }
    return runs;
}

RunSelection selectionOf(const CommandLine& parser) {
    RunSelection selection;
    const QString experiment = parser.value(QStringLiteral("experiment"));
    if (experiment == QLatin1String("all")) {
        selection.experiment = RunSelection::all_experiments;
    } else if (experiment == QLatin1String("latest")) {
        selection.experiment = RunSelection::latest_experiment;
    } else {
        bool isNumber = false;
        selection.experiment = experiment.toLongLong(&isNumber);
        if (!isNumber || selection.experiment <= 0) {
            throw BadInput("--experiment is \"" + experiment.toStdString() +
                           "\", but it must be latest, all or the number of an experiment.");
        }
    }
    selection.unfinished = parser.isSet(QStringLiteral("unfinished"));
    const QStringList split = parser.value(QStringLiteral("split-by")).split(QLatin1Char(','), Qt::SkipEmptyParts);
    for (const QString& condition : split) selection.split_by.push_back(condition.toStdString());
    check_split(selection.split_by);
    for (const QString& run : parser.values(QStringLiteral("exclude-run"))) {
        bool isNumber = false;
        selection.excluded.insert(run.toLongLong(&isNumber));
        if (!isNumber) {
            throw BadInput("--exclude-run requires the number of a run; got \"" + run.toStdString() + "\".");
        }
    }
    return selection;
}

// Pattern of layers of the figure window-reach, from --attention-layers or --full-every.
std::string attentionLayersOf(const CommandLine& parser) {
    if (!parser.isSet(QStringLiteral("full-every"))) {
        const std::string pattern = parser.value(QStringLiteral("attention-layers")).toStdString();
        windows_of_layers(pattern, 1, 1);  // throws for a pattern that is none
        return pattern;
    }
    if (parser.isSet(QStringLiteral("attention-layers"))) {
        throw BadInput("--full-every and --attention-layers both set the attention of the layers; use only one.");
    }
    return full_every_pattern(wholeIn(parser, QStringLiteral("full-every"), 0, kMostReachLayers));
}

// The flags with one value that choose what a figure shows.
constexpr const char* kFigureFlags[] = {
    "setup",     "unit",       "compare", "test",      "runs",   "claim",           "question", "run",
    "beside",    "step",       "text",    "pair",      "mean",   "correlation",     "settings", "model",
    "hf-config", "vocabulary", "head",    "distances", "layers", "attention-layers"};

// Without those that choose the runs of results.
QJsonObject figureFlagsOf(const CommandLine& parser) {
    QJsonObject flags;
    for (const char* flag : kFigureFlags) {
        if (parser.isSet(QLatin1String(flag))) flags[QLatin1String(flag)] = parser.value(QLatin1String(flag));
    }
    // The figure of --full-every is computed again from the pattern of layers that the flag means.
    if (parser.isSet(QStringLiteral("full-every"))) {
        flags[QStringLiteral("attention-layers")] = QString::fromStdString(attentionLayersOf(parser));
    }
    if (parser.isSet(QStringLiteral("published"))) flags[QStringLiteral("published")] = true;
    if (parser.isSet(QStringLiteral("baseline"))) {
        flags[QStringLiteral("baseline")] = QJsonArray::fromStringList(parser.values(QStringLiteral("baseline")));
    }
    return flags;
}

// From --format, else from the output's suffix.
FigureFormat figureFormat(const CommandLine& parser, const QString& output) {
    const QString name = parser.value(QStringLiteral("format"));
    const auto bySuffix = formatNamed(QFileInfo(output).suffix().toLower());
    if (name.isEmpty()) {
        if (!bySuffix && is_standard_output(toPath(output)))
            throw BadInput(
                "Standard output has no suffix that names the format; add --format pdf, svg, png, csv or wav.");
        return formatOf(output);
    }
    const auto format = formatNamed(name);
    if (!format) {
        throw BadInput("--format is \"" + name.toStdString() +
                       "\", but it must be pdf, svg, png, csv, pgfplots or wav.");
    }
    if (bySuffix && bySuffix != format) {
        throw BadInput("--format is " + name.toStdString() + ", but --output is \"" + output.toStdString() +
                       "\"; leave out --format, or change the suffix.");
    }
    return *format;
}

// By --format or else by the suffix. Throws BadInput if they contradict.
bool isSoundOutput(const CommandLine& parser, const QString& output) {
    const QString wav = QStringLiteral("wav");
    const QString name = parser.value(QStringLiteral("format"));
    const QString suffix = QFileInfo(output).suffix().toLower();
    if (name != wav) return name.isEmpty() && suffix == wav;
    if (suffix != wav && !is_standard_output(toPath(output))) {
        throw BadInput("--format is wav, but --output is \"" + output.toStdString() +
                       "\"; leave out --format, or change the suffix to .wav.");
    }
    return true;
}

void checkOneOutput(const QString& output, bool asJson) {
    if (asJson && is_standard_output(toPath(output))) {
        throw BadInput("--output " + output.toStdString() +
                       " and --json would both write to standard output; leave out one of them.");
    }
}

}  // namespace

QStringList anatomyFigureNames() {
    return {QLatin1String(kAnatomyFigure), QLatin1String(kComparedAnatomyFigure), QLatin1String(kActivationFigure)};
}

QStringList labFigureNames() {
    return trainingFigureNames() + resultsFigureNames() + inspectFigureNames() +
           QStringList{QLatin1String(kForestPlot), QLatin1String(kAnswersFigure)};
}

bool isFlagOfFigures(const QString& flag) {
    if (flag == QLatin1String("hf-config")) return false;  // names a file
    for (const char* other :
         {"figure", "published", "baseline", "experiment", "unfinished", "split-by", "exclude-run", "stage"}) {
        if (flag == QLatin1String(other)) return true;
    }
    return std::any_of(std::begin(kFigureFlags), std::end(kFigureFlags),
                       [&flag](const char* name) { return flag == QLatin1String(name); });
}

LaunchOptions parseLaunchOptions(const QStringList& arguments) {
    const std::string labNames = labFigureNames().join(QStringLiteral(", ")).toStdString();
    const std::string rotaryNames = rotaryFigureNames().join(QStringLiteral(", ")).toStdString();
    const std::string anatomyNames = anatomyFigureNames().join(QStringLiteral(", ")).toStdString();
    QStringList presetNames;
    for (const FigurePreset& each : figurePresets()) presetNames << QLatin1String(each.name);
    const std::string presets = presetNames.join(QStringLiteral(", ")).toStdString();
    const std::vector<CommandLine::Option> options = {
        {"help", "Shows this help."},
        {"version", "Prints the version."},
        {"screenshot", "Saves a screenshot of the window as a PNG file (- for standard output) and exits.", "file"},
        {"room", "The room (page of the window) to show, or a part of it, for example context/bases.", "name"},
        {"lecture", "Presents a lecture: a file, or the name of one that belongs to the program.", "file"},
        {"scene", "The scene of the lecture to show, by number or name, and a step of it, for example four-clocks/2.",
         "name"},
        {"setup",
         "The RoPE settings of the rooms, for example \"theta=500k head_dim=128 fraction=25%\", or two setups to "
         "compare, separated by |.",
         "text"},
        {"size", "Size of the screenshot in pixels.", "width x height", "1280x720"},
        {"theme", "light or dark; default: the theme of the system.", "name"},
        {"scale", "Scale of the window in percent, 100 to 250.", "percent", "100"},
        {"after", "Starts the sweep and takes the screenshot after this number of seconds.", "seconds"},
        {"lab", "The lab file to open.", "file"},
        {"data-dir", "The folder that is searched first for known data sets.", "folder"},
        {"exit-after-startup", "Prints the milliseconds until the window was ready and exits."},
        {"headless", "Trains a sweep without a display and saves its lab and plots."},
        {"preset", "The preset sweep that --headless or --screenshot --after trains.", "name"},
        {"output", "The output folder of --headless, or the output file of --figure; - for standard output.", "path"},
        {"format",
         "Format of the figure: pdf, svg, png, csv, pgfplots or wav (its sound); default: the suffix of --output.",
         "name"},
        {"figure",
         "Saves a figure; repeated, several figures as panels of one page. Figures of a lab: " + labNames +
             ". Figures of a rotary setup: " + rotaryNames + ". Figures of a model's stages: " + anatomyNames + ".",
         "name", "", true},
        {"width-mm", "Width of the figure in millimetres.", "mm", "120"},
        {"size-for", "Width, height and font size for: " + presets + ".", "name"},
        {"height-mm", "Height of the figure in millimetres; a forest plot is as high as its rows need.", "mm", "75"},
        {"dpi", "Resolution of a PNG figure in dots per inch.", "dpi", "300"},
        {"font-pt", "Font size of the figure in points.", "pt", "8.5"},
        {"outlines", "Exports the text of an SVG as outlines instead of text in a named font."},
        {"columns", "Panels per row of a page with several figures; 0 chooses by their number.", "number", "0"},
        {"caption", "Prints a caption of each figure."},
        {"unit", "Unit of losses in the figure: nats or bits (per token), or bits-per-byte.", "name", "nats"},
        {"baseline",
         "Figures of the Results room: a setting, key=value, of the baseline group that others are compared with; the "
         "figure loss-fit shows the runs that agree with it; repeatable.",
         "key=value", "", true},
        {"compare", "Figures of the Results room: the measure to compare, for example final_training_loss.", "name"},
        {"test",
         "Figures of the Results room: the test for confidence intervals and significance; student, welch or paired; "
         "auto is paired if all groups have equal seeds, else welch.",
         "name", "auto"},
        {"published",
         "Figures of the Results room: also show the values that papers report, if data set and model are the same."},
        {"experiment",
         "Figures of the Results room: the experiment whose runs they show; latest, all or the number of an "
         "experiment; default: the lab's choice.",
         "name", "all"},
        {"unfinished", "Figures of the Results room: include stopped and failed runs."},
        {"split-by",
         "Figures of the Results room: separate groups by the precision, device or kernels of their runs; several: "
         "precision,device.",
         "names"},
        {"exclude-run", "Figures of the Results room: the number of a run that they exclude; repeatable.", "number", "",
         true},
        {"runs",
         "Figures of training: the ids of the runs to show, separated by commas; default: those of the results.",
         "numbers"},
        {"claim", "The claim that the figure forest-plot shows; default: all claims of the sheet.", "name"},
        {"question", "The number of the question whose answers the figure answers shows; default: the last one.",
         "number", "0"},
        {"run", "Figures of the Inspect room: the number of the run to show; default: the first run of the lab.",
         "number", "0"},
        {"beside", "Figures of the Inspect room: the number of a second run; heat maps show the difference.", "number",
         "0"},
        {"step", "Figures of the Inspect room: the newest snapshot up to this step; default: the newest snapshot.",
         "number", "-1"},
        {"text",
         "Attention figures: the text to evaluate; default: the text stored in the snapshot. token-rotation, "
         "circuit-…: the text whose tokens are shown.",
         "text"},
        {"pair", "The index of the pair that the figure pair-logits shows.", "number", "0"},
        {"mean", "The mean of the components of q and k in the figure random-logits.", "number", "0"},
        {"correlation", "The correlation of q and k in the figure random-logits, -1 to 1.", "number", "0"},
        {"settings",
         "Figures of a model's stages: the settings of the model, for example \"layers=4 block=llama\"; default: those "
         "of the run that --lab and --run name, or of a new sweep.",
         "text"},
        {"model", "The figure anatomy: the name of a known model, for example \"Llama 3 8B\".", "name"},
        {"hf-config", "The figure anatomy: a config.json of Hugging Face.", "file"},
        {"stage",
         "The figure anatomy-activation: the id of the stage, with its layer and head, for example "
         "attention.weights/0/1.",
         "stage", "attention.output"},
        {"vocabulary", "Figures of a model's stages: the size of the vocabulary; 0: that of the data set.", "number",
         "0"},
        {"head", "The head that the figure encodings shows, from 1.", "number", "1"},
        {"distances", "The number of distances of the figure encodings; 0 means those of the context.", "number", "0"},
        {"layers", "The number of layers of the figure window-reach.", "number", "12"},
        {"attention-layers",
         "The attention of the layers of the figure window-reach: auto, or a pattern such as \"3 window + 1 full\".",
         "pattern", "auto"},
        {"full-every",
         "Every n-th layer of the figure window-reach attends to the whole context: short for the pattern "
         "\"(n − 1) window + 1 full\"; 0 means none.",
         "number", "0"},
        {"replay", "Saves a replay that is described by a JSON object; ropelab-cli replay makes one from its flags.",
         "JSON"},
        {"animate",
         "Saves an animation of a rotary figure that is described by a JSON object; ropelab-cli animate makes one from "
         "its flags.",
         "JSON"},
        {"document",
         "Saves the handout or the slides of a lecture as described by a JSON object; ropelab-cli lecture handout and "
         "slides make one from their flags.",
         "JSON"},
        {"verify",
         "Computes a figure again that RoPE Lab exported as PDF, SVG or PNG, and prints what differs. The exit status "
         "is 0 if nothing differs, 1 if something differs, and 2 if the figure cannot be verified.",
         "file"},
        {"json", "Prints the result of --figure, --replay, --animate, --document or --verify as JSON."},
    };
    CommandLine parser(QStringLiteral("A laboratory for rotary position embeddings."), options,
                       {"file", "The lab file to open."});
    parser.parse(arguments);

    LaunchOptions result;
    using Mode = LaunchOptions::Mode;
    const auto set = [&parser](const char* flag) { return parser.isSet(QLatin1String(flag)); };
    if (set("help")) {
        result.mode = Mode::help;
        result.helpText = parser.helpText();
        return result;
    }
    if (set("version")) {
        result.mode = Mode::version;
        return result;
    }
    QStringList modes;
    for (const char* flag :
         {"screenshot", "exit-after-startup", "headless", "figure", "replay", "animate", "document", "verify"}) {
        if (set(flag)) modes << QStringLiteral("--") + QLatin1String(flag);
    }
    result.asJson = set("json");
    if (result.asJson && !set("figure") && !set("replay") && !set("animate") && !set("document") && !set("verify"))
        throw BadInput("--json can be used only with --figure, --replay, --animate, --document and --verify.");
    if (modes.size() > 1) {
        throw BadInput(modes.join(QStringLiteral(" and ")).toStdString() +
                       " cannot be combined; use only one of them.");
    }

    const QStringList positional = parser.positionalArguments();
    if (positional.size() > 1 || (positional.size() == 1 && set("lab"))) {
        throw BadInput("One lab can be opened at a time, but the command line names several.");
    }
    result.lab = positional.isEmpty() ? parser.value(QStringLiteral("lab")) : positional.first();
    result.dataDir = toPath(parser.value(QStringLiteral("data-dir")));
    const QString place = parser.value(QStringLiteral("room"));
    result.room = place.section(QLatin1Char('/'), 0, 0);
    result.part = place.section(QLatin1Char('/'), 1);
    result.lecture = parser.value(QStringLiteral("lecture"));
    if (set("scene")) {
        if (result.lecture.isEmpty()) throw BadInput("--scene names a scene of the lecture of --lecture FILE.");
        const QString scene = parser.value(QStringLiteral("scene"));
        result.scene = scene.section(QLatin1Char('/'), 0, 0);
        bool isNumber = true;
        const QString step = scene.section(QLatin1Char('/'), 1);
        result.sceneStep = step.isEmpty() ? 0 : step.toInt(&isNumber);
        if (!isNumber || result.sceneStep < 0) {
            throw BadInput("--scene is \"" + scene.toStdString() +
                           "\", but a step is a whole number, as in four-clocks/2.");
        }
    }
    if (set("setup")) {
        const ComparedSetups setups = parse_setups(parser.value(QStringLiteral("setup")).toStdString());
        result.setup = setups.a;
        result.otherSetup = setups.b;
    }
    result.size = sizeOf(parser.value(QStringLiteral("size")));
    result.scale = static_cast<int>(wholeIn(parser, QStringLiteral("scale"), 100, 250));
    if (set("theme")) {
        const QString theme = parser.value(QStringLiteral("theme"));
        if (theme != QStringLiteral("light") && theme != QStringLiteral("dark")) {
            throw BadInput("--theme is \"" + theme.toStdString() + "\", but it must be light or dark.");
        }
        result.theme = theme == QStringLiteral("dark") ? Appearance::dark : Appearance::light;
    }
    if (set("preset")) {
        result.preset = parser.value(QStringLiteral("preset"));
        preset(result.preset.toStdString());  // throws for an unknown preset
    }
    result.output = parser.value(QStringLiteral("output"));

    if (set("screenshot")) {
        result.mode = Mode::screenshot;
        result.screenshot = parser.value(QStringLiteral("screenshot"));
        if (set("after")) result.after = numberIn(parser, QStringLiteral("after"), 0.1, 86400);
        if (set("after") && !result.lab.isEmpty()) {
            throw BadInput("--after trains a new sweep, so it cannot be combined with a lab.");
        }
    } else if (set("after")) {
        throw BadInput("--after can be used only with --screenshot.");
    } else if (set("exit-after-startup")) {
        result.mode = Mode::startup;
    } else if (set("headless")) {
        result.mode = Mode::headless;
        if (result.output.isEmpty() || is_standard_output(toPath(result.output)))
            throw BadInput("--headless requires --output FOLDER, the folder for its lab and plots.");
        for (const char* flag : {"room", "setup", "lecture"}) {
            if (set(flag))
                throw BadInput("--" + std::string(flag) +
                               " cannot be used with --headless, which always saves curves.");
        }
        if (!result.lab.isEmpty())
            throw BadInput("--headless saves a lab of its own in --output, so it cannot be combined with a lab.");
    } else if (set("replay")) {
        result.mode = Mode::replay;
        result.replay = parseReplayJob(parser.value(QStringLiteral("replay")).toStdString());
        checkOneOutput(result.replay.output, result.asJson);
    } else if (set("animate")) {
        result.mode = Mode::animate;
        result.animation = parseAnimationJob(parser.value(QStringLiteral("animate")).toStdString());
        AnimationJob& job = result.animation;
        const RotaryFigure* figure = findRotaryFigure(currentFigureName(job.figure));
        if (!figure) {
            throw BadInput("There is no rotary figure \"" + job.figure.toStdString() +
                           "\" to animate; the figures are " + rotaryNames + ".");
        }
        job.figure = QLatin1String(figure->name);
        if (job.over != AnimationJob::Over::theta && !changesWithPosition(job.figure)) {
            throw BadInput("The figure " + job.figure.toStdString() +
                           " depends neither on positions nor on a pair; animate it over theta.");
        }
        checkOneOutput(job.output, result.asJson);
    } else if (set("document")) {
        result.mode = Mode::document;
        result.document = parseDocumentJob(parser.value(QStringLiteral("document")).toStdString());
        checkOneOutput(result.document.output, result.asJson);
    } else if (set("verify")) {
        result.mode = Mode::verify;
        result.verified = parser.value(QStringLiteral("verify"));
    } else if (set("figure")) {
        result.mode = Mode::figure;
        for (const QString& name : parser.values(QStringLiteral("figure"))) {
            result.figures << currentFigureName(name);
        }
        bool hasLabFigure = false;
        bool hasRotaryFigure = false;
        for (const QString& name : std::as_const(result.figures)) {
            if (anatomyFigureNames().contains(name)) continue;
            const bool isLabFigure = labFigureNames().contains(name);
            if (!isLabFigure && !findRotaryFigure(name)) {
                throw BadInput("There is no figure \"" + name.toStdString() + "\". Figures of a lab: " + labNames +
                               ". Figures of a rotary setup: " + rotaryNames +
                               ". Figures of a model's stages: " + anatomyNames + ".");
            }
            (isLabFigure ? hasLabFigure : hasRotaryFigure) = true;
        }
        const std::string names = result.figures.join(QStringLiteral(", ")).toStdString();
        const auto isAny = [&result](const auto& fits) {
            return std::any_of(result.figures.begin(), result.figures.end(), fits);
        };
        if (result.output.isEmpty())
            throw BadInput("--figure requires --output FILE (.pdf, .svg, .png, .csv, .tex or .wav).");
        if (hasLabFigure && result.lab.isEmpty()) throw BadInput("--figure " + names + " requires --lab FILE.");
        // The figure encodings also shows what the runs of a lab have learned.
        const bool canUseLab = hasLabFigure || result.figures.contains(QStringLiteral("encodings"));
        if (hasRotaryFigure && !canUseLab && !result.lab.isEmpty()) {
            throw BadInput("The figure " + names + " shows a rotary setup, so it requires --setup instead of --lab.");
        }
        const bool hasAnatomy = isAny([](const QString& name) { return anatomyFigureNames().contains(name); });
        QStringList sources;
        for (const char* flag : {"settings", "model", "hf-config"}) {
            if (set(flag)) sources << QStringLiteral("--") + QLatin1String(flag);
        }
        if ((!sources.isEmpty() || set("vocabulary")) && !hasAnatomy) {
            throw BadInput(
                "--settings, --model, --hf-config and --vocabulary apply to the figures anatomy and "
                "traditional-modern, not to " +
                names + ".");
        }
        if (sources.size() > 1) {
            throw BadInput(sources.join(QStringLiteral(" and ")).toStdString() +
                           " each name a model; use only one of them.");
        }
        if ((set("model") || set("hf-config")) && result.figures.contains(QLatin1String(kComparedAnatomyFigure))) {
            throw BadInput("The figure traditional-modern shows two decoders of given settings; use --settings.");
        }
        if ((set("model") || set("hf-config")) && set("vocabulary"))
            throw BadInput("--vocabulary applies to --settings; a published model has its own vocabulary.");
        if (hasAnatomy && !canUseLab && !result.lab.isEmpty()) {
            if (!sources.isEmpty()) {
                throw BadInput("--lab and " + sources.first().toStdString() +
                               " each name a model; use only one of them.");
            }
            if (set("vocabulary")) throw BadInput("--vocabulary applies to --settings; a run has its own vocabulary.");
        }
        const bool hasActivation = result.figures.contains(QLatin1String(kActivationFigure));
        if (hasActivation && (result.lab.isEmpty() || !sources.isEmpty())) {
            throw BadInput(
                "The figure anatomy-activation shows a run with a checkpoint; name it with --lab and --run.");
        }
        if (set("stage") && !hasActivation) {
            throw BadInput("--stage applies to the figure anatomy-activation, not to " + names + ".");
        }
        result.stage = parser.value(QStringLiteral("stage"));
        result.modelSettings = parser.value(QStringLiteral("settings"));
        result.knownModel = parser.value(QStringLiteral("model"));
        result.hfConfig = parser.value(QStringLiteral("hf-config"));
        result.vocabulary = wholeIn(parser, QStringLiteral("vocabulary"), 0, 1 << 24);
        result.unit = parser.value(QStringLiteral("unit"));
        if (!lossUnitWords().contains(result.unit)) {
            throw BadInput("--unit is \"" + result.unit.toStdString() +
                           "\", but it must be nats, bits or bits-per-byte.");
        }
        const bool hasResults = isAny([](const QString& name) { return findResultsFigure(name) != nullptr; });
        for (const char* flag :
             {"baseline", "compare", "test", "published", "experiment", "unfinished", "split-by", "exclude-run"}) {
            if (!set(flag) || hasResults) continue;
            throw BadInput("--" + std::string(flag) +
                           " applies to figures of the Results room, such as improvement, not to " + names + ".");
        }
        result.selection = selectionOf(parser);
        result.isExperimentChosen = set("experiment");
        if (set("runs")) {
            if (!isAny([](const QString& name) { return trainingFigureNames().contains(name); })) {
                throw BadInput("--runs applies to figures of training, such as validation-loss, not to " + names + ".");
            }
            result.runs = runsOfText(parser.value(QStringLiteral("runs")));
        }
        result.test = test_kind(parser.value(QStringLiteral("test")).toStdString());
        std::vector<std::string> baseline;
        for (const QString& each : parser.values(QStringLiteral("baseline"))) baseline.push_back(each.toStdString());
        result.baseline = baseline_settings(baseline);
        result.withPublished = set("published");
        result.compare = parser.value(QStringLiteral("compare")).toStdString();
        result.run = wholeIn(parser, QStringLiteral("run"), 0, 1e15);
        result.beside = wholeIn(parser, QStringLiteral("beside"), 0, 1e15);
        result.step = wholeIn(parser, QStringLiteral("step"), -1, 1e15);
        result.text = parser.value(QStringLiteral("text"));
        result.pair = static_cast<int>(wholeIn(parser, QStringLiteral("pair"), 0, 1e6));
        if ((set("run") || set("beside") || set("step")) &&
            !isAny([](const QString& name) { return findInspectFigure(name) != nullptr; }) &&
            !(hasAnatomy && set("run") && set("lab") && !set("beside") && !set("step"))) {
            throw BadInput(
                "--run, --beside and --step apply to figures of the Inspect room, such as logit-contribution, not to " +
                names + ".");
        }
        const bool usesText = isAny([](const QString& name) {
            const InspectFigure* inspect = findInspectFigure(name);
            const bool evaluates = inspect && (inspect->input == InspectFigure::Input::text ||
                                               inspect->input == InspectFigure::Input::bits);
            return evaluates || showsTokens(name) || name == QLatin1String(kActivationFigure);
        });
        const bool hasPairLogits = result.figures.contains(QStringLiteral("pair-logits"));
        if ((set("text") && !usesText) || (set("pair") && !hasPairLogits)) {
            throw BadInput(
                "--text applies to data-bits and to figures of attention, such as attention-map, and --pair to "
                "pair-logits, not to " +
                names + ".");
        }
        if (hasPairLogits && result.text.isEmpty()) {
            throw BadInput(
                "pair-logits shows what a pair contributes to each logit of a text; give the text with --text.");
        }
        if (set("claim") && !result.figures.contains(QLatin1String(kForestPlot))) {
            throw BadInput("--claim applies to the figure forest-plot, not to " + names + ".");
        }
        result.claim = parser.value(QStringLiteral("claim")).toStdString();
        if (set("question") && !result.figures.contains(QLatin1String(kAnswersFigure))) {
            throw BadInput("--question applies to the figure answers, not to " + names + ".");
        }
        result.question = static_cast<int>(wholeIn(parser, QStringLiteral("question"), 0, 1e6));
        result.isHeightChosen = set("height-mm");
        if ((set("mean") || set("correlation")) && !result.figures.contains(kRandomFigure)) {
            throw BadInput("--mean and --correlation apply to the figure random-logits, not to " + names + ".");
        }
        result.vectors.mean = numberIn(parser, QStringLiteral("mean"), -kMaxMean, kMaxMean);
        result.vectors.correlation = numberIn(parser, QStringLiteral("correlation"), -1, 1);
        if ((set("head") || set("distances")) && !result.figures.contains(QStringLiteral("encodings"))) {
            throw BadInput("--head and --distances apply to the figure encodings, not to " + names + ".");
        }
        if ((set("layers") || set("full-every") || set("attention-layers")) &&
            !result.figures.contains(QStringLiteral("window-reach"))) {
            throw BadInput("--layers, --attention-layers and --full-every apply to the figure window-reach, not to " +
                           names + ".");
        }
        result.encodings.head = static_cast<int>(wholeIn(parser, QStringLiteral("head"), 1, kMostChosenHeads));
        result.encodings.distances = wholeIn(parser, QStringLiteral("distances"), 0, kMostEncodingDistances);
        result.encodings.layers = wholeIn(parser, QStringLiteral("layers"), 1, kMostReachLayers);
        result.encodings.attention_layers = attentionLayersOf(parser);
        result.showsCaption = set("caption");
        ExportOptions& paper = result.figureOptions;
        result.isSound = isSoundOutput(parser, result.output);
        if (result.isSound && result.figures.size() > 1)
            throw BadInput("A sound contains one figure, but the command line names several: " + names + ".");
        if (!result.isSound) paper.format = figureFormat(parser, result.output);
        checkOneOutput(result.output, result.asJson);
        if (result.showsCaption && is_standard_output(toPath(result.output))) {
            throw BadInput("The figure and its caption would both be written to standard output; leave out --caption.");
        }
        paper.widthMm = numberIn(parser, QStringLiteral("width-mm"), 20, 1000);
        paper.heightMm = numberIn(parser, QStringLiteral("height-mm"), 20, 1000);
        paper.fontPt = numberIn(parser, QStringLiteral("font-pt"), 5, 48);
        if (set("size-for")) {
            const FigurePreset& chosen = figurePreset(parser.value(QStringLiteral("size-for")));
            if (!set("width-mm")) paper.widthMm = chosen.widthMm;
            if (!set("height-mm")) paper.heightMm = chosen.heightMm;
            if (!set("font-pt")) paper.fontPt = chosen.fontPt;
        }
        paper.outlines = set("outlines");
        paper.columns = static_cast<int>(wholeIn(parser, QStringLiteral("columns"), 0, 12));
        result.figureFlags = figureFlagsOf(parser);
        result.figureOptions.dpi = static_cast<int>(numberIn(parser, QStringLiteral("dpi"), 72, 1200));
        result.figureOptions.appearance = result.theme.value_or(Appearance::light);
    }
    return result;
}

}  // namespace ropelab::ui
