#include "ui/theme/motion.h"

namespace ropelab::ui {

namespace {

bool& reducedMotion() {
    static bool reduced = false;
    return reduced;
}

}  // namespace

bool isMotionReduced() {
    return reducedMotion();
}

void setMotionReduced(bool reduced) {
    reducedMotion() = reduced;
}

}  // namespace ropelab::ui
