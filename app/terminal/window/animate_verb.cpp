#include <memory>
#include <string>

#include "app/terminal/verbs.h"
#include "app/terminal/window/window_job.h"

namespace ropelab::terminal {

namespace {

struct AnimateFlags {
    std::string figure;
    std::string output;
    JobFlags fields;
};

}  // namespace

void add_animate(CLI::App& program) {
    auto flags = std::make_shared<AnimateFlags>();
    CLI::App* verb = program.add_subcommand(
        "animate", "Write an animation of a rotary figure over positions, theta or pairs; no display is needed");
    verb->add_option("figure", flags->figure,
                     "Figure of a rotary setup: dials, pair, logit-split, helix, rotation-matrix, aim, token-rotation; "
                     "over theta also circuit-attention, spectrum, kernel, context-bound … (ropelab --help lists all)")
        ->required();
    verb->add_option("--output", flags->output,
                     "Output file: .gif for one animation (- for standard output); .png or .svg for one file per frame")
        ->required();
    const auto text = [&](const char* key, const char* flag, const char* help) {
        flags->fields.add_text(*verb, key, flag, help);
    };
    const auto number = [&](const char* key, const char* flag, const char* help) {
        flags->fields.add_number(*verb, key, flag, help);
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
    flags->fields.add_json(*verb);
    verb->callback([flags] {
        flags->fields.run("Animations", "--animate", {{"figure", flags->figure}, {"output", flags->output}});
    });
}

}  // namespace ropelab::terminal
