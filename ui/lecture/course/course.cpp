#include "ui/lecture/course/course.h"

#include <QAbstractItemView>
#include <QFrame>
#include <QLabel>
#include <QPushButton>
#include <QResizeEvent>
#include <QScrollBar>
#include <QSignalBlocker>
#include <QTextBrowser>
#include <QTextDocument>
#include <QUrl>
#include <algorithm>
#include <utility>

#include "ui/common/scaled.h"
#include "ui/common/text.h"
#include "ui/controls/choice_box.h"
#include "ui/controls/flow_layout.h"
#include "ui/lecture/presentation/presentation_bands.h"
#include "ui/lecture/questions/question_panel.h"
#include "ui/lecture/stage.h"
#include "ui/shell/room.h"
#include "ui/theme/dialogs.h"
#include "ui/theme/theme_manager.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;
namespace {

/// A column of text that can be read in a wide window.
class Paper : public QTextBrowser {
 public:
    using QTextBrowser::QTextBrowser;

 protected:
    void resizeEvent(QResizeEvent* event) override {
        constexpr int most = 90;  // characters per line
        setLineWrapColumnOrWidth(std::min(viewport()->width(), most * fontMetrics().averageCharWidth()));
        QTextBrowser::resizeEvent(event);
    }
};

}  // namespace

Course::Course(LectureStage& stage, Settings& settings, std::vector<Lecture> lectures, QObject* parent)
    : QObject(parent),
      m_stage(stage),
      m_lectures(std::move(lectures)),
      m_progress(settings),
      m_player(stage),
      m_presentation(stage, m_player),
      m_bar(new QFrame(stage.canvas())),
      m_paper(new Paper(stage.canvas())),
      m_scenes(new ChoiceBox(m_bar)),
      m_count(new QLabel(m_bar)),
      m_back(new QPushButton(u"Back"_s, m_bar)),
      m_next(new QPushButton(u"Next"_s, m_bar)),
      m_reset(new QPushButton(u"Start over …"_s, m_bar)) {
    m_paper->setObjectName(u"coursePaper"_s);
    for (const char* look : {"plain", "paper"}) m_paper->setProperty(look, true);
    m_paper->setLineWrapMode(QTextEdit::FixedPixelWidth);
    m_paper->document()->setDocumentMargin(24);
    m_paper->setOpenLinks(false);
    connect(m_paper, &QTextBrowser::anchorClicked, this, &Course::followLink);
    makeBar();
    m_bar->hide();
    m_paper->hide();
    m_presentation.setReader(m_bar, m_paper);
    connect(&m_player, &LecturePlayer::stepped, this, &Course::showStep);
    connect(&m_presentation, &Presentation::turned, this, [this](bool forward) { forward ? next() : previous(); });
    connect(&m_presentation, &Presentation::answered, this, &Course::storeAnswer);
    connect(&m_presentation, &Presentation::left, this, [this] {
        m_hasBegun = false;
        m_bar->hide();
        setPaperShown(false);
        m_stage.end();
    });
}

Course::~Course() {
    end();
    delete m_bar;
    delete m_paper;
}

void Course::makeBar() {
    m_bar->setObjectName(u"courseBar"_s);
    m_bar->setProperty("panel", true);
    m_scenes->setAccessibleName(u"Scene of the course"_s);
    m_scenes->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_count->setProperty("quiet", true);
    m_back->setToolTip(u"Shows the previous step of the course (Page Up)."_s);
    m_next->setToolTip(u"Shows the next step of the course (Page Down)."_s);
    for (QPushButton* button : {m_back, m_next}) button->setAutoDefault(true);  // Return presses it
    keepWidth(m_next, {u"Next"_s, u"Skip"_s});
    auto* results = new QPushButton(u"Results"_s, m_bar);
    auto* end = new QPushButton(u"End course"_s, m_bar);
    end->setToolTip(
        u"Ends the course (Escape); your own setup and lab file are shown again. The progress is stored."_s);
    auto* row = new FlowLayout(m_bar);  // wraps to two lines
    scaleLayout(row, {12, 6, 12, 6}, 8);
    for (QWidget* each : QWidgetList{m_back, m_next, m_scenes, m_count, results, end, m_reset}) row->addWidget(each);
    connect(m_scenes, &QComboBox::activated, this, [this](int chosen) {
        const QPoint place = m_scenes->itemData(chosen).toPoint();
        if (place.x() >= 0) return goTo(place.x(), place.y());
        place.y() == 0 ? showIntroduction() : showSummary();
    });
    connect(m_back, &QPushButton::clicked, this, &Course::previous);
    connect(m_next, &QPushButton::clicked, this, &Course::next);
    connect(results, &QPushButton::clicked, this, &Course::showSummary);
    connect(m_reset, &QPushButton::clicked, this, [this] {
        const QString question = u"Delete all your answers to the questions of the course and start over?"_s;
        if (dialogs().confirm(m_bar, u"Start over"_s, question)) reset();
    });
    connect(end, &QPushButton::clicked, this, &Course::end);
}

void Course::fillScenes() {
    const QSignalBlocker blocker(m_scenes);
    m_scenes->clear();
    m_scenes->addItem(u"First page"_s, QPoint(-1, 0));
    for (std::size_t l = 0; l < m_lectures.size(); ++l) {
        const Lecture& lecture = m_lectures[l];
        m_scenes->addItem(text(lecture.title), QPoint(static_cast<int>(l), -1));
        for (std::size_t s = 0; s < lecture.scenes.size(); ++s) {
            const LectureScene& scene = lecture.scenes[s];
            const QString mark = sceneMark(lecture, scene, m_progress);
            QString title = u"%1 %2: %3"_s.arg(text(lecture.title)).arg(s + 1).arg(text(scene.title));
            if (!mark.isEmpty()) title += u"  (%1)"_s.arg(mark);
            m_scenes->addItem(title, QPoint(static_cast<int>(l), static_cast<int>(s)));
        }
    }
    m_scenes->addItem(u"Results"_s, QPoint(-1, 1));
    m_scenes->view()->setMinimumWidth(m_scenes->view()->sizeHintForColumn(0));
    // As many characters as a bar of one line has space for, beside its buttons.
    m_scenes->setMinimumContentsLength(
        std::clamp(m_stage.canvas()->width() / ThemeManager::instance().pixels(34), 12, 60));
    m_reset->setVisible(isSummaryShown());
    const QPoint place =
        m_paper->isHidden() ? QPoint(m_lecture, m_player.scene()) : QPoint(-1, m_isIntroduction ? 0 : 1);
    m_scenes->setCurrentIndex(m_scenes->findData(place));
}

void Course::begin() {
    if (m_hasBegun) return;
    const CourseProgress::Place place = m_progress.place();
    const auto open = std::find_if(m_lectures.begin(), m_lectures.end(),
                                   [&](const Lecture& each) { return text(each.title) == place.lecture; });
    openLecture(open == m_lectures.end() ? 0 : static_cast<int>(open - m_lectures.begin()));
    m_bar->show();
    m_presentation.start();
    m_hasBegun = true;
    connect(&questions(), &QuestionPanel::revealed, this, &Course::noteRevealed);
    connect(&questions(), &QuestionPanel::formulaRequested, this, &Course::formulaRequested);
    const auto& scenes = current().scenes;
    const auto found = std::find_if(scenes.begin(), scenes.end(),
                                    [&](const LectureScene& scene) { return text(scene.id) == place.scene; });
    const bool isTitlePage = open != m_lectures.end() && place.scene.isEmpty();
    if (found == scenes.end() && !isTitlePage) return showIntroduction();
    goTo(m_lecture, isTitlePage ? -1 : static_cast<int>(found - scenes.begin()), place.step);
}

void Course::end() {
    m_presentation.leave();
}

void Course::openLecture(int lecture) {
    m_lecture = std::clamp(lecture, 0, static_cast<int>(m_lectures.size()) - 1);
    m_player.setLecture(current());
    m_presentation.renewLecture();
}

void Course::goTo(int lecture, int scene, int step) {
    if (lecture != m_lecture) openLecture(lecture);
    setPaperShown(false);
    const int place = std::clamp(scene, -1, static_cast<int>(current().scenes.size()) - 1);
    step < 0 ? m_player.open(place) : m_player.goTo(place, step);
}

void Course::next() {
    if (isIntroductionShown()) return goTo(0, -1);
    if (isSummaryShown()) return m_paper->verticalScrollBar()->triggerAction(QScrollBar::SliderPageStepAdd);
    if (m_presentation.next()) {
        showCount();
        return focusNext();
    }
    if (m_lecture + 1 < static_cast<int>(m_lectures.size())) return goTo(m_lecture + 1, -1);
    showSummary();
}

void Course::previous() {
    if (isIntroductionShown()) return;
    const bool isText = m_presentation.isPageShown() && m_player.scene() >= 0 && !m_player.currentScene()->room.empty();
    if (isSummaryShown() || isText) return goTo(m_lecture, m_player.scene(), m_player.step());
    if (m_player.scene() >= 0) return m_presentation.previous();
    if (m_lecture == 0) return showIntroduction();
    openLecture(m_lecture - 1);
    const int last = static_cast<int>(current().scenes.size()) - 1;
    goTo(m_lecture, last, static_cast<int>(current().scenes.back().steps.size()) - 1);
}

void Course::showStep() {
    if (!m_hasBegun) return;
    const LectureScene* scene = m_player.currentScene();
    const LectureStep* step = m_player.currentStep();
    m_back->setEnabled(true);
    m_next->setEnabled(true);
    m_next->setText(step && step->ask ? u"Skip"_s : u"Next"_s);
    showCount();
    m_progress.setPlace({text(current().title), scene ? text(scene->id) : QString(), m_player.step()});
    // Who reads on, or comes back from a later scene, sees the answers of the steps before.
    for (int before = 0; before < m_player.step(); ++before) {
        const auto& ask = scene->steps[static_cast<std::size_t>(before)].ask;
        if (ask) m_progress.addShown(current(), *scene, *ask);
    }
    fillScenes();
    focusNext();
}

void Course::showCount() {
    const LectureScene* scene = m_player.currentScene();
    if (!scene) return m_count->clear();
    const QString step =
        u"step %1 of %2"_s.arg(std::max(1, m_player.step() + 1)).arg(std::max<std::size_t>(1, scene->steps.size()));
    const bool isText = !scene->room.empty() && m_presentation.isPageShown();
    m_count->setText(u"scene %1 of %2, %3"_s.arg(m_player.scene() + 1)
                         .arg(current().scenes.size())
                         .arg(isText ? u"closing text"_s : step));
}

void Course::focusNext() {
    if (questions().hasQuestion()) return;
    const Presentation& shown = m_presentation;
    m_next->setAccessibleDescription(isIntroductionShown() ? m_paper->toPlainText()
                                     : shown.isPageShown() ? shown.page()->words()
                                                           : shown.foot()->sentence());
    m_next->setFocus(Qt::OtherFocusReason);
}

void Course::storeAnswer(const AnswerRecord& answer) {
    m_progress.addAnswer(current(), *m_player.currentScene(), *questions().question(), answer,
                         questions().isHintShown());
    fillScenes();
}

void Course::noteRevealed() {
    m_next->setText(u"Next"_s);
    const auto& answers = questions().answers();
    const bool isRight = !answers.empty() && std::all_of(answers.begin(), answers.end(),
                                                         [](const AnswerRecord& answer) { return answer.right; });
    if (!isRight) m_progress.addShown(current(), *m_player.currentScene(), *questions().question());
}

bool Course::isIntroductionShown() const {
    return m_isIntroduction && !m_paper->isHidden();
}

bool Course::isSummaryShown() const {
    return !m_isIntroduction && !m_paper->isHidden();
}

void Course::showPaper(const QString& html, bool isIntroduction) {
    m_isIntroduction = isIntroduction;
    m_player.finishGlides();
    questions().clear();
    questions().hide();
    m_stage.showControls({}, false);
    m_paper->setAccessibleName(isIntroduction ? u"Introduction to the course"_s : u"Results of the course"_s);
    m_paper->setHtml(html);
    setPaperShown(true);
    m_paper->raise();
    m_count->clear();
    m_next->setText(u"Next"_s);
    m_next->setEnabled(isIntroduction);
    m_back->setEnabled(!isIntroduction);
    fillScenes();
    isIntroduction ? focusNext() : m_paper->setFocus(Qt::OtherFocusReason);
}

void Course::setPaperShown(bool shown) {
    m_paper->setVisible(shown);
    if (m_covered) m_covered->setEnabled(true);
    m_covered = shown ? &m_stage.room() : nullptr;
    if (m_covered) m_covered->setEnabled(false);
}

void Course::showSummary() {
    showPaper(courseSummary(m_lectures, m_progress), false);
}

void Course::showIntroduction() {
    showPaper(courseIntroduction(m_lectures), true);
}

void Course::followLink(const QUrl& link) {
    const QStringList place = link.path().split(QLatin1Char('/'));
    if (link.scheme() == "scene"_L1 && place.size() == 2) goTo(place[0].toInt(), place[1].toInt());
}

void Course::reset() {
    m_progress.reset();
    goTo(0, 0);
}

}  // namespace ropelab::ui

#include "moc_course.cpp"
