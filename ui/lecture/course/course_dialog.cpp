#include "ui/lecture/course/course_dialog.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QHideEvent>
#include <QKeySequence>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QShortcut>
#include <QShowEvent>
#include <QSignalBlocker>
#include <QStackedWidget>
#include <QTextBrowser>
#include <QUrl>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "ui/common/paths.h"
#include "ui/common/scaled.h"
#include "ui/common/text.h"
#include "ui/controls/flow_layout.h"
#include "ui/lecture/course/course_progress.h"
#include "ui/lecture/lecture_text.h"
#include "ui/lecture/lecture_words.h"
#include "ui/lecture/questions/question_panel.h"
#include "ui/lecture/stage.h"
#include "ui/theme/dialogs.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;
namespace {

constexpr double kCourseTextPt = 10.5;
constexpr double kCoursePart = 0.38;  // part of the window's width

LectureFormulas formulasOf(const Lecture& lecture) {
    if (lecture.file.empty()) return {};
    return LectureFormulas(fromPath(lecture.file.parent_path()));
}

}  // namespace

CourseDialog::CourseDialog(LectureStage& stage, Settings& settings, std::vector<Lecture> lectures, QWidget* parent)
    : QDialog(parent),
      m_stage(stage),
      m_lectures(std::move(lectures)),
      m_progress(settings),
      m_player(stage),
      m_scenes(new QComboBox(this)),
      m_pages(new QStackedWidget(this)),
      m_introduction(new QTextBrowser(this)),
      m_summary(new QTextBrowser(this)),
      m_count(new QLabel(this)),
      m_back(new QPushButton(u"Back"_s, this)),
      m_next(new QPushButton(u"Next"_s, this)),
      m_results(new QPushButton(u"Results"_s, this)),
      m_reset(new QPushButton(u"Start over …"_s, this)) {
    setObjectName(u"course"_s);
    setWindowTitle(u"Course"_s);
    setWindowFlags(Qt::Widget);  // beside the picture, in the same window
    setAutoFillBackground(true);
    m_scenes->setAccessibleName(u"Scene of the course"_s);
    m_scenes->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_scenes->setMinimumContentsLength(24);
    m_introduction->setAccessibleName(u"Introduction to the course"_s);
    m_summary->setAccessibleName(u"Results of the course"_s);
    auto* column = scaledColumn(this, 8, {12, 12, 12, 12});
    column->addWidget(m_scenes);
    m_pages->addWidget(makeScenePage());
    for (QTextBrowser* page : {m_introduction, m_summary}) {
        page->setOpenLinks(false);
        connect(page, &QTextBrowser::anchorClicked, this, &CourseDialog::followLink);
        m_pages->addWidget(page);
    }
    column->addWidget(m_pages, 1);
    column->addWidget(makeButtons());
    connect(m_scenes, &QComboBox::activated, this, [this](int row) {
        const QPoint place = m_scenes->itemData(row).toPoint();
        goTo(place.x(), place.y());
    });
    connect(&m_player, &LecturePlayer::stepped, this, &CourseDialog::showStep);
    connect(&m_player, &LecturePlayer::settled, this, &CourseDialog::askQuestion);
    connect(&m_player, &LecturePlayer::problem, this, &CourseDialog::problem);
    connect(new QShortcut(QKeySequence(Qt::Key_PageDown), this), &QShortcut::activated, this, [this] {
        isSummaryShown() ? m_summary->verticalScrollBar()->triggerAction(QScrollBar::SliderPageStepAdd) : next();
    });
    connect(new QShortcut(QKeySequence(Qt::Key_PageUp), this), &QShortcut::activated, this, [this] {
        isSummaryShown() ? m_summary->verticalScrollBar()->triggerAction(QScrollBar::SliderPageStepSub) : previous();
    });
    fillScenes();
}

CourseDialog::~CourseDialog() {
    delete m_cover;
    if (m_isOpen) m_stage.end();
}

QWidget* CourseDialog::makeScenePage() {
    auto* content = new QWidget(this);
    auto* column = new QVBoxLayout(content);
    m_column = column;
    scaleLayout(column, {0, 0, 0, 0}, 12);
    m_title = new LectureText(kCourseTextPt, content);
    m_text = new LectureText(kCourseTextPt, content);
    m_say = new LectureText(kCourseTextPt, content);
    m_question = new QuestionPanel(m_stage, QuestionPanel::Mode::alone, content);
    m_question->hide();
    column->addWidget(m_title);
    column->addWidget(m_say);
    column->addWidget(m_question);
    column->addWidget(m_text);
    column->addStretch(1);
    connect(m_question, &QuestionPanel::answered, this, &CourseDialog::storeAnswer);
    connect(m_question, &QuestionPanel::revealed, this, [this] {
        m_next->setText(u"Next"_s);
        const auto& answers = m_question->answers();
        const bool isRight = !answers.empty() && std::all_of(answers.begin(), answers.end(),
                                                             [](const AnswerRecord& answer) { return answer.right; });
        if (!isRight) m_progress.addShown(current(), *m_player.currentScene(), *m_question->question());
        updateCover();
        updateText();
        // The result is below the question; the layout places it after the sentence is set.
        QMetaObject::invokeMethod(
            this, [this] { m_area->ensureWidgetVisible(m_question); }, Qt::QueuedConnection);
    });
    connect(m_question, &QuestionPanel::finished, this, &CourseDialog::next);
    m_area = new QScrollArea(this);
    m_area->setWidgetResizable(true);
    m_area->setFrameShape(QFrame::NoFrame);
    m_area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_area->setFocusPolicy(Qt::NoFocus);
    m_area->setWidget(content);
    return m_area;
}

QWidget* CourseDialog::makeButtons() {
    auto* bar = new QWidget(this);
    auto* row = new FlowLayout(bar);  // wraps to two lines
    scaleLayout(row, {0, 0, 0, 0}, 8);
    m_count->setProperty("quiet", true);
    row->addWidget(m_back);
    row->addWidget(m_next);
    row->addWidget(m_count);
    row->addWidget(m_results);
    row->addWidget(m_reset);
    auto* end = new QPushButton(u"End course"_s, bar);
    end->setToolTip(u"Ends the course; your own setup and lab file are shown again. The progress is stored."_s);
    connect(end, &QPushButton::clicked, this, &QDialog::hide);
    row->addWidget(end);
    for (QPushButton* button : {m_back, m_next, m_results, m_reset, end}) button->setAutoDefault(false);
    keepWidth(m_next, {u"Next"_s, u"Skip"_s});
    m_back->setToolTip(u"Shows the previous step of the course (Page Up)."_s);
    m_next->setToolTip(u"Shows the next step of the course (Page Down)."_s);
    connect(m_back, &QPushButton::clicked, this, &CourseDialog::previous);
    connect(m_next, &QPushButton::clicked, this, &CourseDialog::next);
    connect(m_results, &QPushButton::clicked, this, &CourseDialog::showSummary);
    connect(m_reset, &QPushButton::clicked, this, [this] {
        const QString question = u"Delete all your answers to the questions of the course and start over?"_s;
        if (dialogs().confirm(this, u"Start over"_s, question)) reset();
    });
    return bar;
}

void CourseDialog::fillScenes() {
    const QSignalBlocker blocker(m_scenes);
    m_scenes->clear();
    for (std::size_t l = 0; l < m_lectures.size(); ++l) {
        const Lecture& lecture = m_lectures[l];
        for (std::size_t s = 0; s < lecture.scenes.size(); ++s) {
            const LectureScene& scene = lecture.scenes[s];
            const QString mark = sceneMark(lecture, scene, m_progress);
            QString title = u"%1 %2: %3"_s.arg(text(lecture.title)).arg(s + 1).arg(text(scene.title));
            if (!mark.isEmpty()) title += u"  (%1)"_s.arg(mark);
            m_scenes->addItem(title, QPoint(static_cast<int>(l), static_cast<int>(s)));
        }
    }
    if (m_lecture >= 0) m_scenes->setCurrentIndex(m_scenes->findData(QPoint(m_lecture, m_player.scene())));
}

void CourseDialog::showEvent(QShowEvent* event) {
    QDialog::showEvent(event);
    if (event->spontaneous() || m_isOpen) return;
    m_isOpen = true;
    m_stage.begin();
    m_stage.setPresenting(true, false);
    m_stage.canvas()->installEventFilter(this);
    place();
    start();
}

void CourseDialog::hideEvent(QHideEvent* event) {
    QDialog::hideEvent(event);
    if (event->spontaneous() || !m_isOpen) return;
    m_isOpen = false;
    m_player.finishGlides();
    m_question->clear();
    m_question->hide();
    delete m_cover;
    m_stage.pointAt({});
    m_stage.showControls({}, true);
    m_stage.canvas()->removeEventFilter(this);
    m_stage.setInsets({});
    m_stage.setPresenting(false, false);
    m_stage.end();
}

void CourseDialog::place() {
    const QRect canvas = m_stage.canvas()->rect();
    const int width = static_cast<int>(kCoursePart * canvas.width());
    setGeometry(canvas.right() + 1 - width, 0, width, canvas.height());
    m_stage.setInsets({0, 0, width, 0});
    if (m_cover) m_cover->setGeometry(canvas.adjusted(0, 0, -width, 0));
    raise();
}

void CourseDialog::start() {
    if (m_lectures.empty()) return showSummary();
    const CourseProgress::Place place = m_progress.place();
    for (std::size_t l = 0; l < m_lectures.size(); ++l) {
        if (text(m_lectures[l].title) != place.lecture) continue;
        const auto& scenes = m_lectures[l].scenes;
        const auto found = std::find_if(scenes.begin(), scenes.end(),
                                        [&](const LectureScene& scene) { return text(scene.id) == place.scene; });
        if (found != scenes.end()) {
            return goTo(static_cast<int>(l), static_cast<int>(found - scenes.begin()), place.step);
        }
    }
    showIntroduction();
}

void CourseDialog::openLecture(int lecture) {
    if (lecture == m_lecture) return;
    m_lecture = lecture;
    const LectureFormulas formulas = formulasOf(current());
    m_text->setFormulas(formulas);
    m_title->setFormulas(formulas);
    m_say->setFormulas(formulas);
    m_question->setFormulas(formulas);
    m_player.setLecture(current());
}

void CourseDialog::goTo(int lecture, int scene, int step) {
    if (m_lectures.empty()) return;
    openLecture(std::clamp(lecture, 0, static_cast<int>(m_lectures.size()) - 1));
    if (step < 0) return m_player.open(std::max(0, scene));
    m_player.goTo(std::max(0, scene), step);
}

void CourseDialog::next() {
    if (isIntroductionShown()) return goTo(0, 0);
    if (!isSceneShown()) return;
    const bool isLastScene = m_player.scene() + 1 >= static_cast<int>(current().scenes.size());
    if (m_player.nextStep() || !isLastScene) return m_player.next();
    if (m_lecture + 1 < static_cast<int>(m_lectures.size())) return goTo(m_lecture + 1, 0);
    showSummary();
}

void CourseDialog::previous() {
    if (m_lecture < 0 || isIntroductionShown()) return;
    if (isSummaryShown()) return goTo(m_lecture, m_player.scene(), m_player.step());
    if (m_player.scene() > 0 || m_player.step() > 0) return m_player.previous();
    if (m_lecture == 0) return showIntroduction();
    const Lecture& before = m_lectures[static_cast<std::size_t>(m_lecture - 1)];
    const auto& last = before.scenes.back();
    goTo(m_lecture - 1, static_cast<int>(before.scenes.size()) - 1, static_cast<int>(last.steps.size()) - 1);
}

void CourseDialog::showStep() {
    const LectureScene* scene = m_player.currentScene();
    if (!scene) return;
    m_pages->setCurrentIndex(0);
    m_question->clear();
    m_question->hide();
    const LectureStep* step = m_player.currentStep();
    // The first page of a lecture introduces it.
    const QString begin = m_player.scene() == 0 && m_player.step() <= 0 ? text(current().text) + u"\n\n"_s : QString();
    m_title->setMarkdown(u"## "_s + text(scene->title));
    m_say->setMarkdown(begin + (step ? filledText(step->say, m_stage) : QString()));
    m_next->setText(step && step->ask ? u"Skip"_s : u"Next"_s);
    m_back->setEnabled(true);
    m_next->setEnabled(true);
    m_count->setText(
        u"step %1 of %2"_s.arg(std::max(1, m_player.step() + 1)).arg(std::max<std::size_t>(1, scene->steps.size())));
    m_progress.setPlace({text(current().title), text(scene->id), m_player.step()});
    // Who reads on, or comes back from a later scene, sees the answers of the steps before.
    for (int before = 0; before < m_player.step(); ++before) {
        const auto& ask = scene->steps[static_cast<std::size_t>(before)].ask;
        if (ask) m_progress.addShown(current(), *scene, *ask);
    }
    fillScenes();
    updateCover();
    updateText();
    m_area->ensureVisible(0, 0);
    m_next->setFocus(Qt::OtherFocusReason);
    // A step that loops never comes to rest.
    if (step && step->loop) askQuestion();
}

void CourseDialog::askQuestion() {
    const LectureStep* step = m_player.currentStep();
    if (!step || !step->ask || !isSceneShown() || m_question->hasQuestion()) return;
    const LabFile* lab = m_stage.lab();
    m_question->show();
    m_question->ask(*step->ask, {text(current().title), text(m_player.currentScene()->id),
                                 fromPath(lab ? lab->path() : m_player.currentScene()->lab), QString()});
    updateCover();
    m_question->focusAnswer();
}

bool CourseDialog::isPictureHidden() const {
    return m_cover != nullptr;
}

void CourseDialog::updateCover() {
    const auto asksForCurve = [](const LectureStep* step) {
        return step && step->ask && step->ask->kind == LectureQuestion::Kind::curve;
    };
    const auto hidesFigure = [](const LectureStep* step) { return step && step->ask && step->ask->hides_figure(); };
    const LectureStep* step = m_player.currentStep();
    const LectureStep* next = m_player.nextStep();
    const bool isOpen = hidesFigure(step) && !m_question->isRevealed();
    // The step before a curve that is drawn, and the beginning of a scene, must not show the answer either.
    const bool isNext = asksForCurve(next) || (!step && hidesFigure(next));
    const bool hides = m_isOpen && isSceneShown() && (isOpen || isNext);
    if (m_isOpen) updateControls();
    if (!hides) {
        delete m_cover;
        return;
    }
    QWidget* canvas = m_stage.canvas();
    if (!m_cover) {
        m_cover = new QLabel(u"The picture is hidden until you have answered the question."_s, canvas);
        m_cover->setAlignment(Qt::AlignCenter);
        m_cover->setWordWrap(true);
        m_cover->setAutoFillBackground(true);
    }
    m_cover->show();
    m_cover->raise();
    place();
}

void CourseDialog::updateControls() {
    QStringList names;
    if (const LectureScene* scene = m_player.currentScene(); scene && isSceneShown()) {
        for (const std::string& name : scene->controls) names << text(name);
    }
    m_stage.showControls(names, false);
}

void CourseDialog::updateText() {
    const LectureScene* scene = m_player.currentScene();
    if (!scene) return;
    const LectureStep* step = m_player.currentStep();
    const bool isAsked = step && step->ask && !m_question->isRevealed();
    const bool isPage = scene->room.empty();
    const bool shows = isPage ? !(isAsked && step->ask->hides) : !m_player.nextStep() && !isAsked;
    m_column->insertWidget(isPage ? 1 : 3, m_text);  // below the title, or below the question
    m_text->setMarkdown(shows ? text(scene->text) : QString());
    m_text->setVisible(shows);
}

bool CourseDialog::eventFilter(QObject* watched, QEvent* event) {
    if (m_isOpen && watched == m_stage.canvas() && event->type() == QEvent::Resize) place();
    return QDialog::eventFilter(watched, event);
}

void CourseDialog::storeAnswer(const AnswerRecord& answer) {
    const LectureStep* step = m_player.currentStep();
    if (!step || !step->ask) return;
    m_progress.addAnswer(current(), *m_player.currentScene(), *step->ask, answer, m_question->isHintShown());
    fillScenes();
}

bool CourseDialog::isSceneShown() const {
    return m_pages->currentIndex() == 0;
}

bool CourseDialog::isIntroductionShown() const {
    return m_pages->currentWidget() == m_introduction;
}

bool CourseDialog::isSummaryShown() const {
    return m_pages->currentWidget() == m_summary;
}

void CourseDialog::showPage(QTextBrowser* page) {
    m_question->clear();
    m_pages->setCurrentWidget(page);
    updateCover();
    m_count->clear();
    m_next->setEnabled(page == m_introduction);
    m_back->setEnabled(page == m_summary && m_lecture >= 0);
}

void CourseDialog::showSummary() {
    m_summary->setHtml(courseSummary(m_lectures, m_progress));
    showPage(m_summary);
    m_summary->setFocus(Qt::OtherFocusReason);
}

void CourseDialog::showIntroduction() {
    m_introduction->setHtml(courseIntroduction(m_lectures));
    m_next->setText(u"Next"_s);
    showPage(m_introduction);
    m_next->setFocus(Qt::OtherFocusReason);
}

void CourseDialog::followLink(const QUrl& link) {
    const QStringList place = link.path().split(QLatin1Char('/'));
    if (link.scheme() == "scene"_L1 && place.size() == 2) goTo(place[0].toInt(), place[1].toInt());
}

void CourseDialog::reset() {
    m_progress.reset();
    goTo(0, 0);
}

}  // namespace ropelab::ui
