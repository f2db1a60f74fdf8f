#include <iomanip>
#include <iostream>
#include <memory>
#include <sstream>

#include "app/terminal/output.h"
#include "app/terminal/progress.h"
#include "app/terminal/verbs.h"
#include "core/machine/engine_loader.h"
#include "core/study/head_conversion.h"
#include "core/spec/error.h"
#include "core/spec/numbers.h"
#include "core/store/lab_file.h"

namespace ropelab::terminal {

namespace {

struct Flags {
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
    std::ostringstream text;
    text << name << ", step " << result.iteration << ": " << counted(result.heads_before, "key and value head") << " → "
         << result.conversion.key_value_heads << ", validation loss in nats per token on "
         << counted(result.sequences, "sequence") << "\n\n"
         << "                          heads     steps      loss      rise   95 % interval    KV cache [bytes]\n";
    const auto line = [&](const char* what, std::int64_t heads, std::int64_t steps, double loss,
                          const Description* rise, std::int64_t bytes) {
        text << std::left << std::setw(24) << what << std::right << std::setw(7) << heads << std::setw(10) << steps
             << std::fixed << std::setprecision(4) << std::setw(10) << loss;
        if (rise) {
            text << std::setw(10) << rise->mean << std::setw(8) << rise->confidence_low << " to "
                 << rise->confidence_high;
        } else {
            text << std::setw(10) << "-" << std::setw(18) << "-";
        }
        text << std::setw(18) << bytes << '\n';
    };
    line("trained run", result.heads_before, 0, result.loss_before, nullptr, result.cache_before);
    line("mean of each group", result.conversion.key_value_heads, 0, result.loss_pooled, &result.pooled_rise,
         result.cache_after);
    if (result.steps > 0) {
        line("and further training", result.conversion.key_value_heads, result.steps, result.loss_trained,
             &result.trained_rise, result.cache_after);
    }
    if (result.continued_rise.n > 0) {
        line("run, trained as long", result.heads_before, result.steps, result.loss_continued, nullptr,
             result.cache_before);
        text << "\nAfter the same further steps the conversion is " << result.continued_rise.mean << " above the run ("
             << result.continued_rise.confidence_low << " to " << result.continued_rise.confidence_high << ").\n";
    }
    return text.str();
}

void convert(const Flags& flags) {
    const auto lab = LabFile::open(flags.lab, LabFile::Mode::read);
    const auto runs = lab->runs();
    if (runs.empty()) throw BadInput("The lab " + flags.lab + " has no runs.");
    const RunRecord record = flags.run == 0 ? runs.front() : lab->run(flags.run);
    const auto path = lab->checkpoint_path(record.id);
    const auto checkpoint = read_checkpoint(path);
    if (!checkpoint)
        throw BadInput("There is no checkpoint " + path.string() + "; it is written at the run's first evaluation.");
    watch_interrupts();
    ProgressLine progress;
    const std::int64_t steps = 2 * steps_of(flags.conversion, checkpoint->spec);  // of the copy and of the run itself
    Checkpoint converted;
    const auto result = convert_heads(
        open_engine(), *checkpoint, flags.conversion, flags.data_dir,
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
        std::cerr << "The lab does not store this conversion: " << error.what() << '\n';
    }
}

// Prints the conversions that the lab stores.
void list_conversions(const Flags& flags) {
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
    print_text(text.empty() ? "The lab stores no conversions of heads.\n" : text);
}

}  // namespace

void add_convert_heads(CLI::App& program) {
    auto flags = std::make_shared<Flags>();
    CLI::App* verb = program.add_subcommand("convert-heads",
                                            "Replace a trained run's key and value heads by fewer ones (means of "
                                            "groups), train a copy further and compare");
    verb->add_option("--lab", flags->lab, "Lab file")->required();
    verb->add_option("--run", flags->run, "Number of the run in the lab (default: the first run)");
    verb->add_option("--key-value-heads", flags->conversion.key_value_heads,
                     "Number of key and value heads after the conversion; a divisor of the run's number")
        ->capture_default_str();
    verb->add_option("--fraction", flags->conversion.fraction,
                     "Further training steps as a fraction of the run's iterations; 0: none")
        ->capture_default_str();
    verb->add_option("--learning-rate", flags->conversion.learning_rate,
                     "Learning rate of these steps (default: a tenth of the run's)");
    verb->add_option("--out", flags->out,
                     "Write the converted and trained model as a checkpoint file, which sample --checkpoint loads");
    verb->add_option("--data-dir", flags->data_dir, "Folder that is searched first for known data sets");
    verb->add_flag("--list", flags->list,
                   "Print the conversions that the lab stores, of all runs or of --run, and convert nothing");
    verb->add_flag("--json", flags->json, "Print the result as JSON");
    verb->footer(
        "The lab stores each conversion; the Train and Results rooms and reports show it.\n\n"
        "JSON: run, iteration, key_value_heads_before, key_value_heads, fraction and learning_rate (as given; 0: a\n"
        "tenth of the run's), steps (of further training), sequences (their number), loss_before, loss_pooled and\n"
        "loss_trained (nats per token on the same sequences), pooled_rise and trained_rise (rise over loss_before,\n"
        "paired by sequence: mean, low and high of the 95 % interval, sequences), loss_continued (of the unconverted\n"
        "run after the same further steps), continued_rise (of loss_trained over it), kv_cache_bytes_before and\n"
        "kv_cache_bytes (of one sequence of the context's length); with --list an array of these objects, each\n"
        "with created (UTC).");
    verb->callback([flags] { flags->list ? list_conversions(*flags) : convert(*flags); });
}

}  // namespace ropelab::terminal
