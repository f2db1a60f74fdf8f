#include "core/interop/foreign/foreign_import.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <fstream>
#include <iterator>
#include <ranges>
#include <regex>
#include <set>

#include "core/base/aliases.h"
#include "core/base/error.h"
#include "core/base/names.h"
#include "core/base/numbers.h"
#include "core/data/utf8.h"
#include "core/experiment/experiment.h"
#include "core/results/result_group.h"
#include "core/settings/keys.h"
#include "core/store/imported.h"

namespace ropelab {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::array<const ForeignFormat*, 11> known_formats = {
    &tensorboard_format, &wandb_format,   &swanlab_format,    &mlflow_format, &mlruns_format, &trackio_format,
    &trainer_format,     &clearml_format, &json_lines_format, &csv_format,    &nanogpt_format};

constexpr std::int64_t most_points = 20'000'000;

const ForeignFormat* format_of(const fs::path& path) {
    constexpr std::size_t head_size = 64 << 10;
    std::error_code error;
    FileHead head{path, {}};
    if (fs::is_regular_file(path, error)) {
        std::ifstream stream(path, std::ios::binary);
        head.text.resize(head_size);
        stream.read(head.text.data(), std::ssize(head.text));
        head.text.resize(static_cast<std::size_t>(std::max<std::streamsize>(stream.gcount(), 0)));
        head.text.erase(0, head.text.size() - without_mark(head.text).size());
        if (head.text.empty()) return nullptr;
    } else if (!fs::is_directory(path, error)) {
        return nullptr;
    }
    for (const ForeignFormat* format : known_formats) {
        if ((format == &mlruns_format) == head.text.empty() && format->is(head)) return format;
    }
    return nullptr;
}

struct FoundFiles {
    const ForeignFormat* format;
    fs::path root;
    std::vector<fs::path> files;
};

class FileSearch {
 public:
    /// Throws BadInput if the path has no run.
    void add(const fs::path& given) {
        std::error_code error;
        const fs::path path = fs::canonical(given, error);
        if (error) throw BadInput("There is no file or folder " + given.string() + ".");
        if (fs::is_directory(path, error)) {
            if (search(path, path, 0)) return;
            throw BadInput("The folder " + given.string() + " has no runs of other programs; name a folder with " +
                           foreign_format_words() + ".");
        } else if (!take(path, path.parent_path())) {
            throw BadInput(given.string() + " is no file of runs that RoPE Lab can import; it reads " +
                           foreign_format_words() + ".");
        }
    }
    const std::vector<FoundFiles>& found() const { return found_; }

 private:
    bool take(const fs::path& path, const fs::path& root) {
        const ForeignFormat* format = format_of(path);
        if (!format || !seen_.insert(path).second) return format != nullptr;
        // Event files below a folder with event files may be parts of its run, versions beside each other of one run.
        const bool follows = !found_.empty() && found_.back().format == format && found_.back().root == root;
        const fs::path folder = path.parent_path(), first = follows ? found_.back().files.front().parent_path() : "";
        const auto is_version = [](const fs::path& each) { return each.filename().string().starts_with("version_"); };
        const bool is_below = (folder.string() + "/").starts_with(first.string() + "/");
        const bool is_beside = folder.parent_path() == first.parent_path() && is_version(folder) && is_version(first);
        if (follows && (format == &tensorboard_format ? is_below : format == &csv_format && is_beside)) {
            found_.back().files.push_back(path);
            return true;
        }
        found_.push_back({format, root, {path}});
        return true;
    }

    // Files before folders. Returns whether there is a run.
    bool search(const fs::path& folder, const fs::path& root, int depth) {
        constexpr int deepest = 32;
        constexpr std::int64_t most_entries = 500'000;
        if (depth > deepest) return false;
        if (take(folder, root)) return true;
        std::vector<fs::path> files, folders;
        std::error_code error;
        for (const auto& entry : fs::directory_iterator(folder, error)) {
            if (++entries_ > most_entries) {
                throw BadInput("The folder " + root.string() +
                               " has more than 500,000 files; name the folders of the "
                               "runs.");
            }
            if (entry.is_symlink(error)) continue;  // such as wandb's latest-run
            if (entry.is_directory(error)) folders.push_back(entry.path());
            if (entry.is_regular_file(error)) files.push_back(entry.path());
        }
        std::ranges::sort(files);
        std::ranges::sort(folders);
        bool found = false;
        for (const fs::path& file : files) found = take(file, root) || found;
        for (const fs::path& inner : folders) found = search(inner, root, depth + 1) || found;
        return found;
    }

    std::vector<FoundFiles> found_;
    std::set<fs::path> seen_;
    std::int64_t entries_ = 0;
};

std::string plain_word(std::string text) {
    for (char& c : text) {
        c = std::isalnum(static_cast<unsigned char>(c)) != 0
                ? static_cast<char>(std::tolower(static_cast<unsigned char>(c)))
                : '_';
    }
    return text;
}

using Metrics = std::map<std::string, std::vector<ForeignPoint>>;

// The metric with the most points of those with these names (as plain_word); of equal ones the first name.
std::string metric_of(const Metrics& metrics, std::initializer_list<const char*> names) {
    std::string result;
    std::size_t most = 0;
    for (const char* name : names) {
        for (const auto& [metric, points] : metrics) {
            if (plain_word(metric) == name && points.size() > most) {
                most = points.size();
                result = metric;
            }
        }
    }
    return result;
}

// By step; of equal steps the last point.
std::map<std::int64_t, ForeignPoint> by_step(const Metrics& metrics, const std::string& name) {
    std::map<std::int64_t, ForeignPoint> result;
    const auto found = metrics.find(name);
    if (found == metrics.end()) return result;
    for (const ForeignPoint& point : found->second) {
        result.insert_or_assign(result.end(), point.step, point);
    }
    return result;
}

std::string chosen_metric(const ForeignRun& run, const std::string& wanted, std::initializer_list<const char*> names) {
    return wanted.empty() ? metric_of(run.metrics, names) : run.metrics.contains(wanted) ? wanted : "";
}

std::vector<std::string> left_out_words(const ForeignRun& run) {
    std::vector<std::string> result;
    if (run.misplaced > 0)
        result.push_back("Left out: " + counted(run.misplaced, "record") +
                         " without a name or a step from 0 to 10^15.");
    if (run.carried > 0)
        result.push_back(counted(run.carried, "record") + " without a training step: the newest step before was used.");
    std::int64_t count = 0;
    std::string first;
    for (const auto& [metric, texts] : run.unreadable) {
        if (count == 0) first = "\"" + texts.first + "\" (" + metric + " at step " + std::to_string(texts.step) + ")";
        count += texts.count;
    }
    if (count > 0) result.push_back("Left out as unreadable: " + counted(count, "number") + ", first " + first + ".");
    return result;
}

PlannedImport planned(ForeignRun&& run, const ForeignLosses& losses) {
    constexpr std::size_t longest_name = 200;
    PlannedImport result{run.program, run.name.substr(0, longest_name), run.source, run.config, {}, {}, {}, {}, {}, {},
                         run.notes};
    std::ranges::copy(left_out_words(run), std::back_inserter(result.notes));
    result.training = chosen_metric(run, losses.training,
                                    {"train_loss", "loss", "loss_train", "training_loss", "train_loss_step",
                                     "loss_step", "train_loss_epoch", "train_lm_loss"});
    result.validation = chosen_metric(run, losses.validation,
                                      {"val_loss", "eval_loss", "loss_val", "validation_loss", "loss_validation",
                                       "valid_loss", "val_loss_epoch", "loss_eval"});
    const std::string rate = metric_of(
        run.metrics, {"lr", "learning_rate", "train_learning_rate", "train_lr", "lr_adamw", "lr_adam", "lr_sgd"});
    const std::string norm = metric_of(run.metrics, {"grad_norm", "gradient_norm", "train_grad_norm"});
    const auto training = by_step(run.metrics, result.training), rates = by_step(run.metrics, rate);
    const auto norms = by_step(run.metrics, norm), validation = by_step(run.metrics, result.validation);
    const auto value_at = [](const auto& points, std::int64_t step) {
        const auto found = points.find(step);
        return found == points.end() ? NAN : found->second.value;
    };
    // A rate or norm at a step without a loss would be a gap in the curve of the loss.
    for (const auto& [step, point] : training.empty() ? rates : training) {
        RunMetrics::Steps& steps = result.metrics.steps;
        steps.iteration.push_back(step);
        steps.training_loss.push_back(training.empty() ? NAN : point.value);
        steps.gradient_norm.push_back(value_at(norms, step));
        steps.learning_rate.push_back(value_at(rates, step));
        steps.time.push_back(point.time);
    }
    for (const auto& [step, point] : validation) {
        RunMetrics::Evaluations& evaluations = result.metrics.evaluations;
        evaluations.iteration.push_back(step);
        evaluations.training_loss.push_back(NAN);
        evaluations.validation_loss.push_back(point.value);
        evaluations.time.push_back(point.time);
    }
    for (const auto& [name, points] : run.metrics) {
        const bool is_kept = name == result.training || name == result.validation || name == rate || name == norm;
        if (is_kept || points.empty()) continue;
        const auto latest_first = points | std::views::reverse;
        const ForeignPoint& last = *std::ranges::max_element(latest_first, {}, &ForeignPoint::step);
        result.last_values[name] = last.value;
        result.last_step = std::max(result.last_step, last.step);
    }
    return result;
}

// Settings

bool is_of_lab(const std::string& name) {
    const auto is_key = [&](const Key& key) { return key.name == name; };
    return name == imported_setting || current_name(Alias::Kind::key, name) != name ||
           std::ranges::any_of(keys(), is_key);
}

std::string own_name(const std::string& name) {
    return is_of_lab(name) ? "config." + name : name;
}

// nullopt if the lab cannot have this value.
std::optional<json> valid_value(const std::string& name, const json& value) {
    try {
        RunSpec spec;
        const Key& known = key(name);
        known.set(spec, parse_value(known, typed_text(name, value), spec));
        return to_json(spec).at(name);
    } catch (const BadInput&) {
        return std::nullopt;
    }
}

// A model that the lab could not have, such as 3 heads in a width of 64, keeps its numbers under their own names.
bool is_possible(const json& settings) {
    try {
        check(run_spec_from_json(settings));
        return true;
    } catch (const std::exception&) {
        return false;
    }
}

struct SeedInName {
    std::optional<std::int64_t> seed;
    std::string rest;  // the name without the seed
};

SeedInName seed_in(const std::string& name) {
    static const std::regex pattern("(^|[^a-z0-9])seed[ _=:.-]?([0-9]{1,15})(?![0-9])", std::regex::icase);
    std::smatch parts;
    if (!std::regex_search(name, parts, pattern)) return {std::nullopt, name};
    constexpr const char* separators = "-_ ./:";
    std::string before = parts.prefix().str() + parts[1].str(), after = parts.suffix().str();
    before.erase(before.find_last_not_of(separators) + 1);
    after.erase(0, after.find_first_not_of(separators));
    return {std::stoll(parts[2]), before + (before.empty() || after.empty() ? "" : "-") + after};
}

void set_settings(PlannedImport& run, const std::string& setting) {
    json own = json::object(), settings = {{imported_setting, run.program}};
    std::map<std::string, std::string> sources;  // name in `config` of what was recognized
    for (const auto& [name, value] : run.config.items()) {
        const std::string last = plain_word(name.substr(name.find_last_of("./") + 1));
        std::string wanted;  // the last part of a name with dots or slashes counts
        for (const ForeignNames& known : foreign_names()) {
            const std::vector<std::string> names = parts_of(known.same, ' ');
            if (!last.empty() && std::ranges::find(names, last) != names.end()) wanted = known.setting;
        }
        const auto valid = wanted.empty() || settings.contains(wanted) ? std::nullopt : valid_value(wanted, value);
        if (valid) {
            settings[wanted] = *valid;
            sources[wanted] = name;
        } else {
            own[own_name(name)] = value;
        }
    }
    if (!is_possible(settings)) {
        for (const char* shape : {"layers", "heads", "width", "context"}) {
            if (settings.erase(shape) > 0) own[own_name(sources[shape])] = run.config[sources[shape]];
        }
    }
    settings.update(own);
    const SeedInName in_name = seed_in(run.name);
    if (const auto seed = settings.find("seed"); seed != settings.end()) {
        run.seed = seed->get<std::int64_t>();
        if (in_name.seed && *in_name.seed != *run.seed) {
            run.notes.push_back("The name says seed " + std::to_string(*in_name.seed) + ", the settings say " +
                                std::to_string(*run.seed) + ", which counts.");
        }
    } else if (in_name.seed) {
        run.seed = in_name.seed;
        settings["seed"] = *run.seed;
    }
    if (!setting.empty()) settings["setting"] = setting;
    run.settings = std::move(settings);
}

// What names say beside the seed is a setting where the configurations do not tell: "wide" of "wide-seed3".
std::vector<std::string> settings_in_names(const std::vector<PlannedImport>& runs) {
    std::vector<std::string> result;
    std::map<std::string, std::set<std::string>> names;  // by configuration without seed
    std::vector<std::string> configs;
    for (const PlannedImport& run : runs) {
        json config = run.config;
        for (const std::string& seed : parts_of(foreign_names().front().same, ' ')) config.erase(seed);
        const SeedInName in_name = seed_in(run.name);
        result.push_back(in_name.seed || config.empty() ? in_name.rest : "");
        configs.push_back(run.program + config.dump(-1, ' ', false, json::error_handler_t::replace));
        names[configs.back()].insert(result.back());
    }
    for (std::size_t i = 0; i < runs.size(); ++i) {
        if (names[configs[i]].size() < 2) result[i].clear();
    }
    return result;
}

RunSummary summary_of(const PlannedImport& run) {
    RunSummary summary;
    const RunMetrics& metrics = run.metrics;
    const auto& steps = metrics.steps;
    const auto& evaluations = metrics.evaluations;
    for (std::size_t i = 0; i < evaluations.iteration.size(); ++i) {
        if (!improves(summary.best_validation_loss, evaluations.validation_loss[i])) continue;
        summary.best_validation_loss = evaluations.validation_loss[i];
        summary.best_iteration = evaluations.iteration[i];
    }
    if (!evaluations.iteration.empty()) summary.final_validation_loss = evaluations.validation_loss.back();
    if (!steps.iteration.empty()) summary.final_training_loss = steps.training_loss.back();
    for (const auto* all : {&steps.iteration, &evaluations.iteration}) {
        if (!all->empty()) summary.iterations = std::max(summary.iterations, all->back());
    }
    if (steps.iteration.empty() && evaluations.iteration.empty()) summary.iterations = run.last_step;
    summary.seconds = steps.time.empty() ? NAN : steps.time.back() - steps.time.front();
    summary.tokens_per_second = NAN;
    return summary;
}

json swept_settings(const PlannedImport& run) {
    json settings = run.settings;
    settings.erase("seed");
    settings.erase(imported_setting);
    return settings;
}

// That all runs have.
json shared_settings(const ImportPlan& plan) {
    json shared = swept_settings(plan.runs.front());
    for (const PlannedImport& run : plan.runs) {
        for (auto setting = shared.begin(); setting != shared.end();) {
            const auto own = run.settings.find(setting.key());
            const bool is_same = own != run.settings.end() && *own == *setting;
            setting = is_same ? std::next(setting) : shared.erase(setting);
        }
    }
    return shared;
}

// "theta=500, batch=8"
std::string setting_words_of(const json& settings, const json& without) {
    std::vector<std::string> words;
    for (const auto& [name, value] : settings.items()) {
        if (!without.contains(name)) words.push_back(without_controls(name + "=" + setting_text(value)));
    }
    return joined(words);
}

}  // namespace

std::span<const ForeignFormat* const> foreign_formats() {
    return known_formats;
}

std::string foreign_format_words() {
    return joined(known_formats, ", ", [](const ForeignFormat* format) {
        return std::string(format->name) + " (" + std::string(format->files) + ")";
    });
}

bool may_be_foreign(const fs::path& path) {
    std::error_code error;
    return fs::is_directory(path, error) || format_of(path) != nullptr;
}

ImportPlan plan_import(std::span<const fs::path> paths, const ForeignLosses& losses,
                       const std::function<bool()>& cancelled) {
    FileSearch search;
    for (const fs::path& path : paths) search.add(path);
    ImportPlan plan;
    std::int64_t points = 0;
    std::set<std::string> metrics;
    const auto add = [&](ForeignRun run) {
        if (cancelled && cancelled()) throw BadInput("The import was cancelled.");
        for (const auto& [name, all] : run.metrics) {
            points += std::ssize(all);
            metrics.insert(name);
        }
        if (points > most_points) {
            throw BadInput("The runs have more than 20,000,000 logged numbers; import fewer runs at a time.");
        }
        if (run.metrics.empty()) {
            plan.notes.push_back("The run \"" + run.name + "\" of " + run.program + " has no numbers and is left out.");
            std::ranges::copy(left_out_words(run), std::back_inserter(plan.notes));
        } else {
            plan.runs.push_back(planned(std::move(run), losses));
        }
    };
    for (const FoundFiles& found : search.found()) found.format->read(found.files, found.root, add);
    for (const auto& [flag, wanted] : {std::pair("training", losses.training), {"validation", losses.validation}}) {
        if (wanted.empty() || metrics.contains(wanted)) continue;
        const std::vector<std::string_view> known(metrics.begin(), metrics.end());
        throw BadInput("No run has the metric \"" + wanted + "\" that was named for the " + flag + " loss" +
                       hint(wanted, known));
    }
    if (plan.runs.empty()) throw BadInput("The files have no run with numbers, so there is nothing to import.");
    std::ranges::stable_sort(plan.runs, {}, &PlannedImport::name);
    const std::vector<std::string> settings = settings_in_names(plan.runs);
    constexpr std::int64_t first_unknown_seed = 1'000'000'000;  // equals no seed of another setting: nothing is paired
    std::int64_t unknown = 0;
    for (std::size_t i = 0; i < plan.runs.size(); ++i) {
        set_settings(plan.runs[i], settings[i]);
        if (!plan.runs[i].seed) plan.runs[i].settings["seed"] = first_unknown_seed + unknown++;
    }
    if (unknown > 0) {
        plan.notes.push_back(counted(unknown, "run") +
                             " without a seed in name or settings: numbered from 1,000,000,000 "
                             "on, so that they are repetitions that are not paired with others.");
    }
    return plan;
}

std::int64_t store_import(LabFile& lab, const ImportPlan& plan) {
    std::int64_t experiment = 0;
    lab.in_one_transaction([&] {
        const Experiment described(imported_experiment);
        experiment = lab.add_experiment(described.name(), described.to_json().dump());
        for (const PlannedImport& run : plan.runs) {
            const auto dumped = run.settings.dump(-1, ' ', false, json::error_handler_t::replace);
            const RunId id = lab.add_run(experiment, run.name, dumped);
            lab.annotate_run(id, "Imported from " + run.program + ", " + run.source.string() + ".");
            std::vector<Event> events;
            const auto& steps = run.metrics.steps;
            for (std::size_t i = 0; i < steps.iteration.size(); ++i) {
                events.emplace_back(event::Step{id, steps.iteration[i], steps.training_loss[i], steps.gradient_norm[i],
                                                steps.learning_rate[i], steps.time[i]});
            }
            const auto& evaluations = run.metrics.evaluations;
            for (std::size_t i = 0; i < evaluations.iteration.size(); ++i) {
                events.emplace_back(event::Evaluated{id, evaluations.iteration[i], evaluations.training_loss[i],
                                                     evaluations.validation_loss[i], evaluations.time[i]});
            }
            events.emplace_back(event::RunEnded{id, RunState::finished, "", summary_of(run)});
            lab.record(events);
            for (const auto& [name, value] : run.last_values) lab.set_measurement(id, name, value);
        }
    });
    return experiment;
}

Table import_table(const ImportPlan& plan) {
    Table table = Table::titled(
        {"run", "program", "seed", "training loss (points)", "validation loss (points)", "last step", "settings"},
        "lllrrrl");
    const auto loss = [](const std::string& metric, std::size_t count) {
        return metric.empty() ? std::string("–") : metric + " (" + std::to_string(count) + ")";
    };
    const json shared = shared_settings(plan);
    for (const PlannedImport& run : plan.runs) {
        table.rows.push_back({without_controls(run.name), run.program, run.seed ? std::to_string(*run.seed) : "unknown",
                              loss(run.training, run.metrics.steps.iteration.size()),
                              loss(run.validation, run.metrics.evaluations.iteration.size()),
                              std::to_string(summary_of(run).iterations),
                              setting_words_of(swept_settings(run), shared)});
    }
    return table;
}

std::string import_notes(const ImportPlan& plan) {
    std::string text;
    for (const PlannedImport& run : plan.runs) {
        for (const std::string& note : run.notes) text += without_controls(run.name + ": " + note) + "\n";
    }
    const std::string shared = setting_words_of(shared_settings(plan), json::object());
    if (!shared.empty()) text += "Settings that all runs have: " + shared + ".\n";
    for (const std::string& note : plan.notes) text += without_controls(note) + "\n";
    return text;
}

json import_json(const ImportPlan& plan) {
    json runs = json::array();
    for (const PlannedImport& run : plan.runs) {
        std::vector<std::string> others;
        for (const auto& [name, value] : run.last_values) others.push_back(name);
        runs.push_back({{"name", run.name},
                        {"program", run.program},
                        {"source", run.source.string()},
                        {"seed", run.seed ? json(*run.seed) : json()},
                        {"settings", swept_settings(run)},
                        {"training_loss", run.training.empty() ? json() : json(run.training)},
                        {"validation_loss", run.validation.empty() ? json() : json(run.validation)},
                        {"steps", run.metrics.steps.iteration.size()},
                        {"evaluations", run.metrics.evaluations.iteration.size()},
                        {"last_step", summary_of(run).iterations},
                        {"other_metrics", others},
                        {"notes", run.notes}});
    }
    return {{"runs", runs}, {"notes", plan.notes}};
}

}  // namespace ropelab
