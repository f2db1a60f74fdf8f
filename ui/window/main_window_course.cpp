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
#include "ui/session/lab_document.h"
#include "ui/session/lab_origin.h"
#include "ui/theme/dialogs.h"
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
                    .handler =
                        [this] {
                            const QStringList files = dialogs().openSeveral(
                                this, {.title = tr("Results of the class"),
                                       .filters = tr("Labs and printed results (*.ropelab *.json)")});
                            if (!files.isEmpty()) poolResults(files);
                        },
                    .enabled = [this] { return !m_pooler->isRunning(); }});
    m_actions->add({.id = "help.course", .menu = "Help", .text = tr("Course …"), .handler = [this] { showCourse(); }});
    connect(m_pooler, &ClassPooler::finished, this, [this](const QString& lab, const QString& sentence) {
        endLecture();
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
    connect(m_course, &CourseDialog::problem, this,
            [this](const QString& sentence) { m_banners->show(kCourseBanner, BannerArea::Kind::error, sentence); });
    return *m_course;
}

void MainWindow::showCourse() {
    if (!course().isVisible()) endLecture();  // the course uses the same stage
    raiseWindow(course());
}

void MainWindow::closeCourse() {
    if (m_course) m_course->hide();
}

void MainWindow::storeAnswer(AnswerRecord answer) {
    if (answer.group.empty()) answer.group = m_workspace.settings().value("lecture/group").toString().toStdString();
    m_workspace.lab().addAnswers({std::move(answer)});
    if (m_answers && m_answers->isVisible()) showAnswers();
    m_actions->refresh();
}

void MainWindow::showAnswers() {
    if (!m_answers) {
        Settings& settings = m_workspace.settings();
        m_answers = new AnswersDialog(settings.value("lecture/group").toString(), this);
        connect(m_answers, &AnswersDialog::groupChanged, this,
                [&settings](const QString& group) { settings.setValue("lecture/group", group); });
        const auto change = [this](const std::vector<AnswerRecord>& answers, bool deletes) {
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
        };
        connect(m_answers, &AnswersDialog::deletionRequested, this,
                [change](const std::vector<AnswerRecord>& answers) { change(answers, true); });
        connect(m_answers, &AnswersDialog::restorationRequested, this,
                [change](const std::vector<AnswerRecord>& answers) { change(answers, false); });
        connect(&m_workspace.lab(), &LabDocument::opened, m_answers, [this] { renewAnswers(); });
    }
    renewAnswers();
    raiseWindow(*m_answers);
}

void MainWindow::renewAnswers() {
    const LabFile* lab = m_workspace.lab().file();
    m_answers->setQuestions(lab ? answered_questions(lab->answers()) : std::vector<AnsweredQuestion>());
    m_answers->setLab(lab ? labOrigin(*lab, {}) : QJsonObject());
}

void MainWindow::poolResults(const QStringList& files) {
    m_pooler->start(files, m_workspace.lab().folder());
    m_actions->refresh();
}

}  // namespace ropelab::ui
