#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/scratch_folder.h"

namespace ropelab {

/// Exit status and output of a finished program.
struct Finished {
    int status = 0;
    std::string out;
    std::string err;

    /// Parses the standard output as JSON.
    nlohmann::json json() const { return nlohmann::json::parse(out); }
};

/// Runs ropelab-cli with these arguments and `input` on standard input. `environment` has shell assignments for its
/// environment variables.
inline Finished ropelab_cli(const std::vector<std::string>& arguments, const std::string& input = "",
                            const std::string& environment = "") {
    const ScratchFolder folder;
    const auto quoted = [](const std::string& text) {
        std::string result = "'";
        for (char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
        return result + "'";
    };
    // Measured times of tests do not belong into the user's file.
    std::string command =
        "XDG_DATA_HOME=" + quoted(folder.path().string()) + " " + environment + " " + quoted(ROPELAB_CLI);
    for (const std::string& argument : arguments) command += " " + quoted(argument);
    command +=
        " <" + quoted(folder.write("in", input)) + " >" + quoted(folder / "out") + " 2>" + quoted(folder / "err");
    const int status = std::system(command.c_str());
    const auto read = [&](const char* name) {
        std::ifstream stream(folder / name, std::ios::binary);
        return std::string(std::istreambuf_iterator<char>(stream), {});
    };
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read("out"), read("err")};
}

/// Runs ropelab-cli with these arguments and --lab once per test program, and gives `lab` a copy of the lab and its
/// checkpoints. Returns the exit status.
inline int trained_once(const std::vector<std::string>& arguments, const std::filesystem::path& lab) {
    static std::map<std::vector<std::string>, ScratchFolder> folders;
    const auto [folder, is_new] = folders.try_emplace(arguments);
    if (is_new) {
        std::vector<std::string> command = arguments;
        command.insert(command.end(), {"--lab", folder->second / lab.filename()});
        if (const int status = ropelab_cli(command).status; status != 0) return status;
    }
    std::filesystem::copy(folder->second.path(), lab.parent_path(), std::filesystem::copy_options::recursive);
    return 0;
}

/// Runs a shell command in which $CLI is the path of ropelab-cli. Only `err` and the status are returned; redirect
/// standard output in the command.
inline Finished shell(const std::string& command) {
    const ScratchFolder folder;
    const std::string all = "export XDG_DATA_HOME='" + folder.path().string() + "'; CLI='" ROPELAB_CLI "'; { " +
                            command + "\n} 2>'" + (folder / "err").string() + "' </dev/null";
    const int status = std::system(all.c_str());
    std::ifstream stream(folder / "err", std::ios::binary);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, "", std::string(std::istreambuf_iterator<char>(stream), {})};
}

/// Expects exit status 2, one line that contains `part` on standard error, and nothing on standard output.
#define EXPECT_BAD_INPUT(finished, part)                                                             \
    {                                                                                                \
        const ropelab::Finished bad_input = (finished);                                              \
        EXPECT_EQ(bad_input.status, 2) << bad_input.err;                                             \
        EXPECT_THAT(bad_input.err, testing::HasSubstr(part));                                        \
        EXPECT_EQ(std::count(bad_input.err.begin(), bad_input.err.end(), '\n'), 1) << bad_input.err; \
        EXPECT_EQ(bad_input.out, "");                                                                \
    }

}  // namespace ropelab
