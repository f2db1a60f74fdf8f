// Functions of the main window for the course, the answers of classes, and their pooled results.
#include <QMimeData>
#include <QUrl>

#include "core/lecture/answer_table.h"
#include "core/lecture/lecture.h"
#include "ui/common/room.h"
#include "ui/common/text.h"
#include "ui/lecture/answers_dialog.h"
#include "ui/lecture/course_dialog.h"
#include "ui/lecture/statement_lecture.h"
#include "ui/session/lab_origin.h"
#include "ui/window/class_pooler.h"
#include "ui/window/main_window.h"

namespace ropelab::ui {

namespace {

const QString kCourseBanner = QStringLiteral("course");
const QString kClassBanner = QStringLiteral("class");

void raiseWindow(QWidget& window) {
    window.show();
    window.raise();
    window.activateWindow();
}

}  // namespace

QStringList MainWindow::droppedResults(const QMimeData* data) {
    QStringList files;
    for (const QUrl& url : data->urls()) {
        const QString path = url.toLocalFile();
        const bool isResult = path.endsWith(QLatin1String(".ropelab"), Qt::CaseInsensitive) ||
                              path.endsWith(QLatin1String(".json"), Qt::CaseInsensitive);
        if (!isResult) return {};
        files << path;
    }
    return files.size() > 1 ? files : QStringList();
}

void MainWindow::addCourseActions() {
    m_actions->add({.id = "lecture.answers",
                    .menu = "Lecture",
                    .text = tr("Show answers of the class …"),
                    .handler = [this] { showAnswers(); },
                    .enabled = [this] { return m_workspace.lab().hasFile(); },
                    .separatorBefore = true});
    m_actions->add({.id = "lecture.pool",
                    .menu = "Lecture",
                    .text = tr("Pool results of the class …"),
                    .handler = [this] {
                        if (const QStringList files = askResults(); !files.isEmpty()) poolResults(files);
                    },
                    .enabled = [this] { return !m_pooler->isRunning(); }});
    m_actions->add({.id = "help.course",
                    .menu = "Help",
                    .text = tr("Course …"),
                    .handler = [this] { showCourse(); }});
    connect(m_pooler, &ClassPooler::finished, this, [this](const QString& lab, const QString& sentence) {
        m_workspace.openLab(lab);
        showRoom(QStringLiteral("results"), QStringLiteral("group-means"));
        m_banners->show(kClassBanner, BannerArea::Kind::information, sentence);
        m_actions->refresh();
    });
    connect(m_pooler, &ClassPooler::failed, this, [this](const QString& sentence) {
        m_banners->show(kClassBanner, BannerArea::Kind::error, sentence);
        m_actions->refresh();
    });
}

CourseDialog& MainWindow::course() {
    if (m_course) return *m_course;
    std::vector<Lecture> lectures;
    for (const ShippedLecture& shipped : shipped_lectures()) {
        try {
            lectures.push_back(load_lecture(shipped.file));
        } catch (const std::exception& error) {
            m_banners->show(kCourseBanner, BannerArea::Kind::error, text(error.what()));
        }
    }
    lectures.push_back(statementLecture());
    m_course = new CourseDialog(stage(), m_workspace.settings(), std::move(lectures), this);
    connect(m_course, &CourseDialog::problem, this, [this](const QString& sentence) {
        m_banners->show(kCourseBanner, BannerArea::Kind::error, sentence);
    });
    return *m_course;
}

void MainWindow::showCourse() {
    if (!course().isVisible()) endLecture();  // the course uses the same stage
    raiseWindow(course());
}

void MainWindow::closeCourse() {
    if (m_course) m_course->hide();
}

void MainWindow::showAnswers() {
    if (!m_answers) m_answers = new AnswersDialog(this);
    const LabFile* lab = m_workspace.lab().file();
    m_answers->setQuestions(lab ? answered_questions(lab->answers()) : std::vector<AnsweredQuestion>());
    m_answers->setLab(lab ? labOrigin(*lab, {}) : QJsonObject());
    raiseWindow(*m_answers);
}

void MainWindow::poolResults(const QStringList& files) {
    m_pooler->start(files, m_workspace.lab().folder());
    m_actions->refresh();
}

}  // namespace ropelab::ui
