#include "ui/window/frame/rail.h"

#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/common/icons.h"
#include "ui/common/scaled.h"
#include "ui/shell/room.h"
#include "ui/theme/theme_manager.h"
#include "ui/window/frame/rooms.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

namespace {

// Heights of a button in pixels at a window scale of 100 %.
constexpr int kMinHeight = 16;
constexpr int kMaxHeight = 36;

}  // namespace

Rail::Rail(QWidget* parent) : QFrame(parent) {
    setAccessibleName(u"Rooms"_s);
    auto* layout = scaledColumn(this, 4, {0, 8, 0, 8});
    int number = 0;
    for (const RoomEntry& room : rooms()) {
        auto* button = new QToolButton(this);
        button->setProperty("rail", true);
        button->setText(room.barTitle());
        button->setCheckable(true);
        button->setFocusPolicy(Qt::TabFocus);
        button->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
        button->setToolTip(u"%1 Key: %2"_s.arg(room.purpose).arg((number + 1) % 10));
        button->setAccessibleName(room.title);
        button->setAccessibleDescription(room.purpose);
        m_buttons.addButton(button, number++);
        layout->addWidget(button);
    }
    layout->addStretch(1);
    connect(&m_buttons, &QButtonGroup::idClicked, this, &Rail::picked);
    connect(&ThemeManager::instance(), &ThemeManager::changed, this, &Rail::restyle);
    restyle();
}

void Rail::setFolded(bool folded) {
    if (folded == m_folded) return;
    m_folded = folded;
    restyle();
}

void Rail::setTight(bool tight) {
    if (tight == m_tight) return;
    m_tight = tight;
    restyle();
}

void Rail::setCurrent(int room) {
    if (auto* button = m_buttons.button(room)) button->setChecked(true);
}

QSize Rail::minimumSizeHint() const {
    const QMargins margins = layout()->contentsMargins();
    const auto count = static_cast<int>(m_buttons.buttons().size());
    return {width(), count * (ThemeManager::instance().pixels(kMinHeight) + layout()->spacing()) + margins.top() +
                         margins.bottom()};
}

void Rail::resizeEvent(QResizeEvent* event) {
    QFrame::resizeEvent(event);
    fitHeights();
}

void Rail::fitHeights() {
    const QMargins margins = layout()->contentsMargins();
    const QList<QAbstractButton*> buttons = m_buttons.buttons();
    const auto count = static_cast<int>(buttons.size());
    const int available = (height() - margins.top() - margins.bottom()) / count - layout()->spacing();
    const int lowest = ThemeManager::instance().pixels(kMinHeight);
    // The style sheet removes the padding of low buttons, so that the icon fits.
    const bool isLow = available < ThemeManager::instance().pixels(kMaxHeight);
    for (QAbstractButton* button : buttons) {
        setLook(button, "low", isLow);
        button->setFixedHeight(std::clamp(available, lowest, ThemeManager::instance().pixels(kMaxHeight)));
    }
}

void Rail::showEvent(QShowEvent* event) {
    QFrame::showEvent(event);
    restyle();
}

void Rail::restyle() {
    if (testAttribute(Qt::WA_WState_ExplicitShowHide) && isHidden()) return;  // showEvent() follows
    const auto& manager = ThemeManager::instance();
    const int size = manager.pixels(20);
    setFixedWidth(manager.pixels(!m_folded ? 124 : m_tight ? 36 : 48));
    for (const RoomEntry& room : rooms()) {
        auto* button = qobject_cast<QToolButton*>(m_buttons.button(static_cast<int>(&room - rooms().data())));
        QIcon icon;
        icon.addPixmap(renderIcon(room.outline, manager.theme().text, false, size, devicePixelRatioF()), QIcon::Normal,
                       QIcon::Off);
        icon.addPixmap(renderIcon(room.outline, manager.theme().accent, false, size, devicePixelRatioF()),
                       QIcon::Normal, QIcon::On);
        button->setIcon(icon);
        button->setIconSize({size, size});
        setLook(button, "tight", m_folded && m_tight);  // less padding, so that the icon fits
        button->setToolButtonStyle(m_folded ? Qt::ToolButtonIconOnly : Qt::ToolButtonTextBesideIcon);
    }
    fitHeights();
    updateGeometry();
}

}  // namespace ropelab::ui

#include "moc_rail.cpp"
