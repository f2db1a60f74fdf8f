#pragma once

#include <nlohmann/json.hpp>
#include <set>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace ropelab::ui {

/// Reads the JSON object that describes a job for a separate process: a replay, an animation, a document. A missing key
/// keeps its standard value; every function throws BadInput, naming the key, for a value that it may not have.
class JobReader {
 public:
    /// `what` begins a sentence: "A replay". Throws BadInput for a text that is no JSON object, or that names a key
    /// twice, also by its earlier name (core/base/aliases.h).
    JobReader(const std::string& text, std::string what);
    /// An object inside a job.
    JobReader(nlohmann::json object, std::string what) : m_json(std::move(object)), m_what(std::move(what)) {}

    /// `Text` is QString or std::string.
    template <typename Text>
    void text(const char* key, Text& value) {
        const nlohmann::json* found = find(key);
        if (!found) return;
        if (!found->is_string()) refuse(key, "a string");
        if constexpr (std::is_same_v<Text, std::string>) {
            value = found->get<std::string>();
        } else {
            value = Text::fromStdString(found->get<std::string>());
        }
    }
    void number(const char* key, double& value, double least, double most);
    template <typename Whole>
    void whole(const char* key, Whole& value, double least, double most) {
        if (find(key)) value = static_cast<Whole>(wholeAt(key, least, most));
    }
    void flag(const char* key, bool& value);
    /// The index of the value; that of a missing key is 0.
    int choice(const char* key, std::span<const char* const> choices);
    std::vector<double> numbers(const char* key);
    /// Null if the key is missing.
    const nlohmann::json* find(const char* key);
    [[noreturn]] void refuse(const char* key, const std::string& right) const;
    /// Throws BadInput if a key was not read.
    void end() const;

 private:
    double wholeAt(const char* key, double least, double most);

    nlohmann::json m_json;
    std::string m_what;
    std::set<std::string> m_known;
};

}  // namespace ropelab::ui
