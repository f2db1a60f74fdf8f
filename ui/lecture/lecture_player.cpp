#include "ui/lecture/lecture_player.h"

#include <QSet>
#include <QSignalBlocker>
#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/error.h"
#include "core/base/numbers.h"
#include "ui/common/paths.h"
#include "ui/common/text.h"
#include "ui/lecture/stage.h"
#include "ui/theme/motion.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

namespace {

/// Settings whose ratio matters glide along a logarithmic scale.
const QSet<QString>& logarithmicControls() {
    static const QSet<QString> names = {u"theta"_s, u"context"_s, u"head_dim"_s, u"target"_s, u"original_context"_s};
    return names;
}

/// Settings that are not rounded to whole numbers while they glide.
const QSet<QString>& fractionalControls() {
    static const QSet<QString> names = {u"theta"_s,     u"fraction"_s,  u"factor"_s,     u"mean"_s,
                                        u"beta_fast"_s, u"beta_slow"_s, u"correlation"_s};
    return names;
}

/// "25%" is 0.25; NaN if the text is no number.
double numberOf(std::string_view value) {
    try {
        if (value.ends_with('%')) return parse_number(trimmed(value.substr(0, value.size() - 1))) / 100;
        return parse_number(value);
    } catch (const BadInput&) {
        return std::nan("");
    }
}

}  // namespace

LecturePlayer::LecturePlayer(LectureStage& stage, QObject* parent) : QObject(parent), m_stage(stage) {
    connect(&m_animation, &QVariantAnimation::valueChanged, this,
            [this](const QVariant& seconds) { glideTo(seconds.toDouble()); });
    connect(&m_animation, &QVariantAnimation::finished, this, &LecturePlayer::finishGlides);
}

void LecturePlayer::setLecture(Lecture lecture) {
    stop();
    m_lecture = std::move(lecture);
    m_scene = -1;
    m_step = -1;
}

void LecturePlayer::replace(Lecture lecture) {
    const std::string id = currentScene() ? currentScene()->id : std::string();
    const int before = m_scene;
    const int step = m_step;
    setLecture(std::move(lecture));
    const auto& scenes = m_lecture.scenes;
    const auto found = std::find_if(scenes.begin(), scenes.end(), [&](const auto& scene) { return scene.id == id; });
    const int last = static_cast<int>(scenes.size()) - 1;
    m_scene = std::min(found == scenes.end() ? before : static_cast<int>(found - scenes.begin()), last);
    if (currentScene()) m_step = std::min(step, static_cast<int>(currentScene()->steps.size()) - 1);
}

void LecturePlayer::reload(Lecture lecture) {
    replace(std::move(lecture));
    goTo(m_scene, m_step);
}

const LectureScene* LecturePlayer::currentScene() const {
    return m_scene < 0 ? nullptr : &m_lecture.scenes[static_cast<std::size_t>(m_scene)];
}

const LectureStep* LecturePlayer::currentStep() const {
    return m_scene < 0 || m_step < 0 ? nullptr : &currentScene()->steps[static_cast<std::size_t>(m_step)];
}

const LectureStep* LecturePlayer::nextStep() const {
    const LectureScene* scene = currentScene();
    const auto next = static_cast<std::size_t>(m_step + 1);
    return scene && next < scene->steps.size() ? &scene->steps[next] : nullptr;
}

void LecturePlayer::attempt(const std::function<void()>& work) {
    try {
        work();
    } catch (const std::exception& error) {
        emit problem(QString::fromUtf8(error.what()));
    }
}

void LecturePlayer::goTo(int scene, int step) {
    if (!hasLecture()) return;
    stop();
    m_stage.endGlide();
    m_scene = std::clamp(scene, -1, static_cast<int>(m_lecture.scenes.size()) - 1);
    const int steps = m_scene < 0 ? 0 : static_cast<int>(currentScene()->steps.size());
    m_step = -1;
    applyScene();
    for (const int last = std::clamp(step, -1, steps - 1); m_step < last;) {
        ++m_step;
        // A loop runs again; its values begin where the steps before it left them.
        applyStep(*currentStep(), m_step == last && currentStep()->loop && !isMotionReduced());
    }
    if (m_step < 0) m_stage.pointAt(QString());
    emit stepped(m_scene, m_step);
    startGlides(true);
    if (!isGliding()) emit settled();
}

void LecturePlayer::next() {
    if (!hasLecture()) return;
    finishGlides();
    if (nextStep()) return showStep(m_step + 1);
    if (m_scene + 1 < static_cast<int>(m_lecture.scenes.size())) open(m_scene + 1);
}

void LecturePlayer::open(int scene) {
    if (!hasLecture()) return;
    if (scene < 0 || m_lecture.scenes[static_cast<std::size_t>(scene)].steps.empty()) return goTo(scene, -1);
    stop();
    m_scene = scene;
    m_step = -1;
    applyScene();
    showStep(0);
}

void LecturePlayer::showStep(int step) {
    m_stage.endGlide();
    m_step = step;
    applyStep(*currentStep(), !isMotionReduced());
    emit stepped(m_scene, m_step);
    startGlides(currentStep()->loop);
    if (!isGliding()) emit settled();
}

void LecturePlayer::previous() {
    if (m_step > 0) return goTo(m_scene, m_step - 1);
    if (m_scene < 0) return;
    const int scene = m_scene - 1;
    goTo(scene, scene < 0 ? -1 : static_cast<int>(m_lecture.scenes[static_cast<std::size_t>(scene)].steps.size()) - 1);
}

bool LecturePlayer::jump(const QString& where) {
    const QString wanted = where.trimmed().toLower();
    if (wanted.isEmpty()) return false;
    bool isNumber = false;
    const int number = wanted.toInt(&isNumber);
    if (isNumber) {
        if (number < 0 || number > static_cast<int>(m_lecture.scenes.size())) return false;
        open(number - 1);
        return true;
    }
    for (std::size_t i = 0; i < m_lecture.scenes.size(); ++i) {
        const LectureScene& scene = m_lecture.scenes[i];
        if (!text(scene.id).startsWith(wanted) && !text(scene.title).toLower().startsWith(wanted)) continue;
        open(static_cast<int>(i));
        return true;
    }
    return false;
}

void LecturePlayer::resetScene() {
    open(m_scene);
}

void LecturePlayer::applyScene() {
    const LectureScene* scene = currentScene();
    if (!scene || scene->room.empty()) {
        m_stage.pointAt(QString());
        // A page of text has no room, but its questions may be about a setup or the runs of a lab.
        if (scene) attempt([&] { m_stage.setSetups(scene->setup); });
        if (scene && !scene->lab.empty()) attempt([&] { m_stage.showRuns(fromPath(scene->lab), nullptr); });
        return;
    }
    // Controls such as positions are limited by the setup, which therefore is set before them.
    attempt([&] { m_stage.setSetups(scene->setup); });
    attempt([&] { m_stage.resetControls(); });
    attempt([&] { m_stage.showRoom(text(scene->room), text(scene->part)); });
    attempt([&] { m_stage.showRuns(fromPath(scene->lab), scene->live ? &*scene->live : nullptr); });
    showControls();
}

void LecturePlayer::showControls() {
    QStringList names;
    for (const std::string& name : currentScene()->controls) names << text(name);
    attempt([&] { m_stage.showControls(names, false); });
}

void LecturePlayer::applyStep(const LectureStep& step, bool glides) {
    for (const LectureChange& change : step.set) attempt([&] { applyChange(change, glides); });
    attempt([&] { m_stage.pointAt(text(step.point)); });
}

void LecturePlayer::applyChange(const LectureChange& change, bool glides) {
    const QString key = text(change.key);
    const QString value = text(change.value);
    if (key == "room"_L1) {
        m_stage.showRoom(value.section(QLatin1Char('/'), 0, 0), value.section(QLatin1Char('/'), 1));
        return showControls();
    }
    if (key == "setup"_L1) return m_stage.setSetups(parse_setups(change.value));
    const double to = numberOf(change.value);
    const double from = glides && change.glide > 0 ? m_stage.control(key) : std::nan("");
    if (std::isnan(from) || std::isnan(to)) return m_stage.setControl(key, value);
    m_glides.append({key, value, from, to, change.glide, logarithmicControls().contains(key) && from > 0 && to > 0,
                     !fractionalControls().contains(key)});
}

void LecturePlayer::startGlides(bool loop) {
    if (m_glides.isEmpty()) return;
    double seconds = 0;
    for (const Glide& glide : std::as_const(m_glides)) seconds = std::max(seconds, glide.seconds);
    m_animation.stop();
    {
        // It is still at the end of the last glide, and would set the values of that time.
        const QSignalBlocker blocker(m_animation);
        m_animation.setCurrentTime(0);
        m_animation.setStartValue(0.0);
        m_animation.setEndValue(seconds);
        m_animation.setDuration(static_cast<int>(std::lround(seconds * 1000)));
        m_animation.setLoopCount(loop ? -1 : 1);
    }
    m_stage.beginGlide([this] {
        for (const Glide& glide : std::as_const(m_glides)) m_stage.setControl(glide.key, glide.end);
    });
    m_animation.start();
}

void LecturePlayer::glideTo(double seconds) {
    for (const Glide& glide : std::as_const(m_glides)) {
        const double part = std::clamp(seconds / glide.seconds, 0.0, 1.0);
        double value = glide.isLogarithmic ? glide.from * std::pow(glide.to / glide.from, part)
                                           : glide.from + (glide.to - glide.from) * part;
        if (glide.isWhole) value = std::round(value);
        if (glide.key == "head_dim"_L1) value = 2 * std::round(value / 2);
        // Four digits: fields and figures have no space for more, and nobody reads them on the way.
        const QString words =
            part < 1
                ? QString::fromStdString(number_text(QString::number(value, 'g', glide.isWhole ? 17 : 4).toDouble()))
                : glide.end;
        try {
            m_stage.setControl(glide.key, words);
        } catch (const BadInput&) {
            // A value on the way may be impossible together with others; that of the end is reported by finishGlides().
        }
    }
}

void LecturePlayer::stop() {
    m_animation.stop();
    m_glides.clear();
}

void LecturePlayer::finishGlides() {
    m_animation.stop();
    if (m_glides.isEmpty()) return;
    for (const Glide& glide : std::exchange(m_glides, {})) {
        attempt([&] { m_stage.setControl(glide.key, glide.end); });
    }
    emit settled();
}

}  // namespace ropelab::ui

#include "moc_lecture_player.cpp"
