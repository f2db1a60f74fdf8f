#include "app/terminal/options.h"
#include "app/terminal/output.h"
#include "app/terminal/verbs.h"
#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/contract/anatomy_times.h"
#include "core/data/json_text.h"
#include "core/experiment/experiment.h"
#include "core/interop/config/hf_anatomy.h"
#include "core/interop/config/hf_config.h"
#include "core/interop/model_table.h"
#include "core/machine/engine_loader.h"
#include "core/report/anatomy_report.h"
#include "core/settings/run_spec.h"
#include "core/table/table.h"

namespace ropelab::terminal {

namespace {

struct Flags {
    std::vector<std::string> settings;
    std::string preset;
    std::string lab;
    RunId run = 0;
    std::string model;
    std::string hf_config;
    std::string kind;
    std::int64_t vocabulary = 0;
    std::string format = "text";
    bool measures = false;
    bool lists = false;
    bool json = false;

    bool describes() const { return !settings.empty() || !preset.empty(); }
};

void check_sources(const Flags& flags) {
    const int count = static_cast<int>(flags.describes()) + static_cast<int>(!flags.lab.empty()) +
                      static_cast<int>(!flags.model.empty()) + static_cast<int>(!flags.hf_config.empty());
    if (count > 1) {
        throw BadInput("--set (or --preset), --lab, --model and --hf-config each name a model; give one of them.");
    }
    if (flags.run != 0 && flags.lab.empty())
        throw BadInput("--run is the number of a run in a lab file; add --lab FILE.");
    const bool is_run = flags.model.empty() && flags.hf_config.empty();
    if (!is_run && (flags.vocabulary != 0 || !flags.kind.empty())) {
        throw BadInput("--vocabulary and --kind apply to settings and runs; leave them out for a published model.");
    }
}

AnatomyModel model_of_flags(const Flags& flags) {
    if (!flags.model.empty()) return model_of_name(flags.model);
    if (!flags.hf_config.empty()) return model_of_config(flags.hf_config);
    if (!flags.lab.empty()) {
        const auto lab = LabFile::open(flags.lab, LabFile::Mode::read);
        return model_of_run(*lab, run_of(*lab, flags.lab, flags.run).id);
    }
    Experiment experiment = flags.preset.empty() ? Experiment("anatomy") : preset(flags.preset).experiment;
    experiment.set_assignments(flags.settings);
    return model_of_settings(experiment.expand().front(), flags.vocabulary,
                             flags.preset.empty() ? "settings" : "preset " + flags.preset);
}

/// On this machine. Throws BadInput for a model without settings.
void measure(AnatomyModel& model) {
    if (!model.spec) {
        throw BadInput(
            "--measure times forward passes of a model that --set, --preset or --lab defines; leave out --measure for "
            "a published model.");
    }
    watch_interrupts();
    const StageTimes times = measure_stages(open_engine(), *model.spec, model.vocabulary, interrupted);
    if (times.empty()) {
        throw std::runtime_error("Interrupted before the times of the model's operations were measured.");
    }
    add_times(model.anatomy, times);
}

// The rotary columns are those of full attention, where layers differ.
void list_models(bool as_json) {
    nlohmann::json models = nlohmann::json::array();
    Table table = Table::titled({"model", "parameters", "context", "theta", "rotated"}, "lr");
    for (const KnownModel& known : model_table()) {
        const HfModel model = read_hf_config(known.config);
        const AnatomyTotals totals = hf_anatomy(known.config).totals();
        const RotarySetup& setup = model.of("").setup;
        models.push_back({{"name", known.name},
                          {"family", known.family},
                          {"parameters", or_null(totals.parameters)},
                          {"context", model.context},
                          {"theta", setup.theta},
                          {"fraction", setup.fraction},
                          {"source", known.source}});
        table.rows.push_back({known.name, known_number(totals.parameters), std::to_string(model.context),
                              number_text(setup.theta), fraction_text(setup.fraction, setup.head_dim)});
    }
    if (as_json) return print_json({{"models", models}});
    print_text(table.text());
}

void run(const Flags& flags) {
    check_sources(flags);
    if (flags.lists) return list_models(flags.json);
    const AnatomyFormat format = anatomy_format(flags.format);
    AnatomyModel model = model_of_flags(flags);
    if (!flags.kind.empty()) {
        const bool is_modern = choice_of(flags.kind, "a kind of transformer decoder", {"traditional", "modern"}) == 1;
        const RunSpec spec = is_modern ? modern_model(model.spec.value()) : traditional_model(model.spec.value());
        model = model_of_settings(spec, model.vocabulary, flags.kind);
    } else if (flags.vocabulary != 0) {
        model = model_of_settings(model.spec.value(), flags.vocabulary, model.name);
    }
    if (flags.measures) measure(model);
    if (flags.json) return print_json(anatomy_json(model));
    print_text(anatomy_table(model, format));
}

}  // namespace

void add_anatomy(CLI::App& program) {
    CLI::App* verb = program.add_subcommand("anatomy",
                                            "List the operations of a model in order, from tokens to output logits: "
                                            "shapes, parameters, FLOPs and KV cache");
    auto& flags = with_flags<Flags>(*verb, run);
    add_repeated(*verb, "--set", flags.settings,
                 "Setting of the model, such as block=llama; if it has several values, the first one is used");
    verb->add_option("--preset", flags.preset, "Built-in experiment (preset) whose first run's model is listed");
    verb->add_option("--lab", flags.lab, "Lab file with the run");
    verb->add_option("--run", flags.run, "Number of the run in the lab file (default: the first run)");
    verb->add_option(
        "--model", flags.model,
        "Known model, such as \"Llama 3 8B\", or the folder or file of a model with its weights (safetensors, GGUF)");
    verb->add_option("--hf-config", flags.hf_config,
                     "Hugging Face config.json, or the folder of a model that contains one");
    verb->add_option("--kind", flags.kind,
                     "List the traditional (GPT-2) or the modern (Llama) decoder with the model's layers, heads and "
                     "width, instead of the model itself");
    verb->add_option("--vocabulary", flags.vocabulary,
                     "Vocabulary size (default: the vocabulary size of the data set)");
    verb->add_option("--format", flags.format, "Format of the table: text, csv, latex or markdown")
        ->capture_default_str();
    verb->add_flag(
        "--measure", flags.measures,
        "Measure how long each operation of a forward pass takes on this machine, with random initial weights");
    verb->add_flag("--list", flags.lists, "List the known models, whose names --model accepts, instead");
    add_json(*verb, flags.json, "Print the result as JSON");
}

}  // namespace ropelab::terminal
