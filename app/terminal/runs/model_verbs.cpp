// The commands that load the model of a trained run: sample, compress, decompress and convert-heads.
#include <CLI/CLI.hpp>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "app/terminal/options.h"
#include "app/terminal/output.h"
#include "app/terminal/verbs.h"
#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/data/compression.h"
#include "core/data/corpus.h"
#include "core/data/json_text.h"
#include "core/data/tokenizer/subword_kinds.h"
#include "core/interop/external_model.h"
#include "core/interop/opened_model.h"
#include "core/machine/engine_loader.h"
#include "core/machine/process_memory.h"
#include "core/plan/step_cost.h"
#include "core/results/results_cells.h"
#include "core/run/checkpoint.h"
#include "core/run/probing.h"
#include "core/store/lab_file.h"
#include "core/store/output_file.h"
#include "core/study/compression.h"
#include "core/study/head_conversion.h"
#include "core/study/perplexity.h"
#include "core/sweep/stored_run.h"
#include "core/table/table.h"

namespace ropelab::terminal {

namespace {

Checkpoint found(std::optional<Checkpoint> checkpoint, const std::filesystem::path& path) {
    if (!checkpoint)
        throw BadInput("There is no checkpoint file " + path.string() +
                       "; a run writes its checkpoint at its first evaluation.");
    return *std::move(checkpoint);
}

Checkpoint checkpoint_of(const LabFile& lab, const RunRecord& run) {
    const RunCheckpoint known = run_checkpoint(lab, run);
    if (known.path.empty()) throw BadInput(no_model_words(run.name));
    return found(read_checkpoint(known), known.path);
}

// --lab, --run and --checkpoint of commands that evaluate one trained run.
struct TrainedRunFlags {
    std::string lab;
    RunId run = 0;
    std::string checkpoint;

    void add_to(CLI::App& verb) {
        verb.add_option("--lab", lab, "Lab file");
        add_run(verb, run);
        verb.add_option("--checkpoint", checkpoint, "Checkpoint file, instead of --lab and --run");
    }

    Checkpoint read() const {
        if (!checkpoint.empty()) return found(read_checkpoint(checkpoint), checkpoint);
        if (lab.empty())
            throw BadInput(
                "No model is given; name a lab file with --lab (and one of its runs with --run), or a checkpoint file "
                "with --checkpoint.");
        const auto file = LabFile::open(lab, LabFile::Mode::read);
        return checkpoint_of(*file, run_of(*file, lab, run));
    }
};

struct SampleFlags {
    TrainedRunFlags run;
    std::string model;
    std::string precision;  // "": float32, or that in which the run was trained
    std::string data_dir;
    std::optional<std::string> prompt;
    std::string mode = "recompute";
    Generation generation;
    std::int64_t count = 1;
    bool json = false;
};

// Without --prompt: a newline, else the first token of the vocabulary.
std::string default_prompt(const Vocabulary& vocabulary) {
    try {
        if (!vocabulary.encode("\n").empty()) return "\n";
    } catch (const BadInput&) {  // as without a token
    }
    return vocabulary.decode(std::vector<std::int32_t>{0});
}

// The model of --model, or of a run.
struct SampledModel {
    std::optional<OpenedModel> opened;
    std::optional<Checkpoint> checkpoint;
    Precision precision = Precision::float32;

    explicit SampledModel(const SampleFlags& flags) {
        if (!flags.precision.empty()) precision = parse_model_precision(flags.precision);
        if (flags.model.empty()) {
            checkpoint = flags.run.read();
            if (flags.precision.empty()) precision = precision_of(checkpoint->conditions);
        } else if (!flags.run.lab.empty() || !flags.run.checkpoint.empty()) {
            throw BadInput(
                "--model names a model that others trained, --lab and --checkpoint a run; give one of them.");
        } else {
            opened.emplace(flags.model);
        }
    }
    Vocabulary vocabulary() const {
        return opened ? opened->vocabulary() : Vocabulary::from_text(checkpoint->vocabulary);
    }
    ModelPlan plan(std::int64_t tokens) const {
        return opened ? opened->plan(std::min(tokens, opened->context())) : plan_of(*checkpoint);
    }
    // `tokens`: at most, with the prompt.
    std::unique_ptr<Model> load(std::int64_t tokens, Precision as) const {
        if (opened) return opened->load(open_engine(), plan(tokens), as);
        check(checkpoint->spec);
        return open_engine().create_model(plan(tokens), checkpoint->state, {checkpoint->spec.device, as});
    }
    // On the first tokens of the validation split; for a model that others trained, of the program's guide.
    std::string int8_loss(const std::string& data_dir) const {
        constexpr std::int64_t most_tokens = 1024;
        constexpr std::int64_t longest_window = 512;
        const auto corpus = opened ? external_run(opened->path()).external->corpus : corpus_of(*checkpoint, data_dir);
        const auto count = std::min(corpus->validation.size(), static_cast<std::size_t>(most_tokens + 1));
        const std::span<const std::int32_t> tokens(corpus->validation.data(), count);
        const std::int64_t window = std::min(longest_window, opened ? opened->context() : checkpoint->spec.context);
        const auto loss = [&](Precision as) {
            return text_loss(*load(window, as), tokens, {.window = window, .stride = window});
        };
        return int8_loss_words(loss(Precision::int8), loss(Precision::float32));
    }
    // Of one continuation, as load(). Beside the loaded weights, the KV caches must fit into the free memory.
    void refuse_large_caches(std::int64_t tokens, std::int64_t count) const {
        const std::int64_t bytes = kv_bytes(plan(tokens));
        const std::int64_t available = available_memory();
        if (available == 0 || static_cast<double>(bytes) * static_cast<double>(count) <= static_cast<double>(available))
            return;
        throw BadInput("The KV caches of " + grouped(count) + " continuations need " + bytes_text(bytes) +
                       " each in float32, but only " + bytes_text(available) +
                       " of memory are free; choose fewer with --count.");
    }
    // Of the KV cache of the whole context, by the formula.
    nlohmann::json facts() const {
        if (!opened) {
            return {{"iteration", checkpoint->iteration}, {"kv_cache_bytes", cache_bytes(checkpoint->spec).kv}};
        }
        return {{"model", opened->name()}};
    }
};

void run_sample(const SampleFlags& flags) {
    const SampledModel sampled(flags);
    const Vocabulary vocabulary = sampled.vocabulary();

    Generation generation = flags.generation;
    generation.mode = parse_generation_mode(flags.mode);
    if (generation.length < 1)
        throw BadInput("The number of tokens to generate (--length) is " + std::to_string(generation.length) +
                       ", but it must be 1 or more.");
    if (flags.count < 1)
        throw BadInput("The number of continuations (--count) is " + std::to_string(flags.count) +
                       ", but it must be 1 or more.");
    const std::string prompt_text = flags.prompt ? *flags.prompt : default_prompt(vocabulary);
    const auto prompt = vocabulary.encode(prompt_text);
    if (const std::int64_t left_out = bytes_without_token(vocabulary, prompt_text, prompt))
        std::cerr << "ropelab-cli: " << left_out_words(left_out) << '\n';

    const std::int64_t most = std::ssize(prompt) + generation.length;
    const bool is_int8 = sampled.precision == Precision::int8;
    const std::string loss = is_int8 ? sampled.int8_loss(flags.data_dir) : "";
    if (is_int8) std::cerr << loss << std::endl;
    const auto model = sampled.load(most, sampled.precision);
    sampled.refuse_large_caches(most, flags.count);
    watch_interrupts();
    const bool is_printed = !flags.json && flags.count == 1;  // while it is generated
    generation.on_token = [&](std::int32_t token) {
        if (is_printed) print_text(vocabulary.bytes_of(token));
        return !interrupted();
    };
    const auto begin = std::chrono::steady_clock::now();
    const auto streams = model->generate_streams(prompt, generation, flags.count);
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
    if (is_printed) return print_text("\n");
    std::size_t generated = 0;
    nlohmann::json samples = nlohmann::json::array();
    for (const auto& tokens : streams) {
        const std::int64_t seed = generation.seed + std::ssize(samples);
        generated += tokens.size();
        // The text of a byte-level model may not be UTF-8; "tokens" has the exact output.
        samples.push_back({{"seed", seed}, {"text", vocabulary.decode(tokens)}, {"tokens", tokens}});
        if (flags.json) continue;
        print_text("[" + std::to_string(samples.size()) + " of " + std::to_string(flags.count) + ", seed " +
                   std::to_string(seed) + "]\n");
        for (const std::int32_t token : tokens) print_text(vocabulary.bytes_of(token));
        print_text("\n");
    }
    if (!flags.json) return;
    nlohmann::json result = {{"prompt", prompt_text},
                             {"kv_cache_bytes_measured", model->cache_bytes()},
                             {"tokens_per_second", static_cast<double>(generated) / elapsed.count()}};
    if (flags.count > 1) {
        result["samples"] = samples;
    } else {
        result.update({{"text", samples[0]["text"]}, {"tokens", samples[0]["tokens"]}});
    }
    result["precision"] = precision_names[static_cast<std::size_t>(sampled.precision)];
    result.update(sampled.facts());
    print_json(result);
}

}  // namespace

void add_sample(CLI::App& program) {
    CLI::App* verb = program.add_subcommand("sample", "Generate text with the model of a trained run, or of a file");
    auto& flags = with_flags<SampleFlags>(*verb, run_sample);
    flags.generation.temperature = 0.8;
    flags.run.add_to(*verb);
    verb->add_option("--model", flags.model,
                     "Folder or file of a model that others trained (safetensors, GGUF), instead of a run");
    add_model_precision(*verb, flags.precision);
    add_data_dir(*verb, flags.data_dir);
    verb->add_option("--prompt", flags.prompt,
                     "Text that the model continues (default: a newline, or the first token of the vocabulary if it "
                     "has no newline)");
    verb->add_option("--length", flags.generation.length, "Number of tokens to generate")->capture_default_str();
    verb->add_option("--temperature", flags.generation.temperature,
                     "Sampling temperature; 0 always takes the most likely token")
        ->capture_default_str();
    verb->add_option("--top-k", flags.generation.top_k, "Sample from the k most likely tokens; 0: from all tokens")
        ->capture_default_str();
    verb->add_option("--seed", flags.generation.seed, "Random seed of the sampling")->capture_default_str();
    verb->add_option("--count", flags.count,
                     "Number of continuations, generated together; continuation k, from 0, is that of the seed plus k "
                     "alone")
        ->capture_default_str();
    verb->add_option(
            "--mode", flags.mode,
            "Generation beyond the context: recompute (re-encode the last context for each token) or rolling (drop the "
            "oldest entry of the KV cache)")
        ->capture_default_str();
    verb->add_flag(
        "--json", flags.json,
        "Print JSON: the generated text, with U+FFFD for bytes that are not UTF-8, its tokens, and the bytes of "
        "the KV cache (kv_cache_bytes_measured: counted while generating; kv_cache_bytes: by the formula); with "
        "--count, "
        "a list \"samples\"");
}

namespace {

struct CompressionFlags {
    TrainedRunFlags run;
    std::string input;
    std::string output;
    bool compare = false;
    bool json = false;
};

TokenProgress progress_on(ProgressLine& line, const char* what, std::int64_t total) {
    return [&line, what, total](std::int64_t done) {
        std::string text = std::string(what) + " " + grouped(done);
        if (total > 0) text += " of " + grouped(total);
        line.show(text + " tokens");
        return !interrupted();
    };
}

void print_sizes(const CompressionSizes& sizes, const std::vector<ArchiveSize>& others, bool json) {
    const auto bits = 8.0 * static_cast<double>(sizes.file_bytes);
    const auto per = [](double amount, std::int64_t units) {
        return units == 0 ? nlohmann::json(nullptr) : nlohmann::json(amount / static_cast<double>(units));
    };
    if (json) {
        nlohmann::json result = {{"bytes_in", sizes.text_bytes},
                                 {"bytes_out", sizes.file_bytes},
                                 {"code_bytes", sizes.code_bytes},
                                 {"tokens", sizes.tokens},
                                 {"characters", or_null(sizes.characters)},
                                 {"bits_per_character", per(bits, sizes.characters.value_or(0))},
                                 {"bits_per_byte", per(bits, sizes.text_bytes)},
                                 {"model_bits", sizes.model_bits},
                                 {"coded_bits", sizes.coded_bits},
                                 {"model_bits_per_byte", per(sizes.model_bits, sizes.text_bytes)},
                                 {"model_bits_per_character", per(sizes.model_bits, sizes.characters.value_or(0))}};
        for (const ArchiveSize& other : others) result["other_programs"][std::string(other.method)] = other.bytes;
        return print_json(result);
    }
    std::ostringstream text;
    text << grouped(sizes.text_bytes) << " bytes of text, " << grouped(sizes.file_bytes) << " bytes compressed";
    if (sizes.text_bytes > 0) {
        text << ": " << fixed_text(bits / static_cast<double>(sizes.text_bytes), 4) << " bits per byte";
        if (sizes.characters) {
            text << ", " << fixed_text(bits / static_cast<double>(*sizes.characters), 4) << " bits per character";
        }
    }
    text << "\nmodel: " << fixed_text(sizes.model_bits, 1) << " bits (" << fixed_text(sizes.model_bits / 8, 1)
         << " bytes) are the sum of -log2 p of " << grouped(sizes.tokens) << " tokens; the compressed code has "
         << grouped(sizes.code_bytes) << " bytes, header and checksums " << grouped(sizes.file_bytes - sizes.code_bytes)
         << " bytes\n";
    for (const ArchiveSize& other : others) text << other.method << " -9: " << grouped(other.bytes) << " bytes\n";
    print_text(text.str());
}

void run_compress(const CompressionFlags& flags) {
    check_one_output(flags.output, flags.json);
    const std::string text = read_all(flags.input);
    const Checkpoint checkpoint = flags.run.read();
    watch_interrupts();
    ProgressLine line;
    const auto result = compress(open_engine(), checkpoint, text, progress_on(line, "compressed", 0));
    line.end();
    if (!result) throw std::runtime_error("Stopped; no file was written.");
    write_output(flags.output, result->file);
    if (is_standard_output(flags.output)) return;
    print_sizes(result->sizes, flags.compare ? archive_sizes(text) : std::vector<ArchiveSize>{}, flags.json);
}

void run_decompress(const CompressionFlags& flags) {
    const std::string file = read_all(flags.input);
    const std::int64_t tokens = compressed_tokens(file);
    const Checkpoint checkpoint = flags.run.read();
    watch_interrupts();
    ProgressLine line;
    const auto text = decompress(open_engine(), checkpoint, file, progress_on(line, "decompressed", tokens));
    line.end();
    if (!text) throw std::runtime_error("Stopped; no file was written.");
    write_output(flags.output, *text);
}

}  // namespace

void add_compress(CLI::App& program) {
    CLI::App* verb = program.add_subcommand("compress",
                                            "Compress a text with a trained model and an arithmetic coder: the size of "
                                            "the file shows the model's bits per character");
    auto& flags = with_flags<CompressionFlags>(*verb, run_compress);
    verb->add_option("file", flags.input, "File with the text to compress; - for standard input")->required();
    flags.run.add_to(*verb);
    verb->add_option("--output", flags.output, "Compressed file, such as text.ropez; - for standard output")
        ->required();
    verb->add_flag("--compare", flags.compare, "Also print the sizes that gzip and xz reach at level 9");
    add_json(*verb, flags.json, "Print the sizes as JSON");
}

void add_decompress(CLI::App& program) {
    CLI::App* verb = program.add_subcommand(
        "decompress", "Decompress a file that \"ropelab-cli compress\" wrote, with the same run and checkpoint");
    auto& flags = with_flags<CompressionFlags>(*verb, run_decompress);
    verb->add_option("file", flags.input, "Compressed file; - for standard input")->required();
    flags.run.add_to(*verb);
    flags.output = "-";
    verb->add_option("--output", flags.output, "File for the decompressed text; - for standard output")
        ->capture_default_str();
}

namespace {

struct ConversionFlags {
    std::string lab;
    RunId run = 0;
    HeadConversion conversion;
    std::string out;
    std::string data_dir;
    bool list = false;
    bool json = false;
};

nlohmann::json json_of(const HeadConversionResult& result, RunId run) {
    nlohmann::json json = head_conversion_json(result);
    json["run"] = run;
    return json;
}

std::string text_of(const HeadConversionResult& result, const std::string& name) {
    Table table{{{"", 'l', 24},
                 {"heads", 'r', 7},
                 {"steps", 'r', 10},
                 {"loss", 'r', 10},
                 {"rise", 'r', 10},
                 {"95 % ", 'r', 8},
                 {"interval", 'l', 10},
                 {"KV cache [bytes]", 'r', 18}},
                {}};
    const auto number = [](double value) { return decimals_text(value, 4); };
    const auto add = [&](const char* what, std::int64_t heads, std::int64_t steps, double loss, const Description* rise,
                         std::int64_t bytes) {
        table.rows.push_back({what, std::to_string(heads), std::to_string(steps), number(loss),
                              rise ? number(rise->mean) : "-", rise ? number(rise->confidence_low) : "",
                              rise ? " to " + number(rise->confidence_high) : "         -", std::to_string(bytes)});
    };
    const std::int64_t heads = result.conversion.key_value_heads;
    add("trained run", result.heads_before, 0, result.loss_before, nullptr, result.cache_before);
    add("mean of each group", heads, 0, result.loss_pooled, &result.pooled_rise, result.cache_after);
    if (result.steps > 0) {
        add("mean, trained further", heads, result.steps, result.loss_trained, &result.trained_rise,
            result.cache_after);
    }
    std::string further;
    if (const Description& rise = result.continued_rise; rise.n > 0) {
        add("run, trained further", result.heads_before, result.steps, result.loss_continued, nullptr,
            result.cache_before);
        further = "\nAfter the same number of further steps, the loss of the converted model is " + number(rise.mean) +
                  " nats per token above the loss of the unconverted run (95 % interval " +
                  number(rise.confidence_low) + " to " + number(rise.confidence_high) + ").\n";
    }
    return name + ", step " + std::to_string(result.iteration) + ": " +
           counted(result.heads_before, "key and value head") + " → " + std::to_string(heads) +
           ", validation loss in nats per token on " + counted(result.sequences, "sequence") + "\n\n" + table.text() +
           further;
}

void convert(const ConversionFlags& flags) {
    const auto lab = LabFile::open(flags.lab, LabFile::Mode::read);
    const RunRecord record = run_of(*lab, flags.lab, flags.run);
    const Checkpoint checkpoint = checkpoint_of(*lab, record);
    watch_interrupts();
    ProgressLine progress;
    const std::int64_t steps = 2 * steps_of(flags.conversion, checkpoint.spec);  // of the copy and of the run itself
    Checkpoint converted;
    const auto result = convert_heads(
        open_engine(), checkpoint, flags.conversion, flags.data_dir,
        [&](std::int64_t done) {
            progress.show("step " + std::to_string(done) + " of " + std::to_string(steps));
            return !interrupted();
        },
        &converted);
    progress.end();
    if (!result) throw std::runtime_error("Interrupted before the conversion was complete.");
    if (!flags.out.empty()) write_checkpoint(flags.out, converted);
    if (flags.json) {
        print_json(json_of(*result, record.id));
    } else {
        print_text(text_of(*result, record.name));
    }
    try {
        store_head_conversion(*LabFile::open(flags.lab), record.id, *result);
    } catch (const BadInput& error) {  // such as a lab that may only be read: its result is printed nevertheless
        std::cerr << "The lab file does not store this conversion of key and value heads: " << error.what() << '\n';
    }
}

void list_conversions(const ConversionFlags& flags) {
    const auto lab = LabFile::open(flags.lab, LabFile::Mode::read);
    if (flags.run != 0) lab->run(flags.run);  // throws if there is no such run
    nlohmann::json listed = nlohmann::json::array();
    std::string text;
    for (const StoredHeadConversion& stored : stored_head_conversions(*lab)) {
        if (flags.run != 0 && stored.run != flags.run) continue;
        nlohmann::json json = json_of(stored.result, stored.run);
        json["created"] = stored.created;
        listed.push_back(std::move(json));
        text += (text.empty() ? "" : "\n") + stored.created + "\n" + text_of(stored.result, lab->run(stored.run).name);
    }
    if (flags.json) return print_json(listed);
    print_text(text.empty() ? "The lab file stores no conversions of key and value heads.\n" : text);
}

}  // namespace

void add_convert_heads(CLI::App& program) {
    CLI::App* verb = program.add_subcommand("convert-heads",
                                            "Replace a trained run's key and value heads by fewer ones (means of "
                                            "groups), train a copy further and compare");
    auto& flags = with_flags<ConversionFlags>(
        *verb, [](const ConversionFlags& given) { given.list ? list_conversions(given) : convert(given); });
    add_lab(*verb, flags.lab);
    add_run(*verb, flags.run);
    verb->add_option("--key-value-heads", flags.conversion.key_value_heads,
                     "Number of key and value heads after the conversion; it must divide the run's number of key and "
                     "value heads")
        ->capture_default_str();
    verb->add_option("--fraction", flags.conversion.fraction,
                     "Number of further training steps as a fraction of the run's iterations; with 0, the copy is not "
                     "trained further")
        ->capture_default_str();
    verb->add_option("--learning-rate", flags.conversion.learning_rate,
                     "Learning rate of the further training (default: a tenth of the run's learning rate)");
    verb->add_option(
        "--out", flags.out,
        "Write the converted and further trained model as a checkpoint file, which sample --checkpoint loads");
    add_data_dir(*verb, flags.data_dir);
    verb->add_flag("--list", flags.list,
                   "Print the conversions of key and value heads that the lab file stores (of all runs, or of --run) "
                   "without converting a run");
    add_json(*verb, flags.json);
    verb->footer(
        "The lab file stores each conversion; reports and the window's pages Train and Results show it.\n\n"
        "The JSON output has run, iteration, key_value_heads_before, key_value_heads, and:\n"
        "- fraction and learning_rate: as given (learning_rate 0: a tenth of the run's)\n"
        "- steps: number of further training steps; sequences: number of evaluated sequences\n"
        "- loss_before, loss_pooled, loss_trained: losses of the run, after the conversion and after further training, "
        "in nats\n"
        "  per token on the same sequences\n"
        "- pooled_rise, trained_rise: rises over loss_before, paired by sequence (mean, low and high of the 95 % "
        "interval,\n"
        "  sequences)\n"
        "- loss_continued: loss of the unconverted run after the same further steps; continued_rise: rise of "
        "loss_trained over it\n"
        "- kv_cache_bytes_before, kv_cache_bytes: size of the KV cache of one sequence of the context's length\n"
        "With --list, the output is an array of such objects, each with created (UTC).");
}

}  // namespace ropelab::terminal
