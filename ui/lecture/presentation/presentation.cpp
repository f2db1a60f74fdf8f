#include "ui/lecture/presentation/presentation.h"

#include <QApplication>
#include <QDir>
#include <QFileInfo>
#include <QLayout>
#include <QScopedValueRollback>
#include <QStandardPaths>
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "core/base/error.h"
#include "core/lecture/quantities/quantity.h"
#include "ui/common/paths.h"
#include "ui/common/text.h"
#include "ui/lecture/lecture_player.h"
#include "ui/lecture/lecture_words.h"
#include "ui/lecture/presentation/ink.h"
#include "ui/lecture/presentation/notes_view.h"
#include "ui/lecture/presentation/presentation_bands.h"
#include "ui/lecture/questions/question_panel.h"
#include "ui/lecture/stage.h"
#include "ui/shell/room.h"
#include "ui/theme/theme_manager.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int kTickMs = 150;
constexpr int kStripHeight = 96;                      // pixels at 100 %
constexpr std::array kDockParts = {0.42, 0.5, 0.58};  // of the canvas beside the picture, for a question
constexpr int kTextOfHeight = 24;                     // the height of the canvas divided by that of its texts
constexpr int kReaderText = 15;                       // the height of the texts of a reader, in pixels at 100 %
constexpr int kReaderDock = 600;                      // most width of a question beside the picture, as above
constexpr int kLaterLines = 8;                        // heights of a text that the result of a question needs
constexpr double kPageText = 80.0 / 1080;             // of the height: a question on a page of its own, down to …
constexpr double kLeastPageText = 60.0 / 1080;        // … before its answer is smaller
constexpr int kMostWaitMs = 300;                      // work that takes longer shows itself
constexpr QStringView kKeys = u"→ next step, or the answer · ← back · 1–9 choice · E text · N notes · Esc pause";

int bandHeight(QWidget& band, int width) {
    band.ensurePolished();
    QLayout* layout = band.layout();
    layout->activate();
    return layout->hasHeightForWidth() ? layout->totalHeightForWidth(width) : layout->totalMinimumSize().height();
}

/// A file that does not exist yet.
QString freeFile(const QString& folder, const QString& stem) {
    const QDir dir(folder);
    QString path = dir.filePath(stem + u".png"_s);
    for (int i = 2; QFileInfo::exists(path); ++i) path = dir.filePath(u"%1 (%2).png"_s.arg(stem).arg(i));
    return path;
}

bool drawsCurve(const LectureStep* step) {
    return step && step->ask && step->ask->kind == LectureQuestion::Kind::curve;
}

bool hidesFigure(const LectureStep* step) {
    return step && step->ask && step->ask->hides_figure();
}

QString titleText(const Lecture& lecture) {
    QStringList lines;
    if (!lecture.author.empty()) lines << text(lecture.author);
    if (lecture.minutes > 0) lines << u"%1 minutes"_s.arg(lecture.minutes);
    const QString facts = lines.join(u" · "_s);
    return facts + u"\n\n"_s + text(lecture.text);
}

}  // namespace

Presentation::Presentation(LectureStage& stage, LecturePlayer& player, QObject* parent)
    : QObject(parent), m_stage(stage), m_player(player) {
    snapshotFolder = [] { return QStandardPaths::writableLocation(QStandardPaths::PicturesLocation); };
    m_clock.setInterval(kTickMs);
    connect(&m_clock, &QTimer::timeout, this, &Presentation::tick);
    connect(&m_player, &LecturePlayer::stepped, this, [this] {
        if (m_isActive) showPlace();
    });
    connect(&m_player, &LecturePlayer::settled, this, [this] {
        if (m_isActive) showSettled();
    });
    connect(&m_player, &LecturePlayer::problem, this, &Presentation::tellProblem);
    connect(&ThemeManager::instance(), &ThemeManager::changed, this, [this] {
        if (!m_isActive) return;
        if (!m_isPlacing) place();
        placeLater();  // the texts know their new heights only after their events
    });
}

Presentation::~Presentation() {
    if (m_isActive) qApp->removeEventFilter(this);
    clearCanvas();
}

void Presentation::setReader(QWidget* bar, QWidget* paper) {
    m_bar = bar;
    m_paper = paper;
}

void Presentation::start() {
    if (m_isActive || !m_player.hasLecture()) return;
    m_stage.begin();
    m_stage.setPresenting(true, !m_bar);
    m_isActive = true;
    build();
    qApp->installEventFilter(this);
    if (!m_since.isValid()) m_since.start();
    m_clock.start();
    const bool hasTitlePage = m_bar || !m_player.lecture().text.empty();
    const int scene = m_player.scene() < 0 && !hasTitlePage ? 0 : m_player.scene();
    if (m_player.step() < 0) {
        m_player.open(scene);
    } else {
        m_player.goTo(scene, m_player.step());
    }
    tick();
}

void Presentation::leave() {
    if (!m_isActive) return;
    m_isActive = false;
    qApp->removeEventFilter(this);
    m_clock.stop();
    m_player.stop();
    clearCanvas();
    m_stage.pointAt(QString());
    m_stage.setInsets({}, true);
    m_stage.showControls({}, true);
    m_stage.setPresenting(false, true);
    emit left();
}

void Presentation::resetTime() {
    m_since.invalidate();
}

void Presentation::renewLecture() {
    const std::filesystem::path& file = m_player.lecture().file;
    m_formulas = file.empty() ? LectureFormulas() : LectureFormulas(fromPath(file.parent_path()));
    if (!m_isActive) return;
    m_head->setFormulas(m_formulas);
    m_foot->setFormulas(m_formulas);
    m_page->setFormulas(m_formulas);
    m_question->setFormulas(m_formulas);
    notes()->setFormulas(m_formulas);
}

void Presentation::build() {
    QWidget* canvas = m_stage.canvas();
    m_head = new PresentationHead(canvas);
    m_foot = new PresentationFoot(canvas);
    m_page = new PresentationPage(canvas);
    m_cover = new PresentationPage(canvas);
    m_question =
        new QuestionPanel(m_stage, m_bar ? QuestionPanel::Mode::alone : QuestionPanel::Mode::classroom, canvas);
    connect(m_question, &QuestionPanel::answered, this, &Presentation::answered);
    connect(m_question, &QuestionPanel::finished, this, [this] { turn(true); });
    connect(m_question, &QuestionPanel::revealed, this, [this] {
        m_cover->hide();
        keepSecret();
        place();
        if (m_pressed > 0) {
            --m_pressed;
            turn(true);
        }
    });
    m_strip = new NotesView(true, canvas);
    m_strip->setAutoFillBackground(true);
    m_ink = new InkLayer(canvas);
    m_blank = new QWidget(canvas);
    m_blank->setObjectName(u"blank"_s);
    m_blank->setAutoFillBackground(true);
    m_blank->setPalette(QPalette(Qt::black));
    m_blank->setStyleSheet(u"background: black;"_s);
    m_notesWindow = new NotesWindow;
    if (m_bar || !m_notesWindow->showBeside(*canvas)) delete m_notesWindow;
    m_inkScene = -2;
    renewLecture();
    for (QWidget* each : QWidgetList{m_page, m_cover, m_question, m_strip, m_blank}) each->hide();
    for (QWidget* each : QWidgetList{m_head, m_foot, m_ink}) {
        each->show();
        each->raise();
    }
    canvas->window()->setFocus(Qt::OtherFocusReason);
}

void Presentation::clearCanvas() {
    // A key that leaves may be handled inside of one of these widgets, which therefore are deleted later.
    for (QWidget* each :
         QWidgetList{m_head, m_foot, m_page, m_cover, m_blank, m_ink, m_question, m_strip, m_notesWindow}) {
        if (!each) continue;
        each->hide();
        each->deleteLater();
    }
    m_head = nullptr;
    m_foot = nullptr;
    m_page = nullptr;
    m_cover = nullptr;
    m_blank = nullptr;
    m_ink = nullptr;
    m_question = nullptr;
    m_strip = nullptr;
    m_notesWindow = nullptr;
    m_typed.clear();
}

PresentationHead* Presentation::head() const {
    return m_head;
}

PresentationFoot* Presentation::foot() const {
    return m_foot;
}

PresentationPage* Presentation::page() const {
    return m_page;
}

InkLayer* Presentation::ink() const {
    return m_ink;
}

QuestionPanel* Presentation::question() const {
    return m_question;
}

NotesView* Presentation::notes() const {
    return m_notesWindow ? &m_notesWindow->view() : m_strip.data();
}

bool Presentation::isBlank() const {
    return m_blank && m_blank->isVisibleTo(m_blank->parentWidget());
}

bool Presentation::isPageShown() const {
    return m_page && m_page->isVisibleTo(m_page->parentWidget());
}

bool Presentation::isPictureCovered() const {
    return m_cover && m_cover->isVisibleTo(m_cover->parentWidget());
}

bool Presentation::areNotesShown() const {
    return m_notesWindow || (m_strip && m_strip->isVisibleTo(m_strip->parentWidget()));
}

void Presentation::placeLater() {
    if (std::exchange(m_placesLater, true)) return;
    QMetaObject::invokeMethod(
        this,
        [this] {
            m_placesLater = false;
            place();
        },
        Qt::QueuedConnection);
}

void Presentation::place() {
    if (!m_head) return;
    const QScopedValueRollback placing(m_isPlacing, true);
    const QRect canvas = m_stage.canvas()->rect();
    const ThemeManager& manager = ThemeManager::instance();
    QStringList sentences;
    if (const LectureScene* scene = m_player.currentScene()) {
        for (const LectureStep& step : scene->steps) sentences << filledText(step.say, m_stage);
    } else if (!m_bar) {
        sentences << kKeys.toString();
    }
    const int size = m_bar ? manager.pixels(kReaderText) : (canvas.height() + kTextOfHeight - 1) / kTextOfHeight;
    m_head->setTextSize(size);
    m_foot->setTextSize(size);
    m_page->setTextSize(size, !m_bar);
    m_cover->setTextSize(size, !m_bar);
    const int above = bandHeight(*m_head, canvas.width());
    const int sentence = m_foot->heightFor(sentences, canvas.width());
    QWidget& below = m_bar ? *m_bar : *m_strip;
    const int strip = m_bar              ? bandHeight(below, canvas.width())
                      : below.isHidden() ? 0
                                         : manager.pixels(kStripHeight * manager.textGrowth());
    m_head->setGeometry(0, 0, canvas.width(), above);
    m_foot->setGeometry(0, canvas.height() - strip - sentence, canvas.width(), sentence);
    m_foot->setVisible(sentence > 0);
    below.setGeometry(0, canvas.height() - strip, canvas.width(), strip);
    QRect picture(0, above, canvas.width(), canvas.height() - above - sentence - strip);
    // Texts also have the space of a sentence that the step does not say, or has said before the closing text.
    const LectureStep* step = m_player.currentStep();
    QRect page = picture;
    const bool isClosed = step && isPageShown() && (m_isAtEnd || !m_player.currentScene()->room.empty());
    if (step && (step->say.empty() || isClosed)) page.setBottom(canvas.height() - strip - 1);
    if (m_question->hasQuestion() && placeQuestion(page, size)) {
        picture.setRight(m_question->x() - 1);
        page.setRight(m_question->x() - 1);
    }
    m_stage.setInsets({0, above, canvas.width() - picture.width(), sentence + strip},
                      !m_bar && (!m_player.currentScene() || m_player.currentScene()->room.empty()));
    m_page->setGeometry(page);
    m_cover->setGeometry(page);
    m_page->fit();
    if (isPageShown()) m_page->raise();  // above the foot
    if (isPictureCovered()) m_cover->raise();
    if (m_question->hasQuestion()) m_question->raise();
    m_ink->setGeometry(canvas);
    m_ink->raise();
    m_blank->setGeometry(canvas);
    m_blank->raise();
    if (!m_bar) return;
    m_paper->setGeometry(0, 0, canvas.width(), canvas.height() - strip);
    m_paper->raise();
    m_bar->raise();
}

bool Presentation::placeQuestion(const QRect& free, int textSize) {
    if (m_question->coversPicture()) {
        m_question->setTextSize(textSize);
        m_question->setGeometry(free);
        return false;
    }
    if (m_bar || !m_question->question()->hides) {
        m_question->setTextSize(textSize);
        const int least = m_bar ? m_question->layout()->totalMinimumSize().width() : 0;
        const int most = m_bar ? std::max(least, ThemeManager::instance().pixels(kReaderDock)) : free.width();
        const auto widthOf = [&] {
            return std::clamp(static_cast<int>(kDockParts[m_dock] * free.width()), least, most);
        };
        // What a wrong answer shows must not make the question wider.
        const int later = m_bar && m_question->result().isEmpty() ? kLaterLines * textSize : 0;
        while (m_dock + 1 < kDockParts.size() && bandHeight(*m_question, widthOf()) + later > free.height()) ++m_dock;
        const int width = widthOf();
        m_question->setGeometry(free.right() - width + 1, free.top(), width, free.height());
        return true;
    }
    // About the largest text that fits with the answer, which is smaller where the question would be too small. It is
    // searched once, because each size is a new style, which asks for a new place; and again only if counted hands make
    // the answer longer.
    const QString key = u"%1 %2x%3"_s.arg(text(m_question->question()->text)).arg(free.width()).arg(free.height());
    const bool isOther = key != std::exchange(m_pageKey, key);
    const int height = m_stage.canvas()->height();
    if (isOther) m_pageSize = m_answerSize = static_cast<int>(kPageText * height);
    m_question->setTextSize(m_pageSize, m_answerSize);
    while ((isOther || m_question->isRevealed()) && m_pageSize > textSize) {
        const int needed = bandHeight(*m_question, free.width());
        if (needed <= free.height()) break;
        // A text has about as many characters as its area: its height grows with the square of its size.
        const double smaller = std::sqrt(static_cast<double>(free.height()) / needed);
        const auto reduce = [smaller](int& size, int least) {
            size = std::clamp(static_cast<int>(size * smaller), std::min(least, size - 1), size - 1);
        };
        const int least = static_cast<int>(std::ceil(kLeastPageText * height));
        if (m_answerSize > textSize && (m_question->isRevealed() || m_pageSize <= least)) {
            reduce(m_answerSize, textSize);
        } else {
            reduce(m_pageSize, m_pageSize > least ? least : textSize);
            m_answerSize = std::min(m_answerSize, m_pageSize);
        }
        m_question->setTextSize(m_pageSize, m_answerSize);
    }
    m_question->setGeometry(free);
    return false;
}

void Presentation::tellProblem(const QString& sentence) {
    m_problem = sentence;
    if (m_bar && m_head) m_head->say(sentence);
    for (NotesView* view : {m_strip.data(), notes()}) {
        if (view) view->showProblem(sentence);
    }
}

void Presentation::showPlace() {
    const Lecture& lecture = m_player.lecture();
    const LectureScene* scene = m_player.currentScene();
    const LectureStep* step = m_player.currentStep();
    m_question->clear();
    m_isAtEnd = false;
    m_pressed = 0;
    m_dock = 0;
    m_busySince.invalidate();
    // Otherwise the focus of the question's field would move to a field of the room, which takes the keys.
    m_stage.canvas()->window()->setFocus(Qt::OtherFocusReason);
    m_question->hide();
    m_blank->hide();
    if (m_inkScene != m_player.scene()) m_ink->wipe();
    m_inkScene = m_player.scene();
    // Beside the question that is asked, another one would compete with it.
    const bool asks = scene && asks_later(*scene, 0, false);
    m_head->showScene(text(scene ? scene->title : lecture.title), scene && !asks ? text(scene->question) : QString());
    m_foot->showSentence(step ? filledText(step->say, m_stage) : scene ? QString() : kKeys.toString());
    m_page->hide();
    m_cover->showText(u"Predict first"_s, m_bar ? u"The picture is shown after your answer."_s : QString());
    // The step before a curve that is drawn, and the beginning of a scene, must not show the answer either.
    const LectureStep* following = m_player.nextStep();
    const bool isHidden = hidesFigure(step) || drawsCurve(following) || (!step && hidesFigure(following));
    m_cover->setVisible(scene && isHidden);
    if (!scene) {
        m_page->showText(QString(), titleText(lecture));
        m_page->show();
    } else if (scene->room.empty()) {
        m_page->showText(QString(), text(scene->text));
        m_page->show();
    }
    m_find.clear();
    for (NotesView* view : {m_strip.data(), notes()}) {
        view->showPlace(m_player);
        view->showFind(QString());
        view->showProblem(m_problem);
    }
    m_problem.clear();
    keepSecret();
    showRuns();
    if (const QString reason = m_stage.whyRecorded(); scene && !step && !reason.isEmpty()) m_head->say(reason);
    place();
    if (step && step->loop) showSettled();  // a step that loops does not settle
}

void Presentation::keepSecret() {
    const LectureScene* scene = m_player.currentScene();
    m_strip->setSecret(scene && asks_later(*scene, m_player.step(), m_question->isRevealed()));
}

void Presentation::showSettled() {
    renewFind();
    const LectureStep* step = m_player.currentStep();
    if (!step || !step->ask || m_question->hasQuestion()) return;
    const LabFile* lab = m_stage.lab();
    m_question->ask(*step->ask, {.lecture = text(m_player.lecture().title),
                                 .scene = text(m_player.currentScene()->id),
                                 .lab = lab ? fromPath(lab->path()) : QString(),
                                 .group = QString()});
    if (!m_bar || m_question->coversPicture()) m_cover->hide();  // the question has a page of its own
    m_question->show();
    place();
    m_question->focusAnswer();
}

void Presentation::renewFind() {
    const LectureScene* scene = m_player.currentScene();
    if (!scene || scene->find.empty()) return m_findJob.cancel();
    // The lab is opened again, because a LabFile belongs to one thread.
    const LabFile* lab = m_stage.lab();
    const QString labPath = lab ? fromPath(lab->path()) : QString();
    m_findJob.start([this, expression = scene->find, setups = m_stage.setups(),
                     labPath](const Cancelled&) -> std::function<void()> {
        QString words;
        try {
            std::unique_ptr<LabFile> file;
            if (!labPath.isEmpty()) file = LabFile::open(toPath(labPath), LabFile::Mode::read);
            const nlohmann::json value = evaluate_quantity(expression, {setups, file.get()});
            words = u"To find: %1 = %2"_s.arg(text(expression), quantityValueText(value));
        } catch (const std::exception& error) {
            words = u"%1 cannot be computed: %2"_s.arg(text(expression), QString::fromUtf8(error.what()));
        }
        return [this, words] {
            m_find = words;
            if (!m_isActive) return;
            m_strip->showFind(words);
            notes()->showFind(words);
        };
    });
}

void Presentation::tick() {
    const double seconds = static_cast<double>(m_since.elapsed()) / 1000;
    for (NotesView* view : {m_strip.data(), notes()}) view->showTime(seconds, m_player.lecture().minutes);
    showRuns();
}

void Presentation::showRuns() {
    const LectureStep* step = m_player.currentStep();
    // What the sentence says of runs that train changes while they do.
    const bool changes =
        m_stage.runs() == LectureStage::Runs::live && step && step->say.find("{{") != std::string::npos;
    if (changes) m_foot->showSentence(filledText(step->say, m_stage));
    const LectureScene* scene = m_player.currentScene();
    const bool isText = scene && (scene->room.empty() ? scene->lab.empty() : isPageShown());
    const auto runs = !scene || isText ? LectureStage::Runs::own : m_stage.runs();
    // Work that takes longer than a moment shows itself.
    const bool isBusy = scene && !scene->room.empty() && (m_stage.room().isBusy() || m_question->isWaiting());
    if (!isBusy) m_busySince.invalidate();
    if (isBusy && !m_busySince.isValid()) m_busySince.start();
    const bool shows = isBusy && (m_question->isWaiting() || m_busySince.elapsed() >= kMostWaitMs - kTickMs);
    m_head->showRuns(runs, runs == LectureStage::Runs::own && shows ? u"computing …"_s : m_stage.progress());
}

void Presentation::turn(bool forward) {
    if (m_bar) {
        emit turned(forward);
    } else if (isBlank()) {
        toggleBlank();
    } else if (!forward) {
        previous();
    } else if (!next()) {
        showEnd();
    }
}

void Presentation::showEnd() {
    if (std::exchange(m_isAtEnd, true)) return;
    m_question->clear();
    m_question->hide();
    m_cover->hide();
    m_stage.pointAt(QString());  // what it points at is covered
    m_head->showScene(text(m_player.lecture().title), QString());
    m_page->showText(QString(), u"**The lecture ends here.**\n\nEsc: back to the window · ←: back to the last scene"_s);
    m_page->show();
    showRuns();
    place();
}

bool Presentation::next() {
    if (m_isAtEnd) return false;
    const bool isOpen = m_question->hasQuestion() && !m_question->isRevealed();
    if (isOpen && !m_bar) {
        if (m_question->isWaiting()) {
            ++m_pressed;
        } else {
            m_question->reveal();
        }
        showRuns();
        return true;
    }
    const LectureScene* scene = m_player.currentScene();
    // The text of a scene closes it; it would answer a question that a reader skips.
    const bool hasText = scene && !scene->room.empty() && !scene->text.empty() && !isOpen;
    if (hasText && !m_player.nextStep() && !isPageShown()) {
        m_question->clear();
        m_question->hide();
        togglePage();
        return true;
    }
    const int before = m_player.scene();
    const int step = m_player.step();
    m_player.next();
    return before != m_player.scene() || step != m_player.step();
}

void Presentation::previous() {
    const LectureScene* scene = m_player.currentScene();
    if (m_isAtEnd) {
        m_player.goTo(m_player.scene(), m_player.step());
        if (scene && !scene->room.empty() && !scene->text.empty()) togglePage();
        return;
    }
    if (isPageShown() && scene && !scene->room.empty()) return togglePage();
    m_player.previous();
}

void Presentation::togglePage() {
    if (m_isAtEnd) return;
    const LectureScene* scene = m_player.currentScene();
    if (!scene || scene->room.empty()) return;
    if (scene->text.empty()) return m_head->say(u"This scene has no page of text to show."_s);
    if (!isPageShown()) {
        m_page->showText(QString(), text(scene->text));
        m_stage.pointAt(QString());  // what it points at is covered
    }
    m_page->setVisible(!isPageShown());
    showRuns();
    place();
}

void Presentation::toggleBlank() {
    m_blank->setVisible(!isBlank());
    m_blank->raise();
}

void Presentation::toggleNotes() {
    if (m_notesWindow) return m_notesWindow->setVisible(!m_notesWindow->isVisible());
    m_strip->setVisible(!areNotesShown());
    place();
}

void Presentation::nextTheme() {
    using Choice = ThemeManager::Choice;
    ThemeManager& manager = ThemeManager::instance();
    if (manager.choice() == Choice::contrast) return manager.setChoice(Choice::light);
    const bool isDark = manager.theme().appearance == Appearance::dark;
    manager.setChoice(isDark ? Choice::contrast : Choice::dark);
}

void Presentation::saveSnapshot() {
    const LectureScene* scene = m_player.currentScene();
    const QString lecture = QFileInfo(fromPath(m_player.lecture().file)).completeBaseName();
    const QString place = scene ? text(scene->id) : u"title"_s;
    const QString folder = snapshotFolder();
    QDir().mkpath(folder);
    const QString path = freeFile(folder, u"%1 %2 %3"_s.arg(lecture, place).arg(m_player.step() + 1));
    if (!m_stage.canvas()->grab().save(path)) {
        return m_head->say(u"The picture of the screen cannot be written to %1."_s.arg(path));
    }
    m_snapshot = path;
    m_head->say(u"Snapshot: %1"_s.arg(path));
}

}  // namespace ropelab::ui

#include "moc_presentation.cpp"
