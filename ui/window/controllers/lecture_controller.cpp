#include "ui/window/controllers/lecture_controller.h"

#include <QFileInfo>
#include <QFileSystemWatcher>
#include <QWidget>
#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>
#include <utility>

#include "core/base/error.h"
#include "core/data/read_file.h"
#include "core/lecture/lecture.h"
#include "core/lecture/lecture_rooms.h"
#include "core/lecture/lecture_text.h"
#include "core/store/output_file.h"
#include "ui/animation/export_process.h"
#include "ui/common/paths.h"
#include "ui/common/text.h"
#include "ui/lecture/documents/document_job.h"
#include "ui/lecture/lecture_player.h"
#include "ui/lecture/presentation/presentation.h"
#include "ui/session/workspace.h"
#include "ui/shell/actions.h"
#include "ui/shell/notices/banners.h"
#include "ui/shell/room.h"
#include "ui/theme/dialogs.h"
#include "ui/theme/page_styles.h"
#include "ui/theme/theme_manager.h"
#include "ui/window/controllers/window_stage.h"
#include "ui/window/frame/rooms.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

namespace {

const QString kLectureBanner = u"lecture"_s;
const QString kDocumentBanner = u"lecture.document"_s;
constexpr int kReloadMs = 150;  // editors write a file in several steps
constexpr int kMakingMs = 20;   // between two parts of pages: keys come first
constexpr int kStyleMs = 8;     // of such a part that styles pages

/// "Theta and fraction".
QString titleOfShipped(const std::string& name) {
    QString title = text(name).replace(QLatin1Char('-'), QLatin1Char(' '));
    if (!title.isEmpty()) title[0] = title[0].toUpper();
    return title;
}

bool isShipped(const std::filesystem::path& file) {
    for (const ShippedLecture& each : shipped_lectures()) {
        std::error_code error;
        if (std::filesystem::equivalent(each.file, file, error)) return true;
    }
    return false;
}

}  // namespace

LectureController::LectureController(Workspace& workspace, BannerArea& banners, ActionRegistry& actions,
                                     RoomStack& rooms, WindowStage& stage, QWidget* window)
    : QObject(window),
      m_workspace(workspace),
      m_banners(banners),
      m_actions(actions),
      m_rooms(rooms),
      m_stage(stage),
      m_window(window),
      m_player(new LecturePlayer(stage, this)),
      m_presentation(new Presentation(stage, *m_player, this)),
      m_documents(new ExportProcess(u"lecture"_s, this)),
      m_curves(new ExportProcess(u"lecture"_s, this)),
      m_watcher(new QFileSystemWatcher(this)) {
    m_presentation->snapshotFolder = [this, pictures = m_presentation->snapshotFolder] {
        const LabDocument& lab = m_workspace.lab();
        const bool isSaved = !m_stage.ownLabPath().isEmpty() && !lab.isOwnUnsaved();
        return isSaved ? QFileInfo(m_stage.ownLabPath()).absolutePath() : pictures();
    };
    connect(&m_stage, &WindowStage::problem, this, &LectureController::showProblem);
    connect(m_player, &LecturePlayer::problem, this, [this](const QString& sentence) {
        m_waitsForSweep |= m_workspace.trainsOwnSweep();
        if (!m_presentation->isActive()) showProblem(sentence);
    });
    connect(&m_workspace.session(), &SweepSession::ended, this, [this] {
        if (std::exchange(m_waitsForSweep, false) && m_presentation->isActive())
            m_player->goTo(m_player->scene(), m_player->step());
    });
    connect(m_presentation, &Presentation::left, this, &LectureController::showPaused);
    connectDocuments();
    m_making.setInterval(kMakingMs);
    connect(&m_making, &QTimer::timeout, this, &LectureController::makeNextRoom);
    connect(&ThemeManager::instance(), &ThemeManager::changed, this, [this] {
        if (m_presentation->isActive()) m_making.start();
    });
    auto* reload = new QTimer(this);
    reload->setSingleShot(true);
    reload->setInterval(kReloadMs);
    connect(reload, &QTimer::timeout, this, &LectureController::reload);
    // An editor that replaces the file changes its folder and ends the watch of the file.
    connect(m_watcher, &QFileSystemWatcher::fileChanged, reload, qOverload<>(&QTimer::start));
    connect(m_watcher, &QFileSystemWatcher::directoryChanged, reload, qOverload<>(&QTimer::start));
}

void LectureController::addActions() {
    m_actions.add(
        {.id = "lecture.open", .menu = "Lecture", .text = u"Open lecture …"_s, .handler = [this] { askLecture(); }});
    bool isFirst = true;
    for (const ShippedLecture& each : shipped_lectures()) {
        m_actions.add({.id = u"lecture.open."_s + text(each.name),
                       .menu = "Lecture",
                       .text = u"Lecture: %1"_s.arg(titleOfShipped(each.name)),
                       .handler = [this, file = each.file] { openAndPresent(fromPath(file)); },
                       .separatorBefore = std::exchange(isFirst, false)});
    }
    m_actions.add({.id = "lecture.present",
                   .menu = "Lecture",
                   .text = u"Start presentation"_s,
                   .shortcuts = {QKeySequence(Qt::Key_F5)},
                   .handler = [this] { present(); },
                   .enabled = [this] { return m_player->hasLecture(); },
                   .liveText = [this] { return m_stage.hasBegun() ? u"Return to lecture"_s : u"Start presentation"_s; },
                   .separatorBefore = true});
    m_actions.add({.id = "lecture.end",
                   .menu = "Lecture",
                   .text = u"End lecture"_s,
                   .handler = [this] { end(); },
                   .enabled = [this] { return m_stage.hasBegun(); }});
    addDocumentActions();
    m_actions.add({.id = "lecture.take",
                   .menu = "Lecture",
                   .text = u"Add shown page as scene"_s,
                   .handler = [this] { takeScene(); },
                   .separatorBefore = true});
}

void LectureController::addDocumentActions() {
    const auto isReady = [this] { return m_player->hasLecture() && !m_documents->isRunning(); };
    m_actions.add({.id = "lecture.handout",
                   .menu = "Lecture",
                   .text = u"Export handout …"_s,
                   .handler =
                       [this] {
                           const FileQuestion where{.title = u"File of the handout"_s, .filters = u"PDF (*.pdf)"_s};
                           exportDocument("handout", dialogs().save(m_window, where));
                       },
                   .enabled = isReady,
                   .separatorBefore = true});
    m_actions.add({.id = "lecture.slides",
                   .menu = "Lecture",
                   .text = u"Export slides …"_s,
                   .handler =
                       [this] {
                           const FileQuestion where{
                               .title = u"File or folder of the slides"_s,
                               .filters = u"PDF (*.pdf);;HTML (*.html);;Folder of PNG files (*)"_s};
                           exportDocument("slides", dialogs().save(m_window, where));
                       },
                   .enabled = isReady});
}

void LectureController::askLecture() {
    const auto shipped = shipped_lectures();
    if (m_player->hasLecture()) {
        chooseLecture(fromPath(m_player->lecture().file.parent_path()));
    } else if (!shipped.empty()) {
        chooseLecture(fromPath(shipped.front().file.parent_path()));
    } else {
        m_banners.show(kLectureBanner, BannerArea::Kind::information,
                       u"No lectures found. They come with the program in the folder share/ropelab/lectures beside its "
                       "folder bin; a lecture of your own is a Markdown file (*.md)."_s,
                       {{u"Choose a file …"_s, [this] { chooseLecture({}); }}});
    }
}

void LectureController::chooseLecture(const QString& folder) {
    const QString path =
        dialogs().open(m_window, {.title = u"Open a lecture"_s, .path = folder, .filters = u"Lectures (*.md)"_s});
    if (!path.isEmpty()) openAndPresent(path);
}

void LectureController::load(const QString& path) {
    Lecture lecture = load_lecture(toPath(path));
    end();
    m_player->setLecture(std::move(lecture));
    m_presentation->resetTime();
    m_presentation->renewLecture();
    watch();
    m_actions.refresh();
    checkCurves();
}

void LectureController::open(const QString& path) {
    load(path);
    m_banners.show(kLectureBanner, BannerArea::Kind::information,
                   u"The lecture “%1” is open."_s.arg(text(m_player->lecture().title)),
                   {{u"Start presentation"_s, [this] { present(); }}});
}

void LectureController::openAndPresent(const QString& path) {
    load(path);
    m_isBeginning = true;
    // In turns of the event loop: the size of the texts, then what the presentation is made of.
    QTimer::singleShot(0, this, [this] {
        if (!m_isBeginning) return;
        emit stageTaken();
        m_stage.begin();
        m_stage.setPresenting(true, true);
        QTimer::singleShot(0, this, [this] {
            if (m_isBeginning) present();
        });
    });
}

void LectureController::checkCurves() {
    const Lecture& lecture = m_player->lecture();
    if (!m_checksCurves || !asks_for_curves(lecture)) return;
    LectureDocumentJob job;
    job.kind = LectureDocumentJob::Kind::check;
    job.lecture = fromPath(lecture.file);
    job.output = u"-"_s;
    m_curves->start({u"--document"_s, QString::fromStdString(jobText(job))}, false);
}

void LectureController::present() {
    m_isBeginning = false;
    emit stageTaken();
    m_banners.dismiss(kLectureBanner);
    m_presentation->start();
    m_actions.refresh();
    m_making.start();
}

void LectureController::makeNextRoom() {
    for (const LectureScene& scene : m_player->lecture().scenes) {
        if (!m_presentation->isActive()) break;
        if (!scene.room.empty() && m_rooms.makePart(RoomStack::indexOf(text(scene.room)))) return;
    }
    for (const LectureScene& scene : m_player->lecture().scenes) {
        if (!m_presentation->isActive()) break;
        if (!scene.room.empty() && !styleHidden(m_rooms.room(RoomStack::indexOf(text(scene.room))), kStyleMs)) return;
    }
    m_making.stop();
}

void LectureController::present(const QString& path, const QString& scene, int step) {
    load(path);
    present();
    if (scene.isEmpty()) return;
    if (!m_player->jump(scene)) {
        throw BadInput("The lecture " + path.toStdString() + " has no scene \"" + scene.toStdString() + "\".");
    }
    if (step > 0) m_player->goTo(m_player->scene(), step - 1);
}

void LectureController::end() {
    emit stageTaken();
    if (std::exchange(m_isBeginning, false)) m_stage.setPresenting(false, true);
    m_presentation->leave();
    m_stage.end();
    m_banners.dismiss(kLectureBanner);
    m_actions.refresh();
}

void LectureController::showPaused() {
    m_actions.refresh();
    m_banners.show(
        kLectureBanner, BannerArea::Kind::information,
        u"The lecture “%1” is paused. Your own rotary setup and lab file are restored when you end the lecture."_s.arg(
            text(m_player->lecture().title)),
        {{u"Return to lecture"_s, [this] { present(); }}, {u"End lecture"_s, [this] { end(); }}});
}

void LectureController::showProblem(const QString& sentence) {
    if (m_presentation->isActive()) return m_presentation->tellProblem(sentence);
    m_banners.show(kLectureBanner, BannerArea::Kind::error, sentence);
}

void LectureController::watch() {
    const QString file = fromPath(m_player->lecture().file);
    const QStringList before = m_watcher->files() + m_watcher->directories();
    if (!before.isEmpty()) m_watcher->removePaths(before);
    m_watcher->addPaths({file, QFileInfo(file).absolutePath()});
    m_changed = QFileInfo(file).lastModified();
}

void LectureController::reload() {
    const QString file = fromPath(m_player->lecture().file);
    const QFileInfo now(file);
    if (!now.exists() || now.lastModified() == m_changed) return;  // another file of the folder changed
    watch();
    try {
        Lecture lecture = load_lecture(toPath(file));
        if (m_presentation->isActive()) {
            m_player->reload(std::move(lecture));
        } else {
            m_player->replace(std::move(lecture));
        }
        m_presentation->renewLecture();
    } catch (const std::exception& error) {
        showProblem(QString::fromUtf8(error.what()));  // the lecture as it was stays open
    }
}

LectureScene LectureController::shownScene() {
    const RoomEntry& entry = rooms()[static_cast<std::size_t>(m_rooms.current())];
    const std::string roomId = entry.id;
    const LectureRoom& known = lecture_room(roomId);
    Room& shown = m_rooms.room();
    LectureScene scene;
    scene.title = entry.title.toStdString();
    scene.room = roomId;
    const std::string part = shown.shownPart().toStdString();
    if (std::find(known.parts.begin(), known.parts.end(), part) != known.parts.end()) scene.part = part;
    scene.setup = m_workspace.rotary().setups();
    const LabDocument& lab = m_workspace.lab();
    const bool showsRuns = shown.undoScope() == Room::UndoScope::lab || roomId == "inspect";
    if (showsRuns && lab.hasFile() && !lab.isUnsaved()) scene.lab = toPath(lab.path());
    LectureStep step;
    for (const RoomControl& each : shown.controls()) {
        const std::string name = each.name.toStdString();
        const QString value = each.value().toString();
        if (!is_lecture_control(known, name)) continue;
        if (each.widget && each.widget->isVisible()) scene.controls.push_back(name);
        const bool isPicture = name == "play" || name == "part" || name == "pair";  // part and pair have own places
        if (!isPicture && value != "none"_L1 && value != "other"_L1) {
            step.set.push_back({name, value.toStdString(), 0});
        }
    }
    for (const std::string_view name : setup_settings()) {
        if (std::find(scene.controls.begin(), scene.controls.end(), name) != scene.controls.end()) continue;
        const QWidget* field = shown.controlWidget(text(name));
        if (field && field->isVisible() && field->isEnabled()) scene.controls.emplace_back(name);
    }
    if (const auto pair = m_workspace.rotary().pickedPair(); pair && shown.control(u"pair"_s).isValid()) {
        step.point = "pair " + std::to_string(*pair);
    }
    if (!step.set.empty() || !step.point.empty()) scene.steps.push_back(step);
    return scene;
}

void LectureController::takeScene() {
    QString file = fromPath(m_player->lecture().file);
    std::string before;
    if (!m_player->hasLecture()) {
        file = dialogs().save(
            m_window,
            {.title = u"File of the new lecture"_s, .path = u"lecture.md"_s, .filters = u"Lectures (*.md)"_s});
        if (file.isEmpty()) return;
        if (!file.endsWith(".md"_L1)) file += u".md"_s;
        if (QFileInfo::exists(file))
            throw BadInput(file.toStdString() + " already exists; open it as a lecture before you add a scene.");
        const nlohmann::json title = QFileInfo(file).completeBaseName().toStdString();  // JSON quotes it for YAML
        before = "---\ntitle: " + title.dump() + "\n---\n";
    } else if (isShipped(m_player->lecture().file)) {
        throw BadInput(
            "The open lecture comes with the program and cannot be changed; to add scenes, open a copy of its file.");
    } else {
        before = read_regular_file(toPath(file), most_lecture_bytes);
    }
    const LectureScene scene = shownScene();
    const std::string after = with_scene(before, scene);
    parse_lecture(after, toPath(file));  // throws before anything is written
    write_output(toPath(file), {std::as_bytes(std::span(after))});
    if (!m_player->hasLecture()) {
        open(file);
    } else {
        m_player->replace(load_lecture(toPath(file)));
        watch();
    }
    m_banners.show(u"lecture.scene"_s, BannerArea::Kind::information,
                   u"The scene “%1” was added to %2."_s.arg(text(scene.title), QFileInfo(file).fileName()));
}

void LectureController::connectDocuments() {
    const auto tell = [this](BannerArea::Kind kind, const QString& sentence) {
        m_actions.refresh();
        m_banners.show(kDocumentBanner, kind, sentence);
    };
    connect(m_curves, &ExportProcess::failed, this, &LectureController::showProblem);
    connect(m_documents, &ExportProcess::finished, this, [this, tell] {
        tell(BannerArea::Kind::information, u"The lecture was exported to %1."_s.arg(m_documentPath));
    });
    connect(m_documents, &ExportProcess::stopped, this,
            [tell] { tell(BannerArea::Kind::information, u"The export of the lecture was stopped."_s); });
    connect(m_documents, &ExportProcess::failed, this,
            [tell](const QString& sentence) { tell(BannerArea::Kind::error, sentence); });
}

void LectureController::exportDocument(const char* kind, const QString& path) {
    if (path.isEmpty()) return;
    const bool isDark = ThemeManager::instance().theme().appearance == Appearance::dark;
    const bool isHtml = QFileInfo(path).suffix().toLower() == "html"_L1;
    const nlohmann::json fields{{"kind", kind},
                                {"lecture", m_player->lecture().file.string()},
                                {"output", path.toStdString()},
                                {"theme", isHtml   ? "automatic"
                                          : isDark ? "dark"
                                                   : "light"}};
    const LectureDocumentJob job = parseDocumentJob(fields.dump());  // throws before anything is started
    m_documentPath = path;
    m_documents->start({u"--document"_s, QString::fromStdString(jobText(job))}, !job.isFolder());
    m_actions.refresh();
    m_banners.show(kDocumentBanner, BannerArea::Kind::information, u"The lecture is being exported to %1."_s.arg(path),
                   {{u"Stop export"_s, [this] { m_documents->stop(); }}});
}

}  // namespace ropelab::ui

#include "moc_lecture_controller.cpp"
