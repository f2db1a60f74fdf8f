#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "app/terminal/verbs.h"
#include "app/terminal/window_program.h"
#include "core/spec/error.h"
#include "core/spec/numbers.h"

namespace ropelab::terminal {

namespace {

struct Flags {
    std::vector<std::string> figures;
    std::string lab;
    std::string output;
    std::string run, beside, layer, head, rows, along, pair, lag, width_px, per_second, frames, theme;
    bool difference = false;
    bool json = false;
};

void run(const Flags& flags) {
    // The window program checks the ranges.
    nlohmann::json job{{"figures", flags.figures}, {"lab", flags.lab}, {"output", flags.output}};
    const auto text = [&job](const char* key, const std::string& value) {
        if (!value.empty()) job[key] = value;
    };
    const auto number = [&job](const char* key, const char* flag, const std::string& value) {
        if (value.empty()) return;
        try {
            job[key] = parse_number(value);
        } catch (const BadInput&) {
            throw BadInput(std::string(flag) + " requires a number, not \"" + value + "\".");
        }
    };
    number("run", "--run", flags.run);
    number("beside", "--beside", flags.beside);
    number("layer", "--layer", flags.layer);
    number("head", "--head", flags.head);
    text("rows", flags.rows);
    text("along", flags.along);
    number("pair", "--pair", flags.pair);
    number("lag", "--distance", flags.lag);
    if (flags.difference) job["difference"] = true;
    number("width", "--width-px", flags.width_px);
    number("frames_per_second", "--frames-per-second", flags.per_second);
    number("frames", "--frames", flags.frames);
    text("theme", flags.theme);
    std::vector<std::string> arguments = {"--replay",
                                          job.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)};
    if (flags.json) arguments.emplace_back("--json");
    become_window_program("Replays", std::move(arguments));
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
                     "Output file: .gif for one animation; .png or .svg for one file per frame")
        ->required();
    verb->add_option("--run", flags->run, "Number of the run that is replayed (default: the lab's first)");
    verb->add_option("--beside", flags->beside, "Number of a second run, drawn faintly for comparison");
    verb->add_flag("--difference", flags->difference, "Heat maps show the difference: run minus second run");
    verb->add_option("--layer", flags->layer, "Layer, counted from 0 (default: all layers or their mean)");
    verb->add_option("--head", flags->head, "Head, counted from 0 (default: the mean over heads)");
    verb->add_option("--rows", flags->rows, "Rows of heat maps: layers or heads");
    verb->add_option("--along", flags->along, "Horizontal axis of spectra: pair or wavelength");
    verb->add_option("--pair", flags->pair, "Rotary pair that is highlighted");
    verb->add_option("--distance", flags->lag, "Distance in tokens between query and key in pair-dials (default: 10)");
    verb->add_option("--frames-per-second", flags->per_second, "Frames per second of a GIF, 0.1 to 50 (default: 4)");
    verb->add_option("--width-px", flags->width_px, "Width in pixels, 320 to 3840 (default: 960)");
    verb->add_option("--frames", flags->frames, "Maximum number of frames, evenly spaced (default: one per snapshot)");
    verb->add_option("--theme", flags->theme, "Colour theme: light or dark");
    verb->add_flag("--json", flags->json, "Print the written files as JSON");
    verb->callback([flags] { run(*flags); });
}

}  // namespace ropelab::terminal
