#include <QAbstractItemView>
#include <QAbstractSlider>
#include <QAbstractSpinBox>
#include <QApplication>
#include <QComboBox>
#include <QKeyEvent>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QTextEdit>
#include <algorithm>
#include <array>

#include "ui/lecture/lecture_player.h"
#include "ui/lecture/presentation/ink.h"
#include "ui/lecture/presentation/notes_view.h"
#include "ui/lecture/presentation/presentation.h"
#include "ui/lecture/presentation/presentation_bands.h"
#include "ui/lecture/questions/question_panel.h"
#include "ui/lecture/stage.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

namespace {

bool takesText(const QWidget* widget) {
    const auto* choice = qobject_cast<const QComboBox*>(widget);
    const auto* text = qobject_cast<const QTextEdit*>(widget);
    return qobject_cast<const QLineEdit*>(widget) || qobject_cast<const QAbstractSpinBox*>(widget) ||
           qobject_cast<const QPlainTextEdit*>(widget) || (text && !text->isReadOnly()) ||
           (choice && choice->isEditable());
}

bool takesArrows(const QWidget* widget) {
    return qobject_cast<const QAbstractSlider*>(widget) || qobject_cast<const QComboBox*>(widget) ||
           qobject_cast<const QAbstractItemView*>(widget);
}

bool isArrow(int key) {
    return key == Qt::Key_Left || key == Qt::Key_Right || key == Qt::Key_Up || key == Qt::Key_Down;
}

/// Keys that a presentation handles wherever the focus is, also in text fields.
bool isOfClicker(int key) {
    return key == Qt::Key_PageDown || key == Qt::Key_PageUp || key == Qt::Key_F5;
}

bool typesDigit(const QKeyEvent& event) {
    return event.text().size() == 1 && event.text().front().isDigit();
}

bool isPrintable(const QKeyEvent& event) {
    return event.text().size() == 1 && event.text().front().isPrint();
}

constexpr std::array kHandled = {Qt::Key_Space,  Qt::Key_Right, Qt::Key_Left,  Qt::Key_Backspace, Qt::Key_B,
                                 Qt::Key_Period, Qt::Key_Plus,  Qt::Key_Equal, Qt::Key_Minus,     Qt::Key_T,
                                 Qt::Key_P,      Qt::Key_D,     Qt::Key_C,     Qt::Key_E,         Qt::Key_R,
                                 Qt::Key_S,      Qt::Key_L,     Qt::Key_N,     Qt::Key_Home,      Qt::Key_End,
                                 Qt::Key_Up,     Qt::Key_Down,  Qt::Key_Slash};

}  // namespace

bool Presentation::isOfPresentation(const QWidget* widget) const {
    if (!widget || !m_head || QApplication::activePopupWidget() || QApplication::activeModalWidget()) return false;
    return widget->window() == m_stage.canvas()->window() || widget->window() == m_notesWindow.data();
}

bool Presentation::wants(const QKeyEvent& event, const QWidget* focused) const {
    if (event.modifiers() & ~(Qt::ShiftModifier | Qt::KeypadModifier)) return false;
    const int key = event.key();
    if (isOfClicker(key)) return true;
    const bool isInQuestion = focused && m_question && (m_question == focused || m_question->isAncestorOf(focused));
    // In an empty field, these keys would do nothing.
    const auto* typed = qobject_cast<const QLineEdit*>(focused);
    const bool isSideways = key == Qt::Key_Left || key == Qt::Key_Right;
    if (typed && typed->text().isEmpty() && isInQuestion && !m_bar && isSideways) return true;
    if (key == Qt::Key_Escape && typed && !typed->isModified()) return true;
    if (takesText(focused)) return false;
    if (key == Qt::Key_Escape) return true;
    if (m_bar) return key == Qt::Key_L || (typesDigit(event) && !isInQuestion);
    const bool isEnter = key == Qt::Key_Return || key == Qt::Key_Enter;
    if (!m_typed.isEmpty()) return isEnter || key == Qt::Key_Backspace || isPrintable(event);
    if (isInQuestion && !m_question->isRevealed()) {
        if (isArrow(key) || typesDigit(event) || key == Qt::Key_Space || isEnter) return false;
    }
    if (takesArrows(focused) && (isArrow(key) || key == Qt::Key_Home || key == Qt::Key_End)) return false;
    if ((key == Qt::Key_Up || key == Qt::Key_Down) && !isPageShown()) return false;
    return typesDigit(event) || event.text() == "/"_L1 ||
           std::find(kHandled.begin(), kHandled.end(), key) != kHandled.end();
}

bool Presentation::eventFilter(QObject* watched, QEvent* event) {
    // A notice in the band above and a result or an error of the question change the heights that they need.
    const bool isChanged =
        event->type() == QEvent::LayoutRequest && (watched == m_head.data() || watched == m_question.data());
    const bool isResized = event->type() == QEvent::Resize && watched == m_stage.canvas();
    if (isResized) m_dock = 0;
    if (isChanged || isResized) {
        placeLater();
        return false;
    }
    if (event->type() != QEvent::ShortcutOverride && event->type() != QEvent::KeyPress) return false;
    auto* widget = qobject_cast<QWidget*>(watched);
    auto* key = static_cast<QKeyEvent*>(event);
    if (!isOfPresentation(widget) || !wants(*key, widget)) return false;
    event->accept();
    if (event->type() == QEvent::KeyPress && !key->isAutoRepeat()) handle(*key);
    return true;
}

void Presentation::handle(const QKeyEvent& event) {
    if (m_bar && typesDigit(event)) {
        if (m_question->hasQuestion()) m_question->field()->pressDigit(event.text().toInt());
        return;
    }
    const bool startsTyping = typesDigit(event) || event.text() == "/"_L1;
    if (event.key() != Qt::Key_PageDown && event.key() != Qt::Key_PageUp && (!m_typed.isEmpty() || startsTyping)) {
        return handleTyping(event);
    }
    if (!handleMovement(event.key())) handleTool(event.key());
}

void Presentation::handleTyping(const QKeyEvent& event) {
    switch (event.key()) {
        case Qt::Key_Escape:
            m_typed.clear();
            break;
        case Qt::Key_Backspace:
            m_typed.chop(1);
            break;
        case Qt::Key_Return:
        case Qt::Key_Enter: {
            const QString where = m_typed.startsWith(QLatin1Char('/')) ? m_typed.mid(1) : m_typed;
            m_typed.clear();
            if (!m_player.jump(where)) m_head->say(u"There is no scene “%1”."_s.arg(where));
            break;
        }
        default:
            m_typed += event.text();
    }
    m_head->showTyped(m_typed);
}

bool Presentation::handleMovement(int key) {
    switch (key) {
        case Qt::Key_PageDown:
        case Qt::Key_Space:
        case Qt::Key_Right:
            turn(true);
            return true;
        case Qt::Key_PageUp:
        case Qt::Key_Left:
        case Qt::Key_Backspace:
            turn(false);
            return true;
        case Qt::Key_Home:
            m_player.open(m_player.lecture().text.empty() ? 0 : -1);
            return true;
        case Qt::Key_End:
            m_player.open(static_cast<int>(m_player.lecture().scenes.size()) - 1);
            return true;
        case Qt::Key_Up:
        case Qt::Key_Down:
            m_page->scroll(key == Qt::Key_Down ? 0.5 : -0.5);
            return true;
        case Qt::Key_R:
            m_player.resetScene();
            return true;
        case Qt::Key_F5:
            m_player.goTo(m_player.scene(), m_player.step());
            return true;
        default:
            return false;
    }
}

bool Presentation::handleTool(int key) {
    switch (key) {
        case Qt::Key_Escape:
            leave();
            return true;
        case Qt::Key_B:
        case Qt::Key_Period:
            toggleBlank();
            return true;
        case Qt::Key_Plus:
        case Qt::Key_Equal:
        case Qt::Key_Minus:
            m_stage.changeSize(key == Qt::Key_Minus ? -1 : 1);
            return true;
        case Qt::Key_T:
            nextTheme();
            return true;
        case Qt::Key_P:
            m_ink->setPointer(!m_ink->hasPointer());
            return true;
        case Qt::Key_D:
            m_ink->setDrawing(!m_ink->isDrawing());
            return true;
        case Qt::Key_C:
            m_ink->wipe();
            return true;
        case Qt::Key_E:
            togglePage();
            return true;
        case Qt::Key_L:
            m_stage.trainAnyway();
            return true;
        case Qt::Key_N:
            toggleNotes();
            return true;
        case Qt::Key_S:
            saveSnapshot();
            return true;
        default:
            return false;
    }
}

}  // namespace ropelab::ui
