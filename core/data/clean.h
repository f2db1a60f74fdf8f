#pragma once

#include <string>
#include <string_view>

namespace ropelab {

/// `wiki` is for an XML dump of Wikipedia, such as enwik8; `automatic` decides by `looks_like_wiki_dump`.
enum class Cleaning { automatic, plain, wiki };

/// The first 64 KiB contain a `<mediawiki` tag, or both `<page>` and `<text `.
bool looks_like_wiki_dump(std::string_view text);

/// Returns the text cleaned in the style of text8: only the letters a–z and single spaces remain.
///
/// In every text, A–Z become a–z; each digit is spelled out as a separate word (42 → " four two "); every other byte,
/// including each byte of a non-ASCII character, becomes a space; runs of spaces are merged into one. A result that is
/// not empty starts with a space, as text8 does, and does not end with one. Cleaning is idempotent.
///
/// `wiki` first applies the rules of Matt Mahoney's filter (wikifil.pl, mattmahoney.net/dc/textdata.html, appendix A).
/// The filter works on one piece of text at a time; each piece ends with a `>`:
///   1. text outside `<text …>` … `</text>` is removed, and so are all pages that contain #REDIRECT;
///   2. the tag that ends the piece is removed, `&amp;` `&lt;` `&gt;` are decoded, then `<ref…>…</ref>` and the tags
///      that decoding has revealed are removed;
///   3. `[http:… words]` becomes `words`; `|thumb` `|left` `|right` `|12px` are removed; `[[image:…|caption]]` becomes
///      `caption`; `[[category:name|…]]` becomes `name`; links to other languages (`[[de:…]]`) are removed;
///      `[[page|words]]` becomes `words`;
///   4. `{{…}}` and `{…}` are removed (remains of nested ones stay, as in text8), then all brackets, then other `&…;`.
/// Applied to the beginning of enwik8, the result equals the beginning of text8 byte for byte.
std::string clean_text(std::string_view text, Cleaning cleaning = Cleaning::automatic);

}  // namespace ropelab
