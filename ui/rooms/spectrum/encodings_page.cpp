#include "ui/rooms/spectrum/encodings_page.h"

#include <QButtonGroup>
#include <QLabel>
#include <QLineEdit>
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

SliderRow wholeSlider(double minimum, double maximum, const QString& unit = {}) {
    return {.unit = unit, .minimum = minimum, .maximum = maximum, .logarithmic = true, .step = 1, .text = wholeText};
}

QList<FormRow> encodingRows() {
    const CheckRow wide{.isWide = true};
    return {
        {"heads",
         u"heads"_s,
         {},
         u"Number of attention heads per layer, H. ALiBi has one slope per head (formula 25 of the guide), and the "
         "model has H·d channels (formula 30 of the guide)."_s,
         wholeSlider(1, kMostHeads)},
        {"whole-context",
         u"attend to the whole context"_s,
         {},
         u"Disables the sliding window: each token attends to itself and to all tokens before it."_s,
         wide},
        {"window",
         u"attention window"_s,
         {},
         u"Length N of the sliding window: each token attends to itself and to the N − 1 tokens before it.\nBeltagy et "
         "al. 2020, Jiang et al. 2023; see formula 25"_s,
         wholeSlider(1, kMaxAttentionWindow, u"tokens"_s)},
        {"layers",
         u"layers"_s,
         {},
         u"Number of layers, k, of the receptive field (formula 61 of the guide)."_s,
         wholeSlider(1, static_cast<double>(kMostReachLayers))},
        {"attention",
         u"attention of the layers"_s,
         {},
         u"Attention of the layers of the receptive field, from the lowest to the highest, as the setting "
         "attention_layers: auto (the sliding window in all layers), or a pattern that repeats, such as 3 window + 1 "
         "full. The state of a gated DeltaNet (deltanet) includes all earlier tokens."_s,
         TextRow()},
        {"follows",
         u"layers as in the sweep"_s,
         {},
         u"Uses the number of layers and their attention from the sweep on the page Train (the first value of a "
         u"setting "
         "that the sweep varies). The attention window stays that of the setup."_s,
         wide},
        {"head",
         u"head"_s,
         {},
         u"Attention head for which the encodings are shown side by side, from 1."_s,
         wholeSlider(1, kMostHeads)},
        {"whole-distances",
         u"all distances of the context"_s,
         {},
         u"Shows the encodings side by side for all distances of the context."_s,
         wide},
        {"distances",
         u"distances"_s,
         {},
         u"Number of distances for which the encodings are shown side by side, starting at distance 0."_s,
         wholeSlider(2, kMaxAttentionWindow, u"tokens"_s)}};
}

}  // namespace

EncodingsPage::EncodingsPage(PairedView* pair, PanelGrid* grid, QWidget* parent)
    : QWidget(parent),
      m_view(pair->view()),
      m_grid(grid),
      m_chooser(new QWidget(this)),
      m_pictures(new QStackedWidget(this)),
      m_form(this, kLayersLabelWidth) {
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
    m_note = makeNote(box);
    column->addWidget(m_note);
    m_form.add(column, encodingRows());
    m_hasFields = true;
    auto* pattern = m_form.field<QLineEdit>("attention");
    m_layersNote = new FieldNote(pattern);
    connect(pattern, &QLineEdit::editingFinished, this, &EncodingsPage::adoptPattern);
    connect(&m_form, &Form::changed, this, &EncodingsPage::adopt);
    connect(&m_form, &Form::finished, this, &EncodingsPage::finished);
    sayWhatChanges();
    renew(m_setup);
    return box;
}

void EncodingsPage::adopt(std::string_view id) {
    if (id == "attention") return;  // until the user has typed it
    const std::int64_t value = std::llround(m_form.value(id).toDouble());
    if (id == "heads") return emit headsRequested(value);
    if (id == "window") return emit attentionWindowRequested(value);
    if (id == "whole-context") {
        emit attentionWindowRequested(value != 0 ? 0 : std::min(kFirstWindow, m_setup.context));
        return emit finished();
    }
    if (id == "head") m_choices.head = static_cast<int>(value);
    if (id == "distances") m_choices.distances = value;
    if (id == "layers") m_choices.layers = value;
    if (id == "whole-distances")
        m_choices.distances = value != 0 ? 0 : std::max<std::int64_t>(2, std::min(kFirstDistances, m_setup.context));
    if (id == "follows") followSweep();
    renewChoices();
    emit chosen();
}

void EncodingsPage::adoptPattern() {
    const std::string typed = m_form.value("attention").toString().trimmed().toStdString();
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
    if (!m_hasFields || !m_form.value("follows").toBool()) return;
    m_choices.layers = m_sweepLayers;
    m_choices.attention_layers = m_sweepPattern;
}

FigureView* EncodingsPage::view() const {
    return m_picture == Picture::all ? m_grid->panelViews().first() : m_view;
}

void EncodingsPage::setChoices(const EncodingChoices& choices) {
    m_choices = choices;
    if (m_hasFields) m_form.showValue("follows", false);
    renewChoices();
    emit chosen();
}

void EncodingsPage::renewChoices() {
    choice(Picture::reach)->setToolTip(reachToolTip(m_setup, m_choices));
    choice(Picture::all)->setToolTip(encodingsToolTip(m_setup, m_choices));
    if (!m_hasFields) return;
    const bool isReach = m_picture == Picture::reach;
    const bool isSideBySide = m_picture == Picture::all;
    const bool follows = m_form.value("follows").toBool();
    m_form.showValue("head", m_choices.head);
    m_form.showValue("layers", static_cast<qlonglong>(m_choices.layers));
    m_form.showValue("attention", QString::fromStdString(m_choices.attention_layers));
    m_layersNote->say({});
    m_form.showValue("whole-distances", m_choices.distances == 0);
    m_form.showValue("distances",
                     static_cast<qlonglong>(m_choices.distances == 0 ? m_setup.context : m_choices.distances));
    m_form.setEnabled("follows", isReach && !m_sweepPattern.empty());
    m_form.setEnabled("layers", isReach && !follows);
    m_form.setEnabled("attention", isReach && !follows);
    m_form.setEnabled("head", isSideBySide);
    m_form.setEnabled("whole-distances", isSideBySide);
    m_form.setEnabled("distances", isSideBySide && m_choices.distances != 0);
}

void EncodingsPage::renew(const RotarySetup& setup) {
    m_setup = setup;
    choice(Picture::alibi)->setToolTip(alibiToolTip(setup));
    choice(Picture::mask)->setToolTip(maskToolTip(setup));
    choice(Picture::sinusoidal)->setToolTip(sinusoidalToolTip(setup));
    renewChoices();
    if (!m_hasFields) return;
    const std::int64_t window = setup.attention_window;
    m_form.showValue("heads", static_cast<qlonglong>(setup.heads));
    m_form.showValue("whole-context", window == 0);
    m_form.setEnabled("window", window != 0);
    m_form.showValue("window", static_cast<qlonglong>(window == 0 ? setup.context : window));
}

void EncodingsPage::choose(Picture picture) {
    m_picture = picture;
    choice(picture)->setChecked(true);
    m_pictures->setCurrentIndex(picture == Picture::all ? 1 : 0);
    if (picture != Picture::all) {
        explainBy(m_view, choice(picture));
        m_view->setAccessibleName(choice(picture)->text());
    }
    sayWhatChanges();
    renew(m_setup);
    emit chosen();
}

void EncodingsPage::sayWhatChanges() {
    if (!m_note) return;
    const QString title = choice(m_picture)->text();
    const QString others =
        m_picture == Picture::sinusoidal ? QString() : u", head dim"_s;  // the width sets the channels
    m_note->setText(u"θ, fraction%1, “partial” and scaling do not change “%2”."_s.arg(others, title));
    m_note->setVisible(m_picture != Picture::all);
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

#include "moc_encodings_page.cpp"
