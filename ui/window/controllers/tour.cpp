#include "ui/window/controllers/tour.h"

#include <QAbstractButton>
#include <QCheckBox>
#include <QPushButton>
#include <array>
#include <cmath>
#include <tuple>

#include "ui/common/format.h"
#include "ui/figure/ticks.h"
#include "ui/rooms/rotation/position_bar.h"
#include "ui/rooms/rotation/rotation_room.h"
#include "ui/rotary/spectrum_data.h"
#include "ui/session/rotary_model.h"
#include "ui/shell/actions.h"
#include "ui/shell/findables.h"
#include "ui/shell/notices/banners.h"
#include "ui/window/frame/rooms.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

namespace {

QString instead(const QString& now, const QString& from) {
    return from.isEmpty() ? now : now == from ? u"still %1"_s.arg(now) : u"%1 instead of %2"_s.arg(now, from);
}

/// Only `setting` differs.
template <typename Value>
bool isDrag(const RotarySetup& from, RotarySetup now, Value RotarySetup::*setting) {
    if (now.*setting == from.*setting) return false;
    now.*setting = from.*setting;
    return now == from;
}

/// The longest wavelength of the pairs that rotate; "" if none does.
QString slowestText(const RotarySetup& setup) {
    QString longest;
    for (const double wavelength : wavelengths(frequencies(frequency_settings(setup))))
        if (std::isfinite(wavelength)) longest = tokensText(wavelength);
    return longest;
}

QString slowestWords(const RotarySetup& from, const RotarySetup& now) {
    const QString slowest = slowestText(now);
    const QString before = slowestText(from);
    return slowest == before ? u"still completes a period in %1 tokens"_s.arg(slowest)
                             : u"completes a period in %1 tokens"_s.arg(instead(slowest, before));
}

QString thetaInsight(const RotarySetup& from, const RotarySetup& now) {
    if (!isDrag(from, now, &RotarySetup::theta) || slowestText(now).isEmpty()) return {};
    return u"θ is %1: the slowest pair %2; pair 0 rotates as before."_s.arg(
        instead(thetaText(now.theta), thetaText(from.theta)), slowestWords(from, now));
}

QString contextInsight(const RotarySetup& from, const RotarySetup& now) {
    if (!isDrag(from, now, &RotarySetup::context)) return {};
    const auto complete = [](const RotarySetup& setup) { return QString::number(criticalDimension(setup)); };
    const QString tokens = tokensText(trainingContext(now));
    const QString before = tokensText(trainingContext(from));
    return u"Within %1 tokens, %2 of the %3 rotated channels complete a full period."_s
        .arg(tokens == before ? tokens : instead(tokens, before), instead(complete(now), complete(from)))
        .arg(rotary_dim(now));
}

QString fractionInsight(const RotarySetup& from, const RotarySetup& now) {
    if (!isDrag(from, now, &RotarySetup::fraction)) return {};
    const auto pairs = [](const RotarySetup& setup) { return QString::number(rotary_dim(setup) / 2); };
    if (rotary_dim(now) == 0)
        return u"No pair rotates: all keep their values, so the logit is the same at every distance."_s;
    return u"Of %1 pairs, %2 rotate; the slowest %3."_s.arg(now.head_dim / 2)
        .arg(instead(pairs(now), pairs(from)), slowestWords(from, now));
}

struct Stop {
    const char* room;
    const char* control;  // of the room, or the object name of a button
    const char16_t* sentence;
    const char16_t* hint;  // until something is dragged
    /// What a drag shows; "" if another setting changed.
    QString (*insight)(const RotarySetup& from, const RotarySetup& now);
};

constexpr std::array<Stop, 5> kStops = {{
    {"rotation", "m",
     u"RoPE rotates each pair of channels of a query q by its position m and of a key k by n, like hands of a clock. "
     "Their logit says how much the token at m attends to the one at n.",
     u"Drag “q at m”: while the distance m − n is locked, n follows.", nullptr},
    {"spectrum", "theta",
     u"θ is RoPE's base: pair i of d/2 rotates by θ^(−2i/d) radians per token, so its wavelength is 2π·θ^(2i/d) "
     u"tokens.",
     u"Drag θ: a larger base slows the slow pairs further; pair 0 always rotates by 1 radian per token.", thetaInsight},
    {"context", "context", u"In training, a model sees only the angles that its pairs reach within the context.",
     u"Drag the context: the second tile counts the channels that complete a full period within it.", contextInsight},
    {"rotation", "fraction",
     u"The fraction is the part of each head that RoPE rotates. The other pairs, in grey, keep their values at every "
     "position.",
     u"Type 25 into the field fraction: a quarter of the pairs rotate.", fractionInsight},
    {"train", "start",
     u"The button with the blue ring trains small models with each θ and fraction that the panel SWEEP lists, whatever "
     "you set before. The losses of these models show what θ and the fraction change.",
     nullptr, nullptr},
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
    if (moved == 0) return QString::fromUtf16(kStops[0].hint);
    return u"Both moved by %1 and the hands turned, yet the logit is still %2: it depends on the distance m − n = %3 only."_s
        .arg(countText(moved, u"token"_s), logit, groupedText(distance(now)));
}

}  // namespace

Tour::Tour(BannerArea& banners, ActionRegistry& actions, RoomStack& rooms, RotaryModel& rotary, QWidget& window)
    : QObject(&window), m_banners(banners), m_actions(actions), m_rooms(rooms), m_rotary(rotary), m_window(window) {
    connect(&banners, &BannerArea::dismissed, this, [this](const QString& id) {
        if (id == kBanner) leave();
    });
    connect(&rooms, &RoomStack::currentChanged, this, &Tour::followRoom);
}

void Tour::addActions() {
    m_actions.add({.id = "help.tour", .menu = "Help", .text = u"RoPE in one minute"_s, .handler = [this] { start(); }});
}

void Tour::show(int stop) {
    m_banners.dismiss(kBanner);
    if (stop >= std::ssize(kStops)) return;
    const Stop& shown = kStops[static_cast<std::size_t>(stop)];
    m_rooms.show(QLatin1String(shown.room));
    m_stop = stop;
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
    if (stop == 0) followPositions(words + u'\n');
    if (shown.insight) followSetup(words + u'\n');
    auto* start = qobject_cast<QAbstractButton*>(control);
    if (!isLast || !start) return;
    m_follows = connect(start, &QAbstractButton::clicked, this, [this] {
        endLights(&m_window);
        m_banners.say(kBanner,
                      u"%1 of %1: Each curve is the loss of one model while it trains; the sentence above the "
                      "curves says what the losses show."_s.arg(kStops.size()));
    });
}

void Tour::followRoom() {
    const int stop = m_stop;
    if (stop < 0 || m_window.property("lecture").toBool()) return;
    const int index = RoomStack::indexOf(QLatin1String(kStops[static_cast<std::size_t>(stop)].room));
    if (m_rooms.current() == index) return show(stop);
    m_banners.dismiss(kBanner);
    m_stop = stop;
    m_banners.show(kBanner, BannerArea::Kind::information,
                   u"%1 of %2: This step of “RoPE in one minute” is on the page %3."_s.arg(stop + 1)
                       .arg(kStops.size())
                       .arg(rooms()[static_cast<std::size_t>(index)].title),
                   {{u"Back to the step"_s, [this, stop] { show(stop); }},
                    {u"End"_s, [this] { show(static_cast<int>(kStops.size())); }}});
}

void Tour::followSetup(const QString& words) {
    auto say = [this, words, from = m_rotary.setup(), &shown = kStops[static_cast<std::size_t>(m_stop)]]() mutable {
        const QString insight = shown.insight(from, m_rotary.setup());
        if (insight.isEmpty()) from = m_rotary.setup();
        m_banners.say(kBanner, words + (insight.isEmpty() ? QString::fromUtf16(shown.hint) : insight));
    };
    m_follows = connect(&m_rotary, &RotaryModel::changed, this, say);
    say();
}

void Tour::followPositions(const QString& words) {
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

#include "moc_tour.cpp"
