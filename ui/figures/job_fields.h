#pragma once

#include <QJsonObject>
#include <QString>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

template <>
struct nlohmann::adl_serializer<QString> {
    static void to_json(json& json, const QString& text) { json = text.toStdString(); }
    static void from_json(const json& json, QString& text) { text = QString::fromStdString(json.get<std::string>()); }
};

namespace ropelab::ui {

struct FrameFiles;

/// The fields of a JSON object that describes a job for a separate process (a replay, an animation, a document), or
/// what a figure shows. A function visitFields(fields, job) names each field once, for reading and for writing. Reading
/// keeps the value of a missing key, and throws BadInput, naming the key, for a value that a field may not have.
class JobFields {
 public:
    /// For writing.
    JobFields() : m_json(nlohmann::json::object()) {}
    /// For reading; `what` begins a sentence: "A replay". Throws BadInput for a text that is no JSON object, or that
    /// names a key twice, also by its earlier name (core/base/aliases.h).
    JobFields(const std::string& text, std::string what);

    bool isWriting() const { return m_what.empty(); }

    /// `Text` is QString or std::string.
    template <typename Text>
    void text(const char* key, Text& value) {
        field(key, value, [](const auto& json) { return json.is_string() ? "" : "a string"; });
    }
    void number(const char* key, double& value, double least, double most) {
        field(key, value, [&](const auto& json) { return whyNoNumber(json, least, most, false); });
    }
    template <typename Whole>
    void whole(const char* key, Whole& value, double least, double most) {
        field(key, value, [&](const auto& json) { return whyNoNumber(json, least, most, true); });
    }
    /// −1 for none.
    void index(const char* key, std::optional<int>& value, double most);
    void flag(const char* key, bool& value) {
        field(key, value, [](const auto& json) { return json.is_boolean() ? "" : "true or false"; });
    }
    /// `value`, an enumeration or a truth value, is the index of its word.
    template <typename Choice>
    void choice(const char* key, Choice& value, std::span<const char* const> words) {
        value = static_cast<Choice>(wordOf(key, static_cast<std::size_t>(value), words));
    }
    void numbers(const char* key, std::vector<double>& values);
    /// Texts by their name.
    void texts(const char* key, QJsonObject& values);

    /// For a field of another kind. Null if the key is missing.
    const nlohmann::json* find(const char* key);
    void put(const char* key, nlohmann::json value) { m_json[key] = std::move(value); }
    [[noreturn]] void refuse(const char* key, const std::string& right) const;
    /// Throws BadInput if a key was not read.
    void end() const;

    /// All in one line; a byte that is no UTF-8 becomes the replacement character.
    std::string line() const { return m_json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace); }

 private:
    /// `rightOf` returns what would be right instead of a value; "" if the value is right.
    template <typename Value, typename RightOf>
    void field(const char* key, Value& value, RightOf rightOf) {
        if (isWriting()) return put(key, value);
        const nlohmann::json* found = find(key);
        if (!found) return;
        if (const std::string right = rightOf(*found); !right.empty()) refuse(key, right);
        value = found->get<Value>();
    }
    static std::string whyNoNumber(const nlohmann::json& json, double least, double most, bool isWhole);
    std::size_t wordOf(const char* key, std::size_t index, std::span<const char* const> words);

    nlohmann::json m_json;
    std::string m_what;
    std::set<std::string> m_known;
};

/// The fields "output", "width", "frames_per_second" and "theme".
void visitFields(JobFields& fields, FrameFiles& files);

template <typename Job>
std::string jobText(Job job) {
    JobFields fields;
    visitFields(fields, job);
    return fields.line();
}

/// Throws BadInput for unknown keys and values out of range, too.
template <typename Job>
Job readJob(const std::string& text, const char* what) {
    JobFields fields(text, what);
    Job job;
    visitFields(fields, job);
    fields.end();
    return job;
}

}  // namespace ropelab::ui
