#include "ui/shell/symbols.h"

#include <QRegularExpression>
#include <algorithm>

namespace ropelab::ui {

using namespace Qt::StringLiterals;
namespace {

// A symbol is a single letter, so that names of settings are none; a number may be before it, as in 2h_kv.
const QRegularExpression& subscripts() {
    static const QRegularExpression pattern(u"(?<![\\p{L}_])(\\p{L})_(?:\\{([^{}]+)\\}|(\\p{L}+|\\d+))(?!\\w)"_s,
                                            QRegularExpression::UseUnicodePropertiesOption);
    return pattern;
}

}  // namespace

QString symbolsAsHtml(const QString& text) {
    static const QRegularExpression superscripts(u"\\^(?:\\(([^()]*)\\)|\\{([^{}]*)\\}|(\\p{L}|\\d+))"_s,
                                                 QRegularExpression::UseUnicodePropertiesOption);
    QString html = text.toHtmlEscaped();
    html.replace(subscripts(), u"\\1<sub>\\2\\3</sub>"_s);
    html.replace(superscripts, u"<sup>\\1\\2\\3</sup>"_s);
    return html.replace(u'\n', u"<br>"_s);
}

QString symbolsAsUnicode(const QString& text) {
    static const QString plain = u"0123456789ijklhmnrtv"_s;
    static const QString below = u"₀₁₂₃₄₅₆₇₈₉ᵢⱼₖₗₕₘₙᵣₜᵥ"_s;
    QString result;
    qsizetype end = 0;
    for (const QRegularExpressionMatch& match : subscripts().globalMatch(text)) {
        QString low = match.captured(2) + match.captured(3);
        if (std::any_of(low.begin(), low.end(), [](QChar each) { return !plain.contains(each); })) continue;
        for (QChar& each : low) each = below[plain.indexOf(each)];
        result += text.mid(end, match.capturedStart() - end) + match.captured(1) + low;
        end = match.capturedEnd();
    }
    return result + text.mid(end);
}

}  // namespace ropelab::ui
