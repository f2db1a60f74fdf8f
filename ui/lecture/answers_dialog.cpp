#include "ui/lecture/answers_dialog.h"

#include <QHBoxLayout>
#include <QKeySequence>
#include <QLabel>
#include <QListWidget>
#include <QPushButton>
#include <QScreen>
#include <QShortcut>
#include <QVBoxLayout>
#include <utility>

#include "ui/common/figure_table.h"
#include "ui/common/scaled.h"
#include "ui/common/text.h"
#include "ui/figure/export_dialog.h"
#include "ui/lecture/answers_figure.h"
#include "ui/plot/figure_view.h"
#include "ui/theme/theme_manager.h"

namespace ropelab::ui {

AnswersDialog::AnswersDialog(QWidget* parent)
    : QDialog(parent), m_list(new QListWidget(this)), m_view(new FigureView(this)), m_words(makeNote(this)) {
    setObjectName(QStringLiteral("answers"));
    setWindowTitle(tr("Answers of the class"));
    setModal(false);
    m_list->setAccessibleName(tr("Questions"));
    m_list->setWordWrap(true);
    m_list->setTextElideMode(Qt::ElideNone);
    m_view->setAccessibleName(tr("Answers by group"));
    auto* all = new QHBoxLayout(this);
    scaleLayout(all, {12, 12, 12, 12}, 12);
    all->addWidget(m_list, 1);
    auto* column = new QVBoxLayout;
    scaleLayout(column, {0, 0, 0, 0}, 8);
    column->addWidget(m_view, 1);
    column->addWidget(m_words);
    auto* row = new QHBoxLayout;
    scaleLayout(row, {0, 0, 0, 0}, 8);
    row->addStretch(1);
    auto* table = new QPushButton(tr("Show table"), this);
    auto* save = new QPushButton(tr("Export figure …"), this);
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
    connect(m_list, &QListWidget::currentRowChanged, this, &AnswersDialog::showQuestion);
    const ThemeManager& theme = ThemeManager::instance();
    resize(QSize(theme.pixels(900), theme.pixels(560)).boundedTo(screen()->availableSize() * 0.95));
}

void AnswersDialog::setQuestions(std::vector<AnsweredQuestion> questions) {
    m_questions = std::move(questions);
    m_list->clear();
    for (const AnsweredQuestion& question : m_questions) {
        m_list->addItem(tr("%1\n%2, %3").arg(text(question.question), text(question.lecture), text(question.scene)));
    }
    if (m_questions.empty()) {
        Figure figure;
        figure.emptyText = tr("This lab has no answers yet. A lecture with questions fills it.");
        m_view->setFigure(figure);
        m_words->clear();
        return;
    }
    m_list->setCurrentRow(m_list->count() - 1);
}

void AnswersDialog::showQuestion(int row) {
    if (row < 0 || static_cast<std::size_t>(row) >= m_questions.size()) return;
    const AnsweredQuestion& question = m_questions[static_cast<std::size_t>(row)];
    m_view->setFigure(answersFigure(question));
    QStringList lines;
    for (const AnswerGroup& group : question.groups) {
        lines << tr("%1: %2 of %3 right").arg(text(group.name)).arg(group.right).arg(group.people);
    }
    m_words->setText(lines.join(QStringLiteral("; ")));
}

Figure AnswersDialog::exportedFigure() const {
    Figure figure = m_view->figure();
    figure.origin.flags = {{QStringLiteral("figure"), QLatin1String(kAnswersFigure)},
                           {QStringLiteral("question"), QString::number(m_list->currentRow() + 1)}};
    figure.origin.lab = m_lab;
    return figure;
}

}  // namespace ropelab::ui
