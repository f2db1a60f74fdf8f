#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/terminal/verbs.h"
#include "app/terminal/window_program.h"

namespace ropelab::terminal {

namespace {

struct Flags {
    std::string name;
    std::string lab;
    std::string setup;
    std::string output;
    std::string width_mm, height_mm, dpi, font_pt, theme, unit, run, beside, step, text, pair, mean, correlation;
    std::string compare, test, data_dir;
    std::vector<std::string> baseline;
    bool json = false;
};

void run(const Flags& flags) {
    std::vector<std::string> arguments = {"--figure", flags.name, "--output", flags.output};
    const auto add = [&](const char* flag, const std::string& value) {
        if (!value.empty()) arguments.insert(arguments.end(), {flag, value});
    };
    add("--lab", flags.lab);
    add("--setup", flags.setup);
    add("--width-mm", flags.width_mm);
    add("--height-mm", flags.height_mm);
    add("--dpi", flags.dpi);
    add("--font-pt", flags.font_pt);
    add("--theme", flags.theme);
    add("--unit", flags.unit);
    add("--run", flags.run);
    add("--beside", flags.beside);
    add("--step", flags.step);
    add("--text", flags.text);
    add("--pair", flags.pair);
    add("--mean", flags.mean);
    add("--correlation", flags.correlation);
    for (const std::string& setting : flags.baseline) add("--baseline", setting);
    add("--compare", flags.compare);
    add("--test", flags.test);
    add("--data-dir", flags.data_dir);
    if (flags.json) arguments.emplace_back("--json");
    become_window_program("Figures", std::move(arguments));
}

}  // namespace

void add_figure(CLI::App& program) {
    auto flags = std::make_shared<Flags>();
    CLI::App* verb = program.add_subcommand(
        "figure", "Write a figure of a lab's runs or of a rotary setup to a file; no display is needed");
    verb->add_option(
            "name", flags->name,
            "Name of the figure. With --lab: validation-loss, loss-by-theta, improvement, logit-contribution, "
            "attention-map, "
            "extrapolation-loss, … With --setup: spectrum, context-bound, rope-cache, … (ropelab --help lists all)")
        ->required();
    verb->add_option("--lab", flags->lab, "Lab file, for a figure of its runs");
    verb->add_option("--setup", flags->setup, "Rotary setup, such as \"theta=500k head_dim=128\"");
    verb->add_option("--output", flags->output, "Output file: .pdf, .svg, .png or .csv")->required();
    verb->add_option("--width-mm", flags->width_mm, "Width in millimetres");
    verb->add_option("--height-mm", flags->height_mm, "Height in millimetres");
    verb->add_option("--dpi", flags->dpi, "Resolution of a PNG in dots per inch");
    verb->add_option("--font-pt", flags->font_pt, "Font size in points");
    verb->add_option("--theme", flags->theme, "Colour theme: light or dark");
    verb->add_option("--unit", flags->unit, "Unit of losses: nats or bits");
    verb->add_option(
            "--baseline", flags->baseline,
            "Baseline group, as key=value, with which all other groups are compared, for figures such as improvement")
        ->allow_extra_args(false);
    verb->add_option("--compare", flags->compare,
                     "Quantity that a figure of results compares, such as final_training_loss");
    verb->add_option(
        "--test", flags->test,
        "Test of the confidence intervals, for figures such as improvement: student, welch (default) or paired");
    verb->add_option("--data-dir", flags->data_dir, "Folder that is searched first for known data sets");
    verb->add_option("--run", flags->run, "Number of the run (default: the lab's first)");
    verb->add_option("--beside", flags->beside, "Number of a second run; heat maps show the difference");
    verb->add_option("--step", flags->step,
                     "Use the last snapshot at or before this training step (default: the newest)");
    verb->add_option("--text", flags->text, "Text on which attention is computed (default: the snapshot's)");
    verb->add_option("--pair", flags->pair, "Pair of the figure pair-logits (default: 0)");
    verb->add_option("--mean", flags->mean,
                     "Mean of the components of q and k in the figure random-logits, -2 to 2 (default: 0)");
    verb->add_option("--correlation", flags->correlation,
                     "Correlation of q and k in the figure random-logits, -1 to 1 (default: 0)");
    verb->add_flag("--json", flags->json, "Print the file name, summary and settings as JSON");
    verb->callback([flags] { run(*flags); });
}

}  // namespace ropelab::terminal
