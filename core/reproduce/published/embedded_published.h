#pragma once

#include <string_view>

/// Files of resources/published, embedded in the executable.
namespace ropelab::embedded {

extern const std::string_view theta_paper;         // theta_paper.json
extern const std::string_view partial_rope_paper;  // partial_rope_paper.json
extern const std::string_view post;                // post.json
extern const std::string_view pre_post_norm;       // pre_post_norm.json
extern const std::string_view glu_variants;        // glu_variants.json
extern const std::string_view recent_sheets;       // recent.json

}  // namespace ropelab::embedded
