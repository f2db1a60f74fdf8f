#include "core/lecture/lecture_yaml.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <sstream>
#include <utility>

#include "core/spec/numbers.h"

namespace ropelab {

namespace {

constexpr std::size_t most_yaml_bytes = 64 * 1024;
constexpr std::size_t most_yaml_levels = 20;

/// Builds a tree of nodes from the events of the parser. The library's own tree is not used because it drops the order
/// of mappings and repeated keys, and because it expands aliases.
class YamlTree : public YAML::EventHandler {
 public:
    explicit YamlTree(const LecturePlace& first) : first_(first) {}

    /// Returns the root; null if the text has no content.
    YamlNode take() { return std::move(root_); }

    void OnDocumentStart(const YAML::Mark&) override {}
    void OnDocumentEnd() override {}
    void OnAnchor(const YAML::Mark& mark, const std::string& name) override {
        place(mark).fail("Anchors such as \"&" + name + "\" are not supported; write the value where it is needed.");
    }
    void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
        place(mark).fail("Aliases (\"*name\") are not supported; write the value where it is needed.");
    }
    void OnNull(const YAML::Mark& mark, YAML::anchor_t) override { add({YamlNode::Kind::null, line(mark)}); }
    void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t, const std::string& value) override {
        refuse(tag, mark);
        add({YamlNode::Kind::scalar, line(mark), value, tag == "!"});
    }
    void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                         YAML::EmitterStyle::value) override {
        open(YamlNode::Kind::list, mark, tag);
    }
    void OnSequenceEnd() override { close(); }
    void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                    YAML::EmitterStyle::value) override {
        open(YamlNode::Kind::mapping, mark, tag);
    }
    void OnMapEnd() override { close(); }

 private:
    int line(const YAML::Mark& mark) const { return first_.line + std::max(mark.line, 0); }
    LecturePlace place(const YAML::Mark& mark) const { return first_.at(line(mark)); }

    /// The parser gives plain scalars the tag "?", quoted ones "!", and others no tag.
    void refuse(const std::string& tag, const YAML::Mark& mark) const {
        if (!tag.empty() && tag != "?" && tag != "!") {
            place(mark).fail("Tags such as \"" + tag + "\" are not supported; write the plain value.");
        }
    }
    void open(YamlNode::Kind kind, const YAML::Mark& mark, const std::string& tag) {
        refuse(tag, mark);
        if (stack_.size() >= most_yaml_levels) {
            place(mark).fail("The YAML is nested more than " + std::to_string(most_yaml_levels) + " levels deep.");
        }
        stack_.push_back({kind, line(mark)});
    }
    void close() {
        YamlNode node = std::move(stack_.back());
        stack_.pop_back();
        add(std::move(node));
    }
    void add(YamlNode node) {
        if (stack_.empty()) {
            root_ = std::move(node);
            return;
        }
        YamlNode& parent = stack_.back();
        const bool is_key = parent.kind == YamlNode::Kind::mapping && parent.keys.size() == parent.items.size();
        if (is_key && node.kind != YamlNode::Kind::scalar) {
            first_.at(node.line).fail("A key must be a word, not a list or a mapping.");
        }
        (is_key ? parent.keys : parent.items).push_back(std::move(node));
    }

    LecturePlace first_;
    std::vector<YamlNode> stack_;
    YamlNode root_;
};

/// Returns the number that a plain scalar is in JSON; nullopt for other texts, such as "10k".
std::optional<double> plain_number(const std::string& text) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool whole = error == std::errc() && end == text.data() + text.size() && !text.empty();
    return whole && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

std::string words_of_node(const YamlNode& node) {
    switch (node.kind) {
        case YamlNode::Kind::null:
            return "nothing";
        case YamlNode::Kind::scalar:
            return "\"" + shortened(node.text) + "\"";
        case YamlNode::Kind::list:
            return "a list";
        case YamlNode::Kind::mapping:
            return "a mapping";
    }
    return "";
}

}  // namespace

std::string shortened(std::string_view text, std::size_t most) {
    if (text.size() <= most) return std::string(text);
    std::size_t end = most;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;  // not inside a character
    return std::string(text.substr(0, end)) + "…";
}

void LecturePlace::fail(const std::string& sentence) const {
    constexpr std::size_t longest = 600;
    std::string text = shortened(sentence, longest);
    // A text of the lecture inside the sentence may have several lines.
    std::replace_if(
        text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r' || c == '\t'; }, ' ');
    throw BadInput(file + ", line " + std::to_string(line) + ": " + text);
}

YamlNode parse_yaml(std::string_view text, const LecturePlace& first) {
    if (text.size() > most_yaml_bytes) {
        first.fail("The YAML has " + bytes_text(static_cast<std::int64_t>(text.size())) + "; at most 64 kB are read.");
    }
    std::istringstream stream{std::string(text)};
    YamlTree tree(first);
    try {
        YAML::Parser parser(stream);
        const bool any = parser.HandleNextDocument(tree);
        YamlTree second(first);
        if (any && parser.HandleNextDocument(second)) {
            first.fail("The YAML has several documents; remove the lines \"---\" and \"...\" inside it.");
        }
    } catch (const YAML::Exception& error) {
        first.at(first.line + std::max(error.mark.line, 0))
            .fail("The YAML is not valid: " + error.msg +
                  "; put a text with \": \" or \" #\", or with \"?\" or \",\" inside "
                  "brackets, into quotes.");
    }
    YamlNode root = tree.take();
    if (root.kind == YamlNode::Kind::null) root = {YamlNode::Kind::mapping, first.line};
    return root;
}

nlohmann::json json_of_yaml(const YamlNode& node) {
    switch (node.kind) {
        case YamlNode::Kind::null:
            return nullptr;
        case YamlNode::Kind::scalar: {
            if (node.quoted) return node.text;
            if (node.text == "true" || node.text == "false") return node.text == "true";
            if (const auto number = plain_number(node.text)) return *number;
            return node.text;
        }
        case YamlNode::Kind::list: {
            nlohmann::json list = nlohmann::json::array();
            for (const YamlNode& item : node.items) list.push_back(json_of_yaml(item));
            return list;
        }
        case YamlNode::Kind::mapping: {
            nlohmann::json object = nlohmann::json::object();
            for (std::size_t i = 0; i < node.keys.size(); ++i) {
                object[node.keys[i].text] = json_of_yaml(node.items[i]);
            }
            return object;
        }
    }
    return nullptr;
}

YamlMapping::YamlMapping(const YamlNode& node, LecturePlace place, std::string what,
                         std::span<const std::string_view> known)
    : node_(node), place_(std::move(place)), what_(std::move(what)) {
    place_.line = node.line > 0 ? node.line : place_.line;
    if (node.kind != YamlNode::Kind::mapping) {
        place_.fail("The " + what_ + " must be a mapping such as \"" + std::string(known.front()) + ": …\", not " +
                    words_of_node(node) + ".");
    }
    for (std::size_t i = 0; i < node.keys.size(); ++i) {
        const YamlNode& key = node.keys[i];
        const auto same = [&](const YamlNode& other) { return other.text == key.text; };
        if (std::any_of(node.keys.begin(), node.keys.begin() + static_cast<std::ptrdiff_t>(i), same)) {
            place_.at(key.line).fail("The " + what_ + " has the key \"" + shortened(key.text) +
                                     "\" twice; give it once.");
        }
        if (std::find(known.begin(), known.end(), key.text) == known.end()) {
            // Only between braces do two keys share a line; YAML ends a value there at a comma.
            if (i > 0 && node.keys[i - 1].line == key.line && node.items[i].kind == YamlNode::Kind::null) {
                place_.at(key.line).fail("\"" + shortened(key.text) + "\" follows a comma; put the value of \"" +
                                         shortened(node.keys[i - 1].text) +
                                         "\" into quotes if the comma belongs to it.");
            }
            if (what_ == "scene" && (key.text == "seconds" || key.text == "preset")) {
                place_.at(key.line).fail("\"" + key.text + "\" belongs to live training; write \"live: {" + key.text +
                                         ": …}\".");
            }
            place_.at(key.line).fail("The " + what_ + " has no key \"" + shortened(key.text) + "\"; did you mean \"" +
                                     nearest(key.text.substr(0, 100), known) + "\"?");
        }
    }
}

const YamlNode* YamlMapping::find(std::string_view key) const {
    for (std::size_t i = 0; i < node_.keys.size(); ++i) {
        if (node_.keys[i].text == key) return &node_.items[i];
    }
    return nullptr;
}

LecturePlace YamlMapping::place_of(std::string_view key) const {
    for (const YamlNode& each : node_.keys) {
        if (each.text == key) return place_.at(each.line);
    }
    return place_;
}

std::string YamlMapping::text(std::string_view key) const {
    const YamlNode* value = find(key);
    if (!value) return {};
    if (value->kind != YamlNode::Kind::scalar) {
        place_of(key).fail("The value of \"" + std::string(key) + "\" must be a text, not " + words_of_node(*value) +
                           ".");
    }
    return value->text;
}

double YamlMapping::number(std::string_view key, double fallback) const {
    if (!has(key)) return fallback;
    const std::string typed = text(key);
    try {
        return parse_number(typed);
    } catch (const BadInput&) {
        place_of(key).fail("The value of \"" + std::string(key) + "\" must be a number such as 10 or 0.5, not \"" +
                           shortened(typed) + "\".");
    }
}

bool YamlMapping::flag(std::string_view key) const {
    if (!has(key)) return false;
    const std::string typed = text(key);
    if (typed != "true" && typed != "false") {
        place_of(key).fail("The value of \"" + std::string(key) + "\" must be true or false, not \"" +
                           shortened(typed) + "\".");
    }
    return typed == "true";
}

std::vector<std::string> YamlMapping::texts(std::string_view key) const {
    const YamlNode* value = find(key);
    if (!value) return {};
    if (value->kind != YamlNode::Kind::list) return {text(key)};
    std::vector<std::string> result;
    for (const YamlNode& item : value->items) {
        if (item.kind != YamlNode::Kind::scalar) {
            place_.at(item.line).fail("The list \"" + std::string(key) + "\" must contain texts, not " +
                                      words_of_node(item) + ".");
        }
        result.push_back(item.text);
    }
    return result;
}

}  // namespace ropelab
