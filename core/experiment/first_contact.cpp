#include "core/experiment/first_contact.h"

#include <sys/wait.h>

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "core/experiment/child_process.h"
#include "core/spec/error.h"
#include "core/spec/numbers.h"
#include "core/store/process_mark.h"

namespace ropelab {

namespace {

using Clock = ChildProcess::Clock;

// A build folder keeps tests elsewhere than programs, so the folders above are searched too.
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

struct Answer {
    std::vector<DeviceCheck> checks;  // that ended
    std::string running;              // the name of the check that had begun last; empty where it ended
    bool of_libtorch = false;         // that check
    bool done = false;
    bool cancelled = false;
    std::string trouble;  // "crashed (signal 11)"
};

void take_line(const std::string& line, Answer& answer) {
    if (line == device_check_end) {
        answer.done = true;
        return;
    }
    const DeviceCheck check = device_check_of(line);
    const bool started = check.outcome == DeviceCheck::Outcome::started;
    answer.running = started ? check.name : "";
    answer.of_libtorch = started && check.of_libtorch;
    if (!started) answer.checks.push_back(check);
}

// Takes the complete lines out of `text`. Throws BadInput for a line that is none of a check.
void take_lines(std::string& text, Answer& answer) {
    constexpr std::size_t longest_line = 1 << 20;
    for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n')) {
        take_line(text.substr(0, end), answer);
        text.erase(0, end + 1);
    }
    if (text.size() > longest_line) throw BadInput("A line of the check of a device has no end.");
}

std::string ending_of(int status, bool done) {
    if (WIFSIGNALED(status)) return "crashed (signal " + std::to_string(WTERMSIG(status)) + ")";
    const int code = WEXITSTATUS(status);
    return code == 0 && done ? "" : "ended early (status " + std::to_string(code) + ")";
}

void ask(const FirstContact& how, ChildProcess& child, Answer& answer) {
    const auto deadline = Clock::now() + how.limit;
    const std::string too_late =
        "did not end within " + number_text(static_cast<double>(how.limit.count()) / 1000) + " s";
    std::string text;
    while (true) {
        const auto piece = child.read_until(std::min(deadline, Clock::now() + std::chrono::milliseconds(100)));
        answer.cancelled = how.cancelled && how.cancelled();
        if (answer.cancelled) return child.kill();
        if (piece && piece->empty()) break;
        if (piece) text += *piece;
        try {
            take_lines(text, answer);
        } catch (const BadInput&) {
            answer.trouble = "wrote something else than its results";
            return child.kill();
        }
        if (Clock::now() >= deadline) {
            answer.trouble = too_late;
            return child.kill();
        }
    }
    // Its output has ended; the driver may still keep it.
    const auto status = child.wait_until(deadline);
    answer.trouble = status ? ending_of(*status, answer.done) : too_late;
    child.kill();
}

// A record that cannot be stored is made anew the next time.
void store(const std::filesystem::path& folder, const DeviceRecord& record) {
    try {
        write_device_record(folder, record);
    } catch (const BadInput&) {
        return;
    }
}

// What the user is told.
std::string sentence_of(const Answer& answer, const DeviceTrust& trust) {
    const std::string where = answer.running.empty() ? "" : " at \"" + answer.running + "\"";
    if (!answer.trouble.empty()) {
        return "The check of this CUDA device " + answer.trouble + where +
               (trust.device ? ", so LibTorch's operations alone are used." : ", so the device is not used.");
    }
    std::string failed;
    std::string slower;
    for (const DeviceCheck& check : answer.checks) {
        if (check.outcome == DeviceCheck::Outcome::failed && failed.empty()) failed = check.detail;
        if (check.outcome == DeviceCheck::Outcome::slower) {
            slower += (slower.empty() ? "" : ", ") + std::string(word_of(check.part));
        }
    }
    if (!trust.device) return "This CUDA device failed its check (" + failed + "), so it is not used.";
    if (trust == DeviceTrust::everything()) {
        return "This CUDA device passed its check: the project's kernels are right and faster than LibTorch's.";
    }
    std::string text = "The check of this CUDA device found: ";
    if (!failed.empty()) text += failed;
    if (!slower.empty()) text += (failed.empty() ? "" : "; ") + std::string("slower than LibTorch: ") + slower;
    return text + ". Of the project's kernels these are used: " + to_text(trust) + ".";
}

}  // namespace

DeviceRecord meet_device(const std::string& identity, const FirstContact& how) {
    const auto folder = how.folder.empty() ? device_records_folder() : how.folder;
    const auto before = read_device_record(folder, identity);
    const auto as_before = [&] { before ? store(folder, *before) : remove_device_record(folder, identity); };
    DeviceRecord record;
    record.identity = identity;
    record.writer = process_mark();
    record.sentence = "The check of this CUDA device did not end, so LibTorch's operations alone are used.";
    store(folder, record);

    Answer answer;
    try {
        std::string child_mark = device_check_variable;
        child_mark.append("=1");
        ChildProcess child(how.command.empty() ? default_command() : how.command, child_mark);
        ask(how, child, answer);
    } catch (const std::runtime_error& error) {
        as_before();
        answer.trouble = error.what();
        record.sentence = sentence_of(answer, record.trust);
        return record;
    }
    if (answer.cancelled) {
        as_before();
        record.sentence.clear();
        return record;
    }
    record.state = DeviceRecord::State::done;
    record.checks = answer.checks;
    record.trust = DeviceTrust::everything();
    for (const DeviceCheck& check : answer.checks) apply(check, record.trust);
    if (!answer.trouble.empty()) {
        const bool device = record.trust.device && !answer.of_libtorch;
        record.trust = DeviceTrust::libtorch_alone();
        record.trust.device = device;
    }
    record.sentence = sentence_of(answer, record.trust);
    store(folder, record);
    return record;
}

}  // namespace ropelab
