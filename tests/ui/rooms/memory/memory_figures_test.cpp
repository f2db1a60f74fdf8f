#include "ui/rooms/memory/memory_figures.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include <cmath>

#include "ui/rooms/memory/memory_panels.h"

namespace ropelab::ui {
namespace {

constexpr double kMiB = 1024.0 * 1024.0;

RotarySetup memorySetup(int headDim, std::int64_t context, double fraction = 1) {
    RotarySetup setup;
    setup.head_dim = headDim;
    setup.context = context;
    setup.fraction = fraction;
    return setup;
}

const FigureCurve* find(const Figure& figure, const QString& label) {
    for (const FigureCurve& curve : figure.curves) {
        if (curve.label == label) return &curve;
    }
    return nullptr;
}

QStringList labels(const Figure& figure) {
    QStringList result;
    for (const FigureCurve& curve : figure.curves) {
        if (!curve.label.isEmpty()) result << curve.label;
    }
    return result;
}

TEST(MemorySizes, TableIs128MiBAndKvCache16GiBAt128kTokens) {
    const RotarySetup setup = memorySetup(128, 131072);
    EXPECT_EQ(tableBytes(setup, {}, {}, 128, setup.context), std::int64_t{128} << 20);
    EXPECT_EQ(kvBytes(setup, {}, {}, KvCache::grouped, setup.context), std::int64_t{16} << 30);
    const QString sentence = memorySentence(setup, {}, {});
    EXPECT_TRUE(sentence.contains("the cos/sin table is 128 MiB")) << sentence.toStdString();
    EXPECT_TRUE(sentence.contains("the KV cache is 16 GiB")) << sentence.toStdString();
    EXPECT_TRUE(sentence.endsWith("128 times as much.")) << sentence.toStdString();
}

TEST(MemoryFigures, NotesNameTheContextOfTheNumbersAtTheRight) {
    const RotarySetup setup;
    for (const Figure& figure : {ropeCacheFigure(setup, {}, {}), kvCacheFigure(setup, {}, {})}) {
        EXPECT_FALSE(figure.note.contains("numbers at the right")) << "where no number is drawn";
        EXPECT_EQ(figure.valuesNote, "numbers at the right: sizes for a context of 1,048,576 tokens");
        EXPECT_EQ(figure.curves.front().x.last(), 1048576);
    }
}

// On logarithmic axes, 10 % and 100 % look alike.
TEST(MemoryFigures, BarsAreToScale) {
    const RotarySetup setup = memorySetup(128, 131072, 0.1);
    const Figure tables = ropeCacheBars({setup, {}});
    EXPECT_FALSE(tables.y.logarithmic);
    EXPECT_EQ(tables.y.minimum, 0);
    EXPECT_EQ(tables.y.title(), "size (MiB)");
    EXPECT_EQ(tables.x.categories, (QStringList{"2 ch", "10 %", "25 %", "50 %", "75 %", "100 %"}));
    EXPECT_EQ(tables.table.columns.front(), (QList<double>{2, 12, 32, 64, 96, 128}));
    EXPECT_EQ(labels(tables), (QStringList{"2", "12", "32", "64", "96", "128"}));
    EXPECT_EQ(tables.curves[2].y, QList<double>{12}) << "the bar of 10 %";
    EXPECT_EQ(tables.curves[2].emphasis, FigureCurve::Emphasis::picked);
    EXPECT_TRUE(tables.note.endsWith("; bold: the fraction of the setup"));
    const Figure small = ropeCacheBars({memorySetup(64, 1024), {}});
    EXPECT_EQ(small.y.title(), "size (KiB)") << "axis and labels have one unit";
    EXPECT_EQ(labels(small).last(), "512");

    const Figure caches = kvCacheBars({memorySetup(128, 131072), {}});
    EXPECT_EQ(caches.y.title(), "size (GiB)");
    EXPECT_EQ(caches.x.categories, (QStringList{"cos/sin, 100 %", "MHA (32)", "GQA (8)", "MQA (1)", "MLA", "sliding"}));
    EXPECT_EQ(caches.curves[0].y, QList<double>{0.125});
    EXPECT_EQ(caches.curves[4].y, QList<double>{16});

    const ShapedSetup whole{memorySetup(256, 131072), {}};
    const Figure both = ropeCacheBars({memorySetup(256, 131072, 0.1), {}}, {}, whole);
    EXPECT_EQ(both.x.categories, (QStringList{"2 ch", "A: 10 %", "25 %", "50 %", "75 %", "B: 100 %"}))
        << "one bar for the table of B, also where it has the fraction of another bar";
    EXPECT_EQ(both.table.columns.front().last(), 256);
    EXPECT_EQ(both.table.columns.front()[1], 26);
    EXPECT_TRUE(both.settings["setup"].toString().contains("| B:"));
    const Figure other = kvCacheBars({memorySetup(64, 1024), {}}, {}, ShapedSetup{memorySetup(64, 4096, 0.25), {}});
    EXPECT_TRUE(other.note.contains("B: ") && other.note.contains("for 1,024 tokens (table of B: 4,096); bold:"))
        << other.note.toStdString();
}

TEST(MemorySizes, TruncateMayStoreUnrotatedPairs) {
    RotarySetup setup = memorySetup(128, 131072, 0.25);
    EXPECT_FALSE(memorySentence(setup, {}, {}).contains("unrotated"));
    setup.partial = Partial::truncate;
    const QString sentence = memorySentence(setup, {}, {});
    EXPECT_TRUE(sentence.contains("the cos/sin table is 32 MiB")) << sentence.toStdString();
    EXPECT_TRUE(sentence.endsWith("A table that also stores the unrotated pairs is 128 MiB."))
        << sentence.toStdString();
}

TEST(MemorySizes, LayoutsTablesAndPrecisions) {
    RotarySetup setup = memorySetup(64, 2048, 0.25);
    EXPECT_EQ(tableBytes(setup, {}, {}, rotary_dim(setup), 2048), 2 * 2048 * 16 * 4);
    EXPECT_EQ(tableBytes(setup, {}, {.layout = TableLayout::single}, rotary_dim(setup), 2048), 2048 * 16 * 4);
    EXPECT_EQ(tableBytes(setup, {}, {.isPerLayer = true}, rotary_dim(setup), 2048), 32 * 2 * 2048 * 16 * 4);
    setup.precision = NumberFormat::bfloat16;
    EXPECT_EQ(tableBytes(setup, {}, {}, rotary_dim(setup), 2048), 2 * 2048 * 16 * 2);
}

TEST(MemorySizes, HeadDimensionComesFromTheSetupUnlessAModelIsNamed) {
    const RotarySetup setup = memorySetup(64, 1024);
    EXPECT_EQ(attentionSizes(setup, {}).head_dim, 64);
    ModelShape model;
    model.name = "some model";
    EXPECT_EQ(attentionSizes(setup, model).head_dim, 128);
}

TEST(MemorySizes, TheLayersOfAModelAreAddedUpUntilItsShapeIsChanged) {
    const RotarySetup setup = memorySetup(64, 1024);
    ModelShape model;
    model.name = "some model";
    model.sizes = {.layers = 3, .heads = 8, .kv_heads = 4, .head_dim = 64};
    model.caches = {{.layers = 2, .numbers = 512, .window = 100},
                    {.layers = 1, .numbers = 256},
                    {.layers = 1, .numbers = 32, .is_index = true}};
    EXPECT_EQ(kvBytes(setup, model, {}, KvCache::grouped, 1024), 2 * (2 * 512 * 100 + 256 * 1024));
    EXPECT_EQ(kvBytes(setup, model, {}, KvCache::multi_head, 1024), 2 * 3 * 2 * 8 * 64 * 1024) << "another kind";
    EXPECT_TRUE(memorySentence(setup, model, {}).contains("The keys of the indexer need 64 KiB in addition."))
        << memorySentence(setup, model, {}).toStdString();
    EXPECT_TRUE(memoryWhy(setup, model, {}).contains("the sum over the layers"));
    model.name.clear();
    EXPECT_EQ(kvBytes(setup, model, {}, KvCache::grouped, 1024), 2 * 3 * 2 * 4 * 64 * 1024);
    EXPECT_FALSE(memorySentence(setup, model, {}).contains("indexer"));
    EXPECT_FALSE(memoryWhy(setup, model, {}).contains("the sum over the layers"));
}

TEST(MemorySizes, DescribesEmptyAndTooLargeTables) {
    EXPECT_TRUE(memorySentence(memorySetup(64, 1024, 0), {}, {}).startsWith("No channel rotates"));
    ModelShape huge;
    huge.sizes.layers = 1000000;
    huge.sizes.kv_heads = 1000000;
    EXPECT_TRUE(memorySentence(memorySetup(4096, 1 << 30), huge, {}).contains("larger than 8 EiB"));
}

TEST(RopeCacheFigure, ShowsThePapersFractionsAndTheSetups) {
    const Figure figure = ropeCacheFigure(memorySetup(256, 2048), {});
    EXPECT_EQ(labels(figure), QStringList({"24 GiB GPU", "80 GiB GPU", "141 GiB GPU", "KV, GQA", "100 %", "75 %",
                                           "50 %", "25 %", "10 %", "2 ch"}))
        << labels(figure).join(", ").toStdString();
    const Figure third = ropeCacheFigure(memorySetup(256, 2048, 1.0 / 3), {});
    ASSERT_NE(find(third, "33.3 %"), nullptr) << labels(third).join(", ").toStdString();
    EXPECT_EQ(find(third, "33.3 %")->emphasis, FigureCurve::Emphasis::picked);
    // 10 % of 16 channels are also two channels.
    EXPECT_NE(find(ropeCacheFigure(memorySetup(16, 2048), {}), "2 ch, 10 %"), nullptr);
    EXPECT_TRUE(figure.note.contains("; 10 %: 26 of 256 channels, whole pairs; ch: channels)"))
        << figure.note.toStdString();
    EXPECT_FALSE(ropeCacheFigure(memorySetup(80, 2048), {}).note.contains("whole pairs"));
}

TEST(RopeCacheFigure, CurvesGrowWithTheContext) {
    const Figure figure = ropeCacheFigure(memorySetup(256, 2048), {});
    const FigureCurve* full = find(figure, "100 %");
    ASSERT_NE(full, nullptr);
    EXPECT_EQ(full->x.first(), 512);
    EXPECT_EQ(full->x.last(), 1 << 20);
    EXPECT_DOUBLE_EQ(full->y.first(), 2.0 * 512 * 256 * 4 / kMiB);
    EXPECT_DOUBLE_EQ(full->y.last(), 2.0 * (1 << 20) * 256 * 4 / kMiB);
    // Appendix A: 10 % of 256 channels are 26.
    EXPECT_DOUBLE_EQ(find(figure, "10 %")->y.last(), 2.0 * (1 << 20) * 26 * 4 / kMiB);
    EXPECT_DOUBLE_EQ(find(figure, "24 GiB GPU")->y.first(), 24 * 1024);
}

TEST(MemoryFigures, BothHaveTheSameAxes) {
    for (const RotarySetup& setup :
         {memorySetup(128, 131072), memorySetup(64, 64, 0), memorySetup(256, 1 << 24, 0.1)}) {
        const Figure table = ropeCacheFigure(setup, {}, {.isPerLayer = true});
        const Figure cache = kvCacheFigure(setup, {}, {.isPerLayer = true});
        EXPECT_EQ(table.y.minimum, cache.y.minimum);
        EXPECT_EQ(table.y.maximum, cache.y.maximum);
        EXPECT_EQ(table.x.minimum, cache.x.minimum);
        EXPECT_EQ(table.x.maximum, cache.x.maximum);
        for (const Figure& figure : {table, cache}) {
            for (const FigureCurve& curve : figure.curves) {
                for (const double size : curve.y) {
                    EXPECT_GE(size, figure.y.minimum) << curve.label.toStdString();
                    EXPECT_LE(size, figure.y.maximum) << curve.label.toStdString();
                }
            }
        }
    }
}

// All five kinds were orange.
TEST(KvCacheFigure, EachKindOfAttentionHasAColourInBothFigures) {
    const RotarySetup setup = memorySetup(128, 131072);
    std::set<int> colours;
    for (const KvCache kind : kKinds) {
        ModelShape shape;
        shape.sizes.kind = kind;
        const Figure cache = kvCacheFigure(setup, shape);
        const auto isKind = [](const FigureCurve& curve) {
            return curve.ink.kind == Ink::Kind::data && curve.shape == FigureCurve::Shape::line &&
                   curve.emphasis == FigureCurve::Emphasis::picked;
        };
        const auto own = std::find_if(cache.curves.begin(), cache.curves.end(), isKind);
        ASSERT_NE(own, cache.curves.end());
        colours.insert(own->ink.index);
        const Figure table = ropeCacheFigure(setup, shape);
        EXPECT_TRUE(std::any_of(table.curves.begin(), table.curves.end(),
                                [&](const FigureCurve& curve) { return curve.ink == own->ink; }));
    }
    EXPECT_EQ(colours.size(), kKinds.size());
}

TEST(KvCacheFigure, ShowsEveryAttentionTypeAndTheRopeTable) {
    const Figure figure = kvCacheFigure(memorySetup(128, 131072), {});
    const auto last = [&](const char* label) {
        const FigureCurve* curve = find(figure, QString::fromUtf8(label));
        return curve == nullptr ? 0 : curve->y.last() * kMiB;
    };
    const double tokens = 1 << 20;
    EXPECT_DOUBLE_EQ(last("MHA"), 2.0 * 32 * 32 * 128 * tokens * 2);
    EXPECT_DOUBLE_EQ(last("GQA"), 2.0 * 32 * 8 * 128 * tokens * 2);
    EXPECT_DOUBLE_EQ(last("MQA"), 2.0 * 32 * 128 * tokens * 2);
    EXPECT_DOUBLE_EQ(last("MLA"), 32.0 * (512 + 64) * tokens * 2);
    EXPECT_DOUBLE_EQ(last("sliding"), 2.0 * 32 * 8 * 128 * 4096 * 2);
    EXPECT_DOUBLE_EQ(last("cos/sin, 100 %"), 2.0 * tokens * 128 * 4);
    EXPECT_EQ(find(figure, "GQA")->emphasis, FigureCurve::Emphasis::picked);
    EXPECT_TRUE(
        figure.note.contains(", batch size 1, 32 layers, 32 heads, 8 KV heads (GQA); MLA: 512 latent and 64 rotary "
                             "channels; sliding: window of "
                             "4,096 tokens"))
        << figure.note.toStdString();
}

TEST(MemoryFigures, AreFoundByName) {
    ASSERT_EQ(memoryFigures().size(), 4U);
    for (const RotaryFigure& each : memoryFigures()) {
        const Figure figure = each.make(memorySetup(64, 1024), {});
        EXPECT_EQ(figure.name, QLatin1String(each.name));
        EXPECT_FALSE(figure.summary.isEmpty());
        EXPECT_EQ(figure.settings.value("batch").toInt(), 1);
    }
}

TEST(TableMeasure, MeasuredSizeMatchesTheFormula) {
    const RotarySetup setup = memorySetup(64, 5000, 0.25);
    const auto measured = measureTable(setup);
    ASSERT_TRUE(measured.has_value());
    EXPECT_EQ(measured->positions, 5000);
    EXPECT_EQ(measured->pairs, 8);
    EXPECT_EQ(measured->bytes, 5000 * 16 * 4);
    EXPECT_EQ(plannedTableBytes(setup), measured->bytes);
    EXPECT_TRUE(measuredSentence(setup, *measured).contains("320,000 bytes"));
}

TEST(TableMeasure, TruncateStoresUnrotatedPairs) {
    RotarySetup setup = memorySetup(64, 100, 0.25);
    setup.partial = Partial::truncate;
    const auto measured = measureTable(setup);
    ASSERT_TRUE(measured.has_value());
    EXPECT_EQ(measured->pairs, 32);
    EXPECT_EQ(measured->bytes, plannedTableBytes(setup));
    EXPECT_TRUE(measuredSentence(setup, *measured).contains("unrotated pairs are also stored"));
}

TEST(TableMeasure, RefusesLargeTablesAndCanBeCancelled) {
    EXPECT_TRUE(refusalSentence(memorySetup(128, 131072)).isEmpty());
    EXPECT_TRUE(refusalSentence(memorySetup(128, 1 << 23)).contains("at most 2 GiB"));
    EXPECT_TRUE(refusalSentence(memorySetup(128, 1024, 0)).contains("No channel rotates"));
    EXPECT_FALSE(measureTable(memorySetup(64, 1 << 16), [] { return true; }).has_value());
}

}  // namespace
}  // namespace ropelab::ui
