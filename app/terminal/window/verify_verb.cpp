#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/terminal/verbs.h"
#include "app/terminal/window/window_program.h"

namespace ropelab::terminal {

namespace {

struct Flags {
    std::string figure;
    std::string lab;
    std::string data_dir;
    bool json = false;
};

void run(const Flags& flags) {
    std::vector<std::string> arguments = {"--verify", flags.figure};
    if (!flags.lab.empty()) arguments.insert(arguments.end(), {"--lab", flags.lab});
    if (!flags.data_dir.empty()) arguments.insert(arguments.end(), {"--data-dir", flags.data_dir});
    if (flags.json) arguments.emplace_back("--json");
    become_window_program("Figures", std::move(arguments));
}

}  // namespace

void add_verify(CLI::App& program) {
    auto flags = std::make_shared<Flags>();
    CLI::App* verb = program.add_subcommand(
        "verify",
        "Compute an exported figure again, draw it again and print what differs in data and picture: exit status 0 if "
        "nothing differs, 1 if something differs, 2 if it or its picture cannot be verified");
    verb->add_option("figure", flags->figure, "Figure that RoPE Lab exported as PDF, SVG or PNG")->required();
    verb->add_option("--lab", flags->lab, "Lab of the figure (default: where it was, or beside the figure)");
    verb->add_option("--data-dir", flags->data_dir, "Folder that is searched first for known data sets");
    verb->add_flag("--json", flags->json, "Print the differences as JSON");
    verb->callback([flags] { run(*flags); });
}

}  // namespace ropelab::terminal
