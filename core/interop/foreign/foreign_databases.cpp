// MLflow's stores and trackio's database.

#include <sqlite3.h>
#include <time.h>  // NOLINT(modernize-deprecated-headers): POSIX functions
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <set>

#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/data/read_file.h"
#include "core/interop/foreign/foreign_run.h"
#include "core/store/output_file.h"
#include "core/store/sqlite.h"

namespace ropelab {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// The database as another program left it. SQLite would merge a log beside it into the file; the file and its log are
// copied then, so that the newest runs are read and the files stay as they are.
class ForeignDatabase {
 public:
    explicit ForeignDatabase(const fs::path& file) {
        std::error_code error;
        const auto is_beside = [&](const char* suffix) {
            const auto size = fs::file_size(fs::path(file) += suffix, error);
            return !error && size > 0;
        };
        fs::path place = file;
        if (is_beside("-wal") || is_beside("-journal")) place = copy(file);
        connection_ = std::make_unique<sqlite::Connection>(
            place, folder_.empty() ? sqlite::Access::read_immutable : sqlite::Access::write);
        constexpr int longest_value = 16 << 20;
        sqlite3_limit(connection_->handle(), SQLITE_LIMIT_LENGTH, longest_value);
    }
    ~ForeignDatabase() {
        connection_.reset();
        std::error_code error;
        if (!folder_.empty()) fs::remove_all(folder_, error);
    }
    ForeignDatabase(const ForeignDatabase&) = delete;
    ForeignDatabase& operator=(const ForeignDatabase&) = delete;

    /// Views and virtual tables do not count: what they would compute is unknown.
    std::set<std::string> columns(const char* table) const {
        std::set<std::string> result;
        sqlite::Query is_table = connection_->query(
            "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ? AND sql NOT LIKE 'CREATE VIRTUAL%'");
        if (!is_table.with(table).next()) return result;
        sqlite::Query row = connection_->query("SELECT name FROM pragma_table_info(?)");
        row.with(table);
        while (row.next()) result.insert(row.text(0));
        return result;
    }
    bool has(const char* table, std::initializer_list<const char*> names) const {
        const std::set<std::string> known = columns(table);
        return std::all_of(names.begin(), names.end(), [&](const char* name) { return known.contains(name); });
    }
    const sqlite::Connection* operator->() const { return connection_.get(); }

 private:
    fs::path copy(const fs::path& file) {
        constexpr std::uintmax_t largest = std::uintmax_t{4} << 30;
        std::string name = (fs::temp_directory_path() / "ropelab-import-XXXXXX").string();
        if (::mkdtemp(name.data()) == nullptr) throw_file_error("The folder " + name, "created", errno);
        folder_ = name;
        for (const char* suffix : {"", "-wal", "-journal"}) {
            const fs::path from = fs::path(file) += suffix;
            std::error_code error;
            if (!fs::is_regular_file(from, error)) continue;
            if (fs::file_size(from, error) > largest) {
                throw BadInput(from.string() +
                               " has more than 4 GiB and a log of changes; close the program that "
                               "writes it, so that it merges the log.");
            }
            fs::copy_file(from, folder_ / ("copy" + std::string(suffix)), error);
            if (error) throw_file_error(from.string(), "copied", error.value());
        }
        return folder_ / "copy";
    }

    fs::path folder_;
    std::unique_ptr<sqlite::Connection> connection_;
};

bool is_database(const FileHead& head) {
    return head.text.starts_with(std::string_view("SQLite format 3\0", 16));
}

// Connection's messages are about lab files.
template <typename Read>
auto reading_database(const fs::path& file, const Read& read) {
    try {
        return read(ForeignDatabase(file));
    } catch (const BadInput& error) {
        const std::string what = error.what();
        const auto says = [&](const char* words) { return what.find(words) != what.npos; };
        if (!says("is not a RoPE Lab file") && !says("is damaged") && !says("cannot be read or written")) throw;
        throw BadInput(file.string() +
                       " is an SQLite database that is damaged or cannot be read; import a copy of it "
                       "that the program that wrote it can open.");
    }
}

// MLflow stores infinity as the largest double, and NaN as 0 in rows that say so.
double mlflow_value(double value, bool is_nan) {
    if (is_nan) return NAN;
    return std::abs(value) < std::numeric_limits<double>::max() ? value : std::copysign(INFINITY, value);
}

bool is_mlflow(const FileHead& head) {
    return is_database(head) && reading_database(head.path, [](const ForeignDatabase& database) {
               return database.has("runs", {"run_uuid", "name", "lifecycle_stage"}) &&
                      database.has("metrics", {"key", "value", "timestamp", "run_uuid", "step", "is_nan"}) &&
                      database.has("params", {"key", "value", "run_uuid"});
           });
}

void read_mlflow_database(const ForeignDatabase& database, const fs::path& file, const OnForeignRun& on_run) {
    std::map<std::string, ForeignRun> runs;  // by id
    sqlite::Query row = database->query("SELECT run_uuid, name FROM runs WHERE lifecycle_stage = 'active'");
    while (row.next()) {
        const std::string name = row.text(1).empty() ? row.text(0) : row.text(1);
        runs[row.text(0)] = {"MLflow", name, file, json::object(), {}, {}};
    }
    sqlite::Query param = database->query("SELECT run_uuid, key, value FROM params");
    while (param.next()) {
        const auto run = runs.find(param.text(0));
        if (run != runs.end()) run->second.add_config({{param.text(1), typed_value(param.text(2))}});
    }
    sqlite::Query point =
        database->query("SELECT run_uuid, key, step, value, is_nan, timestamp FROM metrics ORDER BY run_uuid, rowid");
    auto current = runs.end();
    const auto deliver = [&] {
        if (current == runs.end()) return;
        on_run(std::move(current->second));
        runs.erase(current);
    };
    std::string id;
    while (point.next()) {
        if (const std::string next = point.text(0); next != id) {
            deliver();
            id = next;
            current = runs.find(id);
        }
        if (current == runs.end()) continue;
        current->second.add(point.text(1), {point.integer(2), mlflow_value(point.real(3), point.integer(4) != 0),
                                            static_cast<double>(point.integer(5)) / 1000});
    }
    deliver();
    for (auto& [each, run] : runs) on_run(std::move(run));  // without metrics
}

// A run's folder in mlruns/: meta.yaml, metrics/NAME ("time value step" per line), params/NAME.

bool is_mlruns(const FileHead& head) {
    std::error_code error;
    return fs::is_directory(head.path / "metrics", error) && fs::is_regular_file(head.path / "meta.yaml", error);
}

void for_each_file(const fs::path& folder,
                   const std::function<void(const std::string& name, const std::string&)>& use) {
    std::error_code error;
    std::vector<fs::path> files;
    for (const auto& entry : fs::recursive_directory_iterator(folder, error)) {
        if (!entry.is_symlink(error) && entry.is_regular_file(error)) files.push_back(entry.path());
    }
    std::ranges::sort(files);
    for (const fs::path& file : files) {
        use(file.lexically_relative(folder).string(), read_regular_file(file, largest_foreign_file));
    }
}

void read_mlruns(std::span<const fs::path> files, const fs::path&, const OnForeignRun& on_run) {
    const fs::path& folder = files.front();
    const json meta = plain_yaml(read_regular_file(folder / "meta.yaml", largest_foreign_file));
    if (meta.value("lifecycle_stage", json()) == "deleted") return;
    ForeignRun run{"MLflow", folder.filename().string(), folder, json::object(), {}, {}};
    if (const json name = meta.value("run_name", json()); name.is_string()) run.name = name.get<std::string>();
    for_each_file(folder / "params", [&](const std::string& name, const std::string& text) {
        run.add_config({{name, typed_value(text)}});
    });
    for_each_file(folder / "metrics", [&](const std::string& name, const std::string& text) {
        for (const std::string& line : parts_of(text, '\n')) {
            std::vector<std::string> parts = parts_of(line, ' ');
            parts.resize(3);
            const json time = typed_value(parts[0]), value = typed_value(parts[1]), step = typed_value(parts[2]);
            const auto number = logged_number(value);
            const double seconds = time.is_number() ? time.get<double>() / 1000 : NAN;
            if (!step.is_number_integer())
                run.misplaced += line.empty() ? 0 : 1;
            else if (number)
                run.add(name, {step.get<std::int64_t>(), mlflow_value(*number, std::isnan(*number)), seconds});
            else
                run.add(name, step.get<std::int64_t>(), value, seconds);
        }
    });
    on_run(std::move(run));
}

// trackio: columns that are declared as text hold JSON as bytes, with NaN and infinity as texts.

bool is_trackio(const FileHead& head) {
    return is_database(head) && reading_database(head.path, [](const ForeignDatabase& database) {
               return database.has("metrics", {"id", "timestamp", "run_name", "step", "metrics"});
           });
}

json json_in_column(const sqlite::Query& row, int column) {
    return python_json(row.text(column));
}

// "2026-11-28T08:13:37.826922+00:00"
double iso_seconds(const std::string& text) {
    struct tm parts {};
    const char* end = ::strptime(text.c_str(), "%Y-%m-%dT%H:%M:%S", &parts);
    if (end == nullptr) return NAN;
    double fraction = 0;
    std::from_chars(end, text.data() + text.size(), fraction);
    return static_cast<double>(::timegm(&parts)) + fraction;
}

void read_trackio_database(const ForeignDatabase& database, const fs::path& file, const OnForeignRun& on_run) {
    const bool has_ids = database.has("metrics", {"run_id"});  // earlier versions have names only
    std::map<std::string, json> configs;
    if (database.has("configs", {"run_name", "config"})) {
        sqlite::Query row =
            database->query(has_ids ? "SELECT run_id, config FROM configs" : "SELECT run_name, config FROM configs");
        while (row.next()) configs[row.text(0)] = json_in_column(row, 1);
    }
    sqlite::Query row = database->query(
        has_ids ? "SELECT run_id, run_name, step, timestamp, metrics FROM metrics ORDER BY run_id, id"
                : "SELECT run_name, run_name, step, timestamp, metrics FROM metrics ORDER BY run_name, id");
    std::optional<ForeignRun> run;
    std::string id;
    while (row.next()) {
        if (!run || row.text(0) != id) {
            if (run) on_run(std::move(*run));
            id = row.text(0);
            run = ForeignRun{"trackio", row.text(1), file, json::object(), {}, {}};
            if (configs[id].is_object()) run->add_config(configs[id]);
        }
        json values = json_in_column(row, 4);
        if (values.is_object()) {
            values["_step"] = row.integer(2);  // without a step of the user it counts the calls, as wandb's does
            values["timestamp"] = iso_seconds(row.text(3));
        }
        run->misplaced += values.is_object() && run->add_row(values) ? 0 : 1;
    }
    if (run) on_run(std::move(*run));
}

template <auto read>
void read_in_database(std::span<const fs::path> files, const fs::path&, const OnForeignRun& on_run) {
    reading_database(files.front(), [&](const ForeignDatabase& database) { read(database, files.front(), on_run); });
}

}  // namespace

const ForeignFormat mlflow_format{"MLflow", "its database (SQLite)", is_mlflow, read_in_database<read_mlflow_database>};
const ForeignFormat mlruns_format{"MLflow", "folders mlruns/", is_mlruns, read_mlruns};
const ForeignFormat trackio_format{"trackio", "its database (SQLite)", is_trackio,
                                   read_in_database<read_trackio_database>};

}  // namespace ropelab
