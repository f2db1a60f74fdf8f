#include "ui/common/icons.h"

#include <QIcon>
#include <QPainter>
#include <QSvgRenderer>
#include <QVariant>

#include "ui/theme/theme_manager.h"

namespace ropelab::ui {

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

QPixmap renderIcon(const char* outline, const QColor& color, bool filled, int size, qreal ratio) {
    const QString none = QStringLiteral("none");
    const QString svg =
        QStringLiteral(
            "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 24 24'><path d='%1' fill='%2' stroke='%3' "
            "stroke-width='2' stroke-linecap='round' stroke-linejoin='round'/></svg>")
            .arg(QLatin1String(outline), filled ? color.name() : none, color.name());
    QSvgRenderer renderer(svg.toUtf8());
    QPixmap pixmap(QSize(size, size) * ratio);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    renderer.render(&painter);
    painter.end();
    pixmap.setDevicePixelRatio(ratio);
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
