#include "ui/rooms/cache/cache_room.h"

#include <QButtonGroup>
#include <QCheckBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <utility>

#include "core/rope/memory.h"
#include "core/rope/rotation.h"
#include "ui/common/format.h"
#include "ui/common/label_text.h"
#include "ui/common/scaled.h"
#include "ui/common/text.h"
#include "ui/controls/fields.h"
#include "ui/figure/ticks.h"
#include "ui/rotary/figure_views.h"
#include "ui/shell/explanation.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;
namespace {

// Slightly below 257, the first position that bfloat16 cannot represent.
constexpr double kDefaultRangeStart = 200;

double duplicatedBytes(const RotarySetup& setup) {
    return static_cast<double>(
        rope_cache_bytes(rotary_dim(setup), setup.context, bytes_of(setup.precision), TableLayout::duplicated));
}

QList<FormRow> tableRows() {
    return {
        {"angles",
         {},
         {},
         u"Rounds positions, inverse frequencies and their products to the setup's precision before cos and sin are "
         "computed, as programs do that store positions in this precision. Otherwise the angles are computed in "
         "float64 and only the table entries are rounded."_s,
         CheckRow{.isWide = true}},
        {"range",
         u"show only %1 positions"_s.arg(kRangeLength),
         {},
         u"Shows every position of a short range instead of the whole context. Drag the table to move the range."_s,
         CheckRow{.isWide = true}},
        {"first",
         u"first position"_s,
         {},
         u"First position of the range that the table shows. The range does not extend beyond the context."_s,
         SliderRow{.minimum = 1, .maximum = 1 << 20, .logarithmic = true, .step = 1, .text = wholeText}}};
}

}  // namespace

CacheRoom::CacheRoom(RotaryModel& rotary, QWidget* parent) : RotaryRoom(rotary, u"table"_s, cacheFigures(), parent) {
    auto* column = scaledColumn(this, 8, {12, 8, 12, 12});
    column->addWidget(makeBar());
    m_cosine = addPair(u"Cosines of the table"_s);
    m_sine = addPair(u"Sines of the table"_s);
    m_error = addView(u"Error per pair"_s);
    m_tables = new QWidget(this);
    auto* tables = scaledRow(m_tables, 8);
    tables->addWidget(pairOf(m_cosine), 1);
    tables->addWidget(pairOf(m_sine), 1);
    column->addWidget(m_tables, 5);
    column->addWidget(m_error, 2);
    setWords(makeNote(this), u"Size of the table and precision of the positions"_s);
    column->addWidget(wordsLabel());
    setOptions(makeOptions());
    for (FigureView* view : views()) explainBy(view, wordsLabel());
    addParts();
    showParts(true, false);
    connectTable(m_cosine);
    connectTable(m_sine);
    connectPairs(m_error, [this](QPointF place) { return pairNear(place.x()); });
}

void CacheRoom::addParts() {
    const auto addTable = [this](const QString& name, FigureView* view, QToolButton* button) {
        addPart({name,
                 [this, view] {
                     showParts(view == m_cosine, view == m_sine);
                     emit view->chosen();
                 },
                 [button] { return button->isChecked(); },
                 {wordsLabel(), m_error}});
    };
    addTable(u"cosine-table"_s, m_cosine, m_cosineButton);
    addTable(u"sine-table"_s, m_sine, m_sineButton);
    addPart({u"table-error"_s, [this] { emit m_error->chosen(); }, {}, {wordsLabel(), m_tables}});
    addBars({m_cosineButton, m_sineButton, m_bothButton});
    addChoice({[this] { return m_cosineButton->isChecked() ? 0
                               : m_sineButton->isChecked() ? 1
                                                           : 2; },
               [this](const QVariant& which) { showParts(which != 1, which != 0); }, 0});
    for (const char* field : {"angles", "range", "first"}) addChoice(m_form.field<QWidget>(field));
}

QWidget* CacheRoom::makeBar() {
    auto* bar = new QWidget(this);
    auto* row = scaledRow(bar, 4);
    auto* group = new QButtonGroup(bar);
    m_cosineButton = addToggle(row, group, u"cos"_s, u"Show cosines"_s);
    m_sineButton = addToggle(row, group, u"sin"_s, u"Show sines"_s);
    m_bothButton = addToggle(row, group, u"cos and sin"_s, u"Show cosines and sines"_s);
    connect(group, &QButtonGroup::buttonClicked, this,
            [this](QAbstractButton* button) { showParts(button != m_sineButton, button != m_cosineButton); });
    row->addStretch(1);
    return bar;
}

QWidget* CacheRoom::makeOptions() {
    auto* options = new QWidget;
    auto* column = scaledColumn(options, 8, {0, 8, 0, 0});
    column->addWidget(makeHeading(u"cos/sin table"_s, options));
    m_form.add(column, tableRows());
    m_form.setValue("first", kDefaultRangeStart);
    m_form.setEnabled("first", false);
    connect(&m_form, &Form::changed, this, [this] {
        m_form.setEnabled("first", m_form.value("range").toBool());
        schedule();
    });
    return options;
}

void CacheRoom::connectTable(FigureView* view) {
    connectPairs(view, [this](QPointF place) -> std::optional<int> {
        const auto channel = channelAt(place.y());
        return channel ? std::optional(pairsByChannel(model().setup())[static_cast<std::size_t>(*channel)])
                       : std::nullopt;
    });
    setReadout(view, [this](Side side, QPointF place) { return readout(side, place); });
    connect(view, &FigureView::pressed, this, [this, view](const QPointF& place) {
        m_drag =
            Drag{view->pixelOf(place).x(), static_cast<double>(shownPositions(model().setup(), shownOptions()).first)};
    });
    connect(view, &FigureView::dragged, this, [this, view](const QPointF& place) { dragRange(view, place); });
    connect(view, &FigureView::released, this, [this] { m_drag.reset(); });
}

void CacheRoom::dragRange(FigureView* view, const QPointF& place) {
    if (!m_drag || !m_form.value("range").toBool()) {
        return;
    }
    // The drag is measured in pixels, because the axis moves during the drag.
    const double moved = view->pixelOf(place).x() - m_drag->pixel;
    const double tokens = moved / std::max(1.0, view->canvasRect().width()) * static_cast<double>(kRangeLength);
    const auto last = static_cast<double>(std::max<std::int64_t>(1, model().setup().context - kRangeLength));
    m_form.setValue("first", std::round(std::clamp(m_drag->from - tokens, 1.0, last)));
    schedule();
}

CacheOptions CacheRoom::shownOptions() const {
    CacheOptions options;
    options.anglesInFormat = m_form.value("angles").toBool() && m_form.field<QWidget>("angles")->isEnabled();
    if (m_form.value("range").toBool()) {
        options.rangeStart = std::llround(m_form.value("first").toDouble());
    }
    // More than one column per pixel would not be visible.
    const FigureView* seen = m_cosine->isVisibleTo(this) ? m_cosine : m_sine;
    options.maxColumns = std::clamp(seen->width(), 64, 1024);
    return options;
}

std::optional<int> CacheRoom::channelAt(double y) const {
    const auto channel = static_cast<int>(std::lround(y));
    const auto count = static_cast<int>(pairsByChannel(model().setup()).size());
    return channel >= 0 && channel < count ? std::optional(channel) : std::nullopt;
}

RotaryRoom::Readout CacheRoom::readout(Side side, QPointF place) const {
    const RotarySetup& setup = setupOf(side);
    const Frequencies& now = frequenciesOf(side);
    const CacheOptions options = shownOptions();
    const ShownPositions shown = shownPositions(setup, options);
    const std::vector<int> pairs = pairsByChannel(setup);
    const auto channel = std::lround(place.y());
    const auto column =
        std::llround((place.x() - static_cast<double>(shown.first + shown.middle)) / static_cast<double>(shown.stride));
    if (channel < 0 || std::cmp_greater_equal(channel, pairs.size()) || column < 0 || column >= shown.columns) {
        return std::nullopt;
    }
    const std::int64_t position =
        std::min<std::int64_t>(shown.first + column * shown.stride + shown.middle, setup.context - 1);
    const int pair = pairs[static_cast<std::size_t>(channel)];
    const double frequency = now.inverse_frequencies[static_cast<std::size_t>(pair)];
    const double exact = table_angle(position, frequency, setup.precision, false);
    const double angle = table_angle(position, frequency, setup.precision, options.anglesInFormat);
    const TableEntry entry = table_entry(angle, now.attention_factor, setup.precision);
    FigureView::Readout result;
    result.x = static_cast<double>(position);
    result.title = u"position %1"_s.arg(readableCount(static_cast<double>(position)));
    result.rows.append({u"channel"_s, QString::number(channel)});
    result.rows.append({u"pair"_s, QString::number(pair)});
    result.rows.append({u"angle"_s, u"%1 rad"_s.arg(readableNumber(angle))});
    if (angle != exact) {
        result.rows.append({u"angle in float64"_s, u"%1 rad"_s.arg(readableNumber(exact))});
    }
    result.rows.append({u"cos"_s, QString::number(entry.cosine, 'g', 7)});
    result.rows.append({u"sin"_s, QString::number(entry.sine, 'g', 7)});
    const double error = std::max(std::abs(entry.cosine - std::cos(exact) * now.attention_factor),
                                  std::abs(entry.sine - std::sin(exact) * now.attention_factor));
    result.rows.append({u"error"_s, QString::number(error, 'g', 2)});
    return result;
}

void CacheRoom::showParts(bool cosine, bool sine) {
    (cosine && sine ? m_bothButton : cosine ? m_cosineButton : m_sineButton)->setChecked(true);
    for (QWidget* widget : QWidgetList{pairOf(m_cosine), m_cosine}) widget->setVisible(cosine);
    for (QWidget* widget : QWidgetList{pairOf(m_sine), m_sine}) widget->setVisible(sine);
    schedule();
}

void CacheRoom::resizeEvent(QResizeEvent* event) {
    RotaryRoom::resizeEvent(event);
    schedule();
}

void CacheRoom::renew() {
    const auto sentences = [this](QString (*of)(const RotarySetup&)) {
        return bothSentences([this, of](Side side) { return of(setupOf(side)); });
    };
    QStringList words = {sentences(bytesSentence),
                         bothQuotient(u"table size"_s, [this](Side side) { return duplicatedBytes(setupOf(side)); }),
                         sentences(positionsSentence)};
    words.removeAll(QString());
    changeText(wordsLabel(), words.join(compares() ? QLatin1Char('\n') : QLatin1Char(' ')));
    wordsLabel()->setToolTip(
        u"Table size: 2·L·d_r·B bytes if each angle is stored at both channels of its pair (Hugging Face, GPT-NeoX), "
        "L·d_r·B bytes if each angle is stored once, with L positions, d_r rotated channels and B bytes per number "
        "(Khan et al., formula 31).\nA format with p bits of significand represents all integers up to 2^p; the "
        "first position that it rounds is 2^p + 1."_s);
    const NumberFormat precision = model().setup().precision;
    m_form.field<QCheckBox>("angles")->setText(u"compute angles in %1"_s.arg(text(word_of(precision))));
    m_form.setEnabled("angles", precision != NumberFormat::float64);
    renewTables();
    showFigure(m_error, [this, pair = model().highlightedPair()](Side side) {
        return errors(m_shownError.of(side), setupOf(side), pair);
    });
}

Figure CacheRoom::errors(Shown& shown, const RotarySetup& setup, std::optional<int> pair) {
    if (!shown.isValid || shown.setup != setup) shown = {setup, {}, cacheErrorFigure(setup), true};
    Figure figure = shown.figure;
    if (pair && *pair < static_cast<int>(figure.table.columns.value(0).size())) markPair(figure, pair);
    return figure;
}

void CacheRoom::renewTables() {
    const CacheOptions options = shownOptions();
    const auto show = [&](FigureView* view, BothSides<Shown>& shown, TablePart part) {
        if (!view->isVisibleTo(this)) return;
        showFigure(view, [&](Side side) {
            Figure figure = table(shown.of(side), setupOf(side), part, options);
            markChannels(figure, setupOf(side), model().highlightedPair());
            return figure;
        });
    };
    show(m_cosine, m_shownCosine, TablePart::cosine);
    show(m_sine, m_shownSine, TablePart::sine);
}

const Figure& CacheRoom::table(Shown& shown, const RotarySetup& setup, TablePart part, const CacheOptions& options) {
    if (!shown.isValid || shown.setup != setup || shown.options != options) {
        shown = {setup, options, cacheTableFigure(setup, part, options), true};
    }
    return shown.figure;
}

}  // namespace ropelab::ui

#include "moc_cache_room.cpp"
