#include "ui/rooms/train/field_error.h"

#include <QEvent>
#include <QScrollArea>
#include <algorithm>

#include "ui/theme/theme_manager.h"

namespace ropelab::ui {

namespace {

// The message belongs to the content of the scroll area around the field, with which it scrolls, or else to the window.
QWidget* surfaceOf(const QWidget* field) {
    QWidget* surface = field->parentWidget();
    while (surface && surface->parentWidget()) {
        const auto* area = qobject_cast<QScrollArea*>(surface->parentWidget()->parentWidget());
        if (area && area->widget() == surface) break;
        surface = surface->parentWidget();
    }
    return surface;
}

}  // namespace

FieldError::FieldError(QWidget* field) : QLabel(field), m_field(field) {
    setWordWrap(true);
    setTextFormat(Qt::PlainText);
    setAttribute(Qt::WA_TransparentForMouseEvents);
    hide();
    m_field->installEventFilter(this);
    connect(m_field, &QObject::destroyed, this, &QObject::deleteLater);  // the message may have another parent by then
    const auto restyle = [this] {
        const ThemeManager& manager = ThemeManager::instance();
        const Theme& theme = manager.theme();
        setStyleSheet(
            QStringLiteral("color: %1; background: %2; border: 1px solid %1; border-radius: 3px; padding: %3px;")
                .arg(theme.error.name(), theme.panel.name())
                .arg(manager.pixels(2)));
        place();
    };
    connect(&ThemeManager::instance(), &ThemeManager::changed, this, restyle);
    restyle();
}

void FieldError::setSentence(const QString& sentence) {
    m_sentence = sentence;
    setText(sentence);
    place();
}

bool FieldError::eventFilter(QObject* watched, QEvent* event) {
    switch (event->type()) {
        case QEvent::Show:
        case QEvent::Hide:
        case QEvent::Move:
        case QEvent::Resize:
            place();
            break;
        default:
            break;
    }
    return QLabel::eventFilter(watched, event);
}

void FieldError::place() {
    QWidget* surface = m_field ? surfaceOf(m_field) : nullptr;
    if (m_sentence.isEmpty() || !surface || !m_field->isVisible()) return hide();
    if (parentWidget() != surface) setParent(surface);
    const QPoint top = m_field->mapTo(surface, QPoint());
    const int width = m_field->width();
    const int height = heightForWidth(width);
    const int below = top.y() + m_field->height();
    setGeometry(top.x(), below + height <= surface->height() ? below : std::max(0, top.y() - height), width, height);
    show();
    raise();
}

}  // namespace ropelab::ui
