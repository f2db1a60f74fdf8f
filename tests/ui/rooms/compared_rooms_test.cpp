// Tests that every rotary room shows the numbers of two setups, which come from core here.
#include <QLabel>
#include <QToolButton>
#include <algorithm>
#include <cmath>

#include "core/rope/context.h"
#include "core/rope/logit.h"
#include "core/rope/memory.h"
#include "tests/ui/support/workbench.h"
#include "ui/common/format.h"
#include "ui/figure/ticks.h"
#include "ui/models/model_map.h"
#include "ui/rooms/cache/cache_room.h"
#include "ui/rooms/context/context_room.h"
#include "ui/rooms/memory/memory_room.h"
#include "ui/rooms/rotation/rotation_room.h"
#include "ui/rooms/spectrum/encodings_page.h"
#include "ui/rooms/spectrum/spectrum_panel.h"
#include "ui/rooms/spectrum/spectrum_room.h"
#include "ui/rotary/figure_views.h"
#include "ui/rotary/spectrum_data.h"

namespace ropelab::ui {
namespace {

/// Two setups: as text, or as the names of known models.
struct ComparedCase {
    const char* a;
    const char* b;
    bool isModel = false;
};

class ComparedRooms : public Workbench, public ::testing::WithParamInterface<ComparedCase> {
 protected:
    void SetUp() override {
        Workbench::SetUp();
        workspace = std::make_unique<Workspace>(options());
        if (GetParam().isModel) {
            ModelMap map(model());
            ASSERT_TRUE(map.pick(GetParam().a));
            ASSERT_TRUE(map.load());
            ASSERT_TRUE(map.pick(GetParam().b));
            ASSERT_TRUE(map.compare());
        } else {
            model().changeBoth("set", {parse_setup(GetParam().a), parse_setup(GetParam().b)});
        }
        a = model().setupA();
        b = *model().setupB();
        frequenciesA = frequencies(frequency_settings(a.setup));
        frequenciesB = frequencies(frequency_settings(b.setup));
    }
    template <typename Room>
    std::unique_ptr<Room> open(std::unique_ptr<Room> room) {
        room->resize(1100, 800);
        room->show();
        EXPECT_TRUE(QTest::qWaitForWindowExposed(room.get()));
        room->refreshNow();
        return room;
    }
    RotaryModel& model() { return workspace->rotary(); }
    static double slowest(const Frequencies& of) {
        return 2 * std::acos(-1.0) / of.inverse_frequencies[static_cast<std::size_t>(of.rotary_dim / 2 - 1)];
    }
    static void expectContains(const QString& text, const QString& part) {
        EXPECT_TRUE(text.contains(part)) << "\"" << text.toStdString() << "\" lacks \"" << part.toStdString() << "\"";
    }
    /// Expects the readout to have a row with this value of both setups.
    static void expectRow(const std::optional<FigureView::Readout>& readout, const QString& label, const QString& first,
                          const QString& second) {
        ASSERT_TRUE(readout);
        const auto row = std::find_if(readout->rows.begin(), readout->rows.end(),
                                      [&](const FigureView::ReadoutRow& each) { return each.label == label; });
        ASSERT_NE(row, readout->rows.end()) << label.toStdString();
        EXPECT_EQ(row->value, QStringLiteral("A %1 · B %2").arg(first, second));
    }
    /// Expects a figure of both setups, whose settings are their line of text.
    void expectBoth(const Figure& figure) {
        EXPECT_EQ(figure.settings["setup"].toString().toStdString(), setups_text({a.setup, b.setup}))
            << figure.name.toStdString();
        const bool isInNote =
            figure.note.contains("A: ") && (figure.note.contains("B (") || figure.note.contains("B: "));
        EXPECT_TRUE(isInNote || figure.panels.size() == 2) << figure.name.toStdString();
    }

    std::unique_ptr<Workspace> workspace;
    ShapedSetup a;
    ShapedSetup b;
    Frequencies frequenciesA;
    Frequencies frequenciesB;
};

TEST_P(ComparedRooms, Spectrum) {
    auto room = open(std::make_unique<SpectrumRoom>(model()));
    for (FigureView* view : {room->spectrumView(), room->kernelView(), room->kernelSpectrumView()}) {
        expectBoth(view->figure());
    }
    const FigureTable& table = room->spectrumView()->figure().table;
    const qsizetype columnA = table.names.indexOf("A · wavelength (tokens)");
    const qsizetype columnB = table.names.indexOf("B · wavelength (tokens)");
    ASSERT_GE(columnA, 0);
    ASSERT_GE(columnB, 0);
    for (int i = 0; i < frequenciesA.rotary_dim / 2; ++i) {
        const auto at = static_cast<std::size_t>(i);
        EXPECT_NEAR(table.columns[columnA][i] * frequenciesA.inverse_frequencies[at] / (2 * std::acos(-1.0)), 1, 1e-12);
    }
    for (int i = 0; i < frequenciesB.rotary_dim / 2; ++i) {
        const auto at = static_cast<std::size_t>(i);
        EXPECT_NEAR(table.columns[columnB][i] * frequenciesB.inverse_frequencies[at] / (2 * std::acos(-1.0)), 1, 1e-12);
    }
    const auto readout = room->spectrumView()->readoutAt({3, 100});
    const auto tokens = [](const Frequencies& of) {
        return QStringLiteral("%1 tokens").arg(readableNumber(2 * std::acos(-1.0) / of.inverse_frequencies[3]));
    };
    expectRow(readout, "wavelength", tokens(frequenciesA), tokens(frequenciesB));
    expectContains(room->words(), "A: ");
    expectContains(room->words(),
                   "longest wavelength: B / A = " + readableNumber(slowest(frequenciesB) / slowest(frequenciesA)));
    // Both kernels have the length of the longer context.
    const auto length = static_cast<std::size_t>(std::max(a.setup.context, b.setup.context));
    const auto lowest = [&](const Frequencies& of) {
        const auto sums = kernel(of.inverse_frequencies, length);
        return readableNumber(*std::min_element(sums.begin(), sums.end()));
    };
    expectContains(room->words(),
                   QStringLiteral("lowest K(Δ): A %1 · B %2").arg(lowest(frequenciesA), lowest(frequenciesB)));
    EXPECT_EQ(room->kernelView()->figure().x.maximum, static_cast<double>(length) - 1);
    expectContains(room->fields()->comparison()->slowestText(ScalingMethod::linear), "\n×");

    room->encodingsTab()->click();
    room->refreshNow();
    const Figure both = room->figure();
    expectBoth(both);
    ASSERT_EQ(both.panels.size(), 2U);
    EXPECT_EQ(both.panels[0].map->range().minimum, both.panels[1].map->range().minimum);
}

TEST_P(ComparedRooms, Rotation) {
    auto room = open(std::make_unique<RotationRoom>(model(), workspace->runAccess()));
    for (const char* part : {"helix", "matrix", "aim", "tokens", "circuit", "logit"}) {
        room->showPart(part);
        room->refreshNow();
        expectBoth(room->figure());
    }
    emit room->dialsView()->chosen();
    expectBoth(room->figure());
    EXPECT_EQ(room->figure().panels.size(), 2U);
    const RotationState& state = room->scene().state;
    const RotationScene other = room->scene().withSetup(b.setup, frequenciesB);
    EXPECT_EQ(other.state.m, state.m);
    const auto total = [&](const RotationScene& scene, const ShapedSetup& setup, const Frequencies& of) {
        return split_logit(scene.state.query, scene.state.key, state.m, state.n, of, setup.setup.partial,
                           setup.setup.pairing)
            .total;
    };
    const double first = total(room->scene(), a, frequenciesA);
    const double second = total(other, b, frequenciesB);
    const QString expected = QStringLiteral("logit A %1 · B %2, B − A = %3")
                                 .arg(readableNumber(first), readableNumber(second), readableNumber(second - first));
    const auto labels = room->findChildren<QLabel*>();
    EXPECT_TRUE(std::any_of(labels.begin(), labels.end(), [&](const QLabel* label) {
        return label->text().endsWith(expected);
    })) << expected.toStdString();
}

TEST_P(ComparedRooms, Cache) {
    auto room = open(std::make_unique<CacheRoom>(model()));
    expectBoth(room->figure());
    ASSERT_EQ(room->figure().panels.size(), 2U);
    expectBoth(room->errorView()->figure());
    const auto size = [](const ShapedSetup& of) {
        return rope_cache_bytes(rotary_dim(of.setup), of.setup.context, bytes_of(of.setup.precision),
                                TableLayout::duplicated);
    };
    expectContains(room->words(), binarySize(size(a)));
    expectContains(room->words(), binarySize(size(b)));
    expectContains(room->words(), "table size: B / A = " +
                                      readableNumber(static_cast<double>(size(b)) / static_cast<double>(size(a))));
    const auto pairs = room->findChildren<PairedView*>();
    ASSERT_FALSE(pairs.isEmpty());
    ASSERT_NE(pairs.first()->otherView(), nullptr);
    EXPECT_TRUE(pairs.first()->otherView()->isVisible());
    EXPECT_TRUE(pairs.first()->otherView()->readoutAt({1, 0}));
}

TEST_P(ComparedRooms, Context) {
    auto room = open(std::make_unique<ContextRoom>(model()));
    for (const char* part : {"bases", "decay", "random", "bound"}) {
        room->showPart(part);
        room->refreshNow();
        expectBoth(room->figure());
    }
    // The tokens that a base supports may be beyond what is computed in the first frame.
    const auto supported = [](const ShapedSetup& of, const Frequencies& now) -> std::optional<QString> {
        const auto bound = context_bound(now, of.setup.head_dim, 65536);
        const auto negative = std::find_if(bound.begin(), bound.end(), [](double value) { return value < 0; });
        if (negative == bound.end()) return std::nullopt;
        return groupedText(negative - bound.begin());
    };
    for (const auto& text : {supported(a, frequenciesA), supported(b, frequenciesB)}) {
        if (!text) continue;
        EXPECT_TRUE(QTest::qWaitFor([&] { return room->words().contains(*text); }, 20000)) << text->toStdString();
    }
    const auto at = [](const ShapedSetup& of, const Frequencies& now) {
        return readableNumber(context_bound(now, of.setup.head_dim, 101)[100]);
    };
    if (a.setup.scaling.method == b.setup.scaling.method) {
        expectRow(room->view()->readoutAt({100, 0}), "B(Δ)", at(a, frequenciesA), at(b, frequenciesB));
    }
}

TEST_P(ComparedRooms, Memory) {
    auto room = open(std::make_unique<MemoryRoom>(model()));
    for (FigureView* view : {room->tableView(), room->cacheView()}) expectBoth(view->figure());
    const auto table = [](const ShapedSetup& of) {
        return rope_cache_bytes(rotary_dim(of.setup), of.setup.context, bytes_of(of.setup.precision),
                                TableLayout::duplicated);
    };
    const auto cache = [](const ShapedSetup& of) {
        return kv_cache_bytes(cachesOf(of.setup, of.shape), of.setup.context, 2);
    };
    for (const ShapedSetup& each : {a, b}) {
        expectContains(room->words(), binarySize(table(each)));
        expectContains(room->words(), binarySize(cache(each)));
    }
    expectContains(room->words(), "KV cache: B / A = " +
                                      readableNumber(static_cast<double>(cache(b)) / static_cast<double>(cache(a))));
}

TEST_P(ComparedRooms, EditingBChangesB) {
    auto room = open(std::make_unique<SpectrumRoom>(model()));
    model().edit(true);
    emit room->spectrumView()->lineDragged("context", 3000);
    room->refreshNow();
    EXPECT_EQ(model().setupA().setup, a.setup);
    EXPECT_EQ(model().setupB()->setup.context, 3000);
    const Figure& figure = room->spectrumView()->figure();
    const auto dragged = std::find_if(figure.horizontalLines.begin(), figure.horizontalLines.end(),
                                      [](const FigureLine& line) { return line.handle == "context"; });
    ASSERT_NE(dragged, figure.horizontalLines.end());
    EXPECT_EQ(dragged->at, 3000);
    EXPECT_EQ(dragged->ink, Ink{Ink::Kind::compared});
}

TEST_P(ComparedRooms, EndingTheComparisonRestoresTheFigures) {
    auto room = open(std::make_unique<CacheRoom>(model()));
    model().endComparison();
    room->refreshNow();
    EXPECT_EQ(room->figure().settings["setup"].toString().toStdString(), text_of(a.setup));
    EXPECT_TRUE(room->figure().panels.empty());
    EXPECT_FALSE(room->findChildren<PairedView*>().first()->otherView()->isVisible());
    EXPECT_FALSE(room->words().contains("A: "));
}

INSTANTIATE_TEST_SUITE_P(
    Setups, ComparedRooms,
    ::testing::Values(ComparedCase{"theta=10k context=4096 head_dim=128", "theta=500k context=4096 head_dim=128"},
                      ComparedCase{"theta=10k fraction=50% context=2048 precision=bfloat16",
                                   "theta=10k fraction=50% context=2048 precision=bfloat16 partial=truncate"},
                      ComparedCase{"Llama 2 7B", "Llama 3.1 8B", true}));

}  // namespace
}  // namespace ropelab::ui
