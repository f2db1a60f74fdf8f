#include <unistd.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <iostream>
#include <map>
#include <new>
#include <sstream>

#include "app/terminal/options.h"
#include "app/terminal/output.h"
#include "app/terminal/verbs.h"
#include "core/base/aliases.h"
#include "core/base/error.h"
#include "core/base/names.h"
#include "core/data/utf8.h"
#include "core/forecast/time_model.h"
#include "core/settings/keys.h"
#include "core/store/output_file.h"
#include "core/table/table.h"

namespace {

using namespace ropelab;

void print_keys() {
    Table table{{{"", 'l', 2}, {"", 'l', 21}, {"", 'l'}}, {}};
    std::string_view group;
    for (const Key& key : keys()) {
        if (key.group != group) {
            if (!group.empty()) table.rows.emplace_back();
            group = key.group;
            table.rows.push_back({std::string(group)});
        }
        std::string facts = to_text(key.get(RunSpec{}));
        if (!key.unit.empty()) facts += " " + std::string(key.unit);
        if (!key.choices.empty()) facts += "  (" + joined(key.choices, " | ", &ropelab::ChoiceText::word) + ")";
        table.rows.push_back({"", std::string(key.name), facts});
        table.rows.push_back({"", "", std::string(key.meaning)});
    }
    terminal::print_text(table.text() + "\nIn numbers, k is 1,000 and M is 1,000,000: 8k is 8,000.\n");
}

bool asks_for_keys(int count, char** arguments) {
    for (int i = 1; i + 1 < count; ++i) {
        if (std::strcmp(arguments[i], "--help") == 0 && std::strcmp(arguments[i + 1], "keys") == 0) return true;
    }
    return false;
}

void check_verb(const CLI::App& program, int count, char** arguments) {
    if (count < 2 || arguments[1][0] == '-') return;
    std::vector<std::string> names;
    for (const CLI::App* verb : program.get_subcommands([](const CLI::App*) { return true; }))
        names.push_back(verb->get_name());
    if (std::find(names.begin(), names.end(), arguments[1]) != names.end()) return;
    // What a user expects to be a command, and is one with an option or has another name here.
    static const std::map<std::string_view, std::string_view> others = {
        {"resume", "sweep --resume"}, {"merge", "results --merge"}, {"plan", "sweep --plan"},
        {"plot", "figure"},           {"evaluate", "perplexity"},   {"generate", "sample"}};
    const std::string_view name = arguments[1];
    const std::vector<std::string_view> views(names.begin(), names.end());
    throw BadInput("There is no command \"" + std::string(name) + "\"" +
                   (others.contains(name) ? "; did you mean " + std::string(others.at(name)) + "?"
                                          : hint(name, views, "", "; \"ropelab-cli --help\" lists all.")));
}

// The command and its name, such as "data generate".
std::pair<const CLI::App*, std::string> given_command(const CLI::App& program) {
    const CLI::App* part = &program;
    std::string name;
    while (!part->get_subcommands().empty()) {
        part = part->get_subcommands().front();
        name += (name.empty() ? "" : " ") + part->get_name();
    }
    return {part, name};
}

// "--theta 100,200" and "theta=100,200" mean "theta=100,200"; "" for words that name no setting.
std::string as_setting(const std::string& word, const std::string& next) {
    const std::size_t begin = word.starts_with("--") ? 2 : 0, equals = word.find('=');
    if (begin == 0 && equals == std::string::npos) return "";
    std::string name = word.substr(begin, equals - begin);
    std::string value = equals == std::string::npos ? next : word.substr(equals + 1);
    std::ranges::replace(name, '-', '_');
    if (name == "seeds" && value.find_first_not_of("0123456789") == std::string::npos) value = "1.." + value;
    std::vector<std::string_view> known;
    for (const Key& each : keys()) known.push_back(each.name);
    const std::string own(own_name_of(name, known));
    return own.empty() ? "" : own + "=" + (value.empty() || value.starts_with("--") ? "…" : value);
}

// On words that the command does not have. Call it after parsing has failed.
std::string unexpected_words(const CLI::App& program) {
    const auto [command, name] = given_command(program);
    const std::vector<std::string> words = program.remaining(true);
    if (words.empty()) return "";
    if (command->get_option_no_throw("--set") != nullptr) {
        const std::string setting = as_setting(words[0], words.size() > 1 ? words[1] : "");
        if (!setting.empty()) return words[0] + " is not an option of " + name + "; write --set " + setting + ".";
    }
    std::vector<std::string> names;
    for (const CLI::Option* option : command->get_options()) names.push_back(option->get_name());
    const std::vector<std::string_view> views(names.begin(), names.end());
    return "The command " + name + " has no option " + words[0] +
           hint(words[0].substr(0, words[0].find('=')), views, "", "; \"ropelab-cli " + name + " --help\" lists all.");
}

int print_success(const CLI::App& program, const CLI::Success& success) {
    std::ostringstream out;
    std::ostringstream err;
    const int status = program.exit(success, out, err);
    terminal::print_text(out.str());
    return status;
}

std::string not_enough_memory(const CLI::App& program) {
    return "There is not enough memory for the command \"" + given_command(program).second +
           "\"; choose smaller sizes.";
}

// Some file systems report a failed write only when the file is closed.
void close_standard_output() {
    if (::close(STDOUT_FILENO) != 0 && errno != EBADF) throw_file_error("Standard output", "written", errno);
}

int complain(const std::string& sentence, int status) {
    std::cerr << "ropelab-cli: " << message_text(sentence) << '\n';
    return status;
}

// In the order of --help.
constexpr void (*verbs[])(CLI::App&) = {
    terminal::add_frequencies, terminal::add_context,       terminal::add_cache,      terminal::add_anatomy,
    terminal::add_quantity,    terminal::add_rotate,        terminal::add_data,       terminal::add_train,
    terminal::add_reproduce,   terminal::add_probe,         terminal::add_perplexity, terminal::add_logits,
    terminal::add_sample,      terminal::add_convert_heads, terminal::add_compress,   terminal::add_decompress,
    terminal::add_results,     terminal::add_figure,        terminal::add_verify,     terminal::add_animate,
    terminal::add_report,      terminal::add_replay,        terminal::add_lecture,    terminal::add_export,
    terminal::add_import,      terminal::add_engine,        terminal::add_doctor,     terminal::add_bench};

void run(CLI::App& program, int count, char** arguments) {
    if (asks_for_keys(count, arguments)) return print_keys();
    check_verb(program, count, arguments);
    std::vector<std::string> current = current_arguments({arguments + 1, arguments + count});
    std::reverse(current.begin(), current.end());  // as CLI11 requires
    program.parse(std::move(current));
}

}  // namespace

int main(int count, char** arguments) {
    reserve_standard_descriptors();
    // A closed pipe and a file that reaches its size limit then make a write fail, which is reported.
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN);
    use_times_file(user_times_file());
    CLI::App program("RoPE Lab in the terminal: train, measure and compare models with rotary position embeddings.",
                     "ropelab-cli");
    program.set_version_flag("--version", ROPELAB_VERSION);
    program.require_subcommand(1);
    program.footer(
        "\"ropelab-cli COMMAND --help\" describes a command. \"ropelab-cli --help keys\" lists every setting of an "
        "experiment with its default.");
    for (const auto add : verbs) add(program);
    terminal::check_every_option(program);
    int status = 0;
    try {
        try {
            run(program, count, arguments);
        } catch (const CLI::Success& success) {  // --help, --version
            status = print_success(program, success);
        }
        close_standard_output();
        return status;
    } catch (const CLI::ParseError& error) {
        const bool is_extra = dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr;
        if (const std::string words = is_extra ? unexpected_words(program) : ""; !words.empty())
            return complain(words, 2);
        const std::string twice = terminal::option_given_twice(program);
        return complain(twice.empty()
                            ? std::string(error.what()) + "; \"ropelab-cli --help\" lists the commands and options."
                            : "The option " + twice + " is given twice; give it once.",
                        2);
    } catch (const BadInput& error) {
        return complain(error.what(), 2);
    } catch (const nlohmann::json::exception&) {  // the place that knows the file has no sentence for this
        return complain(
            "A file contains JSON in another form than RoPE Lab writes, so the file cannot be read; name a file that "
            "RoPE Lab wrote.",
            2);
    } catch (const std::bad_alloc&) {
        return complain(not_enough_memory(program), 1);
    } catch (const std::length_error&) {  // a size beyond the address space
        return complain(not_enough_memory(program), 1);
    } catch (const std::exception& error) {
        const std::string message = error.what();  // LibTorch appends a stack trace; the first line suffices
        return complain(message.substr(0, message.find('\n')), 1);
    }
}
