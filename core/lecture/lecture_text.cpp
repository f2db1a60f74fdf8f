#include "core/lecture/lecture_text.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <sstream>
#include <utility>

#include "core/base/names.h"
#include "core/base/numbers.h"
#include "core/data/json_text.h"
#include "core/data/utf8.h"

namespace ropelab {

namespace {

constexpr std::size_t most_yaml_bytes = 64 * 1024;
constexpr std::size_t most_yaml_levels = 20;

/// The library's own tree drops the order of mappings and repeated keys, and expands aliases.
class YamlTree : public YAML::EventHandler {
 public:
    explicit YamlTree(const LecturePlace& first) : first_(first) {}

    /// Null if the text has no content.
    YamlNode take() { return std::move(root_); }

    void OnDocumentStart(const YAML::Mark&) override {}
    void OnDocumentEnd() override {}
    void OnAnchor(const YAML::Mark& mark, const std::string& name) override {
        place(mark).fail("YAML anchors such as \"&" + name +
                         "\" are not supported; write the value where it is needed.");
    }
    void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
        place(mark).fail("YAML aliases (\"*name\") are not supported; write the value where it is needed.");
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
            place(mark).fail("YAML tags such as \"" + tag + "\" are not supported; write the plain value.");
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

/// As JSON; nullopt for other texts, such as "10k".
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
        const std::size_t tab = text.starts_with('\t') ? 0 : text.find("\n\t");
        if (tab != std::string_view::npos) {
            const auto line = std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(tab) + 1, '\n');
            first.at(first.line + static_cast<int>(line)).fail("The line begins with a tab; indent YAML with spaces.");
        }
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
        case YamlNode::Kind::list:
            return json_list(node.items, json_of_yaml);
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
            place_.at(key.line).fail("The " + what_ + " has no key \"" + shortened(key.text) + "\"" +
                                     hint(key.text.substr(0, 100), known, "\""));
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

namespace {

int line_of_offset(std::string_view text, std::size_t offset) {
    return 1 + static_cast<int>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(offset), '\n'));
}

bool is_forbidden(char byte) {
    const auto code = static_cast<unsigned char>(byte);
    return (code < 0x20 && byte != '\n' && byte != '\r' && byte != '\t') || code == 0x7F;
}

void check_bytes(std::string_view text, const std::string& file) {
    if (text.size() > most_lecture_bytes) throw too_large(file, text.size());
    if (const auto invalid = first_invalid_utf8(text)) {
        LecturePlace{file, line_of_offset(text, *invalid)}.fail("The text is not valid UTF-8; save it as UTF-8.");
    }
    const auto found = std::find_if(text.begin(), text.end(), is_forbidden);
    if (found != text.end()) {
        LecturePlace{file, line_of_offset(text, static_cast<std::size_t>(found - text.begin()))}.fail(
            "The text contains a control character; a lecture is a text file.");
    }
}

/// Without line ends and byte order mark.
std::vector<std::string_view> lines_of(std::string_view text) {
    if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
    std::vector<std::string_view> lines;
    for (std::size_t start = 0; start <= text.size();) {
        const std::size_t end = std::min(text.find('\n', start), text.size());
        std::string_view line = text.substr(start, end - start);
        if (line.ends_with('\r')) line.remove_suffix(1);
        lines.push_back(line);
        start = end + 1;
    }
    return lines;
}

/// At least three backticks or tildes, then a word such as "yaml".
struct Fence {
    char mark = 0;
    std::size_t length = 0;
    std::string_view info;
};
std::optional<Fence> fence_of(std::string_view line) {
    const std::size_t indent = line.find_first_not_of(' ');
    if (indent == std::string_view::npos || indent > 3) return std::nullopt;
    line.remove_prefix(indent);
    const char mark = line.front();
    if (mark != '`' && mark != '~') return std::nullopt;
    const std::size_t length = std::min(line.find_first_not_of(mark), line.size());
    if (length < 3) return std::nullopt;
    return Fence{mark, length, trimmed(line.substr(length))};
}
bool closes(const Fence& open, std::string_view line) {
    const auto fence = fence_of(line);
    return fence && fence->mark == open.mark && fence->length >= open.length && fence->info.empty();
}

std::string heading_text(std::string_view heading) {
    std::string_view title = trimmed(heading.substr(2));
    while (title.ends_with('#')) title.remove_suffix(1);
    return std::string(trimmed(title));
}
bool is_heading(std::string_view line) {
    return line == "##" || line.starts_with("## ") || line.starts_with("##\t");
}

/// Without empty lines at its ends; `line` becomes the number of its first line.
std::string joined_lines(const std::vector<std::string_view>& lines, std::size_t first, std::size_t last, int& line) {
    const auto is_empty = [&](std::size_t i) { return trimmed(lines[i]).empty(); };
    while (first < last && is_empty(first)) ++first;
    while (first < last && is_empty(last - 1)) --last;
    line = static_cast<int>(first) + 1;
    std::string text;
    for (std::size_t i = first; i < last; ++i) text += std::string(lines[i]) + '\n';
    return text;
}

class LectureSplitter {
 public:
    LectureSplitter(std::string_view text, const std::string& file) : file_(file), lines_(lines_of(text)) {}

    LectureSections split() {
        LectureSections result;
        std::size_t next = take_front(result);
        const std::size_t begin = next;
        next = end_of_section(next);
        result.text = joined_lines(lines_, begin, next, result.text_line);
        while (next < lines_.size()) {
            if (result.sections.size() >= most_lecture_scenes) {
                place(next).fail("The lecture has more than 2,000 scenes; split it into several files.");
            }
            next = take_section(next, result);
        }
        return result;
    }

 private:
    LecturePlace place(std::size_t line) const { return {file_, static_cast<int>(line) + 1}; }

    std::size_t take_front(LectureSections& result) const {
        const auto is_rule = [&](std::size_t i) { return trimmed(lines_[i]) == "---"; };
        if (!is_rule(0)) {
            place(0).fail(
                "A lecture begins with a line \"---\", its title such as \"title: Clocks\", and another line \"---\".");
        }
        std::size_t end = 1;
        while (end < lines_.size() && !is_rule(end)) ++end;
        if (end == lines_.size()) place(0).fail("The front matter has no end; close it with a line \"---\".");
        result.front = joined_lines(lines_, 1, end, result.front_line);
        return end + 1;
    }

    /// The next heading of level 2 at or after a line, or the number of lines.
    std::size_t end_of_section(std::size_t line) const {
        std::optional<Fence> open;
        for (; line < lines_.size(); ++line) {
            if (open) {
                if (closes(*open, lines_[line])) open.reset();
            } else if (is_heading(lines_[line])) {
                return line;
            } else {
                open = fence_of(lines_[line]);
            }
        }
        return line;
    }

    std::size_t take_section(std::size_t heading, LectureSections& result) const {
        LectureSection& section = result.sections.emplace_back();
        section.title = heading_text(lines_[heading]);
        section.line = place(heading).line;
        if (section.title.empty()) place(heading).fail("The heading of a scene has no text; write \"## Title\".");
        std::size_t next = heading + 1;
        while (next < lines_.size() && trimmed(lines_[next]).empty()) ++next;
        const auto open = next < lines_.size() ? fence_of(lines_[next]) : std::nullopt;
        if (open && (open->info == "yaml" || open->info == "yml")) {
            const std::size_t first = next + 1;
            std::size_t end = first;
            while (end < lines_.size() && !closes(*open, lines_[end])) ++end;
            if (end == lines_.size()) {
                place(next).fail("The block of YAML has no end; close it with a line of three backticks.");
            }
            for (std::size_t i = first; i < end; ++i) section.block += std::string(lines_[i]) + '\n';
            section.block_line = place(first).line;
            next = end + 1;
        }
        const std::size_t end = end_of_section(next);
        for (std::size_t i = next; i + 1 < end; ++i) {
            const auto fence = fence_of(lines_[i]);
            const bool is_yaml = fence && (fence->info.empty() || fence->info == "yaml" || fence->info == "yml");
            const auto begins = [&](std::string_view key) { return lines_[i + 1].starts_with(key); };
            if (is_yaml && (begins("id: ") || begins("show: ") || begins("setup: ") || begins("steps:"))) {
                place(i).fail("A block that describes a scene begins with ```yaml directly below the heading.");
            }
        }
        section.text = joined_lines(lines_, next, end, section.text_line);
        return end;
    }

    std::string file_;
    std::vector<std::string_view> lines_;
};

}  // namespace

BadInput too_large(const std::string& file, std::size_t bytes) {
    const auto tenths = static_cast<double>(bytes / 100'000) / 10;
    return BadInput(file + " has " + number_text(tenths) + " MB, but a lecture may have at most 4 MB.");
}

LectureSections split_lecture(std::string_view text, const std::string& file) {
    check_bytes(text, file);
    return LectureSplitter(text, file).split();
}

std::string closing_fence(std::string_view text) {
    const std::vector<std::string_view> lines = lines_of(text);
    const auto is_rule = [](std::string_view line) { return trimmed(line) == "---"; };
    auto line = lines.begin();
    if (is_rule(*line)) line = std::find_if(line + 1, lines.end(), is_rule);  // skips the front matter
    std::optional<Fence> open;
    for (; line != lines.end(); ++line) {
        if (open && closes(*open, *line)) {
            open.reset();
        } else if (!open) {
            open = fence_of(*line);
        }
    }
    return open ? std::string(open->length, open->mark) + "\n" : "";
}

std::string scene_id(std::string_view title) {
    std::string id;
    for (const char c : title) {
        const bool upper = c >= 'A' && c <= 'Z';
        const char lower = upper ? static_cast<char>(c - 'A' + 'a') : c;
        if ((lower >= 'a' && lower <= 'z') || (lower >= '0' && lower <= '9')) {
            id += lower;
        } else if (!id.empty() && id.back() != '-') {
            id += '-';
        }
        if (id.size() == 80) break;
    }
    while (id.ends_with('-')) id.pop_back();
    return id;
}

}  // namespace ropelab
