#include "core/run/device_record.h"

#include <array>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "core/data/json_text.h"
#include "core/data/known_sets.h"
#include "core/spec/error.h"
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

}  // namespace ropelab
