#include "ui/shell/notices/banners.h"

#include <QAccessible>
#include <QEvent>
#include <QFrame>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QStyle>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "core/data/utf8.h"
#include "ui/controls/flow_layout.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

namespace {

// The style sheet colours the banner by this value of the property "banner".
QString kindName(BannerArea::Kind kind) {
    switch (kind) {
        case BannerArea::Kind::information:
            return u"info"_s;
        case BannerArea::Kind::warning:
            return u"warning"_s;
        case BannerArea::Kind::error:
            return u"error"_s;
    }
    return {};
}

/// A very long text with its beginning and its end: laying out 10,000 characters would stop the window for 0.1 s.
QString shownText(const QString& text) {
    constexpr qsizetype most = 1000;
    const QString all = QString::fromStdString(message_text(text.toStdString()));
    return all.size() <= most ? all : all.left(most * 3 / 4) + u" … "_s + all.right(most / 4);
}

}  // namespace

BannerArea::BannerArea(QWidget* parent) : QWidget(parent), m_layout(new QVBoxLayout(this)) {
    m_layout->setContentsMargins(0, 0, 0, 0);
    m_layout->setSpacing(4);
    setVisible(false);
}

void BannerArea::overlay(QWidget* on) {
    m_on = on;
    on->installEventFilter(this);
    place();
}

bool BannerArea::event(QEvent* event) {
    const bool isHandled = QWidget::event(event);
    if (event->type() == QEvent::LayoutRequest || event->type() == QEvent::Show) place();
    return isHandled;
}

bool BannerArea::eventFilter(QObject* watched, QEvent* event) {
    if (watched == m_on && (event->type() == QEvent::Resize || event->type() == QEvent::Move)) place();
    return QWidget::eventFilter(watched, event);
}

void BannerArea::place() {
    if (!m_on || isHidden()) return;
    const QRect under(m_on->mapTo(parentWidget(), QPoint()), m_on->size());
    const int wanted = m_layout->hasHeightForWidth() ? m_layout->totalHeightForWidth(under.width())
                                                     : m_layout->totalSizeHint().height();
    const int height = std::min(wanted, under.height());
    setGeometry(under.left(), under.bottom() + 1 - height, under.width(), height);
    raise();
}

void BannerArea::show(const QString& id, Kind kind, const QString& text, const QList<Choice>& choices) {
    dismiss(id);
    auto* frame = new QFrame(this);
    frame->setObjectName(id);
    frame->setProperty("banner", kindName(kind));
    auto* row = new QHBoxLayout(frame);
    row->setContentsMargins(12, 8, 8, 8);
    row->setSpacing(8);

    auto* label = new QLabel(shownText(text), frame);
    label->setObjectName(u"text"_s);
    label->setWordWrap(true);
    label->setTextFormat(Qt::PlainText);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    // Several buttons beside a long text would squeeze it into a narrow column.
    auto* buttons = new QWidget(frame);
    QLayout* places = nullptr;
    if (choices.size() > 1) {
        places = new FlowLayout(buttons);
        auto* column = new QVBoxLayout;
        column->setSpacing(8);
        column->addWidget(label);
        column->addWidget(buttons);
        row->addLayout(column, 1);
    } else {
        places = new QHBoxLayout(buttons);
        row->addWidget(label, 1);
        row->addWidget(buttons);
    }
    places->setContentsMargins(0, 0, 0, 0);
    places->setSpacing(8);
    for (const Choice& choice : choices) {
        auto* button = new QPushButton(choice.text, frame);
        button->setFocusPolicy(Qt::TabFocus);
        connect(button, &QPushButton::clicked, this, [this, id, handler = choice.handler] {
            dismiss(id);
            handler();
        });
        places->addWidget(button);
    }
    auto* close = new QToolButton(frame);
    close->setText(u"×"_s);
    close->setAutoRaise(true);
    close->setToolTip(u"Dismiss this message"_s);
    close->setAccessibleName(u"Dismiss this message"_s);
    close->setFocusPolicy(Qt::TabFocus);
    connect(close, &QToolButton::clicked, this, [this, id] { dismiss(id); });
    row->addWidget(close, 0, Qt::AlignTop);

    frame->setAccessibleName(text);
    m_layout->addWidget(frame);
    showFilled();
    QAccessibleEvent alert(frame, QAccessible::Alert);
    QAccessible::updateAccessibility(&alert);
}

void BannerArea::dismiss(const QString& id) {
    if (QWidget* old = banner(id)) {
        m_layout->removeWidget(old);
        old->setObjectName({});
        old->hide();
        old->deleteLater();
        emit dismissed(id);
    }
    showFilled();
}

void BannerArea::say(const QString& id, const QString& text) {
    QWidget* frame = banner(id);
    if (!frame) return;
    frame->findChild<QLabel*>(u"text"_s)->setText(shownText(text));
    frame->setAccessibleName(text);
}

void BannerArea::setCovered(bool covered) {
    m_isCovered = covered;
    showFilled();
}

void BannerArea::showFilled() {
    setVisible(m_layout->count() > 0 && !m_isCovered);
}

QStringList BannerArea::texts() const {
    QStringList result;
    for (int i = 0; i < m_layout->count(); ++i) {
        result << m_layout->itemAt(i)->widget()->findChild<QLabel*>(u"text"_s)->text();
    }
    return result;
}

bool BannerArea::choose(const QString& id, const QString& choice) {
    QWidget* frame = banner(id);
    if (!frame) return false;
    for (QPushButton* button : frame->findChildren<QPushButton*>()) {
        if (button->text() == choice) {
            button->click();
            return true;
        }
    }
    return false;
}

QWidget* BannerArea::banner(const QString& id) const {
    return findChild<QFrame*>(id, Qt::FindDirectChildrenOnly);
}

}  // namespace ropelab::ui

#include "moc_banners.cpp"
