#include "ui/rooms/memory/memory_room.h"

#include <QButtonGroup>
#include <QCheckBox>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/error.h"
#include "ui/common/format.h"
#include "ui/common/scaled.h"
#include "ui/controls/fields.h"
#include "ui/controls/flow_layout.h"
#include "ui/rooms/memory/memory_panels.h"
#include "ui/rotary/spectrum_data.h"
#include "ui/shell/explanation.h"
#include "ui/shell/scroll_page.h"
#include "ui/theme/theme_manager.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;
namespace {

constexpr std::int64_t kWidestSize = 1023LL << 40;  // 1023 TiB, one of the longest texts of a size
// Lengths in pixels at 100 %.
constexpr int kMinWidthForBoth = 1200;
constexpr int kLowPage = 400;  // of a page in which the figures leave no space for the sentence

// Columns of the table of sizes; float16 and bfloat16 have the same size.
struct Precision {
    NumberFormat format;
    const char* title;
};
constexpr std::array<Precision, 2> kPrecisions = {
    {{NumberFormat::float32, "float32"}, {NumberFormat::float16, "16 bits"}}};
constexpr std::array<TableLayout, 2> kLayouts = {TableLayout::duplicated, TableLayout::single};

QLabel* makeQuiet(const QString& text, QWidget* parent) {
    auto* label = new QLabel(text, parent);
    label->setProperty("quiet", true);
    return label;
}

}  // namespace

MemoryRoom::MemoryRoom(RotaryModel& rotary, QWidget* parent) : MemoryRoom(rotary, std::nullopt, nullptr, parent) {}

MemoryRoom::MemoryRoom(RotaryModel& rotary, std::optional<RunAccess> runs, const ExperimentModel* experiment,
                       QWidget* parent)
    : RotaryRoom(rotary, u"memory"_s, memoryFigures(), parent) {
    setWithoutEffect({u"theta"_s, u"pairing"_s, u"scaling"_s});
    auto* column = scaledColumn(this, 8, {12, 8, 12, 12});
    m_bar = makeBar();
    column->addWidget(m_bar);
    auto* words = new QLabel(this);
    words->setWordWrap(true);
    setWords(words, u"Sizes of the cos/sin table and the KV cache"_s);
    m_table = addView(u"Size of the cos/sin table by context length"_s);
    m_cache = addView(u"Size of the KV cache by context length"_s);
    m_figures = new QWidget(this);
    auto* row = scaledRow(m_figures, 8);
    row->addWidget(m_table, 1);
    row->addWidget(m_cache, 1);
    column->addWidget(m_figures, 1);
    column->addWidget(words);
    QWidget* options = makeOptions();
    setOptions(options);
    if (runs && experiment) {
        m_cacheMeasurement = new CacheMeasurement(*runs, *experiment, options);
        options->layout()->addWidget(m_cacheMeasurement);
    }
    for (FigureView* view : views()) {
        explainBy(view, words);
        connectView(view);
        const bool isCache = view == m_cache;
        addPart(
            {isCache ? u"kv-cache"_s : u"rope-cache"_s,
             [this, view, isCache] {
                 choose(isCache);
                 ScrollPage::reveal(view);
             },
             // Where there is space, both are shown.
             [this, isCache] { return (m_isFolded || !onlyPart().isEmpty()) && m_showCache->isChecked() == isCache; },
             {words}});
    }
    for (const char* name : {"layers", "heads", "kv_heads"}) {
        addControl(controlOf(QString::fromLatin1(name), m_shape->field(name)));
    }
    const QString axis = u"log_axis"_s;
    addControl({axis, [this, axis](const QString& word) { m_toScale->setChecked(!controlSwitch(axis, word)); },
                [this] { return m_toScale->isChecked() ? u"off"_s : u"on"_s; }, m_toScale});
    addBars({m_bar});
    addChoice({[this] { return m_showCache->isChecked(); },
               [this](const QVariant& isCache) { choose(isCache.toBool()); }, false});
    for (auto* button : m_bar->findChildren<QAbstractButton*>()) addChoice(button);
    addChoice(m_shape->kvFormat());
    arrange();
    connect(&m_job, &LatestJob::runningChanged, this, [this](bool running) {
        m_busy->setVisible(running);
        m_measure->setEnabled(!running);
    });
}

QWidget* MemoryRoom::makeBar() {
    auto* bar = new QWidget(this);
    auto* flow = new FlowLayout(bar);
    scaleLayout(flow, {0, 0, 0, 0}, 16);
    struct Option {
        QString text;
        QString why;
    };
    const auto addChoice = [&](const Option& first, const Option& second) {
        auto* box = new QWidget(bar);
        flow->addWidget(box);
        return addToggles(scaledRow(box, 4),
                          {{first.text, first.text, first.why}, {second.text, second.text, second.why}}, {});
    };
    const auto pictures = addChoice(
        {u"Cos/sin table"_s,
         u"Shows the size of the cos/sin table against the context length, one curve per rotated fraction, beside the "
         "model's KV cache."_s},
        {u"KV cache"_s,
         u"Shows the size of the KV cache against the context length, one curve per attention type, beside the current "
         "cos/sin table. MHA, GQA, MQA and MLA are multi-head, grouped-query, multi-query and multi-head latent "
         "attention."_s});
    m_showTable = pictures->button(0);
    m_showCache = pictures->button(1);
    m_figureChoice = static_cast<QWidget*>(pictures->parent());
    connect(m_showCache, &QAbstractButton::toggled, this, &MemoryRoom::arrange);
    const auto layouts = addChoice(
        {u"each angle twice"_s,
         u"The cos/sin table stores cos and sin for both channels of a pair: 2·L·d_r·B bytes for L positions and d_r "
         "rotated channels of B bytes.\nHugging Face and GPT-NeoX use this layout. Khan et al.; formula 31 of the "
         "guide"_s},
        {u"each angle once"_s,
         u"The cos/sin table stores cos and sin of each angle once: L·d_r·B bytes for L positions and d_r rotated "
         "channels of B bytes.\nFormula 31 of the guide"_s});
    m_singleLayout = layouts->button(1);
    const auto tables = addChoice(
        {u"one table"_s, u"All layers share one cos/sin table."_s},
        {u"one table per layer"_s,
         u"Every layer stores its own cos/sin table, as in older implementations, so the size is multiplied by the "
         "number of layers n_layer.\nFormula 31 of the guide"_s});
    m_perLayer = tables->button(1);
    connect(m_singleLayout, &QAbstractButton::toggled, this, &MemoryRoom::schedule);
    connect(m_perLayer, &QAbstractButton::toggled, this, &MemoryRoom::schedule);
    return bar;
}

void MemoryRoom::arrange() {
    const bool isAlone = !onlyPart().isEmpty();
    const bool isOne = m_isFolded || isAlone;
    m_figureChoice->setVisible(m_isFolded && !isAlone);
    m_table->setVisible(!isOne || m_showTable->isChecked());
    m_cache->setVisible(!isOne || m_showCache->isChecked());
    if (isOne) {  // so that the export command exports the visible figure
        emit(m_showTable->isChecked() ? m_table : m_cache)->chosen();
    }
}

void MemoryRoom::choose(bool isCache) {
    (isCache ? m_showCache : m_showTable)->setChecked(true);
    emit(isCache ? m_cache : m_table)->chosen();
}

void MemoryRoom::fitPage(const QSize& page) {
    const ThemeManager& theme = ThemeManager::instance();
    const bool isFolded = page.height() < theme.pixels(kLowPage) || page.width() < theme.pixels(kMinWidthForBoth);
    if (isFolded != m_isFolded) {
        m_isFolded = isFolded;
        arrange();
    }
    fitFigures(page, kLowPage, m_bar, m_figures);
}

QWidget* MemoryRoom::makeOptions() {
    auto* options = new QWidget;
    auto* column = scaledColumn(options, 16, {0, 8, 0, 0});
    m_toScale = new QCheckBox(u"Bars instead of curves"_s, options);
    m_toScale->setToolTip(
        u"Shows the sizes at the context as bars on a linear axis that begins at 0, instead of curves on logarithmic "
        "axes: a bar that is twice as high is twice as large."_s);
    connect(m_toScale, &QAbstractButton::toggled, this, &MemoryRoom::schedule);
    column->addWidget(m_toScale);
    column->addWidget(makeSizes(options));
    column->addWidget(makeMeasure(options));
    m_shape = new ShapePanel(model(), options);
    connect(m_shape, &ShapePanel::formatChanged, this, &MemoryRoom::schedule);
    column->addWidget(m_shape);
    return options;
}

QWidget* MemoryRoom::makeSizes(QWidget* parent) {
    auto* box = new QWidget(parent);
    auto* column = scaledColumn(box, 8);
    column->addWidget(makeHeading(u"Size of the cos/sin table"_s, box));
    auto* grid = new QGridLayout;
    scaleLayout(grid, {0, 0, 0, 0}, 8);
    grid->setColumnStretch(0, 1);
    for (std::size_t i = 0; i < kPrecisions.size(); ++i) {
        grid->addWidget(makeQuiet(QString::fromUtf8(kPrecisions[i].title), box), 0, static_cast<int>(i) + 1,
                        Qt::AlignRight);
    }
    const std::array<QString, 4> names = {u"twice, one table"_s, u"once, one table"_s, u"twice, each layer"_s,
                                          u"once, each layer"_s};
    grid->addWidget(makeQuiet(u"angles stored"_s, box), 0, 0);
    for (std::size_t row = 0; row < names.size(); ++row) {
        grid->addWidget(makeQuiet(names[row], box), static_cast<int>(row) + 1, 0);
        for (std::size_t i = 0; i < kPrecisions.size(); ++i) {
            auto* value = new QLabel(box);
            value->setAlignment(Qt::AlignRight);
            keepTextWidth(value, {binarySize(kWidestSize)});  // the names keep their width and their lines
            value->setAccessibleName(u"angles %1 in %2"_s.arg(names[row], QString::fromUtf8(kPrecisions[i].title)));
            grid->addWidget(value, static_cast<int>(row) + 1, static_cast<int>(i) + 1);
            m_sizes.append(value);
        }
    }
    column->addLayout(grid);
    return box;
}

QWidget* MemoryRoom::makeMeasure(QWidget* parent) {
    auto* box = new QWidget(parent);
    auto* column = scaledColumn(box, 8);
    column->addWidget(makeHeading(u"Measured size"_s, box));
    m_measure = new QPushButton(u"Allocate table"_s, box);
    m_measure->setToolTip(
        u"Allocates the current cos/sin table in the form in which RoPE Lab stores it, and counts "
        "the bytes of the table."_s);
    connect(m_measure, &QPushButton::clicked, this, &MemoryRoom::startMeasuring);
    column->addWidget(m_measure, 0, Qt::AlignLeft);
    m_busy = new QProgressBar(box);
    m_busy->setRange(0, 0);
    m_busy->setTextVisible(false);
    m_busy->setAccessibleName(u"The program is filling the cos/sin table"_s);
    keepSpace(m_busy);
    m_busy->hide();
    column->addWidget(m_busy);
    m_measured = makeQuiet(QString(), box);
    m_measured->setWordWrap(true);
    m_measured->setAccessibleName(u"Bytes of the allocated cos/sin table"_s);
    m_measured->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    column->addWidget(m_measured);
    return box;
}

void MemoryRoom::connectView(FigureView* view) {
    view->setReadout([this, view](QPointF place) { return readout(view->figure(), place); });
    connect(view, &FigureView::lineDragged, this, [this](const QString&, double at) { dragContext(at); });
    connect(view, &FigureView::lineDropped, this, [this] { model().endDrag(); });
}

std::optional<FigureView::Readout> MemoryRoom::readout(const Figure& figure, QPointF place) const {
    FigureView::Readout result;
    const qsizetype bar = std::lround(place.x());
    if (!figure.x.categories.isEmpty()) {
        if (bar < 0 || bar >= figure.x.categories.size()) return std::nullopt;
        const auto curve = 2 * static_cast<std::size_t>(bar) + 1;  // behind each bar its size
        result.x = static_cast<double>(bar);
        result.title = figure.x.categories[bar];
        result.rows.append({u"size"_s, figure.curves[curve].label, static_cast<int>(curve)});
        return result;
    }
    for (std::size_t i = 0; i < figure.curves.size(); ++i) {
        const FigureCurve& curve = figure.curves[i];
        if (curve.label.isEmpty()) {
            continue;
        }
        const auto nearer = [&](double a, double b) {
            return std::abs(std::log(a / place.x())) < std::abs(std::log(b / place.x()));
        };
        const auto nearest = std::min_element(curve.x.begin(), curve.x.end(), nearer) - curve.x.begin();
        const double size = curve.y[nearest];
        result.x = curve.x[nearest];
        if (std::isfinite(size)) {
            result.rows.append({curve.label, binarySize(std::llround(size * kMiB)), static_cast<int>(i)});
        }
    }
    result.title = u"context %1 tokens"_s.arg(groupedText(std::llround(result.x)));
    return result.rows.isEmpty() ? std::nullopt : std::optional(result);
}

MemoryOptions MemoryRoom::memoryOptions() const {
    return {.layout = m_singleLayout->isChecked() ? TableLayout::single : TableLayout::duplicated,
            .isPerLayer = m_perLayer->isChecked(),
            .kvFormat = m_shape->format()};
}

void MemoryRoom::renew() {
    const RotarySetup& setup = model().setup();
    const MemoryOptions options = memoryOptions();
    if (m_toScale->isChecked()) {
        const std::optional<ShapedSetup> b = model().setupB();
        const ShapedSetup a = b ? model().setupA() : ShapedSetup{setup, model().shape()};
        showBothIn(m_table, ropeCacheBars(a, options, b));
        showBothIn(m_cache, kvCacheBars(a, options, b));
    } else if (const auto b = model().setupB()) {
        const ShapedSetup a = model().setupA();
        showBothIn(m_table, comparedRopeCacheFigure(a, *b, options, model().editsB()));
        showBothIn(m_cache, comparedKvCacheFigure(a, *b, options, model().editsB()));
    } else {
        showBothIn(m_table, ropeCacheFigure(setup, model().shape(), options));
        showBothIn(m_cache, kvCacheFigure(setup, model().shape(), options));
    }
    renewWords(options);
    renewSizes();
    if (m_measuredSetup != setup) {  // the measurement belongs to another setup
        m_job.cancel();
        m_measured->clear();
    }
}

void MemoryRoom::renewWords(const MemoryOptions& options) {
    const auto sizes = [&](Side side) {
        const ShapedSetup of = shapedOf(side);
        return memorySizes(of.setup, of.shape, options);
    };
    QStringList quotients = {bothQuotient(u"cos/sin table"_s, [&](Side side) { return sizes(side).table; }),
                             bothQuotient(u"KV cache"_s, [&](Side side) { return sizes(side).cache; })};
    quotients.removeAll(QString());
    QStringList lines = {bothSentences([&](Side side) {
                             const ShapedSetup of = shapedOf(side);
                             return memorySentence(of.setup, of.shape, options);
                         }),
                         quotients.join(u"; "_s)};
    lines.removeAll(QString());
    wordsLabel()->setText(lines.join(QLatin1Char('\n')));
    wordsLabel()->setToolTip(memoryWhy(model().setup(), model().shape(), options));
}

void MemoryRoom::renewSizes() {
    const RotarySetup& setup = model().setup();
    qsizetype at = 0;
    for (const bool isPerLayer : {false, true}) {
        const auto tablesOf = [&](Side side) { return isPerLayer ? shapedOf(side).shape.sizes.layers : 1; };
        const std::int64_t tables = tablesOf(Side::edited);
        for (const TableLayout layout : kLayouts) {
            for (const Precision& precision : kPrecisions) {
                const int bytes = bytes_of(precision.format);
                QLabel* value = m_sizes[at++];
                // One line per setup, because the panel is narrow.
                value->setText(bothValues([&](Side side) {
                                   const RotarySetup& of = setupOf(side);
                                   return binarySize(
                                       rope_cache_bytes(rotary_dim(of), of.context, bytes, layout, tablesOf(side)));
                               }).replace(u" · "_s, u"\n"_s));
                value->setToolTip(
                    u"%1L·d_r·B%2 with L = %3 positions, d_r = %4 rotated channels, B = %5 bytes\nFormula 31 of the "
                    "guide"_s
                        .arg(layout == TableLayout::duplicated ? u"2·"_s : QString(),
                             tables == 1 ? QString() : u" × %1 layers"_s.arg(tables), groupedText(setup.context))
                        .arg(rotary_dim(setup))
                        .arg(bytes));
            }
        }
    }
}

void MemoryRoom::startMeasuring() {
    const RotarySetup setup = model().setup();
    m_measuredSetup = setup;
    m_measured->setText(refusalSentence(setup));
    if (!m_measured->text().isEmpty()) {
        return;
    }
    m_job.start([this, setup](const Cancelled& cancelled) -> std::function<void()> {
        return [this, setup, measured = measureTable(setup, cancelled)] {
            m_measured->setText(measured ? measuredSentence(setup, *measured)
                                         : u"There is not enough free memory for a cos/sin table of %1."_s.arg(
                                               binarySize(plannedTableBytes(setup))));
        };
    });
}

void MemoryRoom::hideEvent(QHideEvent* event) {
    RotaryRoom::hideEvent(event);
    m_job.cancel();
}

}  // namespace ropelab::ui

#include "moc_memory_room.cpp"
