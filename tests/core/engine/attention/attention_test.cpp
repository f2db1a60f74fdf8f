// Every backend and variant of attention against the reference in double precision: values and gradients of whole
// batches, and generation token by token through a cache.
#include "core/engine/attention/backend.h"

#include <gtest/gtest.h>

#include "core/engine/device/accelerator.h"
#include "core/engine/operations/operations.h"
#include "core/rope/encodings.h"

namespace ropelab {
namespace {

constexpr std::int64_t attention_runs = 2;
constexpr std::int64_t batch = 3;
constexpr std::int64_t time_steps = 37;  // the kernels take 32 queries at a time

struct Variant {
    const char* name;
    HeadCounts heads = {4, 4};
    std::int64_t head_dim = 8;
    bool rope = true;
    bool per_head = false;  // one theta per head
    bool norms = false;
    bool alibi = false;
    std::int64_t window = 0;
    double rate = 0;                     // dropout rate
    Position relative = Position::none;  // learned relative positions, or xPos
    bool sinks = false;
    std::int64_t cope_positions = 5;
};
void PrintTo(const Variant& variant, std::ostream* out) {
    *out << variant.name;
}

const std::vector<Variant> variants = {
    {.name = "rope"},
    {.name = "nope", .rope = false},
    {.name = "rope_dropout", .rate = 0.3},
    {.name = "shared_keys", .heads = {4, 2}},
    {.name = "one_key_odd_dim", .heads = {3, 1}, .head_dim = 10, .rate = 0.2},
    {.name = "normalized", .heads = {4, 2}, .norms = true},
    {.name = "per_head_theta", .per_head = true},
    {.name = "alibi", .rope = false, .alibi = true},
    {.name = "alibi_shared_dropout", .heads = {6, 2}, .rope = false, .alibi = true, .rate = 0.3},
    {.name = "window", .window = 5},
    {.name = "window_of_one", .window = 1},
    {.name = "window_beyond", .window = 50},
    {.name = "alibi_window_dropout", .rope = false, .alibi = true, .window = 7, .rate = 0.2},
    {.name = "shaw", .rope = false, .relative = Position::shaw},
    {.name = "shaw_shared_window_dropout",
     .heads = {4, 2},
     .rope = false,
     .window = 7,
     .rate = 0.2,
     .relative = Position::shaw},
    {.name = "t5", .rope = false, .relative = Position::t5},
    {.name = "rope_and_bias_dropout", .heads = {4, 2}, .rate = 0.3, .relative = Position::t5},
    {.name = "transformer_xl", .heads = {4, 2}, .rope = false, .rate = 0.2, .relative = Position::transformer_xl},
    {.name = "transformer_xl_window", .rope = false, .window = 5, .relative = Position::transformer_xl},
    {.name = "xpos", .relative = Position::xpos},
    {.name = "xpos_shared_window_dropout", .heads = {4, 2}, .window = 9, .rate = 0.2, .relative = Position::xpos},
    {.name = "kerple", .rope = false, .relative = Position::kerple},
    {.name = "kerple_shared_window_dropout",
     .heads = {4, 2},
     .rope = false,
     .window = 6,
     .rate = 0.2,
     .relative = Position::kerple},
    {.name = "cope", .rope = false, .relative = Position::cope},
    {.name = "cope_shared_window_dropout",
     .heads = {4, 2},
     .rope = false,
     .window = 6,
     .rate = 0.2,
     .relative = Position::cope},
    {.name = "sinks", .sinks = true},
    {.name = "sinks_shaw_shared_dropout",
     .heads = {4, 2},
     .rope = false,
     .rate = 0.2,
     .relative = Position::shaw,
     .sinks = true},
};

// Adds learned weights, sampled anew for each call with the same numbers per run.
void add_relative(LayerTerms& terms, const Variant& v, std::int64_t its_runs, std::int64_t time) {
    torch::manual_seed(9);
    const auto weights = [&](std::int64_t rows, std::int64_t columns) {
        return torch::randn({its_runs, rows, columns});
    };
    if (v.relative == Position::shaw) terms.relative = ShawTerms{weights(4, v.head_dim), weights(4, v.head_dim)};
    if (v.relative == Position::t5) {
        const std::vector<int> buckets = t5_buckets(10, 6, 9);
        terms.relative =
            DistanceBiasTerms{weights(v.heads.query, 6), torch::tensor(c10::ArrayRef<int>(buckets), torch::kInt64)};
    }
    if (v.relative == Position::transformer_xl) {
        constexpr std::int64_t width = 12;
        terms.relative = TransformerXlTerms{weights(v.heads.query, v.head_dim), weights(v.heads.query, v.head_dim),
                                            weights(v.heads.key_value * v.head_dim, width), sinusoids(time, width)};
    }
    if (v.relative == Position::kerple) {
        const auto of_heads = [&] { return weights(1, v.heads.query).select(1, 0); };
        terms.relative = KerpleTerms{of_heads(), of_heads(), torch::arange(time, torch::kFloat32)};
    }
    // The gradient jumps at integer positions, by less for small embeddings.
    if (v.relative == Position::cope) terms.relative = CopeTerms{0.2 * weights(v.cope_positions, v.head_dim)};
    if (v.relative == Position::xpos) {
        const std::vector<double> decay = xpos_decay(static_cast<int>(v.head_dim), 1, 8);
        terms.decay = torch::tensor(c10::ArrayRef<double>(decay), torch::kFloat64).log().expand({its_runs, -1});
    }
}

LayerTerms terms_of(const Variant& v, std::int64_t its_runs, std::int64_t time) {
    LayerTerms terms;
    terms.window = v.window;
    if (v.rope) {
        std::vector<RunSpec> specs(static_cast<std::size_t>(its_runs));
        for (RunSpec& spec : specs) {
            spec.heads = v.heads.query;
            spec.width = v.heads.query * v.head_dim;
            spec.theta = 100;
        }
        specs.back().fraction = 0.5;
        terms.tables = layer_tables(plans_of(specs, 1), time, torch::kCPU).at(0);
        if (v.per_head) {
            const auto spread = [&](const torch::Tensor& t) {
                return (t.expand({-1, -1, -1, v.heads.query, -1}) + 0.0).contiguous();
            };
            terms.tables = {spread(terms.tables.cosine), spread(terms.tables.sine)};
        }
    }
    if (v.alibi) {
        const auto slopes = alibi_slopes(static_cast<std::size_t>(v.heads.query));
        terms.relative = AlibiTerms{torch::tensor(c10::ArrayRef<double>(slopes), torch::kFloat32)};
    }
    add_relative(terms, v, its_runs, time);
    if (v.sinks) terms.sinks = torch::randn({its_runs, v.heads.query});
    return terms;
}
// The learned numbers of an encoding.
struct Learned {
    using Tensors = std::vector<torch::Tensor*>;
    Tensors operator()(PlainScores&) const { return {}; }
    Tensors operator()(AlibiTerms&) const { return {}; }
    Tensors operator()(DistanceBiasTerms& terms) const { return {&terms.bias}; }
    Tensors operator()(ShawTerms& terms) const { return {&terms.keys, &terms.values}; }
    Tensors operator()(TransformerXlTerms& terms) const {
        return {&terms.content_bias, &terms.distance_query, &terms.projection};
    }
    Tensors operator()(CopeTerms& terms) const { return {&terms.contextual}; }
    Tensors operator()(KerpleTerms& terms) const { return {&terms.log_r1, &terms.log_r2}; }
};
Learned::Tensors learned(LayerTerms& terms) {
    Learned::Tensors result = std::visit(Learned(), terms.relative);
    if (terms.sinks.defined()) result.push_back(&terms.sinks);
    return result;
}

// Every floating-point tensor of the terms as double.
LayerTerms in_double(LayerTerms terms) {
    const auto wide = [](torch::Tensor& t) { t = t.defined() && t.is_floating_point() ? t.to(torch::kFloat64) : t; };
    wide(terms.tables.cosine);
    wide(terms.tables.sine);
    for (torch::Tensor* each : learned(terms)) wide(*each);
    if (auto* alibi = std::get_if<AlibiTerms>(&terms.relative)) wide(alibi->slopes);
    if (auto* encoding = std::get_if<TransformerXlTerms>(&terms.relative)) wide(encoding->distances);
    if (auto* kernel = std::get_if<KerpleTerms>(&terms.relative)) wide(kernel->numbers);
    return terms;
}

struct AttentionTensors {
    torch::Tensor qkv, query_norm, key_norm;
    AttentionTensors(const Variant& v, std::int64_t its_runs, std::int64_t rows) {
        torch::manual_seed(4);
        qkv = torch::randn({its_runs, rows, (v.heads.query + 2 * v.heads.key_value) * v.head_dim}, torch::kFloat64);
        if (!v.norms) return;
        query_norm = torch::rand({its_runs, v.head_dim}, torch::kFloat64) + 0.5;
        key_norm = torch::rand({its_runs, v.head_dim}, torch::kFloat64) + 0.5;
    }
    AttentionInput input(const Variant& v, std::int64_t its_batch, const torch::Tensor& rows) const {
        const auto like = [&](const torch::Tensor& norm) {
            return norm.defined() ? norm.to(rows.dtype() == torch::kFloat64 ? torch::kFloat64 : torch::kFloat32) : norm;
        };
        return {rows, its_batch, v.heads, like(query_norm), like(key_norm)};
    }
};

// Hook that only counts its calls.
class CountingHook : public AttentionHook {
 public:
    void observe(std::int64_t, const LayerVectors&) override { ++observed; }
    void modify(std::int64_t, LayerVectors&, const LayerTerms&) override { ++modified; }
    int observed = 0;
    int modified = 0;
};

// Returns the value and the gradients of qkv and of learned numbers.
std::vector<torch::Tensor> whole(const Variant& v, torch::ScalarType type, AttentionHook* hook = nullptr) {
    const AttentionTensors all(v, attention_runs, batch * time_steps);
    const torch::Tensor leaf = all.qkv.to(type).requires_grad_(true);
    LayerTerms terms = terms_of(v, attention_runs, time_steps);
    if (type == torch::kFloat64) terms = in_double(terms);
    std::vector<torch::Tensor> leaves = {leaf};
    for (torch::Tensor* each : learned(terms)) leaves.push_back(*each = each->detach().requires_grad_(true));
    const Dropout dropout = v.rate > 0 ? Dropout(v.rate, {5, 6}, 11) : Dropout();
    const torch::Tensor mixed = attend(all.input(v, batch, leaf), terms, dropout, "here", {.hook = hook});
    const torch::Tensor along = torch::arange(mixed.numel(), torch::kFloat64).mul(0.3).cos().view(mixed.sizes());
    std::vector<torch::Tensor> results = torch::autograd::grad({(mixed.to(torch::kFloat64) * along).sum()}, leaves);
    results.insert(results.begin(), mixed.detach());
    for (torch::Tensor& each : results) each = each.to(torch::kFloat64);
    return results;
}

void expect_near(const torch::Tensor& got, const torch::Tensor& wanted, double tolerance) {
    ASSERT_EQ(got.sizes(), wanted.sizes());
    EXPECT_LE((got - wanted).abs().max().item<double>(), tolerance * wanted.abs().max().item<double>());
}

class Attention : public testing::TestWithParam<Variant> {
 protected:
    void expect_the_reference(torch::ScalarType type, double tolerance, AttentionHook* hook = nullptr) const {
        const std::vector<torch::Tensor> got = whole(GetParam(), type, hook);
        ASSERT_EQ(got.size(), wanted_.size());
        for (std::size_t i = 0; i < got.size(); ++i) expect_near(got[i], wanted_[i], tolerance);
    }
    void SetUp() override {
        const EagerGuard by_libtorch(true);
        wanted_ = whole(GetParam(), torch::kFloat64);
    }
    std::vector<torch::Tensor> wanted_;
};

TEST_P(Attention, ReferenceInFloat32) {
    const EagerGuard by_libtorch(true);
    expect_the_reference(torch::kFloat32, 2e-5);
}

TEST_P(Attention, WithHook) {
    CountingHook hook;
    expect_the_reference(torch::kFloat32, 2e-5, &hook);
    EXPECT_EQ(hook.observed, 1);
    EXPECT_EQ(hook.modified, 1);
}

TEST_P(Attention, OnCpu) {
    expect_the_reference(torch::kFloat32, 2e-5);
    expect_the_reference(torch::kBFloat16, 0.03);
}

TEST_P(Attention, OnDevice) {
    use_accelerator({torch::kCPU});
    expect_the_reference(torch::kFloat32, 2e-5);
    expect_the_reference(torch::kBFloat16, 0.03);
    use_accelerator({});
}

// A prompt of six tokens, then one token after another, with as many cache slots as a token may see.
TEST_P(Attention, TokenByTokenThroughCache) {
    constexpr std::int64_t token_steps = 21;
    const Variant& v = GetParam();
    const AttentionTensors all(v, 1, token_steps);
    LayerTerms terms = terms_of(v, 1, token_steps);
    const torch::Tensor wanted = [&] {
        const EagerGuard by_libtorch(true);
        return attend(all.input(v, 1, all.qkv), in_double(terms));
    }();
    for (const bool by_reference : {true, false}) {
        const EagerGuard eager_guard(by_reference);
        const torch::NoGradGuard no_gradients;
        KeyValueCache cache(1, v.window > 0 ? std::min(v.window, token_steps) : token_steps);
        std::vector<torch::Tensor> parts;
        for (std::int64_t first = 0; first < token_steps; first += parts.back().size(1)) {
            const std::int64_t count = first == 0 ? 6 : 1;
            cache.assign_slots(torch::arange(first, first + count));
            LayerTerms token_terms = terms;
            token_terms.tables = terms.tables.narrow(first, count);
            parts.push_back(attend(all.input(v, 1, all.qkv.narrow(1, first, count).to(torch::kFloat32)), token_terms,
                                   {}, "", {.cache = &cache}));
        }
        expect_near(torch::cat(parts, 1).to(torch::kFloat64), wanted, 2e-5);
    }
}

INSTANTIATE_TEST_SUITE_P(Variants, Attention, testing::ValuesIn(variants),
                         [](const auto& one) { return std::string(one.param.name); });

TEST(AttentionBackends, EachSupportsItsVariants) {
    const Variant rope{.name = "rope"};
    const AttentionTensors all(rope, attention_runs, batch * time_steps);
    const AttentionInput input = all.input(rope, batch, all.qkv.to(torch::kFloat32));
    LayerTerms terms = terms_of(rope, attention_runs, time_steps);
    CountingHook hook;
    EXPECT_EQ(attention_backend(input, terms), AttentionBackend::cpu);
    EXPECT_EQ(attention_backend(input, terms, {.hook = &hook}), AttentionBackend::reference);
    EXPECT_EQ(attention_backend(all.input(rope, batch, all.qkv), terms), AttentionBackend::reference);
    {
        const EagerGuard eager(true);
        EXPECT_EQ(attention_backend(input, terms), AttentionBackend::reference);
    }
    for (const Variant& variant : variants) {
        if (variant.relative == Position::none) continue;
        const AttentionTensors tensors(variant, attention_runs, batch * time_steps);
        const LayerTerms relative = terms_of(variant, attention_runs, time_steps);
        const AttentionInput of_variant = tensors.input(variant, batch, tensors.qkv.to(torch::kFloat32));
        EXPECT_EQ(attention_backend(of_variant, relative), AttentionBackend::cpu) << variant.name;
        KeyValueCache cache(1, time_steps);
        EXPECT_EQ(attention_backend(of_variant, relative, {.cache = &cache}), AttentionBackend::reference);
    }
    LayerTerms capped = terms;
    capped.soft_cap = 30;
    EXPECT_EQ(attention_backend(input, capped), AttentionBackend::reference);
    use_accelerator({torch::kCPU});
    EXPECT_EQ(attention_backend(input, terms), AttentionBackend::flash);
    EXPECT_EQ(attention_backend(input, terms, {}, Dropout(0.1, {5, 6}, 11)), AttentionBackend::reference);
    EXPECT_EQ(attention_backend(input, terms, {.hook = &hook}), AttentionBackend::reference);
    terms.window = 4;
    EXPECT_EQ(attention_backend(input, terms), AttentionBackend::reference);
    use_accelerator({});
}

// Each thread fetches pieces until there are none: of each group and up to 128 queries, except if one thread has all.
// CoPE's 32 positions fill a tile of a product, which reads an entry more.
TEST(AttentionBackends, OneRunHasTheSameNumbersWithAnyNumberOfThreads) {
    constexpr std::int64_t steps = 150;
    const HeadCounts heads = {6, 3};
    const torch::NoGradGuard no_gradients;
    const int before = at::get_num_threads();
    for (const Variant& variant :
         {Variant{.name = "rope", .heads = heads}, Variant{.name = "shaw", .heads = heads, .relative = Position::shaw},
          Variant{.name = "cope", .heads = heads, .rope = false, .relative = Position::cope, .cope_positions = 32},
          Variant{.name = "t5", .heads = heads, .rope = false, .relative = Position::t5, .sinks = true}}) {
        SCOPED_TRACE(variant.name);
        const AttentionTensors all(variant, 1, batch * steps);
        const LayerTerms terms = terms_of(variant, 1, steps);
        std::vector<torch::Tensor> results;
        for (const int threads : {3, 2, 1}) {
            at::set_num_threads(threads);
            results.push_back(attend(all.input(variant, batch, 0.7 * all.qkv.to(torch::kFloat32)), terms));
        }
        at::set_num_threads(before);
        EXPECT_TRUE(results[1].equal(results[0]));
        EXPECT_TRUE(results[2].equal(results[0]));
        const EagerGuard by_libtorch(true);
        expect_near(results[0].to(torch::kFloat64), attend(all.input(variant, batch, 0.7 * all.qkv), in_double(terms)),
                    2e-5);
    }
}

// The result has the type of the input, so that LibTorch can choose flash attention for bfloat16.
TEST(AttentionBackends, FlashKeepsTheTypeOfItsInput) {
    const Variant rope{.name = "rope"};
    const AttentionTensors all(rope, attention_runs, batch * time_steps);
    const LayerTerms terms = terms_of(rope, attention_runs, time_steps);
    use_accelerator({torch::kCPU});
    for (const auto type : {torch::kFloat32, torch::kBFloat16}) {
        EXPECT_EQ(attend(all.input(rope, batch, all.qkv.to(type)), terms).scalar_type(), type);
    }
    use_accelerator({});
}

}  // namespace
}  // namespace ropelab
