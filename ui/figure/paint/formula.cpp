#include "ui/figure/paint/formula.h"

#include <QHash>
#include <QPainter>
#include <algorithm>
#include <utility>

#include "ui/figure/text_metrics.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;
namespace {

constexpr double kIndexSize = 0.72;     // font size of an index or exponent, relative to its base
constexpr double kIndexDrop = 0.28;     // distance of an index below the base line, relative to the ascent
constexpr double kExponentRise = 0.42;  // distance of an exponent above the base line, relative to the ascent
constexpr double kFractionRise = 0.34;  // height of a fraction's bar above the base line, relative to the ascent
constexpr double kFractionSize = 0.9;   // font size in a fraction
constexpr double kFractionGapPt = 1.5;  // distance of the bar to the parts of the fraction
constexpr double kRootWidth = 0.5;      // width of the sign of a root, relative to the font size
constexpr double kNormWidth = 0.44;     // width of ‖, whose bars merge in small fonts, relative to the font size
const QString kNorm = u"‖"_s;

/// On paper not below the smallest text.
double smaller(const FigureStyle& style, double points, double factor) {
    return style.onScreen ? factor * points : std::max(factor * points, std::min(points, FigureStyle::kLeastPt));
}

QString scriptText(const QString& text, const QString& from, const QString& to, const QString& fallback) {
    QString result;
    for (const QChar letter : text) {
        const auto at = from.indexOf(letter);
        if (at < 0) return fallback.arg(text);
        result += to[at];
    }
    return result;
}

QString latexOfLetters(const QString& letters) {
    if (letters == "cos"_L1) return u"\\cos "_s;
    return letters.size() == 1 ? letters : u"\\text{%1}"_s.arg(letters);
}

QString latexOfSign(QChar sign) {
    static const QHash<QChar, QString> signs = {
        {QChar(0x2016), u"\\|"_s},      {QChar(0x2212), u"-"_s},         {QChar(0x00B7), u"\\cdot "_s},
        {QChar(0x00D7), u"\\times "_s}, {QChar(0x00B0), u"^\\circ "_s},  {QChar(0x03C9), u"\\omega"_s},
        {QChar(0x03C6), u"\\varphi"_s}, {QChar(0x03B8), u"\\theta"_s},   {QChar(0x0394), u"\\Delta"_s},
        {QChar(0x221E), u"\\infty"_s},  {QChar(0x2248), u"\\approx "_s}, {QLatin1Char(','), u"{,}"_s}};
    return signs.value(sign, QString(sign));
}

/// Exponent in Unicode superscripts, such as that of "6.00×10⁻⁴"; `at` moves to its last digit.
QString latexOfExponent(const QString& text, qsizetype& at, const QString& raised, const QString& plain) {
    QString digits;
    for (; at < text.size() && raised.contains(text[at]); ++at) digits += plain[raised.indexOf(text[at])];
    --at;
    return u"^{%1}"_s.arg(digits.replace(QChar(0x2212), QLatin1Char('-')));
}

const QString& plainDigits() {
    static const QString signs = u"0123456789+−in"_s;
    return signs;
}

const QString& raisedDigits() {
    static const QString signs = u"⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁱⁿ"_s;
    return signs;
}

QString latexOfText(const QString& text) {
    QString result;
    for (qsizetype i = 0; i < text.size(); ++i) {
        if (raisedDigits().contains(text[i])) {
            result += latexOfExponent(text, i, raisedDigits(), plainDigits());
        } else if (text[i].isLetter() && text[i].unicode() < 128) {
            qsizetype end = i;
            while (end < text.size() && text[end].isLetter() && text[end].unicode() < 128) ++end;
            result += latexOfLetters(text.mid(i, end - i));
            i = end - 1;
        } else {
            result += latexOfSign(text[i]);
        }
    }
    return result;
}

/// In brackets if the text has more than one part.
QString bracketed(const QString& text) {
    const bool isSingle =
        std::all_of(text.begin(), text.end(), [](QChar c) { return c.isLetterOrNumber() || u".,√−"_s.contains(c); });
    return isSingle ? text : QLatin1Char('(') + text + QLatin1Char(')');
}

}  // namespace

QString Formula::unicode() const {
    switch (m_kind) {
        case Kind::text:
        case Kind::symbol:
            return m_text;
        case Kind::row: {
            QString result;
            for (const Formula& part : m_parts) result += part.unicode();
            return result;
        }
        case Kind::subscript:
            return m_parts[0].unicode() +
                   scriptText(m_parts[1].unicode(), u"0123456789+−imn"_s, u"₀₁₂₃₄₅₆₇₈₉₊₋ᵢₘₙ"_s, u"_%1"_s);
        case Kind::superscript:
            return m_parts[0].unicode() + scriptText(m_parts[1].unicode(), plainDigits(), raisedDigits(), u"^(%1)"_s);
        case Kind::fraction:
            return bracketed(m_parts[0].unicode()) + QLatin1Char('/') + bracketed(m_parts[1].unicode());
        case Kind::root:
            break;
    }
    return QChar(0x221A) + bracketed(m_parts[0].unicode());
}

QString Formula::latex() const {
    switch (m_kind) {
        case Kind::text:
        case Kind::symbol:
            return latexOfText(m_text);
        case Kind::row: {
            QString result;
            for (const Formula& part : m_parts) {
                // A command such as \omega must not join the letter that follows it.
                const QString next = part.latex();
                const bool joins = !result.isEmpty() && !next.isEmpty() && result.back().isLetter() &&
                                   next.front().isLetter() && result.contains(QLatin1Char('\\'));
                result += (joins ? u" "_s : QString()) + next;
            }
            return result.simplified();
        }
        case Kind::subscript:
            return u"%1_{%2}"_s.arg(m_parts[0].latex(), m_parts[1].latex());
        case Kind::superscript:
            return u"%1^{%2}"_s.arg(m_parts[0].latex(), m_parts[1].latex());
        case Kind::fraction:
            return u"\\frac{%1}{%2}"_s.arg(m_parts[0].latex(), m_parts[1].latex());
        case Kind::root:
            break;
    }
    return u"\\sqrt{%1}"_s.arg(m_parts[0].latex());
}

QFont Formula::fontOf(const FigureStyle& style, double points) const {
    QFont font = style.font(points);
    font.setItalic(m_kind == Kind::symbol);
    return font;
}

Formula::Extent Formula::extent(const FigureStyle& style, double points) const {
    const bool isSymbol = m_kind == Kind::symbol;
    // The height of a line is that of its font.
    const FigureStyle::TextExtent line =
        style.extentOf(isSymbol || m_kind == Kind::text ? m_text : QString(), points, isSymbol);
    switch (m_kind) {
        case Kind::text:
        case Kind::symbol:
            return {m_text == kNorm ? kNormWidth * style.units(points) : line.width, line.ascent, line.descent};
        case Kind::row: {
            Extent all{0, line.ascent, line.descent};
            for (const Formula& part : m_parts) {
                const Extent one = part.extent(style, points);
                all = {all.width + one.width, std::max(all.ascent, one.ascent), std::max(all.descent, one.descent)};
            }
            return all;
        }
        case Kind::subscript:
        case Kind::superscript: {
            const Extent base = m_parts[0].extent(style, points);
            const Extent script = m_parts[1].extent(style, smaller(style, points, kIndexSize));
            const double rise = m_kind == Kind::subscript ? -kIndexDrop * line.ascent : kExponentRise * line.ascent;
            return {base.width + script.width, std::max(base.ascent, script.ascent + rise),
                    std::max(base.descent, script.descent - rise)};
        }
        case Kind::fraction: {
            const Extent above = m_parts[0].extent(style, smaller(style, points, kFractionSize));
            const Extent below = m_parts[1].extent(style, smaller(style, points, kFractionSize));
            const double bar = kFractionRise * line.ascent;
            const double gap = style.units(kFractionGapPt);
            return {std::max(above.width, below.width) + 2 * gap, above.height() + gap + bar,
                    std::max(line.descent, below.height() + gap - bar)};
        }
        case Kind::root:
            break;
    }
    Extent content = m_parts[0].extent(style, points);
    content.width += kRootWidth * style.units(points);
    content.ascent += style.units(kFractionGapPt);
    return content;
}

void Formula::paint(QPainter& painter, const QPointF& base, const FigureStyle& style, double points) const {
    const TextMetrics metrics(fontOf(style, points));
    const QPen ink = painter.pen();
    const QPen line(ink.color(), style.units(style.hairPt));
    switch (m_kind) {
        case Kind::text:
        case Kind::symbol:
            if (m_text == kNorm) {
                painter.setPen(line);
                for (const double place : {0.13, 0.31}) {
                    const QPointF foot = base + QPointF(place * style.units(points), 0.2 * metrics.ascent());
                    painter.drawLine(foot, foot - QPointF(0, metrics.ascent()));
                }
                return painter.setPen(ink);
            }
            painter.setFont(fontOf(style, points));
            painter.drawText(base, m_text);
            return;
        case Kind::row: {
            double x = base.x();
            for (const Formula& part : m_parts) {
                part.paint(painter, {x, base.y()}, style, points);
                x += part.extent(style, points).width;
            }
            return;
        }
        case Kind::subscript:
        case Kind::superscript: {
            m_parts[0].paint(painter, base, style, points);
            const double drop =
                m_kind == Kind::subscript ? kIndexDrop * metrics.ascent() : -kExponentRise * metrics.ascent();
            m_parts[1].paint(painter, base + QPointF(m_parts[0].extent(style, points).width, drop), style,
                             smaller(style, points, kIndexSize));
            return;
        }
        case Kind::fraction: {
            const double width = extent(style, points).width;
            const double bar = base.y() - kFractionRise * metrics.ascent();
            const double gap = style.units(kFractionGapPt);
            const Extent above = m_parts[0].extent(style, smaller(style, points, kFractionSize));
            const Extent below = m_parts[1].extent(style, smaller(style, points, kFractionSize));
            m_parts[0].paint(painter, {base.x() + (width - above.width) / 2, bar - gap - above.descent}, style,
                             smaller(style, points, kFractionSize));
            m_parts[1].paint(painter, {base.x() + (width - below.width) / 2, bar + gap + below.ascent}, style,
                             smaller(style, points, kFractionSize));
            painter.setPen(line);
            painter.drawLine(QPointF(base.x(), bar), QPointF(base.x() + width, bar));
            painter.setPen(ink);
            return;
        }
        case Kind::root:
            break;
    }
    const double sign = kRootWidth * style.units(points);
    const Extent content = m_parts[0].extent(style, points);
    const double top = base.y() - content.ascent;
    painter.setPen(line);
    painter.drawPolyline(QPolygonF({{base.x(), base.y() - 0.3 * content.ascent},
                                    {base.x() + 0.35 * sign, base.y()},
                                    {base.x() + 0.8 * sign, top},
                                    {base.x() + sign + content.width, top}}));
    painter.setPen(ink);
    m_parts[0].paint(painter, base + QPointF(sign, 0), style, points);
}

}  // namespace ropelab::ui
