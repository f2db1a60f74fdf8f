// Commands whose work the window program does: figures, their verification, and animations.
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "app/terminal/options.h"
#include "app/terminal/verbs.h"
#include "app/terminal/window/window_program.h"

namespace ropelab::terminal {

namespace {

struct FigureFlags {
    std::vector<std::string> names;
    std::string output;
    std::map<std::string, std::string> passed_on;  // flags that the window program has, too, and their values
    std::vector<std::string> baseline;
    std::vector<std::string> excluded;
    bool unfinished = false;
    bool outlines = false;
    bool caption = false;
    bool published = false;
    bool json = false;
};

void run_figure(const FigureFlags& flags) {
    std::vector<std::string> arguments = {"--output", flags.output};
    for (const std::string& name : flags.names) arguments.insert(arguments.end(), {"--figure", name});
    const auto add = [&](const std::string& flag, const std::string& value) {
        if (!value.empty()) arguments.insert(arguments.end(), {flag, value});
    };
    for (const auto& [flag, value] : flags.passed_on) add(flag, value);
    for (const std::string& setting : flags.baseline) add("--baseline", setting);
    for (const std::string& run : flags.excluded) add("--exclude-run", run);
    if (flags.unfinished) arguments.emplace_back("--unfinished");
    if (flags.outlines) arguments.emplace_back("--outlines");
    if (flags.caption) arguments.emplace_back("--caption");
    if (flags.published) arguments.emplace_back("--published");
    if (flags.json) arguments.emplace_back("--json");
    become_window_program("Figures", std::move(arguments));
}

}  // namespace

void add_figure(CLI::App& program) {
    CLI::App* verb = program.add_subcommand(
        "figure", "Write a figure of a lab's runs or of a rotary setup to a file; no display is needed");
    auto& flags = with_flags<FigureFlags>(*verb, run_figure);
    verb->add_option("names", flags.names,
                     "Name of the figure; several figures are panels of one page. With --lab: validation-loss, "
                     "loss-by-theta, loss-fit, improvement, "
                     "logit-contribution, "
                     "attention-map, extrapolation-loss, forest-plot (of a reproduction sheet), … With --setup: "
                     "spectrum, context-bound, rope-cache, … Of a model: anatomy, traditional-modern, "
                     "anatomy-activation (ropelab --help lists all)")
        ->required();
    const auto pass_on = [&](const char* flag, const char* help) {
        verb->add_option(flag, flags.passed_on[flag], help);
    };
    pass_on("--lab", "Lab file, for a figure of its runs");
    pass_on("--setup",
            "Rotary setup, such as \"theta=500k head_dim=128\", or two setups in one figure: "
            "\"theta=10k | theta=500k\"");
    verb->add_option("--output", flags.output,
                     "Output file: .pdf, .svg, .png, .csv, .tex (PGFPlots, with its data in a .dat file) or .wav (a "
                     "sound: pitch is y, pan is x; a spectrum: pairs as tones); - for standard output")
        ->required();
    pass_on("--format", "Format: pdf, svg, png, csv, pgfplots or wav (default: the suffix of --output)");
    pass_on("--size-for",
            "Width, height and font size for: ieee-column, ieee-page, nature-column, nature-page, icml-column, neurips "
            "or slide");
    pass_on("--width-mm", "Width in millimetres");
    pass_on("--height-mm", "Height in millimetres (default: 75, or the height that the rows of a forest plot require)");
    pass_on("--dpi", "Resolution of a PNG in dots per inch");
    pass_on("--font-pt", "Font size in points");
    pass_on("--columns", "Panels per row of a page with several figures (default: by their number)");
    verb->add_flag("--outlines", flags.outlines, "Text of an SVG as outlines instead of text in a named font");
    verb->add_flag("--caption", flags.caption, "Print a caption of each figure");
    pass_on("--theme", "Colour theme: light or dark");
    pass_on("--unit", "Unit of losses: nats or bits (per token), or bits-per-byte");
    add_repeated(
        *verb, "--baseline", flags.baseline,
        "Baseline group, as key=value, with which all other groups are compared, for figures such as improvement; "
        "the figure loss-fit shows the runs that agree with it in all settings without a term");
    pass_on("--compare", "Quantity that a figure of results compares, such as final_training_loss");
    pass_on("--test",
            "Test of the confidence intervals, for figures such as improvement: student, welch (default) or paired");
    verb->add_flag("--published", flags.published,
                   "Figures such as loss-by-theta: also show the values that papers report, if data set and model are "
                   "the paper's");
    pass_on("--claim",
            "Number or identifier of the claim that the figure forest-plot shows (default: all of the sheet)");
    pass_on("--question",
            "Number of the question that the figure answers shows, as \"lecture answers\" lists it "
            "(default: the last one)");
    pass_on("--settings",
            "Settings of the model of the figures anatomy and traditional-modern: \"layers=4 block=llama\"");
    pass_on("--model", "Known model of the figure anatomy, such as \"Llama 3 8B\"");
    pass_on("--hf-config", "Hugging Face config.json of the model of the figure anatomy");
    pass_on("--stage",
            "Stage of the figure anatomy-activation, with its layer and head: attention.weights/0/1 (default: "
            "attention.output in the first layer)");
    pass_on("--vocabulary", "Vocabulary size of the figures anatomy and traditional-modern (default: of the data set)");
    pass_on("--data-dir", "Folder that is searched first for known data sets");
    pass_on("--experiment",
            "Experiment of the runs that figures of results show: latest, all or its number (default: that of the "
            "command results, as the lab stores it)");
    verb->add_flag("--unfinished", flags.unfinished, "Figures of results include stopped and failed runs");
    pass_on("--split-by",
            "Separate groups of figures of results by the precision, device or kernels of their runs; several: "
            "precision,device");
    add_repeated(*verb, "--exclude-run", flags.excluded, "Number of a run that figures of results exclude");
    pass_on("--runs", "Runs that figures of training show, such as 1,2,5 (default: those of the command results)");
    pass_on("--run", "Number of the run (default: the lab's first)");
    pass_on("--beside", "Number of a second run; heat maps show the difference");
    pass_on("--step", "Use the last snapshot at or before this training step (default: the newest)");
    pass_on("--text",
            "Text on which attention is computed (default: the snapshot's), or whose tokens token-rotation and "
            "circuit-attention show");
    pass_on("--pair", "Pair of the figure pair-logits (default: 0)");
    pass_on("--mean", "Mean of the components of q and k in the figure random-logits, -2 to 2 (default: 0)");
    pass_on("--correlation", "Correlation of q and k in the figure random-logits, -1 to 1 (default: 0)");
    pass_on("--head", "Head of the figure encodings, from 1 (default: 1)");
    pass_on("--distances", "Number of distances of the figure encodings (default: those of the context)");
    pass_on("--layers", "Layers of the figure window-reach (default: 12)");
    pass_on("--attention-layers",
            "Attention of the layers of the figure window-reach: auto (default), or a pattern such as \"3 window + 1 "
            "full\"");
    pass_on("--full-every",
            "Every n-th layer of the figure window-reach attends to the whole context: short for the pattern \"(n − 1) "
            "window + 1 full\" (default: 0, none)");
    add_json(*verb, flags.json, "Print the file name, summary and settings as JSON");
}

namespace {

struct VerifyFlags {
    std::string figure;
    std::string lab;
    std::string data_dir;
    bool json = false;
};

void run_verify(const VerifyFlags& flags) {
    std::vector<std::string> arguments = {"--verify", flags.figure};
    if (!flags.lab.empty()) arguments.insert(arguments.end(), {"--lab", flags.lab});
    if (!flags.data_dir.empty()) arguments.insert(arguments.end(), {"--data-dir", flags.data_dir});
    if (flags.json) arguments.emplace_back("--json");
    become_window_program("Figures", std::move(arguments));
}

}  // namespace

void add_verify(CLI::App& program) {
    CLI::App* verb = program.add_subcommand(
        "verify",
        "Compute an exported figure again, draw it again and print what differs in data and picture: exit status 0 if "
        "nothing differs, 1 if something differs, 2 if it or its picture cannot be verified");
    auto& flags = with_flags<VerifyFlags>(*verb, run_verify);
    verb->add_option("figure", flags.figure, "Figure that RoPE Lab exported as PDF, SVG or PNG")->required();
    verb->add_option("--lab", flags.lab, "Lab of the figure (default: where it was, or beside the figure)");
    add_data_dir(*verb, flags.data_dir);
    add_json(*verb, flags.json, "Print the differences as JSON");
}

namespace {

struct AnimateFlags {
    std::string figure;
    std::string output;
    JobFlags fields;
};

}  // namespace

void add_animate(CLI::App& program) {
    CLI::App* verb = program.add_subcommand(
        "animate", "Write an animation of a rotary figure over positions, theta or pairs; no display is needed");
    auto& flags = with_flags<AnimateFlags>(*verb, [](const AnimateFlags& given) {
        given.fields.run("Animations", "--animate", {{"figure", given.figure}, {"output", given.output}});
    });
    verb->add_option("figure", flags.figure,
                     "Figure of a rotary setup: dials, pair, logit-split, helix, rotation-matrix, aim, token-rotation; "
                     "over theta also circuit-attention, spectrum, kernel, context-bound … (ropelab --help lists all)")
        ->required();
    verb->add_option("--output", flags.output,
                     "Output file: .gif for one animation (- for standard output); .png or .svg for one file per frame")
        ->required();
    const auto text = [&](const char* key, const char* flag, const char* help) {
        flags.fields.add_text(*verb, key, flag, help);
    };
    const auto number = [&](const char* key, const char* flag, const char* help) {
        flags.fields.add_number(*verb, key, flag, help);
    };
    text("over", "--over", "What changes from frame to frame: positions (of the query; default), theta or pairs");
    number("from", "--from", "First value (default: 0; theta: 100)");
    number("to", "--to", "Last value (default: the end of the context, the last pair; theta: 1000000)");
    number("frames", "--frames", "Number of frames, 2 to 10000 (default: 60; over pairs one per pair)");
    text("setup", "--setup", "RoPE settings, for example \"theta=500k head_dim=128 fraction=25%\"");
    number("m", "--m", "Position of the query where it does not change (default: 100)");
    number("n", "--n", "Position of the key (default: 60)");
    number("pair", "--pair", "Pair that is shown enlarged (default: the middle one)");
    number("seed", "--seed", "Seed of q and k (default: 1)");
    number("frames_per_second", "--frames-per-second",
           "Frames per second of a GIF, 0.1 to 50 (default: 20; over pairs 4)");
    number("width", "--width-px", "Width in pixels, 320 to 3840 (default: 960)");
    text("text", "--text", "Text whose tokens the figures token-rotation and circuit-attention show");
    text("theme", "--theme", "Colour theme: light or dark");
    flags.fields.add_json(*verb);
}

namespace {

struct ReplayFlags {
    std::vector<std::string> figures;
    std::string lab;
    std::string output;
    JobFlags fields;
    bool difference = false;
};

void run_replay(const ReplayFlags& flags) {
    // Without --head, attention maps show one head and the other figures the mean over heads.
    constexpr int automatic_head = -2;
    nlohmann::json job{
        {"figures", flags.figures}, {"lab", flags.lab}, {"output", flags.output}, {"head", automatic_head}};
    if (flags.difference) job["difference"] = true;
    flags.fields.run("Replays", "--replay", std::move(job));
}

}  // namespace

void add_replay(CLI::App& program) {
    CLI::App* verb = program.add_subcommand(
        "replay", "Write a run's training as an animation with one frame per snapshot; no display is needed");
    auto& flags = with_flags<ReplayFlags>(*verb, run_replay);
    verb->add_option(
            "figures", flags.figures,
            "One or two figures of the Inspect room, side by side: logit-contribution, attention-map, pair-dials … "
            "(ropelab --help lists all). As the second figure, \"second-run\" shows the first figure for the "
            "run of --beside")
        ->required()
        ->expected(1, 2);
    add_lab(*verb, flags.lab);
    verb->add_option("--output", flags.output,
                     "Output file: .gif for one animation (- for standard output); .png or .svg for one file per frame")
        ->required();
    const auto text = [&](const char* key, const char* flag, const char* help) {
        flags.fields.add_text(*verb, key, flag, help);
    };
    const auto number = [&](const char* key, const char* flag, const char* help) {
        flags.fields.add_number(*verb, key, flag, help);
    };
    number("run", "--run", "Number of the run that is replayed (default: the lab's first)");
    number("beside", "--beside", "Number of a second run, drawn faintly for comparison");
    verb->add_flag("--difference", flags.difference, "Heat maps show the difference: run minus second run");
    number("layer", "--layer", "Layer, counted from 0 (default: all layers or their mean)");
    number(
        "head", "--head",
        "Head, counted from 0, or -1 for the mean over heads (default: the mean; in attention maps the head with the "
        "largest rotary logit contribution)");
    text("rows", "--rows", "Rows of heat maps: layers or heads");
    text("along", "--along", "Horizontal axis of spectra: pair or wavelength");
    number("pair", "--pair", "Rotary pair that is highlighted");
    number("lag", "--distance", "Distance in tokens between query and key in pair-dials (default: 10)");
    number("frames_per_second", "--frames-per-second", "Frames per second of a GIF, 0.1 to 50 (default: 4)");
    number("width", "--width-px", "Width in pixels, 320 to 3840 (default: 960)");
    number("frames", "--frames", "Maximum number of frames, evenly spaced (default: one per snapshot)");
    text("theme", "--theme", "Colour theme: light or dark");
    flags.fields.add_json(*verb);
}

}  // namespace ropelab::terminal
