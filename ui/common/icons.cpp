#include "ui/common/icons.h"

#include <QIcon>
#include <QPainter>
#include <QPixmapCache>
#include <QSvgRenderer>
#include <QVariant>
#include <algorithm>
#include <cstring>

#include "ui/theme/theme_manager.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

namespace {

void renew(QAbstractButton* button) {
    const auto& manager = ThemeManager::instance();
    const Theme& theme = manager.theme();
    const QByteArray path = button->property("outline").toByteArray();
    const bool filled = !button->property("isLine").toBool();
    const int size = manager.pixels(filled ? 12 : 14);
    const bool primary = button->property("primary").toBool();
    QIcon icon;
    icon.addPixmap(
        renderIcon(path, primary ? theme.accentText : theme.text, filled, size, button->devicePixelRatioF()));
    icon.addPixmap(renderIcon(path, theme.quietText, filled, size, button->devicePixelRatioF()), QIcon::Disabled);
    button->setIcon(icon);
    button->setIconSize({size, size});
}

}  // namespace

namespace {

constexpr const char* kPauseOutline = outline::kPause;  // the parameter of renderIcon hides the namespace

/// On whole device pixels: each bar and the space between them take a fifth of the size, at least two pixels each.
QPixmap pauseIcon(const QColor& color, int size, qreal ratio) {
    QPixmap pixmap(QSize(size, size) * ratio);
    pixmap.fill(Qt::transparent);
    const int side = pixmap.width();
    const int bar = std::max(2, qRound(side / 5.0));
    // The space has the parity of the side, so that both margins are equal.
    const int between = std::max(2, bar + (bar + side) % 2);
    const int left = (side - 2 * bar - between) / 2;
    const int top = qRound(side / 6.0);
    QPainter painter(&pixmap);
    for (const int x : {left, left + bar + between}) {
        painter.fillRect(x, top, bar, side - 2 * top, color);
    }
    painter.end();
    pixmap.setDevicePixelRatio(ratio);
    return pixmap;
}

}  // namespace

QPixmap renderIcon(const char* outline, const QColor& color, bool filled, int size, qreal ratio) {
    if (std::strcmp(outline, kPauseOutline) == 0) return pauseIcon(color, size, ratio);
    const QString none = u"none"_s;
    const QString svg =
        u"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 24 24'><path d='%1' fill='%2' stroke='%3' "
        "stroke-width='2' stroke-linecap='round' stroke-linejoin='round'/></svg>"_s.arg(
            QLatin1String(outline), filled ? color.name() : none, color.name());
    // A change of the text size or the theme needs the icons of the bars anew.
    const QString key = u"%1 %2 "_s.arg(size).arg(ratio) + svg;
    QPixmap pixmap;
    if (QPixmapCache::find(key, &pixmap)) return pixmap;
    QSvgRenderer renderer(svg.toUtf8());
    pixmap = QPixmap(QSize(size, size) * ratio);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    renderer.render(&painter);
    painter.end();
    pixmap.setDevicePixelRatio(ratio);
    QPixmapCache::insert(key, pixmap);
    return pixmap;
}

void setIcon(QAbstractButton* button, const char* outline) {
    const bool first = !button->property("outline").isValid();
    button->setProperty("outline", QByteArray(outline));
    renew(button);
    if (first) {
        QObject::connect(&ThemeManager::instance(), &ThemeManager::changed, button, [button] { renew(button); });
    }
}

void setLineIcon(QAbstractButton* button, const char* outline) {
    button->setProperty("isLine", true);
    setIcon(button, outline);
}

}  // namespace ropelab::ui
