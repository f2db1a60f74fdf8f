#include "ui/figures/job_reader.h"

#include <algorithm>
#include <cmath>

#include "core/base/aliases.h"
#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/data/json_text.h"

namespace ropelab::ui {

JobReader::JobReader(const std::string& text, std::string what)
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

void JobReader::number(const char* key, double& value, double least, double most) {
    const nlohmann::json* found = find(key);
    if (!found) return;
    value = found->is_number() ? found->get<double>() : std::nan("");
    if (!(value >= least && value <= most)) {
        refuse(key, "a number from " + number_text(least) + " to " + number_text(most));
    }
}

double JobReader::wholeAt(const char* key, double least, double most) {
    const nlohmann::json& found = *find(key);
    const double read = found.is_number() ? found.get<double>() : std::nan("");
    if (read >= least && read <= most && read == std::floor(read)) return read;
    refuse(key, "a whole number from " + number_text(least) + " to " + number_text(most));
}

void JobReader::flag(const char* key, bool& value) {
    const nlohmann::json* found = find(key);
    if (!found) return;
    if (!found->is_boolean()) refuse(key, "true or false");
    value = found->get<bool>();
}

int JobReader::choice(const char* key, std::span<const char* const> choices) {
    const nlohmann::json* found = find(key);
    if (!found) return 0;
    std::string known;
    for (std::size_t i = 0; i < choices.size(); ++i) {
        if (*found == choices[i]) return static_cast<int>(i);
        known += (i == 0 ? "" : i + 1 < choices.size() ? ", " : " or ") + std::string(choices[i]);
    }
    refuse(key, known);
}

std::vector<double> JobReader::numbers(const char* key) {
    const nlohmann::json* found = find(key);
    if (!found) return {};
    const auto isNumber = [](const nlohmann::json& each) { return each.is_number(); };
    if (!found->is_array() || !std::all_of(found->begin(), found->end(), isNumber)) refuse(key, "a list of numbers");
    return found->get<std::vector<double>>();
}

const nlohmann::json* JobReader::find(const char* key) {
    m_known.insert(key);
    const auto found = m_json.find(key);
    return found == m_json.end() ? nullptr : &*found;
}

void JobReader::refuse(const char* key, const std::string& right) const {
    throw BadInput(m_what + "'s " + key + " is " + m_json.at(key).dump() + ", but it must be " + right + ".");
}

void JobReader::end() const {
    for (const auto& [key, value] : m_json.items()) {
        if (m_known.contains(key)) continue;
        std::string known;
        for (const std::string& each : m_known) known += (known.empty() ? "" : ", ") + each;
        throw BadInput(m_what + " has no key \"" + key + "\"; the keys are " + known + ".");
    }
}

}  // namespace ropelab::ui
