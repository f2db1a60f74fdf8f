#include "ui/controls/fitting_label.h"

#include <QFontMetrics>

#include "ui/theme/theme_manager.h"

namespace ropelab::ui {
namespace {

constexpr double kLargestPt = 15;  // as the title of a room
constexpr double kSmallestPt = 10.5;
constexpr double kStepPt = 0.5;

}  // namespace

FittingLabel::FittingLabel(QWidget* parent) : QLabel(parent) {
    setWordWrap(true);
    setTextFormat(Qt::PlainText);
    connect(&ThemeManager::instance(), &ThemeManager::changed, this, &FittingLabel::fit);
    fit();
}

void FittingLabel::setText(const QString& text) {
    if (text == QLabel::text()) return;
    QLabel::setText(text);
    fit();
}

void FittingLabel::resizeEvent(QResizeEvent* event) {
    QLabel::resizeEvent(event);
    fit();
}

void FittingLabel::fit() {
    const ThemeManager& theme = ThemeManager::instance();
    double points = kLargestPt;
    QFont font = theme.fontAt(points, QFont::DemiBold);
    if (theme.leastText() > 0) {  // a presentation, whose figures have no smaller type
        font.setPixelSize(static_cast<int>(theme.leastText()));
        points = kSmallestPt;
    }
    while (points > kSmallestPt && QFontMetrics(font).horizontalAdvance(text()) > contentsRect().width()) {
        points -= kStepPt;
        font = theme.fontAt(points, QFont::DemiBold);
    }
    if (font != this->font()) setFont(font);
}

}  // namespace ropelab::ui

#include "moc_fitting_label.cpp"
