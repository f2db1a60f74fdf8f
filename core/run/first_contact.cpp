#include "core/run/first_contact.h"

#include <sys/wait.h>

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "core/machine/child_process.h"
#include "core/machine/clock.h"
#include "core/spec/error.h"
#include "core/spec/numbers.h"
#include "core/store/process_mark.h"

namespace ropelab {

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
    if (failed == report.checks.end()) return "This CUDA device passed its check: its results are those of the CPU.";
    return "This CUDA device failed its check (" + failed->detail + "), so " +
           (trust.device ? "CUDA graphs are not used." : "it is not used.");
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
