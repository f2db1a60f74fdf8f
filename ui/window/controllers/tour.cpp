#include "ui/window/controllers/tour.h"

#include <array>

#include "ui/shell/actions.h"
#include "ui/shell/notices/banners.h"
#include "ui/window/controllers/window_stage.h"
#include "ui/window/frame/rooms.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

namespace {

struct Stop {
    const char* room;
    const char* part;
    const char* point;  // as a step of a lecture points: "control theta"; "" for nothing
    const char16_t* sentence;
};

constexpr std::array<Stop, 5> kStops = {{
    {"rotation", "", "control m",
     u"The logit says how much a token at m attends to one at n: the query q of the first (what it looks for) times "
     "the key k of the other (what it offers). RoPE turns the pairs of channels of q and k with their positions, like "
     "hands of a clock, so that only m − n counts. Drag m (“q at m”): the first pairs turn fast, the last ones hardly "
     "move."},
    {"spectrum", "", "control theta",
     u"Drag θ: a larger θ slows the slow pairs further; the fastest pair always turns by 1 radian per token."},
    {"context", "", "control context",
     u"Drag the context: the second tile counts the channels that complete a turn within it; the others never do in "
     "training."},
    {"rotation", "", "control fraction",
     u"Type 25 into the field fraction: a quarter of the pairs turn, with speeds that span about the same range as "
     "before; the others, in grey, keep their values at every position."},
    {"train", "", "button start",
     u"The marked button trains small models with each θ and fraction that the panel SWEEP lists, whatever you set "
     "before. The losses of these models show what θ and the fraction change."},
}};

const QString kBanner = u"tour"_s;

}  // namespace

Tour::Tour(BannerArea& banners, ActionRegistry& actions, RoomStack& rooms, WindowStage& stage, QObject* parent)
    : QObject(parent), m_banners(banners), m_actions(actions), m_rooms(rooms), m_stage(stage) {}

void Tour::addActions() {
    m_actions.add({.id = "help.tour", .menu = "Help", .text = u"RoPE in one minute"_s, .handler = [this] { start(); }});
}

void Tour::show(int stop) {
    m_banners.dismiss(kBanner);
    m_stop = stop < std::ssize(kStops) ? stop : -1;
    if (m_stop < 0) return;
    const Stop& shown = kStops[static_cast<std::size_t>(stop)];
    m_rooms.show(QLatin1String(shown.room), QLatin1String(shown.part));
    m_stage.pointAt(QLatin1String(shown.point));
    const bool isLast = stop + 1 == std::ssize(kStops);
    QList<BannerArea::Choice> choices = {{isLast ? u"End"_s : u"Next"_s, [this, stop] { show(stop + 1); }}};
    if (stop > 0) choices.append({u"Back"_s, [this, stop] { show(stop - 1); }});
    if (!isLast) choices.append({u"Skip the rest"_s, [this] { show(static_cast<int>(kStops.size())); }});
    m_banners.show(kBanner, BannerArea::Kind::information,
                   u"%1 of %2: %3"_s.arg(stop + 1).arg(kStops.size()).arg(QString::fromUtf16(shown.sentence)), choices);
}

}  // namespace ropelab::ui
