#include "ui/rooms/rotation/figures/scene_figures.h"

#include <algorithm>
#include <array>

#include "core/base/error.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

namespace option {

constexpr FigureOption m{
    "m", FigureOption::Kind::whole, "The position of the query, or of the first token.", "number", "100", 0, 1 << 30};
constexpr FigureOption error{"error",
                             FigureOption::Kind::number,
                             "The largest error, in degrees, with which the angle of a pair is read.",
                             "degrees",
                             "10",
                             0,
                             180};
constexpr FigureOption hands{"hands",
                             FigureOption::Kind::whole,
                             "The number of pairs whose angles are read, from the fastest one on.",
                             "number",
                             "8",
                             0,
                             kMostHands};
constexpr FigureOption rotateValues{.name = "rotate-values",
                                    .kind = FigureOption::Kind::flag,
                                    .help = "Rotate the values of the tokens as well, which RoPE does not do."};

}  // namespace option

namespace {

template <Figure (*make)(const RotationScene&)>
Figure standard(const RotarySetup& setup, const ModelShape&) {
    return make(standardScene(setup));
}

/// The figures of two setups have the same positions, which the longer context allows.
template <Figure (*make)(const RotationScene&)>
Figure standardOfBoth(const ShapedSetup& a, const ShapedSetup& b) {
    const bool isLonger = b.setup.context > a.setup.context;
    const RotationScene scene = standardScene(isLonger ? b.setup : a.setup);
    const RotarySetup& second = isLonger ? a.setup : b.setup;
    const RotationScene other = scene.withSetup(second, frequencies(frequency_settings(second)));
    return comparedFigure(make(isLonger ? other : scene), make(isLonger ? scene : other), a, b);
}

Figure aimFigureOf(const RotationScene& scene) {
    // A figure on the command line may take about one second.
    constexpr std::int64_t budget = std::int64_t{1} << 28;
    constexpr int stretches = 2000;
    return aimFigure(scene, logitCurve(scene, strideWithin(scene, budget), stretches));
}

Figure aimedScene(RotationScene scene) {
    scene.state.source = VectorSource::aimed;
    scene.refit();
    return aimFigureOf(scene);
}

Figure aimed(const RotarySetup& setup, const ModelShape&) {
    return aimedScene(standardScene(setup));
}

/// The first token is at position 0, as in figure 1 of Su et al.
Figure tokensFromStart(const RotationScene& scene) {
    RotationScene start = scene;
    start.state.m = 0;
    return tokenFigure(start);
}

/// The axis fits the numbers: nothing moves on paper.
Figure printedLogit(const RotationScene& scene) {
    Figure figure = logitFigure(scene);
    figure.y.minimum = figure.y.maximum = std::numeric_limits<double>::quiet_NaN();
    return figure;
}

Figure distanceOfHead(const RotationScene& scene) {
    return circuitDistanceFigure(scene);
}

template <Figure (*make)(const RotationScene&)>
Figure previousTokenHead(const RotationScene& scene) {
    RotationScene built = scene;
    built.buildHead(1);
    return make(built);
}

/// With the options of the request, for its setups.
RotationScene chosenScene(const FigureRequest& request, const RotarySetup& setup) {
    RotationScene scene = standardScene(setup);
    RotationState& state = scene.state;
    state.m = request.whole(option::m);
    if (request.has(option::m) && state.m >= setup.context) {
        throw BadInput("--m is " + std::to_string(state.m) + ", but the context has the positions 0 to " +
                       std::to_string(setup.context - 1) + ".");
    }
    state.accuracy = request.number(option::error);
    state.hands = static_cast<int>(request.whole(option::hands));
    state.rotatesValues = request.has(option::rotateValues);
    // An empty text is that of the scene.
    if (!request.text(option::text).isEmpty()) state.text = request.text(option::text).toStdString();
    scene.refit();
    return scene;
}

Figure sentencesOfBoth(const ShapedSetup& a, const ShapedSetup& b) {
    return sentencePanels(standardOfBoth<sentenceFigure>(a, b));
}

template <Figure (*make)(const RotationScene&)>
Figure ofChoices(const FigureRequest& request) {
    return ofSetups(request, [&](const RotarySetup& setup) { return make(chosenScene(request, setup)); });
}

Figure chosenSentence(const FigureRequest& request) {
    return sentencePanels(ofChoices<sentenceFigure>(request));
}

}  // namespace

std::optional<Figure> rotationFigureOf(const QString& name, const RotationScene& scene) {
    if (name == "dials"_L1) return dialsFigure(scene);
    if (name == "pair"_L1) return pairFigure(scene);
    if (name == "logit-split"_L1) return logitFigure(scene);
    if (name == "helices"_L1) return helicesFigure(scene);
    if (name == "helix"_L1) return helixFigure(scene);
    if (name == "rotation-matrix"_L1) return matrixFigure(scene);
    if (name == "aim"_L1) return aimFigureOf(scene);
    if (name == "token-rotation"_L1) return tokenFigure(scene);
    if (name == "circuit-attention"_L1) return circuitFigure(scene);
    if (name == "circuit-keys"_L1) return circuitKeysFigure(scene);
    if (name == "position-reading"_L1) return readingFigure(scene);
    if (name == "sentence-attention"_L1) return sentenceFigure(scene);
    if (name == "circuit-distance"_L1) return circuitDistanceFigure(scene);
    return std::nullopt;
}

std::span<const RotaryFigure> rotationFigures() {
    static const std::array<RotaryFigure, 13> figures = {
        {{"dials", standard<dialsFigure>, standardOfBoth<dialsFigure>},
         {"pair", standard<pairFigure>, standardOfBoth<pairFigure>},
         {"logit-split", standard<printedLogit>, standardOfBoth<printedLogit>, "logit"},
         {"helices", standard<helicesFigure>, standardOfBoth<helicesFigure>, "helix"},
         {"helix", standard<helixFigure>, standardOfBoth<helixFigure>, "helix"},
         {"rotation-matrix", standard<matrixFigure>, standardOfBoth<matrixFigure>, "matrix"},
         {"aim", aimed, nullptr, "aim"},
         {"token-rotation",
          standard<tokensFromStart>,
          standardOfBoth<tokensFromStart>,
          "tokens",
          {&option::text},
          ofChoices<tokensFromStart>},
         {"circuit-attention",
          standard<previousTokenHead<circuitFigure>>,
          standardOfBoth<previousTokenHead<circuitFigure>>,
          "circuit",
          {&option::text},
          ofChoices<previousTokenHead<circuitFigure>>},
         {"circuit-distance",
          standard<previousTokenHead<distanceOfHead>>,
          standardOfBoth<previousTokenHead<distanceOfHead>>,
          "circuit",
          {&option::text},
          ofChoices<previousTokenHead<distanceOfHead>>},
         {"circuit-keys", standard<previousTokenHead<circuitKeysFigure>>,
          standardOfBoth<previousTokenHead<circuitKeysFigure>>, "keys"},
         {"position-reading",
          standard<readingFigure>,
          standardOfBoth<readingFigure>,
          "reading",
          {&option::m, &option::error, &option::hands},
          ofChoices<readingFigure>},
         {"sentence-attention",
          standard<sentenceFigure>,
          sentencesOfBoth,
          "sentence",
          {&option::m, &option::text, &option::rotateValues},
          chosenSentence}}};
    return figures;
}

bool changesWithPosition(const QString& name) {
    if (name.startsWith("circuit-"_L1)) return false;
    const auto own = rotationFigures();
    return std::any_of(own.begin(), own.end(),
                       [&name](const RotaryFigure& each) { return name == QLatin1String(each.name); });
}

}  // namespace ropelab::ui
