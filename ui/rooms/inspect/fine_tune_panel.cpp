#include "ui/rooms/inspect/fine_tune_panel.h"

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
#include "ui/common/fields.h"
#include "ui/common/format.h"
#include "ui/common/scaled.h"
#include "ui/rooms/inspect/probe_figures.h"

namespace ropelab::ui {

FineTunePanel::FineTunePanel(QWidget* parent) : QWidget(parent) {
    auto* column = new QVBoxLayout(this);
    scaleLayout(column, {0, 0, 0, 0}, 8);
    column->addWidget(makeHeading(tr("Fine-tuning"), this));
    QGridLayout* grid = makeFieldGrid();
    column->addLayout(grid);
    m_method = makeChoice(tr("Scaling method of fine-tuning"), this);
    for (const ScalingMethod method : extrapolation_methods())
        m_method->addItem(methodTitle(method), static_cast<int>(method));
    chooseData(m_method, static_cast<int>(FineTuning().method));
    addField(
        grid, tr("scaling"), m_method,
        tr("A copy of the run is fine-tuned with this scaling method of the frequencies. The factors of LongRoPE are "
           "first searched for on the training split. A run without RoPE has no frequencies to scale: choose "
           "None."));
    m_steps = new QSpinBox(this);
    m_steps->setAccessibleName(tr("Steps of fine-tuning"));
    m_steps->setRange(1, 1000000);
    m_steps->setValue(static_cast<int>(FineTuning().steps));
    addField(
        grid, tr("steps"), m_steps,
        tr("Fine-tuning takes this number of steps. Each step processes about as many tokens as a step of the run."));
    m_learningRate = new QLineEdit(this);
    m_learningRate->setAccessibleName(tr("Learning rate of fine-tuning"));
    addField(grid, tr("learning rate"), m_learningRate,
             tr("Fine-tuning uses this constant learning rate. The default is a tenth of the run's learning rate."));
    m_button = new QPushButton(this);
    column->addWidget(m_button);
    m_training = addLabel(tr("Run that is fine-tuned"));
    m_bar = new QProgressBar(this);
    m_bar->setTextVisible(false);
    keepSpace(m_bar);
    keepSpace(m_training);
    m_bar->setAccessibleName(tr("Completed steps"));
    column->addWidget(m_bar);
    m_words = addLabel(tr("Reason why the run cannot be fine-tuned"));
    colorAsError(m_words);
    m_numbers = addLabel(tr("Losses before and after fine-tuning"));
    m_numbers->setTextInteractionFlags(Qt::TextSelectableByMouse);
    connect(m_button, &QPushButton::clicked, this, &FineTunePanel::toggleRequested);
    connect(m_method, &QComboBox::currentIndexChanged, this, &FineTunePanel::changed);
    connect(m_learningRate, &QLineEdit::textChanged, this, &FineTunePanel::renew);
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

QString FineTunePanel::whyInvalidRate() const {
    const QString text = m_learningRate->text().trimmed();
    if (text.isEmpty()) return {};
    try {
        const double rate = parse_number(text.toStdString());
        return rate > 0 && std::isfinite(rate) ? QString() : tr("The learning rate must be positive and finite.");
    } catch (const BadInput& error) {
        return QString::fromUtf8(error.what());
    }
}

FineTuning FineTunePanel::chosen(std::int64_t factor) const {
    FineTuning how;
    how.method = static_cast<ScalingMethod>(m_method->currentData().toInt());
    how.factor = factor;
    how.steps = m_steps->value();
    const QString rate = m_learningRate->text().trimmed();
    if (!rate.isEmpty() && whyInvalidRate().isEmpty()) how.learning_rate = parse_number(rate.toStdString());
    return how;
}

void FineTunePanel::fit(const RunSpec& spec) {
    m_learningRate->setPlaceholderText(QString::number(learning_rate_of({}, spec), 'g', 3));
}

void FineTunePanel::renew() {
    const bool isTraining = !m_state.trainingRun.isEmpty();
    const QString rate = whyInvalidRate();
    QString why = rate.isEmpty() ? m_state.refusal : rate;
    if (isTraining) why.clear();
    m_button->setText(isTraining ? tr("Cancel fine-tuning") : tr("Fine-tune copy"));
    m_button->setEnabled(isTraining || (m_state.hasRun && why.isEmpty()));
    m_button->setToolTip(why);
    m_bar->setVisible(isTraining);
    m_training->setText(tr("A copy of %1 is being fine-tuned.").arg(m_state.trainingRun));
    m_training->setVisible(isTraining);
    const QString words = why.isEmpty() ? m_state.problem : why;
    m_words->setText(words);
    m_words->setVisible(!words.isEmpty());
    m_numbers->setText(m_state.results.join(QStringLiteral("\n\n")));
    m_numbers->setVisible(!m_state.results.isEmpty());
    for (QWidget* field : std::initializer_list<QWidget*>{m_method, m_steps, m_learningRate})
        field->setEnabled(!isTraining);
}

void FineTunePanel::showState(const FineTuneState& state) {
    if (m_state.trainingRun.isEmpty() && !state.trainingRun.isEmpty()) showProgress(0, m_steps->value());
    m_state = state;
    renew();
}

void FineTunePanel::showProgress(std::int64_t done, std::int64_t steps) {
    m_bar->setMaximum(static_cast<int>(std::max<std::int64_t>(1, steps)));
    m_bar->setValue(static_cast<int>(done));
    m_bar->setToolTip(tr("%1 of %2 steps").arg(groupedText(done), groupedText(steps)));
}

}  // namespace ropelab::ui
