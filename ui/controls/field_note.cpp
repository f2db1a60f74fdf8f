#include "ui/controls/field_note.h"

#include <QAbstractScrollArea>
#include <QEvent>

#include "ui/common/scaled.h"
#include "ui/theme/theme_manager.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

namespace {

/// The content of the scroll area around the field, or else its window.
QWidget* groundOf(QWidget* field) {
    QWidget* ground = field;
    while (ground->parentWidget() && !ground->isWindow()) {
        const QWidget* outer = ground->parentWidget()->parentWidget();
        if (qobject_cast<const QAbstractScrollArea*>(outer) && ground != field) return ground;
        ground = ground->parentWidget();
    }
    return ground;
}

}  // namespace

FieldNote::FieldNote(QWidget* field, Look look) : QLabel(field), m_field(field) {
    setWordWrap(true);
    setTextFormat(Qt::PlainText);
    if (look == Look::framed) {
        setAttribute(Qt::WA_TransparentForMouseEvents);
        setProperty("framed", true);
        connect(&ThemeManager::instance(), &ThemeManager::changed, this, &FieldNote::place);
    } else {
        setProperty("panel", true);  // an opaque background
        scaleMargins(this, {0, 2, 0, 4});
        colorAsError(this);
    }
    hide();
    field->installEventFilter(this);
    // The note may have become a child of a widget around the field.
    connect(field, &QObject::destroyed, this, &QObject::deleteLater);
}

void FieldNote::say(const QString& sentence) {
    setText(sentence);
    setVisible(!sentence.isEmpty() && m_field && m_field->isVisible());
    place();
}

bool FieldNote::eventFilter(QObject* watched, QEvent* event) {
    if (watched == m_field && !text().isEmpty()) {
        if (event->type() == QEvent::Hide) hide();
        if (event->type() == QEvent::Show) show();
        if (event->type() == QEvent::Show || event->type() == QEvent::Move || event->type() == QEvent::Resize) place();
    }
    return QLabel::eventFilter(watched, event);
}

void FieldNote::place() {
    if (text().isEmpty() || !m_field || !m_field->isVisible()) return;
    QWidget* ground = groundOf(m_field);
    if (parentWidget() != ground) {
        setParent(ground);
        show();
    }
    const QPoint corner = m_field->mapTo(ground, QPoint());
    const int height = heightForWidth(m_field->width());
    const int below = corner.y() + m_field->height();
    const bool fits = below + height <= ground->height() || corner.y() < height;
    setGeometry(corner.x(), fits ? below : corner.y() - height, m_field->width(), height);
    raise();
}

}  // namespace ropelab::ui

#include "moc_field_note.cpp"
