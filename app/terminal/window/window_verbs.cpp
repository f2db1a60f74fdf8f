// Commands whose work the window program does: figures, their verification, and animations.
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "app/terminal/options.h"
#include "app/terminal/verbs.h"
#include "app/terminal/window/window_program.h"
#include "core/base/error.h"

namespace ropelab::terminal {

void add_figure(CLI::App& program) {
    CLI::App* verb = program.add_subcommand(
        "figure", "Write a figure of a lab file's runs, of a rotary setup or of a model to a file; needs no display");
    // The window program knows the figures and their options, and prints their help.
    verb->set_help_flag();
    verb->prefix_command();
    verb->callback([verb] {
        std::vector<std::string> arguments = verb->remaining();
        arguments.insert(arguments.begin(), "--figures");
        become_window_program("Figures", std::move(arguments));
    });
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
        "Recompute and redraw an exported figure, and print the differences in data and picture: exit status 0 if "
        "nothing differs, 1 if something differs, 2 if the figure or its picture cannot be verified");
    auto& flags = with_flags<VerifyFlags>(*verb, run_verify);
    verb->add_option("figure", flags.figure, "Figure that RoPE Lab exported as PDF, SVG or PNG")->required();
    verb->add_option("--lab", flags.lab,
                     "Lab file whose runs the figure shows (default: the file's path when the figure was exported, or "
                     "the figure's folder)");
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
        "animate", "Write an animation of a rotary figure over positions, theta or pairs; needs no display");
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
    JobFlags& job = flags.fields;
    job.begin(*verb);
    job.text("over", "--over",
             "Quantity that changes from frame to frame: positions (of the query; default), theta or pairs");
    job.number("from", "--from", "First value of the animated quantity (default: 0; for theta 100)");
    job.number(
        "to", "--to",
        "Last value of the animated quantity (default: the end of the context or the last pair; for theta 1000000)");
    job.number("frames", "--frames", "Number of frames, 2 to 10000 (default: 60; over pairs one per pair)");
    job.text("setup", "--setup", "RoPE settings, for example \"theta=500k head_dim=128 fraction=25%\"");
    job.number("m", "--m", "Position of the query in animations over theta or pairs (default: 100)");
    job.number("n", "--n", "Position of the key (default: 60)");
    job.number("pair", "--pair", "Rotary pair that is shown enlarged (default: the middle one)");
    job.number("seed", "--seed", "Random seed of the query q and the key k (default: 1)");
    job.number("frames_per_second", "--frames-per-second",
               "Frames per second of a GIF, 0.1 to 50 (default: 20; over pairs 4)");
    job.number("width", "--width-px", "Width in pixels, 320 to 3840 (default: 960)");
    job.text("text", "--text", "Text whose tokens the figures token-rotation and circuit-attention show");
    job.text("theme", "--theme", "Colour theme: light or dark");
    job.json();
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
    if (flags.figures.size() > 2) {
        throw BadInput("A replay shows one or two figures, but the command names " +
                       std::to_string(flags.figures.size()) + "; leave out the others.");
    }
    nlohmann::json job{
        {"figures", flags.figures}, {"lab", flags.lab}, {"output", flags.output}, {"head", automatic_head}};
    if (flags.difference) job["difference"] = true;
    flags.fields.run("Replays", "--replay", std::move(job));
}

}  // namespace

void add_replay(CLI::App& program) {
    CLI::App* verb = program.add_subcommand(
        "replay",
        "Write a run's training as an animation with one frame per stored measurement (snapshot); needs no display");
    auto& flags = with_flags<ReplayFlags>(*verb, run_replay);
    verb->add_option("figures", flags.figures,
                     "One or two figures of the window's page Inspect, side by side: logit-contribution, "
                     "attention-map, pair-dials … (ropelab --help lists all). \"second-run\" as the second figure "
                     "shows the first figure for the run of --beside")
        ->required();
    add_lab(*verb, flags.lab);
    verb->add_option("--output", flags.output,
                     "Output file: .gif for one animation (- for standard output); .png or .svg for one file per frame")
        ->required();
    JobFlags& job = flags.fields;
    job.begin(*verb);
    job.number("run", "--run", "Number of the run whose training is animated (default: the first run of the lab file)");
    job.number("beside", "--beside", "Number of a second run, drawn faintly for comparison");
    verb->add_flag("--difference", flags.difference,
                   "In heat maps, show the difference between the two runs: --run minus --beside");
    job.number("layer", "--layer", "Layer, counted from 0 (default: all layers or their mean)");
    job.number(
        "head", "--head",
        "Head, counted from 0, or -1 for the mean over heads (default: the mean; in attention maps the head with the "
        "largest rotary logit contribution)");
    job.text("rows", "--rows",
             "Rows of heat maps: layers, heads (of one layer), all-heads, or sorted (all heads in the order of their "
             "strongest pair)");
    job.text("along", "--along", "Horizontal axis of spectra: pair or wavelength");
    job.number("pair", "--pair", "Rotary pair that is highlighted");
    job.number("lag", "--distance", "Distance in tokens between query and key in the figure pair-dials (default: 10)");
    job.number("frames_per_second", "--frames-per-second", "Frames per second of a GIF, 0.1 to 50 (default: 4)");
    job.number("width", "--width-px", "Width in pixels, 320 to 3840 (default: 960)");
    job.number("frames", "--frames", "Maximum number of frames, evenly spaced (default: one per stored measurement)");
    job.text("theme", "--theme", "Colour theme: light or dark");
    job.json();
}

}  // namespace ropelab::terminal
