#include "ui/lecture/questions/answers_dialog.h"

#include <QHBoxLayout>
#include <QKeySequence>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QScreen>
#include <QShortcut>
#include <QVBoxLayout>
#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "core/data/json_text.h"
#include "ui/common/scaled.h"
#include "ui/common/text.h"
#include "ui/figure/export/export_dialog.h"
#include "ui/lecture/questions/answers_figure.h"
#include "ui/plot/figure_view.h"
#include "ui/shell/figure_table.h"
#include "ui/theme/theme_manager.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int kAnswersHeight = 60;  // least height of the list of answers, in pixels at 100 %

/// "2026: the last hand, 18 people, right, 2026-11-24 10:15 UTC".
QString answerLine(const QString& group, const AnswerRecord& answer) {
    const nlohmann::json given = parse_bounded(answer.given, nullptr, false);
    const QString value = answer.kind == "curve" ? u"curve"_s
                          : given.is_string()    ? text(given.get<std::string>())
                          : given.is_number()    ? text(answer.given)
                                                 : u"none"_s;
    const QString people = answer.people == 1 ? u"1 person"_s : u"%1 people"_s.arg(answer.people);
    const QString created = text(answer.created).left(16).replace(QLatin1Char('T'), QLatin1Char(' '));
    return u"%1: %2, %3, %4, %5 UTC"_s.arg(group, value, people, answer.right ? u"right"_s : u"wrong"_s, created);
}

bool isSameQuestion(const AnsweredQuestion& a, const AnsweredQuestion& b) {
    return a.lecture == b.lecture && a.scene == b.scene && a.question == b.question;
}

}  // namespace

AnswersDialog::AnswersDialog(const QString& group, QWidget* parent)
    : QDialog(parent),
      m_list(new QListWidget(this)),
      m_view(new FigureView(this)),
      m_words(makeNote(this)),
      m_group(new QLineEdit(group, this)),
      m_answers(new QListWidget(this)),
      m_delete(new QPushButton(u"Delete answers"_s, this)),
      m_undo(new QPushButton(u"Undo deletion"_s, this)) {
    setObjectName(u"answers"_s);
    setWindowTitle(u"Answers of the class"_s);
    setModal(false);
    m_list->setAccessibleName(u"Questions"_s);
    m_list->setWordWrap(true);
    m_list->setTextElideMode(Qt::ElideNone);
    m_view->setAccessibleName(u"Answers by group"_s);
    auto* all = scaledRow(this, 12, {12, 12, 12, 12});
    all->addWidget(m_list, 1);
    auto* column = scaledColumn(nullptr, 8);
    column->addWidget(m_view, 3);
    column->addWidget(m_words);
    m_answers->setAccessibleName(u"Answers to the question"_s);
    m_answers->setSelectionMode(QAbstractItemView::ExtendedSelection);
    scaleMinimumHeight(m_answers, kAnswersHeight);
    column->addWidget(m_answers, 1);
    auto* deletion = scaledRow(nullptr, 8);
    m_delete->setToolTip(u"Deletes the selected answers from the lab file (Delete)."_s);
    for (QPushButton* button : {m_delete, m_undo}) {
        button->setAutoDefault(false);
        button->setEnabled(false);
        deletion->addWidget(button);
    }
    deletion->addStretch(1);
    column->addLayout(deletion);
    connect(m_answers, &QListWidget::itemSelectionChanged, this,
            [this] { m_delete->setEnabled(!m_answers->selectedItems().isEmpty()); });
    connect(m_delete, &QPushButton::clicked, this, &AnswersDialog::deleteSelected);
    connect(m_undo, &QPushButton::clicked, this, &AnswersDialog::undoDeletion);
    auto* deleteKey = new QShortcut(QKeySequence(Qt::Key_Delete), m_answers, nullptr, nullptr, Qt::WidgetShortcut);
    connect(deleteKey, &QShortcut::activated, this, &AnswersDialog::deleteSelected);
    auto* row = scaledRow(nullptr, 8);
    auto* groupLabel = new QLabel(u"Group of people that answers"_s, this);
    groupLabel->setBuddy(m_group);
    m_group->setPlaceholderText(u"the year"_s);
    m_group->setAccessibleName(groupLabel->text());
    m_group->setToolTip(
        u"Name of the group of people who answer, such as “third year 2026”. New answers are stored with this name; "
        "without a name, the answers are grouped by year."_s);
    row->addWidget(groupLabel);
    row->addWidget(m_group, 1);
    auto* table = new QPushButton(u"Show table"_s, this);
    auto* save = new QPushButton(u"Export figure …"_s, this);
    for (QPushButton* button : {table, save}) {
        button->setAutoDefault(false);
        row->addWidget(button);
    }
    column->addLayout(row);
    all->addLayout(column, 2);
    const auto showTable = [this] {
        if (!m_questions.empty()) (new FigureTableWindow(m_view->figure(), this))->show();
    };
    connect(table, &QPushButton::clicked, this, showTable);
    connect(new QShortcut(QKeySequence(Qt::Key_F2), this), &QShortcut::activated, this, showTable);
    connect(save, &QPushButton::clicked, this, [this] {
        if (!m_questions.empty()) (new ExportDialog([this] { return exportedFigure(); }, this))->show();
    });
    connect(m_group, &QLineEdit::editingFinished, this, [this] { emit groupChanged(m_group->text().trimmed()); });
    connect(m_list, &QListWidget::currentRowChanged, this, &AnswersDialog::showQuestion);
    const ThemeManager& theme = ThemeManager::instance();
    resize(QSize(theme.pixels(900), theme.pixels(560)).boundedTo(screen()->availableSize() * 0.95));
}

void AnswersDialog::setQuestions(std::vector<AnsweredQuestion> questions) {
    const int before = m_list->currentRow();
    std::optional<AnsweredQuestion> selected;
    if (before >= 0 && static_cast<std::size_t>(before) < m_questions.size()) {
        selected = m_questions[static_cast<std::size_t>(before)];
    }
    // A new last question is shown as soon as it is answered.
    const bool isLast = before == m_list->count() - 1 && questions.size() > m_questions.size();
    m_questions = std::move(questions);
    m_list->clear();
    m_answers->clear();
    m_shown.clear();
    m_delete->setEnabled(false);
    for (const AnsweredQuestion& question : m_questions) {
        m_list->addItem(u"%1\n%2, %3"_s.arg(text(question.question), text(question.lecture), text(question.scene)));
    }
    if (m_questions.empty()) {
        Figure figure;
        figure.emptyText =
            u"This lab file has no answers of a class yet. They are stored when a lecture with questions is "
            "presented."_s;
        m_view->setFigure(figure);
        m_words->clear();
        return;
    }
    auto row = static_cast<std::ptrdiff_t>(m_questions.size()) - 1;
    if (selected && !isLast) {
        const auto found = std::find_if(m_questions.begin(), m_questions.end(), [&](const AnsweredQuestion& question) {
            return isSameQuestion(question, *selected);
        });
        if (found != m_questions.end()) row = found - m_questions.begin();
    }
    m_list->setCurrentRow(static_cast<int>(row));
}

void AnswersDialog::setLab(const QJsonObject& origin) {
    const QString path = u"path"_s;
    if (origin.value(path) != m_lab.value(path)) setDeleted({});
    m_lab = origin;
}

void AnswersDialog::setDeleted(std::vector<AnswerRecord> answers) {
    m_deleted = std::move(answers);
    m_undo->setEnabled(!m_deleted.empty());
}

void AnswersDialog::showProblem(const QString& sentence) {
    m_words->setText(sentence);
}

void AnswersDialog::deleteSelected() {
    std::vector<AnswerRecord> answers;
    for (int row = 0; row < m_answers->count(); ++row) {
        if (m_answers->item(row)->isSelected()) answers.push_back(m_shown[static_cast<std::size_t>(row)]);
    }
    if (!answers.empty()) emit deletionRequested(answers);
}

void AnswersDialog::undoDeletion() {
    // A copy, because the receiver calls setDeleted().
    const std::vector<AnswerRecord> answers = m_deleted;
    if (!answers.empty()) emit restorationRequested(answers);
}

void AnswersDialog::showQuestion(int row) {
    if (row < 0 || static_cast<std::size_t>(row) >= m_questions.size()) return;
    const AnsweredQuestion& question = m_questions[static_cast<std::size_t>(row)];
    m_view->setFigure(answersFigure(question));
    QStringList lines;
    for (const AnswerGroup& group : question.groups) {
        lines << u"%1: %2 of %3 right"_s.arg(text(group.name)).arg(group.right).arg(group.people);
    }
    m_words->setText(lines.join(u"; "_s));
    m_answers->clear();
    m_shown.clear();
    for (const AnswerGroup& group : question.groups) {
        for (const AnswerRecord& answer : group.answers) {
            m_shown.push_back(answer);
            m_answers->addItem(answerLine(text(group.name), answer));
        }
    }
    m_delete->setEnabled(false);
}

Figure AnswersDialog::exportedFigure() const {
    Figure figure = m_view->figure();
    figure.origin.flags = {{u"figure"_s, QLatin1String(kAnswersFigure)},
                           {u"question"_s, QString::number(m_list->currentRow() + 1)}};
    figure.origin.lab = m_lab;
    return figure;
}

}  // namespace ropelab::ui

#include "moc_answers_dialog.cpp"
