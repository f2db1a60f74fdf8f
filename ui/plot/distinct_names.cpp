#include "ui/plot/distinct_names.h"

#include <QHash>
#include <QSet>
#include <algorithm>

namespace ropelab::ui {
namespace {

constexpr qsizetype kShort = 16;  // letters that have room anywhere

// "learned + θ 10k" and "learned + no rotation" as "θ 10k" and "no rotation".
QStringList withoutCommonStart(const QStringList& names) {
    const QString plus = QStringLiteral(" + ");
    const QString start = names.size() > 1 ? names.first().section(plus, 0, 0) + plus : QString();
    const auto has = [&start](const QString& name) { return name.startsWith(start); };
    if (!std::all_of(names.begin(), names.end(), has)) return names;
    QStringList result;
    for (const QString& name : names) result << name.mid(start.size());
    return result;
}

}  // namespace

QStringList distinctNames(const QStringList& all) {
    const QString comma = QStringLiteral(", ");
    const QStringList names = withoutCommonStart(all);
    QHash<QString, qsizetype> namesWith;
    for (const QString& name : names) {
        const QStringList parts = name.split(comma);
        for (const QString& part : QSet<QString>(parts.begin(), parts.end())) ++namesWith[part];
    }
    QList<QStringList> partsOf;
    qsizetype longest = 0;
    for (const QString& name : names) {
        QStringList own = name.split(comma);
        own.removeIf([&](const QString& part) { return names.size() > 1 && namesWith[part] == names.size(); });
        partsOf << (own.isEmpty() ? QStringList(name) : own);
        longest = std::max(longest, partsOf.last().join(comma).size());
    }
    QStringList result;
    for (QStringList& parts : partsOf) {
        if (longest > kShort) {
            std::stable_sort(parts.begin(), parts.end(),
                             [&](const QString& a, const QString& b) { return namesWith[a] < namesWith[b]; });
        }
        result << parts.join(comma);
    }
    return result;
}

}  // namespace ropelab::ui
