#include "ui/rooms/memory/memory_figures.h"

#include <QObject>
#include <array>
#include <cmath>
#include <limits>

#include "core/base/error.h"
#include "ui/common/format.h"
#include "ui/common/text.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;
namespace {

QString timesText(double ratio) {
    const QString number = ratio >= 10 ? groupedText(std::llround(ratio)) : QString::number(ratio, 'g', 3);
    return u"%1 times as much"_s.arg(number);
}

QString layoutText(const MemoryOptions& options, const ModelShape& shape) {
    const QString angles = options.layout == TableLayout::duplicated ? u"each angle twice"_s : u"each angle once"_s;
    return options.isPerLayer ? u"%1, %2 tables"_s.arg(angles, groupedText(shape.sizes.layers)) : angles;
}

}  // namespace

AttentionSizes attentionSizes(const RotarySetup& setup, const ModelShape& shape) {
    AttentionSizes result = shape.sizes;
    if (!shape.name.isEmpty() || result.head_dim == setup.head_dim) return result;
    result.head_dim = setup.head_dim;
    result.value_dim = 0;
    return result;
}

std::vector<CachedLayers> cachesOf(const RotarySetup& setup, const ModelShape& shape) {
    return shape.name.isEmpty() || shape.caches.empty() ? caches_of(attentionSizes(setup, shape)) : shape.caches;
}

std::optional<std::int64_t> tableBytes(const RotarySetup& setup, const ModelShape& shape, const MemoryOptions& options,
                                       int rotaryDim, std::int64_t context) {
    try {
        return rope_cache_bytes(rotaryDim, context, bytes_of(setup.precision), options.layout,
                                options.isPerLayer ? shape.sizes.layers : 1);
    } catch (const BadInput&) {
        return std::nullopt;
    }
}

std::optional<std::int64_t> kvBytes(const RotarySetup& setup, const ModelShape& shape, const MemoryOptions& options,
                                    KvCache kind, std::int64_t context) {
    AttentionSizes sizes = attentionSizes(setup, shape);
    const bool isOwn = kind == sizes.kind;
    sizes.kind = kind;
    try {
        return kv_cache_bytes(isOwn ? cachesOf(setup, shape) : caches_of(sizes), context, bytes_of(options.kvFormat));
    } catch (const BadInput&) {
        return std::nullopt;
    }
}

QString kindText(KvCache kind) {
    switch (kind) {
        case KvCache::multi_head:
            return u"MHA"_s;
        case KvCache::grouped:
            return u"GQA"_s;
        case KvCache::multi_query:
            return u"MQA"_s;
        case KvCache::latent:
            return u"MLA"_s;
        case KvCache::sliding:
            break;
    }
    return u"sliding window"_s;
}

QString kindWhy(const AttentionSizes& sizes) {
    const QString layers = groupedText(sizes.layers);
    const QString dim = groupedText(sizes.head_dim);
    const auto heads = [&](const QString& what, std::int64_t count) {
        const bool isWider = sizes.value_dim > 0 && sizes.value_dim != sizes.head_dim;
        const QString channels = isWider ? u"(d + d_v)"_s : u"2d"_s;
        const QString values = isWider ? u", d_v = %1"_s.arg(groupedText(sizes.value_dim)) : QString();
        return u"%1\n%5·n_layer·n_kv·L·B with n_layer = %2, n_kv = %3, d = %4%6\nFormula 32 of the guide"_s.arg(
            what, layers, groupedText(count), dim, channels, values);
    };
    switch (sizes.kind) {
        case KvCache::multi_head:
            return heads(u"Multi-head attention (MHA) caches keys and values of every head."_s, sizes.heads);
        case KvCache::grouped:
            return heads(u"Grouped-query attention (GQA) caches one key and value per group of heads."_s,
                         sizes.kv_heads);
        case KvCache::multi_query:
            return heads(u"Multi-query attention (MQA) caches one key and value for all heads."_s, 1);
        case KvCache::latent:
            return u"Multi-head latent attention (MLA) caches a latent vector and one rotated key per token.\n"
                   "n_layer·(d_latent + d_rope)·L·B with n_layer = %1, d_latent = %2, d_rope = %3\nFormula 32 of the guide"_s
                       .arg(layers, groupedText(sizes.latent_dim), groupedText(sizes.latent_rope_dim));
        case KvCache::sliding:
            break;
    }
    return u"Sliding-window attention caches only the last W tokens, except in global layers.\nIts size has min(L, W) "
           "instead of the context length L, with W = %1; %2 of %3 layers are global, n_kv = %4, d = %5\nFormula 32 of "
           "the guide"_s.arg(groupedText(sizes.window), groupedText(sizes.global_layers), layers,
                             groupedText(sizes.kv_heads), dim);
}

QString memorySentence(const RotarySetup& setup, const ModelShape& shape, const MemoryOptions& options) {
    const auto table = tableBytes(setup, shape, options, rotary_dim(setup), setup.context);
    const auto cache = kvBytes(setup, shape, options, shape.sizes.kind, setup.context);
    if (!table || !cache) {
        return u"With a context of %1 tokens the cos/sin table or the KV cache is larger than 8 EiB."_s.arg(
            groupedText(setup.context));
    }
    const QString kv = u"%1 (%2, %3, batch size 1)"_s.arg(binarySize(*cache), kindText(shape.sizes.kind),
                                                          text(word_of(options.kvFormat)));
    if (*table == 0) {
        return u"No channel rotates, so there is no cos/sin table. The KV cache of %1 tokens is %2."_s.arg(
            groupedText(setup.context), kv);
    }
    const std::int64_t index = index_cache_bytes(cachesOf(setup, shape), setup.context, bytes_of(options.kvFormat));
    QString sentence = u"At %1 tokens the cos/sin table is %2 (%3, %4) and the KV cache is %5, %6."_s.arg(
        groupedText(setup.context), binarySize(*table), text(word_of(setup.precision)), layoutText(options, shape), kv,
        timesText(static_cast<double>(*cache) / static_cast<double>(*table)));
    if (index > 0) {
        sentence += u" The keys of the indexer need %1 in addition."_s.arg(binarySize(index));
    }
    if (setup.partial == Partial::truncate && rotary_dim(setup) < setup.head_dim) {
        if (const auto whole = tableBytes(setup, shape, options, setup.head_dim, setup.context)) {
            sentence += u" A table that also stores the unrotated pairs is %1."_s.arg(binarySize(*whole));
        }
    }
    return sentence;
}

MemorySizes memorySizes(const RotarySetup& setup, const ModelShape& shape, const MemoryOptions& options) {
    const auto number = [](const std::optional<std::int64_t>& bytes) {
        return bytes ? static_cast<double>(*bytes) : std::numeric_limits<double>::quiet_NaN();
    };
    return {number(tableBytes(setup, shape, options, rotary_dim(setup), setup.context)),
            number(kvBytes(setup, shape, options, shape.sizes.kind, setup.context))};
}

QString memoryWhy(const RotarySetup& setup, const ModelShape& shape, const MemoryOptions& options) {
    const QString factor = options.layout == TableLayout::duplicated ? u"2·"_s : QString();
    const QString tables = options.isPerLayer ? u" × %1 layers"_s.arg(shape.sizes.layers) : QString();
    QString why =
        u"Size of the cos/sin table: %1L·d_r·B%2 with L = %3 positions, d_r = %4 rotated channels, B = %5 bytes per "
        u"value.\n"
        "Khan et al.; formula 31 of the guide\n"_s.arg(factor, tables, groupedText(setup.context))
            .arg(rotary_dim(setup))
            .arg(bytes_of(setup.precision));
    if (setup.partial == Partial::truncate && rotary_dim(setup) < setup.head_dim) {
        why +=
            u"A table that also stores the ones and zeros of unrotated pairs has all d = %1 channels instead of "
            "d_r.\n"_s.arg(setup.head_dim);
    }
    ModelShape alike = shape;
    alike.caches = caches_of(shape.sizes);
    const auto bytes = [&](const ModelShape& of) { return kvBytes(setup, of, options, of.sizes.kind, setup.context); };
    if (bytes(shape) != bytes(alike)) {
        why += u"The layers of the model differ in their KV cache, whose size is the sum over the layers.\n"_s;
    }
    return why + u"KV cache: %1, B = %2 bytes, context length L = %3"_s.arg(kindWhy(attentionSizes(setup, shape)))
                     .arg(bytes_of(options.kvFormat))
                     .arg(groupedText(setup.context));
}

}  // namespace ropelab::ui
