#include "ui/rooms/train/plot_toolbar.h"

#include <QButtonGroup>
#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QSlider>
#include <QToolButton>
#include <algorithm>
#include <vector>

#include "core/spec/aliases.h"
#include "core/spec/error.h"
#include "ui/common/fields.h"
#include "ui/common/flow_layout.h"
#include "ui/common/scaled.h"
#include "ui/plot/curve_plot.h"
#include "ui/rooms/train/run_table.h"
#include "ui/session/settings.h"
#include "ui/theme/theme_manager.h"

namespace ropelab::ui {

namespace {

struct View {
    const char* id;               // name of the view in the settings
    std::vector<Quantity> shown;  // empty for the roofline
};

const std::vector<View>& views() {
    static const std::vector<View> all = {
        {"validation_loss", {Quantity::validation_loss}},
        {"training_loss", {Quantity::training_loss}},
        {"losses", {Quantity::validation_loss, Quantity::training_loss}},
        {"learning_rate", {Quantity::learning_rate}},
        {"gradient_norm", {Quantity::gradient_norm}},
        {"tokens_per_second", {Quantity::tokens_per_second}},
        {"roofline", {}},
    };
    return all;
}

QString viewTitle(const View& view) {
    if (view.shown.empty()) return QObject::tr("roofline");
    if (view.shown.size() > 1) return QObject::tr("train and val loss");
    return nameOf(view.shown.front());
}

QString smoothText(int percent) {
    return percent == 0 ? QObject::tr("smoothing: off")
                        : QObject::tr("smoothing: %1").arg(percent / 100.0, 0, 'f', 2, QLatin1Char('0'));
}

}  // namespace

PlotToolbar::PlotToolbar(CurvePlot& plot, RunTable& table, Settings& settings, QWidget* parent)
    : QWidget(parent), m_plot(plot), m_table(table), m_settings(settings) {
    auto* row = new FlowLayout(this);  // wraps to two lines in a narrow window
    scaleLayout(row, {0, 0, 0, 0}, 8);

    m_quantity = new QComboBox(this);
    m_quantity->setAccessibleName(tr("Quantity"));
    m_quantity->setToolTip(
        tr("Selects the quantity to plot. The roofline shows whether arithmetic or memory limits the training speed."));
    for (const View& view : views()) m_quantity->addItem(viewTitle(view), QLatin1String(view.id));
    m_unit = new QComboBox(this);
    m_unit->setAccessibleName(tr("Unit of losses"));
    m_unit->addItem(tr("nats/token"), QStringLiteral("nats"));
    m_unit->addItem(tr("bits/token"), QStringLiteral("bits"));
    m_unit->addItem(tr("bits/byte"), QStringLiteral("bits-per-byte"));
    m_unit->setToolTip(tr(
        "Selects the unit of losses. Bits per byte = loss in nats / ln 2, divided by the mean number of bytes of the "
        "validation split's tokens, so that runs with different tokenizers can be compared. Formula 35"));
    m_quantity->setCurrentIndex(std::max(0, indexOfQuantity(m_settings.value("train/quantity").toString())));
    m_unit->setCurrentIndex(std::max(0, m_unit->findData(m_settings.value("train/unit"))));
    for (QComboBox* choice : {m_quantity, m_unit}) {
        choice->setFocusPolicy(Qt::StrongFocus);
        row->addWidget(choice);
        connect(choice, &QComboBox::currentIndexChanged, this, &PlotToolbar::applyView);
    }
    scaleWidth(m_quantity, 168);
    scaleWidth(m_unit, 136);
    m_axis = makeAxisChoice();
    m_smoothing = makeSmoothing();
    row->addWidget(m_axis);
    row->addWidget(m_smoothing);

    m_bands = new QToolButton(this);
    m_bands->setText(tr("± std"));
    m_bands->setAccessibleName(tr("Mean and standard deviation over seeds"));
    m_bands->setCheckable(true);
    m_bands->setToolTip(
        tr("Shows the mean of runs that differ only in their seed as one curve, with a band of ± one standard "
           "deviation. It requires runs that differ only in their seed."));
    m_bands->setChecked(m_settings.value("train/bands").toString() == QLatin1String("on"));
    m_bands->setFocusPolicy(Qt::TabFocus);
    connect(m_bands, &QToolButton::toggled, this, [this](bool on) {
        m_settings.setValue("train/bands", on ? QStringLiteral("on") : QStringLiteral("off"));
        emit bandsChanged(isBands());
    });

    m_reset = new QToolButton(this);
    m_reset->setText(tr("Reset view"));
    m_reset->setToolTip(tr("Resets both axes to the full range of the data and follows new data (Ctrl+R)."));
    m_reset->setFocusPolicy(Qt::TabFocus);
    m_reset->setEnabled(false);
    connect(m_reset, &QToolButton::clicked, &m_plot, &CurvePlot::resetView);
    connect(&m_plot, &CurvePlot::followsDataChanged, m_reset,
            [reset = m_reset](bool follows) { reset->setEnabled(!follows); });
    m_export = new QToolButton(this);
    m_export->setText(tr("Export …"));
    m_export->setToolTip(tr("Exports this plot as PDF, SVG, PNG or CSV (Ctrl+E)."));
    connect(m_export, &QToolButton::clicked, this, &PlotToolbar::exportRequested);
    m_export->setFocusPolicy(Qt::TabFocus);
    row->addWidget(m_export);
    row->addWidget(m_bands);
    applyView();
}

QWidget* PlotToolbar::makeAxisChoice() {
    auto* box = new QWidget(this);
    auto* row = new QHBoxLayout(box);
    scaleLayout(row, {0, 0, 0, 0}, 4);
    auto* group = new QButtonGroup(box);
    m_linear = addToggle(row, group, tr("linear"), tr("Linear axis"));
    m_log = addToggle(row, group, tr("log"), tr("Logarithmic axis"));
    const bool logarithmic = m_settings.value("train/logarithmic").toBool();
    (logarithmic ? m_log : m_linear)->setChecked(true);
    m_plot.setYLogarithmic(logarithmic);
    connect(m_log, &QToolButton::toggled, &m_plot, &CurvePlot::setYLogarithmic);
    connect(&m_plot, &CurvePlot::yLogarithmicChanged, this, [this](bool on) {
        (on ? m_log : m_linear)->setChecked(true);
        m_settings.setValue("train/logarithmic", on);
    });
    return box;
}

QWidget* PlotToolbar::makeSmoothing() {
    auto* box = new QWidget(this);
    auto* row = new QHBoxLayout(box);
    scaleLayout(row, {0, 0, 0, 0}, 8);
    auto* value = new QLabel(box);
    value->setProperty("quiet", true);
    row->addWidget(value);
    auto* slider = new QSlider(Qt::Horizontal, box);
    slider->setRange(0, 99);
    slider->setAccessibleName(tr("Smoothing"));
    slider->setToolTip(
        tr("Weight of the exponential moving average. The unsmoothed curve stays visible as a faint line."));
    scaleWidth(slider, 72);
    row->addWidget(slider);
    // The label is as wide as its widest text, so that the slider does not move when the number changes.
    const auto fit = [value] { value->setMinimumWidth(value->fontMetrics().horizontalAdvance(smoothText(88))); };
    connect(&ThemeManager::instance(), &ThemeManager::changed, value, fit);
    fit();
    connect(slider, &QSlider::valueChanged, this, [this, value](int percent) {
        value->setText(smoothText(percent));
        m_plot.setSmoothing(percent / 100.0);
        emit smoothingChanged(percent / 100.0);
        m_settings.setValue("train/smoothing", percent);
    });
    slider->setValue(m_settings.value("train/smoothing").toInt());
    value->setText(smoothText(slider->value()));
    return box;
}

void PlotToolbar::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    // In a narrow window the button would need a second line; both menus offer the export as well.
    m_export->setVisible(width() >= ThemeManager::instance().pixels(680));
}

int PlotToolbar::indexOfQuantity(const QString& id) const {
    return m_quantity->findData(
        QString::fromStdString(std::string(current_name(Alias::Kind::quantity, id.toStdString()))));
}

void PlotToolbar::showQuantity(const QString& id) {
    const int index = indexOfQuantity(id);
    if (index < 0) throw BadInput("The Train room has no quantity \"" + id.toStdString() + "\".");
    m_quantity->setCurrentIndex(index);
}

void PlotToolbar::applyView() {
    const View& view = views()[static_cast<std::size_t>(std::max(0, m_quantity->currentIndex()))];
    const LossUnit unit = lossUnit(m_unit->currentData().toString());
    // What does not apply is disabled and not hidden, so that the other controls keep their place.
    m_unit->setEnabled(!view.shown.empty() && isLoss(view.shown.front()));
    m_axis->setEnabled(!view.shown.empty());
    m_smoothing->setEnabled(!view.shown.empty());
    showBands();
    m_plot.setLossUnit(unit);
    if (!view.shown.empty()) m_plot.setShownQuantities(view.shown);
    m_table.setLossUnit(unit);
    m_settings.setValue("train/quantity", QString::fromLatin1(view.id));
    m_settings.setValue("train/unit", m_unit->currentData());
    emit rooflineChanged(view.shown.empty());
    emit unitChanged();
}

void PlotToolbar::showUnit(const QString& word) {
    const int index = m_unit->findData(word);
    if (index < 0) throw BadInput("The Train room has no unit of losses \"" + word.toStdString() + "\".");
    m_unit->setCurrentIndex(index);
}

bool PlotToolbar::isLossPerToken() const {
    return m_unit->isEnabled() && !lossUnit(m_unit->currentData().toString()).isPerByte;
}

bool PlotToolbar::isBands() const {
    return m_bandsPossible && m_bands->isChecked();
}

void PlotToolbar::setBandsPossible(bool possible, bool wanted) {
    if (m_settings.value("train/bands").toString() == QLatin1String("auto")) {
        const QSignalBlocker quiet(m_bands);
        m_bands->setChecked(wanted);
    }
    if (possible == m_bandsPossible) return;
    m_bandsPossible = possible;
    showBands();
    emit bandsChanged(isBands());
}

void PlotToolbar::showBands() {
    m_bands->setEnabled(m_bandsPossible && !isRoofline());
}

bool PlotToolbar::isRoofline() const {
    return views()[static_cast<std::size_t>(std::max(0, m_quantity->currentIndex()))].shown.empty();
}

}  // namespace ropelab::ui
