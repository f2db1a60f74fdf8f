// Controls of the rotation room that a lecture sets. They change the room without undo steps.
#include <QButtonGroup>
#include <QLabel>
#include <QSplitter>
#include <QToolButton>
#include <algorithm>
#include <array>
#include <utility>

#include "ui/plot/figure_view.h"
#include "ui/rooms/rotation/aim_page.h"
#include "ui/rooms/rotation/position_bar.h"
#include "ui/rooms/rotation/position_slider.h"
#include "ui/rooms/rotation/rotation_room.h"
#include "ui/rotary/paired_view.h"

namespace ropelab::ui {

namespace {

constexpr std::array<std::pair<const char*, VectorSource>, 3> kVectors = {
    {{"random", VectorSource::random}, {"equal", VectorSource::equal}, {"aimed", VectorSource::aimed}}};
constexpr std::int64_t kFurthestShift = 1'000'000'000;

std::int64_t atLeastZero(const QString& name, std::int64_t value) {
    if (value >= 0 && value <= kFurthestShift) return value;
    throw BadInput(QStringLiteral("The control %1 must be between 0 and %2; it is %3.")
                       .arg(name)
                       .arg(kFurthestShift)
                       .arg(value)
                       .toStdString());
}

}  // namespace

std::vector<RoomControl> RotationRoom::controls() {
    std::vector<RoomControl> result = RotaryRoom::controls();
    RotationState& state = m_scene.state;
    // The scene takes over a changed setup in the next frame, but positions are limited to its context now.
    if (m_scene.setup != model().setup()) m_scene.setSetup(model().setup(), model().frequencies());
    const auto add = [&](const QString& name, std::function<void(std::int64_t)> set, std::function<QVariant()> value,
                         QWidget* widget) {
        result.push_back({name,
                          [name, set = std::move(set)](const QString& text) {
                              set(atLeastZero(name, controlWhole(name, text)));
                          },
                          std::move(value), widget});
    };
    add(
        QStringLiteral("m"), [this](std::int64_t m) { moveTo(m, m_scene.state.n); },
        [&state] { return QVariant(static_cast<qlonglong>(state.m)); }, m_bar->query());
    add(
        QStringLiteral("n"), [this](std::int64_t n) { moveTo(m_scene.state.m, n); },
        [&state] { return QVariant(static_cast<qlonglong>(state.n)); }, m_bar->key());
    add(
        QStringLiteral("distance"),
        [this](std::int64_t distance) {
            m_scene.state.distance = distance;
            useVectors(VectorSource::aimed);
        },
        [&state] { return QVariant(static_cast<qlonglong>(state.distance)); }, m_aimPage->distance());
    add(
        QStringLiteral("seed"),
        [this](std::int64_t seed) {
            m_scene.state.seed = seed;
            useVectors(VectorSource::random);
        },
        [&state] { return QVariant(static_cast<qlonglong>(state.seed)); }, nullptr);
    result.push_back({QStringLiteral("vectors"),
                      [this](const QString& word) {
                          const auto found = std::find_if(kVectors.begin(), kVectors.end(), [&](const auto& each) {
                              return word == QLatin1String(each.first);
                          });
                          if (found == kVectors.end()) {
                              throw BadInput("The control vectors is \"" + word.toStdString() +
                                             "\", but it must be random, equal or aimed.");
                          }
                          useVectors(found->second);
                      },
                      [&state]() -> QVariant {
                          for (const auto& [word, source] : kVectors) {
                              if (state.source == source) return QString::fromLatin1(word);
                          }
                          return QStringLiteral("other");
                      },
                      m_vectors});
    const QString playing = QStringLiteral("play");
    result.push_back({playing, [this, playing](const QString& word) { play(controlSwitch(playing, word)); },
                      [this] { return isPlaying() ? QStringLiteral("on") : QStringLiteral("off"); },
                      m_bar->playButton()});
    return result;
}

QString RotationRoom::shownPart() const {
    constexpr std::array<const char*, 6> parts = {"logit", "helix", "matrix", "aim", "tokens", "circuit"};
    return QString::fromLatin1(parts.at(static_cast<std::size_t>(page())));
}

void RotationRoom::showOnlyPart(const QString& part) {
    const bool isWhole = part.isEmpty();
    if (!isWhole) showPart(part);
    const bool isDials = part == QLatin1String("dials");
    const bool isPair = part == QLatin1String("pair");
    m_dialsPair->setVisible(isWhole || isDials);
    m_pairPair->setVisible(isWhole || isPair);
    m_upper->setVisible(isWhole || isDials || isPair);
    m_strip->setVisible(!isDials && !isPair);
    m_logitText->setVisible(isWhole || part == QLatin1String("logit"));
}

QList<QWidget*> RotationRoom::bars() {
    QList<QWidget*> result = {m_bar, m_formula};
    for (QAbstractButton* tab : m_tabs->buttons()) result << tab;
    return result;
}

std::function<void()> RotationRoom::restorer() {
    return [this, state = m_scene.state, part = shownPart()] {
        play(false);
        if (part != shownPart()) showPart(part);
        restore(state);
        m_scene.setSetup(model().setup(), model().frequencies());
        // Vectors of another head dimension are those of the seed, whatever the dimension was before.
        const bool hasSize = state.query.size() == static_cast<std::size_t>(m_scene.setup.head_dim);
        if (state.source == VectorSource::random && !hasSize) m_scene.sampleVectors();
        endMerging();
    };
}

}  // namespace ropelab::ui
