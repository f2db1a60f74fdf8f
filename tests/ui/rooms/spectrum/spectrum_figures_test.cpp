#include "ui/rooms/spectrum/spectrum_figures.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/base/error.h"
#include "tests/support/expect_message.h"
#include "ui/figure/export/export.h"
#include "ui/figure/figure_style.h"
#include "ui/figure/paint/figure_head.h"
#include "ui/rotary/spectrum_data.h"

namespace ropelab::ui {
namespace {

constexpr double kTwoPi = 2 * std::numbers::pi;

RotarySetup large() {
    return {.head_dim = 128, .theta = 10000, .context = 4096};
}

const FigureLine* lineWithHandle(const Figure& figure, const QString& handle) {
    for (const FigureLine& line : figure.horizontalLines) {
        if (line.handle == handle) {
            return &line;
        }
    }
    return nullptr;
}

qsizetype countOf(const Figure& figure, Ink::Kind kind, FigureCurve::Emphasis emphasis) {
    qsizetype count = 0;
    for (const FigureCurve& curve : figure.curves) {
        if (curve.ink.kind == kind && curve.emphasis == emphasis && curve.shape == FigureCurve::Shape::points) {
            count += curve.x.size();
        }
    }
    return count;
}

TEST(SpectrumFigure, AgreesWithReferenceWavelengths) {
    const Figure figure = spectrumFigure(large());
    const QList<double>& wavelengths = figure.table.columns[1];
    ASSERT_EQ(wavelengths.size(), 64);
    EXPECT_NEAR(wavelengths.first(), kTwoPi, 1e-12);
    EXPECT_NEAR(wavelengths.last(), 54410, 1);
    EXPECT_NEAR(figure.table.columns[3].first(), 4096 / kTwoPi, 1e-9);
    EXPECT_TRUE(figure.y.logarithmic);
    EXPECT_EQ(figure.y.title(), "wavelength (tokens)");
    EXPECT_GT(figure.y.maximum, 54410);
}

TEST(SpectrumFigure, DimsPairsWithLessThanOnePeriod) {
    // At d = 128 and b = 1e4, 18 of 64 wavelengths exceed 4,096 tokens.
    const Figure figure = spectrumFigure(large());
    EXPECT_TRUE(figure.note.contains("46 of 64 rotated pairs complete a period in 4,096 tokens"))
        << figure.note.toStdString();
    EXPECT_EQ(countOf(figure, Ink::Kind::rotated, FigureCurve::Emphasis::normal), 46);
    EXPECT_EQ(countOf(figure, Ink::Kind::rotated, FigureCurve::Emphasis::dimmed), 18);
    EXPECT_EQ(criticalDimension(large()), 92);
}

TEST(SpectrumFigure, PointsOfTheSecondSetupSayWhichPairsCompleteAPeriod) {
    const ShapedSetup a{parse_setup("theta=10k"), {}};
    const ShapedSetup b{parse_setup("theta=500k"), {}};
    const FigureStyle style = FigureStyle::print(Theme::light(), 8, 10);
    const Figure both = comparedSpectrumFigure(a, b);
    for (const FigureCurve& curve : both.curves) {
        if (curve.shape != FigureCurve::Shape::points) continue;
        const bool isFilled = style.pointsOf(curve, 30).brush.style() != Qt::NoBrush;
        EXPECT_EQ(isFilled, curve.label.endsWith("≤ context")) << curve.label.toStdString();
    }
    // Twelve lines could not be told apart, and on an axis of wavelengths the methods cover each other.
    const auto entry = std::ranges::find_if(
        spectrumFigures(), [](const RotaryFigure& figure) { return figure.name == std::string("scalings"); });
    const Figure scalings = entry->ofBoth(a, b);
    ASSERT_EQ(scalings.panels.size(), 2U);
    EXPECT_EQ(scalings.panels[1].y.label, "scaled frequency ω′ / ω");
}

TEST(SpectrumFigure, ShowsUnrotatedPairsOfSliceAndTruncate) {
    RotarySetup setup = large();
    setup.fraction = 0.25;
    for (const Partial partial : {Partial::slice, Partial::truncate}) {
        setup.partial = partial;
        const Figure figure = spectrumFigure(setup);
        EXPECT_EQ(countOf(figure, Ink::Kind::unrotated, FigureCurve::Emphasis::normal), 48);
        EXPECT_EQ(figure.table.columns[0].size(), 64);
        EXPECT_EQ(figure.table.columns[1].size(),
                  16);  // unrotated pairs have no wavelength
        EXPECT_EQ(figure.table.columns[2].last(), 0);
    }
    setup.fraction = 0;
    const Figure nothing = spectrumFigure(setup);
    EXPECT_TRUE(isEmpty(nothing));
    EXPECT_TRUE(nothing.emptyText.contains("No pair is rotated"));
}

TEST(SpectrumFigure, MarksContextAndLongestWavelength) {
    RotarySetup setup = large();
    setup.scaling = {.method = ScalingMethod::yarn, .factor = 4};
    const Figure figure = spectrumFigure(setup);
    ASSERT_NE(lineWithHandle(figure, kContextHandle), nullptr);
    EXPECT_EQ(lineWithHandle(figure, kContextHandle)->at, 4096);
    ASSERT_NE(lineWithHandle(figure, kThetaHandle), nullptr);
    EXPECT_NEAR(lineWithHandle(figure, kThetaHandle)->at, 54410, 1);
    EXPECT_TRUE(std::any_of(figure.horizontalLines.begin(), figure.horizontalLines.end(),
                            [](const FigureLine& line) { return line.at == 16384; }));

    const Figure frequency = spectrumFigure(setup, {.asFrequency = true});
    EXPECT_NEAR(lineWithHandle(frequency, kContextHandle)->at, kTwoPi / 4096, 1e-12);
    EXPECT_NEAR(lineWithHandle(frequency, kThetaHandle)->at, kTwoPi / 54410, 1e-7);
    EXPECT_LT(frequency.y.minimum, kTwoPi / 54410);
    EXPECT_GT(frequency.y.maximum, 1);
}

TEST(SpectrumFigure, EveryLineHasItsOwnLabel) {
    RotarySetup setup = large();
    setup.context = 50000;  // near the longest wavelength
    for (const FigureLine& line : spectrumFigure(setup).horizontalLines) {
        EXPECT_EQ(line.label.contains("50,000"), line.at == 50000) << line.label.toStdString();
        EXPECT_FALSE(line.label.isEmpty());
    }
}

TEST(SpectrumFigure, OverlaysTheOtherPartial) {
    RotarySetup setup = large();
    setup.fraction = 0.5;
    const Figure figure = spectrumFigure(setup, {.otherPartial = true});
    EXPECT_EQ(figure.table.names.last(), "truncate · wavelength (tokens)");
    EXPECT_NEAR(figure.table.columns.last().last(), kTwoPi * std::pow(10000.0, 2.0 * 31 / 128), 1e-9);
    EXPECT_NEAR(figure.table.columns[1].last(), kTwoPi * std::pow(10000.0, 2.0 * 31 / 64), 1e-6);
    // The legend of the exported figure names every series that has no end label.
    setup.scaling = {.method = ScalingMethod::linear, .factor = 4};
    const Figure scaled = spectrumFigure(setup, {.otherPartial = true});
    const FigureStyle paper = FigureStyle::print(Theme::light(), 8.5, 1);
    QStringList legend = FigureHead(scaled, paper, {340, 213}).legendTexts();
    legend.sort();
    EXPECT_EQ(legend,
              (QStringList{"truncate", "unrotated", "unscaled", "wavelength > context", "wavelength ≤ context"}));
}

TEST(SpectrumFigure, OverlayHasTheScalingOfTheSetup) {
    RotarySetup setup = large();
    setup.scaling = {.method = ScalingMethod::yarn, .factor = 4, .original_context = 4096};
    const FigureTable all = spectrumFigure(setup, {.otherPartial = true}).table;
    EXPECT_EQ(all.columns.last(), all.columns[1]);  // all channels are rotated: slice and truncate are the same
    EXPECT_EQ(firstDifferentPair(setup, switchedPartial(setup)), std::nullopt);
    setup.fraction = 0.5;
    const FigureTable half = spectrumFigure(setup, {.otherPartial = true}).table;
    setup.partial = Partial::truncate;
    const Frequencies truncated = frequencies(frequency_settings(setup));
    for (int i = 0; i < 32; ++i) {
        EXPECT_DOUBLE_EQ(half.columns.last()[i],
                         wavelengthOf(truncated.inverse_frequencies[static_cast<std::size_t>(i)]));
    }
}

TEST(SpectrumFigure, ScalingsSetupAndOverlayDifferInColourOrDashes) {
    for (const Theme* theme : {&Theme::light(), &Theme::dark()}) {
        const FigureStyle style = FigureStyle::screen(*theme, 1);
        const QColor setup = style.colorOf({Ink::Kind::rotated});
        const QColor overlay = style.colorOf(otherPartialInk());
        EXPECT_NE(setup, overlay);
        std::vector<std::pair<QRgb, QList<qreal>>> seen;
        for (const ScalingMethod method : scalingMethods()) {
            FigureCurve curve;
            curve.ink = scalingInk(method);
            const QPen pen = style.penOf(curve);
            EXPECT_NE(pen.color(), setup) << word_of(method);
            EXPECT_NE(pen.color(), overlay) << word_of(method);
            EXPECT_NE(pen.color(), style.colorOf({Ink::Kind::quiet})) << word_of(method);  // the unscaled line
            const QList<qreal> dashes = pen.style() == Qt::SolidLine ? QList<qreal>() : pen.dashPattern();
            const std::pair look(pen.color().rgb(), dashes);
            EXPECT_EQ(std::count(seen.begin(), seen.end(), look), 0) << word_of(method);
            seen.push_back(look);
        }
    }
}

TEST(SpectrumFigure, TableContainsComparedScalings) {
    const Figure figure = spectrumFigure(large(), {.compared = scalingMethods()});
    EXPECT_EQ(figure.name, "scalings");
    // The table has the unscaled wavelengths and those of six methods; LongRoPE has no lists here.
    EXPECT_EQ(figure.table.names.size(), 4 + 1 + 6);
    EXPECT_TRUE(figure.note.contains("factor 4"));
    EXPECT_TRUE(figureCsv(figure).contains("NTK-aware"));
    // The colour of a method does not depend on the other methods that are shown.
    const Figure one = spectrumFigure(large(), {.compared = {ScalingMethod::yarn}});
    EXPECT_EQ(one.curves.front().ink, scalingInk(ScalingMethod::yarn));
}

TEST(SpectrumFigure, MarksTheHighlightedPair) {
    const Figure figure = spectrumFigure(large(), {.highlighted = 12});
    ASSERT_EQ(figure.verticalLines.size(), 1U);
    EXPECT_EQ(figure.verticalLines.front().at, 12);
    EXPECT_EQ(figure.curves.back().ink.kind, Ink::Kind::accent);
    EXPECT_NEAR(figure.curves.back().y.first(), kTwoPi * std::pow(10000.0, 24.0 / 128), 1e-9);
}

TEST(SpectrumData, ScalingsFollowTheirFormulas) {
    const auto linear = scaledBy(large(), ScalingMethod::linear);
    ASSERT_TRUE(linear);
    EXPECT_NEAR(linear->fastest, 4, 1e-12);
    EXPECT_NEAR(linear->slowest, 4, 1e-12);
    const auto ntk = scaledBy(large(), ScalingMethod::ntk);
    EXPECT_NEAR(ntk->fastest, 1, 1e-12);
    EXPECT_NEAR(ntk->slowest, 4, 1e-9);
    // At l = s·L the base grows as for a factor of s·s − (s − 1) = 13.
    const auto dynamic = scaledBy(large(), ScalingMethod::dynamic);
    EXPECT_NEAR(dynamic->fastest, 1, 1e-12);
    EXPECT_NEAR(dynamic->slowest, 13, 1e-9);
    for (const ScalingMethod method : {ScalingMethod::ntk_by_parts, ScalingMethod::yarn, ScalingMethod::llama3}) {
        const auto scaled = scaledBy(large(), method);
        EXPECT_NEAR(scaled->fastest, 1, 1e-12);
        EXPECT_NEAR(scaled->slowest, 4, 1e-9);
    }
    EXPECT_NEAR(scaledBy(large(), ScalingMethod::yarn)->frequencies.attention_factor, 1.1386, 1e-4);
    QString reason;
    EXPECT_FALSE(scaledBy(large(), ScalingMethod::longrope, &reason));
    EXPECT_TRUE(reason.contains("list")) << reason.toStdString();
}

TEST(SpectrumData, LongRopeRequiresFactorLists) {
    RotarySetup setup = large();
    setup.scaling.method = ScalingMethod::longrope;
    setup.scaling.factor = 8;
    setup.scaling.short_factors.assign(64, 1.0);
    setup.scaling.long_factors.assign(64, 2.0);
    const auto scaled = scaledBy(setup, ScalingMethod::longrope);
    ASSERT_TRUE(scaled);
    EXPECT_NEAR(scaled->fastest, 2, 1e-12);
    EXPECT_NEAR(scaled->frequencies.attention_factor, std::sqrt(1 + std::log(8.0) / std::log(4096.0)), 1e-12);
    EXPECT_EQ(comparedFactor(setup).factor, 8);
    EXPECT_FALSE(comparedFactor(setup).isDefault);
    EXPECT_TRUE(comparedFactor(large()).isDefault);
}

TEST(SpectrumData, SliceAndTruncateCoincideAtCoincidingBase) {
    RotarySetup setup = large();
    setup.fraction = 0.5;
    setup.theta = 500;
    for (const Partial partial : {Partial::slice, Partial::truncate}) {
        setup.partial = partial;
        const RotarySetup other = withOtherPartial(setup);
        EXPECT_NE(other.partial, setup.partial);
        const Frequencies before = frequencies(plain_settings(setup));
        const Frequencies after = frequencies(plain_settings(other));
        for (std::size_t i = 0; i < 32; ++i) {
            EXPECT_NEAR(after.inverse_frequencies[i] / before.inverse_frequencies[i], 1, 1e-12);
        }
    }
    setup.partial = Partial::slice;
    setup.fraction = 0.1;
    setup.theta = 1e6;
    EXPECT_MESSAGE(withOtherPartial(setup), BadInput, "at most 1e15");
}

TEST(SpectrumData, BaseFollowsTheLongestWavelength) {
    RotarySetup setup = large();
    setup.fraction = 0.25;
    for (const Partial partial : {Partial::slice, Partial::truncate}) {
        setup.partial = partial;
        const Frequencies plain = frequencies(plain_settings(setup));
        const auto base = baseOfSlowest(setup, kTwoPi / plain.inverse_frequencies[15]);
        ASSERT_TRUE(base);
        EXPECT_NEAR(*base / 10000, 1, 1e-9);
    }
    setup.fraction = 0.01;  // one pair: λ = 2π whatever the base
    EXPECT_FALSE(baseOfSlowest(setup, 100));
    EXPECT_EQ(*baseOfSlowest(large(), 1), kMinBase);
}

TEST(SpectrumData, RoundedDragDiffersFromThePreviousValue) {
    EXPECT_EQ(roundedDrag(4100, 1000, true), 4096);
    EXPECT_EQ(roundedDrag(5234, 1000, true), 5230);
    EXPECT_EQ(roundedDrag(123456, 1000, false), 123000);
    EXPECT_EQ(roundedDrag(8.4, 8, true), 9);
    EXPECT_EQ(roundedDrag(7.9, 8, true), 7);
    EXPECT_EQ(roundedDrag(4096, 4096, true), 4096);
}

TEST(KernelFigure, SumsTheRotatedPairs) {
    RotarySetup setup = large();
    setup.fraction = 0.25;
    setup.partial = Partial::truncate;
    const KernelCurves curves = kernelCurves(setup, 512);
    ASSERT_EQ(curves.kernel.size(), 512);
    EXPECT_NEAR(curves.kernel.first(), 16, 1e-12);
    double sum = 0;
    for (int i = 0; i < 16; ++i) {
        sum += std::cos(100 * std::pow(10000.0, -2.0 * i / 128));
    }
    EXPECT_NEAR(curves.kernel[100], sum, 1e-9);
    EXPECT_EQ(curves.bins.size(), 257);
    EXPECT_EQ(curves.complete, 16);  // λ ≤ 47 tokens
}

TEST(KernelFigure, CompletePairsHavePeaksAndOthersAddUpAtZero) {
    const KernelCurves curves = kernelCurves(large(), 4096);
    EXPECT_EQ(curves.complete, 46);
    EXPECT_EQ(curves.periods.size(), 64U);
    // At 0 periods every pair contributes its mean: sin(x)/x, where x is its angle over the kernel length.
    double mean = 0;
    for (const double periods : curves.periods) {
        mean += std::sin(kTwoPi * periods) / (kTwoPi * periods);
    }
    EXPECT_NEAR(curves.magnitude.first(), mean, 0.05);
    EXPECT_GT(mean, 7.5);  // contributed by the 18 pairs with less than one period
    // The highest frequencies have separate peaks of magnitude near 1, with small values in between.
    for (std::size_t i = 0; i < 5; ++i) {
        const auto at = static_cast<qsizetype>(std::lround(curves.periods[i]));
        EXPECT_GT(curves.magnitude[at], 0.6) << i;
        EXPECT_LT(curves.magnitude[at], 1.1) << i;
        const auto between = static_cast<qsizetype>(std::lround((curves.periods[i] + curves.periods[i + 1]) / 2));
        EXPECT_LT(curves.magnitude[between], 0.1) << i;
    }
    const Figure figure = kernelSpectrumFigure(large(), curves, 3);
    EXPECT_TRUE(figure.note.startsWith("filled circles: 46 pairs with a full period; open: 18, whose peaks add up to "))
        << figure.note.toStdString();
    KernelCurves one = curves;
    one.complete = static_cast<int>(curves.periods.size()) - 1;
    EXPECT_TRUE(kernelSpectrumFigure(large(), one, 3).note.contains("; open: 1, whose peak is "));
    EXPECT_EQ(countOf(figure, Ink::Kind::rotated, FigureCurve::Emphasis::normal), 46);
    EXPECT_EQ(countOf(figure, Ink::Kind::rotated, FigureCurve::Emphasis::dimmed), 18);
    EXPECT_EQ(figure.curves.back().x.first(), curves.periods[3]);
    EXPECT_EQ(pairAtPeriods(curves, curves.periods[3] * 1.01), 3);
    // Bin 0, which a logarithmic axis does not have, was a dot left of 1, as if it were at a fraction of a period.
    EXPECT_TRUE(
        figure.note.contains("add up to " + QString::number(curves.magnitude.first(), 'g', 3) + " at 0 periods"));
    for (const FigureCurve& curve : figure.curves) {
        for (qsizetype i = 0; i < curve.x.size(); ++i) {
            EXPECT_TRUE(curve.x[i] >= 1 || std::isnan(curve.y[i]) || curve.ink.kind == Ink::Kind::rotated);
        }
    }
    EXPECT_EQ(figure.x.label, "periods in 4,096 tokens");
    EXPECT_FALSE(pairAtPeriods(curves, 2000));
}

TEST(KernelFigure, LongKernelsAreReducedToExtremes) {
    const KernelCurves curves = kernelCurves(large(), 65536);
    EXPECT_TRUE(curves.isThinned);
    EXPECT_LT(curves.kernel.size(), 20000);
    EXPECT_EQ(curves.kernel.size(), curves.distance.size());
    EXPECT_EQ(curves.magnitude.size(), curves.bins.size());
    EXPECT_NEAR(*std::max_element(curves.kernel.begin(), curves.kernel.end()), 64, 1e-9);
    EXPECT_EQ(curves.bins.first(), 0);
    EXPECT_EQ(curves.distance.last(), 65535);
    EXPECT_TRUE(kernelFigure(large(), curves).settings.value("thinned_to_extremes").toBool());
}

TEST(SpectrumFigures, AreFoundByName) {
    QStringList names;
    for (const RotaryFigure& each : spectrumFigures()) {
        const Figure figure = each.make(large(), {});
        EXPECT_EQ(figure.name, each.name);
        EXPECT_FALSE(figure.summary.isEmpty());
        EXPECT_FALSE(isEmpty(figure));
        EXPECT_TRUE(figure.settings.value("setup").toString().contains("theta=10k"));
        names << figure.name;
    }
    EXPECT_EQ(names, QStringList({"spectrum", "scalings", "kernel", "kernel-spectrum"}));
}

}  // namespace
}  // namespace ropelab::ui
