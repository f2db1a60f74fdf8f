#include "ui/lecture/lecture_formulas.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonDocument>
#include <QJsonObject>
#include <QRegularExpression>
#include <QXmlStreamReader>
#include <algorithm>

#include "core/lecture/tex.h"
#include "ui/common/text.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr double kMostEx = 100;  // heights of an x; a taller picture would not fit a page

const QHash<QString, QString>& texWords() {
    static const QHash<QString, QString> words = [] {
        QHash<QString, QString> result;
        for (const TexCommand& command : tex_commands()) result.insert(text(command.name), text(command.text));
        return result;
    }();
    return words;
}

/// In Unicode, or in brackets after the sign if a character has no such form.
QString raised(const QString& content, bool isSuperscript) {
    static const QString plain = u"0123456789+−=()"_s;
    static const QString above = u"⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾"_s;
    static const QString below = u"₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎"_s;
    static const QHash<QChar, QChar> letters = {{u'i', u'ᵢ'}, {u'j', u'ⱼ'}, {u'k', u'ₖ'}, {u'm', u'ₘ'},
                                                {u'n', u'ₙ'}, {u'r', u'ᵣ'}, {u't', u'ₜ'}};
    QString result;
    for (const QChar each : content) {
        const auto place = plain.indexOf(each);
        if (place >= 0) {
            result += (isSuperscript ? above : below)[place];
        } else if (!isSuperscript && letters.contains(each)) {
            result += letters[each];
        } else if (isSuperscript && each == u'ᵀ') {
            result += each;
        } else {
            const QString sign = isSuperscript ? u"^"_s : u"_"_s;
            return sign + (content.size() == 1 ? content : u"(%1)"_s.arg(content));
        }
    }
    return result;
}

/// Reads the group or the single sign at `at` and moves `at` behind it.
QString group(const QString& tex, qsizetype& at) {
    if (at >= tex.size()) return {};
    if (tex[at] == u'{') {
        const qsizetype start = ++at;
        for (int depth = 1; at < tex.size(); ++at) {
            if (tex[at] == u'{') ++depth;
            if (tex[at] == u'}' && --depth == 0) break;
        }
        return tex.mid(start, at++ - start);
    }
    const qsizetype start = at++;
    if (tex[start] == u'\\') {
        while (at < tex.size() && tex[at].isLetter()) ++at;
        if (at == start + 1 && at < tex.size()) ++at;
    }
    return tex.mid(start, at - start);
}

/// What ^ or _ raises or lowers: a command with its braces, such as "\\mathrm{max}", is one sign.
QString argument(const QString& tex, qsizetype& at) {
    QString result = group(tex, at);
    if (result.startsWith(u'\\') && at < tex.size() && tex[at] == u'{') result += u'{' + group(tex, at) + u'}';
    return result;
}

/// Braces nest more than 64 levels deep, at which depth a recursion over groups still fits the stack; or 16 letters are
/// each lowered or raised beside the one before.
bool isTooDeep(const QString& tex) {
    int depth = 0;
    int lowered = 0;
    qsizetype last = -2;
    for (qsizetype i = 0; i < tex.size(); ++i) {
        if (tex[i] == u'{' && ++depth > 64) return true;
        if (tex[i] == u'}') --depth;
        if (tex[i] != u'_' && tex[i] != u'^') continue;
        lowered = i - last <= 2 ? lowered + 1 : 1;
        if (lowered > 16) return true;
        last = i;
    }
    return false;
}

/// Only a regular file of at most `most` bytes: another one, such as a device or a pipe, could have no end.
bool openRegular(QFile& file, qint64 most = 4'000'000) {
    const QFileInfo info(file.fileName());
    return info.isFile() && info.size() <= most && file.open(QIODevice::ReadOnly);
}

}  // namespace

QByteArray LectureFormula::svg(const QColor& color) const {
    QFile picture(file);
    if (file.isEmpty() || !openRegular(picture)) return {};
    const QByteArray bytes = picture.readAll();
    QXmlStreamReader xml(bytes);
    while (!xml.atEnd()) {
        xml.readNext();
        // Qt would open the files that they name, even pipes.
        if (xml.isProcessingInstruction() || (xml.isStartElement() && xml.name() == "image"_L1)) return {};
    }
    return QByteArray(bytes).replace("currentColor", color.name().toLatin1());
}

QString unicodeOfTex(const QString& tex) {
    if (isTooDeep(tex)) return tex.left(100) + QChar(0x2026);
    QString result;
    for (qsizetype at = 0; at < tex.size();) {
        const QChar sign = tex[at];
        if (sign == u'^' || sign == u'_') {
            ++at;
            result += raised(unicodeOfTex(argument(tex, at)).trimmed(), sign == u'^');
        } else if (sign == u'{') {
            result += unicodeOfTex(group(tex, at));
        } else if (sign == u'\\') {
            const QString word = group(tex, at).mid(1);
            if (word == "frac"_L1) {
                const QString above = unicodeOfTex(group(tex, at));
                result += u"(%1)/(%2)"_s.arg(above, unicodeOfTex(group(tex, at)));
            } else {
                result += texWords().value(word, word);
            }
        } else {
            result += sign == u'-' ? QChar(0x2212) : sign;
            ++at;
        }
    }
    return result;
}

LectureFormulas::LectureFormulas(const QString& folder) {
    const QDir formulas(QDir(folder).filePath(u"formulas"_s));
    QFile index(formulas.filePath(u"formulas.json"_s));
    if (!openRegular(index)) return;
    const QJsonObject entries = QJsonDocument::fromJson(index.readAll()).object();
    for (auto entry = entries.begin(); entry != entries.end(); ++entry) {
        const QJsonObject values = entry.value().toObject();
        // The name alone, so that an index names no file outside its folder.
        const QString name = QFileInfo(values[u"file"_s].toString()).fileName();
        m_formulas.insert(entry.key(),
                          {name.isEmpty() ? QString() : formulas.filePath(name), values[u"text"_s].toString(),
                           std::clamp(values[u"height_ex"_s].toDouble(), 0.0, kMostEx),
                           std::clamp(values[u"depth_ex"_s].toDouble(), -kMostEx, kMostEx)});
    }
}

LectureFormula LectureFormulas::formula(const QString& tex) const {
    LectureFormula found = m_formulas.value(tex);
    if (found.text.isEmpty()) found.text = unicodeOfTex(tex);
    return found;
}

SplitMarkdown splitFormulas(const QString& markdown) {
    static const QRegularExpression formula(u"\\$([^$\\n]+)\\$"_s);
    SplitMarkdown result;
    qsizetype from = 0;
    for (auto matches = formula.globalMatch(markdown); matches.hasNext();) {
        const auto match = matches.next();
        result.between << markdown.mid(from, match.capturedStart() - from);
        result.formulas << match.captured(1);
        from = match.capturedEnd();
    }
    result.between << markdown.mid(from);
    return result;
}

QString withFixedSpaces(QString markdown) {
    static const QRegularExpression equals(u"[ \\n]([=<≈≤≥])[ \\n](?=[\\d−])"_s);
    static const QRegularExpression times(u"(?<=\\d)[ \\n]·[ \\n](?=\\d)"_s);
    static const QRegularExpression percent(u"(?<=\\d)[ \\n]%"_s);
    return markdown.replace(equals, u"\u00A0\\1\u00A0"_s)
        .replace(times, u"\u00A0·\u00A0"_s)
        .replace(percent, u"\u00A0%"_s);
}

QString withUnicodeFormulas(const QString& markdown, const LectureFormulas& formulas) {
    static const QRegularExpression special(u"([*_\\[\\]<>`\\\\|])"_s);
    const SplitMarkdown split = splitFormulas(markdown);
    QString result = split.between.first();
    for (qsizetype i = 0; i < split.formulas.size(); ++i) {
        QString words = formulas.formula(split.formulas[i]).text;
        result += words.replace(special, u"\\\\1"_s) + split.between[i + 1];
    }
    return result;
}

}  // namespace ropelab::ui
