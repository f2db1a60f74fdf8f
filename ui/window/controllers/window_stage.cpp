#include "ui/window/controllers/window_stage.h"

#include <QAbstractButton>
#include <QAbstractScrollArea>
#include <QCoreApplication>
#include <QDir>
#include <QEvent>
#include <QFile>
#include <QFileInfo>
#include <QHash>
#include <QLabel>
#include <QLayout>
#include <QMainWindow>
#include <QPointer>
#include <QScopeGuard>
#include <QScopedValueRollback>
#include <QScreen>
#include <QScrollArea>
#include <QScrollBar>
#include <QSet>
#include <QStackedWidget>
#include <QTimer>
#include <QVBoxLayout>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/base/error.h"
#include "core/forecast/estimate.h"
#include "core/interop/external_model.h"
#include "core/lecture/lecture_check.h"
#include "core/lecture/lecture_rooms.h"
#include "core/store/lab_file.h"
#include "ui/common/format.h"
#include "ui/common/paths.h"
#include "ui/common/text.h"
#include "ui/controls/field_note.h"
#include "ui/plot/figure_view.h"
#include "ui/rotary/rotary_room.h"
#include "ui/session/engine_work.h"
#include "ui/session/workspace.h"
#include "ui/shell/findables.h"
#include "ui/shell/room.h"
#include "ui/theme/page_styles.h"
#include "ui/window/controllers/control_strip.h"
#include "ui/window/controllers/rotary_controller.h"
#include "ui/window/frame/rooms.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr std::array<int, 7> kSizes = {100, 110, 125, 150, 175, 200, 250};  // per cent
constexpr int kLast = static_cast<int>(kSizes.size()) - 1;
// The space, in pixels at 100 %, for which the lengths of a room are made beside the large type of a presentation.
constexpr double kRoomWidth = 1000;
constexpr double kRoomHeight = 560;
constexpr double kTextsOfHeight = 30;  // the height of the canvas divided by that of its smallest text
constexpr int kDrawnMs = 100;          // a room has drawn its figures after this time
constexpr int kTurnMs = 8;             // of a part of longer work
constexpr int kFullScreenMs = 500;     // after which a window that fills the screen has its size
constexpr double kLeastDone = 0.05;    // part of a training after which its rate says how long the rest takes

/// Index of the largest size that is not above `scale`; -1 if all are.
int sizeOf(double scale) {
    return static_cast<int>(std::upper_bound(kSizes.begin(), kSizes.end(), scale) - kSizes.begin()) - 1;
}

/// NaN if the setting is no number.
double settingNumber(const RotarySetup& setup, const QString& name) {
    const SetupKey& key = setup_key(name.toStdString());
    using Kind = SettingFacts::Kind;
    const bool isNumber = key.kind == Kind::whole || key.kind == Kind::number || key.kind == Kind::fraction;
    return isNumber ? number_of(key, key.get(setup)) : std::nan("");
}

bool containsAny(const QWidget* parent, const QSet<QWidget*>& kept) {
    return std::any_of(kept.begin(), kept.end(),
                       [parent](const QWidget* each) { return parent == each || parent->isAncestorOf(each); });
}

}  // namespace

/// For a presentation. Widgets that a room shows meanwhile stay hidden; restore() shows them.
class ControlsOnly : public QObject {
 public:
    ~ControlsOnly() override;

    /// Keeps the widgets of `kept`, their labels and what is around them. If `root` contains none of them, it is hidden
    /// itself. Returns whether it stays visible.
    bool reduce(QWidget* root, const QSet<QWidget*>& kept);
    /// Hidden widgets get the visibility that they have without the presentation.
    void restore();

 protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

 private:
    void hideTracked(QWidget* widget);
    void reduceInside(QWidget* parent, const QSet<QWidget*>& kept);

    struct Hidden {
        QPointer<QWidget> widget;
        bool isWanted;
    };
    QHash<QObject*, Hidden> m_hidden;
    bool m_isChanging = false;
};

ControlsOnly::~ControlsOnly() {
    restore();
}

bool ControlsOnly::reduce(QWidget* root, const QSet<QWidget*>& kept) {
    if (!containsAny(root, kept)) {
        hideTracked(root);
        return false;
    }
    if (!kept.contains(root)) reduceInside(root, kept);
    return true;
}

void ControlsOnly::reduceInside(QWidget* parent, const QSet<QWidget*>& kept) {
    // The scroll bars of an area stay; what scrolls is below its viewport.
    if (const auto* area = qobject_cast<QAbstractScrollArea*>(parent)) parent = area->viewport();
    for (QWidget* child : parent->findChildren<QWidget*>(Qt::FindDirectChildrenOnly)) {
        if (child->isWindow() || kept.contains(child) || qobject_cast<FieldNote*>(child)) continue;
        if (containsAny(child, kept)) {
            reduceInside(child, kept);
            continue;
        }
        const auto* label = qobject_cast<QLabel*>(child);
        if (label && kept.contains(label->buddy())) continue;
        hideTracked(child);
    }
}

void ControlsOnly::hideTracked(QWidget* widget) {
    if (m_hidden.contains(widget)) return;
    m_hidden.insert(widget, {widget, !widget->isHidden()});
    const QScopedValueRollback changing(m_isChanging, true);
    widget->hide();
    widget->installEventFilter(this);
}

void ControlsOnly::restore() {
    const QScopedValueRollback changing(m_isChanging, true);
    const auto hidden = std::exchange(m_hidden, {});
    for (const Hidden& each : hidden) {
        if (!each.widget) continue;
        each.widget->removeEventFilter(this);
        each.widget->setVisible(each.isWanted);
    }
}

bool ControlsOnly::eventFilter(QObject* watched, QEvent* event) {
    const auto found = m_hidden.find(watched);
    if (m_isChanging || found == m_hidden.end() || !found->widget) return false;
    if (event->type() == QEvent::ShowToParent) {
        found->isWanted = true;
        const QScopedValueRollback changing(m_isChanging, true);
        found->widget->hide();
    } else if (event->type() == QEvent::HideToParent) {
        found->isWanted = false;
    }
    return false;
}

WindowStage::WindowStage(Workspace& workspace, RoomStack& rooms, RotaryController& rotary, QMainWindow& window)
    : QObject(&window),
      m_workspace(workspace),
      m_rooms(rooms),
      m_rotary(rotary),
      m_window(window),
      m_hidden(new ControlsOnly) {
    m_standard = restorers(true);
    // A room that is first needed during the lecture was as it is now when the lecture began.
    connect(&m_rooms, &RoomStack::roomMade, this, [this](Room& room) {
        m_standard.push_back(room.restorer(true));
        if (hasBegun()) {
            m_users.push_back(room.restorer());
            m_standard.back()();  // its first scene begins with the standard, too
        }
        applyAxes();
    });
    m_turn.setInterval(0);
    connect(&m_turn, &QTimer::timeout, this, [this] {
        const auto work = m_turns.front();
        m_turns.pop_front();
        if (!work()) m_turns.push_front(work);
        m_turns.empty() ? m_turn.stop() : m_turn.start();
    });
    m_strip = new ControlStrip(canvas());
    static_cast<QVBoxLayout*>(canvas()->layout())->insertWidget(1, m_strip);
}

WindowStage::~WindowStage() = default;

void WindowStage::later(std::function<bool()> work) {
    m_turns.push_back(std::move(work));
    m_turn.start();
}

void WindowStage::finishTurns() {
    while (!m_turns.empty()) {
        const auto work = m_turns.front();
        m_turns.pop_front();
        while (!work()) continue;
    }
    m_turn.stop();
}

void WindowStage::begin() {
    finishTurns();
    if (hasBegun()) return;
    m_usersRoom = m_rooms.currentId();
    m_users = restorers();
    m_example = m_workspace.showsExample() ? m_workspace.lab().path() : QString();
    m_workspace.beginLecture();
    m_workspace.settings().setHeld(true);
    m_window.setProperty("lecture", true);
    m_larger = 0;
    m_theme.reset();
}

void WindowStage::end() {
    finishTurns();
    if (!hasBegun()) return;
    m_nextTraining = nullptr;
    m_beside.reset();
    m_measuring.cancel();
    m_window.setProperty("lecture", false);
    fixAxes({}, {});
    endGlide();
    showControls({}, true);
    pointAt(QString());
    m_liveKey.clear();
    m_sceneKey.clear();
    m_liveLab.clear();
    m_recording.clear();
    m_workspace.endLecture();
    // A training of the lecture is stopped before the user's lab is shown again; the controls follow then.
    m_workspace.showOwnLab([this, users = std::exchange(m_users, {}), usersRoom = m_usersRoom, example = m_example] {
        const auto restore = [this, users, usersRoom](const QString&) {
            // Controls of the model's shape that a room first had in the lecture are the lecture's.
            const RotaryModel::State own = m_workspace.rotary().state();
            restoreAll(users);
            m_workspace.rotary().show(own);
            m_workspace.settings().setHeld(hasBegun());
            const int index = RoomStack::indexOf(usersRoom);
            later([this, index] {
                return styleHidden(m_rooms.room(index), kTurnMs) && styleHidden(m_rooms.panel(index), kTurnMs);
            });
            // Unless the user has chosen another room meanwhile.
            later([this, index, shown = m_rooms.current()] {
                if (m_rooms.current() == shown) m_rooms.show(index);
                return true;
            });
        };
        if (example.isEmpty() || m_workspace.trainsOwnSweep()) return restore({});
        m_workspace.showExample(example, restore);
    });
}

void WindowStage::resetControls() {
    restoreAll(m_standard);
    fixAxes({}, {});
    RotaryModel::State state = m_workspace.rotary().state();
    state.shape = ModelShape();
    if (state.other) state.other->shape = state.shape;
    m_workspace.rotary().show(state);
}

void WindowStage::beginGlide(const std::function<void()>& toEnd) {
    auto* rotary = qobject_cast<RotaryRoom*>(&room());
    if (!m_isPresenting || !rotary) return;
    rotary->holdAxes(toEnd, [this, restore = room().restorer(), before = setups()] {
        setSetups(before);
        restore();
    });
}

void WindowStage::endGlide() {
    for (Room* each : m_rooms.made()) {
        if (auto* rotary = qobject_cast<RotaryRoom*>(each)) rotary->releaseAxes();
    }
}

void WindowStage::fixAxes(const std::optional<Range>& x, const std::optional<Range>& y) {
    m_axes[0] = x;
    m_axes[1] = y;
    applyAxes();
}

void WindowStage::applyAxes() {
    for (Room* each : m_rooms.made()) {
        for (int axis = 0; axis < 2; ++axis) each->fixAxis(axis, m_isPresenting ? m_axes[axis] : std::nullopt);
    }
}

std::vector<std::function<void()>> WindowStage::restorers(bool standard) {
    RotaryModel& rotary = m_workspace.rotary();
    std::vector<std::function<void()>> result = {[&rotary, pair = rotary.pickedPair()] {
        if (!pair || *pair < rotary.pairs()) rotary.pickPair(pair);
    }};
    for (Room* room : m_rooms.made()) result.push_back(room->restorer(standard));
    return result;
}

void WindowStage::restoreAll(const std::vector<std::function<void()>>& restorers) {
    for (auto restore = restorers.rbegin(); restore != restorers.rend(); ++restore) (*restore)();
}

void WindowStage::showRoom(const QString& room, const QString& part) {
    finishTurns();
    setPart({});
    m_rooms.show(room, part);
    setPart(part);
    m_isPlaced = false;
    m_rooms.pages().show();  // hidden below a page of text; what a step points at must be visible
}

void WindowStage::setPart(const QString& part) {
    m_scenePart = part;
    m_partRoom = &room();
    applyPart();
}

void WindowStage::applyPart() {
    m_part = m_isPresenting || !m_showsAll ? m_scenePart : QString();
    for (Room* each : m_rooms.made()) each->showOnlyPart(each == m_partRoom ? m_part : QString());
}

Room& WindowStage::room() {
    return m_rooms.room();
}

ComparedSetups WindowStage::setups() {
    return m_workspace.rotary().setups();
}

void WindowStage::setSetups(const ComparedSetups& setups) {
    RotaryModel& rotary = m_workspace.rotary();
    if (rotary.setups() == setups) return;
    RotaryModel::State state = rotary.state();
    state.shape.name.clear();  // the setups belong to no named model
    state.setup = setups.a;
    state.other.reset();
    if (setups.b) state.other = ShapedSetup{*setups.b, state.shape};
    state.editsB = false;
    rotary.show(state);
}

double WindowStage::control(const QString& key) {
    const QString shown = m_rooms.currentId();
    if (is_setup_setting(key.toStdString(), shown.toStdString())) return settingNumber(setups().a, key);
    bool isNumber = false;
    const double value = room().control(key).toDouble(&isNumber);
    return isNumber ? value : std::nan("");
}

void WindowStage::setControl(const QString& key, const QString& value) {
    const QString shown = m_rooms.currentId();
    ComparedSetups changed = setups();
    if (apply_to_setups({key.toStdString(), value.toStdString(), 0}, shown.toStdString(), changed)) {
        return setSetups(changed);
    }
    if (key == "model"_L1 && shown == "memory"_L1) {
        if (m_rotary.useModel(value)) return;
        throw BadInput("There is no model \"" + value.toStdString() +
                       "\" that can be loaded; the window of known models (Ctrl+M) lists them.");
    }
    if (is_axis_control(key.toStdString())) {
        std::optional<Range> axes[2] = {m_axes[0], m_axes[1]};
        const auto ends = axis_ends(value.toStdString());
        axes[key == "y_axis"_L1 ? 1 : 0] = ends ? std::optional(Range{ends->first, ends->second}) : std::nullopt;
        return fixAxes(axes[0], axes[1]);
    }
    if (!room().setControl(key, value)) {
        throw BadInput("The page " + shown.toStdString() + " has no control \"" + key.toStdString() + "\".");
    }
}

void WindowStage::showLab(const QString& path) {
    showRuns(path, nullptr);
}

void WindowStage::startTraining(const LectureTraining& training) {
    showRuns(m_recording, &training);
}

void WindowStage::showRuns(const QString& lab, const LectureTraining* training) {
    m_recording = lab;
    m_sceneKey.clear();
    if (!training) {
        if (!lab.isEmpty()) return showRecording(lab);
        // What trains in front of the class goes on while a scene without runs is shown.
        if (!m_workspace.session().isActive() || m_workspace.lab().isOwn()) m_workspace.showOwnLab();
        return;
    }
    const Experiment experiment = experiment_of(*training, false);
    m_sceneKey = text(experiment.to_json().dump());
    if (m_workspace.session().isActive() && m_workspace.lab().isOwn()) {
        throw BadInput(
            "A sweep is training in your lab file, so the lecture cannot train its runs; stop the sweep first.");
    }
    if (m_sceneKey == m_liveKey) {
        if (!lab.isEmpty()) return showRecording(m_isTrained ? m_liveLab : lab);
        // Without a path, its runs are still being planned; they are shown then.
        if (m_liveLab.isEmpty()) return showRecording({});
        if (!isSameFile(m_liveLab, m_workspace.lab().path())) showRecording(m_liveLab);
        return;
    }
    m_liveKey = m_sceneKey;
    m_liveLab.clear();
    m_isTrained = false;
    m_planned = training->seconds;
    m_experiment = experiment;
    m_extrapolation = training->extrapolation;
    std::vector<RunSpec> runs = experiment.expand();
    const auto seconds = [&] { return estimate(runs, *machine_time_model(), m_workspace.dataDir()).seconds; };
    m_expected = seconds();
    m_trainingPart = 1;
    if (m_extrapolation) {
        for (const RunSpec& run : std::vector(runs)) {
            const std::vector<RunSpec> tuned = tuned_specs(run, *m_extrapolation);
            runs.insert(runs.end(), tuned.begin(), tuned.end());
        }
        m_trainingPart = m_expected / seconds();
        m_expected /= m_trainingPart;
    }
    m_isTooSlow = !lab.isEmpty() && m_expected > m_planned;
    showRecording(lab);
    if (!m_isTooSlow) train(experiment);
}

QString WindowStage::copyOf(const QString& path) {
    QString& copy = m_copies[QFileInfo(path).absoluteFilePath()];
    if (!copy.isEmpty()) return copy;
    require_lab_header(toPath(path));
    if (!m_copyFolder) m_copyFolder = std::make_unique<QTemporaryDir>();
    const QString folder = m_copyFolder->filePath(QString::number(m_copies.size()));
    const QString file = folder + QLatin1Char('/') + QFileInfo(path).fileName();
    QFile source(path);
    if (!QDir().mkpath(folder) || !source.copy(file)) {
        throw BadInput("The lab file with recorded runs " + path.toStdString() +
                       " cannot be copied: " + source.errorString().toStdString() + ".");
    }
    QFile::setPermissions(file, QFile::ReadOwner | QFile::WriteOwner);
    return copy = file;
}

void WindowStage::showRecording(const QString& path) {
    const QString shown = path.isEmpty() || isSameFile(path, m_liveLab) ? path : copyOf(path);
    const LabDocument& now = m_workspace.lab();
    if (!now.isOwn() && (shown.isEmpty() ? !now.hasFile() : isSameFile(shown, now.path()))) return;
    m_workspace.showLabInstead(shown, [this](const QString& error) { reportTo(error); });
}

void WindowStage::train(const Experiment& experiment) {
    m_measuring.cancel();
    m_nextTraining = [this, experiment, isShown = m_recording.isEmpty()] {
        m_trainsSince.invalidate();
        // The text of a synthetic language takes 0.2 s to generate.
        m_measuring.start([this, experiment, isShown, lab = m_workspace.lab().unusedPath(),
                           data = m_workspace.dataDir()](const Cancelled&) -> std::function<void()> {
            const auto plan = std::make_shared<Plan>();
            const QString failure = problemOf([&] { *plan = plan_into(toPath(lab), experiment, data); });
            if (!failure.isEmpty()) return [this, failure] { reportTo(failure); };
            // Of a plan that was cancelled meanwhile, no lab stays in the user's folder: the result is destroyed.
            const auto removal = std::make_shared<QScopeGuard<std::function<void()>>>([lab] { QFile::remove(lab); });
            return [this, plan, lab, removal, isShown] {
                if (isShown && m_sceneKey != m_liveKey) return m_liveKey.clear();  // the scene was left: planned anew
                m_liveLab = lab;
                m_trainsSince.start();
                const auto then = [this, lab, removal](const QString& problem) {
                    reportTo(problem);
                    const LabDocument& now = m_workspace.lab();
                    const bool isOpen = now.hasFile() && isSameFile(lab, now.path());
                    if (problem.isEmpty() || isOpen) return removal->dismiss();
                    if (m_liveLab == lab) m_liveLab.clear();
                };
                const QString refusal = problemOf([&] {
                    if (isShown && m_recording.isEmpty()) return m_workspace.trainInstead(lab, std::move(*plan), then);
                    m_beside->start(std::move(*plan), toPath(lab));
                    then({});
                    if (m_recording.isEmpty() && m_sceneKey == m_liveKey) showRecording(lab);
                });
                if (!refusal.isEmpty()) then(refusal);
            };
        });
    };
    if (!m_beside) {
        m_beside = std::make_unique<SweepSession>(m_workspace.engine());
        connect(m_beside.get(), &SweepSession::ended, this, [this](RunState how) { showTrained(how); });
    }
    if (m_beside->isActive()) return m_beside->stop();
    std::exchange(m_nextTraining, nullptr)();
}

void WindowStage::showTrained(RunState how) {
    if (m_nextTraining) return std::exchange(m_nextTraining, nullptr)();
    if (how != RunState::finished || !hasBegun()) return;
    if (!m_extrapolation) return showLive();
    m_measured = 0;
    const auto work = [this, plan = *m_extrapolation, lab = toPath(m_liveLab), data = m_workspace.dataDir()](
                          Engine& engine, const Cancelled& ends) {
        return extrapolate_runs(engine, lab, plan, data, [&](double done) {
            m_measured = done;
            return !ends();
        });
    };
    startWithEngine<bool>(m_measuring, m_workspace.engineLock(), work, [this](const Outcome<bool>& outcome) {
        if (outcome.answer) return showLive();
        reportTo(outcome.problem);
    });
}

void WindowStage::showLive() {
    m_isTrained = true;
    m_workspace.settings().addRecentLab(m_liveLab);
    if (m_sceneKey == m_liveKey) showRecording(m_liveLab);
}

void WindowStage::reportTo(const QString& error) {
    if (!error.isEmpty()) emit problem(error);
}

LectureStage::Runs WindowStage::runs() {
    const LabDocument& shown = m_workspace.lab();
    if (shown.isOwn() || !shown.hasFile()) return Runs::own;  // or still planned
    if (isSameFile(m_liveLab, shown.path())) return Runs::live;
    const auto& all = m_workspace.runs().runs();
    // Values that a paper printed were not recorded by a run; what a model that others trained gave was.
    const auto isPrinted = [](const RunView& run) { return run.imported && !run.changed->contains(model_setting); };
    return !all.empty() && std::ranges::all_of(all, isPrinted) ? Runs::imported : Runs::recorded;
}

QString WindowStage::progress() {
    const bool isPlanning = m_measuring.isRunning() && !m_trainsSince.isValid();
    const bool isMeasuring = m_measuring.isRunning() && !isPlanning;
    const bool isActive = m_measuring.isRunning() || (m_beside && m_beside->isActive());
    const bool isBeside = isActive && m_sceneKey == m_liveKey && !m_sceneKey.isEmpty();
    const SweepSession& session = isBeside ? *m_beside : m_workspace.session();
    if (!isBeside && (runs() != Runs::live || !session.isActive())) return {};
    const QString words = isBeside ? u"live runs: "_s : QString();
    // By what was done until now: the first steps take longer than the others, and an estimate before them is a guess.
    const double trained = session.progress() && !isPlanning ? session.progress()->done : 0;
    const double done =
        m_trainingPart * (isMeasuring ? 1 : trained) + (1 - m_trainingPart) * (isMeasuring ? m_measured.load() : 0);
    if (!(done >= kLeastDone)) return words + u"starting …"_s;
    const double left = static_cast<double>(m_trainsSince.elapsed()) / 1000 * (1 - done) / done;
    return words + u"%1 %, about %2 left"_s.arg(std::lround(100 * done)).arg(durationText(left));
}

QString WindowStage::whyRecorded() {
    if (!m_isTooSlow || runs() != Runs::recorded || m_sceneKey != m_liveKey) return {};
    return u"Recorded runs are shown, because training these runs takes about %1 on this machine, and the scene of "
           "the lecture plans %2 for the training. The key L trains the runs anyway."_s.arg(durationText(m_expected),
                                                                                            durationText(m_planned));
}

void WindowStage::trainAnyway() {
    if (!m_isTooSlow || !m_experiment) return;
    m_isTooSlow = false;
    train(*m_experiment);
}

const LabFile* WindowStage::lab() {
    return m_workspace.lab().file();
}

QString WindowStage::ownLabPath() {
    return m_workspace.lab().ownPath();
}

std::vector<Figure> WindowStage::figures() {
    return room().exportedFigures();
}

std::vector<Figure> WindowStage::figuresSoFar() {
    std::vector<Figure> result;
    for (FigureView* view : room().findChildren<FigureView*>()) {
        if (view->isVisible()) result.push_back(view->figure());
    }
    return result;
}

void WindowStage::pointAt(const QString& what) {
    endLights(&m_window);
    if (std::exchange(m_pointsAtPair, false)) {
        m_workspace.rotary().pickPair(std::nullopt);
        room().setControl(u"pair"_s, u"none"_s);  // Inspect keeps a pair of its own
    }
    if (what.isEmpty()) return;
    const QString kind = what.section(QLatin1Char(' '), 0, 0);
    const QString name = what.section(QLatin1Char(' '), 1);
    if (kind == "pair"_L1) {
        if (!room().setControl(kind, name))
            throw BadInput("This page shows no pairs that a step of the lecture could point at.");
        m_pointsAtPair = true;
        return;
    }
    if (kind == "control"_L1) {
        QWidget* widget = room().controlWidget(name);
        if (!widget)
            throw BadInput("This page has no control \"" + name.toStdString() +
                           "\" that a step of the lecture could point at.");
        return lightUp(widget);
    }
    if (kind == "figure"_L1) return pointAtFigure(name, true);
    throw BadInput(
        "A step of a lecture can point at \"pair 3\", \"control theta\" or \"figure spectrum\", but not at \"" +
        what.toStdString() + "\".");
}

void WindowStage::pointAtFigure(const QString& name, bool again) {
    // A ring around the only figure would point at nothing in particular.
    FigureView* pointed = nullptr;
    int shown = 0;
    for (FigureView* view : room().findChildren<FigureView*>()) {
        if (!view->isVisible()) continue;
        ++shown;
        if (view->figure().name == name) pointed = view;
    }
    if (pointed && shown > 1) lightUp(pointed);
    if (pointed || (room().hasFigure() && !again && room().figure().name == name)) return;
    if (again) {
        QTimer::singleShot(kDrawnMs, this, [this, name] { pointAtFigure(name, false); });
    } else if (m_sceneKey.isEmpty()) {  // runs that train may have no figure yet
        emit problem(u"This page has no figure “%1” that a step of the lecture could point at."_s.arg(name));
    }
}

// The window while it presents
// ------------------------------------------------------------------------------------------

QWidget* WindowStage::canvas() {
    return m_window.centralWidget();
}

void WindowStage::setPresenting(bool presenting, bool fullScreen) {
    finishTurns();
    if (presenting == m_isPresenting) return;
    ThemeManager& theme = ThemeManager::instance();
    if (presenting) {
        m_before = Look{m_window.windowState(), theme.choice(), theme.scale(), m_window.size()};
        m_isPresenting = true;
        m_isLarge = fullScreen;
        m_isPlaced = false;
        m_isFitted = false;
        if (m_usesFullScreen && fullScreen) m_window.setWindowState(m_window.windowState() | Qt::WindowFullScreen);
        applyAxes();
        emit presentingChanged(true);
        // Before the presentation has widgets, which would get their style and their layout twice.
        if (m_isLarge) m_rooms.pages().hide();
        if (m_theme) theme.setChoice(*m_theme);
        if (!m_isLarge) return;
        if (!m_usesFullScreen) return chooseScale(m_window.size());
        chooseScale(m_window.screen()->size());
        QTimer::singleShot(kFullScreenMs, this, [this, expected = m_window.screen()->size()] {
            if (m_isPresenting && m_isLarge && canvas()->size() != expected) chooseScale(canvas()->size());
        });
        return;
    }
    m_theme = theme.choice();
    setInsets({}, true);  // hidden rooms get their style and their layout once, when they are shown again
    theme.setChoice(m_before->theme);
    theme.setScale(m_before->scale, 0);
    if (m_isLarge && m_usesFullScreen) m_window.setWindowState(m_before->state);
    const bool wasLarge = std::exchange(m_isLarge, false);
    later([this] { return styleHidden(m_rooms.pages(), kTurnMs) && styleHidden(m_rooms.room(), kTurnMs); });
    later([this] { return styleHidden(m_rooms.panels(), kTurnMs); });
    later([this, wasLarge] {
        m_isPresenting = false;  // until now, the window that leaves the full screen shows no panel
        setPart({});
        applyAxes();
        emit presentingChanged(false);
        if (!wasLarge || m_before->state != Qt::WindowNoState) return true;
        // Fields in large type may have made the window wider, which no window manager undoes where there is none.
        QTimer::singleShot(0, this, [this, wide = m_window.size(), size = m_before->size] {
            if (!m_isPresenting && m_window.size() == wide) m_window.resize(size);
        });
        return true;
    });
    later([this] {
        m_rooms.pages().show();
        return true;
    });
}

void WindowStage::setInsets(const QMargins& insets, bool isCovered) {
    canvas()->layout()->setContentsMargins(insets);
    const bool isFirst = m_isLarge && !m_isFitted && !insets.isNull();
    if (isFirst) m_rooms.pages().hide();
    if (isFirst) chooseScale(canvas()->size());
    m_rooms.pages().setVisible(!isCovered);
    if (!m_isLarge || m_isPlaced || isCovered || insets.isNull()) return;
    m_isPlaced = true;
    fitScale();
}

void WindowStage::changeSize(int by) {
    m_larger += by > 0 ? 1 : -1;
    ThemeManager& theme = ThemeManager::instance();
    const int size = kSizes[static_cast<std::size_t>(std::clamp(sizeOf(theme.scale()) + (by > 0 ? 1 : -1), 0, kLast))];
    theme.setScale(size, theme.leastText() * size / theme.scale());
}

void WindowStage::chooseScale(const QSize& canvas) {
    m_isFitted = true;
    ThemeManager& theme = ThemeManager::instance();
    const double pixel = theme.px(100) / theme.scale();  // of the screen, at a scale of 100 %
    const double space = std::min(canvas.width() / (kRoomWidth * pixel), canvas.height() / (kRoomHeight * pixel));
    const int usual = std::max(0, sizeOf(100 * space));
    const int size = std::clamp(usual + m_larger, 0, kLast);
    theme.setScale(kSizes[static_cast<std::size_t>(size)], std::ceil(canvas.height() / kTextsOfHeight) *
                                                               kSizes[static_cast<std::size_t>(size)] /
                                                               kSizes[static_cast<std::size_t>(usual)]);
}

void WindowStage::fitScale() {
    ThemeManager& theme = ThemeManager::instance();
    int size = sizeOf(theme.scale());
    while (size > 0 && m_larger <= 0 && isCut())
        theme.setScale(kSizes[static_cast<std::size_t>(--size)], theme.leastText());
}

bool WindowStage::isCut() const {
    for (int i = 0; i < 3; ++i) {  // a layout that changed requests those around it to change
        m_window.centralWidget()->layout()->activate();
        QCoreApplication::sendPostedEvents(nullptr, QEvent::LayoutRequest);
    }
    const auto* page = qobject_cast<QScrollArea*>(m_rooms.pages().currentWidget());
    return page && page->widget() &&
           (page->widget()->height() > page->viewport()->height() ||
            page->widget()->width() > page->viewport()->width());
}

void WindowStage::showControls(const QStringList& names, bool all) {
    m_controls = names;
    m_showsAll = all;
    applyPart();
    applyControls();
}

void WindowStage::applyControls() {
    m_strip->giveBack();
    m_hidden->restore();
    if (!m_showsAll) {
        QSet<QWidget*> kept;
        QList<QWidget*> ofPanel;
        QWidget* panel = m_rooms.panels().currentWidget();
        for (const QString& name : m_controls) {
            QWidget* widget = room().controlWidget(name);
            if (!widget || !widget->isEnabled()) continue;  // a disabled field has no effect on the picture
            kept.insert(widget);
            if (panel->isAncestorOf(widget)) ofPanel.append(widget);
        }
        for (QWidget* bar : room().bars()) m_hidden->reduce(bar, kept);
        // A presentation has no panel, whose fields are below the picture.
        if (m_isPresenting) {
            m_strip->take(ofPanel);
        } else {
            m_hidden->reduce(panel, kept);
        }
    }
    emit sidesChanged();
}

void WindowStage::fitSides() {
    // A desktop gives the window its full-screen size some time after it was asked to.
    if (m_size != m_window.size()) m_isPlaced = m_isFitted = false;
    m_size = m_window.size();
    m_rooms.panels().hide();
}

}  // namespace ropelab::ui

#include "moc_window_stage.cpp"
