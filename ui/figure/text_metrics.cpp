#include "ui/figure/text_metrics.h"

#include <QFont>
#include <QHash>
#include <utility>

namespace ropelab::ui {

TextMetrics::TextMetrics(const QFont& font) : QFontMetricsF(font), m_font(qHash(font)) {}

double TextMetrics::horizontalAdvance(const QString& text) const {
    constexpr qsizetype most = 8192;
    // Figures are also painted in background threads.
    thread_local QHash<std::pair<QString, size_t>, double> known;
    const std::pair key(text, m_font);
    if (const auto found = known.constFind(key); found != known.constEnd()) return *found;
    if (known.size() >= most) known.clear();
    return *known.insert(key, QFontMetricsF::horizontalAdvance(text));
}

}  // namespace ropelab::ui
