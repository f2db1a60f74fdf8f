#include "ui/rotary/rotation/rotation_figures.h"

#include <array>

#include "ui/rotary/rotation/aim_figure.h"
#include "ui/rotary/rotation/dials_figure.h"
#include "ui/rotary/rotation/helix_figure.h"
#include "ui/rotary/rotation/logit_figure.h"
#include "ui/rotary/rotation/matrix_figure.h"
#include "ui/rotary/rotation/pair_figure.h"

namespace ropelab::ui {
namespace {

template <Figure (*make)(const RotationScene&)>
Figure standard(const RotarySetup& setup, const ModelShape&) {
    return make(standardScene(setup));
}

Figure aimed(const RotarySetup& setup, const ModelShape&) {
    // A terminal may wait a second.
    constexpr std::int64_t budget = std::int64_t{1} << 28;
    constexpr int stretches = 2000;
    RotationScene scene = standardScene(setup);
    scene.state.source = VectorSource::aimed;
    scene.refit();
    return aimFigure(scene, logitCurve(scene, strideWithin(scene, budget), stretches));
}

}  // namespace

std::span<const RotaryFigure> rotationFigures() {
    static const std::array<RotaryFigure, 6> figures = {{{"dials", standard<dialsFigure>},
                                                         {"pair", standard<pairFigure>},
                                                         {"logit-split", standard<logitFigure>},
                                                         {"helix", standard<helixFigure>},
                                                         {"rotation-matrix", standard<matrixFigure>},
                                                         {"aim", aimed}}};
    return figures;
}

}  // namespace ropelab::ui
