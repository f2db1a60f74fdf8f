#include <iomanip>
#include <memory>
#include <sstream>

#include "app/terminal/output.h"
#include "app/terminal/progress.h"
#include "app/terminal/runs/trained_run.h"
#include "app/terminal/verbs.h"
#include "core/data/compression.h"
#include "core/machine/engine_loader.h"
#include "core/spec/numbers.h"
#include "core/store/output_file.h"
#include "core/study/compression.h"

namespace ropelab::terminal {

namespace {

struct Flags {
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

std::string rounded(double number, int digits) {
    std::ostringstream text;
    text << std::fixed << std::setprecision(digits) << number;
    return text.str();
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
                                 {"characters", sizes.characters ? nlohmann::json(*sizes.characters) : nullptr},
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
    text << grouped(sizes.text_bytes) << " bytes in, " << grouped(sizes.file_bytes) << " bytes out";
    if (sizes.text_bytes > 0) {
        text << ": " << rounded(bits / static_cast<double>(sizes.text_bytes), 4) << " bits per byte";
        if (sizes.characters) {
            text << ", " << rounded(bits / static_cast<double>(*sizes.characters), 4) << " bits per character";
        }
    }
    text << "\nmodel: " << rounded(sizes.model_bits, 1) << " bits (" << rounded(sizes.model_bits / 8, 1)
         << " bytes) are the sum of -log2 p of " << grouped(sizes.tokens) << " tokens; the code has "
         << grouped(sizes.code_bytes) << " bytes, header and checksums " << grouped(sizes.file_bytes - sizes.code_bytes)
         << " bytes\n";
    for (const ArchiveSize& other : others) text << other.method << " -9: " << grouped(other.bytes) << " bytes\n";
    print_text(text.str());
}

void run_compress(const Flags& flags) {
    check_one_output(flags.output, flags.json);
    const std::string text = read_all(flags.input);
    const Checkpoint checkpoint = flags.run.read();
    watch_interrupts();
    ProgressLine line;
    const auto result = compress(open_engine(), checkpoint, text, progress_on(line, "compressed", 0));
    line.end();
    if (!result) throw std::runtime_error("Stopped; nothing was written.");
    write_output(flags.output, result->file);
    if (is_standard_output(flags.output)) return;
    print_sizes(result->sizes, flags.compare ? archive_sizes(text) : std::vector<ArchiveSize>{}, flags.json);
}

void run_decompress(const Flags& flags) {
    const std::string file = read_all(flags.input);
    const std::int64_t tokens = compressed_tokens(file);
    const Checkpoint checkpoint = flags.run.read();
    watch_interrupts();
    ProgressLine line;
    const auto text = decompress(open_engine(), checkpoint, file, progress_on(line, "decompressed", tokens));
    line.end();
    if (!text) throw std::runtime_error("Stopped; nothing was written.");
    write_output(flags.output, *text);
}

}  // namespace

void add_compress(CLI::App& program) {
    auto flags = std::make_shared<Flags>();
    CLI::App* verb = program.add_subcommand(
        "compress", "Compress a text with a trained run and an arithmetic coder; bits per character are a file size");
    verb->add_option("file", flags->input, "Text to compress; - for standard input")->required();
    flags->run.add_to(*verb);
    verb->add_option("--output", flags->output, "Compressed file, such as text.ropez; - for standard output")
        ->required();
    verb->add_flag("--compare", flags->compare, "Also print the sizes that gzip and xz reach at level 9");
    verb->add_flag("--json", flags->json, "Print the sizes as JSON");
    verb->callback([flags] { run_compress(*flags); });
}

void add_decompress(CLI::App& program) {
    auto flags = std::make_shared<Flags>();
    CLI::App* verb = program.add_subcommand(
        "decompress", "Decompress a file of \"compress\" with the run and the checkpoint that compressed it");
    verb->add_option("file", flags->input, "Compressed file; - for standard input")->required();
    flags->run.add_to(*verb);
    flags->output = "-";
    verb->add_option("--output", flags->output, "Text file; - for standard output")->capture_default_str();
    verb->callback([flags] { run_decompress(*flags); });
}

}  // namespace ropelab::terminal
