#include "ui/window/batch/launch_options.h"

#include <QFileInfo>
#include <QJsonArray>
#include <utility>

#include "core/base/error.h"
#include "core/experiment/experiment.h"
#include "core/store/output_file.h"
#include "ui/common/paths.h"
#include "ui/figure/export/export_options.h"
#include "ui/rooms/rotation/figures/scene_figures.h"
#include "ui/window/batch/command_line.h"
#include "ui/window/frame/figures.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

namespace {

double numberIn(const CommandLine& parser, const QString& flag, double minimum, double maximum) {
    return numberOf(flag, parser.value(flag), minimum, maximum);
}

std::int64_t wholeIn(const CommandLine& parser, const QString& flag, double minimum, double maximum) {
    return wholeOf(flag, parser.value(flag), minimum, maximum);
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

using Options = std::vector<CommandLine::Option>;

/// Options of --figure that do not change what a figure shows.
Options pageOptions() {
    QStringList sizes;
    for (const FigurePreset& each : figurePresets()) sizes << QLatin1String(each.name);
    return {
        {"help", "Shows this help."},
        {"lab", "The lab file to open.", "file"},
        {"data-dir", "The folder that is searched first for known data sets.", "folder"},
        {"output",
         "The output file: a figure as .pdf, .svg, .png, .csv, .tex (PGFPlots, with its data in a .dat file) or .wav "
         "(a sound: the pitch is y, the position between left and right is x; a spectrum has one tone per pair), or "
         "the output folder of --headless; - for standard output.",
         "path"},
        {"format",
         "Format of the figure: pdf, svg, png, csv, pgfplots or wav (its sound); default: the suffix of --output.",
         "name"},
        {"size-for",
         "Chooses width, height and font size for a publication: " + sizes.join(u", "_s).toStdString() + ".", "name"},
        {"width-mm", "Width of the exported figure in millimetres.", "mm", "120"},
        {"height-mm",
         "Height of the figure in millimetres; without this option, a figure whose names, notes or rows need more is "
         "higher.",
         "mm", "75"},
        {"dpi", "Resolution of a PNG figure in dots per inch.", "dpi", "300"},
        {"font-pt", "Font size of the figure in points.", "pt", "8.5"},
        {"outlines",
         "Exports the text of an SVG figure as outlines, which look the same on every computer, instead of text in a "
         "named font."},
        {"columns",
         "Panels per row of a page with several figures; with 0, the panels per row follow from the "
         "number of figures and the width.",
         "number", "0"},
        {"each",
         "Writes each figure as NAME.pdf and NAME.svg into the folder --output, instead of all figures on one page."},
        {"caption", "Prints a caption of each figure."},
        {"theme",
         "Colours of the window or the figure: light or dark; default: the theme of the system, and light for a "
         "figure.",
         "name"},
        {"json", "Prints the result as JSON."},
    };
}

/// What figures can show, with the figures that each applies to.
void addFigureOptions(Options& options) {
    for (const FigureOption* option : optionsOf(figureEntries())) {
        const QString figures = figuresWith(figureEntries(), *option);
        options.push_back({.name = option->name,
                           .help = u"%1 Of %2."_s.arg(QString::fromUtf8(option->help), figures).toStdString(),
                           .valueName = option->valueName,
                           .standard = option->standard,
                           .repeatable = option->kind == FigureOption::Kind::list});
    }
}

/// "Figures of a lab: …. Figures of a rotary setup: …".
std::string figureNamesText() {
    QStringList ofLab;
    QStringList ofSetup;
    QStringList ofModel;
    for (const FigureEntry& entry : figureEntries()) {
        (entry.has(option::setup) ? ofSetup : entry.room == "anatomy"_L1 ? ofModel : ofLab) << entry.name;
    }
    const QString comma = u", "_s;
    return u"Figures of a lab: %1. Figures of a rotary setup: %2. Figures of a model's stages: %3."_s
        .arg(ofLab.join(comma), ofSetup.join(comma), ofModel.join(comma))
        .toStdString();
}

/// FigureOrigin::flags of the options that are given.
QJsonObject figureFlagsOf(const CommandLine& parser) {
    QJsonObject flags;
    for (const FigureOption* option : optionsOf(figureEntries())) {
        const QString name = QLatin1String(option->name);
        if (!parser.isSet(name)) continue;
        flags[name] = option->kind == FigureOption::Kind::flag   ? QJsonValue(true)
                      : option->kind == FigureOption::Kind::list ? QJsonArray::fromStringList(parser.values(name))
                                                                 : QJsonValue(parser.value(name));
    }
    return flags;
}

// From --format, else from the output's suffix.
FigureFormat figureFormat(const CommandLine& parser, const QString& output) {
    const QString name = parser.value(u"format"_s);
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
    const QString wav = u"wav"_s;
    const QString name = parser.value(u"format"_s);
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

std::optional<Appearance> themeOf(const CommandLine& parser) {
    if (!parser.isSet(u"theme"_s)) return std::nullopt;
    const QString theme = parser.value(u"theme"_s);
    if (theme == "light"_L1) return Appearance::light;
    if (theme == "dark"_L1) return Appearance::dark;
    throw BadInput("--theme is \"" + theme.toStdString() + "\", but it must be light or dark.");
}

/// The lab, the theme, the output and its JSON are read already.
void readFigures(const CommandLine& parser, const QStringList& names, LaunchOptions& result) {
    result.mode = LaunchOptions::Mode::figure;
    for (const QString& name : names) result.figures << currentFigureName(name);
    result.figureFlags = figureFlagsOf(parser);
    checkFigures(figureEntries(), result.figures, result.figureFlags, !result.lab.isEmpty());
    if (result.output.isEmpty())
        throw BadInput(
            "A figure requires --output FILE (.pdf, .svg, .png, .csv, .tex or .wav), or --each and a folder.");
    const auto set = [&parser](const char* flag) { return parser.isSet(QLatin1String(flag)); };
    result.isHeightChosen = set("height-mm");
    result.showsCaption = set("caption");
    ExportOptions& paper = result.figureOptions;
    result.writesEach = set("each");
    for (const char* flag : {"format", "caption", "json"}) {
        if (!result.writesEach || !set(flag)) continue;
        throw BadInput(
            std::string("--each writes a PDF and an SVG file of each figure and prints nothing; leave out --") + flag +
            ".");
    }
    result.isSound = !result.writesEach && isSoundOutput(parser, result.output);
    if (result.isSound && result.figures.size() > 1) {
        throw BadInput("A sound contains one figure, but the command line names several: " +
                       result.figures.join(u", "_s).toStdString() + ".");
    }
    if (!result.isSound && !result.writesEach) paper.format = figureFormat(parser, result.output);
    checkOneOutput(result.output, result.asJson);
    if (result.showsCaption && is_standard_output(toPath(result.output))) {
        throw BadInput("The figure and its caption would both be written to standard output; leave out --caption.");
    }
    paper.widthMm = numberIn(parser, u"width-mm"_s, 20, 1000);
    paper.heightMm = numberIn(parser, u"height-mm"_s, 20, 1000);
    paper.fontPt = numberIn(parser, u"font-pt"_s, 5, 48);
    if (set("size-for")) {
        const FigurePreset chosen = figurePreset(parser.value(u"size-for"_s));
        if (!set("width-mm")) paper.widthMm = chosen.widthMm;
        if (!set("height-mm")) paper.heightMm = chosen.heightMm;
        result.isHeightChosen = result.isHeightChosen || chosen.isWholePage;
        result.isForPage = true;
        if (!set("font-pt")) paper.fontPt = chosen.fontPt;
    }
    paper.outlines = set("outlines");
    paper.columns = static_cast<int>(wholeIn(parser, u"columns"_s, 0, 12));
    paper.dpi = static_cast<int>(numberIn(parser, u"dpi"_s, 72, 1200));
    paper.appearance = result.theme.value_or(Appearance::light);
}

/// `arguments` are those of ropelab-cli figure, after the name of the command.
LaunchOptions parseFigureCommand(const QStringList& arguments) {
    Options options = pageOptions();
    addFigureOptions(options);
    CommandLine parser(
        u"Write a figure of a lab's runs, of a rotary setup or of a model to a file; no "
        "display is needed. "_s +
            QString::fromStdString(figureNamesText()),
        options, {"names", "Names of the figures to write; several figures are panels of one page."},
        u"ropelab-cli figure"_s);
    parser.parse(arguments);
    LaunchOptions result;
    if (parser.isSet(u"help"_s)) {
        result.mode = LaunchOptions::Mode::help;
        result.helpText = parser.helpText();
        return result;
    }
    if (parser.positionalArguments().isEmpty()) throw BadInput("The command figure requires the name of a figure.");
    result.lab = parser.value(u"lab"_s);
    result.dataDir = toPath(parser.value(u"data-dir"_s));
    result.output = parser.value(u"output"_s);
    result.theme = themeOf(parser);
    result.asJson = parser.isSet(u"json"_s);
    readFigures(parser, parser.positionalArguments(), result);
    return result;
}

}  // namespace

LaunchOptions parseLaunchOptions(const QStringList& arguments) {
    if (arguments.value(1) == "--figures"_L1) return parseFigureCommand(arguments.mid(1));
    Options options = {
        {"version", "Prints the version."},
        {"screenshot", "Saves a screenshot of the window as a PNG file (- for standard output) and exits.", "file"},
        {"room", "The room (page of the window) to show, or a part of it, for example context/bases.", "name"},
        {"lecture", "Presents a lecture: its file, or the name of a lecture that comes with the program.", "file"},
        {"scene", "The scene of the lecture to show, by number or name, and a step of it, for example four-clocks/2.",
         "name"},
        {"size", "Size of the screenshot in pixels.", "width x height", "1280x720"},
        {"scale", "Scale of the window in percent, 100 to 250.", "percent", "100"},
        {"after", "Starts the sweep, and takes the screenshot after the given number of seconds.", "seconds"},
        {"exit-after-startup", "Prints the time in milliseconds until the window was ready, and exits."},
        {"headless", "Trains a sweep without a display and saves its lab file and plots."},
        {"preset", "The preset sweep that --headless or --screenshot --after trains.", "name"},
        {"figure",
         "Saves a figure. If this option is repeated, the figures are panels of one page. " + figureNamesText(), "name",
         "", true},
        {"replay",
         "Saves an animation of a training (a replay) that a JSON object describes; ropelab-cli replay makes the "
         "object from its flags.",
         "JSON"},
        {"animate",
         "Saves an animation of a rotary figure that is described by a JSON object; ropelab-cli animate makes the "
         "object "
         "from its flags.",
         "JSON"},
        {"document",
         "Saves the handout or the slides of a lecture as described by a JSON object; ropelab-cli lecture handout "
         "and slides make the object from their flags.",
         "JSON"},
        {"verify",
         "Verifies a figure that RoPE Lab exported as PDF, SVG or PNG: computes it again and prints what differs. The "
         "exit status is 0 if nothing differs, 1 if something differs, and 2 if the figure cannot be verified.",
         "file"},
    };
    const Options page = pageOptions();
    options.insert(options.begin(), page.begin(), page.end());
    addFigureOptions(options);
    CommandLine parser(u"A laboratory for rotary position embeddings."_s, options,
                       {"file",
                        "The lab file to open, or a model that others trained: a folder with config.json and weights, "
                        "or a file of weights."});
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
        if (set(flag)) modes << u"--"_s + QLatin1String(flag);
    }
    result.asJson = set("json");
    if (result.asJson && !set("figure") && !set("replay") && !set("animate") && !set("document") && !set("verify"))
        throw BadInput("--json can be used only with --figure, --replay, --animate, --document and --verify.");
    if (modes.size() > 1) {
        throw BadInput(modes.join(u" and "_s).toStdString() + " cannot be combined; use only one of them.");
    }

    const QStringList positional = parser.positionalArguments();
    if (positional.size() > 1 || (positional.size() == 1 && set("lab"))) {
        throw BadInput("One lab file can be opened at a time, but the command line names several.");
    }
    result.lab = positional.isEmpty() ? parser.value(u"lab"_s) : positional.first();
    result.dataDir = toPath(parser.value(u"data-dir"_s));
    const QString place = parser.value(u"room"_s);
    result.room = place.section(QLatin1Char('/'), 0, 0);
    result.part = place.section(QLatin1Char('/'), 1);
    result.lecture = parser.value(u"lecture"_s);
    if (set("scene")) {
        if (result.lecture.isEmpty())
            throw BadInput("--scene chooses a scene of a lecture, so it requires --lecture FILE.");
        const QString scene = parser.value(u"scene"_s);
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
        const ComparedSetups setups = parse_setups(parser.value(u"setup"_s).toStdString());
        result.setup = setups.a;
        result.otherSetup = setups.b;
    }
    result.size = sizeOf(parser.value(u"size"_s));
    result.scale = static_cast<int>(wholeIn(parser, u"scale"_s, 100, 250));
    result.theme = themeOf(parser);
    if (set("preset")) {
        result.preset = parser.value(u"preset"_s);
        preset(result.preset.toStdString());  // throws for an unknown preset
    }
    result.output = parser.value(u"output"_s);

    if (set("screenshot")) {
        result.mode = Mode::screenshot;
        result.screenshot = parser.value(u"screenshot"_s);
        if (set("after")) result.after = numberIn(parser, u"after"_s, 0.1, 86400);
        if (set("after") && !result.lab.isEmpty()) {
            throw BadInput("--after trains a new sweep, so it cannot be combined with a lab file or a model.");
        }
    } else if (set("after")) {
        throw BadInput("--after can be used only with --screenshot.");
    } else if (set("exit-after-startup")) {
        result.mode = Mode::startup;
    } else if (set("headless")) {
        result.mode = Mode::headless;
        if (result.output.isEmpty() || is_standard_output(toPath(result.output)))
            throw BadInput("--headless requires --output FOLDER, the folder for its lab file and plots.");
        for (const char* flag : {"room", "setup", "lecture"}) {
            if (set(flag))
                throw BadInput("--" + std::string(flag) +
                               " cannot be used with --headless, which always saves curves.");
        }
        if (!result.lab.isEmpty())
            throw BadInput(
                "--headless saves a new lab file in the folder of --output, so it cannot be combined with a lab file.");
    } else if (set("replay")) {
        result.mode = Mode::replay;
        result.replay = parseReplayJob(parser.value(u"replay"_s).toStdString());
        checkOneOutput(result.replay.output, result.asJson);
    } else if (set("animate")) {
        result.mode = Mode::animate;
        result.animation = parseAnimationJob(parser.value(u"animate"_s).toStdString());
        AnimationJob& job = result.animation;
        const RotaryFigure* figure = findRotaryFigure(job.figure);
        if (!figure) {
            throw BadInput("There is no rotary figure \"" + job.figure.toStdString() + "\" to animate. " +
                           figureNamesText());
        }
        job.figure = QLatin1String(figure->name);
        if (job.over != AnimationJob::Over::theta && !changesWithPosition(job.figure)) {
            throw BadInput("The figure " + job.figure.toStdString() +
                           " depends neither on positions nor on a pair; animate it over theta.");
        }
        checkOneOutput(job.output, result.asJson);
    } else if (set("document")) {
        result.mode = Mode::document;
        result.document = parseDocumentJob(parser.value(u"document"_s).toStdString());
        // The result of a check is its JSON; it writes no document.
        if (result.document.kind != LectureDocumentJob::Kind::check) {
            checkOneOutput(result.document.output, result.asJson);
        }
    } else if (set("verify")) {
        result.mode = Mode::verify;
        result.verified = parser.value(u"verify"_s);
    } else if (set("figure")) {
        readFigures(parser, parser.values(u"figure"_s), result);
    }
    return result;
}

}  // namespace ropelab::ui
