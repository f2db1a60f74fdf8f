// The main window for lectures: open, present, end, reload a file that changes on disk, and take scenes.
#include <QFile>
#include <QFileInfo>
#include <QFileSystemWatcher>
#include <QStackedWidget>
#include <QTimer>
#include <algorithm>
#include <span>
#include <utility>

#include "core/data/read_file.h"
#include "core/lecture/lecture.h"
#include "core/lecture/lecture_rooms.h"
#include "core/lecture/lecture_text.h"
#include "core/spec/error.h"
#include "core/store/output_file.h"
#include "ui/common/paths.h"
#include "ui/common/room.h"
#include "ui/common/text.h"
#include "ui/lecture/lecture_player.h"
#include "ui/lecture/presentation.h"
#include "ui/lecture/presentation_bands.h"
#include "ui/theme/dialogs.h"
#include "ui/window/main_window.h"
#include "ui/window/room_stack.h"
#include "ui/window/rooms.h"
#include "ui/window/window_stage.h"

namespace ropelab::ui {

namespace {

const QString kLectureBanner = QStringLiteral("lecture");
constexpr int kReloadMs = 150;  // editors write a file in several steps

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

std::string contentOf(const QString& path) {
    return read_regular_file(toPath(path), most_lecture_bytes);
}

}  // namespace

void MainWindow::makeLectures() {
    makeDocuments();
    m_stage = new WindowStage(*this);
    m_player = new LecturePlayer(*m_stage, this);
    m_presentation = new Presentation(*m_stage, *m_player, this);
    m_lectureFile = new QFileSystemWatcher(this);
    m_presentation->snapshotFolder = [this, pictures = m_presentation->snapshotFolder] {
        const LabDocument& lab = m_workspace.lab();
        const bool isSaved = !m_stage->ownLabPath().isEmpty() && !lab.isOwnUnsaved();
        return isSaved ? QFileInfo(m_stage->ownLabPath()).absolutePath() : pictures();
    };
    connect(m_stage, &WindowStage::problem, this, &MainWindow::showLectureProblem);
    connect(m_player, &LecturePlayer::problem, this, [this](const QString& sentence) {
        if (!m_presentation->isActive()) showLectureProblem(sentence);
    });
    connect(m_presentation, &Presentation::left, this, [this] {
        m_actions->refresh();
        m_banners->show(
            kLectureBanner, BannerArea::Kind::information,
            tr("The lecture “%1” is paused. Your own setup and lab come back when you end it.")
                .arg(text(m_player->lecture().title)),
            {{tr("Return to the step"), [this] { presentLecture(); }}, {tr("End lecture"), [this] { endLecture(); }}});
    });
    connect(m_presentation, &Presentation::answered, this, [this](const AnswerRecord& answer) {
        try {
            storeAnswer(answer);
        } catch (const std::exception& error) {
            showLectureProblem(QString::fromUtf8(error.what()));
        }
    });
    auto* reload = new QTimer(this);
    reload->setSingleShot(true);
    reload->setInterval(kReloadMs);
    connect(reload, &QTimer::timeout, this, &MainWindow::reloadLecture);
    // An editor that replaces the file changes its folder and ends the watch of the file.
    connect(m_lectureFile, &QFileSystemWatcher::fileChanged, reload, qOverload<>(&QTimer::start));
    connect(m_lectureFile, &QFileSystemWatcher::directoryChanged, reload, qOverload<>(&QTimer::start));
}

LectureStage& MainWindow::stage() {
    return *m_stage;
}

void MainWindow::addLectureActions() {
    m_actions->add({.id = "lecture.open", .menu = "Lecture", .text = tr("Open lecture …"), .handler = [this] {
                        const QString path =
                            dialogs().open(this, {.title = tr("Open a lecture"), .filters = tr("Lectures (*.md)")});
                        if (!path.isEmpty()) openLecture(path);
                    }});
    bool isFirst = true;
    for (const ShippedLecture& each : shipped_lectures()) {
        m_actions->add({.id = QStringLiteral("lecture.open.") + text(each.name),
                        .menu = "Lecture",
                        .text = tr("Lecture: %1").arg(titleOfShipped(each.name)),
                        .handler = [this, file = each.file] { openLecture(fromPath(file)); },
                        .separatorBefore = std::exchange(isFirst, false)});
    }
    m_actions->add(
        {.id = "lecture.present",
         .menu = "Lecture",
         .text = tr("Start presentation"),
         .shortcuts = {QKeySequence(Qt::Key_F5)},
         .handler = [this] { presentLecture(); },
         .enabled = [this] { return m_player->hasLecture(); },
         .liveText = [this] { return m_stage->hasBegun() ? tr("Return to the step") : tr("Start presentation"); },
         .separatorBefore = true});
    m_actions->add({.id = "lecture.end",
                    .menu = "Lecture",
                    .text = tr("End lecture"),
                    .handler = [this] { endLecture(); },
                    .enabled = [this] { return m_stage->hasBegun(); }});
    addDocumentActions();
    m_actions->add({.id = "lecture.take",
                    .menu = "Lecture",
                    .text = tr("Take this as a scene"),
                    .handler = [this] { takeScene(); },
                    .separatorBefore = true});
}

void MainWindow::openLecture(const QString& path) {
    Lecture lecture = load_lecture(toPath(path));
    endLecture();
    m_player->setLecture(std::move(lecture));
    m_presentation->resetTime();
    m_presentation->renewLecture();
    watchLecture();
    m_actions->refresh();
    m_banners->show(kLectureBanner, BannerArea::Kind::information,
                    tr("The lecture “%1” is open.").arg(text(m_player->lecture().title)),
                    {{tr("Start presentation"), [this] { presentLecture(); }}});
}

void MainWindow::presentLecture() {
    closeCourse();
    m_banners->dismiss(kLectureBanner);
    m_presentation->start();
    m_actions->refresh();
}

void MainWindow::presentLecture(const QString& path, const QString& scene, int step) {
    openLecture(path);
    presentLecture();
    if (scene.isEmpty()) return;
    if (!m_player->jump(scene)) {
        throw BadInput("The lecture " + path.toStdString() + " has no scene \"" + scene.toStdString() + "\".");
    }
    m_player->goTo(m_player->scene(), step - 1);
}

void MainWindow::endLecture() {
    closeCourse();  // it uses the same stage
    m_presentation->leave();
    m_stage->end();
    m_banners->dismiss(kLectureBanner);
    m_actions->refresh();
}

void MainWindow::showLectureProblem(const QString& sentence) {
    if (m_presentation->isActive()) return m_presentation->head()->say(sentence);
    m_banners->show(kLectureBanner, BannerArea::Kind::error, sentence);
}

void MainWindow::watchLecture() {
    const QString file = fromPath(m_player->lecture().file);
    const QStringList before = m_lectureFile->files() + m_lectureFile->directories();
    if (!before.isEmpty()) m_lectureFile->removePaths(before);
    m_lectureFile->addPaths({file, QFileInfo(file).absolutePath()});
    m_lectureTime = QFileInfo(file).lastModified();
}

void MainWindow::reloadLecture() {
    const QString file = fromPath(m_player->lecture().file);
    const QFileInfo now(file);
    if (!now.exists() || now.lastModified() == m_lectureTime) return;  // another file of the folder changed
    watchLecture();
    try {
        Lecture lecture = load_lecture(toPath(file));
        if (m_presentation->isActive()) {
            m_player->reload(std::move(lecture));
        } else {
            m_player->replace(std::move(lecture));
        }
        m_presentation->renewLecture();
    } catch (const std::exception& error) {
        showLectureProblem(QString::fromUtf8(error.what()));  // the lecture as it was stays open
    }
}

LectureScene MainWindow::shownScene() {
    const RoomEntry& entry = rooms()[static_cast<std::size_t>(m_rooms->current())];
    const std::string roomId = entry.id;
    const LectureRoom& known = lecture_room(roomId);
    Room& shown = room();
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
        if (!isPicture && value != QLatin1String("none") && value != QLatin1String("other")) {
            step.set.push_back({name, value.toStdString(), 0});
        }
    }
    for (const std::string_view name : setup_settings()) {
        if (std::find(scene.controls.begin(), scene.controls.end(), name) != scene.controls.end()) continue;
        const QWidget* field = shown.controlWidget(text(name));
        if (field && field->isVisible() && field->isEnabled()) scene.controls.emplace_back(name);
    }
    if (const auto pair = m_workspace.rotary().pickedPair(); pair && shown.control(QStringLiteral("pair")).isValid()) {
        step.point = "pair " + std::to_string(*pair);
    }
    if (!step.set.empty() || !step.point.empty()) scene.steps.push_back(step);
    return scene;
}

void MainWindow::takeScene() {
    QString file = fromPath(m_player->lecture().file);
    std::string before;
    if (!m_player->hasLecture()) {
        file = dialogs().save(this, {.title = tr("File of the new lecture"),
                                     .path = QStringLiteral("lecture.md"),
                                     .filters = tr("Lectures (*.md)")});
        if (file.isEmpty()) return;
        if (!file.endsWith(QLatin1String(".md"))) file += QStringLiteral(".md");
        if (QFileInfo::exists(file)) throw BadInput(file.toStdString() + " exists; open it as a lecture first.");
        const nlohmann::json title = QFileInfo(file).completeBaseName().toStdString();  // JSON quotes it for YAML
        before = "---\ntitle: " + title.dump() + "\n---\n";
    } else if (isShipped(m_player->lecture().file)) {
        throw BadInput("The open lecture belongs to the program and cannot be changed; open a copy of its file.");
    } else {
        before = contentOf(file);
    }
    const LectureScene scene = shownScene();
    const std::string after = with_scene(before, scene);
    parse_lecture(after, toPath(file));  // throws before anything is written
    write_output(toPath(file), {std::as_bytes(std::span(after))});
    if (!m_player->hasLecture()) {
        openLecture(file);
    } else {
        m_player->replace(load_lecture(toPath(file)));
        watchLecture();
    }
    m_banners->show(QStringLiteral("lecture.scene"), BannerArea::Kind::information,
                    tr("The scene “%1” was added to %2.").arg(text(scene.title), QFileInfo(file).fileName()));
}

}  // namespace ropelab::ui
