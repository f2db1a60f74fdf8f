#pragma once

#include <QString>

namespace ropelab::ui {

/// Symbols of formulas with their subscripts and superscripts, and line breaks, as HTML: "θ^(−2i/d_r)" shows d with a
/// low r in the exponent. Names of settings such as key_value_heads stay.
QString symbolsAsHtml(const QString& text);
/// The same with the Unicode characters for subscripts, for painted texts: "h_kv" becomes "hₖᵥ". A subscript without
/// such characters stays.
QString symbolsAsUnicode(const QString& text);

}  // namespace ropelab::ui
