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
    // The window's program tells what is out of range.
    nlohmann::json job{{"figures", flags.figures}, {"lab", flags.lab}, {"output", flags.output}};
    const auto text = [&job](const char* key, const std::string& value) {
        if (!value.empty()) job[key] = value;
    };
    const auto number = [&job](const char* key, const char* flag, const std::string& value) {
        if (value.empty()) return;
        try {
            job[key] = parse_number(value);
        } catch (const BadInput&) {
            throw BadInput(std::string(flag) + " takes a number, not \"" + value + "\".");
        }
    };
    number("run", "--run", flags.run);
    number("beside", "--beside", flags.beside);
    number("layer", "--layer", flags.layer);
    number("head", "--head", flags.head);
    text("rows", flags.rows);
    text("along", flags.along);
    number("pair", "--pair", flags.pair);
    number("lag", "--lag", flags.lag);
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
        "replay", "Write a run's training as an animated picture, a frame a snapshot, without a display");
    verb->add_option("figures", flags->figures,
                     "One or two figures of the Inspect room, side by side: logit-share, attention-map, pair-dials … "
                     "(ropelab --help lists all); as the second, second-run for the first one of the second run")
        ->required()
        ->expected(1, 2);
    verb->add_option("--lab", flags->lab, "The lab file")->required();
    verb->add_option("--output", flags->output,
                     "A file that ends in .gif for one animated picture; .png or .svg for a file a frame")
        ->required();
    verb->add_option("--run", flags->run, "The run that is replayed (the lab's first)");
    verb->add_option("--beside", flags->beside, "A second run, drawn faintly");
    verb->add_flag("--difference", flags->difference, "Heat maps show the run minus the second one");
    verb->add_option("--layer", flags->layer, "The layer, from 0 (all, or their mean)");
    verb->add_option("--head", flags->head, "The head, from 0 (the mean over heads)");
    verb->add_option("--rows", flags->rows, "Rows of heat maps: layers or heads");
    verb->add_option("--along", flags->along, "The horizontal axis of spectra: pair or wavelength");
    verb->add_option("--pair", flags->pair, "The pair that is lit");
    verb->add_option("--lag", flags->lag, "Tokens between query and key of the dials (10)");
    verb->add_option("--frames-per-second", flags->per_second, "The pace of an animated picture, 0.1 to 50 (4)");
    verb->add_option("--width-px", flags->width_px, "Width in pixels, 320 to 3840 (960)");
    verb->add_option("--frames", flags->frames, "At most so many frames, evenly thinned out (every snapshot)");
    verb->add_option("--theme", flags->theme, "light or dark");
    verb->add_flag("--json", flags->json, "Say what was written as JSON");
    verb->callback([flags] { run(*flags); });
}

}  // namespace ropelab::terminal
