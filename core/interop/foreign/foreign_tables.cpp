// Files of text: the Trainer's state, JSON Lines, CSV, nanoGPT's log, and what readers share.

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <set>

#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/data/json_text.h"
#include "core/data/read_file.h"
#include "core/data/utf8.h"
#include "core/interop/foreign/foreign_run.h"

namespace ropelab {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// wandb counts its calls in _step, unless they name a step; Lightning and transformers log the training step beside it.
constexpr const char* call_counter = "_step";
constexpr std::array step_names = {
    "trainer/global_step", "train/global_step", "global_step", "step", "Step", "iteration", "iter", call_counter};
constexpr std::array time_names = {"_timestamp", "timestamp", "wall_time"};
constexpr const char* no_step = "a step from 0 to 10^15";
// Files that have these names in every folder.
constexpr std::array usual_names = {"metrics", "trainer_state", "log",    "logs",  "history",
                                    "train",   "train_log",     "stdout", "output"};

void flatten(json& result, const std::string& prefix, const json& value) {
    constexpr std::size_t longest_name = 200;
    if (prefix.size() > longest_name || value.is_null()) return;
    if (!value.is_object()) {
        result[prefix] = value.is_array() ? json(value.dump()) : value;
        return;
    }
    for (const auto& [key, inner] : value.items()) {
        if (!key.starts_with('_')) flatten(result, prefix.empty() ? key : prefix + "." + key, inner);
    }
}

std::optional<std::int64_t> step_number(const json& value) {
    constexpr double largest = 1e15;
    const auto number = logged_number(value);
    if (!number || !(*number >= 0 && *number <= largest)) return std::nullopt;
    return static_cast<std::int64_t>(*number);
}

// Null only if no other name has a value.
template <std::size_t Count>
const json* value_of(const json& row, const std::array<const char*, Count>& names) {
    const json* null = nullptr;
    for (const char* name : names) {
        const auto found = row.find(name);
        if (found != row.end() && !found->is_null()) return &*found;
        if (found != row.end()) null = &*found;
    }
    return null;
}

bool is_one_of(const auto& names, const std::string& name) {
    return std::ranges::find(names, name) != names.end();
}

std::vector<std::string_view> lines_of(std::string_view text) {
    std::vector<std::string_view> lines;
    text = without_mark(text);
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        lines.push_back(trimmed(text.substr(0, end)));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines;
}

ForeignRun new_run(std::string_view program, const fs::path& file, const fs::path& root) {
    return {std::string(program), foreign_name(root, file), file, hparams_in(file.parent_path()), {}, {}};
}

void note_skipped(ForeignRun& run, std::int64_t count, const std::string& what) {
    if (count > 0)
        run.notes.push_back("Left out: " + counted(count, "line") + " of " + run.source.filename().string() +
                            " without " + what + ".");
}

// Trainer

bool is_trainer_state(const FileHead& head) {
    return head.text.find("\"log_history\"") != std::string::npos && head.text.front() == '{';
}

// The state in the folder of a checkpoint is a beginning of that beside the folder, or of a later checkpoint.
bool has_later_state(const fs::path& file) {
    const auto number_of = [](const fs::path& folder) -> std::int64_t {
        const std::string name = folder.filename().string();
        std::int64_t number = -1;
        if (name.starts_with("checkpoint-")) std::from_chars(name.data() + 11, name.data() + name.size(), number);
        return number;
    };
    const fs::path folder = file.parent_path();
    const std::int64_t own = number_of(folder);
    std::error_code error;
    if (own < 0) return false;
    if (fs::exists(folder.parent_path() / file.filename(), error)) return true;
    for (const auto& other : fs::directory_iterator(folder.parent_path(), error)) {
        if (number_of(other.path()) > own && fs::exists(other.path() / file.filename(), error)) return true;
    }
    return false;
}

void read_trainer_state(std::span<const fs::path> files, const fs::path& root, const OnForeignRun& on_run) {
    const fs::path& file = files.front();
    constexpr std::int64_t largest = 64 << 20;  // its values in memory are larger
    const json state = python_json(read_regular_file(file, largest));
    if (!state.is_object() || !state.contains("log_history") || !state["log_history"].is_array()) {
        throw BadInput(file.string() + " is cut off or no JSON, so it is not a state of transformers' Trainer.");
    }
    if (has_later_state(file)) return;
    ForeignRun run = new_run("transformers", file, root);
    for (const char* key : {"train_batch_size", "num_train_epochs", "max_steps"}) {
        if (state.contains(key)) run.add_config({{key, state[key]}});
    }
    std::int64_t filtered = 0;
    for (json row : state["log_history"]) {
        // By default the Trainer writes a loss that is NaN as 0; the norm of the gradient tells.
        const auto norm = row.find("grad_norm");
        const auto loss = row.find("loss");
        if (loss != row.end() && norm != row.end() && *loss == 0.0 &&
            !std::isfinite(logged_number(*norm).value_or(0))) {
            *loss = "NaN";
            ++filtered;
        }
        run.misplaced += row.is_object() && run.add_row(row) ? 0 : 1;
    }
    if (filtered > 0) {
        run.notes.push_back("NaN was read for " + counted(filtered, "value") + " of 0" +
                            " in the loss, beside a gradient norm that is not a number.");
    }
    on_run(std::move(run));
}

// JSON Lines: a line without a step, such as {"config": {…}}, has settings.

bool is_clearml(const FileHead& head) {
    return head.text.starts_with('[') && head.text.find("\"training_stats") != std::string::npos;
}

bool is_json_lines(const FileHead& head) {
    constexpr std::size_t most_lines = 20;
    if (!head.text.starts_with('{')) return false;
    std::size_t seen = 0;
    for (const std::string_view line : lines_of(head.text)) {
        if (++seen > most_lines) break;
        const json row = python_json(line);
        if (row.is_object() && value_of(row, step_names) != nullptr) return true;
    }
    return false;
}

void read_json_lines(std::span<const fs::path> files, const fs::path& root, const OnForeignRun& on_run) {
    ForeignRun run = new_run("JSONL", files.front(), root);
    const std::string text = read_regular_file(files.front(), largest_foreign_file);
    std::int64_t skipped = 0, misplaced = 0;
    for (const std::string_view line : lines_of(text)) {
        const json row = line.empty() ? json() : python_json(line);
        const auto config = row.is_object() ? row.find("config") : row.end();
        if (!row.is_object())
            skipped += line.empty() ? 0 : 1;
        else if (run.add_row(row))
            continue;
        else if (config != row.end() && config->is_object())
            run.add_config(*config);
        else if (value_of(row, step_names) == nullptr)
            run.add_config(row);
        else
            ++misplaced;  // numbers at a step that cannot be one are no settings
    }
    note_skipped(run, skipped, "a JSON object");
    note_skipped(run, misplaced, no_step);
    on_run(std::move(run));
}

// Each line is a list of events. NaN and infinity are stored as 0.
void read_clearml(std::span<const fs::path> files, const fs::path& root, const OnForeignRun& on_run) {
    ForeignRun run = new_run("ClearML", files.front(), root);
    const std::string text = read_regular_file(files.front(), largest_foreign_file);
    std::int64_t skipped = 0, zeros = 0;
    for (const std::string_view line : lines_of(text)) {
        const json events = line.empty() ? json::array() : python_json(line);
        skipped += events.is_array() ? 0 : 1;
        if (!events.is_array()) continue;
        for (const json& event : events) {
            if (!event.is_object() || event.value("type", json()) != "training_stats_scalar") continue;
            const json title = event.value("metric", json()), series = event.value("variant", json());
            const auto step = step_number(event.value("iter", json()));
            if (!title.is_string() || !series.is_string() || !step) {
                ++run.misplaced;
                continue;
            }
            const std::string name =
                title == series ? title.get<std::string>() : title.get<std::string>() + "/" + series.get<std::string>();
            json value = event.value("value", json());
            if (value == 0.0 && name.find("loss") != std::string::npos) {
                value = "NaN";
                ++zeros;
            }
            run.add(name, *step, value, logged_number(event.value("timestamp", json())).value_or(NAN) / 1000);
        }
    }
    note_skipped(run, skipped, "a list of events");
    if (zeros > 0) {
        run.notes.push_back("NaN was read for " + counted(zeros, "value") + " of 0" +
                            " in losses, because ClearML stores NaN and infinity as 0.");
    }
    on_run(std::move(run));
}

// CSV

// RFC 4180; spaces around a cell are left out.
std::vector<std::vector<std::string>> csv_rows(std::string_view text, std::size_t most) {
    std::vector<std::vector<std::string>> rows(1);
    text = without_mark(text);
    std::string cell;
    bool quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (quoted) {
            if (c != '"') {
                cell += c;
            } else if (i + 1 < text.size() && text[i + 1] == '"') {
                cell += text[++i];
            } else {
                quoted = false;
            }
        } else if (c == '"' && trimmed(cell).empty()) {
            cell.clear();
            quoted = true;
        } else if (c == ',' || c == '\n') {
            rows.back().emplace_back(trimmed(cell));
            cell.clear();
            if (c == '\n' && rows.size() == most) return rows;
            if (c == '\n') rows.emplace_back();
        } else if (c != '\r') {
            cell += c;
        }
    }
    if (!cell.empty() || !rows.back().empty()) rows.back().emplace_back(trimmed(cell));
    if (rows.back().empty()) rows.pop_back();
    return rows;
}

std::optional<std::size_t> column_of(const std::vector<std::string>& header, const auto& names) {
    for (const char* name : names) {
        const auto found = std::ranges::find(header, name);
        if (found != header.end()) return static_cast<std::size_t>(found - header.begin());
    }
    return std::nullopt;
}

bool is_csv(const FileHead& head) {
    const auto rows = csv_rows(std::string_view(head.text).substr(0, head.text.find('\n')), 1);
    if (rows.empty() || rows.front().size() < 2) return false;
    const auto& header = rows.front();
    // RoPE Lab's own export has one number per line.
    return column_of(header, step_names).has_value() && std::ranges::find(header, "quantity") == header.end();
}

// The runs of a file. A chart of wandb has a column "run - metric" for each.
std::vector<ForeignRun> runs_of_csv(const fs::path& file, const fs::path& root) {
    constexpr std::string_view between = " - ";
    const std::string text = read_regular_file(file, largest_foreign_file);
    const auto rows = csv_rows(text, std::numeric_limits<std::size_t>::max());
    const std::vector<std::string>& header = rows.front();
    const auto time_at = column_of(header, time_names);
    const bool is_chart =
        std::ranges::any_of(header, [&](const auto& name) { return name.find(between) != name.npos; });
    ForeignRun usual = new_run(is_chart || is_one_of(header, call_counter) ? "wandb CSV" : "CSV", file, root);
    if (!usual.config.empty()) usual.program = "Lightning CSV";  // with its hparams.yaml
    std::map<std::string, ForeignRun> runs;
    std::vector<std::pair<ForeignRun*, std::string>> columns;  // run and metric; nullptr for other columns
    for (std::size_t i = 0; i < header.size(); ++i) {
        const std::size_t gap = is_chart ? header[i].rfind(between) : std::string::npos;
        const std::string name = gap == std::string::npos ? usual.name : header[i].substr(0, gap);
        const std::string metric = gap == std::string::npos ? header[i] : header[i].substr(gap + between.size());
        const bool is_bound = metric.ends_with("__MIN") || metric.ends_with("__MAX") || metric.ends_with("_step");
        const bool is_other = is_one_of(step_names, header[i]) || i == time_at || metric.starts_with('_');
        columns.emplace_back(nullptr, metric);
        if (is_other || (is_chart && (is_bound || gap == std::string::npos))) continue;
        columns.back().first = &runs.try_emplace(name, usual).first->second;
        columns.back().first->name = name;
    }
    std::int64_t skipped = 0;
    for (std::size_t row = 1; row < rows.size(); ++row) {
        const auto cell = [&](std::size_t column) {
            return column < rows[row].size() ? typed_value(rows[row][column]) : json();
        };
        json steps = json::object();
        for (std::size_t i = 0; i < header.size(); ++i) {
            if (is_one_of(step_names, header[i])) steps[header[i]] = cell(i);
        }
        const auto step = usual.step_of(steps);
        const double time = time_at ? logged_number(cell(*time_at)).value_or(NAN) : NAN;
        skipped += step ? 0 : 1;
        for (std::size_t i = 0; step && i < columns.size(); ++i) {
            if (columns[i].first) columns[i].first->add(columns[i].second, *step, cell(i), time);
        }
    }
    std::vector<ForeignRun> result;
    for (auto& [name, run] : runs) {
        note_skipped(run, skipped, no_step);
        run.carried = usual.carried;
        result.push_back(std::move(run));
    }
    return result;
}

std::int64_t first_step(const ForeignRun& run) {
    std::int64_t first = std::numeric_limits<std::int64_t>::max();
    for (const auto& [name, points] : run.metrics) first = std::min(first, points.front().step);
    return first;
}

// Lightning begins a folder version_N when a run resumes. It belongs to the run before if it has the same settings and
// begins at a later step.
void read_csv(std::span<const fs::path> files, const fs::path& root, const OnForeignRun& on_run) {
    std::vector<fs::path> versions(files.begin(), files.end());
    std::ranges::stable_sort(versions, {}, [](const fs::path& file) { return file.string().size(); });
    std::vector<ForeignRun> runs;
    for (const fs::path& file : versions) {
        for (ForeignRun& run : runs_of_csv(file, root)) {
            const bool follows = !runs.empty() && runs.back().source != file && runs.back().config == run.config;
            if (follows && run.metrics.empty()) {
                runs.back().notes.push_back(file.parent_path().filename().string() + " has no numbers.");
                continue;
            }
            if (!follows || first_step(run) <= first_step(runs.back())) {
                runs.push_back(std::move(run));
                continue;
            }
            runs.back().notes.push_back(file.parent_path().filename().string() + " resumes this run from step " +
                                        std::to_string(first_step(run)) + ".");
            runs.back().take(std::move(run));
        }
    }
    const fs::path version = fs::path(runs.empty() ? "" : runs.front().name);
    const bool is_only = runs.size() == 1 && version.filename().string().starts_with("version_");
    if (is_only && version.has_parent_path()) runs.front().name = version.parent_path().string();
    for (ForeignRun& run : runs) on_run(std::move(run));
}

// nanoGPT

struct PrintedLosses {
    std::int64_t step = 0;
    double training = NAN;
    double validation = NAN;
    bool evaluated = false;  // "step 0: train loss …, val loss …", else "iter 0: loss …"
};

std::optional<PrintedLosses> printed_losses(std::string_view line) {
    const std::string text(line.substr(0, 200));
    PrintedLosses result;
    long long step = 0;
    result.evaluated = true;
    if (std::sscanf(text.c_str(), "step %lld: train loss %lf, val loss %lf", &step, &result.training,
                    &result.validation) != 3) {
        result.evaluated = false;
        if (std::sscanf(text.c_str(), "iter %lld: loss %lf", &step, &result.training) != 2) return std::nullopt;
    }
    result.step = step;
    return result;
}

bool is_nanogpt(const FileHead& head) {
    const auto lines = lines_of(head.text);
    return std::ranges::any_of(lines, [](std::string_view line) { return printed_losses(line).has_value(); });
}

void read_nanogpt(std::span<const fs::path> files, const fs::path& root, const OnForeignRun& on_run) {
    constexpr std::string_view chosen = "Overriding: ";
    ForeignRun run = new_run("nanoGPT", files.front(), root);
    const std::string text = read_regular_file(files.front(), largest_foreign_file);
    for (const std::string_view line : lines_of(text)) {
        if (line.starts_with(chosen) && line.find('=') != line.npos) {
            const std::string_view rest = line.substr(chosen.size());
            const std::size_t equals = rest.find('=');
            run.add_config(
                {{std::string(trimmed(rest.substr(0, equals))), typed_value(trimmed(rest.substr(equals + 1)))}});
        } else if (const auto losses = printed_losses(line)) {
            run.add(losses->evaluated ? "evaluated train loss" : "loss", losses->step, losses->training, NAN);
            if (losses->evaluated) run.add("val loss", losses->step, losses->validation, NAN);
        }
    }
    on_run(std::move(run));
}

}  // namespace

void ForeignRun::take(ForeignRun&& later) {
    for (auto& [metric, points] : later.metrics) {
        auto& all = metrics[metric];
        all.insert(all.end(), points.begin(), points.end());
    }
    for (auto& [metric, texts] : later.unreadable) {
        const auto [known, is_new] = unreadable.try_emplace(metric, texts);
        if (!is_new) known->second.count += texts.count;
    }
    notes.insert(notes.end(), later.notes.begin(), later.notes.end());
    misplaced += later.misplaced;
    carried += later.carried;
}

void ForeignRun::add(const std::string& metric, const ForeignPoint& point) {
    if (point.step < 0)
        ++misplaced;
    else
        metrics[metric].push_back(point);
}

void ForeignRun::add(const std::string& metric, std::int64_t step, const json& value, double time) {
    if (const auto number = logged_number(value)) {
        add(metric, {step, *number, time});
    } else if (value.is_string()) {
        const std::string& text = value.get_ref<const std::string&>();
        const bool has_digits_only = text.find_first_not_of("+-.,0123456789eE' ") == std::string::npos &&
                                     text.find_first_of("0123456789") != std::string::npos &&
                                     text.find('-', 1) == std::string::npos;  // but no date
        if (!has_digits_only) return;
        UnreadableNumbers& texts = unreadable[metric];
        if (texts.count++ == 0) texts = {1, shortened(text, 40), step};
    }
}

std::optional<std::int64_t> ForeignRun::step_of(const json& row) {
    const json* place = value_of(row, step_names);
    const auto step = place == nullptr ? std::nullopt : step_number(*place);
    const auto counter = row.find(call_counter);
    if (!step || counter == row.end()) return step;
    if (place != &*counter) {
        newest_step = step != step_number(*counter) ? step : std::nullopt;
        return step;
    }
    carried += newest_step ? 1 : 0;
    return newest_step ? newest_step : step;
}

bool ForeignRun::add_row(const json& row) {
    const auto step = step_of(row);
    if (!step) return false;
    const json* when = value_of(row, time_names);
    const double time = when == nullptr ? NAN : logged_number(*when).value_or(NAN);
    json flat = json::object();
    flatten(flat, "", row);
    for (const auto& [name, value] : flat.items()) {
        if (!is_one_of(step_names, name) && !is_one_of(time_names, name)) add(name, *step, value, time);
    }
    return true;
}

void ForeignRun::add_config(const json& object) {
    constexpr std::size_t most_settings = 500;
    flatten(config, "", object);
    if (config.size() <= most_settings) return;
    notes.push_back("More than 500 settings; the others are left out.");
    while (config.size() > most_settings) config.erase(std::prev(config.end()));
}

json python_json(std::string_view text) {
    std::string quoted;
    quoted.reserve(text.size());
    bool in_string = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c == '"') in_string = !in_string;
        if (in_string && c == '\\' && i + 1 < text.size()) {
            quoted += c;
            quoted += text[++i];
            continue;
        }
        std::string_view word;
        for (const std::string_view each : {"NaN", "Infinity", "-Infinity"}) {
            if (!in_string && (c == 'N' || c == 'I' || c == '-') && text.substr(i).starts_with(each)) word = each;
        }
        const bool is_exponent =
            (c == 'e' || c == 'E') && !quoted.empty() && std::isdigit(static_cast<unsigned char>(quoted.back())) != 0;
        if (is_exponent && !in_string) {
            const std::size_t begin = quoted.find_last_not_of("+-.0123456789") + 1;
            const std::size_t end = std::min(text.find_first_not_of("+-0123456789", i + 1), text.size());
            const std::string number = quoted.substr(begin) + std::string(text.substr(i, end - i));
            double value = 0;
            const auto error = std::from_chars(number.data(), number.data() + number.size(), value).ec;
            const bool is_beyond = error == std::errc::result_out_of_range && !text.substr(i + 1).starts_with('-');
            quoted.replace(begin, std::string::npos, is_beyond ? '"' + number + '"' : number);
            i = end - 1;
        } else if (word.empty()) {
            quoted += c;
        } else {
            quoted.append("\"").append(word).append("\"");
            i += word.size() - 1;
        }
    }
    return parse_bounded(quoted, nullptr, false);
}

std::optional<double> logged_number(const json& value) {
    if (value.is_number()) return value.get<double>();
    if (!value.is_string()) return std::nullopt;
    std::string word = value.get<std::string>();
    std::ranges::transform(word, word.begin(),
                           [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    if (word == "nan") return NAN;
    if (word == "inf" || word == "infinity" || word == "+inf") return INFINITY;
    if (word == "-inf" || word == "-infinity") return -INFINITY;
    return std::nullopt;
}

json typed_value(std::string_view text) {
    text = trimmed(text);
    if (text.size() > 1 && (text.front() == '\'' || text.front() == '"') && text.back() == text.front()) {
        return std::string(text.substr(1, text.size() - 2));
    }
    std::int64_t whole = 0;
    double real = 0;
    const char* end = text.data() + text.size();
    if (const auto [after, error] = std::from_chars(text.data(), end, whole); error == std::errc{} && after == end) {
        return whole;
    }
    if (const auto [after, error] = std::from_chars(text.data(), end, real); error == std::errc{} && after == end) {
        if (std::isfinite(real)) return real;
    }
    if (text.empty() || text == "null" || text == "None") return nullptr;
    if (text == "true" || text == "True") return true;
    if (text == "false" || text == "False") return false;
    return std::string(text);
}

json plain_yaml(std::string_view text) {
    json result = json::object();
    std::vector<std::pair<std::size_t, std::string>> levels;  // indentation and name of the mappings around a line
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        const std::size_t indent = line.find_first_not_of(' ');
        const std::size_t colon = line.find(':');
        if (indent == line.npos || colon == line.npos || line[indent] == '#' || line[indent] == '-') continue;
        while (!levels.empty() && levels.back().first >= indent) levels.pop_back();
        const json key = typed_value(line.substr(indent, colon - indent));
        const std::string name = (levels.empty() ? "" : levels.back().second + ".") +
                                 (key.is_string() ? key.get<std::string>() : key.dump());
        const std::string_view value = trimmed(line.substr(colon + 1));
        constexpr std::size_t deepest = 16;
        if (value.empty() && levels.size() < deepest) {
            levels.emplace_back(indent, name);
        } else if (const json typed = typed_value(value); !typed.is_null()) {
            result[name] = typed;
        }
    }
    return result;
}

json hparams_in(const fs::path& folder) {
    constexpr std::int64_t largest = 1 << 20;
    std::error_code error;
    const fs::path file = folder / "hparams.yaml";
    if (!fs::is_regular_file(file, error)) return json::object();
    ForeignRun run;
    run.add_config(plain_yaml(read_regular_file(file, largest)));
    return run.config;
}

std::string foreign_name(const fs::path& root, const fs::path& file) {
    const std::string stem = file.stem().string();
    const bool is_usual =
        std::ranges::find(usual_names, stem) != usual_names.end() || stem.find("tfevents") != stem.npos;
    const fs::path named = is_usual ? file.parent_path() : file.parent_path() / stem;
    fs::path inside = named.lexically_relative(root);
    if (inside.empty() || inside == "." || *inside.begin() == "..") inside = named.filename();
    std::string name;
    for (const fs::path& part : inside) {
        if (!part.string().starts_with("checkpoint-")) name += (name.empty() ? "" : "/") + part.string();
    }
    return name.empty() ? root.filename().string() : name;
}

const ForeignFormat trainer_format{"transformers", "trainer_state.json", is_trainer_state, read_trainer_state};
const ForeignFormat clearml_format{"ClearML", "offline metrics.jsonl", is_clearml, read_clearml};
const ForeignFormat json_lines_format{"JSONL", "a JSON object with a step per line", is_json_lines, read_json_lines};
const ForeignFormat csv_format{"CSV", "tables with a column for the step, such as those of Lightning and wandb", is_csv,
                               read_csv};
const ForeignFormat nanogpt_format{"nanoGPT", "the printed log", is_nanogpt, read_nanogpt};

}  // namespace ropelab
