#include "core/data/clean.h"

#include <array>
#include <cstddef>

namespace ropelab {

namespace {

constexpr std::size_t npos = std::string_view::npos;

char lower(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

/// `pattern` in lower case; npos without a match.
std::size_t find_any_case(std::string_view text, std::string_view pattern, std::size_t from = 0) {
    for (std::size_t at = from; at + pattern.size() <= text.size(); ++at) {
        std::size_t i = 0;
        while (i < pattern.size() && lower(text[at + i]) == pattern[i]) ++i;
        if (i == pattern.size()) return at;
    }
    return npos;
}

/// The last result is cached, so that queries with ascending offsets scan the text only once in total.
class NextPlace {
 public:
    NextPlace(std::string_view text, char wanted) : text_(text), wanted_(wanted) {}
    std::size_t from(std::size_t offset) {
        if (!known_ || (place_ != npos && place_ < offset)) place_ = text_.find(wanted_, offset);
        known_ = true;
        return place_;
    }

 private:
    std::string_view text_;
    char wanted_;
    bool known_ = false;
    std::size_t place_ = 0;
};

/// [start, end) is replaced; end = start means that nothing matches.
struct Match {
    std::size_t end;
    std::string_view replacement;
};

/// As `s/…/…/g`. `find(from)` returns the next possible offset, `match(start)` the match.
template <typename Find, typename MatchAt>
void substitute(std::string& text, const Find& find, const MatchAt& match) {
    std::size_t start = find(0);
    if (start == npos) return;
    std::string result;
    result.reserve(text.size());
    std::size_t copied = 0;
    while (start != npos) {
        const Match found = match(start);
        if (found.end == start) {
            start = find(start + 1);
            continue;
        }
        result.append(text, copied, start - copied);
        result += found.replacement;
        copied = found.end;
        start = find(copied);
    }
    result.append(text, copied, npos);
    text = std::move(result);
}

void replace_all(std::string& text, std::string_view pattern, std::string_view replacement, bool any_case = false) {
    substitute(
        text,
        [&](std::size_t from) {
            return any_case ? find_any_case(text, pattern, from) : std::string_view(text).find(pattern, from);
        },
        [&](std::size_t start) {
            return Match{start + pattern.size(), replacement};
        });
}

/// As the Perl substitution s/open[^c]*close/replacement/g does, where c is the first character of `close`.
void replace_between(std::string& text, std::string_view open, std::string_view close, std::string_view replacement) {
    NextPlace next(text, close.front());
    substitute(
        text, [&](std::size_t from) { return std::string_view(text).find(open, from); },
        [&](std::size_t start) {
            const std::size_t place = next.from(start + open.size());
            const bool closes = place != npos && std::string_view(text).substr(place).starts_with(close);
            return Match{closes ? place + close.size() : start, replacement};
        });
}

/// s/<.*>//: the only '>' of a piece is its last character, and '.' does not match a line end.
void remove_last_tag(std::string& piece) {
    if (!piece.ends_with('>')) return;
    const std::size_t line_end = piece.rfind('\n');
    const std::size_t tag = piece.find('<', line_end == npos ? 0 : line_end + 1);
    if (tag != npos) piece.erase(tag);
}

/// As the Perl substitution s/\[http:[^] ]*/[/g.
void remove_urls(std::string& text) {
    constexpr std::string_view open = "[http:";
    substitute(
        text, [&](std::size_t from) { return std::string_view(text).find(open, from); },
        [&](std::size_t start) {
            const std::size_t end = text.find_first_of("] ", start + open.size());
            return Match{end == npos ? text.size() : end, "["};
        });
}

/// Such as `|120px`, as the Perl substitution s/\|\d+px//ig.
void remove_widths(std::string& text) {
    substitute(
        text, [&](std::size_t from) { return text.find('|', from); },
        [&](std::size_t start) {
            std::size_t at = start + 1;
            while (at < text.size() && text[at] >= '0' && text[at] <= '9') ++at;
            const bool width =
                at > start + 1 && at + 2 <= text.size() && lower(text[at]) == 'p' && lower(text[at + 1]) == 'x';
            return Match{width ? at + 2 : start, ""};
        });
}

/// As the Perl substitution s/\[\[image:[^\[\]]*\|//ig.
void keep_captions(std::string& text) {
    constexpr std::string_view open = "[[image:";
    substitute(
        text, [&](std::size_t from) { return find_any_case(text, open, from); },
        [&](std::size_t start) {
            const std::size_t inside = start + open.size();
            const std::size_t end = text.find_first_of("[]", inside);
            const std::string_view run = std::string_view(text).substr(inside, end == npos ? npos : end - inside);
            const std::size_t bar = run.rfind('|');
            return Match{bar == npos ? start : inside + bar + 1, ""};
        });
}

/// As the Perl substitution s/\[\[category:([^|\]]*)[^]]*\]\]/[[$1]]/ig.
void keep_category_names(std::string& text) {
    constexpr std::string_view open = "[[category:";
    NextPlace close(text, ']');
    std::string replacement;
    substitute(
        text, [&](std::size_t from) { return find_any_case(text, open, from); },
        [&](std::size_t start) {
            const std::size_t inside = start + open.size();
            const std::size_t end = close.from(inside);
            if (end == npos || text.compare(end, 2, "]]") != 0) return Match{start, ""};
            const std::string_view run = std::string_view(text).substr(inside, end - inside);
            replacement = "[[" + std::string(run.substr(0, run.find('|'))) + "]]";
            return Match{end + 2, replacement};
        });
}

/// As the Perl substitution s/\[\[[a-z\-]*:[^\]]*\]\]//g.
void remove_language_links(std::string& text) {
    NextPlace close(text, ']');
    substitute(
        text, [&](std::size_t from) { return text.find("[[", from); },
        [&](std::size_t start) {
            std::size_t at = start + 2;
            while (at < text.size() && ((text[at] >= 'a' && text[at] <= 'z') || text[at] == '-')) ++at;
            if (at == text.size() || text[at] != ':') return Match{start, ""};
            const std::size_t end = close.from(at + 1);
            const bool closes = end != npos && text.compare(end, 2, "]]") == 0;
            return Match{closes ? end + 2 : start, ""};
        });
}

/// As the Perl substitution s/\[\[[^\|\]]*\|/[[/g.
void keep_link_words(std::string& text) {
    NextPlace bar(text, '|');
    NextPlace close(text, ']');
    substitute(
        text, [&](std::size_t from) { return text.find("[[", from); },
        [&](std::size_t start) {
            const std::size_t end = bar.from(start + 2);
            return Match{end != npos && end < close.from(start + 2) ? end + 1 : start, "[["};
        });
}

void strip_markup(std::string& piece) {
    remove_last_tag(piece);
    replace_all(piece, "&amp;", "&");
    replace_all(piece, "&lt;", "<");
    replace_all(piece, "&gt;", ">");
    replace_between(piece, "<ref", "</ref>", "");
    replace_between(piece, "<", ">", "");
    remove_urls(piece);
    replace_all(piece, "|thumb", "", true);
    replace_all(piece, "|left", "", true);
    replace_all(piece, "|right", "", true);
    remove_widths(piece);
    keep_captions(piece);
    keep_category_names(piece);
    remove_language_links(piece);
    keep_link_words(piece);
    replace_between(piece, "{{", "}}", "");
    replace_between(piece, "{", "}", "");
    std::erase_if(piece, [](char c) { return c == '[' || c == ']'; });
    replace_between(piece, "&", ";", " ");
}

void append_words(std::string& result, std::string_view piece) {
    constexpr std::array<std::string_view, 10> digits = {"zero", "one", "two",   "three", "four",
                                                         "five", "six", "seven", "eight", "nine"};
    bool space = true;
    for (const char c : piece) {
        const char letter = lower(c);
        if (letter >= 'a' && letter <= 'z') {
            if (space) result += ' ';
            result += letter;
            space = false;
        } else if (letter >= '0' && letter <= '9') {
            result += ' ';
            result += digits[static_cast<std::size_t>(letter - '0')];
            space = true;
        } else {
            space = true;
        }
    }
}

std::string clean_wiki(std::string_view text) {
    std::string result;
    std::string piece;
    bool inside = false;
    for (std::size_t start = 0; start < text.size();) {
        const std::size_t close = text.find('>', start);
        const std::size_t end = close == npos ? text.size() : close + 1;
        piece.assign(text.substr(start, end - start));
        start = end;
        if (piece.find("<text ") != npos) inside = true;
        if (find_any_case(piece, "#redirect") != npos) inside = false;
        if (!inside) continue;
        if (piece.find("</text>") != npos) inside = false;
        strip_markup(piece);
        append_words(result, piece);
    }
    return result;
}

}  // namespace

bool looks_like_wiki_dump(std::string_view text) {
    const std::string_view beginning = text.substr(0, 64 * 1024);
    return beginning.find("<mediawiki") != npos ||
           (beginning.find("<page>") != npos && beginning.find("<text ") != npos);
}

std::string clean_text(std::string_view text, Cleaning cleaning) {
    if (cleaning == Cleaning::wiki || (cleaning == Cleaning::automatic && looks_like_wiki_dump(text))) {
        return clean_wiki(text);
    }
    std::string result;
    result.reserve(text.size() + text.size() / 8);
    append_words(result, text);
    return result;
}

}  // namespace ropelab
