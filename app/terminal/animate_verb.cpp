#include <map>
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

struct AnimateField {
    std::string flag;
    bool is_number = false;
    std::string value = {};
};

struct AnimateFlags {
    std::string figure;
    std::string output;
    std::map<std::string, AnimateField> fields;  // by the key of the job
    bool json = false;
};

void animate(const AnimateFlags& flags) {
    // The window program checks the ranges.
    nlohmann::json job{{"figure", flags.figure}, {"output", flags.output}};
    for (const auto& [key, field] : flags.fields) {
        if (field.value.empty()) continue;
        try {
            job[key] = field.is_number ? nlohmann::json(parse_number(field.value)) : nlohmann::json(field.value);
        } catch (const BadInput&) {
            throw BadInput(field.flag + " requires a number, not \"" + field.value + "\".");
        }
    }
    std::vector<std::string> arguments = {"--animate",
                                          job.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)};
    if (flags.json) arguments.emplace_back("--json");
    become_window_program("Animations", std::move(arguments));
}

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
                     "Output file: .gif for one animation; .png or .svg for one file per frame")
        ->required();
    const auto add = [&](const char* key, AnimateField field, const char* help) {
        verb->add_option(field.flag, (flags->fields[key] = field).value, help);
    };
    const auto text = [&](const char* key, const char* flag, const char* help) { add(key, {flag}, help); };
    const auto number = [&](const char* key, const char* flag, const char* help) { add(key, {flag, true}, help); };
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
    verb->add_flag("--json", flags->json, "Print the written files as JSON");
    verb->callback([flags] { animate(*flags); });
}

}  // namespace ropelab::terminal
