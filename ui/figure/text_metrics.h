#pragma once

#include <QFontMetricsF>
#include <QString>

namespace ropelab::ui {

/// QFontMetricsF that does not measure known texts again: most texts of a figure are the same in each step of a drag,
/// and to measure a text takes as long as to paint it.
class TextMetrics : public QFontMetricsF {
 public:
    explicit TextMetrics(const QFont& font);

    double horizontalAdvance(const QString& text) const;
    double horizontalAdvance(QChar letter) const { return horizontalAdvance(QString(letter)); }
    QString elidedText(const QString& text, Qt::TextElideMode mode, double width) const {
        return horizontalAdvance(text) <= width ? text : QFontMetricsF::elidedText(text, mode, width);
    }

 private:
    size_t m_font;  // hash
};

}  // namespace ropelab::ui
