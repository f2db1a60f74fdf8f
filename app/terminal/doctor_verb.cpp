#include <filesystem>
#include <memory>
#include <sstream>

#include "app/terminal/output.h"
#include "app/terminal/verbs.h"
#include "core/bench/machine.h"
#include "core/data/known_sets.h"
#include "core/experiment/engine_loader.h"

namespace ropelab::terminal {

namespace {

void run(bool as_json) {
    const bench::Machine machine = bench::this_machine();
    nlohmann::json report = {
        {"version", ROPELAB_VERSION},
        {"processor", machine.processor},
        {"cores", machine.cores},
        {"memory_bytes", machine.memory_bytes},
    };
    nlohmann::json missing = nlohmann::json::array();
    try {
        const EngineInfo info = open_engine().info();
        report["engine"] = {{"libtorch", info.version},  {"instructions", info.processor},
                            {"bfloat16", info.bfloat16}, {"threads", info.threads},
                            {"cuda", info.cuda},         {"cuda_detail", info.cuda_detail}};
    } catch (const std::exception& error) {
        report["engine"] = nullptr;
        missing.push_back(error.what());
    }
    std::error_code error;
    const auto window = std::filesystem::read_symlink("/proc/self/exe", error).parent_path() / "ropelab";
    report["window"] = std::filesystem::exists(window, error);
    if (!report["window"].get<bool>())
        missing.push_back("The window's program ropelab is not beside this one; figures need it.");
    report["data"] = nlohmann::json::object();
    for (const KnownSet& set : known_sets()) {
        const auto found = find_on_disk(set);
        report["data"][set.name] = found ? nlohmann::json(found->file.string()) : nullptr;
    }
    report["missing"] = missing;
    if (as_json) return print_json(report);

    std::ostringstream text;
    text << "RoPE Lab " << ROPELAB_VERSION << "\nprocessor  " << report["processor"].get<std::string>() << ", "
         << report["cores"] << " cores, " << report["memory_bytes"].get<std::int64_t>() / (1 << 20) << " MiB\n";
    if (const auto& engine = report["engine"]; !engine.is_null()) {
        text << "engine     LibTorch " << engine["libtorch"].get<std::string>() << ", "
             << engine["instructions"].get<std::string>() << ", "
             << (engine["bfloat16"].get<bool>() ? "bfloat16 products, " : "no bfloat16 products, ") << engine["threads"]
             << " threads\n"
             << "cuda       " << engine["cuda_detail"].get<std::string>() << '\n';
    }
    for (const auto& [name, file] : report["data"].items()) {
        text << "data       " << name << ": "
             << (file.is_null() ? "not here (ropelab-cli data fetch " + name + ")" : file.get<std::string>()) << '\n';
    }
    for (const auto& sentence : missing) text << "missing    " << sentence.get<std::string>() << '\n';
    print_text(text.str());
}

}  // namespace

void add_doctor(CLI::App& program) {
    auto json = std::make_shared<bool>(false);
    CLI::App* verb = program.add_subcommand("doctor", "What this machine has, and what is missing");
    verb->add_flag("--json", *json, "Write JSON");
    verb->callback([json] { run(*json); });
}

}  // namespace ropelab::terminal
