#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <sstream>

#include "app/terminal/output.h"
#include "app/terminal/verbs.h"
#include "core/base/error.h"
#include "core/bench/machine.h"
#include "core/data/known_sets.h"
#include "core/machine/engine_loader.h"
#include "core/run/device_record.h"
#include "core/run/kernel_choices.h"

namespace ropelab::terminal {

namespace {

// In the child process. Prints a line before and after each check, so that the parent knows which check crashed.
void check_here() {
    open_engine().check_device([](const DeviceCheck& check) { print_text(to_json_line(check) + "\n"); });
    print_text(std::string(device_check_end) + "\n");
}

void check_device(bool as_json) {
    const EngineInfo info = open_engine().info();
    if (!info.cuda) throw BadInput("There is no CUDA device to check: " + info.cuda_detail);
    const DeviceRecord record = check_cuda_device(info.cuda_identity);
    nlohmann::json json = {{"device", record.identity},
                           {"trust", to_text(record.trust)},
                           {"sentence", record.sentence},
                           {"checks", nlohmann::json::array()}};
    std::ostringstream text;
    for (const DeviceCheck& check : record.checks) {
        json["checks"].push_back({{"name", check.name}, {"outcome", word_of(check.outcome)}, {"detail", check.detail}});
        text << word_of(check.outcome) << "  " << check.name;
        if (!check.detail.empty()) text << "  (" << check.detail << ")";
        text << '\n';
    }
    if (as_json) return print_json(json);
    print_text(text.str() + record.sentence + "\n");
}

// Null if there is no device or it was not checked yet.
nlohmann::json device_check_json(const EngineInfo& info) {
    if (!info.cuda) return nullptr;
    try {
        const auto record = read_device_record(device_records_folder(), info.cuda_identity);
        if (!record) return nullptr;
        return {{"trust", to_text(record->trust)}, {"sentence", record->sentence}};
    } catch (const BadInput&) {  // no folder can hold records
        return nullptr;
    }
}

std::string choices_text(const KernelChoices& choices) {
    std::map<std::string, int> numbers;
    for (const auto& [work, way] : choices) ++numbers[work.substr(0, work.find_first_of(" ,")) + ": " + way];
    std::string text = choices.empty() ? "none measured yet; training measures them" : kernel_choices_file().string();
    for (const auto& [way, number] : numbers) text += "\n           " + std::to_string(number) + " " + way;
    return "kernels    " + text + "\n";
}

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
        report["engine"] = {{"libtorch", info.version},
                            {"instructions", info.processor},
                            {"bfloat16", info.bfloat16},
                            {"threads", info.threads},
                            {"cuda", info.cuda},
                            {"cuda_detail", info.cuda_detail},
                            {"cuda_check", device_check_json(info)},
                            {"kernel_choices", stored_kernel_choices(info)}};
    } catch (const std::exception& error) {
        report["engine"] = nullptr;
        missing.push_back(error.what());
    }
    std::error_code error;
    const auto window = std::filesystem::read_symlink("/proc/self/exe", error).parent_path() / "ropelab";
    report["window"] = std::filesystem::exists(window, error);
    if (!report["window"].get<bool>())
        missing.push_back(
            "The window program ropelab is not in the folder of ropelab-cli; figure, animate, replay and other "
            "commands that draw require it.");
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
             << (engine["bfloat16"].get<bool>() ? "bfloat16 matrix products, " : "no bfloat16 matrix products, ")
             << engine["threads"] << " threads\n"
             << choices_text(engine["kernel_choices"].get<KernelChoices>()) << "cuda       "
             << engine["cuda_detail"].get<std::string>() << '\n';
        if (const auto& check = engine["cuda_check"]; !check.is_null()) {
            text << "           " << check["sentence"].get<std::string>() << '\n';
            text << "           in use: " << check["trust"].get<std::string>()
                 << "; \"ropelab-cli doctor --check-device\" repeats the check\n";
        } else if (engine["cuda"].get<bool>()) {
            text << "           device not checked yet; the first training or \"ropelab-cli doctor --check-device\" "
                    "checks it\n";
        }
    }
    for (const auto& [name, file] : report["data"].items()) {
        text << "data       " << name << ": "
             << (file.is_null() ? "not downloaded (ropelab-cli data fetch " + name + ")" : file.get<std::string>())
             << '\n';
    }
    for (const auto& sentence : missing) text << "missing    " << sentence.get<std::string>() << '\n';
    print_text(text.str());
}

}  // namespace

void add_doctor(CLI::App& program) {
    struct Flags {
        bool json = false;
        bool check_device = false;
    };
    auto flags = std::make_shared<Flags>();
    CLI::App* verb = program.add_subcommand(
        "doctor",
        "Print what RoPE Lab can use on this machine (processor, engine, CUDA, data sets) and what is missing");
    verb->add_flag("--json", flags->json, "Print the result as JSON");
    verb->add_flag("--check-device", flags->check_device,
                   "Check the CUDA device: compare its results with the results of the CPU, and training with CUDA "
                   "graphs with training without them");
    verb->callback([flags] {
        if (!flags->check_device) return run(flags->json);
        if (std::getenv(device_check_variable)) return check_here();
        check_device(flags->json);
    });
}

}  // namespace ropelab::terminal
