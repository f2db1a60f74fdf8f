#include "app/terminal/output.h"

#include <unistd.h>

#include <cmath>
#include <csignal>
#include <filesystem>
#include <iostream>
#include <iterator>

#include "core/base/error.h"
#include "core/data/json_text.h"
#include "core/data/read_file.h"
#include "core/data/utf8.h"
#include "core/results/results_cells.h"
#include "core/store/output_file.h"

namespace ropelab::terminal {

namespace {
volatile std::sig_atomic_t interrupts = 0;
}

void print_json(const nlohmann::json& json) {
    using Handler = nlohmann::json::error_handler_t;
    print_text(json.dump(2, ' ', false, Handler::replace) + "\n");
}

void print_text(const std::string& text) {
    write_output("-", without_controls(text));
}

std::string decimals_text(double value, int decimals) {
    return std::isfinite(value) ? fixed_text(value, decimals) : std::to_string(value);
}

std::string read_all(const std::string& file) {
    if (file == "-") return {std::istreambuf_iterator<char>(std::cin), {}};
    constexpr std::int64_t largest = std::int64_t{1} << 32;
    return read_regular_file(file, largest);
}

nlohmann::json read_json(const std::string& file) {
    const std::string what = file == "-" ? "Standard input" : "The file " + file;
    try {
        return parse_unique(read_all(file), what);
    } catch (const nlohmann::json::parse_error& error) {
        throw BadInput(what + " is not JSON: " + trouble_of(error) + ".");
    } catch (const nlohmann::json::out_of_range&) {
        throw BadInput(what + " contains a number beyond 1e308, the largest that double precision can represent.");
    }
}

void check_one_output(const std::string& output, bool json) {
    if (json && is_standard_output(output)) {
        throw BadInput("--output " + output +
                       " and --json would both write to standard output; leave out one of them.");
    }
}

ProgressLine::ProgressLine() : terminal_(isatty(STDERR_FILENO) != 0) {}

void ProgressLine::show(const std::string& text) {
    const auto now = std::chrono::steady_clock::now();
    const auto pause = terminal_ ? std::chrono::milliseconds(100) : std::chrono::milliseconds(5000);
    if (shown_ && now - last_ < pause) return;
    shown_ = true;
    last_ = now;
    std::cerr.clear();  // an earlier failure, such as a closed terminal, must not hide later messages
    if (terminal_) {
        // Lines do not wrap meanwhile: what a narrow terminal broke over two lines would stay there.
        std::cerr << "\r\033[K\033[?7l" << text << "\033[?7h" << std::flush;
    } else {
        std::cerr << text << std::endl;
    }
}

void ProgressLine::end(const std::string& text) {
    last_ = {};
    show(text);
    end();
}

void ProgressLine::end() {
    if (shown_ && terminal_) std::cerr << std::endl;
    shown_ = false;
}

void watch_interrupts() {
    const auto note = [](int signal) {
        interrupts = interrupts + 1;
        if (interrupts > 1) {
            std::signal(signal, SIG_DFL);
            std::raise(signal);
        }
    };
    std::signal(SIGINT, note);
    std::signal(SIGTERM, note);
    if (std::signal(SIGHUP, note) == SIG_IGN) std::signal(SIGHUP, SIG_IGN);  // nohup
}

bool interrupted() {
    return interrupts > 0;
}

}  // namespace ropelab::terminal
