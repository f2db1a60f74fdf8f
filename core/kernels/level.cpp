#include "core/kernels/kernels.h"

namespace ropelab::kernels {

std::string_view level() {
#ifdef ROPELAB_LEVEL
    return ROPELAB_LEVEL;
#else
    return "any processor";
#endif
}

}  // namespace ropelab::kernels
