#include "core/engine/model/cached_decoder.h"

#include "core/plan/kernels.h"

namespace ropelab {

CachedDecoder::CachedDecoder(const Decoder& decoder, const Parameters& weights, PositionSource terms,
                             Precision precision)
    : decoder_(decoder),
      weights_(weights),
      terms_(std::move(terms)),
      precision_(precision),
      graphs_(graph_supports_token(decoder.plan()) ? graphs_on(weights.flat().device()) : nullptr),
      cache_(decoder.plan()),
      work_(graphs_) {
    const auto options = torch::TensorOptions(torch::kInt64).device(weights.flat().device());
    token_ = torch::zeros({1, 1, 1}, options);
    position_ = torch::zeros({1}, options);
}

void CachedDecoder::run(const std::function<void()>& work) const {
    if (graphs_) return graphs_->on_own_stream(work);
    work();
}

torch::Tensor CachedDecoder::begin(const torch::Tensor& tokens) {
    run([&] {
        const torch::Tensor rows =
            decoder_.last_rows(weights_, tokens, terms_.at(0, tokens.size(2)), precision_, {.cache = &cache_});
        logits_ = decoder_.next_logits(weights_, rows, precision_).clone();
    });
    return logits_;
}

torch::Tensor CachedDecoder::next(std::int32_t token, std::int64_t position) {
    run([&] {
        token_.fill_(token);
        position_.fill_(position);
        work_([this] {
            logits_.copy_(
                decoder_.logits(weights_, token_, terms_.at(position_), precision_, {.cache = &cache_})[0][-1]);
        });
    });
    return logits_;
}

}  // namespace ropelab
