#include "ui/common/focus_ring.h"

#include <QAbstractSlider>
#include <QAbstractSpinBox>
#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QLineEdit>
#include <QPainter>
#include <QPlainTextEdit>
#include <QPointer>
#include <QPushButton>
#include <QRadioButton>
#include <QScrollArea>
#include <QTextEdit>
#include <QToolButton>

#include "ui/plot/plot_widget.h"
#include "ui/theme/theme_manager.h"

namespace ropelab::ui {
namespace {

template <typename... Types>
bool isAnyOf(const QWidget* widget) {
    return (... || (qobject_cast<const Types*>(widget) != nullptr));
}

/// As when Tab leads into a scroll area from outside.
void revealFocus(QWidget* focused) {
    if (!focused->visibleRegion().isEmpty()) return;
    for (QWidget* each = focused->parentWidget(); each && !each->isWindow(); each = each->parentWidget()) {
        if (auto* area = qobject_cast<QScrollArea*>(each)) area->ensureWidgetVisible(focused);
    }
}

}  // namespace

bool FocusRing::isNeededBy(const QWidget* widget) {
    if (!widget || widget->isWindow()) return false;
    return !isAnyOf<QPushButton, QToolButton, QCheckBox, QRadioButton, QLineEdit, QAbstractSpinBox, QComboBox,
                    QAbstractSlider, QPlainTextEdit, QTextEdit, PlotWidget>(widget);
}

void FocusRing::install() {
    static bool isInstalled = false;
    if (isInstalled) return;
    isInstalled = true;
    QObject::connect(qApp, &QApplication::focusChanged, qApp,
                     [ring = QPointer<FocusRing>()](QWidget*, QWidget* now) mutable {
                         if (now && now->isVisible()) revealFocus(now);
                         if (!isNeededBy(now) || QGuiApplication::mouseButtons() != Qt::NoButton) {
                             if (ring) ring->setWidget(nullptr);
                             return;
                         }
                         // The ring belongs to the window of its widget and is deleted with it.
                         if (!ring) ring = new FocusRing(now->window());
                         ring->setWidget(now);
                     });
}

void FocusRing::paintEvent(QPaintEvent*) {
    // The mask of the frame leaves the widget itself free.
    QPainter(this).fillRect(rect(), ThemeManager::instance().theme().accent);
}

}  // namespace ropelab::ui

#include "moc_focus_ring.cpp"
