#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "app/terminal/verbs.h"
#include "app/terminal/window/window_job.h"

namespace ropelab::terminal {

namespace {

struct Flags {
    std::vector<std::string> figures;
    std::string lab;
    std::string output;
    JobFlags fields;
    bool difference = false;
};

void run(const Flags& flags) {
    // Without --head, attention maps show one head and the other figures the mean over heads.
    constexpr int automatic_head = -2;
    nlohmann::json job{
        {"figures", flags.figures}, {"lab", flags.lab}, {"output", flags.output}, {"head", automatic_head}};
    if (flags.difference) job["difference"] = true;
    flags.fields.run("Replays", "--replay", std::move(job));
}

}  // namespace

void add_replay(CLI::App& program) {
    auto flags = std::make_shared<Flags>();
    CLI::App* verb = program.add_subcommand(
        "replay", "Write a run's training as an animation with one frame per snapshot; no display is needed");
    verb->add_option(
            "figures", flags->figures,
            "One or two figures of the Inspect room, side by side: logit-contribution, attention-map, pair-dials … "
            "(ropelab --help lists all). As the second figure, \"second-run\" shows the first figure for the "
            "run of --beside")
        ->required()
        ->expected(1, 2);
    verb->add_option("--lab", flags->lab, "Lab file")->required();
    verb->add_option("--output", flags->output,
                     "Output file: .gif for one animation (- for standard output); .png or .svg for one file per frame")
        ->required();
    const auto text = [&](const char* key, const char* flag, const char* help) {
        flags->fields.add_text(*verb, key, flag, help);
    };
    const auto number = [&](const char* key, const char* flag, const char* help) {
        flags->fields.add_number(*verb, key, flag, help);
    };
    number("run", "--run", "Number of the run that is replayed (default: the lab's first)");
    number("beside", "--beside", "Number of a second run, drawn faintly for comparison");
    verb->add_flag("--difference", flags->difference, "Heat maps show the difference: run minus second run");
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
    flags->fields.add_json(*verb);
    verb->callback([flags] { run(*flags); });
}

}  // namespace ropelab::terminal
