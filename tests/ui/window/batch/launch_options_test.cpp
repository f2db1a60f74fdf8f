#include "ui/window/batch/launch_options.h"

#include <gtest/gtest.h>

#include <QJsonArray>

#include "core/base/error.h"
#include "ui/window/batch/batch_modes.h"
#include "ui/window/frame/figures.h"

namespace ropelab::ui {
namespace {

LaunchOptions parse(const QStringList& flags) {
    return parseLaunchOptions(QStringList("ropelab") + flags);
}

TEST(LaunchOptions, ParsesModesAndThePositionalLab) {
    EXPECT_EQ(parse({}).mode, LaunchOptions::Mode::window);
    EXPECT_EQ(parse({"my.ropelab"}).lab, "my.ropelab");
    EXPECT_EQ(parse({"--exit-after-startup"}).mode, LaunchOptions::Mode::startup);
    EXPECT_EQ(parse({"--version"}).mode, LaunchOptions::Mode::version);
    EXPECT_TRUE(parse({"--help"}).helpText.contains("--screenshot"));
}

TEST(LaunchOptions, ParsesScreenshotOptions) {
    const auto options = parse({"--screenshot", "a.png", "--room", "Train", "--size", "1024x640", "--theme", "dark",
                                "--scale", "150", "--after", "2.5"});
    EXPECT_EQ(options.mode, LaunchOptions::Mode::screenshot);
    EXPECT_EQ(options.size, QSize(1024, 640));
    EXPECT_EQ(options.theme, Appearance::dark);
    EXPECT_EQ(options.scale, 150);
    EXPECT_EQ(options.after, 2.5);
}

TEST(LaunchOptions, ParsesALectureAndItsScene) {
    const auto options = parse({"--lecture", "clocks", "--scene", "four-clocks/2"});
    EXPECT_EQ(options.mode, LaunchOptions::Mode::window);
    EXPECT_EQ(options.lecture, "clocks");
    EXPECT_EQ(options.scene, "four-clocks");
    EXPECT_EQ(options.sceneStep, 2);
    EXPECT_EQ(parse({"--lecture", "clocks", "--scene", "4"}).sceneStep, 0);
}

TEST(LaunchOptions, ParsesFigureAndHeadlessOptions) {
    const auto figure = parse({"--figure", "training-loss", "--lab", "a.ropelab", "--output", "a.svg", "--width-mm",
                               "85", "--height-mm", "60", "--dpi", "600", "--font-pt", "8"});
    EXPECT_EQ(figure.mode, LaunchOptions::Mode::figure);
    EXPECT_EQ(figure.figureOptions.format, FigureFormat::svg);
    EXPECT_EQ(figure.figureOptions.widthMm, 85);
    EXPECT_EQ(figure.figureOptions.dpi, 600);
    EXPECT_TRUE(figure.isHeightChosen);
    const auto forest =
        parse({"--figure", "forest-plot", "--lab", "a.ropelab", "--output", "a.pdf", "--claim", "longer-training"});
    EXPECT_EQ(forest.figureFlags["claim"].toString(), "longer-training");
    EXPECT_FALSE(forest.isHeightChosen);
    EXPECT_TRUE(figure.figureFlags.isEmpty());
    const auto published =
        parse({"--figure", "loss-by-theta", "--lab", "a.ropelab", "--output", "a.pdf", "--published"});
    EXPECT_EQ(published.figureFlags["published"], QJsonValue(true));
    const auto random =
        parse({"--figure", "random-logits", "--output", "b.pdf", "--mean", "1", "--correlation", "-0.5"});
    EXPECT_EQ(random.figureFlags, (QJsonObject{{"mean", "1"}, {"correlation", "-0.5"}}));
    const auto encodings = parse({"--figure", "encodings", "--output", "b.pdf", "--head", "3", "--distances", "64"});
    EXPECT_EQ(encodings.figureFlags, (QJsonObject{{"head", "3"}, {"distances", "64"}}));
    EXPECT_EQ(parse({"--figure", "encodings", "--output", "b.pdf", "--lab", "a.ropelab"}).lab, "a.ropelab");
    const auto reach = parse({"--figure", "window-reach", "--output", "b.pdf", "--layers", "6", "--full-every", "3"});
    const Figure reachable = makeFigures(reach).front();
    EXPECT_EQ(reachable.settings["attention_layers"].toString(), "2 window + 1 full");
    // The figure is computed again from the pattern that the flag means.
    EXPECT_EQ(reachable.origin.flags["attention-layers"].toString(), "2 window + 1 full");
    EXPECT_FALSE(reachable.origin.flags.contains("full-every"));
    const auto pattern =
        parse({"--figure", "window-reach", "--output", "b.pdf", "--attention-layers", "3 deltanet + 1 window"});
    EXPECT_EQ(makeFigures(pattern).front().settings["attention_layers"].toString(), "3 deltanet + 1 window");
    const auto headless = parse({"--headless", "--output", "out", "--preset", "theta-minute"});
    EXPECT_EQ(headless.mode, LaunchOptions::Mode::headless);
    EXPECT_EQ(headless.preset, "theta-minute");
}

TEST(LaunchOptions, StandardOutputNeedsAFormatExceptForReplays) {
    const auto figure = parse({"--figure", "spectrum", "--output", "-", "--format", "svg"});
    EXPECT_EQ(figure.figureOptions.format, FigureFormat::svg);
    EXPECT_EQ(parse({"--figure", "spectrum", "--output", "a.csv", "--format", "csv"}).figureOptions.format,
              FigureFormat::csv);
    const auto replay = parse({"--replay", R"({"figures": ["pair-dials"], "lab": "a", "output": "-"})"}).replay;
    EXPECT_TRUE(replay.isAnimated());
    EXPECT_TRUE(whyFramesExist(replay.output).isEmpty());
}

TEST(LaunchOptions, RepeatedOptionsOfAFigureAreLists) {
    const QJsonObject flags =
        parse({"--figure", "improvement", "--lab", "a", "--output", "b.pdf", "--experiment", "3", "--unfinished",
               "--split-by", "precision,device", "--exclude-run", "2", "--exclude-run", "5"})
            .figureFlags;
    EXPECT_EQ(flags, (QJsonObject{{"experiment", "3"},
                                  {"unfinished", true},
                                  {"split-by", "precision,device"},
                                  {"exclude-run", QJsonArray{"2", "5"}}}));
}

TEST(LaunchOptions, FigureCommandOfTheTerminalIsReadAsItIsTyped) {
    const LaunchOptions options = parse({"--figures", "--lab", "a.ropelab", "anatomy", "group-means", "--output",
                                         "b.pdf", "--test", "welch", "--theme", "dark", "--json"});
    EXPECT_EQ(options.mode, LaunchOptions::Mode::figure);
    EXPECT_EQ(options.figures, QStringList({"anatomy", "group-means"}));
    EXPECT_EQ(options.lab, "a.ropelab");
    EXPECT_EQ(options.figureFlags, (QJsonObject{{"test", "welch"}}));
    EXPECT_TRUE(options.asJson);
    EXPECT_EQ(options.figureOptions.appearance, Appearance::dark);
    const QString help = parse({"--figures", "--help"}).helpText;
    for (const FigureOption* option : optionsOf(figureEntries())) {
        EXPECT_TRUE(help.contains(QStringLiteral("--") + option->name)) << option->name;
    }
    for (const FigureEntry& entry : figureEntries()) EXPECT_TRUE(help.contains(entry.name)) << entry.name.toStdString();
}

TEST(LaunchOptions, LayerAndHeadApplyToEveryFigureThatHasThem) {
    for (const char* name : {"attention-map", "attention-entropy", "query-spectrum", "pair-dials", "encodings"}) {
        EXPECT_TRUE(findFigure(name)->has(option::head)) << name;
    }
    EXPECT_FALSE(findFigure("inspect-loss")->has(option::head));
    EXPECT_EQ(parse({"--figure", "attention-map", "--lab", "a", "--output", "b.pdf", "--layer", "1", "--head", "0"})
                  .figureFlags,
              (QJsonObject{{"layer", "1"}, {"head", "0"}}));
}

TEST(LaunchOptions, ParsesReplayOptions) {
    const auto options = parse(
        {"--replay", R"({"lab": "a.ropelab", "output": "a.gif", "figures": ["logit-contribution"], "width": 640})"});
    EXPECT_EQ(options.mode, LaunchOptions::Mode::replay);
    EXPECT_EQ(options.replay.figures, QStringList("logit-contribution"));
    EXPECT_EQ(options.replay.width, 640);
    EXPECT_THROW(parse({"--replay", "{}"}), BadInput);
    EXPECT_THROW(parse({"--replay", "{}", "--headless"}), BadInput);
}

TEST(LaunchOptions, AnimationIsDescribedByJson) {
    const LaunchOptions options =
        parse({"--animate", R"({"figure": "spectrum", "over": "theta", "output": "a.gif", "setup": "head_dim=32"})"});
    EXPECT_EQ(options.mode, LaunchOptions::Mode::animate);
    EXPECT_EQ(options.animation.figure, "spectrum");
    EXPECT_EQ(options.animation.setup.head_dim, 32);
    EXPECT_THROW(parse({"--animate", "{}"}), BadInput);
    EXPECT_THROW(parse({"--animate", "{}", "--headless"}), BadInput);
}

TEST(LaunchOptions, ErrorsNameTheInvalidValue) {
    const std::pair<QStringList, const char*> cases[] = {
        {{"--wrong"}, "wrong"},
        {{"--size", "12"}, "12"},
        {{"--size", "10x10"}, "10x10"},
        {{"--theme", "blue"}, "blue"},
        {{"--scale", "90"}, "90"},
        {{"--scale", "big"}, "big"},
        {{"--preset", "theta-minuet"}, "theta-minute"},
        {{"--headless"}, "--output"},
        {{"--figure", "heat", "--lab", "a", "--output", "b.pdf"}, "heat"},
        {{"--figure", "training-loss", "--lab", "a", "--output", "b.doc"}, "doc"},
        {{"--figure", "training-loss", "--output", "b.pdf"}, "--lab"},
        {{"--figure", "logit-contribution", "--lab", "a", "--output", "b.pdf", "--run", "1.7"},
         "1.7, but it must be a whole"},
        {{"--screenshot", "a.png", "--headless", "--output", "b"}, "--headless"},
        {{"--figure", "spikes", "--lab", "a", "--output", "b.pdf", "--baseline", "theta"}, "such as theta=10000"},
        {{"--figure", "logit-contribution", "--lab", "a", "--output", "b.pdf", "--compare", "seconds"}, "page Results"},
        {{"--figure", "logit-contribution", "--lab", "a", "--output", "b.pdf", "--test", "paired"}, "page Results"},
        {{"--figure", "logit-contribution", "--lab", "a", "--output", "b.pdf", "--published"}, "page Results"},
        {{"--figure", "improvement", "--lab", "a", "--output", "b.pdf", "--test", "sign"},
         "student, welch, paired or permutation"},
        {{"--figure", "improvement", "--lab", "a", "--output", "b.pdf", "--run", "3"}, "page Inspect"},
        {{"--figure", "logit-contribution", "--lab", "a", "--output", "b.pdf", "--text", "x"},
         "such as attention-heads"},
        {{"--figure", "attention-map", "--lab", "a", "--output", "b.pdf", "--pair", "1"}, "pair-logits"},
        {{"--figure", "pair-logits", "--lab", "a", "--output", "b.pdf"}, "give the text with --text"},
        {{"--figure", "improvement", "--lab", "a", "--output", "b.pdf", "--claim", "x"}, "--claim applies to"},
        {{"--figure", "spectrum", "--output", "b.pdf", "--mean", "1"}, "applies to the figure random-logits"},
        {{"--figure", "random-logits", "--output", "b.pdf", "--correlation", "2"}, "-1 to 1"},
        {{"--figure", "spectrum", "--output", "b.pdf", "--head", "2"}, "encodings"},
        {{"--figure", "query-spectrum", "--lab", "a", "--output", "b.pdf", "--layer", "1", "--head", "2"},
         "use only one of --layer and --head"},
        {{"--figure", "encodings", "--output", "b.pdf", "--layers", "2"}, "applies to the figure window-reach"},
        {{"--figure", "window-reach", "--output", "b.pdf", "--lab", "a"}, "instead of --lab"},
        {{"--figure", "anatomy", "--output", "b.pdf", "--lab", "a", "--settings", "layers=3"},
         "--lab and --settings each name a model"},
        {{"--figure", "anatomy", "--output", "b.pdf", "--lab", "a", "--vocabulary", "9"}, "a run has its own"},
        {{"--figure", "window-reach", "--output", "b.pdf", "--attention-layers", "3 windows"}, "a pattern of full"},
        {{"--figure", "window-reach", "--output", "b.pdf", "--attention-layers", "1 full", "--full-every", "2"},
         "use only one"},
        {{"--headless", "--output", "b", "--room", "cache"}, "--room cannot be used with --headless"},
        {{"--headless", "--output", "b", "--lab", "a.ropelab"}, "a new lab file"},
        {{"--after", "3"}, "--screenshot"},
        {{"--scene", "3"}, "--lecture"},
        {{"--lecture", "clocks", "--scene", "3/two"}, "whole number"},
        {{"--headless", "--output", "b", "--lecture", "clocks"}, "--lecture cannot be used with --headless"},
        {{"--animate", R"({"figure": "waves", "output": "a.gif"})"}, "no rotary figure \"waves\""},
        {{"--animate", R"({"figure": "spectrum", "output": "a.gif"})"}, "animate it over theta"},
        {{"--animate", R"({"output": "a.mp4"})"}, "but it is \"a.mp4\""},
        {{"--json"}, "--figure, --replay, --animate, --document and --verify"},
        {{"a.ropelab", "b.ropelab"}, "One lab"},
        {{"--room", "cache", "--room", "train"}, "The option --room is given twice"},
        {{"--json", "--figure", "spectrum", "--json", "--output", "b.pdf"}, "The option --json is given twice"},
        {{"--scale", "nan"}, "requires a number"},
        {{"--figure", "spectrum", "--output", "-"}, "add --format pdf, svg, png, csv or wav"},
        {{"--figure", "spectrum", "--output", "-", "--format", "bmp"},
         "it must be pdf, svg, png, csv, pgfplots or wav"},
        {{"--figure", "spectrum", "--output", "a.pdf", "--format", "wav"}, "change the suffix to .wav"},
        {{"--figure", "spectrum", "--figure", "kernel", "--output", "a.wav"}, "A sound contains one figure"},
        {{"--figure", "spectrum", "--output", "b.pdf", "--format", "svg"}, "change the suffix"},
        {{"--figure", "spectrum", "--output", "-", "--format", "svg", "--json"}, "leave out one of them"},
        {{"--figure", "spectrum", "--output", "-", "--format", "svg", "--caption"}, "leave out --caption"},
        {{"--figure", "improvement", "--lab", "a", "--output", "b.pdf", "--experiment", "0"},
         "latest, all or the number"},
        {{"--figure", "improvement", "--lab", "a", "--output", "b.pdf", "--exclude-run", "x"}, "number of a run"},
        {{"--figure", "improvement", "--lab", "a", "--output", "b.pdf", "--split-by", "theta"}, "theta"},
        {{"--figure", "training-loss", "--lab", "a", "--output", "b.pdf", "--unfinished"}, "page Results"},
        {{"--headless", "--output", "-"}, "--output FOLDER"},
        {{"--replay", R"({"figures": ["pair-dials"], "lab": "a", "output": "-"})", "--json"}, "leave out one of them"},
        {{"--replay", R"({"figures": ["pair-dials"], "lab": "a", "lab": "b", "output": "a.gif"})"}, "\"lab\" twice"},
    };
    for (const auto& [flags, named] : cases) {
        try {
            parse(flags);
            ADD_FAILURE() << flags.join(' ').toStdString() << " was accepted";
        } catch (const BadInput& error) {
            EXPECT_NE(std::string(error.what()).find(named), std::string::npos) << error.what();
        }
    }
}

}  // namespace
}  // namespace ropelab::ui
