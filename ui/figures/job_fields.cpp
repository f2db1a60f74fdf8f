#include "ui/figures/job_fields.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/aliases.h"
#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/data/json_text.h"
#include "ui/animation/frame_files.h"

namespace ropelab::ui {

JobFields::JobFields(const std::string& text, std::string what)
    : m_json(nlohmann::json::object()), m_what(std::move(what)) {
    nlohmann::json parsed;
    try {
        parsed = parse_unique(text, m_what);
    } catch (const nlohmann::json::exception&) {
        parsed = nullptr;
    }
    if (!parsed.is_object()) throw BadInput(m_what + " must be a JSON object, but it is \"" + text + "\".");
    for (const auto& [key, value] : parsed.items()) {
        const std::string name(current_name(Alias::Kind::replay, key));
        if (m_json.contains(name)) throw BadInput(m_what + " names \"" + name + "\" twice; name it once.");
        m_json[name] = value;
    }
}

std::string JobFields::whyNoNumber(const nlohmann::json& json, double least, double most, bool isWhole) {
    const double read = json.is_number() ? json.get<double>() : std::nan("");
    if (read >= least && read <= most && (!isWhole || read == std::floor(read))) return {};
    return (isWhole ? "a whole number from " : "a number from ") + number_text(least) + " to " + number_text(most);
}

void JobFields::index(const char* key, std::optional<int>& value, double most) {
    int index = value.value_or(-1);
    whole(key, index, -1, most);
    value = index >= 0 ? std::optional(index) : std::nullopt;
}

std::size_t JobFields::wordOf(const char* key, std::size_t index, std::span<const char* const> words) {
    if (isWriting()) {
        put(key, words[index]);
        return index;
    }
    const nlohmann::json* found = find(key);
    if (!found) return index;
    std::string known;
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (*found == words[i]) return i;
        known += (i == 0 ? "" : i + 1 < words.size() ? ", " : " or ") + std::string(words[i]);
    }
    refuse(key, known);
}

void JobFields::numbers(const char* key, std::vector<double>& values) {
    field(key, values, [](const nlohmann::json& json) {
        const auto isNumber = [](const auto& each) { return each.is_number(); };
        return json.is_array() && std::all_of(json.begin(), json.end(), isNumber) ? "" : "a list of numbers";
    });
}

void JobFields::texts(const char* key, QJsonObject& values) {
    std::map<std::string, QString> all;
    for (const QString& name : values.keys()) all[name.toStdString()] = values[name].toString();
    field(key, all, [](const nlohmann::json& json) {
        const auto isText = [](const auto& each) { return each.is_string(); };
        return json.is_object() && std::all_of(json.begin(), json.end(), isText) ? "" : "an object of texts";
    });
    for (const auto& [name, value] : all) values[QString::fromStdString(name)] = value;
}

const nlohmann::json* JobFields::find(const char* key) {
    m_known.insert(key);
    const auto found = m_json.find(key);
    return found == m_json.end() ? nullptr : &*found;
}

void JobFields::refuse(const char* key, const std::string& right) const {
    throw BadInput(m_what + "'s " + key + " is " + m_json.at(key).dump() + ", but it must be " + right + ".");
}

void JobFields::end() const {
    for (const auto& [key, value] : m_json.items()) {
        if (m_known.contains(key)) continue;
        std::string known;
        for (const std::string& each : m_known) known += (known.empty() ? "" : ", ") + each;
        throw BadInput(m_what + " has no key \"" + key + "\"; the keys are " + known + ".");
    }
}

void visitFields(JobFields& fields, FrameFiles& files) {
    static constexpr std::array themes = {"light", "dark"};
    fields.text("output", files.output);
    fields.whole("width", files.width, 320, 3840);
    fields.number("frames_per_second", files.framesPerSecond, 0.1, 50);
    fields.choice("theme", files.appearance, themes);
}

}  // namespace ropelab::ui
