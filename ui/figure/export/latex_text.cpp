#include "ui/figure/export/latex_text.h"

#include <QHash>
#include <QList>

namespace ropelab::ui {

using namespace Qt::StringLiterals;
namespace {

/// Special characters, and signs of text.
const QHash<char32_t, const char*>& textSigns() {
    static const QHash<char32_t, const char*> signs = {
        {U'\\', "\\textbackslash{}"},
        {U'{', "\\{"},
        {U'}', "\\}"},
        {U'%', "\\%"},
        {U'&', "\\&"},
        {U'#', "\\#"},
        {U'$', "\\$"},
        {U'_', "\\_"},
        {U'~', "\\textasciitilde{}"},
        {U'^', "\\textasciicircum{}"},
        {U'<', "\\textless{}"},
        {U'>', "\\textgreater{}"},
        {U'|', "\\textbar{}"},
        {U'"', "{\\char34}"},
        {U'–', "--"},
        {U'—', "---"},
        {U'…', "\\dots{}"},
        {U'“', "``"},
        {U'”', "''"},
        {U'’', "'"},
        {U'‘', "`"},
        {U'\u00a0', "~"},
        {U'\u202f', "\\,"},
        {U'\u2009', "\\,"},
        {U'␣', "\\textvisiblespace{}"},
    };
    return signs;
}

const QHash<char32_t, const char*>& mathSigns() {
    static const QHash<char32_t, const char*> signs = {
        {U'α', "\\alpha"},   {U'β', "\\beta"},  {U'γ', "\\gamma"},     {U'δ', "\\delta"},  {U'Δ', "\\Delta"},
        {U'ε', "\\epsilon"}, {U'η', "\\eta"},   {U'θ', "\\theta"},     {U'Θ', "\\Theta"},  {U'κ', "\\kappa"},
        {U'λ', "\\lambda"},  {U'μ', "\\mu"},    {U'µ', "\\mu"},        {U'π', "\\pi"},     {U'ρ', "\\rho"},
        {U'σ', "\\sigma"},   {U'Σ', "\\Sigma"}, {U'τ', "\\tau"},       {U'φ', "\\varphi"}, {U'ω', "\\omega"},
        {U'Ω', "\\Omega"},   {U'−', "-"},       {U'×', "\\times"},     {U'·', "\\cdot"},   {U'±', "\\pm"},
        {U'∓', "\\mp"},      {U'≥', "\\geq"},   {U'≤', "\\leq"},       {U'≈', "\\approx"}, {U'≠', "\\neq"},
        {U'≡', "\\equiv"},   {U'√', "\\surd"},  {U'∞', "\\infty"},     {U'→', "\\to"},     {U'←', "\\leftarrow"},
        {U'‖', "\\Vert"},    {U'′', "{}'"},     {U'°', "{}^{\\circ}"}, {U'ᵀ', "{}^{T}"},   {U'⌈', "\\lceil"},
        {U'⌉', "\\rceil"},   {U'⋯', "\\cdots"}, {U'⋮', "\\vdots"},     {U'⋱', "\\ddots"},  {U'𝑖', "i"},
        {U'∂', "\\partial"}, {U'∑', "\\sum"},   {U'∈', "\\in"},        {U'Ĥ', "\\hat{H}"}, {U'Î', "\\hat{I}"},
    };
    return signs;
}

/// Letter of a raised or lowered character; 0 if it is none.
char letterIn(const QString& alphabet, const char* letters, char32_t c) {
    const qsizetype place = alphabet.indexOf(QString::fromUcs4(&c, 1));
    return place < 0 ? '\0' : letters[place];
}

char raised(char32_t c) {
    static const QString alphabet = u"⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺⁽⁾ⁿⁱ"_s;
    return letterIn(alphabet, "0123456789-+()ni", c);
}

char lowered(char32_t c) {
    static const QString alphabet = u"₀₁₂₃₄₅₆₇₈₉₋₊₍₎"_s;
    return letterIn(alphabet, "0123456789-+()", c);
}

/// ASCII and the letters of Latin-1 and Latin Extended-A, which LaTeX prints without further packages.
bool isPlain(char32_t c) {
    return (c >= 0x20 && c < 0x7f) || (c > 0xbf && c < 0x180);
}

bool isCombining(char32_t c) {
    return c >= 0x300 && c < 0x370;
}

}  // namespace

QString latexText(const QString& text) {
    QString result;
    const QList<uint> all = text.toUcs4();
    for (qsizetype i = 0; i < all.size(); ++i) {
        const char32_t c = all[i];
        const bool isRaised = raised(c) != '\0';
        if (isRaised || lowered(c) != '\0') {
            QString letters;
            for (; i < all.size(); ++i) {
                const char letter = isRaised ? raised(all[i]) : lowered(all[i]);
                if (letter == '\0') break;
                letters += QLatin1Char(letter);
            }
            --i;
            result += u"\\ensuremath{%1{%2}}"_s.arg(QString(isRaised ? u'^' : u'_'), letters);
        } else if (const char* sign = textSigns().value(c, nullptr)) {
            result += QLatin1String(sign);
        } else if (const char* math = mathSigns().value(c, nullptr)) {
            result += u"\\ensuremath{%1}"_s.arg(QLatin1String(math));
        } else if (c == U'\n' || c == U'\t') {
            result += QLatin1Char(' ');
        } else if (isPlain(c)) {
            result += QString::fromUcs4(&c, 1);
        } else if (!isCombining(c)) {
            result += u"[U+%1]"_s.arg(static_cast<uint>(c), 4, 16, QLatin1Char('0')).toUpper();
        }
    }
    return result;
}

}  // namespace ropelab::ui
