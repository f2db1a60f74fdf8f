#include "ui/reproduce/reproduce_panel.h"

#include <QComboBox>
#include <QGridLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "core/spec/error.h"
#include "core/spec/numbers.h"
#include "ui/window/fields.h"
#include "ui/window/scaled.h"
#include "ui/window/workspace.h"

namespace ropelab::ui {

namespace {

QLabel* makeWords(QWidget* parent) {
    auto* label = new QLabel(parent);
    label->setWordWrap(true);
    label->setTextFormat(Qt::PlainText);
    return label;
}

}  // namespace

ReproducePanel::ReproducePanel(Workspace& workspace, QWidget* parent) : QFrame(parent), m_workspace(workspace) {
    const auto [area, content, column] = makePanel(this, tr("Reproduce"));
    column->addWidget(makeHeading(tr("Sheet"), content));
    QGridLayout* grid = makeFieldGrid();
    m_sheet = makeChoice(tr("Sheet"), content);
    for (const Sheet& sheet : sheets()) {
        m_sheet->addItem(QString::fromStdString(sheet.name));
        m_sheet->setItemData(m_sheet->count() - 1, QString::fromStdString(sheet.title), Qt::ToolTipRole);
    }
    addField(grid, tr("sheet"), m_sheet, tr("What was published, what is trained to see it, and how it is judged."));
    m_scale = makeChoice(tr("Scale"), content);
    for (const SheetScale scale : {SheetScale::smoke, SheetScale::laptop, SheetScale::paper}) {
        m_scale->addItem(QString::fromStdString(to_string(scale)), static_cast<int>(scale));
    }
    addField(grid, tr("scale"), m_scale,
             tr("smoke: two seeds, seconds a run, to see that the sheet works; laptop: small models; paper: the "
                "published shape."));
    m_seeds = new QLineEdit(content);
    m_seeds->setPlaceholderText(tr("the sheet's own"));
    m_seeds->setClearButtonEnabled(true);
    m_seeds->setAccessibleName(tr("Seeds a setting"));
    addField(grid, tr("seeds"), m_seeds, tr("Seeds a setting, 2 or more; each begins with 1337."));
    column->addLayout(grid);
    m_cost = makeWords(content);
    m_problem = makeWords(content);
    colorAsError(m_problem);
    column->addWidget(m_cost);
    column->addWidget(m_problem);
    m_start = new QPushButton(content);
    m_start->setProperty("primary", true);
    m_anew = new QPushButton(tr("Start anew"), content);
    m_anew->setToolTip(tr("In another lab; the one that is there stays as it is."));
    for (QPushButton* button : {m_start, m_anew}) {
        button->setFocusPolicy(Qt::TabFocus);
        column->addWidget(button);
    }
    connect(m_start, &QPushButton::clicked, this, &ReproducePanel::startAsked);
    connect(m_anew, &QPushButton::clicked, this, &ReproducePanel::anewAsked);
    m_output = new TableOutput(content);
    column->addWidget(m_output);
    column->addStretch(1);
    recall();
    const auto tell = [this] {
        keep();
        emit changed();
    };
    for (QComboBox* combo : {m_sheet, m_scale}) connect(combo, &QComboBox::currentIndexChanged, this, tell);
    connect(m_seeds, &QLineEdit::textChanged, this, &ReproducePanel::changed);
    connect(m_output, &TableOutput::formatChanged, this, &ReproducePanel::keep);
    offer({});
    showCost({});
    showProblem({});
}

void ReproducePanel::recall() {
    const Settings& settings = m_workspace.settings();
    const QString held = settings.value("reproduce/sheet").toString();
    m_sheet->setCurrentIndex(std::max(0, m_sheet->findText(held.section(QLatin1Char('/'), 0, 0))));
    m_scale->setCurrentIndex(std::max(0, m_scale->findText(held.section(QLatin1Char('/'), 1))));
    m_output->choose(settings.value("reproduce/format").toString());
}

void ReproducePanel::keep() {
    Settings& settings = m_workspace.settings();
    settings.setValue("reproduce/sheet", m_sheet->currentText() + QLatin1Char('/') + m_scale->currentText());
    settings.setValue("reproduce/format", suffixOf(m_output->format()));
}

ReproducePanel::Choice ReproducePanel::choice() const {
    Choice choice{m_sheet->currentText().toStdString(), static_cast<SheetScale>(m_scale->currentData().toInt()), {}};
    const std::string typed = m_seeds->text().trimmed().toStdString();
    if (typed.empty()) return choice;
    const double seeds = parse_number(typed);
    if (seeds != std::floor(seeds) || std::abs(seeds) > 1e6) {
        throw BadInput("Seeds are " + typed + ", but their number must be whole, from 2 to 1000.");
    }
    choice.seeds = static_cast<std::int64_t>(seeds);
    return choice;
}

void ReproducePanel::choose(const std::string& sheet, SheetScale scale) {
    const QSignalBlocker quiet(this);
    m_seeds->clear();
    m_sheet->setCurrentIndex(std::max(0, m_sheet->findText(QString::fromStdString(sheet))));
    chooseData(m_scale, static_cast<int>(scale));
}

void ReproducePanel::offer(const Offer& offer) {
    m_start->setText(offer.text);
    m_start->setEnabled(offer.isEnabled);
    m_start->setToolTip(offer.why);
    m_anew->setVisible(offer.hasAnother);
}

void ReproducePanel::showCost(const QString& words) {
    m_cost->setText(words);
    m_cost->setVisible(!words.isEmpty());
}

void ReproducePanel::showProblem(const QString& sentence) {
    m_problem->setText(sentence);
    m_problem->setVisible(!sentence.isEmpty());
}

QString ReproducePanel::costText() const {
    return m_cost->text();
}

QString ReproducePanel::problem() const {
    return m_problem->text();
}

}  // namespace ropelab::ui
