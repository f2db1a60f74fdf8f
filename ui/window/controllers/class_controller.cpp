#include "ui/window/controllers/class_controller.h"

#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <utility>
#include <vector>

#include "core/lecture/class/answer_table.h"
#include "core/lecture/class/class_work.h"
#include "core/lecture/lecture.h"
#include "ui/common/format.h"
#include "ui/common/paths.h"
#include "ui/common/text.h"
#include "ui/lecture/course/course.h"
#include "ui/lecture/presentation/presentation.h"
#include "ui/lecture/questions/answers_dialog.h"
#include "ui/lecture/statement_lecture.h"
#include "ui/session/lab_origin.h"
#include "ui/session/workspace.h"
#include "ui/shell/actions.h"
#include "ui/shell/notices/banners.h"
#include "ui/theme/dialogs.h"
#include "ui/window/controllers/lecture_controller.h"
#include "ui/window/controllers/window_stage.h"
#include "ui/window/frame/rooms.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

namespace {

const QString kCourseBanner = u"course"_s;
const QString kClassBanner = u"class"_s;

void raiseWindow(QWidget& window) {
    window.show();
    window.raise();
    window.activateWindow();
}

QString newClassLab(const QString& folder) {
    QDir().mkpath(folder);
    const QString stem = folder + QDateTime::currentDateTime().toString(u"/'class' yyyy-MM-dd HH.mm.ss"_s);
    return freeLabPath(stem);
}

QString wordsOf(const ClassPool& pool) {
    QString words = pool.files == 0 ? u"None of the chosen files contains results that can be merged."_s
                                    : u"Merged the results of %1 with %2."_s.arg(countText(pool.files, u"file"_s),
                                                                                 countText(pool.runs, u"run"_s));
    for (const ClassPool::Refused& refused : pool.refused) {
        words += u" Not merged: %1 (%2)"_s.arg(QFileInfo(fromPath(refused.file)).fileName(), text(refused.reason));
    }
    return words;
}

}  // namespace

ClassController::ClassController(Workspace& workspace, BannerArea& banners, ActionRegistry& actions, RoomStack& rooms,
                                 LectureController& lectures, WindowStage& stage, QWidget* window)
    : QObject(window),
      m_workspace(workspace),
      m_banners(banners),
      m_actions(actions),
      m_rooms(rooms),
      m_lectures(lectures),
      m_stage(stage),
      m_window(window) {
    connect(&m_lectures, &LectureController::stageTaken, this, &ClassController::closeCourse);
    connect(&m_lectures.presentation(), &Presentation::answered, this, [this](const AnswerRecord& answer) {
        try {
            storeAnswer(answer);
        } catch (const std::exception& error) {
            m_lectures.showProblem(QString::fromUtf8(error.what()));
        }
    });
}

ClassController::~ClassController() {
    delete m_course;
    delete m_answers;
}

void ClassController::addActions() {
    m_actions.add({.id = "lecture.answers",
                   .menu = "Lecture",
                   .text = u"Show answers of the class …"_s,
                   .handler = [this] { showAnswers(); },
                   .enabled = [this] { return m_workspace.lab().hasFile(); },
                   .separatorBefore = true});
    m_actions.add({.id = "lecture.pool",
                   .menu = "Lecture",
                   .text = u"Merge results of the class …"_s,
                   .handler =
                       [this] {
                           const FileQuestion which{.title = u"Files with results of the class"_s,
                                                    .filters = u"Labs and printed results (*.ropelab *.json)"_s};
                           const QStringList files = dialogs().openSeveral(m_window, which);
                           if (!files.isEmpty()) pool(files);
                       },
                   .enabled = [this] { return !m_pooling.isRunning(); }});
    m_actions.add({.id = "help.course", .menu = "Help", .text = u"Course …"_s, .handler = [this] { showCourse(); }});
}

Course& ClassController::course() {
    if (m_course) return *m_course;
    std::vector<Lecture> lectures;
    for (const ShippedLecture& shipped : shipped_lectures()) {
        try {
            lectures.push_back(load_lecture(shipped.file));
        } catch (const std::exception& error) {
            m_banners.show(kCourseBanner, BannerArea::Kind::error, text(error.what()));
        }
    }
    lectures.push_back(statementLecture());
    m_course = new Course(m_stage, m_workspace.settings(), std::move(lectures));
    connect(&m_stage, &WindowStage::problem, &m_course->presentation(), &Presentation::tellProblem);
    connect(m_course, &Course::formulaRequested, this, &ClassController::formulaRequested);
    return *m_course;
}

void ClassController::showCourse() {
    if (!course().hasBegun()) m_lectures.end();  // the course uses the same stage
    course().begin();
}

void ClassController::closeCourse() {
    if (m_course) m_course->end();
}

void ClassController::storeAnswer(AnswerRecord answer) {
    if (answer.group.empty()) answer.group = m_workspace.settings().value("lecture/group").toString().toStdString();
    m_workspace.lab().addAnswers({std::move(answer)});
    if (m_answers && m_answers->isVisible()) showAnswers();
    m_actions.refresh();
}

void ClassController::showAnswers() {
    if (!m_answers) makeAnswers();
    renewAnswers();
    raiseWindow(*m_answers);
}

void ClassController::makeAnswers() {
    Settings& settings = m_workspace.settings();
    m_answers = new AnswersDialog(settings.value("lecture/group").toString(), m_window);
    connect(m_answers, &AnswersDialog::groupChanged, this,
            [&settings](const QString& group) { settings.setValue("lecture/group", group); });
    connect(m_answers, &AnswersDialog::deletionRequested, this,
            [this](const std::vector<AnswerRecord>& answers) { changeAnswers(answers, true); });
    connect(m_answers, &AnswersDialog::restorationRequested, this,
            [this](const std::vector<AnswerRecord>& answers) { changeAnswers(answers, false); });
    connect(&m_workspace.lab(), &LabDocument::opened, m_answers, [this] { renewAnswers(); });
}

void ClassController::changeAnswers(const std::vector<AnswerRecord>& answers, bool deletes) {
    try {
        if (deletes) {
            m_workspace.lab().deleteAnswers(answers);
        } else {
            m_workspace.lab().addAnswers(answers);
        }
    } catch (const std::exception& error) {
        return m_answers->showProblem(text(error.what()));
    }
    showAnswers();
    m_answers->setDeleted(deletes ? answers : std::vector<AnswerRecord>());
}

void ClassController::renewAnswers() {
    const LabFile* lab = m_workspace.lab().file();
    m_answers->setQuestions(lab ? answered_questions(lab->answers()) : std::vector<AnsweredQuestion>());
    m_answers->setLab(lab ? labOrigin(*lab, {}) : QJsonObject());
}

void ClassController::pool(const QStringList& files) {
    if (m_pooling.isRunning()) return;
    const QString path = newClassLab(m_workspace.lab().folder());
    m_pooling.start([this, files, path](const Cancelled&) -> std::function<void()> {
        try {
            std::vector<std::filesystem::path> paths;
            for (const QString& file : files) paths.push_back(toPath(file));
            ClassPool pooled;
            {
                const auto lab = LabFile::create(toPath(path));
                pooled = pool_class(*lab, paths);
            }
            const QString words = wordsOf(pooled);
            if (pooled.files > 0) return [this, path, words] { showPooledLab(path, words); };
            QFile::remove(path);
            return [this, words] { refuse(words); };
        } catch (const std::exception& error) {
            return [this, reason = text(error.what())] { refuse(reason); };
        }
    });
    m_actions.refresh();
}

void ClassController::showPooledLab(const QString& lab, const QString& sentence) {
    m_lectures.end();
    m_workspace.openLab(lab);
    m_rooms.show(u"results"_s, u"group-means"_s);
    m_banners.show(kClassBanner, BannerArea::Kind::information, sentence);
    m_actions.refresh();
}

void ClassController::refuse(const QString& sentence) {
    m_banners.show(kClassBanner, BannerArea::Kind::error, sentence);
    m_actions.refresh();
}

}  // namespace ropelab::ui

#include "moc_class_controller.cpp"
