#include "core/model/dropout.h"

#include "core/model/fused_device.h"
#include "core/model/operations.h"
#include "core/model/parallel.h"
#include "core/spec/random_stream.h"

namespace ropelab {

torch::Tensor Dropout::operator()(const torch::Tensor& x, const std::string& place) const {
    if (!active()) return x;
    // One kernel of its own, so that it serves without fusion as well.
    if (has_device_kernels(x.device())) return on_device::drop_out(x, *this, place);
    torch::Tensor mask = torch::empty(x.sizes(), torch::kFloat32);
    const std::int64_t size = x.numel() / x.size(0);
    constexpr std::int64_t grain = 16384;
    ROPELAB_OWN_PASS("dropout_mask");
    for (std::size_t run = 0; run < seeds_.size(); ++run) {
        const RandomStream stream(seeds_[run], "dropout:" + place);
        float* numbers = mask.data_ptr<float>() + static_cast<std::int64_t>(run) * size;
        at::parallel_for(0, (size + grain - 1) / grain, 1, [&](std::int64_t begin, std::int64_t end) {
            const std::int64_t first = begin * grain;
            const std::int64_t last = std::min(size, end * grain);
            stream.fill_dropout({numbers + first, static_cast<std::size_t>(last - first)}, rate_,
                                static_cast<std::uint64_t>(step_), static_cast<std::uint64_t>(first));
        });
    }
    return x * mask.to(x.device());
}

}  // namespace ropelab
