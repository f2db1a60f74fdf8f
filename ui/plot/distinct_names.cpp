#include "ui/plot/distinct_names.h"

#include <QHash>
#include <algorithm>

namespace ropelab::ui {

using namespace Qt::StringLiterals;
namespace {

// Numbers of characters that fit beside a curve and in a list.
constexpr qsizetype kShort = 16;
constexpr qsizetype kListed = 40;
const QString kComma = u", "_s;

// Removes a common prefix: "learned + θ 10k" and "learned + no rotation" become "θ 10k" and "no rotation".
QStringList withoutCommonStart(const QStringList& names) {
    const QString plus = u" + "_s;
    const QString start = names.size() > 1 ? names.first().section(plus, 0, 0) + plus : QString();
    const auto has = [&start](const QString& name) { return name.startsWith(start); };
    if (!std::all_of(names.begin(), names.end(), has)) return names;
    QStringList result;
    for (const QString& name : names) result << name.mid(start.size());
    return result;
}

qsizetype longestOf(const QList<QStringList>& partsOf) {
    qsizetype longest = 0;
    for (const QStringList& parts : partsOf) longest = std::max(longest, parts.join(kComma).size());
    return longest;
}

// Removes redundant parts: if "context 512" and "batch 2" occur in the same names, only the first one remains.
void removeRedundantParts(QList<QStringList>& partsOf, const QHash<QString, QList<qsizetype>>& namesWith) {
    QHash<QList<qsizetype>, QString> firstWith;
    for (QStringList& parts : partsOf) {
        for (const QString& part : std::as_const(parts)) {
            QString& first = firstWith[namesWith[part]];
            if (first.isEmpty()) first = part;
        }
        // A name that was not split is not in namesWith and remains unchanged.
        parts.removeIf(
            [&](const QString& part) { return namesWith.contains(part) && firstWith[namesWith[part]] != part; });
    }
}

}  // namespace

QStringList distinctNames(const QStringList& all) {
    const QStringList names = withoutCommonStart(all);
    QHash<QString, QList<qsizetype>> namesWith;
    for (qsizetype i = 0; i < names.size(); ++i) {
        for (const QString& part : names[i].split(kComma)) {
            if (QList<qsizetype>& with = namesWith[part]; with.isEmpty() || with.last() != i) with << i;
        }
    }
    QList<QStringList> partsOf;
    for (const QString& name : names) {
        QStringList own = name.split(kComma);
        own.removeIf([&](const QString& part) { return names.size() > 1 && namesWith[part].size() == names.size(); });
        partsOf << (own.isEmpty() ? QStringList(name) : own);
    }
    if (names.size() > 1 && longestOf(partsOf) > kShort) removeRedundantParts(partsOf, namesWith);
    const bool isLong = longestOf(partsOf) > kShort;
    QStringList result;
    for (QStringList& parts : partsOf) {
        if (isLong) {
            std::stable_sort(parts.begin(), parts.end(), [&](const QString& a, const QString& b) {
                return namesWith[a].size() < namesWith[b].size();
            });
        }
        result << parts.join(kComma);
    }
    return result;
}

QStringList listedNames(const QStringList& all) {
    QStringList longOnes;
    for (const QString& name : all) {
        if (name.size() > kListed) longOnes << name;
    }
    if (2 * longOnes.size() <= all.size()) return all;
    QStringList distinct = distinctNames(longOnes);
    QStringList result;
    for (const QString& name : all) result << (name.size() > kListed ? distinct.takeFirst() : name);
    return result;
}

}  // namespace ropelab::ui
