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
    std::string width_mm, height_mm, dpi, font_pt, theme, unit, run, beside, step, text, pair, compare, test, data_dir;
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
    CLI::App* verb =
        program.add_subcommand("figure", "Write a figure of a lab file or of a rotary setup, without a display");
    verb->add_option("name", flags->name,
                     "Of a lab: validation-loss, loss-by-theta, improvement, logit-share, attention-map, beyond-loss … "
                     "Of a setup: spectrum, "
                     "context-bound, rope-cache … (ropelab --help lists all)")
        ->required();
    verb->add_option("--lab", flags->lab, "The lab file, for a figure of its runs");
    verb->add_option("--setup", flags->setup, "The rotary setup, such as \"theta=500k head_dim=128\"");
    verb->add_option("--output", flags->output, "A file that ends in .pdf, .svg, .png or .csv")->required();
    verb->add_option("--width-mm", flags->width_mm, "Width in millimetres");
    verb->add_option("--height-mm", flags->height_mm, "Height in millimetres");
    verb->add_option("--dpi", flags->dpi, "Dots per inch of a PNG");
    verb->add_option("--font-pt", flags->font_pt, "Size of the text in points");
    verb->add_option("--theme", flags->theme, "light or dark");
    verb->add_option("--unit", flags->unit, "nats or bits");
    verb->add_option("--baseline", flags->baseline,
                     "key=value of the group that others are compared with, as in improvement")
        ->allow_extra_args(false);
    verb->add_option("--compare", flags->compare, "What a figure of results compares, as final_training_loss");
    verb->add_option("--test", flags->test,
                     "The test that intervals follow, as in improvement: student, welch (as without it) or paired");
    verb->add_option("--data-dir", flags->data_dir, "A folder in which known data sets are looked for first");
    verb->add_option("--run", flags->run, "The run that is looked into (the lab's first)");
    verb->add_option("--beside", flags->beside, "A second run; heat maps show the difference");
    verb->add_option("--step", flags->step, "The snapshot at or before this step (the newest)");
    verb->add_option("--text", flags->text, "The text that figures of attention read (the snapshot's own)");
    verb->add_option("--pair", flags->pair, "The pair that pair-logits is of (0)");
    verb->add_flag("--json", flags->json, "Say what was written, its summary and its settings as JSON");
    verb->callback([flags] { run(*flags); });
}

}  // namespace ropelab::terminal
