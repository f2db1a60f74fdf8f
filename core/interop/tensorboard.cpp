#include "core/interop/tensorboard.h"

#include <time.h>  // NOLINT(modernize-deprecated-headers): POSIX functions

#include <algorithm>
#include <bit>
#include <boost/crc.hpp>
#include <cctype>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "core/base/error.h"
#include "core/results/results_table.h"
#include "core/store/output_file.h"
#include "core/sweep/stored_run.h"

namespace ropelab {

namespace {

namespace fs = std::filesystem;

// Protocol buffers without the protobuf library, because LibTorch contains one with the same symbols. Field numbers are
// those of TensorFlow's event.proto, summary.proto, tensor.proto and tensor_shape.proto, of TensorBoard's
// plugins/hparams/plugin_data.proto, and of google/protobuf/struct.proto.

template <typename Unsigned>
std::string little_endian(Unsigned value) {
    std::string bytes;
    for (std::size_t i = 0; i < sizeof value; ++i) bytes += static_cast<char>((value >> (8 * i)) & 0xFFU);
    return bytes;
}

std::string varint(std::uint64_t value) {
    std::string bytes;
    for (; value >= 0x80; value >>= 7) bytes += static_cast<char>((value & 0x7FU) | 0x80U);
    return bytes + static_cast<char>(value);
}

std::string tag(unsigned field, unsigned wire_type) {
    return varint(field << 3U | wire_type);
}
std::string whole(unsigned field, std::int64_t value) {
    return tag(field, 0) + varint(static_cast<std::uint64_t>(value));
}
std::string fixed64(unsigned field, double value) {
    return tag(field, 1) + little_endian(std::bit_cast<std::uint64_t>(value));
}
std::string fixed32(unsigned field, float value) {
    return tag(field, 5) + little_endian(std::bit_cast<std::uint32_t>(value));
}
std::string part(unsigned field, std::string_view bytes) {
    return tag(field, 2) + varint(bytes.size()) + std::string(bytes);
}

std::string scalar(std::string_view name, double value) {
    return part(1, part(1, name) + fixed32(2, static_cast<float>(value)));
}

std::string one_dimension(std::int64_t size) {
    return part(2, part(2, whole(1, size)));  // TensorProto.tensor_shape.dim.size
}

std::string for_plugin(std::string_view name, std::string_view plugin, const std::string& content,
                       const std::string& tensor) {
    const std::string plugin_data = part(1, plugin) + (content.empty() ? "" : part(2, content));
    return part(1, part(1, name) + part(9, part(1, plugin_data)) + part(8, tensor));
}

std::string summary_event(double time, std::int64_t step, const std::string& values) {
    return event_record(fixed64(1, time) + whole(2, step) + part(5, values));
}

// For a cell of a Markdown table, in which "|" and line breaks are not allowed.
std::string cell(const std::string& text) {
    std::string result;
    for (const char c : text) {
        if (c == '|') result += '\\';
        result += c == '\n' || c == '\r' ? ' ' : c;
    }
    return result;
}

std::string settings_table(const RunRecord& run, const nlohmann::json& settings) {
    constexpr std::int64_t text_type = 7;  // DT_STRING
    std::string table = "| setting | value |\n|---|---|\n| run | " + cell(run.name) + " |\n";
    for (const auto& [key, value] : settings.items()) table += "| " + key + " | " + cell(setting_text(value)) + " |\n";
    if (run.conditions) {
        table += "| chosen_device | " + cell(run.conditions->device) + " |\n| chosen_precision | " +
                 cell(run.conditions->precision) + " |\n| chosen_threads | " + std::to_string(run.conditions->threads) +
                 " |\n";
        if (!run.conditions->graphs.empty()) table += "| chosen_kernels | " + cell(run.conditions->graphs) + " |\n";
    }
    if (!run.note.empty()) table += "| note | " + cell(run.note) + " |\n";
    return for_plugin("settings", "text", "", whole(1, text_type) + one_dimension(1) + part(8, table));
}

std::string hyperparameters(const nlohmann::json& settings, double start) {
    constexpr std::int64_t float_type = 1;  // DT_FLOAT
    std::string session;
    for (const auto& [key, value] : settings.items()) {
        std::string wrapped;  // google.protobuf.Value
        if (value.is_boolean()) {
            wrapped = whole(4, value.get<bool>() ? 1 : 0);
        } else if (value.is_number()) {
            wrapped = fixed64(2, value.get<double>());
        } else {
            wrapped = part(3, setting_text(value));
        }
        session += part(1, part(1, key) + part(2, wrapped));
    }
    session += fixed64(5, start);
    // The plugin requires a tensor, but uses only its data.
    const std::string unused_tensor = whole(1, float_type) + one_dimension(1) + fixed32(5, 0.0F);
    return for_plugin("_hparams_/session_start_info", "hparams", part(3, session), unused_tensor);
}

bool is_ours(const fs::path& file) {
    const std::string name = file.filename().string();
    return name.starts_with("events.out.tfevents.") && name.ends_with(".ropelab");
}

std::string lower(std::string text) {
    for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return text;
}

void make_folder(const fs::path& folder) {
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) throw_file_error("The folder " + folder.string(), "created", error.value());
}

std::string with_seed(const std::string& name, const std::string& seed) {
    for (const char* between : {"seed", "seed_", "seed="}) {
        const std::string word = between + seed;
        for (auto at = name.find(word); at != std::string::npos; at = name.find(word, at + 1)) {
            const auto end = at + word.size();
            const bool starts = at == 0 || std::isalnum(static_cast<unsigned char>(name[at - 1])) == 0;
            const bool ends = end == name.size() || std::isalnum(static_cast<unsigned char>(name[end])) == 0;
            if (starts && ends) return name;
        }
    }
    return name + "_seed" + seed;
}

bool has_times(const RunMetrics& metrics) {
    const auto known = [](double time) { return std::isfinite(time); };
    return std::all_of(metrics.steps.time.begin(), metrics.steps.time.end(), known) &&
           std::all_of(metrics.evaluations.time.begin(), metrics.evaluations.time.end(), known);
}

void remove_earlier_files(const fs::path& folder) {
    std::error_code error;
    std::vector<fs::path> earlier;
    for (const auto& entry : fs::directory_iterator(folder, error)) {
        if (is_ours(entry.path())) earlier.push_back(entry.path());
    }
    for (const fs::path& file : earlier) {
        if (!fs::remove(file, error)) {
            throw BadInput("The earlier file " + file.string() + " cannot be removed: " + error.message() + ".");
        }
    }
}

}  // namespace

std::uint32_t crc32c(std::string_view bytes) {
    // zlib and OpenSSL do not support this polynomial; Boost.CRC supports any.
    boost::crc_optimal<32, 0x1EDC6F41, 0xFFFFFFFF, 0xFFFFFFFF, true, true> crc;
    crc.process_bytes(bytes.data(), bytes.size());
    return static_cast<std::uint32_t>(crc.checksum());
}

std::string event_record(std::string_view data) {
    // The format masks checksums, because the CRC of data that contain their own CRC is not useful.
    const auto masked = [](std::string_view bytes) {
        const std::uint32_t crc = crc32c(bytes);
        return little_endian(((crc >> 15U) | (crc << 17U)) + 0xA282EAD8U);
    };
    const std::string length = little_endian(static_cast<std::uint64_t>(data.size()));
    return length + masked(length) + std::string(data) + masked(data);
}

RunClock clock_of(const RunRecord& run, const ExperimentRecord& experiment) {
    struct tm parts {};
    const char* end = ::strptime(experiment.created.c_str(), "%Y-%m-%dT%H:%M:%SZ", &parts);
    if (end == nullptr || *end != '\0') {
        throw BadInput("The experiment \"" + experiment.name + "\" has the start time \"" + experiment.created +
                       "\", but it must have the form 2025-03-14T15:09:26Z.");
    }
    RunClock clock;
    clock.start = static_cast<double>(::timegm(&parts));
    clock.measured = run.summary && run.summary->iterations > 0 && run.summary->seconds > 0;
    clock.seconds_per_step =
        clock.measured ? run.summary->seconds / static_cast<double>(run.summary->iterations) : 1e-3;
    return clock;
}

std::string event_file(const RunRecord& run, const RunMetrics& metrics, const RunClock& clock) {
    // Times must not decrease, although clocks may be set back and some steps have no stored time.
    double latest = clock.start;
    const auto time = [&](std::int64_t step, double stored) {
        const double computed = clock.start + clock.seconds_per_step * static_cast<double>(step);
        return latest = std::max(latest, std::isfinite(stored) ? stored : computed);
    };
    const nlohmann::json settings = stored_settings(run);
    std::string file = event_record(fixed64(1, clock.start) + part(3, "brain.Event:2"));
    file += summary_event(clock.start, 0, hyperparameters(settings, clock.start));
    file += summary_event(clock.start, 0, settings_table(run, settings));

    // TensorBoard expects steps and evaluations in the order of their iterations.
    const auto& steps = metrics.steps;
    const auto& evaluations = metrics.evaluations;
    std::size_t evaluated = 0;
    const auto evaluations_before = [&](std::int64_t iteration) {
        for (; evaluated < evaluations.iteration.size() && evaluations.iteration[evaluated] < iteration; ++evaluated) {
            const std::int64_t at = evaluations.iteration[evaluated];
            file += summary_event(time(at, evaluations.time[evaluated]), at,
                                  scalar("loss/validation", evaluations.validation_loss[evaluated]) +
                                      scalar("loss/train_evaluated", evaluations.training_loss[evaluated]));
        }
    };
    for (std::size_t i = 0; i < steps.iteration.size(); ++i) {
        const std::int64_t at = steps.iteration[i];
        evaluations_before(at);
        file += summary_event(time(at, steps.time[i]), at,
                              scalar("loss/train", steps.training_loss[i]) +
                                  scalar("gradient_norm", steps.gradient_norm[i]) +
                                  scalar("learning_rate", steps.learning_rate[i]));
    }
    evaluations_before(std::numeric_limits<std::int64_t>::max());
    if (run.summary) {
        const std::int64_t at = run.summary->iterations;
        std::string values;
        if (run.summary->tokens_per_second > 0) values += scalar("tokens_per_second", run.summary->tokens_per_second);
        if (run.summary->whole_validation_loss) {
            values += scalar("loss/validation_whole", *run.summary->whole_validation_loss);
        }
        if (run.summary->test_loss) values += scalar("loss/test", *run.summary->test_loss);
        const bool stored = !steps.time.empty() && std::isfinite(steps.time.back());
        if (!values.empty()) file += summary_event(time(at, stored ? latest : std::nan("")), at, values);
    }
    return file;
}

std::string folder_name(std::string_view name) {
    constexpr std::size_t longest = 100;
    std::string text(name);
    for (const auto& [from, to] : {std::pair<std::string, std::string>{"θ", "theta"}, {" %", "percent"}}) {
        for (auto at = text.find(from); at != std::string::npos; at = text.find(from))
            text.replace(at, from.size(), to);
    }
    std::string result;
    for (const char c : text) {
        const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        if (letter || std::string_view("._-=+").find(c) != std::string_view::npos) {
            result += c;
        } else if (!result.empty() && result.back() != '_') {
            result += '_';  // replaces any number of other characters
        }
    }
    result.resize(std::min(result.size(), longest));
    // A dot at the beginning would hide the folder; some systems remove a dot at the end.
    result.erase(0, result.find_first_not_of("._"));
    result.erase(result.find_last_not_of("._") + 1);
    return result.empty() ? "run" : result;
}

std::vector<EventFile> write_event_files(const LabFile& lab, const std::vector<RunRecord>& runs, const fs::path& folder,
                                         bool replace) {
    std::error_code error;
    if (fs::exists(folder, error)) {
        if (!fs::is_directory(folder, error)) {
            throw BadInput(folder.string() + " is not a folder; name a folder for the event files.");
        }
        if (!replace && !fs::is_empty(folder, error)) {
            throw BadInput("The folder " + folder.string() +
                           " is not empty; add --force to write into it, or name another folder.");
        }
    }
    const std::vector<ExperimentRecord> experiments = lab.experiments();
    std::vector<EventFile> written;
    std::set<std::string> used_names;
    for (const RunRecord& run : runs) {
        const auto experiment = std::find_if(experiments.begin(), experiments.end(),
                                             [&](const ExperimentRecord& known) { return known.id == run.experiment; });
        if (experiment == experiments.end()) {
            throw BadInput("The run \"" + run.name + "\" does not belong to an experiment of " + lab.path().string() +
                           ".");
        }
        const RunClock clock = clock_of(run, *experiment);
        const nlohmann::json settings = stored_settings(run);
        std::string name = folder_name(run.name);
        if (settings.contains("seed")) name = with_seed(name, folder_name(setting_text(settings["seed"])));
        while (!used_names.insert(lower(name)).second) name += "_run" + std::to_string(run.id);
        const RunMetrics metrics = lab.metrics(run.id);
        const std::string content = event_file(run, metrics, clock);
        make_folder(folder / name);
        remove_earlier_files(folder / name);
        const fs::path path =
            folder / name /
            ("events.out.tfevents." + std::to_string(static_cast<std::int64_t>(clock.start)) + ".ropelab");
        write_output(path, content);
        written.push_back({run.id, path, static_cast<std::int64_t>(metrics.steps.iteration.size()),
                           static_cast<std::int64_t>(metrics.evaluations.iteration.size()), has_times(metrics),
                           clock.measured});
    }
    return written;
}

}  // namespace ropelab
