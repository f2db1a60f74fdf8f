#include "ui/rooms/memory/memory_figures.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>

#include "ui/common/format.h"
#include "ui/common/text.h"
#include "ui/figure/ticks.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;
namespace {

constexpr std::int64_t kFirstContext = 512;
constexpr std::int64_t kLastContext = 1 << 20;
constexpr int kPointsPerOctave = 8;
// Rotated fractions of figure 1 of the partial-RoPE paper; a logarithmic axis cannot show 0 %.
constexpr std::array<double, 5> kFractions = {0.1, 0.25, 0.5, 0.75, 1.0};
constexpr int kMinChannels = 2;

// GPUs that are sold with 24, 80 and 141 GB have about as many GiB, the unit of the axis.
struct Device {
    std::int64_t gibibytes;
    const char* label;
};
constexpr std::array<Device, 3> kDevices = {{{24, "24 GiB GPU"}, {80, "80 GiB GPU"}, {141, "141 GiB GPU"}}};
constexpr std::int64_t kBytesPerGiB = std::int64_t{1} << 30;

using BytesAt = std::function<std::optional<std::int64_t>(std::int64_t context)>;

Range contextRange(const RotarySetup& setup) {
    return {static_cast<double>(std::min(kFirstContext, setup.context)),
            static_cast<double>(std::max(kLastContext, setup.context))};
}

double inMiB(const std::optional<std::int64_t>& bytes) {
    return bytes ? static_cast<double>(*bytes) / kMiB : std::numeric_limits<double>::quiet_NaN();
}

FigureCurve curveOf(const RotarySetup& setup, const QString& label, Ink ink, const BytesAt& bytes) {
    FigureCurve curve;
    curve.label = label;
    curve.quantity = u"size"_s;
    curve.ink = ink;
    const Range range = contextRange(setup);
    const int places = static_cast<int>(std::ceil(kPointsPerOctave * std::log2(range.maximum / range.minimum)));
    for (int i = 0; i <= places; ++i) {
        const double context = std::round(range.minimum * std::pow(range.maximum / range.minimum, i / double(places)));
        if (curve.x.isEmpty() || context > curve.x.last()) {
            curve.x.append(context);
            curve.y.append(inMiB(bytes(static_cast<std::int64_t>(context))));
        }
    }
    return curve;
}

/// The ends of the curves belong to another context than that of the setup.
QString endNote(const RotarySetup& setup) {
    return u"numbers at the right: sizes for a context of %1 tokens"_s.arg(
        groupedText(std::llround(contextRange(setup).maximum)));
}

FigureCurve markOf(const RotarySetup& setup, Ink ink, const BytesAt& bytes) {
    FigureCurve mark;
    mark.ink = ink;
    mark.shape = FigureCurve::Shape::points;
    mark.emphasis = FigureCurve::Emphasis::picked;
    mark.pointPt = 8;
    mark.x = {static_cast<double>(setup.context)};
    mark.y = {inMiB(bytes(setup.context))};
    return mark;
}

/// The colour of a kind of attention is the same in both figures. Number 5 is that of rotated pairs in dark themes.
Ink inkOf(KvCache kind) {
    const auto place = static_cast<int>(std::find(kKinds.begin(), kKinds.end(), kind) - kKinds.begin());
    return Ink::data(place < 4 ? place + 1 : place + 2);
}

/// "KV cache in bfloat16, batch size 1, 32 layers, 32 heads, 8 KV heads (GQA)".
QString cacheText(const ModelShape& shape, const MemoryOptions& options) {
    return u"KV cache in %1, batch size 1, %2, %3, %4 (GQA)"_s.arg(
        text(word_of(options.kvFormat)), countText(shape.sizes.layers, u"layer"_s),
        countText(shape.sizes.heads, u"head"_s), countText(shape.sizes.kv_heads, u"KV head"_s));
}

QString shortText(KvCache kind) {
    return kind == KvCache::sliding ? u"sliding"_s : kindText(kind);
}

/// "MHA (32)": the number of heads with keys and values of their own; "MLA" and "sliding" for the others.
QString barText(KvCache kind, const AttentionSizes& sizes) {
    const std::int64_t heads = kind == KvCache::multi_head    ? sizes.heads
                               : kind == KvCache::grouped     ? sizes.kv_heads
                               : kind == KvCache::multi_query ? 1
                                                              : 0;
    return heads == 0 ? shortText(kind) : u"%1 (%2)"_s.arg(shortText(kind), groupedText(heads));
}

/// "; MLA: 512 latent and 64 rotary channels; sliding: window of 4,096 tokens".
QString kindsText(const AttentionSizes& sizes) {
    const QString all =
        sizes.global_layers > 0
            ? u" in %1 of %2 layers"_s.arg(groupedText(sizes.layers - sizes.global_layers), groupedText(sizes.layers))
            : QString();
    return u"; MLA: %1 latent and %2 rotary channels; sliding: window of %3%4"_s.arg(
        groupedText(sizes.latent_dim), groupedText(sizes.latent_rope_dim), countText(sizes.window, u"token"_s), all);
}

struct Member {
    QString label;
    int rotaryDim = 0;
    bool isCurrent = false;
};

QString percent(double fraction) {
    return QString::number(100 * fraction, 'g', 3) + u" %"_s;
}

/// "; 10 %: 6 of 64 channels, whole pairs; 2 ch: 2 channels".
QString roundedText(const RotarySetup& setup) {
    QStringList rounded;
    for (const double fraction : kFractions) {
        const int dim = rotary_dim(setup.head_dim, fraction);
        if (std::abs(dim - fraction * setup.head_dim) > 1e-6) {
            rounded << u"%1: %2 of %3 channels"_s.arg(percent(fraction)).arg(dim).arg(setup.head_dim);
        }
    }
    const QString pairs = rounded.isEmpty() ? QString() : u"; %1, whole pairs"_s.arg(rounded.join(u", "_s));
    return pairs + u"; ch: channels"_s;
}

/// The paper's rotated fractions and the setup's. Fractions with the same number of channels share one entry.
std::vector<Member> members(const RotarySetup& setup) {
    std::vector<Member> all = {{u"%1 ch"_s.arg(kMinChannels), kMinChannels}};
    for (const double fraction : kFractions) {
        const int dim = rotary_dim(setup.head_dim, fraction);
        if (dim == all.back().rotaryDim) {
            all.back().label += u", "_s + percent(fraction);
        } else {
            all.push_back({percent(fraction), dim});
        }
    }
    const int current = rotary_dim(setup);
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const Member& each) { return each.rotaryDim == current; });
    if (found != all.end()) {
        found->isCurrent = true;
    } else if (current > 0) {
        const auto place =
            std::find_if(all.begin(), all.end(), [&](const Member& each) { return each.rotaryDim > current; });
        all.insert(place, {percent(setup.fraction), current, true});
    }
    return all;
}

BytesAt tableAt(const RotarySetup& setup, const ModelShape& shape, const MemoryOptions& options, int dim) {
    return [=](std::int64_t context) { return tableBytes(setup, shape, options, dim, context); };
}

BytesAt cacheAt(const RotarySetup& setup, const ModelShape& shape, const MemoryOptions& options, KvCache kind) {
    return [=](std::int64_t context) { return kvBytes(setup, shape, options, kind, context); };
}

/// In MiB: powers of two that enclose all curves of both figures and the memory of the devices.
Range sizeRange(const RotarySetup& setup, const ModelShape& shape, const MemoryOptions& options) {
    const Range contexts = contextRange(setup);
    double low = std::numeric_limits<double>::infinity();
    double high = inMiB(kDevices.back().gibibytes * kBytesPerGiB);
    const auto add = [&](const BytesAt& bytes) {
        for (const double context : {contexts.minimum, contexts.maximum}) {
            const double size = inMiB(bytes(static_cast<std::int64_t>(context)));
            if (size > 0) {
                low = std::min(low, size);
                high = std::max(high, size);
            }
        }
    };
    for (const Member& member : members(setup)) {
        add(tableAt(setup, shape, options, member.rotaryDim));
    }
    for (const KvCache kind : kKinds) {
        add(cacheAt(setup, shape, options, kind));
    }
    return {std::exp2(std::floor(std::log2(low))), std::exp2(std::ceil(std::log2(high)))};
}

Figure emptyFigure(const RotarySetup& setup, const ModelShape& shape, const MemoryOptions& options) {
    Figure figure;
    const Range contexts = contextRange(setup);
    figure.x = {.label = u"context"_s,
                .unit = u"tokens"_s,
                .logarithmic = true,
                .minimum = contexts.minimum,
                .maximum = contexts.maximum};
    const Range sizes = sizeRange(setup, shape, options);
    figure.y = {
        .label = u"size"_s, .unit = u"MiB"_s, .logarithmic = true, .minimum = sizes.minimum, .maximum = sizes.maximum};
    for (const Device& device : kDevices) {
        const std::int64_t bytes = device.gibibytes * kBytesPerGiB;
        figure.curves.push_back(curveOf(setup, QString::fromLatin1(device.label), {Ink::Kind::quiet},
                                        [bytes](std::int64_t) { return std::optional(bytes); }));
    }
    figure.verticalLines.push_back({static_cast<double>(setup.context),
                                    u"context %1"_s.arg(groupedText(setup.context)),
                                    {Ink::Kind::accent},
                                    kMemoryContextLine});
    figure.summary = memorySentence(setup, shape, options);
    const AttentionSizes keys = attentionSizes(setup, shape);
    figure.settings = {{u"setup"_s, QString::fromStdString(text_of(setup))},
                       {u"layout"_s, options.layout == TableLayout::duplicated ? u"duplicated"_s : u"single"_s},
                       {u"tables"_s, static_cast<double>(options.isPerLayer ? keys.layers : 1)},
                       {u"kv_precision"_s, text(word_of(options.kvFormat))},
                       {u"batch"_s, 1},
                       {u"layers"_s, static_cast<double>(keys.layers)},
                       {u"heads"_s, static_cast<double>(keys.heads)},
                       {u"kv_heads"_s, static_cast<double>(keys.kv_heads)},
                       {u"head_dim"_s, static_cast<double>(keys.head_dim)},
                       {u"latent_dim"_s, static_cast<double>(keys.latent_dim)},
                       {u"latent_rope_dim"_s, static_cast<double>(keys.latent_rope_dim)},
                       {u"window"_s, static_cast<double>(keys.window)},
                       {u"global_layers"_s, static_cast<double>(keys.global_layers)},
                       {u"kind"_s, kindText(shape.sizes.kind)}};
    return figure;
}

struct Bar {
    QString name;
    Ink ink;
    std::optional<std::int64_t> bytes;
    bool isCurrent = false;
};

/// The sizes at the context of the setup, to scale: the axis is linear and begins at 0.
Figure barsFigure(const QString& name, Figure figure, const std::vector<Bar>& bars) {
    constexpr double most = 4096;   // larger sizes are in the next unit
    constexpr double space = 1.25;  // above the highest bar, for its size
    figure.name = name;
    figure.curves.clear();
    figure.verticalLines.clear();
    double largest = 0;
    for (const Bar& bar : bars) largest = std::max(largest, inMiB(bar.bytes.value_or(0)));
    const double unit = largest * 1024 < most ? 1.0 / 1024 : largest < most ? 1 : 1024;
    QStringList names;
    figure.table = FigureTable::of({u"size (MiB)"_s});
    for (const Bar& bar : bars) {
        FigureCurve curve;
        curve.quantity = u"size"_s;
        curve.ink = bar.ink;
        curve.shape = FigureCurve::Shape::bars;
        curve.emphasis = bar.isCurrent ? FigureCurve::Emphasis::picked : FigureCurve::Emphasis::normal;
        curve.x = {static_cast<double>(names.size())};
        curve.y = {inMiB(bar.bytes) / unit};
        FigureCurve size = curve;
        size.shape = FigureCurve::Shape::points;
        size.pointPt = 0.01;  // only the label is visible
        const double digits = size.y.first() < 1 ? QString::number(size.y.first(), 'g', 3).toDouble() : size.y.first();
        size.label = bar.bytes ? markText(digits) : QString();
        size.solid = true;  // B's is no ring
        figure.curves.push_back(std::move(curve));
        figure.curves.push_back(std::move(size));
        figure.table.addRow({inMiB(bar.bytes)});
        names << bar.name;
    }
    figure.table.words = {{u"bar"_s, names}};
    figure.x = Axis::cells({}, names.size(), names);
    figure.y = {.label = u"size"_s, .unit = unit < 1 ? u"KiB"_s : unit == 1 ? u"MiB"_s : u"GiB"_s, .minimum = 0};
    figure.y.maximum = space * std::max(largest / unit, 1e-6);
    return figure;
}

/// The table of the setup that is compared, which names that of A.
void addCompared(Figure& figure, std::vector<Bar>& bars, const ShapedSetup& a, const ShapedSetup& b,
                 const MemoryOptions& options) {
    const auto current = std::find_if(bars.begin(), bars.end(), [](const Bar& bar) { return bar.isCurrent; });
    Bar& own = current == bars.end() ? bars.front() : *current;
    const QString name = percent(b.setup.fraction);
    const auto bytes = tableBytes(b.setup, b.shape, options, rotary_dim(b.setup), b.setup.context);
    const auto same = std::ranges::find_if(
        bars, [&](const Bar& bar) { return &bar != &own && bar.name == name && bar.bytes == bytes; });
    own.name = u"A: "_s + own.name;
    Bar& other = same == bars.end() ? bars.emplace_back() : *same;  // `own` may be invalid
    other = {u"B: "_s + name, {Ink::Kind::compared}, bytes};
    figure.settings.insert(u"setup"_s, QString::fromStdString(setups_text({a.setup, b.setup})));
}

/// What A and B are, if there are two, and `what` with the number of tokens of each.
QString barsNote(const QString& what, const ShapedSetup& a, const std::optional<ShapedSetup>& b) {
    const QString note = what.arg(groupedText(a.setup.context));
    if (!b) return note.arg(QString());
    const bool isSame = b->setup.context == a.setup.context;
    return comparedNames(a, *b).titleOfBoth(u" · "_s) + u"; "_s +
           note.arg(isSame ? QString() : u" (table of B: %1)"_s.arg(groupedText(b->setup.context)));
}

void keepOwnCurves(Figure& figure, Ink::Kind family) {
    std::erase_if(figure.curves, [&](const FigureCurve& curve) {
        return curve.ink.kind == family && curve.shape == FigureCurve::Shape::line &&
               curve.emphasis != FigureCurve::Emphasis::picked;
    });
}

}  // namespace

Figure ropeCacheFigure(const RotarySetup& setup, const ModelShape& shape, const MemoryOptions& options) {
    const Ink tableInk{Ink::Kind::rotated};
    const Ink cacheInk = inkOf(shape.sizes.kind);
    Figure figure = emptyFigure(setup, shape, options);
    figure.name = u"rope-cache"_s;
    const auto cache = cacheAt(setup, shape, options, shape.sizes.kind);
    figure.curves.push_back(curveOf(setup, u"KV, %1"_s.arg(shortText(shape.sizes.kind)), cacheInk, cache));
    const std::vector<Member> all = members(setup);
    for (auto member = all.rbegin(); member != all.rend(); ++member) {
        figure.curves.push_back(
            curveOf(setup, member->label, tableInk, tableAt(setup, shape, options, member->rotaryDim)));
        figure.curves.back().emphasis =
            member->isCurrent ? FigureCurve::Emphasis::picked : FigureCurve::Emphasis::normal;
    }
    figure.curves.push_back(markOf(setup, cacheInk, cache));
    if (const int current = rotary_dim(setup); current > 0) {
        figure.curves.push_back(markOf(setup, tableInk, tableAt(setup, shape, options, current)));
    }
    figure.note =
        u"Size of the cos/sin table in %1 by rotated fraction (bold: the setup's; 0 %: none%2); %3; points: the setup"_s
            .arg(text(word_of(setup.precision)), roundedText(setup), cacheText(shape, options));
    figure.valuesNote = endNote(setup);
    return figure;
}

Figure kvCacheFigure(const RotarySetup& setup, const ModelShape& shape, const MemoryOptions& options) {
    const Ink tableInk{Ink::Kind::rotated};
    const Ink cacheInk = inkOf(shape.sizes.kind);
    Figure figure = emptyFigure(setup, shape, options);
    figure.name = u"kv-cache"_s;
    for (const KvCache kind : kKinds) {
        figure.curves.push_back(curveOf(setup, shortText(kind), inkOf(kind), cacheAt(setup, shape, options, kind)));
        if (kind == shape.sizes.kind) {
            figure.curves.back().emphasis = FigureCurve::Emphasis::picked;
        }
    }
    figure.curves.push_back(markOf(setup, cacheInk, cacheAt(setup, shape, options, shape.sizes.kind)));
    if (const int current = rotary_dim(setup); current > 0) {
        const auto table = tableAt(setup, shape, options, current);
        figure.curves.push_back(curveOf(setup, u"cos/sin, %1"_s.arg(percent(setup.fraction)), tableInk, table));
        figure.curves.push_back(markOf(setup, tableInk, table));
    }
    figure.note = u"Size of the %1"_s.arg(cacheText(shape, options)) + kindsText(attentionSizes(setup, shape)) +
                  u"; points: the setup"_s;
    figure.valuesNote = endNote(setup);
    return figure;
}

Figure ropeCacheBars(const ShapedSetup& a, const MemoryOptions& options, const std::optional<ShapedSetup>& b) {
    Figure figure = emptyFigure(a.setup, a.shape, options);
    std::vector<Bar> bars;
    for (const Member& member : members(a.setup)) {
        bars.push_back({member.label,
                        {Ink::Kind::rotated},
                        tableBytes(a.setup, a.shape, options, member.rotaryDim, a.setup.context),
                        member.isCurrent});
    }
    if (b) addCompared(figure, bars, a, *b, options);
    figure.note = barsNote(u"cos/sin table by rotated fraction, for %1 tokens%2"_s, a, b) + roundedText(a.setup) +
                  u"; bold: the fraction of the setup"_s;
    return barsFigure(u"rope-cache-bars"_s, std::move(figure), bars);
}

Figure kvCacheBars(const ShapedSetup& a, const MemoryOptions& options, const std::optional<ShapedSetup>& b) {
    Figure figure = emptyFigure(a.setup, a.shape, options);
    std::vector<Bar> bars = {{u"cos/sin, %1"_s.arg(percent(a.setup.fraction)),
                              {Ink::Kind::rotated},
                              tableBytes(a.setup, a.shape, options, rotary_dim(a.setup), a.setup.context)}};
    if (b) addCompared(figure, bars, a, *b, options);
    for (const KvCache kind : kKinds) {
        bars.push_back({barText(kind, attentionSizes(a.setup, a.shape)), inkOf(kind),
                        kvBytes(a.setup, a.shape, options, kind, a.setup.context), kind == a.shape.sizes.kind});
    }
    figure.note = barsNote(u"cos/sin table and KV cache by attention type, for %1 tokens%2"_s, a, b) +
                  u"; bold: the type of the model; in brackets: heads that are stored"_s +
                  kindsText(attentionSizes(a.setup, a.shape));
    return barsFigure(u"kv-cache-bars"_s, std::move(figure), bars);
}

Figure comparedRopeCacheFigure(const ShapedSetup& a, const ShapedSetup& b, const MemoryOptions& options, bool editsB) {
    Figure second = ropeCacheFigure(b.setup, b.shape, options);
    keepOwnCurves(second, Ink::Kind::rotated);
    return comparedFigure(ropeCacheFigure(a.setup, a.shape, options), second, a, b, editsB);
}

Figure comparedKvCacheFigure(const ShapedSetup& a, const ShapedSetup& b, const MemoryOptions& options, bool editsB) {
    Figure second = kvCacheFigure(b.setup, b.shape, options);
    keepOwnCurves(second, Ink::Kind::data);
    return comparedFigure(kvCacheFigure(a.setup, a.shape, options), second, a, b, editsB);
}

std::span<const RotaryFigure> memoryFigures() {
    static const std::array<RotaryFigure, 4> figures = {{
        {"rope-cache", [](const RotarySetup& setup, const ModelShape& shape) { return ropeCacheFigure(setup, shape); },
         [](const ShapedSetup& a, const ShapedSetup& b) { return comparedRopeCacheFigure(a, b); }},
        {"kv-cache", [](const RotarySetup& setup, const ModelShape& shape) { return kvCacheFigure(setup, shape); },
         [](const ShapedSetup& a, const ShapedSetup& b) { return comparedKvCacheFigure(a, b); }},
        {"rope-cache-bars",
         [](const RotarySetup& setup, const ModelShape& shape) {
             return ropeCacheBars({setup, shape});
         },
         [](const ShapedSetup& a, const ShapedSetup& b) { return ropeCacheBars(a, {}, b); }, "rope-cache"},
        {"kv-cache-bars",
         [](const RotarySetup& setup, const ModelShape& shape) {
             return kvCacheBars({setup, shape});
         },
         [](const ShapedSetup& a, const ShapedSetup& b) { return kvCacheBars(a, {}, b); }, "kv-cache"},
    }};
    return figures;
}

}  // namespace ropelab::ui
