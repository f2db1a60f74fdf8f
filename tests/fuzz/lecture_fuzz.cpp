// Fuzz test of the parser of lectures: mutates lectures at random. The parser must either accept a text or throw
// BadInput with one sentence. Usage: lecture_fuzz [mutations [seed]]. The test is deterministic for a given seed.
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/lecture/lecture.h"
#include "tests/fuzz/fuzz.h"

namespace {

using namespace ropelab;
using namespace ropelab::fuzz;

const std::vector<std::string> pieces = {"---\n",
                                         "## Scene\n",
                                         "```yaml\n",
                                         "```\n",
                                         "steps:\n",
                                         "  - ",
                                         "say: ",
                                         "set: {m: 3 over 2 s}",
                                         "check: {quantity: wavelength(31), expected: 47117, tolerance: 1}",
                                         "ask: {text: a, choices: [a, b], right: 1}",
                                         "live: {preset: lecture-minute, set: {theta: [1, 2]}}",
                                         "lab: x.ropelab\n",
                                         "show: rotation/helix\n",
                                         "setup: theta=1e300 | B: theta=500k\n",
                                         "find: difference(final_validation_loss; theta=500; seed=1)\n",
                                         "&a ",
                                         "*a ",
                                         "!!int ",
                                         "{",
                                         "}",
                                         "[",
                                         "]",
                                         ": ",
                                         "? ",
                                         "- ",
                                         "|\n",
                                         "\"",
                                         "'",
                                         "\t",
                                         "\r\n",
                                         "\xF0\x9F\x99\x82",
                                         "\xFF",
                                         "~",
                                         "1e999"};

// Returns true if the parser accepted the text.
bool try_parse(const std::string& text) {
    try {
        const Lecture lecture = parse_lecture(text, "fuzz.md");
        require(!lecture.scenes.empty(), "no scene");
        const LectureScene& scene = lecture.scenes.front();
        require(parse_lecture(with_scene(text, scene), "fuzz.md").scenes.size() == lecture.scenes.size() + 1,
                "the added scene");
        return true;
    } catch (const BadInput& error) {
        const std::string message = error.what();
        require(!message.empty() && message.size() < 1000 && message.find('\n') == std::string::npos, message.c_str());
        return false;
    }
}

}  // namespace

int main(int count, char** arguments) {
    const long mutations = count > 1 ? std::atol(arguments[1]) : 3000;
    const auto seed = static_cast<std::uint64_t>(count > 2 ? std::atol(arguments[2]) : 1);
    std::vector<std::string> files = {lecture_template("Fuzz")};
    files.push_back(
        "---\ntitle: a\nminutes: 5\n---\n## A\n```yaml\nshow: train\nlive: {preset: lecture-minute, check: "
        "{iterations: 5}}\nsteps:\n  - check: {quantity: runs, expected: 6}\n```\n## B\ntext\n");
    Generator generator(seed);
    long accepted = 0;
    for (long i = 0; i < mutations; ++i) {
        std::string text = files[below(generator, files.size())];
        const std::size_t changes = 1 + below(generator, 4);
        for (std::size_t j = 0; j < changes; ++j) change_bytes(text, generator, pieces, files);
        try {
            accepted += try_parse(text) ? 1 : 0;
        } catch (const std::exception& error) {
            std::cerr << "mutation " << i << " of seed " << seed << ": " << error.what() << "\n" << text << '\n';
            return 1;
        }
    }
    std::cout << mutations << " mutations of " << files.size() << " lectures: " << accepted << " accepted, "
              << mutations - accepted << " rejected\n";
    return accepted > 0 && accepted < mutations ? 0 : 1;
}
