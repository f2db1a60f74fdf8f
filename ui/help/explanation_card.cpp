#include "ui/help/explanation_card.h"

#include <QAbstractItemView>
#include <QAccessible>
#include <QApplication>
#include <QCursor>
#include <QDialog>
#include <QEvent>
#include <QFileDialog>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QLabel>
#include <QShortcut>
#include <QToolTip>
#include <QVBoxLayout>
#include <algorithm>
#include <array>

#include "ui/common/scaled.h"
#include "ui/controls/choice_box.h"
#include "ui/help/guide_pages.h"
#include "ui/shell/symbols.h"
#include "ui/theme/theme_manager.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;
namespace {

// Lengths in pixels at a window scale of 100 %.
constexpr int kMaxWidth = 380;
constexpr int kGap = 8;
constexpr int kHighestControl = 60;
constexpr int kUpdateMs = 200;  // milliseconds between two updates

bool isModifier(int key) {
    return key == Qt::Key_Shift || key == Qt::Key_Control || key == Qt::Key_Alt || key == Qt::Key_Meta;
}

bool isTable(const QWidget* widget) {
    return qobject_cast<const QAbstractItemView*>(widget) != nullptr;
}

}  // namespace

ExplanationCard::ExplanationCard(QWidget* window)
    : QFrame(window),
      m_mouseAtKey(QCursor::pos()),
      m_title(new QLabel(this)),
      m_summary(new QLabel(this)),
      m_text(new QLabel(this)),
      m_formulas(new QLabel(this)) {
    setObjectName(u"whyCard"_s);
    setProperty("panel", true);
    setFrameShape(QFrame::StyledPanel);
    auto* column = new QVBoxLayout(this);
    scaleLayout(column, {12, 12, 12, 12}, 8);
    for (QLabel* label : {m_title, m_summary, m_text}) {
        label->setWordWrap(true);
        label->setTextFormat(label == m_text ? Qt::RichText : Qt::PlainText);
        column->addWidget(label);
    }
    m_formulas->setObjectName(u"formulas"_s);
    m_formulas->setWordWrap(true);
    m_formulas->setTextFormat(Qt::RichText);
    m_formulas->setTextInteractionFlags(Qt::LinksAccessibleByMouse);
    column->addWidget(m_formulas);
    connect(m_formulas, &QLabel::linkActivated, this, [this](const QString& link) {
        hide();
        emit formulaRequested(link.toInt());
    });
    m_title->setProperty("heading", true);
    m_summary->setProperty("quiet", true);
    m_timer.setInterval(kUpdateMs);
    connect(&m_timer, &QTimer::timeout, this, &ExplanationCard::renew);
    qApp->installEventFilter(this);
    hide();
}

Explanation ExplanationCard::currentExplanation() const {
    const auto isHere = [this](const Explanation& why) { return why.widget && why.widget->window() == window(); };
    const Explanation pointed = explanationAt(window(), QCursor::pos());
    const Explanation focused = explanationOf(QApplication::focusWidget());
    const bool mouseLast = QCursor::pos() != m_mouseAtKey;
    for (const Explanation& why : mouseLast ? std::array{pointed, focused} : std::array{focused, pointed}) {
        if (!isHere(why)) continue;
        // Of two that can be meant, the title says which.
        if (why.widget == focused.widget && isHere(pointed) && pointed.widget != focused.widget)
            return {why.widget, why.title, why.summary, why.text, u" (keyboard focus)"_s};
        return why;
    }
    return {};
}

bool ExplanationCard::toggle() {
    const bool wasShown = isVisible();
    hide();  // so that the widget under the mouse pointer is not the card itself
    m_timer.stop();
    const Explanation why = currentExplanation();
    if (!why.widget) return wasShown;
    if (wasShown && why.widget == m_widget && (!isTable(m_widget) || why.title == m_why.title)) return true;
    m_widget = why.widget;
    QToolTip::hideText();  // The tooltip has the same text and would cover the card.
    show(why);
    m_timer.start();
    return true;
}

void ExplanationCard::show(const Explanation& why) {
    m_why = why;
    setFocusProxy(QApplication::focusWidget());  // so that a click on the card does not move the focus to the window
    const auto setTextOrHide = [](QLabel* label, const QString& text) {
        label->setText(text);
        label->setVisible(!text.isEmpty());
    };
    setTextOrHide(m_title, why.title + why.place);
    setTextOrHide(m_summary, why.summary);
    setTextOrHide(m_text, symbolsAsHtml(why.text));
    setTextOrHide(m_formulas, formulaLinks(formulasIn(why.text)));
    setAccessibleName(u"Explanation: %1"_s.arg(why.title));
    setAccessibleDescription(why.text);
    place();
    QFrame::show();
    raise();
    QAccessibleEvent alert(this, QAccessible::Alert);
    QAccessible::updateAccessibility(&alert);
}

void ExplanationCard::renew() {
    if (!isVisible()) return m_timer.stop();
    if (!m_widget || !m_widget->isVisible()) return hide();
    if (isTable(m_widget)) return;  // The explanation of a cell does not follow the selection.
    const Explanation now = explanationOf(m_widget);
    if (now.widget != m_widget) return;
    if (now.title != m_why.title || now.text != m_why.text || now.summary != m_why.summary)
        show({now.widget, now.title, now.summary, now.text, m_why.place});
}

void ExplanationCard::place() {
    const QWidget* window = parentWidget();
    const ThemeManager& theme = ThemeManager::instance();
    const int gap = theme.pixels(kGap);
    const int width = std::min(theme.pixels(kMaxWidth), window->width() - 2 * gap);
    const int height = std::min(layout()->heightForWidth(width), window->height() - 2 * gap);
    const QRect explained(m_widget->mapTo(window, QPoint(0, 0)), m_widget->size());
    // The card is below the widget, or above it if there is no space, or over the lower end of a large figure.
    int y = explained.bottom() + gap;
    if (y + height > window->height() - gap) y = explained.top() - gap - height;
    if (y < gap) y = window->height() - gap - height;
    setGeometry(std::clamp(explained.left(), gap, std::max(gap, window->width() - gap - width)), std::max(y, gap),
                width, height);
}

bool ExplanationCard::showToolTip(QWidget* widget, const QPoint& mouse) const {
    if (widget->window() != window() || widget->toolTip().isEmpty()) return false;
    // A shortened choice shows its whole text instead.
    const auto* choice = qobject_cast<const ChoiceBox*>(widget);
    if (choice && choice->shownText() != choice->currentText()) return false;
    // Below a control, which stays visible; in a figure at the mouse.
    const bool isLow = widget->height() <= ThemeManager::instance().pixels(kHighestControl);
    const QPoint below = widget->mapToGlobal(QPoint(0, widget->height()));
    QToolTip::showText(isLow ? below : mouse, u"<qt>%1</qt>"_s.arg(symbolsAsHtml(widget->toolTip())), widget);
    return true;
}

bool ExplanationCard::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::ToolTip && watched->isWidgetType() &&
        showToolTip(static_cast<QWidget*>(watched), static_cast<QHelpEvent*>(event)->globalPos())) {
        return true;
    }
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

void ExplanationCard::mousePressEvent(QMouseEvent*) {
    hide();
}

DialogExplanations::DialogExplanations(QObject* parent) : QObject(parent) {
    qApp->installEventFilter(this);
}

bool DialogExplanations::eventFilter(QObject* watched, QEvent* event) {
    auto* dialog = event->type() == QEvent::Show ? qobject_cast<QDialog*>(watched) : nullptr;
    if (dialog && !qobject_cast<QFileDialog*>(dialog) &&
        !dialog->findChild<ExplanationCard*>(QString(), Qt::FindDirectChildrenOnly)) {
        auto* card = new ExplanationCard(dialog);
        connect(card, &ExplanationCard::formulaRequested, this, &DialogExplanations::formulaRequested);
        connect(new QShortcut(Qt::Key_F1, dialog), &QShortcut::activated, card, &ExplanationCard::toggle);
    }
    return QObject::eventFilter(watched, event);
}

}  // namespace ropelab::ui

#include "moc_explanation_card.cpp"
