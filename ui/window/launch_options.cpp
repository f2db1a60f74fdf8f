#include "ui/window/launch_options.h"

#include <QCommandLineParser>
#include <cmath>

#include "core/experiment/experiment.h"
#include "core/spec/error.h"
#include "core/spec/keys.h"
#include "core/stats/results_table.h"
#include "ui/inspect/inspect_figures.h"
#include "ui/results/results_figures.h"
#include "ui/rotary/rotary_figures.h"
#include "ui/window/paths.h"

namespace ropelab::ui {

namespace {

double numberIn(const QCommandLineParser& parser, const QString& flag, double minimum, double maximum) {
    const std::string typed = parser.value(flag).toStdString();
    const std::string range = number_text(minimum) + " to " + number_text(maximum);
    double value = 0;
    try {
        value = parse_number(typed);
    } catch (const BadInput&) {
        throw BadInput("--" + flag.toStdString() + " takes a number from " + range + ", not \"" + typed + "\".");
    }
    if (!(value >= minimum && value <= maximum)) {
        throw BadInput("--" + flag.toStdString() + " is " + typed + ", but it must be from " + range + ".");
    }
    return value;
}

std::int64_t wholeIn(const QCommandLineParser& parser, const QString& flag, double minimum, double maximum) {
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
    throw BadInput("--size takes width x height in pixels, at least 320x240, like 1280x720, not \"" +
                   typed.toStdString() + "\".");
}

}  // namespace

QStringList labFigureNames() {
    return QStringList{QStringLiteral("validation-loss"), QStringLiteral("training-loss"),
                       QStringLiteral("learning-rate"), QStringLiteral("gradient-norm")} +
           resultsFigureNames() + inspectFigureNames();
}

LaunchOptions parseLaunchOptions(const QStringList& arguments) {
    QCommandLineParser parser;
    parser.setApplicationDescription(QStringLiteral("A laboratory for rotary position embeddings."));
    const QString labNames = labFigureNames().join(QStringLiteral(", "));
    const QString rotaryNames = rotaryFigureNames().join(QStringLiteral(", "));
    const QList<QCommandLineOption> options = {
        {{"h", "help"}, "Shows this."},
        {{"v", "version"}, "Prints the version."},
        {"screenshot", "Paints the window into a picture and ends.", "file"},
        {"room", "The room to show, or a part of it, like context/bases.", "name"},
        {"setup", "The rotary setup, such as \"theta=500k head_dim=128 fraction=25%\".", "text"},
        {"size", "Of the screenshot, in pixels.", "width x height", "1280x720"},
        {"theme", "light or dark; the system's choice otherwise.", "name"},
        {"scale", "Percent by which everything is larger, 100 to 250.", "percent", "100"},
        {"after", "Starts the sweep and takes the screenshot after so many seconds.", "seconds"},
        {"lab", "A lab file to open.", "file"},
        {"data-dir", "A folder in which known data sets are looked for first.", "folder"},
        {"exit-after-startup", "Prints the milliseconds until the window was ready, and ends."},
        {"headless", "Runs a sweep through the window without a display and writes its plots."},
        {"preset", "The sweep of --headless or --screenshot --after.", "name"},
        {"output", "The folder of --headless, or the file of --figure.", "path"},
        {"figure", "Writes a figure: of a lab " + labNames + "; of a rotary setup " + rotaryNames + ".", "name"},
        {"width-mm", "Width of the figure.", "mm", "120"},
        {"height-mm", "Height of the figure.", "mm", "75"},
        {"dpi", "Resolution of a PNG figure.", "dpi", "300"},
        {"font-pt", "Text size of the figure.", "pt", "8.5"},
        {"unit", "nats or bits, of losses in the figure.", "name", "nats"},
        {"baseline",
         "Of a figure of the Results room: key=value of the group that others are compared with; repeatable.",
         "key=value"},
        {"compare", "Of a figure of the Results room: what it compares, as final_training_loss.", "name"},
        {"test",
         "Of a figure of the Results room: the test that intervals and verdicts follow; student, welch or paired.",
         "name", "welch"},
        {"run", "The run that a figure of the Inspect room is of; the lab's first otherwise.", "number", "0"},
        {"beside", "A second run; heat maps show the difference.", "number", "0"},
        {"step", "The snapshot at or before this step; the newest otherwise.", "number", "-1"},
        {"text", "The text that attention figures of the Inspect room read; the snapshot's own otherwise.", "text"},
        {"pair", "The pair that pair-logits is of.", "number", "0"},
        {"replay", "Writes a replay, told as a JSON object (ropelab-cli replay makes one of its flags).", "JSON"},
        {"json", "Says as JSON what --figure or --replay wrote."},
    };
    parser.addOptions(options);
    parser.addPositionalArgument(QStringLiteral("lab"), QStringLiteral("A lab file to open."), QStringLiteral("[lab]"));
    if (!parser.parse(arguments)) {
        QString text = parser.errorText();
        if (!text.endsWith(QLatin1Char('.'))) text += QLatin1Char('.');
        throw BadInput(text.toStdString() + " --help lists what there is.");
    }

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
    for (const char* flag : {"screenshot", "exit-after-startup", "headless", "figure", "replay"}) {
        if (set(flag)) modes << QStringLiteral("--") + QLatin1String(flag);
    }
    result.asJson = set("json");
    if (result.asJson && !set("figure") && !set("replay")) throw BadInput("--json belongs to --figure and --replay.");
    if (modes.size() > 1) {
        throw BadInput(modes.join(QStringLiteral(" and ")).toStdString() +
                       " cannot be combined; ask for one at a time.");
    }

    const QStringList positional = parser.positionalArguments();
    if (positional.size() > 1 || (positional.size() == 1 && set("lab"))) {
        throw BadInput("One lab can be opened at a time, but several are named.");
    }
    result.lab = positional.isEmpty() ? parser.value(QStringLiteral("lab")) : positional.first();
    result.dataDir = toPath(parser.value(QStringLiteral("data-dir")));
    const QString place = parser.value(QStringLiteral("room"));
    result.room = place.section(QLatin1Char('/'), 0, 0);
    result.part = place.section(QLatin1Char('/'), 1);
    if (set("setup")) result.setup = parse_setup(parser.value(QStringLiteral("setup")).toStdString());
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
        preset(result.preset.toStdString());  // refuses an unknown one
    }
    result.output = parser.value(QStringLiteral("output"));

    if (set("screenshot")) {
        result.mode = Mode::screenshot;
        result.screenshot = parser.value(QStringLiteral("screenshot"));
        if (set("after")) result.after = numberIn(parser, QStringLiteral("after"), 0.1, 86400);
        if (set("after") && !result.lab.isEmpty()) {
            throw BadInput("--after starts a sweep of its own, so it cannot be combined with a lab.");
        }
    } else if (set("after")) {
        throw BadInput("--after belongs to --screenshot.");
    } else if (set("exit-after-startup")) {
        result.mode = Mode::startup;
    } else if (set("headless")) {
        result.mode = Mode::headless;
        if (result.output.isEmpty()) throw BadInput("--headless needs --output FOLDER, where its plots go.");
        for (const char* flag : {"room", "setup"}) {
            if (set(flag))
                throw BadInput("--headless trains and draws curves, so --" + std::string(flag) + " is not for it.");
        }
        if (!result.lab.isEmpty())
            throw BadInput("--headless writes a lab of its own into --output, so it takes none.");
    } else if (set("replay")) {
        result.mode = Mode::replay;
        result.replay = parseReplayJob(parser.value(QStringLiteral("replay")).toStdString());
    } else if (set("figure")) {
        result.mode = Mode::figure;
        result.figure = parser.value(QStringLiteral("figure"));
        const bool ofLab = labFigureNames().contains(result.figure);
        if (!ofLab && !rotaryFigureNames().contains(result.figure)) {
            throw BadInput("There is no figure \"" + result.figure.toStdString() + "\"; of a lab there are " +
                           labNames.toStdString() + ", of a rotary setup " + rotaryNames.toStdString() + ".");
        }
        if (result.output.isEmpty()) throw BadInput("--figure needs --output FILE (.pdf, .svg, .png or .csv).");
        if (ofLab && result.lab.isEmpty())
            throw BadInput("--figure " + result.figure.toStdString() + " needs --lab FILE.");
        if (!ofLab && !result.lab.isEmpty()) {
            throw BadInput("The figure " + result.figure.toStdString() +
                           " is of a rotary setup, so it takes --setup, not --lab.");
        }
        result.unit = parser.value(QStringLiteral("unit"));
        if (result.unit != QStringLiteral("nats") && result.unit != QStringLiteral("bits")) {
            throw BadInput("--unit is \"" + result.unit.toStdString() + "\", but it must be nats or bits.");
        }
        if ((set("baseline") || set("compare") || set("test")) && !findResultsFigure(result.figure)) {
            throw BadInput(
                "--baseline, --compare and --test belong to figures of the Results room, as improvement, not to " +
                result.figure.toStdString() + ".");
        }
        result.test = test_kind(parser.value(QStringLiteral("test")).toStdString());
        std::vector<std::string> baseline;
        for (const QString& each : parser.values(QStringLiteral("baseline"))) baseline.push_back(each.toStdString());
        result.baseline = baseline_settings(baseline);
        result.compare = parser.value(QStringLiteral("compare")).toStdString();
        result.run = wholeIn(parser, QStringLiteral("run"), 0, 1e15);
        result.beside = wholeIn(parser, QStringLiteral("beside"), 0, 1e15);
        result.step = wholeIn(parser, QStringLiteral("step"), -1, 1e15);
        result.text = parser.value(QStringLiteral("text"));
        result.pair = static_cast<int>(wholeIn(parser, QStringLiteral("pair"), 0, 1e6));
        const InspectFigure* inspect = findInspectFigure(result.figure);
        if ((set("run") || set("beside") || set("step")) && !inspect) {
            throw BadInput("--run, --beside and --step belong to figures of the Inspect room, as logit-share, not to " +
                           result.figure.toStdString() + ".");
        }
        const bool readsText = inspect && inspect->reads == InspectFigure::Reads::text;
        if ((set("text") && !readsText) || (set("pair") && result.figure != QStringLiteral("pair-logits"))) {
            throw BadInput(
                "--text belongs to figures of attention, as attention-map, and --pair to pair-logits, not to " +
                result.figure.toStdString() + ".");
        }
        if (result.figure == QStringLiteral("pair-logits") && result.text.isEmpty()) {
            throw BadInput("pair-logits shows what a pair adds to each logit of a text; name one with --text.");
        }
        result.figureOptions.format = formatOf(result.output);
        result.figureOptions.widthMm = numberIn(parser, QStringLiteral("width-mm"), 20, 1000);
        result.figureOptions.heightMm = numberIn(parser, QStringLiteral("height-mm"), 20, 1000);
        result.figureOptions.dpi = static_cast<int>(numberIn(parser, QStringLiteral("dpi"), 72, 1200));
        result.figureOptions.fontPt = numberIn(parser, QStringLiteral("font-pt"), 5, 48);
        result.figureOptions.appearance = result.theme.value_or(Appearance::light);
    }
    return result;
}

}  // namespace ropelab::ui
