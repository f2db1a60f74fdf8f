#include "ui/lecture/questions/question_panel.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QTimer>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "core/base/error.h"
#include "core/data/json_text.h"
#include "core/lecture/quantities/quantity.h"
#include "ui/common/paths.h"
#include "ui/common/scaled.h"
#include "ui/common/text.h"
#include "ui/help/guide_pages.h"
#include "ui/lecture/lecture_text.h"
#include "ui/lecture/lecture_words.h"
#include "ui/lecture/questions/answer_field.h"
#include "ui/lecture/stage.h"
#include "ui/shell/room.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;
namespace {

constexpr int kFigureWaitMs = 30;
constexpr double kTextPt = 10.5;

bool isDigit(int key) {
    return key >= Qt::Key_1 && key <= Qt::Key_9;
}

QString answeredText(const AnswerRecord& answer) {
    const nlohmann::json given = parse_bounded(answer.given, nullptr, false);
    return given.is_string() ? text(given.get<std::string>()) : text(answer.given);
}

}  // namespace

QuestionPanel::QuestionPanel(LectureStage& stage, Mode mode, QWidget* parent)
    : QFrame(parent),
      m_stage(stage),
      m_mode(mode),
      m_text(new LectureText(kTextPt, this)),
      m_column(scaledColumn(this, 8, {12, 12, 12, 12})),
      m_fieldColumn(new QVBoxLayout),
      m_hint(new LectureText(kTextPt, this)),
      m_result(new LectureText(kTextPt, this)),
      m_formulas(new QLabel(this)),
      m_error(new QLabel(this)),
      m_buttons(scaledRow(nullptr, 8)),
      m_hintButton(new QPushButton(u"Show hint"_s, this)),
      m_reveal(new QPushButton(u"Show the answer"_s, this)),
      m_submit(new QPushButton(u"Answer"_s, this)),
      m_figureTimer(new QTimer(this)) {
    setObjectName(u"question"_s);
    setProperty("panel", true);
    setAccessibleName(u"Question"_s);
    m_column->addWidget(m_text);
    m_column->addLayout(m_fieldColumn, 1);
    m_error->setWordWrap(true);
    m_error->hide();
    colorAsError(m_error);
    m_column->addWidget(m_error);
    m_column->addWidget(m_hint);
    m_column->addWidget(m_result);
    m_formulas->setTextInteractionFlags(Qt::LinksAccessibleByMouse | Qt::LinksAccessibleByKeyboard);
    connect(m_formulas, &QLabel::linkActivated, this,
            [this](const QString& link) { emit formulaRequested(link.toInt()); });
    m_column->addWidget(m_formulas);
    m_buttons->addWidget(m_hintButton);
    m_buttons->addStretch(1);
    m_buttons->addWidget(m_reveal);
    m_buttons->addWidget(m_submit);
    m_column->addLayout(m_buttons);
    if (m_mode == Mode::alone) m_column->addStretch();
    m_submit->setProperty("primary", true);
    keepWidth(m_submit, {u"Answer"_s, u"Next"_s});
    for (QPushButton* button : {m_hintButton, m_reveal, m_submit}) button->setAutoDefault(false);
    keepSpace(m_hintButton);
    keepSpace(m_reveal);
    if (m_mode == Mode::classroom) keepSpace(m_result);  // ask() reserves the space of the answer
    m_figureTimer->setInterval(kFigureWaitMs);
    connect(m_figureTimer, &QTimer::timeout, this, &QuestionPanel::takeFigure);
    connect(m_hintButton, &QPushButton::clicked, this, &QuestionPanel::showHint);
    connect(m_reveal, &QPushButton::clicked, this, &QuestionPanel::reveal);
    connect(m_submit, &QPushButton::clicked, this, [this] { m_revealed ? emit finished() : submit(); });
    refresh();
}

QuestionPanel::~QuestionPanel() = default;

AnswerField* QuestionPanel::makeField(const LectureQuestion& question) {
    switch (question.kind) {
        case LectureQuestion::Kind::choice: {
            QStringList choices;
            for (const std::string& choice : question.choices) choices << text(choice);
            return new ChoiceField(choices, question.right, m_mode == Mode::classroom, this);
        }
        case LectureQuestion::Kind::number:
            return new NumberField(unitOf(question.quantity), question.tolerance, this);
        case LectureQuestion::Kind::curve:
            break;
    }
    return new CurveField(text(question.curve), this);
}

void QuestionPanel::setFormulas(const LectureFormulas& formulas) {
    for (LectureText* label : {m_text, m_hint, m_result}) label->setFormulas(formulas);
}

void QuestionPanel::setTextSize(int pixels, int answer) {
    for (LectureText* label : {m_text, m_hint}) label->setPixelSize(pixels);
    m_result->setPixelSize(answer > 0 ? answer : pixels);
    const int mark = pixels / 2;  // of a choice, as high as its number
    const QString style =
        pixels == 0
            ? QString()
            : u"* { font-size: %1px; } QRadioButton::indicator { width: %2px; height: %2px; border-radius: %3px; } "
              "QRadioButton::indicator:checked { width: %4px; height: %4px; border-width: %5px; }"_s.arg(pixels)
                  .arg(mark)
                  .arg(mark / 2 + 1)
                  .arg(mark - 2 * (mark / 3))
                  .arg(mark / 3 + 1);
    if (styleSheet() != style) setStyleSheet(style);
    if (pixels != m_textSize) m_result->setMinimumHeight(0);  // what showTruth() reserved for the former size
    m_textSize = pixels;
    fitFields();
}

void QuestionPanel::fitFields() {
    if (m_textSize == 0) return;
    // Their widths are made for the text of the window.
    constexpr int typed = 7;  // characters of a number, as high as wide with the margins of its field
    for (QLineEdit* edit : findChildren<QLineEdit*>()) {
        if (!qobject_cast<QSpinBox*>(edit->parentWidget())) edit->setMinimumWidth(typed * m_textSize);
    }
    for (QSpinBox* hands : findChildren<QSpinBox*>()) hands->setFixedWidth(9 * m_textSize / 2);
    for (QPushButton* button : {m_submit, m_reveal, m_hintButton}) {
        button->ensurePolished();
        const QFontMetrics metrics = button->fontMetrics();
        const int text = std::max(metrics.horizontalAdvance(u"Answer"_s), metrics.horizontalAdvance(button->text()));
        button->setMinimumWidth(text + 2 * m_textSize);
    }
}

void QuestionPanel::ask(const LectureQuestion& question, const QuestionPlace& place) {
    clear();
    m_question = question;
    m_place = place;
    m_text->setMarkdown(text(question.text));
    setAccessibleName(u"Question: %1"_s.arg(m_text->plainText()));  // a screen reader says it with the field
    m_field = makeField(question);
    m_fieldColumn->addWidget(m_field);
    if (m_mode == Mode::alone) {
        // The buttons follow the field, and a result follows the buttons, so that it moves neither; a curve is as high
        // as there is space for.
        const bool isCurve = coversPicture();
        m_column->removeItem(m_buttons);
        m_column->insertLayout(isCurve ? m_column->count() - 1 : m_column->indexOf(m_fieldColumn) + 1, m_buttons);
        m_column->setStretchFactor(m_fieldColumn, isCurve ? 1 : 0);
        m_column->setStretch(m_column->count() - 1, isCurve ? 0 : 1);
    }
    QWidget* last = m_field->focusTarget();
    for (QWidget* each : m_field->findChildren<QWidget*>()) {
        if (each->focusPolicy() & Qt::TabFocus) last = each;
    }
    for (QWidget* each : {m_hintButton, m_reveal, m_submit}) setTabOrder(std::exchange(last, each), each);
    connect(m_field, &AnswerField::changed, this, [this] {
        m_error->clear();
        if (!m_revealed && isWrong()) {
            m_answers.clear();
            m_result->setMarkdown({});
        }
        refresh();
    });
    if (m_mode == Mode::classroom) {
        // About as long as what is shown later: of a choice only the answer.
        const bool isChoice = question.kind == LectureQuestion::Kind::choice;
        const QString compared = u"The right answer is 0.1234 %1."_s.arg(unitOf(question.quantity));
        m_result->setMarkdown(answerTexts(isChoice ? QString() : compared));
    }
    refresh();
    fitFields();
    startTruth();
}

void QuestionPanel::clear() {
    m_job.cancel();
    m_figureTimer->stop();
    if (m_field) {
        // The field may be handling the key that led here.
        m_field->disconnect(this);
        m_field->hide();
        m_fieldColumn->removeWidget(m_field);
        std::exchange(m_field, nullptr)->deleteLater();
    }
    m_question.reset();
    m_truth.reset();
    m_answers.clear();
    m_waiting = Waiting::nothing;
    m_revealed = m_hintShown = false;
    m_result->setMinimumHeight(0);
    for (LectureText* label : {m_text, m_hint, m_result}) label->setMarkdown({});
    m_error->clear();
    refresh();
}

bool QuestionPanel::coversPicture() const {
    return m_question && m_question->kind == LectureQuestion::Kind::curve;
}

void QuestionPanel::startTruth() {
    switch (m_question->kind) {
        case LectureQuestion::Kind::choice: {
            const auto right = static_cast<std::size_t>(m_question->right);
            setTruth(
                {right < m_question->choices.size() ? nlohmann::json(m_question->choices[right]) : nullptr, {}, {}});
            break;
        }
        case LectureQuestion::Kind::number:
            computeNumber();
            break;
        case LectureQuestion::Kind::curve:
            takeFigure();
            break;
    }
}

void QuestionPanel::computeNumber() {
    m_job.start([this, expression = m_question->quantity, setups = m_stage.setups(),
                 lab = toPath(m_place.lab)](const Cancelled&) -> std::function<void()> {
        try {
            // A lab file is used by one thread only, so that the job opens its own.
            const auto file = lab.empty() ? nullptr : LabFile::open(lab, LabFile::Mode::read);
            nlohmann::json value = evaluate_quantity(expression, {setups, file.get()});
            if (!value.is_number() && !value.is_null()) {
                throw BadInput("The quantity " + expression +
                               " is a list of numbers, so it cannot be the right answer to a question for one number.");
            }
            return [this, expression, value = std::move(value)] { setTruth({value, unitOf(expression), {}}); };
        } catch (const std::exception& error) {
            return [this, reason = text(error.what())] { failTruth(reason); };
        }
    });
}

void QuestionPanel::takeFigure() {
    if (m_stage.room().isBusy()) {
        // The class can begin to draw before the curves are exact.
        for (const Figure& figure : m_stage.figuresSoFar()) {
            if (!m_field->isReady()) m_field->prepareWith(figure);
        }
        m_figureTimer->start();
        return;
    }
    m_figureTimer->stop();
    const QString curve = text(m_question->curve);
    try {
        std::vector<Figure> figures = m_stage.figures();
        for (Figure& figure : figures) {
            if (CurveField::curveOf(figure, curve)) return setTruth({nullptr, {}, std::move(figure)});
        }
        failTruth(CurveField::missingCurve(figures, curve));
    } catch (const std::exception& error) {
        failTruth(text(error.what()));
    }
}

void QuestionPanel::setTruth(AnswerTruth truth) {
    m_truth = std::move(truth);
    m_field->prepare(*m_truth);
    refresh();
    switch (std::exchange(m_waiting, Waiting::nothing)) {
        case Waiting::submit:
            return submit();
        case Waiting::reveal:
            return reveal();
        case Waiting::nothing:
            break;
    }
}

void QuestionPanel::failTruth(const QString& reason) {
    m_waiting = Waiting::nothing;
    m_result->setMarkdown({});
    m_error->setText(u"The right answer cannot be computed. %1"_s.arg(reason));
    m_revealed = true;  // the user can only continue
    refresh();
}

void QuestionPanel::focusAnswer() {
    if (m_field && !m_revealed) {
        m_field->focusTarget()->setFocus(Qt::OtherFocusReason);
    } else {
        m_submit->setFocus(Qt::OtherFocusReason);
    }
}

bool QuestionPanel::canSubmit() const {
    return m_question && !m_revealed && !isWrong() && m_field->isReady() && m_field->hasAnswer();
}

bool QuestionPanel::isWrong() const {
    return std::any_of(m_answers.begin(), m_answers.end(), [](const auto& answer) { return !answer.right; });
}

void QuestionPanel::submit() {
    if (!canSubmit()) return;
    if (!m_truth) {
        m_waiting = Waiting::submit;
        return;
    }
    try {
        m_answers = m_field->records(*m_truth);
    } catch (const BadInput& error) {
        m_error->setText(text(error.what()));
        return refresh();
    }
    for (AnswerRecord& answer : m_answers) {
        answer.lecture = m_place.lecture.toStdString();
        answer.scene = m_place.scene.toStdString();
        answer.question = m_question->text;
        answer.group = m_place.group.toStdString();
    }
    m_mode == Mode::alone&& isWrong() ? askAgain() : showTruth();
    // The receiver may remove the question.
    const std::vector<AnswerRecord> answers = m_answers;
    for (const AnswerRecord& answer : answers) emit answered(answer);
}

void QuestionPanel::reveal() {
    if (!m_question || m_revealed) return;
    if (!m_truth) {
        m_waiting = Waiting::reveal;
        return;
    }
    if (!isWrong()) submit();
    if (m_question && !m_revealed) {
        if (!isWrong()) m_answers.clear();  // nothing was entered, or nothing that could be read
        m_error->clear();
        showTruth();
    }
}

QString QuestionPanel::mistakes() const {
    QStringList sentences;
    for (const AnswerRecord& answer : m_answers) {
        const std::string say = answer.right ? std::string() : misunderstood(*m_question, answer.given);
        if (say.empty()) continue;
        const bool isAlone = m_answers.size() == 1;
        sentences << (isAlone ? text(say) : u"%1: %2"_s.arg(answeredText(answer), text(say)));
    }
    return sentences.join(u"\n\n"_s);
}

void QuestionPanel::askAgain() {
    const QString why = mistakes();
    m_result->setMarkdown(
        !why.isEmpty() ? why + u"\n\nChange your answer and try again, or show the right answer."_s
        : m_question->hint.empty() || m_hintShown
            ? u"Your answer is wrong. Change your answer and try again, or show the right answer."_s
            : u"Your answer is wrong. Change your answer and try again, with the hint if you like, or show the right "
              "answer."_s);
    refresh();
    m_field->focusTarget()->setAccessibleDescription(m_result->plainText());
    focusAnswer();
}

QString QuestionPanel::answerTexts(const QString& compared) const {
    QStringList all{compared, mistakes(), filledText(m_question->answer, m_stage)};
    all.removeAll(QString());
    return all.join(u"\n\n"_s);
}

void QuestionPanel::showTruth() {
    m_revealed = true;
    const QString compared = m_field->reveal(*m_truth, m_answers);
    // Where nobody has voted, the mark at the right choice says enough.
    const bool isMarked = m_mode == Mode::classroom && m_question->kind == LectureQuestion::Kind::choice;
    if (m_mode == Mode::classroom) m_result->setMinimumHeight(m_result->height());  // what is above stays
    m_result->setMarkdown(answerTexts(isMarked && m_answers.empty() ? QString() : compared));
    refresh();
    m_submit->setAccessibleDescription(compared);  // a screen reader says it with the button that gets the focus
    m_submit->setFocus(Qt::OtherFocusReason);
    emit revealed();
}

void QuestionPanel::showHint() {
    if (!m_question || m_question->hint.empty()) return;
    m_hintShown = true;
    m_hint->setMarkdown(u"Hint: %1"_s.arg(text(m_question->hint)));
    refresh();
    focusAnswer();
}

QString QuestionPanel::result() const {
    return m_result->isHidden() ? QString() : m_result->markdown();
}

QString QuestionPanel::error() const {
    return m_error->text();
}

void QuestionPanel::refresh() {
    const bool alone = m_mode == Mode::alone;
    m_hintButton->setVisible(alone && m_question && !m_question->hint.empty());
    m_hintButton->setEnabled(!m_hintShown && !m_revealed);
    m_reveal->setVisible(alone && !m_revealed && isWrong());
    m_submit->setText(m_revealed ? u"Next"_s : u"Answer"_s);
    m_submit->setEnabled(m_revealed || canSubmit());
    m_hint->setVisible(m_hintShown);
    m_error->setVisible(!m_error->text().isEmpty());
    m_result->setVisible((alone || m_revealed) && !m_result->markdown().isEmpty());
    m_formulas->setText(alone && m_revealed ? formulaLinks(formulasIn(m_result->markdown())) : QString());
    m_formulas->setVisible(!m_formulas->text().isEmpty());
}

bool QuestionPanel::event(QEvent* event) {
    // While an answer is entered, its keys belong to the question, whatever shortcuts the window has for them.
    if (event->type() == QEvent::ShortcutOverride) {
        const int key = static_cast<QKeyEvent*>(event)->key();
        const bool always = key == Qt::Key_Return || key == Qt::Key_Enter;
        const bool entering = isDigit(key) || key == Qt::Key_Space || key == Qt::Key_Up || key == Qt::Key_Down ||
                              key == Qt::Key_Left || key == Qt::Key_Right;
        if (always || (entering && !m_revealed)) {
            event->accept();
            return true;
        }
    }
    return QFrame::event(event);
}

void QuestionPanel::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) {
        if (m_revealed) {
            emit finished();
        } else {
            submit();
        }
        return;
    }
    if (isDigit(event->key()) && m_field && m_field->pressDigit(event->key() - Qt::Key_0)) return;
    QFrame::keyPressEvent(event);
}

}  // namespace ropelab::ui

#include "moc_question_panel.cpp"
