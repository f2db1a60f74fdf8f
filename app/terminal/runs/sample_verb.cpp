#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/terminal/output.h"
#include "app/terminal/progress.h"
#include "app/terminal/runs/trained_run.h"
#include "app/terminal/verbs.h"
#include "core/data/corpus.h"
#include "core/machine/engine_loader.h"
#include "core/plan/cache_bytes.h"
#include "core/run/probing.h"
#include "core/spec/error.h"

namespace ropelab::terminal {

namespace {

struct Flags {
    TrainedRunFlags run;
    std::optional<std::string> prompt;
    std::string mode = "recompute";
    Generation generation;
    bool json = false;
};

// Returns the text with which generation begins without --prompt: a newline, else the first token of the vocabulary.
std::string default_prompt(const Vocabulary& vocabulary) {
    try {
        vocabulary.encode("\n");
        return "\n";
    } catch (const BadInput&) {
        return vocabulary.decode(std::vector<std::int32_t>{0});
    }
}

void run(const Flags& flags) {
    const Checkpoint checkpoint = flags.run.read();
    const Vocabulary vocabulary = Vocabulary::from_text(checkpoint.vocabulary);

    Generation generation = flags.generation;
    if (flags.mode == "rolling") {
        generation.mode = Generation::Mode::rolling;
    } else if (flags.mode != "recompute") {
        throw BadInput("\"" + flags.mode + "\" is not a generation mode; it must be recompute or rolling.");
    }
    if (generation.length < 1)
        throw BadInput("The length is " + std::to_string(generation.length) + ", but it must be 1 or more.");
    const std::string prompt_text = flags.prompt ? *flags.prompt : default_prompt(vocabulary);
    const auto prompt = vocabulary.encode(prompt_text);

    const auto model = model_of(open_engine(), checkpoint);
    watch_interrupts();
    generation.on_token = [&](std::int32_t token) {
        if (!flags.json) print_text(vocabulary.bytes_of(token));
        return !interrupted();
    };
    const auto begin = std::chrono::steady_clock::now();
    const auto tokens = model->generate(prompt, generation);
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
    if (flags.json) {
        // The text of a byte-level model may not be UTF-8; "tokens" has the exact output.
        print_json({{"text", vocabulary.decode(tokens)},
                    {"tokens", tokens},
                    {"prompt", prompt_text},
                    {"iteration", checkpoint.iteration},
                    {"kv_cache_bytes_measured", model->cache_bytes()},
                    {"kv_cache_bytes", cache_bytes(checkpoint.spec).kv},
                    {"tokens_per_second", static_cast<double>(tokens.size()) / elapsed.count()}});
    } else {
        print_text("\n");
    }
}

}  // namespace

void add_sample(CLI::App& program) {
    auto flags = std::make_shared<Flags>();
    flags->generation.temperature = 0.8;
    CLI::App* verb = program.add_subcommand("sample", "Generate text with a trained run");
    flags->run.add_to(*verb);
    verb->add_option("--prompt", flags->prompt,
                     "Text that the model continues (default: a newline, or the first token if the text has none)");
    verb->add_option("--length", flags->generation.length, "Number of tokens to generate")->capture_default_str();
    verb->add_option("--temperature", flags->generation.temperature,
                     "Sampling temperature; 0 always takes the most likely token")
        ->capture_default_str();
    verb->add_option("--top-k", flags->generation.top_k, "Sample from the k most likely tokens; 0: from all")
        ->capture_default_str();
    verb->add_option("--seed", flags->generation.seed, "Seed of the sampling")->capture_default_str();
    verb->add_option(
            "--mode", flags->mode,
            "Generation beyond the context: recompute (re-encode the last context for each token) or rolling (drop the "
            "oldest entry of the KV cache)")
        ->capture_default_str();
    verb->add_flag(
        "--json", flags->json,
        "Print JSON: the generated text, with U+FFFD for bytes that are not UTF-8, its tokens, and the bytes of "
        "the KV cache (kv_cache_bytes_measured: counted while generating; kv_cache_bytes: by the formula)");
    verb->callback([flags] { run(*flags); });
}

}  // namespace ropelab::terminal
