// Compares the numbers that the rotary rooms show (texts, crosshairs, tables and curves) with numbers that core
// computes from the same setup. A number that ignores a part of the setup, such as its scaling, differs here, or its
// text says that it is unscaled.
#include <QApplication>
#include <QLabel>
#include <algorithm>
#include <cmath>
#include <memory>
#include <string>

#include "core/rope/context.h"
#include "core/rope/logit.h"
#include "core/rope/memory.h"
#include "core/rope/rotation.h"
#include "tests/ui/support/workbench.h"
#include "ui/common/format.h"
#include "ui/common/text.h"
#include "ui/figure/ticks.h"
#include "ui/plot/figure_view.h"
#include "ui/rooms/cache/cache_figures.h"
#include "ui/rooms/cache/cache_room.h"
#include "ui/rooms/context/context_figures.h"
#include "ui/rooms/context/context_room.h"
#include "ui/rooms/context/criteria_panel.h"
#include "ui/rooms/memory/memory_figures.h"
#include "ui/rooms/memory/memory_room.h"
#include "ui/rooms/rotation/rotation_room.h"
#include "ui/rooms/spectrum/spectrum_panel.h"
#include "ui/rooms/spectrum/spectrum_room.h"
#include "ui/rotary/spectrum_data.h"
#include "ui/session/rotary_model.h"

namespace ropelab::ui {
namespace {

constexpr std::int64_t kLimit = std::int64_t{1} << 20;  // B(Δ) is computed for this many distances

const std::vector<const char*> kSetups = {
    "theta=10k head_dim=64 fraction=100% context=1024",
    "theta=500 head_dim=64 fraction=100% context=256",
    "theta=500k head_dim=128 fraction=100% context=8192 pairing=interleaved precision=bfloat16",
    "theta=1850 head_dim=64 fraction=100% context=256 precision=float16",
    "theta=10k head_dim=64 fraction=25% context=2048",
    "theta=10k head_dim=64 fraction=25% context=2048 partial=truncate",
    "theta=1M head_dim=128 fraction=75% context=4096 partial=truncate precision=float16",
    "theta=10k head_dim=64 fraction=0% context=512",
    "theta=10k head_dim=80 fraction=40% context=1000",
    "theta=10k head_dim=64 fraction=100% context=4096 scaling=linear factor=4 original_context=1024",
    "theta=10k head_dim=64 fraction=75% context=4096 scaling=linear factor=4 partial=truncate",
    "theta=10k head_dim=128 fraction=100% context=8192 scaling=ntk factor=2",
    "theta=10k head_dim=128 fraction=50% context=8192 scaling=ntk factor=2 partial=truncate",
    "theta=10k head_dim=128 fraction=100% context=8192 scaling=dynamic factor=2 original_context=4096",
    "theta=10k head_dim=96 fraction=75% context=8192 scaling=ntk-by-parts factor=4 original_context=2048",
    "theta=1M head_dim=128 fraction=100% context=32768 scaling=yarn factor=4 original_context=32768",
    "theta=10k head_dim=128 fraction=50% context=16384 scaling=yarn factor=4 original_context=4096 truncate=no",
    "theta=10k head_dim=64 fraction=75% context=16384 scaling=yarn factor=40 original_context=4096 mscale=1 "
    "mscale_all_dim=0.7 partial=truncate",
    "theta=500k head_dim=128 fraction=100% context=131072 scaling=llama3 factor=8 original_context=8192 "
    "precision=bfloat16",
    "theta=500k head_dim=64 fraction=75% context=65536 scaling=llama3 factor=32 original_context=8192",
    "theta=10k head_dim=8 fraction=100% context=512 scaling=longrope factor=4 original_context=128 "
    "short_factors=1;1;1.2;1.5 long_factors=1;2;4;6",
    "theta=10k head_dim=8 fraction=100% context=128 scaling=longrope factor=4 original_context=128 "
    "short_factors=1;1;1.2;1.5 long_factors=1;2;4;6",
};

class RotaryNumbers : public Workbench, public ::testing::WithParamInterface<const char*> {
 protected:
    void SetUp() override {
        Workbench::SetUp();
        setup = parse_setup(GetParam());
        now = frequencies(frequency_settings(setup));
        plain = frequencies(plain_settings(setup));
        workspace = std::make_unique<Workspace>(options());
        workspace->rotary().change("change setup", setup);
    }

    /// Shows a room with the setup.
    template <typename R>
    void show(R& room) {
        room.resize(900, 700);
        room.show();
        ASSERT_TRUE(QTest::qWaitForWindowExposed(&room));
        room.refreshNow();
        QApplication::processEvents();  // the layout assigns the remaining height to the views after the texts
        room.refreshNow();
    }
    bool isScaled() const { return setup.scaling.method != ScalingMethod::none; }
    /// Frequency of a pair; 0 for a pair that is not rotated.
    static double frequencyOf(const Frequencies& of, std::size_t pair) {
        return pair < of.inverse_frequencies.size() ? of.inverse_frequencies[pair] : 0;
    }
    static double wavelength(double frequency) { return 2 * std::acos(-1.0) / frequency; }
    double context() const { return static_cast<double>(setup.context); }

    /// Returns the value of the row with this label, or "" if there is none.
    static QString valueOf(const std::optional<FigureView::Readout>& readout, const QString& label) {
        if (!readout) return {};
        for (const FigureView::ReadoutRow& row : readout->rows) {
            if (row.label == label) return row.value;
        }
        return {};
    }
    static void expectContains(const QString& text, const QString& part) {
        EXPECT_TRUE(text.contains(part)) << "\"" << text.toStdString() << "\" lacks \"" << part.toStdString() << "\"";
    }

    RotarySetup setup;
    Frequencies now;    // with the scaling
    Frequencies plain;  // without the scaling
    std::unique_ptr<Workspace> workspace;
};

/// Expects a column of wavelengths of the rotated pairs.
void expectWavelengths(const FigureTable& table, const QString& name, const Frequencies& of) {
    const qsizetype at = table.names.indexOf(name);
    ASSERT_GE(at, 0) << name.toStdString();
    for (qsizetype i = 0; i < of.rotary_dim / 2; ++i) {
        const double expected = 2 * std::acos(-1.0) / of.inverse_frequencies[static_cast<std::size_t>(i)];
        EXPECT_NEAR(table.columns[at][i] / expected, 1, 1e-12) << name.toStdString() << ", pair " << i;
    }
}

TEST_P(RotaryNumbers, SpectrumFigure) {
    const Figure figure = spectrumFigure(setup, {.otherPartial = true, .compared = scalingMethods()});
    if (now.rotary_dim == 0) {
        EXPECT_FALSE(figure.emptyText.isEmpty());
        return;
    }
    expectWavelengths(figure.table, "wavelength (tokens)", now);
    expectWavelengths(figure.table, "unscaled · wavelength (tokens)", plain);
    RotarySetup other = setup;
    other.partial = setup.partial == Partial::slice ? Partial::truncate : Partial::slice;
    expectWavelengths(
        figure.table,
        setup.partial == Partial::slice ? "truncate · wavelength (tokens)" : "slice · wavelength (tokens)",
        frequencies(frequency_settings(other)));
    for (qsizetype i = 0; i < setup.head_dim / 2; ++i) {
        const double frequency = i < now.rotary_dim / 2 ? now.inverse_frequencies[static_cast<std::size_t>(i)] : 0;
        EXPECT_DOUBLE_EQ(figure.table.columns[2][i], frequency);
        EXPECT_NEAR(figure.table.columns[3][i], context() * frequency / (2 * std::acos(-1.0)), 1e-9 * context());
    }
    const QString complete = QStringLiteral("%1 of %2 rotated pairs complete a period in %3 tokens")
                                 .arg(complete_pairs(now, context()))
                                 .arg(now.rotary_dim / 2)
                                 .arg(groupedText(setup.context));
    expectContains(figure.note, complete);
    expectContains(figure.summary, complete);
    int drawn = 0;
    for (const FigureCurve& curve : figure.curves) {
        if (!curve.label.startsWith("wavelength")) continue;
        for (qsizetype i = 0; i < curve.x.size(); ++i, ++drawn) {
            const double expected = wavelength(frequencyOf(now, static_cast<std::size_t>(curve.x[i])));
            EXPECT_NEAR(curve.y[i] / expected, 1, 1e-12);
            EXPECT_EQ(expected <= context() * (1 + 1e-12), curve.label.contains("≤")) << "pair " << curve.x[i];
        }
    }
    EXPECT_EQ(drawn, now.rotary_dim / 2);
    for (const FigureLine& line : figure.horizontalLines) {
        if (line.handle != kThetaHandle || line.label.isEmpty()) continue;
        EXPECT_NEAR(line.at / wavelength(frequencyOf(plain, static_cast<std::size_t>(now.rotary_dim / 2 - 1))), 1,
                    1e-12);
        EXPECT_EQ(line.label.contains("unscaled"), isScaled()) << line.label.toStdString();
    }
}

TEST_P(RotaryNumbers, SpectrumRoomTexts) {
    SpectrumRoom room(workspace->rotary());
    show(room);
    const QString critical = isScaled() ? "Critical dimension (Liu et al.), unscaled: %1 of %2 channels."
                                        : "Critical dimension (Liu et al.): %1 of %2 channels.";
    if (now.rotary_dim > 0) {
        const int dimension = setup.partial == Partial::slice ? now.rotary_dim : setup.head_dim;
        const bool hasTraining = isScaled() && setup.scaling.original_context > 0;
        const double training = hasTraining ? setup.scaling.original_context : context();
        const int number = std::min(now.rotary_dim, critical_dimension(dimension, setup.theta, training));
        expectContains(room.words(), critical.arg(number).arg(now.rotary_dim));
        const int last = now.rotary_dim / 2 - 1;
        const double slowest = frequencyOf(now, static_cast<std::size_t>(last));
        if (last > 0)
            expectContains(room.words(), QStringLiteral("pair %1 by %2. ").arg(last).arg(readableNumber(slowest)));
    }
    for (const int pair : {0, now.rotary_dim / 4, now.rotary_dim / 2 - 1}) {
        if (now.rotary_dim == 0) break;
        const double frequency = frequencyOf(now, static_cast<std::size_t>(pair));
        const auto readout = room.spectrumView()->readoutAt({static_cast<double>(pair), context()});
        EXPECT_EQ(valueOf(readout, "wavelength"), readableNumber(wavelength(frequency)) + " tokens");
        EXPECT_EQ(valueOf(readout, "frequency"), readableNumber(frequency) + " radians/token");
        EXPECT_EQ(valueOf(readout, "periods in the context"), readableNumber(context() / wavelength(frequency)));
        const double before = wavelength(frequencyOf(plain, static_cast<std::size_t>(pair)));
        EXPECT_EQ(valueOf(readout, "wavelength before scaling"),
                  isScaled() ? readableNumber(before) + " tokens" : QString());
    }
    // The sentence on slice and truncate follows from the same frequencies as the dots of the figure.
    RotarySetup other = setup;
    other.partial = setup.partial == Partial::slice ? Partial::truncate : Partial::slice;
    const Frequencies switched = frequencies(frequency_settings(other));
    int different = -1;
    for (int pair = 0; pair < now.rotary_dim / 2 && different < 0; ++pair) {
        const auto at = static_cast<std::size_t>(pair);
        if (std::abs(switched.inverse_frequencies[at] / now.inverse_frequencies[at] - 1) > 1e-9) different = pair;
    }
    if (different < 0) {
        EXPECT_TRUE(room.fields()->partialWords()->text().contains("do not differ") ||
                    room.fields()->partialWords()->text().contains("the same frequencies"))
            << room.fields()->partialWords()->text().toStdString();
    } else {
        expectContains(
            room.fields()->partialWords()->text(),
            QStringLiteral("At this θ, the frequencies of slice and truncate (the two kinds of partial rotation) "
                           "first differ at pair %1.")
                .arg(different));
    }
}

TEST_P(RotaryNumbers, Kernel) {
    const std::int64_t length = std::min<std::int64_t>(setup.context, kLongKernel);
    const KernelCurves curves = kernelCurves(setup, length);
    const std::vector<double> expected = kernel(now.inverse_frequencies, static_cast<std::size_t>(length));
    EXPECT_EQ(curves.complete, complete_pairs(now, static_cast<double>(length)));
    EXPECT_EQ(static_cast<int>(curves.periods.size()), now.rotary_dim / 2);
    for (std::size_t i = 0; i < curves.periods.size(); ++i) {
        EXPECT_NEAR(curves.periods[i] * wavelength(now.inverse_frequencies[i]) / static_cast<double>(length), 1, 1e-12);
    }
    if (now.rotary_dim == 0) return;
    ASSERT_EQ(curves.kernel.size(), std::ssize(expected));
    for (std::size_t i = 0; i < expected.size(); ++i) ASSERT_EQ(curves.kernel[static_cast<qsizetype>(i)], expected[i]);
}

TEST_P(RotaryNumbers, ContextBound) {
    ContextRoom room(workspace->rotary());
    show(room);
    ASSERT_TRUE(waitUntil([&] { return !room.isBusy(); }));
    room.refreshNow();
    const auto first = first_negative(now, setup.head_dim, kLimit);
    const bool canFail = 2 * now.rotary_dim > setup.head_dim;
    if (canFail && first) {
        const QString number = groupedText(*first);
        const QString scaling =
            isScaled() ? " with " + text(scaling_names().at(static_cast<std::size_t>(setup.scaling.method)).title) : "";
        const QString context = groupedText(setup.context);
        // The scaling of a longer text is another one.
        const bool isOfContext = *first > setup.context && dependsOnLength(setup);
        const QString expected =
            isOfContext ? QStringLiteral(
                              "with the frequencies of a text of %3 tokens%2, the mean logit advantage of "
                              "similar keys, B(Δ), is ≥ 0 for distances Δ < %1 tokens.")
                        : QStringLiteral("B(Δ), is ≥ 0 for distances Δ < %1 tokens%2; the context is %3 tokens.");
        expectContains(room.criteria()->text(0), expected.arg(number, scaling, context));
        expectContains(room.words(), isOfContext ? QStringLiteral("supports its context of %1 tokens").arg(context)
                                                 : QStringLiteral("supports a context of %1 tokens").arg(number));
        EXPECT_EQ(room.view()->figure().settings["first_negative"].toDouble(), static_cast<double>(*first));
        if (*first < setup.context) {
            const LowestBound lowest = lowest_bound(now, setup.head_dim, setup.context);
            expectContains(
                room.criteria()->text(0),
                QStringLiteral(
                    "The lowest B(Δ) is %1 (the largest possible value is %2), at Δ = %3; B(Δ) < 0 at %4 of the %5 "
                    "distances of the context.")
                    .arg(readableNumber(lowest.value))
                    .arg(setup.head_dim / 2)
                    .arg(groupedText(lowest.distance), groupedText(lowest.negative), groupedText(setup.context)));
        }
    } else if (!canFail) {
        EXPECT_FALSE(first);
    }
    const auto count = static_cast<std::size_t>(room.view()->figure().x.maximum);
    const std::vector<double> bound = context_bound(now, setup.head_dim, count);
    const std::vector<double> unscaled = context_bound(plain, setup.head_dim, count);
    for (const FigureCurve& curve : room.view()->figure().curves) {
        if (curve.quantity != "B(Δ)") continue;
        const std::vector<double>& expected = curve.label == "unscaled" ? unscaled : bound;
        for (qsizetype i = 0; i < curve.x.size(); ++i) {
            ASSERT_EQ(curve.y[i], expected[static_cast<std::size_t>(curve.x[i])]) << curve.x[i];
        }
    }
    for (const std::size_t distance : {std::size_t{1}, std::size_t{37}, count / 3, count - 1}) {
        const auto readout = room.view()->readoutAt({static_cast<double>(distance), 0});
        ASSERT_TRUE(readout);
        EXPECT_EQ(readout->rows.front().value, readableNumber(bound[distance])) << distance;
        expectContains(readout->title, groupedText(static_cast<std::int64_t>(distance)));
        EXPECT_EQ(valueOf(readout, "B(Δ), unscaled"), isScaled() ? readableNumber(unscaled[distance]) : QString());
    }
}

TEST_P(RotaryNumbers, ContextBasesAgreeWithTheBound) {
    ContextRoom room(workspace->rotary());
    show(room);
    ASSERT_TRUE(waitUntil([&] { return !room.isBusy(); }));
    room.showPart("bases");
    room.refreshNow();
    const auto first = first_negative(now, setup.head_dim, kLimit);
    if (2 * now.rotary_dim <= setup.head_dim) {
        expectContains(room.words(), "excludes no base and no context");
        return;
    }
    if (!first) return;
    const auto readout = room.view()->readoutAt({setup.theta, context()});
    EXPECT_EQ(valueOf(readout, "supported context"), groupedText(*first) + " tokens");
    expectContains(room.criteria()->text(0), groupedText(*first));
    const FigureTable& table = room.view()->figure().table;
    const qsizetype row = table.columns[0].indexOf(setup.theta);
    ASSERT_GE(row, 0);
    if (*first < room.profile().range().limit) {
        EXPECT_EQ(table.columns[1][row], static_cast<double>(*first));
    }
    // Every scanned base has the scaling of the setup.
    FrequencySettings scanned = frequency_settings(setup);
    for (qsizetype i = 0; i < table.columns[0].size(); i += std::max<qsizetype>(1, table.columns[0].size() / 8)) {
        scanned.theta = table.columns[0][i];
        const auto reach = first_negative(frequencies(scanned), setup.head_dim, room.profile().range().limit);
        EXPECT_EQ(std::isfinite(table.columns[1][i]), reach.has_value()) << scanned.theta;
        if (reach) {
            EXPECT_EQ(table.columns[1][i], static_cast<double>(*reach)) << scanned.theta;
        }
    }
}

TEST_P(RotaryNumbers, ContextCriteriaNameTheUnscaledNumbers) {
    ContextRoom room(workspace->rotary());
    show(room);
    if (now.rotary_dim == 0) return;
    const int dimension = setup.partial == Partial::slice ? now.rotary_dim : setup.head_dim;
    const bool hasTraining = isScaled() && setup.scaling.original_context > 0;
    const double training = hasTraining ? setup.scaling.original_context : context();
    const int critical = std::min(now.rotary_dim, critical_dimension(dimension, setup.theta, training));
    const QString name =
        isScaled() ? "Critical dimension (Liu et al.), unscaled: " : "Critical dimension (Liu et al.): ";
    expectContains(room.criteria()->text(1),
                   name + QStringLiteral("%1 of %2 channels complete a period in the training "
                                         "context of %3 tokens.")
                              .arg(critical)
                              .arg(now.rotary_dim)
                              .arg(groupedText(std::llround(training))));
    const QString scaled = QStringLiteral("With the setup's scaling, %1 of %2 channels complete a period in %3 tokens.")
                               .arg(2 * complete_pairs(now, context()))
                               .arg(now.rotary_dim)
                               .arg(groupedText(setup.context));
    EXPECT_EQ(room.criteria()->text(1).contains(scaled), isScaled()) << room.criteria()->text(1).toStdString();
    const double limit = extrapolation_limit(dimension, critical, setup.theta);
    expectContains(room.criteria()->text(2),
                   critical < now.rotary_dim
                       ? tokensText(std::floor(limit)) + " tokens after training at a context of " +
                             tokensText(training) +
                             " tokens and fine-tuning with base β = " + thetaText(std::round(setup.theta))
                       : "every rotated pair completes a period in " + tokensText(training) + " tokens");
    EXPECT_EQ(room.criteria()->text(2).contains("unscaled"), isScaled());
}

TEST_P(RotaryNumbers, DecayAndRandomLogits) {
    const std::int64_t end = distanceAxisEnd(setup.context);
    if (now.rotary_dim > 0) {
        const Figure decay = decayFigure(setup, end);
        const FigureCurve& curve = decay.curves.front();
        const std::vector<double> distances(curve.x.begin(), curve.x.end());
        const std::vector<double> expected = decay_bound(now.inverse_frequencies, distances);
        EXPECT_EQ(curve.shape, FigureCurve::Shape::points);  // the bound is not computed between the points
        for (std::size_t i = 0; i < expected.size(); ++i) {
            ASSERT_EQ(curve.y[static_cast<qsizetype>(i)], expected[i]) << distances[i];
        }
    }
    const RandomVectors vectors{.mean = 1, .correlation = 0.5};
    const std::vector<double> bound = context_bound(now, setup.head_dim, static_cast<std::size_t>(end));
    const Figure random = randomFigure(withMoreSamples(startSampling(setup, 1, end, vectors), 16), bound, end);
    const FigureTable& table = random.table;
    for (qsizetype row = 0; row < table.columns[0].size(); ++row) {
        const double expected = expected_logit(now, setup.head_dim, table.columns[0][row], vectors);
        EXPECT_DOUBLE_EQ(table.columns[3][row], expected);
    }
    const FigureCurve& curve = random.curves[1];
    for (qsizetype i = 0; i < curve.x.size(); i += std::max<qsizetype>(1, curve.x.size() / 50)) {
        EXPECT_NEAR(curve.y[i], expected_logit(now, setup.head_dim, curve.x[i], vectors), 1e-6 * setup.head_dim);
    }
    EXPECT_EQ(random.note.contains("without the attention factor"), now.attention_factor != 1);
}

TEST_P(RotaryNumbers, CosSinTable) {
    CacheRoom room(workspace->rotary());
    show(room);
    if (now.rotary_dim == 0) {
        expectContains(room.words(), "no cos/sin table");
        return;
    }
    const int bytes = bytes_of(setup.precision);
    for (const TableLayout layout : {TableLayout::duplicated, TableLayout::single}) {
        expectContains(room.words(), binarySize(rope_cache_bytes(now.rotary_dim, setup.context, bytes, layout)));
    }
    expectContains(room.words(), groupedText(first_inexact_position(setup.precision)));
    const std::vector<ChannelPair> pairs = channel_pairs(setup.head_dim, now.rotary_dim, setup.partial, setup.pairing);
    for (const bool isCosine : {true, false}) {
        room.showPart(isCosine ? "cosine-table" : "sine-table");
        room.refreshNow();
        FigureView* view = isCosine ? room.cosineView() : room.sineView();
        const FigureMap& map = *view->figure().map;
        for (std::size_t pair = 0; pair < pairs.size(); pair += std::max<std::size_t>(1, pairs.size() / 6)) {
            for (const int column : {0, 1, map.columns / 2, map.columns - 1}) {
                const double position = map.xFirst + column * map.xStep;
                const double angle =
                    table_angle(std::llround(position), now.inverse_frequencies[pair], setup.precision, false);
                const TableEntry entry = table_entry(angle, now.attention_factor, setup.precision);
                const double expected = isCosine ? entry.cosine : entry.sine;
                const auto row = static_cast<qsizetype>(pairs[pair].second);
                // A column has the mean of its positions; entries of 16 bits are rounded before it and after it.
                const auto around = static_cast<std::int64_t>(map.xStep) / 2;
                double mean = 0;
                for (std::int64_t m = std::llround(position) - around; m <= std::llround(position) + around; ++m) {
                    const double each = static_cast<double>(m) * now.inverse_frequencies[pair];
                    mean += now.attention_factor * (isCosine ? std::cos(each) : std::sin(each)) / map.xStep;
                }
                if (map.xStep > 1 && now.inverse_frequencies[pair] * map.xStep > std::numbers::pi) mean = 0;
                EXPECT_NEAR(map.values[row * map.columns + column], map.xStep > 1 ? mean : expected,
                            map.xStep > 1 && bytes < 4 ? 0.01 : 2e-5)
                    << "pair " << pair;
                if (position >= static_cast<double>(setup.context)) continue;  // the last column may be cut
                const auto readout = view->readoutAt({position, static_cast<double>(row)});
                EXPECT_EQ(valueOf(readout, "pair"), QString::number(pair));
                EXPECT_EQ(valueOf(readout, isCosine ? "cos" : "sin"), QString::number(expected, 'g', 7));
            }
        }
    }
    const Figure error = room.errorView()->figure();
    if (error.curves.empty()) return;
    const TableErrors errors = table_errors(now, setup.context, setup.precision);
    ASSERT_EQ(static_cast<double>(errors.stride), error.settings["stride"].toDouble());
    for (std::size_t pair = 0; pair < errors.stored.size(); ++pair) {
        EXPECT_EQ(error.table.columns[1][static_cast<qsizetype>(pair)], errors.computed[pair]);
        EXPECT_EQ(error.table.columns[2][static_cast<qsizetype>(pair)], errors.stored[pair]);
    }
}

TEST_P(RotaryNumbers, Memory) {
    MemoryRoom room(workspace->rotary());
    show(room);
    const ModelShape& shape = workspace->rotary().shape();
    AttentionSizes sizes = shape.sizes;
    sizes.head_dim = setup.head_dim;  // the shape belongs to no named model
    const std::vector<CachedLayers> caches = caches_of(sizes);
    const std::int64_t cache = kv_cache_bytes(caches, setup.context, bytes_of(NumberFormat::bfloat16));
    const std::int64_t table =
        rope_cache_bytes(now.rotary_dim, setup.context, bytes_of(setup.precision), TableLayout::duplicated);
    expectContains(room.words(), binarySize(cache));
    if (table > 0) expectContains(room.words(), QStringLiteral("table is %1 (").arg(binarySize(table)));
    const auto bytesAt = [&](const Figure& figure, const QString& label, qsizetype at) {
        for (const FigureCurve& curve : figure.curves) {
            if (curve.label == label) return std::pair(std::llround(curve.x[at]), curve.y[at] * kMiB);
        }
        return std::pair(0LL, std::nan(""));
    };
    const QString kvLabel = "KV, " + kindText(sizes.kind);
    for (const qsizetype at : {0, 5, 20}) {
        const auto [tokens, bytes] = bytesAt(room.tableView()->figure(), kvLabel, at);
        const std::int64_t expected = kv_cache_bytes(caches, tokens, bytes_of(NumberFormat::bfloat16));
        EXPECT_NEAR(bytes / static_cast<double>(expected), 1, 1e-12) << tokens;
    }
    for (const FigureCurve& curve : room.tableView()->figure().curves) {
        if (curve.ink.kind != Ink::Kind::rotated || curve.emphasis != FigureCurve::Emphasis::picked) continue;
        for (qsizetype i = 0; i < curve.x.size(); i += 10) {  // the curve and the mark of the setup's fraction
            const std::int64_t expected = rope_cache_bytes(now.rotary_dim, std::llround(curve.x[i]),
                                                           bytes_of(setup.precision), TableLayout::duplicated);
            EXPECT_NEAR(curve.y[i] * kMiB / static_cast<double>(expected), 1, 1e-12) << curve.x[i];
        }
    }
}

TEST_P(RotaryNumbers, RotationScene) {
    RotationRoom room(workspace->rotary(), workspace->runAccess());
    show(room);
    const RotationScene& scene = room.scene();
    EXPECT_EQ(scene.setup, setup);
    EXPECT_EQ(scene.frequencies.inverse_frequencies, now.inverse_frequencies);
    EXPECT_EQ(scene.frequencies.attention_factor, now.attention_factor);
    EXPECT_EQ(scene.rotatedPairs(), now.rotary_dim / 2);
}

INSTANTIATE_TEST_SUITE_P(Setups, RotaryNumbers, ::testing::ValuesIn(kSetups),
                         [](const auto& each) { return "setup" + std::to_string(each.index); });

}  // namespace
}  // namespace ropelab::ui
