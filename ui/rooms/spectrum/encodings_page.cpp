#include "ui/rooms/spectrum/encodings_page.h"

#include <QButtonGroup>
#include <QCheckBox>
#include <QGridLayout>
#include <QLabel>
#include <QLineEdit>
#include <QSignalBlocker>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/settings/run_spec.h"
#include "ui/common/format.h"
#include "ui/common/scaled.h"
#include "ui/controls/field_note.h"
#include "ui/controls/fields.h"
#include "ui/controls/flow_layout.h"
#include "ui/controls/number_slider.h"
#include "ui/figure/ticks.h"
#include "ui/rotary/figure_views.h"
#include "ui/shell/explanation.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;
namespace {

constexpr double kMostHeads = 128;  // upper end of the slider; the text of a setup may exceed it
constexpr double kMaxAttentionWindow = 1048576;
constexpr std::int64_t kFirstWindow = 16;     // initial sliding window, in tokens
constexpr int kLayersLabelWidth = 88;         // two lines, so that the field shows about 20 letters
constexpr std::int64_t kFirstDistances = 64;  // initial number of distances that are fewer than the context

}  // namespace

EncodingsPage::EncodingsPage(PairedView* pair, PanelGrid* grid, QWidget* parent)
    : QWidget(parent),
      m_view(pair->view()),
      m_grid(grid),
      m_chooser(new QWidget(this)),
      m_pictures(new QStackedWidget(this)) {
    auto* column = scaledColumn(this, 8);
    auto* flow = new FlowLayout(m_chooser);
    scaleLayout(flow, {0, 0, 0, 0}, 4);
    auto* group = new QButtonGroup(this);
    for (const QString& title :
         {u"ALiBi bias"_s, u"Attention mask"_s, u"Sinusoidal embeddings"_s, u"Receptive field"_s, u"All encodings"_s}) {
        m_buttons.append(addToggle(flow, group, title, u"Show %1"_s.arg(title)));
        group->setId(m_buttons.last(), static_cast<int>(m_buttons.size()) - 1);
    }
    column->addWidget(m_chooser);
    m_pictures->addWidget(pair);
    m_pictures->addWidget(grid);
    column->addWidget(m_pictures, 1);
    explainBy(grid->panelViews().first(), choice(Picture::all));
    m_view->setReadout([this](QPointF place) { return readout(m_view->figure(), place); });
    pair->setOtherReadout([this, pair](QPointF place) { return readout(pair->otherView()->figure(), place); });
    connect(group, &QButtonGroup::idClicked, this, [this](int id) { choose(static_cast<Picture>(id)); });
    choose(m_picture);
}

QWidget* EncodingsPage::makeFields(QWidget* parent) {
    auto* box = new QWidget(parent);
    auto* column = scaledColumn(box, 8);
    column->addWidget(makeHeading(u"Encodings"_s, box));
    m_heads = addSlider(
        box, u"heads"_s, {}, 1, kMostHeads,
        u"Number of attention heads per layer, H. ALiBi has one slope per head (formula 25 of the guide), and the "
        "model has H·d channels (formula 30 of the guide)."_s);
    m_wholeContext = new QCheckBox(u"attend to the whole context"_s, box);
    m_wholeContext->setToolTip(
        u"Disables the sliding window: each token attends to itself and to all tokens before it."_s);
    column->addWidget(m_wholeContext);
    m_window = addSlider(box, u"attention window"_s, u"tokens"_s, 1, kMaxAttentionWindow,
                         u"Length N of the sliding window: each token attends to itself and to the N − 1 tokens "
                         "before it.\nBeltagy et al. 2020, Jiang et al. 2023; see formula 25"_s);
    connect(m_heads, &NumberSlider::changed, this, [this](double value) { emit headsRequested(std::llround(value)); });
    connect(m_window, &NumberSlider::changed, this,
            [this](double value) { emit attentionWindowRequested(std::llround(value)); });
    connect(m_wholeContext, &QCheckBox::toggled, this, [this](bool isWhole) {
        emit attentionWindowRequested(isWhole ? 0 : std::min(kFirstWindow, m_setup.context));
        emit finished();
    });
    for (NumberSlider* slider : {m_heads, m_window}) {
        connect(slider, &NumberSlider::finished, this, &EncodingsPage::finished);
    }
    makeLayerFields(box);
    m_head = addSlider(box, u"head"_s, {}, 1, kMostHeads,
                       u"Attention head for which the encodings are shown side by "
                       "side, from 1."_s);
    m_wholeDistances = new QCheckBox(u"all distances of the context"_s, box);
    m_wholeDistances->setToolTip(u"Shows the encodings side by side for all distances of the context."_s);
    column->addWidget(m_wholeDistances);
    m_distances = addSlider(box, u"distances"_s, u"tokens"_s, 2, kMaxAttentionWindow,
                            u"Number of distances for which the encodings are shown side by side, starting at distance "
                            "0."_s);
    const auto edits = [this](NumberSlider* slider, auto set) {
        connect(slider, &NumberSlider::changed, this, [this, set](double value) {
            set(m_choices, std::llround(value));
            emit chosen();
        });
    };
    edits(m_head, [](EncodingChoices& of, std::int64_t value) { of.head = static_cast<int>(value); });
    edits(m_distances, [](EncodingChoices& of, std::int64_t value) { of.distances = value; });
    edits(m_layers, [](EncodingChoices& of, std::int64_t value) { of.layers = value; });
    connect(m_wholeDistances, &QCheckBox::toggled, this, [this](bool isWhole) {
        m_choices.distances = isWhole ? 0 : std::max<std::int64_t>(2, std::min(kFirstDistances, m_setup.context));
        renewChoices();
        emit chosen();
    });
    renew(m_setup);
    return box;
}

void EncodingsPage::makeLayerFields(QWidget* box) {
    m_layers = addSlider(box, u"layers"_s, {}, 1, static_cast<double>(kMostReachLayers),
                         u"Number of layers, k, of the receptive field (formula 61 of the guide)."_s);
    m_attentionLayers = new QLineEdit(box);
    m_attentionLayers->setAccessibleName(u"attention of the layers"_s);
    m_layersNote = new FieldNote(m_attentionLayers);
    connect(m_attentionLayers, &QLineEdit::editingFinished, this, &EncodingsPage::adoptPattern);
    QGridLayout* grid = makeFieldGrid(kLayersLabelWidth);
    addField(grid, u"attention of the layers"_s, m_attentionLayers,
             u"Attention of the layers of the receptive field, from the lowest to the highest, as the setting "
             "attention_layers: auto (the sliding window in all layers), or a pattern that repeats, such as 3 window "
             "+ 1 full. The state of a gated DeltaNet (deltanet) includes all earlier tokens."_s);
    static_cast<QVBoxLayout*>(box->layout())->addLayout(grid);
    m_followsSweep = new QCheckBox(u"layers as in the sweep"_s, box);
    m_followsSweep->setToolTip(
        u"Uses the number of layers and their attention from the sweep on the page Train (the first value of a setting "
        "that the sweep varies). The attention window stays that of the setup."_s);
    box->layout()->addWidget(m_followsSweep);
    connect(m_followsSweep, &QCheckBox::toggled, this, [this] {
        followSweep();
        renewChoices();
        emit chosen();
    });
}

void EncodingsPage::adoptPattern() {
    const std::string typed = m_attentionLayers->text().trimmed().toStdString();
    if (typed == m_choices.attention_layers) return m_layersNote->say({});
    try {
        windows_of_layers(typed, 1, 1);
    } catch (const BadInput& error) {
        return m_layersNote->say(QString::fromStdString(error.what()));
    }
    m_layersNote->say({});
    m_choices.attention_layers = typed;
    renewChoices();
    emit chosen();
}

void EncodingsPage::setSweep(std::int64_t layers, const std::string& attentionLayers) {
    m_sweepLayers = std::min(layers, kMostReachLayers);
    m_sweepPattern = attentionLayers;
    const EncodingChoices before = m_choices;
    followSweep();
    renewChoices();
    if (m_choices != before) emit chosen();
}

void EncodingsPage::followSweep() {
    if (!m_followsSweep || !m_followsSweep->isChecked()) return;
    m_choices.layers = m_sweepLayers;
    m_choices.attention_layers = m_sweepPattern;
}

NumberSlider* EncodingsPage::addSlider(QWidget* box, const QString& label, const QString& unit, double minimum,
                                       double maximum, const QString& why) {
    auto* slider = new NumberSlider({.label = label,
                                     .unit = unit,
                                     .minimum = minimum,
                                     .maximum = maximum,
                                     .logarithmic = minimum > 0,
                                     .step = 1,
                                     .text = wholeText,
                                     .why = why},
                                    box);
    box->layout()->addWidget(slider);
    return slider;
}

FigureView* EncodingsPage::view() const {
    return m_picture == Picture::all ? m_grid->panelViews().first() : m_view;
}

void EncodingsPage::setChoices(const EncodingChoices& choices) {
    m_choices = choices;
    if (m_followsSweep) {
        const QSignalBlocker quiet(m_followsSweep);
        m_followsSweep->setChecked(false);
    }
    renewChoices();
    emit chosen();
}

void EncodingsPage::renewChoices() {
    choice(Picture::reach)->setToolTip(reachToolTip(m_setup, m_choices));
    choice(Picture::all)->setToolTip(encodingsToolTip(m_setup, m_choices));
    if (!m_head) return;
    m_head->setValue(m_choices.head);
    m_layers->setValue(static_cast<double>(m_choices.layers));
    m_attentionLayers->setText(QString::fromStdString(m_choices.attention_layers));
    m_layersNote->say({});
    const QSignalBlocker quiet(m_wholeDistances);
    m_wholeDistances->setChecked(m_choices.distances == 0);
    m_distances->setValue(static_cast<double>(m_choices.distances == 0 ? m_setup.context : m_choices.distances));
    const bool isReach = m_picture == Picture::reach;
    m_followsSweep->setEnabled(isReach && !m_sweepPattern.empty());
    m_layers->setEnabled(isReach && !m_followsSweep->isChecked());
    m_attentionLayers->setEnabled(isReach && !m_followsSweep->isChecked());
    m_head->setEnabled(m_picture == Picture::all);
    m_wholeDistances->setEnabled(m_picture == Picture::all);
    m_distances->setEnabled(m_picture == Picture::all && m_choices.distances != 0);
}

void EncodingsPage::renew(const RotarySetup& setup) {
    m_setup = setup;
    choice(Picture::alibi)->setToolTip(alibiToolTip(setup));
    choice(Picture::mask)->setToolTip(maskToolTip(setup));
    choice(Picture::sinusoidal)->setToolTip(sinusoidalToolTip(setup));
    renewChoices();
    if (!m_heads) return;
    m_heads->setValue(static_cast<double>(setup.heads));
    const QSignalBlocker quiet(m_wholeContext);
    m_wholeContext->setChecked(setup.attention_window == 0);
    m_window->setEnabled(setup.attention_window != 0);
    m_window->setValue(static_cast<double>(setup.attention_window == 0 ? setup.context : setup.attention_window));
}

void EncodingsPage::choose(Picture picture) {
    m_picture = picture;
    choice(picture)->setChecked(true);
    m_pictures->setCurrentIndex(picture == Picture::all ? 1 : 0);
    if (picture != Picture::all) {
        explainBy(m_view, choice(picture));
        m_view->setAccessibleName(choice(picture)->text());
    }
    renew(m_setup);
    emit chosen();
}

Figure encodingFigure(EncodingsPage::Picture picture, const RotarySetup& setup, const EncodingChoices& choices) {
    switch (picture) {
        case EncodingsPage::Picture::alibi:
            return alibiFigure(setup);
        case EncodingsPage::Picture::mask:
            return maskFigure(setup);
        case EncodingsPage::Picture::reach:
            return reachFigure(setup, choices);
        case EncodingsPage::Picture::all:
            return encodingsFigure(setup, choices);
        case EncodingsPage::Picture::sinusoidal:
            break;
    }
    return sinusoidalFigure(setup);
}

std::optional<FigureView::Readout> EncodingsPage::readout(const Figure& figure, QPointF place) const {
    if (!figure.map) return std::nullopt;
    const FigureMap& map = *figure.map;
    const auto column = static_cast<int>(std::lround((place.x() - map.xFirst) / map.xStep));
    const auto row = static_cast<int>(std::lround((place.y() - map.yFirst) / map.yStep));
    if (column < 0 || column >= map.columns || row < 0 || row >= map.rows) return std::nullopt;
    const float value = map.values[static_cast<qsizetype>(row) * map.columns + column];
    const double x = map.xFirst + column * map.xStep;
    const QString across = readableCount(x);
    const QString up = readableCount(map.yFirst + row * map.yStep);
    FigureView::Readout result{{}, x, {}};
    if (m_picture == Picture::sinusoidal) {
        result.title = u"position %1, channel %2"_s.arg(across, up);
        result.rows.append({map.label, readableNumber(value)});
    } else if (m_picture == Picture::reach) {
        result.title = u"layer %1, %2 tokens before the last one"_s.arg(up, across);
        result.rows.append(
            {u"token"_s, value == kVisible ? u"can change the output"_s : u"cannot change the output"_s});
    } else if (m_picture == Picture::alibi) {
        result.title = u"%1, distance %2 tokens"_s.arg(figure.y.categories[row], across);
        result.rows.append({map.label, std::isnan(value) ? u"none: outside the sliding window"_s
                                                         : u"%1 nats"_s.arg(readableNumber(value))});
    } else {
        result.title = u"query at position %1, key at position %2"_s.arg(up, across);
        result.rows.append({u"distance"_s, u"%1 tokens"_s.arg(row - column)});
        result.rows.append({u"key"_s, std::isnan(value)   ? u"in the future"_s
                                      : value == kVisible ? u"visible"_s
                                                          : u"outside the sliding window"_s});
    }
    return result;
}

}  // namespace ropelab::ui
