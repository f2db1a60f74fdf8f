#include "ui/window/controllers/tour.h"

#include <QCheckBox>
#include <QPushButton>
#include <array>
#include <tuple>

#include "ui/common/format.h"
#include "ui/figure/ticks.h"
#include "ui/rooms/rotation/position_bar.h"
#include "ui/rooms/rotation/rotation_room.h"
#include "ui/shell/actions.h"
#include "ui/shell/findables.h"
#include "ui/shell/notices/banners.h"
#include "ui/window/frame/rooms.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

namespace {

struct Stop {
    const char* room;
    const char* control;  // of the room, or the object name of a button
    const char16_t* sentence;
};

constexpr std::array<Stop, 5> kStops = {{
    {"rotation", "m",
     u"RoPE turns each pair of channels of a query q by its position m and of a key k by n, like hands of a clock. "
     "Their logit says how much the token at m attends to the one at n."},
    {"spectrum", "theta",
     u"θ is RoPE's base: pair i of d/2 turns by θ^(−2i/d) radians per token, so its wavelength is 2π·θ^(2i/d) tokens. "
     "Drag θ: a larger base slows the slow pairs further; pair 0 always turns by 1 radian per token."},
    {"context", "context",
     u"Drag the context: the second tile counts the channels that complete a turn within it; the others never do in "
     "training."},
    {"rotation", "fraction",
     u"Type 25 into the field fraction: a quarter of the pairs turn, with speeds that span about the same range as "
     "before; the others, in grey, keep their values at every position."},
    {"train", "start",
     u"Start, the button with the blue ring, trains small models with each θ and fraction that the panel SWEEP lists, "
     "whatever you set before. The losses of these models show what θ and the fraction change."},
}};

const QString kBanner = u"tour"_s;

double logitOf(const RotationScene& scene) {
    return scene.split().total;
}

/// What a drag of m has shown since `from`.
QString insight(const RotationScene& from, const RotationScene& now) {
    const auto distance = [](const RotationScene& scene) { return scene.state.m - scene.state.n; };
    const std::int64_t moved = now.state.m - from.state.m;
    const QString logit = readableNumber(logitOf(now));
    if (distance(now) != distance(from))
        return u"The distance m − n is %1 instead of %2 now, and the logit is %3 instead of %4."_s.arg(
            groupedText(distance(now)), groupedText(distance(from)), logit, readableNumber(logitOf(from)));
    if (moved == 0) return u"Drag “q at m”: while the distance m − n is locked, n follows."_s;
    return u"Both moved by %1 and the hands turned, yet the logit is still %2: it depends on the distance m − n = %3 only."_s
        .arg(countText(moved, u"token"_s), logit, groupedText(distance(now)));
}

}  // namespace

Tour::Tour(BannerArea& banners, ActionRegistry& actions, RoomStack& rooms, QWidget& window)
    : QObject(&window), m_banners(banners), m_actions(actions), m_rooms(rooms), m_window(window) {
    connect(&banners, &BannerArea::dismissed, this, [this](const QString& id) {
        if (id == kBanner) leave();
    });
}

void Tour::addActions() {
    m_actions.add({.id = "help.tour", .menu = "Help", .text = u"RoPE in one minute"_s, .handler = [this] { start(); }});
}

void Tour::show(int stop) {
    m_banners.dismiss(kBanner);
    if (stop >= std::ssize(kStops)) return;
    m_stop = stop;
    const Stop& shown = kStops[static_cast<std::size_t>(stop)];
    m_rooms.show(QLatin1String(shown.room));
    // All stops but the first point into the panel.
    if (QAction* panel = m_actions.action(u"view.panel"_s); stop > 0 && panel && !panel->isChecked()) panel->trigger();
    QWidget* control = m_rooms.room().controlWidget(QLatin1String(shown.control));
    if (!control) control = m_window.findChild<QPushButton*>(QLatin1String(shown.control));
    endLights(&m_window);
    if (control) lightUp(control, true);
    const QString words = u"%1 of %2: %3"_s.arg(stop + 1).arg(kStops.size()).arg(QString::fromUtf16(shown.sentence));
    const bool isLast = stop + 1 == std::ssize(kStops);
    QList<BannerArea::Choice> choices = {{isLast ? u"End"_s : u"Next"_s, [this, stop] { show(stop + 1); }}};
    if (stop > 0) choices.append({u"Back"_s, [this, stop] { show(stop - 1); }});
    if (!isLast) choices.append({u"Skip the rest"_s, [this] { show(static_cast<int>(kStops.size())); }});
    m_banners.show(kBanner, BannerArea::Kind::information, words, choices);
    if (stop == 0) followDrag(words + u'\n');
}

void Tour::followDrag(const QString& words) {
    auto& room = static_cast<RotationRoom&>(m_rooms.room());
    QCheckBox* lock = room.positionBar()->lockBox();
    if (!lock->isChecked()) {
        lock->setChecked(true);
        m_locked = lock;
    }
    auto say = [this, words, from = room.scene(), scene = &room.editor()]() mutable {
        const RotationScene& now = scene->scene();
        const auto content = [](const RotationScene& each) {
            return std::tie(each.setup, each.state.query, each.state.key);
        };
        if (content(now) != content(from)) from = now;  // other vectors have another logit at any distance
        m_banners.say(kBanner, words + insight(from, now));
    };
    m_follows = connect(&room.editor(), &SceneEditor::changed, this, say);
    say();
}

void Tour::leave() {
    m_stop = -1;
    endLights(&m_window);
    disconnect(m_follows);
    if (m_locked) std::exchange(m_locked, nullptr)->setChecked(false);
}

}  // namespace ropelab::ui
