#include "ui/rotary/cache/cache_room.h"

#include <QButtonGroup>
#include <QCheckBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "core/rope/table_error.h"
#include "ui/figure/ticks.h"
#include "ui/rotary/number_slider.h"
#include "ui/window/fields.h"
#include "ui/window/scaled.h"
#include "ui/window/why.h"
#include "ui/window/workspace.h"

namespace ropelab::ui {
namespace {

// Shortly before bfloat16 counts wrong.
constexpr double kFirstStretch = 200;

QString wordOf(NumberFormat format) {
    const std::string_view word = word_of(format);
    return QString::fromUtf8(word.data(), static_cast<qsizetype>(word.size()));
}

}  // namespace

CacheRoom::CacheRoom(Workspace& workspace, QWidget* parent) : RotaryRoom(workspace, QStringLiteral("cache"), parent) {
    auto* column = new QVBoxLayout(this);
    scaleLayout(column, {12, 8, 12, 12}, 8);
    column->addWidget(makeBar());
    m_cosine = addView(tr("Cosines of the table"));
    m_sine = addView(tr("Sines of the table"));
    m_error = addView(tr("Error of every pair"));
    auto* tables = new QHBoxLayout;
    scaleLayout(tables, {0, 0, 0, 0}, 8);
    tables->addWidget(m_cosine, 1);
    tables->addWidget(m_sine, 1);
    column->addLayout(tables, 3);
    column->addWidget(m_error, 2);
    m_options = makeOptions();
    for (FigureView* view : views()) explainBy(view, m_words);
    connectTable(m_cosine);
    connectTable(m_sine);
    connectPairs(m_error, [this](QPointF place) {
        const auto pair = static_cast<int>(std::lround(place.x()));
        return pair >= 0 && pair < model().pairs() ? std::optional(pair) : std::nullopt;
    });
}

CacheRoom::~CacheRoom() {
    if (m_options && m_options->parent() == nullptr) {
        delete m_options;
    }
}

QWidget* CacheRoom::makeBar() {
    auto* bar = new QWidget(this);
    auto* row = new QHBoxLayout(bar);
    scaleLayout(row, {0, 0, 0, 0}, 4);
    auto* group = new QButtonGroup(bar);
    m_onlyCosine = new QToolButton(bar);
    m_onlyCosine->setText(tr("cos"));
    m_onlyCosine->setAccessibleName(tr("Show cosines"));
    m_onlySine = new QToolButton(bar);
    m_onlySine->setText(tr("sin"));
    m_onlySine->setAccessibleName(tr("Show sines"));
    m_both = new QToolButton(bar);
    m_both->setText(tr("both"));
    m_both->setAccessibleName(tr("Show cosines and sines"));
    for (QToolButton* button : {m_onlyCosine, m_onlySine, m_both}) {
        button->setCheckable(true);
        button->setFocusPolicy(Qt::TabFocus);
        group->addButton(button);
        row->addWidget(button);
    }
    m_both->setChecked(true);
    connect(group, &QButtonGroup::buttonClicked, this,
            [this](QAbstractButton* button) { showParts(button != m_onlySine, button != m_onlyCosine); });
    row->addSpacing(8);
    m_words = new QLabel(bar);
    m_words->setProperty("quiet", true);
    m_words->setWordWrap(true);
    m_words->setAccessibleName(tr("Size of the table and where the precision ends"));
    row->addWidget(m_words, 1);
    return bar;
}

QWidget* CacheRoom::makeOptions() {
    auto* options = new QWidget;
    auto* column = new QVBoxLayout(options);
    scaleLayout(column, {0, 8, 0, 0}, 8);
    column->addWidget(makeHeading(tr("Table"), options));
    m_angles = new QCheckBox(options);
    m_angles->setToolTip(
        tr("Positions, inverse frequencies and their product rounded to the precision before cos and sin are "
           "taken, as a program does that counts positions in it. Otherwise the angles are float64 and "
           "only the finished numbers are rounded."));
    column->addWidget(m_angles);
    m_stretch = new QCheckBox(tr("only %1 positions").arg(kStretch), options);
    m_stretch->setToolTip(tr("Every position of a stretch in place of the whole context. Drag the table to move it."));
    column->addWidget(m_stretch);
    m_from = new NumberSlider({.label = tr("from position"),
                               .minimum = 1,
                               .maximum = 1 << 20,
                               .logarithmic = true,
                               .step = 1,
                               .text = [](double value) { return QString::number(value, 'f', 0); },
                               .why = tr("The first position of the stretch; it ends with the context.")},
                              options);
    m_from->setValue(kFirstStretch);
    m_from->hide();
    column->addWidget(m_from);
    connect(m_angles, &QCheckBox::toggled, this, &CacheRoom::schedule);
    connect(m_stretch, &QCheckBox::toggled, this, [this](bool on) {
        m_from->setVisible(on);
        schedule();
    });
    connect(m_from, &NumberSlider::changed, this, &CacheRoom::schedule);
    return options;
}

void CacheRoom::connectTable(FigureView* view) {
    connectPairs(view, [this](QPointF place) -> std::optional<int> {
        const auto channel = channelAt(place.y());
        return channel ? std::optional(channelsOfTable(model().setup())[static_cast<std::size_t>(*channel)])
                       : std::nullopt;
    });
    view->setReadout([this](QPointF place) { return readout(place); });
    connect(view, &FigureView::pressed, this, [this, view](const QPointF& place) {
        m_drag =
            Drag{view->pixelOf(place).x(), static_cast<double>(shownPositions(model().setup(), shownOptions()).first)};
    });
    connect(view, &FigureView::dragged, this, [this, view](const QPointF& place) { dragStretch(view, place); });
    connect(view, &FigureView::released, this, [this] { m_drag.reset(); });
}

void CacheRoom::dragStretch(FigureView* view, const QPointF& place) {
    if (!m_drag || !m_stretch->isChecked()) {
        return;
    }
    // In pixels: the axes move under the hand.
    const double moved = view->pixelOf(place).x() - m_drag->pixel;
    const double tokens = moved / std::max(1.0, view->canvasRect().width()) * static_cast<double>(kStretch);
    const auto last = static_cast<double>(std::max<std::int64_t>(1, model().setup().context - kStretch));
    m_from->setValue(std::round(std::clamp(m_drag->from - tokens, 1.0, last)));
    schedule();
}

CacheOptions CacheRoom::shownOptions() const {
    CacheOptions options;
    options.anglesInFormat = m_angles->isChecked() && m_angles->isEnabled();
    if (m_stretch->isChecked()) {
        options.stretchFrom = std::llround(m_from->value());
    }
    // A column a pixel is all that can be seen.
    const FigureView* seen = m_cosine->isVisibleTo(this) ? m_cosine : m_sine;
    options.mostColumns = std::clamp(seen->width(), 64, 1024);
    return options;
}

std::optional<int> CacheRoom::channelAt(double y) const {
    const auto channel = static_cast<int>(std::lround(y));
    const auto count = static_cast<int>(channelsOfTable(model().setup()).size());
    return channel >= 0 && channel < count ? std::optional(channel) : std::nullopt;
}

std::optional<FigureView::Readout> CacheRoom::readout(QPointF place) const {
    const RotarySetup& setup = model().setup();
    const CacheOptions options = shownOptions();
    const ShownPositions shown = shownPositions(setup, options);
    const auto channel = channelAt(place.y());
    const auto column =
        std::llround((place.x() - static_cast<double>(shown.first)) / static_cast<double>(shown.stride));
    if (!channel || column < 0 || column >= shown.columns) {
        return std::nullopt;
    }
    const std::int64_t position = shown.first + column * shown.stride;
    const int pair = channelsOfTable(setup)[static_cast<std::size_t>(*channel)];
    const Frequencies& now = model().frequencies();
    const double frequency = now.inverse_frequencies[static_cast<std::size_t>(pair)];
    const double exact = table_angle(position, frequency, setup.precision, false);
    const double angle = table_angle(position, frequency, setup.precision, options.anglesInFormat);
    const TableEntry entry = table_entry(angle, now.attention_factor, setup.precision);
    FigureView::Readout result;
    result.x = static_cast<double>(position);
    result.title = tr("position %1").arg(readableCount(static_cast<double>(position)));
    result.rows.append({tr("channel"), QString::number(*channel)});
    result.rows.append({tr("pair"), QString::number(pair)});
    result.rows.append({tr("angle"), tr("%1 rad").arg(readableNumber(angle))});
    if (angle != exact) {
        result.rows.append({tr("in float64"), tr("%1 rad").arg(readableNumber(exact))});
    }
    result.rows.append({tr("cos"), QString::number(entry.cosine, 'g', 7)});
    result.rows.append({tr("sin"), QString::number(entry.sine, 'g', 7)});
    const double error = std::max(std::abs(entry.cosine - std::cos(exact) * now.attention_factor),
                                  std::abs(entry.sine - std::sin(exact) * now.attention_factor));
    result.rows.append({tr("error"), QString::number(error, 'g', 2)});
    return result;
}

void CacheRoom::showParts(bool cosine, bool sine) {
    (cosine && sine ? m_both : cosine ? m_onlyCosine : m_onlySine)->setChecked(true);
    m_cosine->setVisible(cosine);
    m_sine->setVisible(sine);
    schedule();
}

QString CacheRoom::words() const {
    return m_words->text();
}

void CacheRoom::resizeEvent(QResizeEvent* event) {
    RotaryRoom::resizeEvent(event);
    schedule();
}

void CacheRoom::renew() {
    const RotarySetup& setup = model().setup();
    m_words->setText(bytesSentence(setup) + QLatin1Char(' ') + positionsSentence(setup));
    m_words->setToolTip(
        tr("Table: 2·L·d_r·B bytes with each angle at both channels of its pair (Hugging Face, GPT-NeoX), L·d_r·B with "
           "each once; L positions, d_r rotated channels, B bytes a number (Khan et al., formula 31).\n"
           "A format with p bits of significand counts up to 2^p; the first wrong position is 2^p + 1."));
    const bool isReference = setup.precision == NumberFormat::float64;
    m_angles->setText(tr("angles computed in %1 too").arg(wordOf(setup.precision)));
    m_angles->setEnabled(!isReference);
    renewTables();
    if (!m_shownError.isThere || m_shownError.setup != setup) {
        m_shownError = {setup, {}, cacheErrorFigure(setup), true};
    }
    Figure error = m_shownError.figure;
    markPair(error, model().litPair());
    m_error->setFigure(std::move(error));
}

void CacheRoom::renewTables() {
    const CacheOptions options = shownOptions();
    const auto show = [&](FigureView* view, Shown& shown, TablePart part) {
        if (!view->isVisibleTo(this)) {
            return;
        }
        Figure figure = table(shown, part, options);
        markChannels(figure, model().setup(), model().litPair());
        view->setFigure(std::move(figure));
    };
    show(m_cosine, m_shownCosine, TablePart::cosine);
    show(m_sine, m_shownSine, TablePart::sine);
}

const Figure& CacheRoom::table(Shown& shown, TablePart part, const CacheOptions& options) const {
    const RotarySetup& setup = model().setup();
    if (!shown.isThere || shown.setup != setup || shown.options != options) {
        shown = {setup, options, cacheTableFigure(setup, part, options), true};
    }
    return shown.figure;
}

}  // namespace ropelab::ui
