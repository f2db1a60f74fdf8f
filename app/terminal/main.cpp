#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstring>
#include <iostream>

#include "app/terminal/verbs.h"
#include "core/spec/error.h"
#include "core/spec/keys.h"

namespace {

using namespace ropelab;

// `--help keys`: the table of every key with its default, unit and meaning.
void print_keys() {
    std::string_view group;
    for (const Key& key : keys()) {
        if (key.group != group) {
            std::cout << (group.empty() ? "" : "\n") << key.group << '\n';
            group = key.group;
        }
        std::string choices;
        for (std::string_view choice : key.choices) choices += (choices.empty() ? "" : " | ") + std::string(choice);
        std::string facts = to_text(key.get(RunSpec{}));
        if (!key.unit.empty()) facts += " " + std::string(key.unit);
        if (!choices.empty()) facts += "  (" + choices + ")";
        std::cout << "  " << std::left << std::setw(21) << key.name << facts << '\n'
                  << "  " << std::setw(21) << "" << key.meaning << '\n';
    }
}

bool asks_for_keys(int count, char** arguments) {
    for (int i = 1; i + 1 < count; ++i) {
        if (std::strcmp(arguments[i], "--help") == 0 && std::strcmp(arguments[i + 1], "keys") == 0) return true;
    }
    return false;
}

// CLI11 answers an unknown verb with "a subcommand is required"; this names it and the nearest known one.
void check_verb(const CLI::App& program, int count, char** arguments) {
    if (count < 2 || arguments[1][0] == '-') return;
    std::vector<std::string> names;
    for (const CLI::App* verb : program.get_subcommands([](const CLI::App*) { return true; }))
        names.push_back(verb->get_name());
    if (std::find(names.begin(), names.end(), arguments[1]) != names.end()) return;
    const std::vector<std::string_view> views(names.begin(), names.end());
    throw BadInput("There is no verb \"" + std::string(arguments[1]) + "\"; did you mean " +
                   nearest(arguments[1], views) + "?");
}

}  // namespace

int main(int count, char** arguments) {
    if (asks_for_keys(count, arguments)) {
        print_keys();
        return 0;
    }
    CLI::App program("RoPE Lab in the terminal: rotary position embeddings, trained, measured and compared.",
                     "ropelab-cli");
    program.set_version_flag("--version", ROPELAB_VERSION);
    program.require_subcommand(1);
    program.footer("ropelab-cli VERB --help explains a verb, ropelab-cli --help keys every key of an experiment.");
    terminal::add_frequencies(program);
    terminal::add_context(program);
    terminal::add_cache(program);
    terminal::add_rotate(program);
    terminal::add_data(program);
    terminal::add_train(program);
    terminal::add_reproduce(program);
    terminal::add_probe(program);
    terminal::add_sample(program);
    terminal::add_results(program);
    terminal::add_figure(program);
    terminal::add_replay(program);
    terminal::add_export(program);
    terminal::add_doctor(program);
    terminal::add_bench(program);
    try {
        check_verb(program, count, arguments);
        program.parse(count, arguments);
        return 0;
    } catch (const CLI::Success& success) {  // --help, --version
        return program.exit(success);
    } catch (const CLI::ParseError& error) {
        std::cerr << "ropelab-cli: " << error.what() << "; see ropelab-cli --help.\n";
        return 2;
    } catch (const BadInput& error) {
        std::cerr << "ropelab-cli: " << error.what() << '\n';
        return 2;
    } catch (const std::exception& error) {
        const std::string words = error.what();  // LibTorch's go on with a trace of calls
        std::cerr << "ropelab-cli: " << words.substr(0, words.find('\n')) << '\n';
        return 1;
    }
}
