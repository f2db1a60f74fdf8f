#include "core/experiment/first_contact.h"

#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "core/spec/error.h"

extern char** environ;

namespace ropelab {

namespace {

using Clock = std::chrono::steady_clock;

std::vector<std::string> default_command() {
    std::error_code error;
    const auto folder = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
    return {(folder / "ropelab-cli").string(), "doctor", "--check-device"};
}

// A child process whose standard output is read; it is killed, by its own id, at the latest when this goes.
class Child {
 public:
    explicit Child(const std::vector<std::string>& command) {
        std::array<int, 2> ends{};
        if (pipe(ends.data()) != 0) throw std::runtime_error("did not start (there is no pipe)");
        output_ = ends[0];
        posix_spawn_file_actions_t actions;
        posix_spawn_file_actions_init(&actions);
        posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", 1 /* O_WRONLY */, 0);
        posix_spawn_file_actions_addclose(&actions, ends[0]);
        posix_spawn_file_actions_addclose(&actions, ends[1]);
        std::vector<char*> arguments;
        for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
        arguments.push_back(nullptr);
        std::string mark = device_check_variable;
        mark.append("=1");
        std::vector<char*> variables;
        for (char** variable = environ; *variable; ++variable) variables.push_back(*variable);
        variables.push_back(mark.data());
        variables.push_back(nullptr);
        const int error = posix_spawn(&id_, arguments.front(), &actions, nullptr, arguments.data(), variables.data());
        posix_spawn_file_actions_destroy(&actions);
        close(ends[1]);
        if (error != 0) {
            close(output_);
            throw std::runtime_error("did not start (" + command.front() + ": " + std::strerror(error) + ")");
        }
    }
    ~Child() {
        if (!status_) end();
        close(output_);
    }
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;

    // The next piece of output; empty at its end, nothing where there was none until `deadline`.
    std::optional<std::string> read_until(Clock::time_point deadline) const {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
        pollfd waiting{output_, POLLIN, 0};
        if (left <= 0 || poll(&waiting, 1, static_cast<int>(left)) <= 0) return std::nullopt;
        std::array<char, 4096> buffer{};
        const ssize_t count = ::read(output_, buffer.data(), buffer.size());
        return std::string(buffer.data(), count > 0 ? static_cast<std::size_t>(count) : 0);
    }
    void end() {
        kill(id_, SIGKILL);
        wait();
    }
    // Its status, as waitpid has it.
    int wait() {
        int status = 0;
        if (!status_) status_ = waitpid(id_, &status, 0) == id_ ? status : 0;
        return *status_;
    }

 private:
    pid_t id_ = 0;
    int output_ = -1;
    std::optional<int> status_;
};

struct Answer {
    std::vector<DeviceCheck> checks;  // that ended
    std::string running;              // the name of the check that had begun last; empty where it ended
    bool of_libtorch = false;         // that check
    bool done = false;
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

void ask(const FirstContact& how, Answer& answer) {
    Child child(how.command.empty() ? default_command() : how.command);
    const auto deadline = Clock::now() + how.limit;
    std::string text;
    while (true) {
        const auto piece = child.read_until(deadline);
        if (!piece) {
            child.end();
            answer.trouble = "did not end within " + std::to_string(how.limit.count() / 1000) + " s";
            return;
        }
        if (piece->empty()) break;
        text += *piece;
        for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n')) {
            try {
                take_line(text.substr(0, end), answer);
            } catch (const BadInput&) {
                child.end();
                answer.trouble = "wrote something else than its results";
                return;
            }
            text.erase(0, end + 1);
        }
    }
    const int status = child.wait();
    if (WIFSIGNALED(status)) {
        answer.trouble = "crashed (signal " + std::to_string(WTERMSIG(status)) + ")";
    } else if (WEXITSTATUS(status) != 0 || !answer.done) {
        answer.trouble = "ended early (status " + std::to_string(WEXITSTATUS(status)) + ")";
    }
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
    DeviceRecord record;
    record.identity = identity;
    record.sentence = "The check of this CUDA device did not end, so LibTorch's operations alone are used.";
    store(folder, record);

    Answer answer;
    try {
        ask(how, answer);
    } catch (const std::runtime_error& error) {
        answer.trouble = error.what();
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
