#include "ui/lecture/presentation/notes_view.h"

#include <QBoxLayout>
#include <QLabel>
#include <QScrollArea>
#include <QTime>

#include "ui/common/scaled.h"
#include "ui/common/text.h"
#include "ui/controls/fields.h"
#include "ui/lecture/lecture_player.h"
#include "ui/lecture/lecture_text.h"
#include "ui/lecture/lecture_words.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr double kNotesPoints = 11;
constexpr double kWindowNotesPoints = 13;

QScrollArea* scrolled(LectureText* text, QWidget* parent) {
    auto* area = new QScrollArea(parent);
    area->setWidgetResizable(true);
    area->setFrameShape(QFrame::NoFrame);
    area->setFocusPolicy(Qt::NoFocus);
    area->setWidget(text);
    return area;
}

QString placeText(const LecturePlayer& player) {
    const LectureScene* scene = player.currentScene();
    if (!scene) return u"title page, %1 scenes"_s.arg(player.lecture().scenes.size());
    return u"scene %1 of %2, step %3 of %4"_s.arg(player.scene() + 1)
        .arg(player.lecture().scenes.size())
        .arg(player.step() + 1)
        .arg(scene->steps.size());
}

}  // namespace

NotesView::NotesView(bool wide, QWidget* parent)
    : QWidget(parent),
      m_reason(new QLabel(this)),
      m_texts(new QWidget(this)),
      m_time(new QLabel(this)),
      m_clock(new QLabel(this)),
      m_place(new QLabel(this)),
      m_problem(new QLabel(this)),
      m_find(new QLabel(this)),
      m_next(new LectureText(wide ? kNotesPoints : kWindowNotesPoints)),
      m_notes(new LectureText(wide ? kNotesPoints : kWindowNotesPoints)) {
    auto* outer = new QBoxLayout(wide ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom, this);
    scaleLayout(outer, {12, 8, 12, 8}, 12);
    auto* facts = new QBoxLayout(QBoxLayout::TopToBottom);
    scaleLayout(facts, {0, 0, 0, 0}, 4);
    m_time->setAccessibleName(u"Time since the start of the lecture"_s);
    m_clock->setAccessibleName(u"Clock"_s);
    m_find->setAccessibleName(u"Quantity that the class has to find"_s);
    m_find->setWordWrap(true);
    m_time->setProperty("roomTitle", true);
    for (QLabel* label : {m_clock, m_place}) label->setProperty("quiet", true);
    m_problem->setAccessibleName(u"Problem of the lecture"_s);
    m_problem->setWordWrap(true);
    m_problem->hide();
    for (QLabel* label : {m_time, m_clock, m_place, m_problem, m_find}) facts->addWidget(label);
    if (wide) facts->addStretch(1);
    outer->addLayout(facts, wide ? 2 : 0);
    m_reason->setText(
        u"The notes and the next step are hidden until the last question of this scene is answered, because the "
        "class sees this screen. A second screen always shows the notes and the next step."_s);
    m_reason->setWordWrap(true);
    m_reason->hide();
    outer->addWidget(m_reason, wide ? 8 : 0);
    auto* texts = new QBoxLayout(outer->direction(), m_texts);
    scaleLayout(texts, {0, 0, 0, 0}, 12);
    outer->addWidget(m_texts, wide ? 8 : 1);
    const auto add = [&](const QString& title, LectureText* text, int stretch) {
        auto* column = new QBoxLayout(QBoxLayout::TopToBottom);
        scaleLayout(column, {0, 0, 0, 0}, 4);
        column->addWidget(makeHeading(title, m_texts));
        column->addWidget(scrolled(text, m_texts), 1);
        texts->addLayout(column, stretch);
    };
    add(u"Next"_s, m_next, wide ? 3 : 1);
    add(u"Notes"_s, m_notes, wide ? 5 : 3);
}

void NotesView::setFormulas(const LectureFormulas& formulas) {
    m_next->setFormulas(formulas);
    m_notes->setFormulas(formulas);
}

void NotesView::showPlace(const LecturePlayer& player) {
    const LectureScene* scene = player.currentScene();
    m_place->setText(placeText(player));
    m_notes->setMarkdown(scene ? text(scene->notes) : QString());
    if (const LectureStep* step = player.nextStep()) return m_next->setMarkdown(stepWords(*step));
    const auto following = static_cast<std::size_t>(player.scene() + 1);
    const auto& scenes = player.lecture().scenes;
    m_next->setMarkdown(following < scenes.size() ? u"Scene: %1"_s.arg(text(scenes[following].title))
                                                  : u"The lecture ends here."_s);
}

void NotesView::setSecret(bool secret) {
    m_isSecret = secret;
    m_reason->setVisible(secret);
    m_texts->setHidden(secret);
    m_find->setHidden(secret);
}

void NotesView::showProblem(const QString& sentence) {
    m_problem->setText(sentence);
    m_problem->setHidden(sentence.isEmpty());
}

QString NotesView::problem() const {
    return m_problem->text();
}

void NotesView::showFind(const QString& words) {
    m_find->setText(words);
}

void NotesView::showTime(double seconds, double plannedMinutes) {
    m_time->setText(plannedMinutes > 0 ? u"%1 of %2 min"_s.arg(clockText(seconds)).arg(plannedMinutes)
                                       : clockText(seconds));
    m_clock->setText(QTime::currentTime().toString(u"HH:mm"_s));
}

QString NotesView::notes() const {
    return m_isSecret ? QString() : m_notes->plainText();
}

QString NotesView::next() const {
    return m_isSecret ? QString() : m_next->plainText();
}

QString NotesView::find() const {
    return m_isSecret ? QString() : m_find->text();
}

QString NotesView::time() const {
    return m_time->text();
}

}  // namespace ropelab::ui

#include "moc_notes_view.cpp"
