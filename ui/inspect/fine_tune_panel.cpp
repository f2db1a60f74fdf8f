#include "ui/inspect/fine_tune_panel.h"

#include <QComboBox>
#include <QGridLayout>
#include <QLabel>
#include <QLineEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QSpinBox>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "core/spec/error.h"
#include "core/spec/numbers.h"
#include "ui/inspect/probe_figures.h"
#include "ui/window/fields.h"
#include "ui/window/format.h"
#include "ui/window/scaled.h"

namespace ropelab::ui {

FineTunePanel::FineTunePanel(QWidget* parent) : QWidget(parent) {
    auto* column = new QVBoxLayout(this);
    scaleLayout(column, {0, 0, 0, 0}, 8);
    column->addWidget(makeHeading(tr("Fine-tuning"), this));
    QGridLayout* grid = makeFieldGrid();
    column->addLayout(grid);
    m_method = makeChoice(tr("Scaling of fine-tuning"), this);
    for (const ScalingMethod method : beyond_methods())
        m_method->addItem(methodTitle(method), static_cast<int>(method));
    chooseData(m_method, static_cast<int>(FineTuning().method));
    addField(grid, tr("scaling"), m_method,
             tr("What the frequencies are scaled by while a copy of the run trains on."));
    m_steps = new QSpinBox(this);
    m_steps->setAccessibleName(tr("Steps of fine-tuning"));
    m_steps->setRange(1, 1000000);
    m_steps->setValue(static_cast<int>(FineTuning().steps));
    addField(grid, tr("steps"), m_steps, tr("Each reads as many symbols as a step of the run did."));
    m_rate = new QLineEdit(this);
    m_rate->setAccessibleName(tr("Learning rate of fine-tuning"));
    addField(grid, tr("rate"), m_rate,
             tr("The learning rate, the same at every step; a tenth of the run's otherwise."));
    m_button = new QPushButton(this);
    column->addWidget(m_button);
    m_training = addLabel(tr("Run that is being fine-tuned"));
    m_bar = new QProgressBar(this);
    m_bar->setTextVisible(false);
    m_bar->setAccessibleName(tr("Steps done"));
    column->addWidget(m_bar);
    m_words = addLabel(tr("Why it cannot be fine-tuned"));
    colorAsError(m_words);
    m_numbers = addLabel(tr("Losses before and after"));
    m_numbers->setTextInteractionFlags(Qt::TextSelectableByMouse);
    connect(m_button, &QPushButton::clicked, this, &FineTunePanel::asked);
    connect(m_method, &QComboBox::currentIndexChanged, this, &FineTunePanel::changed);
    connect(m_rate, &QLineEdit::textChanged, this, &FineTunePanel::renew);
    renew();
}

QLabel* FineTunePanel::addLabel(const QString& name) {
    auto* label = new QLabel(this);
    label->setWordWrap(true);
    label->setTextFormat(Qt::PlainText);
    label->setAccessibleName(name);
    layout()->addWidget(label);
    return label;
}

QString FineTunePanel::whyNoRate() const {
    const QString text = m_rate->text().trimmed();
    if (text.isEmpty()) return {};
    try {
        const double rate = parse_number(text.toStdString());
        return rate > 0 && std::isfinite(rate) ? QString() : tr("The learning rate must be above 0 and finite.");
    } catch (const BadInput& error) {
        return QString::fromUtf8(error.what());
    }
}

FineTuning FineTunePanel::chosen(std::int64_t factor) const {
    FineTuning how;
    how.method = static_cast<ScalingMethod>(m_method->currentData().toInt());
    how.factor = factor;
    how.steps = m_steps->value();
    const QString rate = m_rate->text().trimmed();
    if (!rate.isEmpty() && whyNoRate().isEmpty()) how.learning_rate = parse_number(rate.toStdString());
    return how;
}

void FineTunePanel::fit(const RunSpec& spec) {
    m_rate->setPlaceholderText(QString::number(learning_rate_of({}, spec), 'g', 3));
}

void FineTunePanel::renew() {
    const bool runs = !m_state.trains.isEmpty();
    const QString rate = whyNoRate();
    QString why = rate.isEmpty() ? m_state.refusal : rate;
    if (runs) why.clear();
    m_button->setText(runs ? tr("Cancel") : tr("Fine-tune"));
    m_button->setEnabled(runs || (m_state.hasRun && why.isEmpty()));
    m_button->setToolTip(why);
    m_bar->setVisible(runs);
    m_training->setText(tr("A copy of %1 trains on.").arg(m_state.trains));
    m_training->setVisible(runs);
    const QString words = why.isEmpty() ? m_state.problem : why;
    m_words->setText(words);
    m_words->setVisible(!words.isEmpty());
    m_numbers->setText(m_state.numbers.join(QStringLiteral("\n\n")));
    m_numbers->setVisible(!m_state.numbers.isEmpty());
    for (QWidget* field : std::initializer_list<QWidget*>{m_method, m_steps, m_rate}) field->setEnabled(!runs);
}

void FineTunePanel::showState(const FineTuneState& state) {
    if (m_state.trains.isEmpty() && !state.trains.isEmpty()) showProgress(0, m_steps->value());
    m_state = state;
    renew();
}

void FineTunePanel::showProgress(std::int64_t done, std::int64_t steps) {
    m_bar->setMaximum(static_cast<int>(std::max<std::int64_t>(1, steps)));
    m_bar->setValue(static_cast<int>(done));
    m_bar->setToolTip(tr("%1 of %2 steps").arg(groupedText(done), groupedText(steps)));
}

}  // namespace ropelab::ui
