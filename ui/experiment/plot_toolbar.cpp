#include "ui/experiment/plot_toolbar.h"

#include <QButtonGroup>
#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QSlider>
#include <QToolButton>
#include <algorithm>
#include <cmath>
#include <vector>

#include "core/spec/error.h"
#include "ui/experiment/flow_layout.h"
#include "ui/experiment/run_table.h"
#include "ui/plot/curve_plot.h"
#include "ui/theme/theme_manager.h"
#include "ui/window/scaled.h"
#include "ui/window/settings.h"

namespace ropelab::ui {

namespace {

struct View {
    const char* id;               // as the settings keep it
    std::vector<Quantity> shown;  // none: the roofline
};

const std::vector<View>& views() {
    static const std::vector<View> all = {
        {"validation_loss", {Quantity::validation_loss}},
        {"training_loss", {Quantity::training_loss}},
        {"losses", {Quantity::validation_loss, Quantity::training_loss}},
        {"learning_rate", {Quantity::learning_rate}},
        {"gradient_norm", {Quantity::gradient_norm}},
        {"characters_per_second", {Quantity::tokens_per_second}},
        {"roofline", {}},
    };
    return all;
}

QString titleOf(const View& view) {
    if (view.shown.empty()) return QObject::tr("roofline");
    if (view.shown.size() > 1) return QObject::tr("both losses");
    return nameOf(view.shown.front());
}

QString smoothText(int percent) {
    return percent == 0 ? QObject::tr("smooth: off")
                        : QObject::tr("smooth: %1").arg(percent / 100.0, 0, 'f', 2, QLatin1Char('0'));
}

}  // namespace

PlotToolbar::PlotToolbar(CurvePlot& plot, RunTable& table, Settings& settings, QWidget* parent)
    : QWidget(parent), m_plot(plot), m_table(table), m_settings(settings) {
    auto* row = new FlowLayout(this);  // on two lines where the window is narrow
    scaleLayout(row, {0, 0, 0, 0}, 8);

    m_quantity = new QComboBox(this);
    m_quantity->setAccessibleName(tr("Quantity"));
    m_quantity->setToolTip(tr("What is drawn; the roofline shows what limits the speed."));
    for (const View& view : views()) m_quantity->addItem(titleOf(view), QLatin1String(view.id));
    m_unit = new QComboBox(this);
    m_unit->setAccessibleName(tr("Unit of losses"));
    m_unit->addItem(tr("nats"), QStringLiteral("nats"));
    m_unit->addItem(tr("bits/character"), QStringLiteral("bits"));
    m_quantity->setCurrentIndex(std::max(0, m_quantity->findData(m_settings.value("train/quantity"))));
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
        tr("One curve for runs that differ in their seed only: the mean, with a band of one standard "
           "deviation."));
    m_bands->setChecked(m_settings.value("train/bands").toString() == QLatin1String("on"));
    m_bands->setFocusPolicy(Qt::TabFocus);
    row->addWidget(m_bands);
    connect(m_bands, &QToolButton::toggled, this, [this](bool on) {
        m_settings.setValue("train/bands", on ? QStringLiteral("on") : QStringLiteral("off"));
        emit bandsChanged(isBands());
    });

    auto* reset = new QToolButton(this);
    reset->setText(tr("Reset view"));
    reset->setToolTip(tr("Shows everything again and follows the data (R)."));
    reset->setVisible(false);
    connect(reset, &QToolButton::clicked, &m_plot, &CurvePlot::resetView);
    connect(&m_plot, &CurvePlot::followsDataChanged, reset, [reset](bool follows) { reset->setVisible(!follows); });
    m_export = new QToolButton(this);
    m_export->setText(tr("Export …"));
    m_export->setToolTip(tr("PDF, SVG, PNG or CSV of this plot (Ctrl+E)."));
    connect(m_export, &QToolButton::clicked, this, &PlotToolbar::exportAsked);
    for (QToolButton* button : {reset, m_export}) {
        button->setFocusPolicy(Qt::TabFocus);
        row->addWidget(button);
    }
    applyView();
}

QWidget* PlotToolbar::makeAxisChoice() {
    auto* box = new QWidget(this);
    auto* row = new QHBoxLayout(box);
    scaleLayout(row, {0, 0, 0, 0}, 4);
    auto* group = new QButtonGroup(box);
    m_linear = new QToolButton(box);
    m_linear->setText(tr("linear"));
    m_linear->setAccessibleName(tr("Linear axis"));
    m_log = new QToolButton(box);
    m_log->setText(tr("log"));
    m_log->setAccessibleName(tr("Logarithmic axis"));
    for (QToolButton* button : {m_linear, m_log}) {
        button->setCheckable(true);
        button->setFocusPolicy(Qt::TabFocus);
        group->addButton(button);
        row->addWidget(button);
    }
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
    slider->setToolTip(tr("Moving average; the raw line stays faintly underneath."));
    scaleWidth(slider, 72);
    row->addWidget(slider);
    // As wide as its widest text, so that the slider stays where it is.
    const auto fit = [value] { value->setMinimumWidth(value->fontMetrics().horizontalAdvance(smoothText(88))); };
    connect(&ThemeManager::instance(), &ThemeManager::changed, value, fit);
    fit();
    connect(slider, &QSlider::valueChanged, this, [this, value](int percent) {
        value->setText(smoothText(percent));
        m_plot.setSmoothing(percent / 100.0);
        m_settings.setValue("train/smoothing", percent);
    });
    slider->setValue(m_settings.value("train/smoothing").toInt());
    value->setText(smoothText(slider->value()));
    return box;
}

void PlotToolbar::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    // A line of its own would take it from the picture; the menu and the plot's own menu have it as well.
    m_export->setVisible(width() >= ThemeManager::instance().pixels(680));
}

void PlotToolbar::showQuantity(const QString& id) {
    const int index = m_quantity->findData(id);
    if (index < 0) throw BadInput("There is no quantity \"" + id.toStdString() + "\" in this room.");
    m_quantity->setCurrentIndex(index);
}

void PlotToolbar::applyView() {
    const View& view = views()[static_cast<std::size_t>(std::max(0, m_quantity->currentIndex()))];
    const bool bits = m_unit->currentData().toString() == QStringLiteral("bits");
    const QString unit = bits ? tr("bits per character") : tr("nats");
    const double perNat = bits ? 1 / std::log(2.0) : 1.0;
    m_unit->setVisible(!view.shown.empty() && isLoss(view.shown.front()));
    m_axis->setVisible(!view.shown.empty());
    m_smoothing->setVisible(!view.shown.empty());
    showBands();
    m_plot.setLossUnit(unit, perNat);
    if (!view.shown.empty()) m_plot.setShownQuantities(view.shown);
    m_table.setLossUnit(unit, perNat);
    m_settings.setValue("train/quantity", QString::fromLatin1(view.id));
    m_settings.setValue("train/unit", m_unit->currentData());
    emit rooflineChanged(view.shown.empty());
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
    m_bands->setVisible(m_bandsPossible && !isRoofline());
}

bool PlotToolbar::isRoofline() const {
    return views()[static_cast<std::size_t>(std::max(0, m_quantity->currentIndex()))].shown.empty();
}

}  // namespace ropelab::ui
