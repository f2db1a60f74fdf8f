#include "core/run/kernel_choices.h"

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <thread>

#include "core/base/processor.h"
#include "core/data/json_text.h"
#include "core/forecast/time_model.h"
#include "core/store/output_file.h"

namespace ropelab {

namespace {

constexpr std::size_t most_choices = 4096;  // of a file; more of many shapes are seldom needed again

std::string machine_of(const EngineInfo& info) {
    return processor_name() + ", " + std::to_string(std::thread::hardware_concurrency()) + " cores, RoPE Lab " +
           ROPELAB_VERSION + ", LibTorch " + info.version + ", " + info.processor;
}

}  // namespace

std::filesystem::path kernel_choices_file() {
    const std::filesystem::path times = times_file();
    return times.empty() ? times : times.parent_path() / "kernels.json";
}

KernelChoices stored_kernel_choices(const EngineInfo& info) {
    std::ifstream stream(kernel_choices_file());
    try {
        const nlohmann::json json = parse_bounded(std::string(std::istreambuf_iterator<char>(stream), {}));
        if (json.at("machine") == machine_of(info)) return json.at("choices").get<KernelChoices>();
    } catch (const std::exception&) {  // no file, or one that is measured anew
    }
    return {};
}

void load_kernel_choices(Engine& engine) {
    if (!kernel_choices_file().empty()) engine.use_kernel_choices(stored_kernel_choices(engine.info()));
}

void store_kernel_choices(Engine& engine) {
    const std::filesystem::path file = kernel_choices_file();
    if (file.empty()) return;
    const EngineInfo info = engine.info();
    const KernelChoices stored = stored_kernel_choices(info);
    KernelChoices choices = engine.kernel_choices();
    if (stored.size() + choices.size() <= most_choices) choices.insert(stored.begin(), stored.end());
    if (choices == stored) return;
    try {
        std::error_code error;
        std::filesystem::create_directories(file.parent_path(), error);
        write_output(file, nlohmann::json{{"machine", machine_of(info)}, {"choices", choices}}.dump(1) + "\n");
    } catch (const std::exception&) {
        return;
    }
}

}  // namespace ropelab
