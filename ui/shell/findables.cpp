#include "ui/shell/findables.h"

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QAbstractSlider>
#include <QAbstractSpinBox>
#include <QComboBox>
#include <QEvent>
#include <QLabel>
#include <QLineEdit>
#include <QPainter>
#include <QPointer>
#include <QScrollArea>
#include <QSet>
#include <QSplitter>
#include <QTimer>
#include <algorithm>
#include <array>
#include <utility>

#include "ui/plot/plot_widget.h"
#include "ui/shell/explanation.h"
#include "ui/theme/theme_manager.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr const char* kShownBy = "shownBy";
constexpr int kLitMs = 2500;
constexpr double kRingWidth = 2;  // pixels at a window scale of 100 %
constexpr int kRingDistance = 6;  // from the widget to the outer edge of the ring, likewise

/// The nearest widget around `target` with space for a ring beside it, or `target` itself.
QWidget* hostOfRing(QWidget* target, int distance) {
    for (QWidget* each = target->parentWidget(); each && !each->isWindow(); each = each->parentWidget()) {
        const QRect ring =
            QRect(target->mapTo(each, QPoint()), target->size()).adjusted(-distance, -distance, distance, distance);
        // A splitter would adopt the ring as one of its panes.
        if (each->rect().contains(ring) && !qobject_cast<QSplitter*>(each)) return each;
        if (qobject_cast<QAbstractScrollArea*>(each->parentWidget())) break;
    }
    return target;
}

/// Around the widget if there is space; lets the mouse through.
class HighlightRing : public QWidget {
 public:
    HighlightRing(QWidget* target, bool lasts)
        : QWidget(hostOfRing(target, ThemeManager::instance().pixels(kRingDistance))), m_target(target) {
        all().append(this);
        setObjectName(u"highlightRing"_s);
        setAttribute(Qt::WA_TransparentForMouseEvents);
        setFocusPolicy(Qt::NoFocus);
        target->installEventFilter(this);
        place();
        show();
        raise();
        if (!lasts) QTimer::singleShot(kLitMs, this, &QObject::deleteLater);
    }
    ~HighlightRing() override { all().removeOne(this); }
    const QWidget* target() const { return m_target; }
    /// In all windows. To find them among the widgets of a window takes as long as a quarter of a lecture's key press.
    static QList<HighlightRing*>& all() {
        static QList<HighlightRing*> rings;
        return rings;
    }

 protected:
    bool eventFilter(QObject* /*watched*/, QEvent* event) override {
        if (event->type() == QEvent::Resize || event->type() == QEvent::Move) place();
        if (event->type() == QEvent::Hide) deleteLater();
        return false;
    }
    void paintEvent(QPaintEvent*) override {
        const ThemeManager& theme = ThemeManager::instance();
        const double width = theme.px(kRingWidth);
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(QPen(theme.theme().accent, width));
        painter.drawRoundedRect(QRectF(rect()).adjusted(width / 2, width / 2, -width / 2, -width / 2), width, width);
    }

 private:
    void place() {
        const int distance = parentWidget() == m_target ? 0 : ThemeManager::instance().pixels(kRingDistance);
        const QPoint corner = parentWidget() == m_target ? QPoint() : m_target->mapTo(parentWidget(), QPoint());
        setGeometry(QRect(corner, m_target->size()).adjusted(-distance, -distance, distance, distance));
    }

    QPointer<QWidget> m_target;
};

QAbstractButton* buttonOf(const QWidget* page) {
    return page->property(kShownBy).value<QPointer<QAbstractButton>>();
}

/// If necessary after the buttons of shownBy() were pressed.
bool canBeShown(const QWidget* widget, const QWidget* root) {
    for (const QWidget* each = widget; each && each != root; each = each->parentWidget()) {
        if (each->isWindow()) return false;
        if (each->isHidden() && !buttonOf(each)) return false;
    }
    return true;
}

bool isControl(const QWidget* widget) {
    if (qobject_cast<const PlotWidget*>(widget) || qobject_cast<const QAbstractItemView*>(widget)) return true;
    return qobject_cast<const QAbstractButton*>(widget) || qobject_cast<const QComboBox*>(widget) ||
           qobject_cast<const QLineEdit*>(widget) || qobject_cast<const QAbstractSpinBox*>(widget) ||
           qobject_cast<const QAbstractSlider*>(widget);
}

QString plainTitle(QString title) {
    return title.remove(QLatin1Char('&')).simplified();
}

QString titleOf(const QWidget* widget) {
    if (!widget->accessibleName().isEmpty()) return plainTitle(widget->accessibleName());
    const auto* button = qobject_cast<const QAbstractButton*>(widget);
    return button ? plainTitle(button->text()) : QString();
}

QString wordsOfTarget(QWidget* target) {
    QStringList words = {target->accessibleName(), target->accessibleDescription()};
    const QWidget* proxy = target->focusProxy();
    if (proxy) words << proxy->accessibleName() << proxy->accessibleDescription();
    const Explanation why = explanationOf(target);
    if (why.widget == target) words << why.text;
    const auto* choice = qobject_cast<const QComboBox*>(proxy ? proxy : target);
    constexpr int most = 500;  // the runs of a large lab are no words of a field
    for (int i = 0; choice && i < std::min(choice->count(), most); ++i) words << choice->itemText(i);
    return words.join(QLatin1Char(' '));
}

bool isInsideAny(const QWidget* widget, const QSet<const QWidget*>& outer) {
    for (const QWidget* each = widget; each; each = each->parentWidget()) {
        if (outer.contains(each)) return true;
    }
    return false;
}

void scrollTo(QWidget* widget) {
    const int margin = ThemeManager::instance().pixels(24);
    for (QWidget* each = widget->parentWidget(); each; each = each->parentWidget()) {
        if (auto* area = qobject_cast<QScrollArea*>(each)) area->ensureWidgetVisible(widget, margin, margin);
    }
}

void focusOn(QWidget* widget) {
    if (widget->focusPolicy() != Qt::NoFocus || widget->focusProxy()) {
        return widget->setFocus(Qt::ShortcutFocusReason);
    }
    for (QWidget* child : widget->findChildren<QWidget*>()) {
        if (child->focusPolicy() == Qt::NoFocus || !child->isVisible() || !child->isEnabled()) continue;
        return child->setFocus(Qt::ShortcutFocusReason);
    }
}

}  // namespace

void shownBy(QWidget* page, QAbstractButton* button) {
    page->setProperty(kShownBy, QVariant::fromValue(QPointer<QAbstractButton>(button)));
}

QList<Findable> findablesIn(const QWidget* root) {
    QList<Findable> found;
    QSet<const QWidget*> covered;
    QSet<QString> titles;
    const auto add = [&](const QString& title, QWidget* target) {
        covered.insert(target);
        titles.insert(title.toLower());
        found.append({title, wordsOfTarget(target), target});
    };
    const QList<QWidget*> all = root->findChildren<QWidget*>();
    // Labelled fields come first, because the label is the name that a reader sees.
    for (QWidget* widget : all) {
        const auto* label = qobject_cast<QLabel*>(widget);
        QWidget* field = label ? label->buddy() : nullptr;
        const QString title = label ? plainTitle(label->text()) : QString();
        if (field && !title.isEmpty() && canBeShown(field, root)) add(title, field);
    }
    for (QWidget* widget : all) {
        if (!isControl(widget) || isInsideAny(widget, covered)) continue;
        const QString title = titleOf(widget);
        const bool isChip = widget->property("chip").toBool() && widget->objectName() == "chip"_L1;
        if (title.isEmpty() || isChip || titles.contains(title.toLower()) || !canBeShown(widget, root)) continue;
        add(title, widget);
    }
    return found;
}

void goToWidget(QWidget* widget) {
    QList<QWidget*> pages;
    for (QWidget* each = widget; each && !each->isWindow(); each = each->parentWidget()) {
        if (buttonOf(each)) pages.prepend(each);
    }
    for (const QWidget* page : std::as_const(pages)) {
        if (page->isHidden()) buttonOf(page)->click();
    }
    QWidget* shown = widget;
    while (!shown->isVisible() && shown->parentWidget()) shown = shown->parentWidget();
    focusOn(shown);
    lightUp(shown);
    // The layout places the widgets of a page that was just shown when it handles its events.
    QTimer::singleShot(0, shown, [shown] { QTimer::singleShot(0, shown, [shown] { scrollTo(shown); }); });
}

void lightUp(QWidget* widget, bool lasts) {
    if (!isLit(widget)) new HighlightRing(widget, lasts);
}

bool isLit(const QWidget* widget) {
    return std::ranges::any_of(HighlightRing::all(), [widget](const HighlightRing* ring) {
        return !ring->objectName().isEmpty() && ring->target() == widget;
    });
}

void endLights(const QWidget* widget) {
    for (HighlightRing* ring : HighlightRing::all()) {
        if (ring->window() != widget->window()) continue;
        ring->setObjectName({});
        ring->hide();
        ring->deleteLater();
    }
}

QString searchText(const QString& text) {
    constexpr std::array<std::pair<char16_t, const char*>, 9> letters = {{{u'θ', "theta"},
                                                                          {u'λ', "lambda"},
                                                                          {u'α', "alpha"},
                                                                          {u'β', "beta"},
                                                                          {u'φ', "phi"},
                                                                          {u'σ', "sigma"},
                                                                          {u'δ', "delta"},
                                                                          {u'ρ', "rho"},
                                                                          {u'µ', "mu"}}};
    QString result = text.toLower();
    for (const auto& [letter, name] : letters) result.replace(QChar(letter), QLatin1String(name));
    return result;
}

}  // namespace ropelab::ui
