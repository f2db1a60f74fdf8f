#include "ui/window/why_card.h"

#include <QAbstractItemView>
#include <QAccessible>
#include <QApplication>
#include <QCursor>
#include <QKeyEvent>
#include <QLabel>
#include <QToolTip>
#include <QVBoxLayout>
#include <algorithm>
#include <array>

#include "ui/theme/theme_manager.h"
#include "ui/window/formula_book.h"
#include "ui/window/scaled.h"

namespace ropelab::ui {
namespace {

constexpr int kWidest = 380;  // pixels at 100 %
constexpr int kGap = 8;
constexpr int kRenewMs = 200;

bool isModifier(int key) {
    return key == Qt::Key_Shift || key == Qt::Key_Control || key == Qt::Key_Alt || key == Qt::Key_Meta;
}

/// Links to the formulas that a text names; "" where it names none.
QString linksTo(const QList<int>& formulas) {
    QStringList links;
    for (const int number : formulas) {
        links << QStringLiteral("<a href=\"%1\">%2</a>").arg(number).arg(WhyCard::tr("Formula %1").arg(number));
    }
    return links.join(QStringLiteral(", "));
}

bool isTable(const QWidget* widget) {
    return qobject_cast<const QAbstractItemView*>(widget) != nullptr;
}

}  // namespace

WhyCard::WhyCard(QWidget* window)
    : QFrame(window),
      m_mouseAtKey(QCursor::pos()),
      m_title(new QLabel(this)),
      m_summary(new QLabel(this)),
      m_text(new QLabel(this)),
      m_formulas(new QLabel(this)) {
    setObjectName(QStringLiteral("whyCard"));
    setProperty("panel", true);
    setFrameShape(QFrame::StyledPanel);
    auto* column = new QVBoxLayout(this);
    scaleLayout(column, {12, 12, 12, 12}, 8);
    for (QLabel* label : {m_title, m_summary, m_text}) {
        label->setWordWrap(true);
        label->setTextFormat(Qt::PlainText);
        column->addWidget(label);
    }
    m_formulas->setObjectName(QStringLiteral("formulas"));
    m_formulas->setWordWrap(true);
    m_formulas->setTextFormat(Qt::RichText);
    m_formulas->setTextInteractionFlags(Qt::LinksAccessibleByMouse);
    column->addWidget(m_formulas);
    connect(m_formulas, &QLabel::linkActivated, this, [this](const QString& link) {
        hide();
        emit formulaAsked(link.toInt());
    });
    m_title->setProperty("heading", true);
    m_summary->setProperty("quiet", true);
    m_timer.setInterval(kRenewMs);
    connect(&m_timer, &QTimer::timeout, this, &WhyCard::renew);
    qApp->installEventFilter(this);
    hide();
}

Why WhyCard::sought() const {
    const auto isHere = [this](const Why& why) { return why.widget && why.widget->window() == window(); };
    const Why pointed = whyAt(window(), QCursor::pos());
    const Why focused = whyOf(QApplication::focusWidget());
    const bool mouseLast = QCursor::pos() != m_mouseAtKey;
    for (const Why& why : mouseLast ? std::array{pointed, focused} : std::array{focused, pointed}) {
        if (isHere(why)) return why;
    }
    return {};
}

bool WhyCard::toggle() {
    const bool wasShown = isVisible();
    hide();  // else it would lie under the mouse
    m_timer.stop();
    const Why why = sought();
    if (!why.widget) return wasShown;
    if (wasShown && why.widget == m_widget && (!isTable(m_widget) || why.title == m_why.title)) return true;
    m_widget = why.widget;
    QToolTip::hideText();  // it would say the same over it
    show(why);
    m_timer.start();
    return true;
}

void WhyCard::show(const Why& why) {
    m_why = why;
    setFocusProxy(QApplication::focusWidget());  // else a click on the card would take the keyboard to the window
    const auto put = [](QLabel* label, const QString& text) {
        label->setText(text);
        label->setVisible(!text.isEmpty());
    };
    put(m_title, why.title);
    put(m_summary, why.summary);
    put(m_text, why.text);
    put(m_formulas, linksTo(formulasIn(why.text)));
    setAccessibleName(tr("Why: %1").arg(why.title));
    setAccessibleDescription(why.text);
    place();
    QFrame::show();
    raise();
    QAccessibleEvent alert(this, QAccessible::Alert);
    QAccessible::updateAccessibility(&alert);
}

void WhyCard::renew() {
    if (!isVisible()) return m_timer.stop();
    if (!m_widget || !m_widget->isVisible()) return hide();
    if (isTable(m_widget)) return;  // it is of the cell that was asked
    const Why now = whyOf(m_widget);
    if (now.widget != m_widget) return;
    if (now.title != m_why.title || now.text != m_why.text || now.summary != m_why.summary) show(now);
}

void WhyCard::place() {
    const QWidget* window = parentWidget();
    const ThemeManager& theme = ThemeManager::instance();
    const int gap = theme.pixels(kGap);
    const int width = std::min(theme.pixels(kWidest), window->width() - 2 * gap);
    const int height = std::min(layout()->heightForWidth(width), window->height() - 2 * gap);
    const QRect of(m_widget->mapTo(window, QPoint(0, 0)), m_widget->size());
    // Beneath what it explains, else above, else over its lower end: of a picture.
    int y = of.bottom() + gap;
    if (y + height > window->height() - gap) y = of.top() - gap - height;
    if (y < gap) y = window->height() - gap - height;
    setGeometry(std::clamp(of.left(), gap, std::max(gap, window->width() - gap - width)), std::max(y, gap), width,
                height);
}

bool WhyCard::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::KeyPress && watched->isWidgetType()) {
        const auto* key = static_cast<QKeyEvent*>(event);
        const bool isHere = static_cast<QWidget*>(watched)->window() == window();
        if (isVisible() && isHere && key->key() == Qt::Key_Escape) {
            hide();
            return true;
        }
        if (key->key() != Qt::Key_F1 && !isModifier(key->key())) m_mouseAtKey = QCursor::pos();
    }
    return QFrame::eventFilter(watched, event);
}

void WhyCard::mousePressEvent(QMouseEvent*) {
    hide();
}

}  // namespace ropelab::ui
