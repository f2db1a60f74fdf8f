#include "core/interop/config/hf_model.h"

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/base/numbers.h"

namespace ropelab {

std::string_view word_of(HfOrigin origin) {
    switch (origin) {
        case HfOrigin::file:
            return "file";
        case HfOrigin::library_default:
            return "library default";
        case HfOrigin::derived:
            return "derived";
        case HfOrigin::assumed:
            return "assumed";
    }
    return "";
}

std::string_view word_of(HfPosition position) {
    switch (position) {
        case HfPosition::rotary:
            return "rotary embedding";
        case HfPosition::alibi:
            return "ALiBi";
        case HfPosition::learned:
            return "learned positions";
        case HfPosition::none:
            return "no position encoding";
    }
    return "";
}

std::vector<CachedLayers> HfModel::caches() const {
    std::vector<CachedLayers> result;
    if (!sizes) return result;
    for (const HfLayer& layer : shape.layers) {
        result.insert(result.end(), layer.caches.begin(), layer.caches.end());
    }
    return result;
}

Frequencies HfRotary::at(double length) const {
    if (!(length >= 0) || length > (1 << 30)) {
        throw BadInput("The current sequence length is " + number_text(length) + ", but it must be between 0 and " +
                       std::to_string(1 << 30) + ".");
    }
    Frequencies result;
    result.rotary_dim = rotary_dim;
    if (rotary_dim == 0) {
        result.inverse_frequencies = plain;
        return result;
    }
    // Within the training context, LongRoPE uses its short factors.
    const bool within_training = length == 0 && setup.scaling.method == ScalingMethod::longrope;
    Scaled after = scaled(plain, dimension, setup.theta, setup.scaling, static_cast<double>(setup.context),
                          within_training ? setup.scaling.original_context : length);
    result.inverse_frequencies = std::move(after.inverse_frequencies);
    result.attention_factor = after.attention_factor;
    const bool is_long = !within_training && length > setup.scaling.original_context;
    if (const auto& given = is_long ? long_attention_factor : short_attention_factor) result.attention_factor = *given;
    const bool finite = std::all_of(result.inverse_frequencies.begin(), result.inverse_frequencies.end(),
                                    [](double g) { return std::isfinite(g); });
    if (!finite || !std::isfinite(result.attention_factor))
        throw BadInput("The rope scaling of the config.json gives frequencies that are not finite; check its factors.");
    return result;
}

}  // namespace ropelab
