#include "core/lecture/lecture_sections.h"

#include <algorithm>
#include <optional>

#include "core/data/utf8.h"
#include "core/spec/error.h"
#include "core/spec/numbers.h"

namespace ropelab {

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

/// Returns the lines without line ends and without a byte order mark.
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

/// The beginning or end of fenced code: at least three backticks or tildes, then a word such as "yaml".
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

std::string title_of(std::string_view heading) {
    std::string_view title = trimmed(heading.substr(2));
    while (title.ends_with('#')) title.remove_suffix(1);
    return std::string(trimmed(title));
}
bool is_heading(std::string_view line) {
    return line == "##" || line.starts_with("## ") || line.starts_with("##\t");
}

/// Joins lines, without the empty lines around them.
std::string joined_lines(const std::vector<std::string_view>& lines, std::size_t first, std::size_t last) {
    const auto is_empty = [&](std::size_t i) { return trimmed(lines[i]).empty(); };
    while (first < last && is_empty(first)) ++first;
    while (first < last && is_empty(last - 1)) --last;
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
        result.text = joined_lines(lines_, begin, next);
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
        result.front = joined_lines(lines_, 1, end);
        result.front_line = 2;
        while (static_cast<std::size_t>(result.front_line) <= end &&
               trimmed(lines_[static_cast<std::size_t>(result.front_line) - 1]).empty()) {
            ++result.front_line;
        }
        return end + 1;
    }

    /// Returns the next heading of level 2 at or after a line, or the number of lines.
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
        section.title = title_of(lines_[heading]);
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
        section.text = joined_lines(lines_, next, end);
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

}  // namespace ropelab
