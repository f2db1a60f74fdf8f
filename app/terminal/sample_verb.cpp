#include <chrono>
#include <iostream>
#include <memory>

#include "app/terminal/output.h"
#include "app/terminal/progress.h"
#include "app/terminal/verbs.h"
#include "core/data/corpus.h"
#include "core/experiment/checkpoint.h"
#include "core/experiment/engine_loader.h"
#include "core/experiment/probing.h"
#include "core/spec/error.h"
#include "core/store/lab_file.h"

namespace ropelab::terminal {

namespace {

struct Flags {
    std::string lab;
    RunId run = 0;
    std::string checkpoint;
    std::string prompt = "\n";
    std::string mode = "recompute";
    Generation how;
    bool json = false;
};

std::filesystem::path checkpoint_path(const Flags& flags) {
    if (!flags.checkpoint.empty()) return flags.checkpoint;
    if (flags.lab.empty()) throw BadInput("Name a lab with --lab (and a run with --run), or a file with --checkpoint.");
    const auto lab = LabFile::open(flags.lab, LabFile::Mode::read);
    const auto runs = lab->runs();
    if (runs.empty()) throw BadInput("The lab " + flags.lab + " has no runs.");
    return lab->checkpoint_path(flags.run == 0 ? runs.front().id : lab->run(flags.run).id);
}

void run(const Flags& flags) {
    const auto path = checkpoint_path(flags);
    const auto checkpoint = read_checkpoint(path);
    if (!checkpoint)
        throw BadInput("There is no checkpoint " + path.string() + "; the run has not been evaluated yet.");
    const Vocabulary vocabulary = Vocabulary::from_text(checkpoint->vocabulary);

    Generation how = flags.how;
    if (flags.mode == "rolling") {
        how.mode = Generation::Mode::rolling;
    } else if (flags.mode != "recompute") {
        throw BadInput("\"" + flags.mode + "\" is no generation mode; it must be recompute or rolling.");
    }
    if (how.length < 1) throw BadInput("The length is " + std::to_string(how.length) + ", but it must be 1 or more.");
    const auto prompt = vocabulary.encode(flags.prompt);

    const auto model = model_of(open_engine(), *checkpoint);
    watch_interrupts();
    how.on_token = [&](std::int32_t token) {
        if (!flags.json) std::cout << vocabulary.symbol(token) << std::flush;
        return !interrupted();
    };
    const auto begin = std::chrono::steady_clock::now();
    const auto tokens = model->generate(prompt, how);
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
    if (flags.json) {
        // Of a run on bytes the text may not be UTF-8; the tokens tell what it was.
        print_json({{"text", vocabulary.decode(tokens)},
                    {"tokens", tokens},
                    {"prompt", flags.prompt},
                    {"iteration", checkpoint->iteration},
                    {"symbols_per_second", static_cast<double>(tokens.size()) / elapsed.count()}});
    } else {
        std::cout << '\n';
    }
}

}  // namespace

void add_sample(CLI::App& program) {
    auto flags = std::make_shared<Flags>();
    flags->how.temperature = 0.8;
    CLI::App* verb = program.add_subcommand("sample", "Write text with a trained run");
    verb->add_option("--lab", flags->lab, "The lab file");
    verb->add_option("--run", flags->run, "The run's number in the lab; the first one otherwise");
    verb->add_option("--checkpoint", flags->checkpoint, "A checkpoint file instead");
    verb->add_option("--prompt", flags->prompt, "The text to go on from (a newline)");
    verb->add_option("--length", flags->how.length, "Symbols to write")->capture_default_str();
    verb->add_option("--temperature", flags->how.temperature, "0 takes the likeliest symbol")->capture_default_str();
    verb->add_option("--top-k", flags->how.top_k, "Draw among the k likeliest; 0 among all")->capture_default_str();
    verb->add_option("--seed", flags->how.seed, "Seed of the draws")->capture_default_str();
    verb->add_option("--mode", flags->mode, "Past the context: recompute or rolling")->capture_default_str();
    verb->add_flag("--json", flags->json,
                   "Write JSON: the text, in which U+FFFD stands for bytes that are not UTF-8, and its tokens");
    verb->callback([flags] { run(*flags); });
}

}  // namespace ropelab::terminal
