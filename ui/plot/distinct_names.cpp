#include "ui/plot/distinct_names.h"

#include <QHash>
#include <QSet>
#include <algorithm>

namespace ropelab::ui {

QStringList distinctNames(const QStringList& names) {
    const QString comma = QStringLiteral(", ");
    QHash<QString, qsizetype> namesWith;
    for (const QString& name : names) {
        const QStringList parts = name.split(comma);
        for (const QString& part : QSet<QString>(parts.begin(), parts.end())) ++namesWith[part];
    }
    QStringList result;
    for (const QString& name : names) {
        QStringList own = name.split(comma);
        own.removeIf([&](const QString& part) { return names.size() > 1 && namesWith[part] == names.size(); });
        std::stable_sort(own.begin(), own.end(),
                         [&](const QString& a, const QString& b) { return namesWith[a] < namesWith[b]; });
        result << (own.isEmpty() ? name : own.join(comma));
    }
    return result;
}

}  // namespace ropelab::ui
