#include "core/run/device_record.h"

#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/data/json_text.h"
#include "core/data/known_sets.h"
#include "core/machine/child_process.h"
#include "core/machine/clock.h"
#include "core/store/output_file.h"
#include "core/store/process_mark.h"

namespace ropelab {

namespace {

constexpr std::array<const char*, 3> state_words = {"started", "done", "revoked"};

nlohmann::json to_json(const DeviceCheck& check) {
    return {{"name", check.name},
            {"graphs", check.of_graphs},
            {"outcome", std::string(word_of(check.outcome))},
            {"detail", check.detail}};
}

DeviceCheck from_json(const nlohmann::json& json) {
    return {.name = json.at("name").get<std::string>(),
            .of_graphs = json.at("graphs").get<bool>(),
            .outcome = device_check_outcome(json.at("outcome").get<std::string>()),
            .detail = json.at("detail").get<std::string>()};
}

std::int64_t seconds_now() {
    using namespace std::chrono;
    return duration_cast<seconds>(system_clock::now().time_since_epoch()).count();
}

std::filesystem::path file_of(const std::filesystem::path& folder, const std::string& identity) {
    std::ostringstream name;
    name << std::hex << std::hash<std::string>()(identity) << ".json";
    return folder / name.str();
}

}  // namespace

std::string to_json_line(const DeviceCheck& check) {
    return to_json(check).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

DeviceCheck device_check_of(const std::string& line) {
    try {
        return from_json(parse_bounded(line));
    } catch (const nlohmann::json::exception&) {
        throw BadInput("\"" + line.substr(0, 80) + "\" is not a line of a device check.");
    }
}

std::filesystem::path device_records_folder() {
    return cache_folder().parent_path() / "devices";
}

std::optional<DeviceRecord> read_device_record(const std::filesystem::path& folder, const std::string& identity) {
    std::ifstream stream(file_of(folder, identity));
    if (!stream) return std::nullopt;
    try {
        const nlohmann::json json = parse_bounded(std::string(std::istreambuf_iterator<char>(stream), {}));
        DeviceRecord record;
        record.identity = json.at("identity").get<std::string>();
        if (record.identity != identity) return std::nullopt;
        const auto word = json.at("state").get<std::string>();
        for (std::size_t state = 0; state < state_words.size(); ++state) {
            if (word == state_words[state]) record.state = static_cast<DeviceRecord::State>(state);
        }
        record.trust = parse_device_trust(json.at("trust").get<std::string>());
        record.sentence = json.at("sentence").get<std::string>();
        record.writer = json.value("writer", "");
        record.time = json.value("time", std::int64_t{0});
        for (const auto& check : json.at("checks")) record.checks.push_back(from_json(check));
        if (record.state == DeviceRecord::State::started) record.trust = {};
        return record;
    } catch (const nlohmann::json::exception&) {
        return std::nullopt;
    } catch (const BadInput&) {
        return std::nullopt;
    }
}

void write_device_record(const std::filesystem::path& folder, const DeviceRecord& record) {
    nlohmann::json json = {
        {"identity", record.identity},      {"state", state_words[static_cast<std::size_t>(record.state)]},
        {"trust", to_text(record.trust)},   {"sentence", record.sentence},
        {"writer", record.writer},          {"time", seconds_now()},
        {"checks", nlohmann::json::array()}};
    for (const DeviceCheck& check : record.checks) json["checks"].push_back(to_json(check));
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    const std::string text = json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
    write_output(file_of(folder, record.identity), text);
}

void remove_device_record(const std::filesystem::path& folder, const std::string& identity) {
    std::error_code error;
    std::filesystem::remove(file_of(folder, identity), error);
}

bool is_being_checked(const DeviceRecord& record, std::chrono::milliseconds limit) {
    if (record.state != DeviceRecord::State::started) return false;
    if (is_other_live_process(record.writer)) return true;
    return !other_host(record.writer).empty() && std::chrono::seconds(seconds_now() - record.time) < limit;
}

namespace {

// In a build folder, tests are in other folders than programs, so the parent folders are searched too.
std::vector<std::string> default_command() {
    std::error_code error;
    const auto here = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
    auto program = here / "ropelab-cli";
    for (auto folder = here; !std::filesystem::exists(program, error) && folder.has_relative_path();
         folder = folder.parent_path()) {
        if (std::filesystem::exists(folder / "bin" / "ropelab-cli", error)) program = folder / "bin" / "ropelab-cli";
        if (folder.filename() == "build") break;
    }
    return {program.string(), "doctor", "--check-device"};
}

struct Report {
    std::vector<DeviceCheck> checks;  // completed checks
    std::string running;              // name of the check that is running; empty between checks
    bool checks_device = false;       // the running check tests the device's own results
    bool done = false;
    bool cancelled = false;
    std::string problem;  // such as "crashed (signal 11)"; empty if the child ended normally
};

// Throws BadInput for an invalid line.
void parse_line(const std::string& line, Report& report) {
    if (line == device_check_end) {
        report.done = true;
        return;
    }
    const DeviceCheck check = device_check_of(line);
    const bool started = check.outcome == DeviceCheck::Outcome::started;
    report.running = started ? check.name : "";
    report.checks_device = started && !check.of_graphs;
    if (!started) report.checks.push_back(check);
}

// Throws BadInput for an invalid line.
void parse_lines(std::string& text, Report& report) {
    constexpr std::size_t longest_line = 1 << 20;
    for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n')) {
        parse_line(text.substr(0, end), report);
        text.erase(0, end + 1);
    }
    if (text.size() > longest_line) throw BadInput("A line of the device check is longer than 1 MiB.");
}

// Abnormal ending, as a clause; empty for a normal one.
std::string ending_of(int status, bool done) {
    if (WIFSIGNALED(status)) return "crashed (signal " + std::to_string(WTERMSIG(status)) + ")";
    const int code = WEXITSTATUS(status);
    return code == 0 && done ? "" : "ended early (status " + std::to_string(code) + ")";
}

void read_report(const DeviceCheckSettings& settings, ChildProcess& child, Report& report) {
    const auto deadline = Clock::now() + settings.limit;
    const std::string too_late =
        "did not end within " + number_text(static_cast<double>(settings.limit.count()) / 1000) + " s";
    std::string text;
    while (true) {
        const auto piece = child.read_until(std::min(deadline, Clock::now() + std::chrono::milliseconds(100)));
        report.cancelled = settings.cancelled && settings.cancelled();
        if (report.cancelled) return child.kill();
        if (piece && piece->empty()) break;
        if (piece) text += *piece;
        try {
            parse_lines(text, report);
        } catch (const BadInput&) {
            report.problem = "printed invalid output";
            return child.kill();
        }
        if (Clock::now() >= deadline) {
            report.problem = too_late;
            return child.kill();
        }
    }
    // The output has ended, but the driver may still prevent the process from ending.
    const auto status = child.wait_until(deadline);
    report.problem = status ? ending_of(*status, report.done) : too_late;
    child.kill();
}

// If this fails, the device is checked again the next time.
void store(const std::filesystem::path& folder, const DeviceRecord& record) {
    try {
        write_device_record(folder, record);
    } catch (const std::exception&) {
        return;
    }
}

std::string sentence_of(const Report& report, const DeviceTrust& trust) {
    const std::string where = report.running.empty() ? "" : " at \"" + report.running + "\"";
    if (!report.problem.empty()) {
        return "The check of this CUDA device " + report.problem + where +
               (trust.device ? ", so CUDA graphs are not used." : ", so the device is not used.");
    }
    const auto failed = std::find_if(report.checks.begin(), report.checks.end(), [](const DeviceCheck& check) {
        return check.outcome == DeviceCheck::Outcome::failed;
    });
    if (failed == report.checks.end())
        return "This CUDA device passed its check: its results agree with the results of the CPU.";
    return "This CUDA device failed its check (" + failed->detail + "), so " +
           (trust.device ? "CUDA graphs are not used." : "the device is not used.");
}

}  // namespace

DeviceRecord check_cuda_device(const std::string& identity, const DeviceCheckSettings& settings) {
    const auto folder = settings.folder.empty() ? device_records_folder() : settings.folder;
    const auto before = read_device_record(folder, identity);
    const auto restore_record = [&] { before ? store(folder, *before) : remove_device_record(folder, identity); };
    DeviceRecord record;
    record.identity = identity;
    record.writer = process_mark();
    record.sentence = "The check of this CUDA device did not complete, so CUDA graphs are not used.";
    store(folder, record);

    Report report;
    try {
        std::string child_mark = device_check_variable;
        child_mark.append("=1");
        ChildProcess child(settings.command.empty() ? default_command() : settings.command, child_mark);
        read_report(settings, child, report);
    } catch (const std::runtime_error& error) {
        restore_record();
        report.problem = error.what();
        record.sentence = sentence_of(report, record.trust);
        return record;
    }
    if (report.cancelled) {
        restore_record();
        record.sentence.clear();
        return record;
    }
    record.state = DeviceRecord::State::done;
    record.checks = report.checks;
    record.trust = {.graphs = true};
    for (const DeviceCheck& check : report.checks) apply(check, record.trust);
    if (!report.problem.empty()) {
        record.trust = {.device = record.trust.device && !report.checks_device};
    }
    record.sentence = sentence_of(report, record.trust);
    store(folder, record);
    return record;
}

}  // namespace ropelab
