#pragma once

#include <string>
#include <string_view>

namespace ropelab {

/// How a text is cleaned: `plain` for ordinary text, `wiki` for an XML dump of Wikipedia (enwik8 and the like);
/// `automatic` takes `wiki` where the text's beginning looks like one.
enum class Cleaning { automatic, plain, wiki };

/// Whether the first 64 kB hold a `<mediawiki` tag, or both `<page>` and `<text `.
bool looks_like_wiki_dump(std::string_view text);

/// text8-style cleaning: only a–z and single spaces remain.
///
/// Every text: A–Z become a–z; each digit is spelt out as a word of its own (42 → " four two "); every other byte, so
/// also every byte of a character outside ASCII, becomes a space; runs of spaces become one. A text that has any letter
/// or digit starts with a space, as text8 does, and ends without one. Cleaning twice gives what cleaning once gives.
///
/// `wiki`, first, by the rules of Matt Mahoney's filter (wikifil.pl, mattmahoney.net/dc/textdata.html, appendix A),
/// applied piece by piece, a piece ending with each `>`:
///   1. only what lies between `<text …>` and `</text>` stays, and nothing of a page that says #REDIRECT;
///   2. the tag that ends the piece goes, `&amp;` `&lt;` `&gt;` are decoded, `<ref…>…</ref>` and tags so uncovered go;
///   3. of `[http:… words]` the words stay; `|thumb` `|left` `|right` `|12px` go; of `[[image:…|caption]]` the caption
///      stays; of `[[category:name|…]]` the name; links to other languages (`[[de:…]]`) go; of `[[page|words]]` the
///      words stay;
///   4. `{{…}}` and `{…}` go (what is left of nested ones stays, as in text8), then all brackets, then other `&…;`.
/// On the beginning of enwik8 the result is the beginning of text8, byte for byte.
std::string clean_text(std::string_view text, Cleaning cleaning = Cleaning::automatic);

}  // namespace ropelab
