#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ropelab {

/// A number that another program logged. It may be NaN or infinite.
struct ForeignPoint {
    std::int64_t step = 0;
    double value = 0;
    double time = std::numeric_limits<double>::quiet_NaN();  // seconds since 1970 (UTC); NaN: unknown
};

/// Texts in place of the numbers of a metric.
struct UnreadableNumbers {
    std::int64_t count = 0;
    std::string first;  // shortened
    std::int64_t step = 0;
};

/// A run as the files of another program store it.
struct ForeignRun {
    std::string program;
    std::string name;
    std::filesystem::path source;                              // file or folder
    nlohmann::json config = nlohmann::json::object();          // flat: names with dots, numbers, texts, flags
    std::map<std::string, std::vector<ForeignPoint>> metrics;  // by name, in the order of the file
    std::vector<std::string> notes;                            // sentences on what was left out or changed
    std::map<std::string, UnreadableNumbers> unreadable = {};  // by metric
    std::int64_t misplaced = 0;                                // records left out, which lack a name or a step
    std::int64_t carried = 0;                                  // records at the newest training step before them
    std::optional<std::int64_t> newest_step = {};              // which differs from the logger's counter of calls

    /// Appends the numbers, counts and notes of a run that continues this one.
    void take(ForeignRun&& later);
    /// Counts a number at a step below 0 as misplaced.
    void add(const std::string& metric, const ForeignPoint& point);
    /// Counts texts of digits as unreadable; ignores words, flags and null.
    void add(const std::string& metric, std::int64_t step, const nlohmann::json& value, double time);
    /// The step of a record, under one of the usual names ("train/global_step", "step", "iter", …); nullopt if it has
    /// none. A record with wandb's counter of calls alone has the newest training step of the records before it, as
    /// wandb's step_metric defines it, unless the counter is that step.
    std::optional<std::int64_t> step_of(const nlohmann::json& row);
    /// A flat object at its step_of(). Returns false, adding nothing, if it has none.
    bool add_row(const nlohmann::json& row);
    /// Nested objects become names with dots; null, and names that begin with "_", are left out.
    void add_config(const nlohmann::json& object);
};

/// The beginning of a file, by which its format is recognized.
struct FileHead {
    std::filesystem::path path;
    std::string text;  // at most 64 KiB
};

using OnForeignRun = std::function<void(ForeignRun)>;

/// Formats are recognized by content. `read` gets files of the format: all event files of a folder and the folders
/// within it, the versions of a run of Lightning, else one file or one folder; `root` is the folder that the user named
/// (or that of the file), by which runs without a name of their own are named. Readers never write beside the files.
/// They throw BadInput for a damaged file, and keep what precedes a record that is cut off or damaged.
struct ForeignFormat {
    std::string_view name;   // "wandb"
    std::string_view files;  // "offline runs (.wandb)", for help and messages
    bool (*is)(const FileHead&);
    void (*read)(std::span<const std::filesystem::path> files, const std::filesystem::path& root, const OnForeignRun&);
};

// Rows of the table foreign_formats(); see foreign_logs.cpp, foreign_tables.cpp and foreign_databases.cpp.
extern const ForeignFormat tensorboard_format, wandb_format, swanlab_format;
extern const ForeignFormat trainer_format, json_lines_format, clearml_format, csv_format, nanogpt_format;
extern const ForeignFormat mlflow_format, mlruns_format, trackio_format;

/// Largest file that is read into memory; databases may be larger.
inline constexpr std::int64_t largest_foreign_file = 256 << 20;

/// Without the mark with which programs of Windows begin a text in UTF-8.
inline std::string_view without_mark(std::string_view text) {
    constexpr std::string_view mark = "\xEF\xBB\xBF";
    return text.substr(text.starts_with(mark) ? mark.size() : 0);
}
/// JSON in which NaN, Infinity and -Infinity may stand bare, as Python writes it: they become texts, as do numbers
/// with an exponent beyond the largest double. The result is discarded (nlohmann::json::is_discarded) if the text is no
/// JSON.
nlohmann::json python_json(std::string_view text);
/// A number, or the text "NaN", "Infinity", "inf", …; nullopt for anything else.
std::optional<double> logged_number(const nlohmann::json& value);
/// As typed: a number, true or false, else the text.
nlohmann::json typed_value(std::string_view text);
/// Of a file hparams.yaml or meta.yaml: "key: value" with nested keys; other YAML is ignored.
nlohmann::json plain_yaml(std::string_view text);
/// That of hparams.yaml in the folder; empty without it.
nlohmann::json hparams_in(const std::filesystem::path& folder);
/// The folder of the file relative to `root`, or, if the file's name is not usual in every folder, that of the file.
std::string foreign_name(const std::filesystem::path& root, const std::filesystem::path& file);

}  // namespace ropelab
