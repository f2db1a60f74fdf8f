#include "ui/help/guide_pages.h"

#include <QFile>
#include <QHash>
#include <QRegularExpression>
#include <algorithm>
#include <optional>

// Resources of a static library must be initialized explicitly, in a function outside any namespace.
static void initializeResources() {
    Q_INIT_RESOURCE(guide);
}

namespace ropelab::ui {

using namespace Qt::StringLiterals;
namespace {

/// The text of a heading or paragraph without the marks of Markdown.
QString plain(QString text) {
    static const QRegularExpression link(u"!?\\[([^\\]]*)\\]\\([^)]*\\)"_s);
    static const QRegularExpression mark(u"\\*\\*|`|\\|"_s);
    return text.replace(link, u"\\1"_s).remove(mark).simplified();
}

QString anchorOf(const QString& heading) {
    static const QRegularExpression removed(u"[^\\p{L}\\p{N}\\p{M}_ -]"_s);
    return heading.toLower().remove(removed).replace(u' ', u'-');
}

QList<GuideSection> sectionsOf(const GuidePage& page) {
    static const QRegularExpression heading(u"^(#{1,6}) (.+)$"_s);
    QList<GuideSection> sections;
    QHash<QString, int> seen;
    bool isCode = false;
    for (const QString& line : guideText(page.file).split(u'\n')) {
        if (line.startsWith(u"```")) isCode = !isCode;
        const auto match = isCode ? QRegularExpressionMatch() : heading.match(line);
        if (match.hasMatch()) {
            const QString title = plain(match.captured(2));
            QString anchor = anchorOf(title);
            if (const int before = seen[anchor]++) anchor += u"-%1"_s.arg(before);
            sections.append({page, title, static_cast<int>(match.capturedLength(1)), anchor, {}});
        } else if (!sections.isEmpty()) {
            sections.back().text += line + u'\n';
        }
    }
    for (GuideSection& section : sections) section.text = plain(section.text);
    return sections;
}

/// "12", "F12" or "formula 12"; nullopt for other texts.
std::optional<int> typedNumber(const QString& typed) {
    static const QRegularExpression number(u"^(?:f|formulas?\\s)?\\s*(\\d{1,3})$"_s,
                                           QRegularExpression::CaseInsensitiveOption);
    const auto match = number.match(typed);
    return match.hasMatch() ? std::optional(match.captured(1).toInt()) : std::nullopt;
}

/// 0 for the best match; nullopt for none.
std::optional<int> rankOf(const GuideSection& section, const QString& typed, const QStringList& words) {
    const auto has = [](const QString& text, const QString& part) { return text.contains(part, Qt::CaseInsensitive); };
    if (has(section.heading, typed)) return 0;
    if (has(section.text, typed)) return 1;
    const bool hasAll = std::all_of(words.begin(), words.end(), [&](const QString& word) {
        return has(section.heading, word) || has(section.text, word);
    });
    return hasAll ? std::optional(2) : std::nullopt;
}

}  // namespace

QString guideText(const QString& file) {
    initializeResources();
    QFile resource(u":/docs/"_s + file);
    if (!resource.open(QIODevice::ReadOnly)) return {};
    static const QRegularExpression comment(u"<!--.*?-->\n?"_s, QRegularExpression::DotMatchesEverythingOption);
    return QString::fromUtf8(resource.readAll()).remove(comment);
}

const QList<GuidePage>& guidePages() {
    static const QList<GuidePage> pages = [] {
        static const QRegularExpression group(u"^\\*\\*(.+)\\*\\*$"_s);
        static const QRegularExpression entry(u"^- \\[(.+)\\]\\(([a-z-]+\\.md)\\): (.+)$"_s);
        QList<GuidePage> found = {{u"README.md"_s, u"Overview"_s, {}, {}}};
        QString current;
        for (const QString& line : guideText(u"README.md"_s).split(u'\n')) {
            if (const auto match = group.match(line); match.hasMatch()) current = match.captured(1);
            if (const auto match = entry.match(line); match.hasMatch()) {
                found.append({match.captured(2), match.captured(1), match.captured(3), current});
            }
        }
        return found;
    }();
    return pages;
}

const QList<GuideSection>& guideSections() {
    static const QList<GuideSection> sections = [] {
        QList<GuideSection> found;
        for (const GuidePage& page : guidePages()) found += sectionsOf(page);
        return found;
    }();
    return sections;
}

QList<GuideSection> findInGuide(const QString& typed) {
    const QString words = typed.simplified();
    if (words.isEmpty()) return {};
    if (const auto number = typedNumber(words)) {
        if (const GuideSection* formula = formulaSection(*number)) return {*formula};
    }
    QList<GuideSection> found[3];
    for (const GuideSection& section : guideSections()) {
        if (const auto rank = rankOf(section, words, words.split(u' '))) found[*rank] << section;
    }
    return found[0] + found[1] + found[2];
}

QList<int> formulasIn(const QString& text) {
    static const QRegularExpression named(u"\\bformulas? (\\d+(?:(?:, | and | to )\\d+)*)"_s,
                                          QRegularExpression::CaseInsensitiveOption);
    static const QRegularExpression part(u"( to )?(\\d+)"_s);
    QList<int> numbers;
    const auto add = [&numbers](int number) {
        if (!numbers.contains(number)) numbers << number;
    };
    for (auto matches = named.globalMatch(text); matches.hasNext();) {
        int before = 0;
        for (auto parts = part.globalMatch(matches.next().captured(1)); parts.hasNext();) {
            const auto each = parts.next();
            const int number = each.captured(2).toInt();
            const bool isRange = !each.captured(1).isEmpty();
            for (int i = isRange ? before + 1 : number; i <= number; ++i) add(i);
            before = number;
        }
    }
    return numbers;
}

QString formulaLinks(const QList<int>& formulas) {
    QStringList links;
    for (const int number : formulas) links << u"<a href=\"%1\">Formula %1</a>"_s.arg(number);
    return links.join(u", "_s);
}

const QList<FormulaTitle>& formulaTitles() {
    static const QList<FormulaTitle> titles = [] {
        static const QRegularExpression formula(u"^Formula (\\d+): (.+)$"_s);
        QList<FormulaTitle> found;
        QString part;
        for (const GuideSection& section : guideSections()) {
            if (section.page.file != u"formulas.md") continue;
            if (section.level == 2) part = section.heading;
            const auto match = formula.match(section.heading);
            if (match.hasMatch()) found.append({match.captured(1).toInt(), match.captured(2), part});
        }
        return found;
    }();
    return titles;
}

const GuideSection* formulaSection(int number) {
    const QString beginning = u"Formula %1: "_s.arg(number);
    const QList<GuideSection>& all = guideSections();
    const auto found = std::find_if(all.begin(), all.end(), [&](const GuideSection& section) {
        return section.page.file == u"formulas.md" && section.heading.startsWith(beginning);
    });
    return found == all.end() ? nullptr : &*found;
}

}  // namespace ropelab::ui
