#include "core/lecture/lecture_rooms.h"

#include <algorithm>
#include <iterator>
#include <ranges>

#include "core/base/aliases.h"
#include "core/base/error.h"
#include "core/base/names.h"
#include "core/base/numbers.h"
#include "core/data/utf8.h"
#include "core/rope/rotary_setup.h"

namespace ropelab {

namespace {

std::vector<std::string_view> words_in(std::string_view text) {
    std::vector<std::string_view> words;
    for (const auto word : std::views::split(text, ' ')) words.emplace_back(word.begin(), word.end());
    return words;
}

std::vector<std::string_view> with(std::string_view part, std::vector<std::string_view> parts) {
    parts.push_back(part);
    return parts;
}

std::vector<LectureRoom> make_rooms() {
    const LectureControl pair = {"pair", {"none"}};
    constexpr double furthest = 1e9;
    constexpr double most_layers = 128;
    // These rooms show each of their figures as a part.
    const auto results = words_in(
        "group-means loss-by-theta improvement interaction paired-differences loss-by-fraction loss-fit "
        "loss-by-context "
        "loss-by-length learning-curves spikes loss-by-speed loss-by-memory loss-by-generation-speed loss-by-cache "
        "parallel-coordinates optimum-by-width mutual-information");
    const auto inspect = words_in(
        "ablation-loss ablation-retrieval ablation-curve ablation-retrieval-curve attention-heads attention-map "
        "pair-logits attention-by-distance attention-spectrum head-components logit-contribution-over-training "
        "attention-entropy attention-sink retrieval-over-training theta-over-training inspect-loss data-bits "
        "data-tokens data-frequencies data-zipf data-mutual-information expert-load expert-load-by-class "
        "expert-tokens expert-balance expert-dropped gradient-norm-over-training update-ratio-over-training "
        "residual-stream-over-training massive-activations-over-training gradient-norm-by-layer updates-by-layer "
        "residual-stream-by-layer loss-by-position retrieval-accuracy retrieval-gain retrieval-loss "
        "logit-by-distance extrapolation-loss extrapolation-retrieval fine-tuned-loss logit-contribution "
        "weighted-logit-contribution query-spectrum key-spectrum value-spectrum query-channels key-channels "
        "pair-dials");
    return {
        {"train",
         words_in("plan"),
         {{"quantity", words_in("validation_loss training_loss losses learning_rate gradient_norm tokens_per_second "
                                "roofline")},
          {"scope", words_in("all sweep run")}},
         words_in("training roofline sweep-plane logit-contribution query-spectrum key-spectrum attention-by-distance "
                  "retrieval-accuracy gradient-norm-by-layer residual-stream-by-layer expert-balance "
                  "expert-dropped")},
        {"rotation",
         words_in("dials pair logit helix helices matrix aim tokens sentence circuit keys reading"),
         {{"m"},
          {"n"},
          pair,
          {"seed", {}, {{0, furthest}}},
          {"distance"},
          {"vectors", words_in("random equal aimed head")},
          {"norm", {}, {{0, 20}}},
          {"fast_pairs", {}, {{0, 1 << 16}}},
          {"hands", {}, {{0, 8}}},
          {"error", {}, {{0, 90}}},
          {"rotate_values", words_in("on off")},
          {"play", words_in("on off")}},
         words_in("dials pair logit-split helix helices rotation-matrix aim token-rotation sentence-attention "
                  "circuit-attention circuit-distance circuit-keys position-reading")},
        {"spectrum",
         words_in("frequencies spectrum kernel kernel-spectrum alibi-bias attention-mask sinusoidal-embeddings "
                  "window-reach encodings"),
         {pair,
          {"part"},
          {"head", {}, {{1, 65536}}},
          {"distances", {}, {{0, 1 << 30}}},
          {"layers", {}, {{1, most_layers}}},
          {"full_every", {}, {{0, most_layers}}},
          {"attention_layers"},
          {"ratio", words_in("on off")}},
         words_in("spectrum scalings kernel kernel-spectrum alibi-bias attention-mask sinusoidal-embeddings "
                  "window-reach encodings")},
        {"table",
         words_in("cosine-table sine-table table-error"),
         {pair},
         words_in("cosine-table sine-table table-error")},
        {"context",
         words_in("bound bases bases-near map decay random share"),
         {pair,
          {"target", {"none"}, {{16, 1 << 24}}},
          {"mean", {}, {{-2, 2}}},
          {"correlation", {}, {{-1, 1}}},
          {"log_axis", words_in("on off")}},
         words_in("context-bound feasible-bases context-map decay-bound random-logits key-share")},
        {"memory",
         words_in("rope-cache kv-cache"),
         {pair,
          {"layers", {}, {{1, 1000}}},
          {"heads", {}, {{1, 1024}}},
          {"kv_heads", {}, {{1, 1024}}},
          {"model"},
          {"log_axis", words_in("on off")}},
         words_in("rope-cache kv-cache rope-cache-bars kv-cache-bars")},
        {"results", with("predictions", results), {{"quantity"}}, results},
        {"reproduce",
         words_in("claims comparison effects checks predictions letters"),
         {{"sheet"}},
         words_in("forest-plot two-letters")},
        {"inspect",
         inspect,
         {{"run"},
          {"beside", {"none"}},
          {"layer", {"all"}},
          {"head", words_in("automatic mean")},
          {"iteration", {"newest"}},
          pair,
          {"part"}},
         inspect},
        {"anatomy",
         words_in("stages traditional-modern"),
         {{"stage"}},
         words_in("anatomy traditional-modern anatomy-stage anatomy-weights anatomy-activation")},
    };
}

}  // namespace

const std::vector<LectureRoom>& lecture_rooms() {
    static const std::vector<LectureRoom> rooms = make_rooms();
    return rooms;
}

const LectureRoom& lecture_room(std::string_view name) {
    return item_named(lecture_rooms(), shortened(current_name(Alias::Kind::room, name)), "page");
}

LectureView lecture_view(std::string_view text) {
    const std::size_t slash = text.find('/');
    const LectureRoom& room = lecture_room(text.substr(0, slash));
    if (slash == std::string_view::npos) return {room.name, {}};
    const std::string_view part = current_name(Alias::Kind::figure, text.substr(slash + 1));
    const auto found = std::find(room.parts.begin(), room.parts.end(), part);
    if (found != room.parts.end()) return {room.name, *found};
    const std::string sentence = "The page \"" + std::string(room.name) + "\" has no part \"" + shortened(part) + "\"";
    std::vector<std::string> parts;
    for (const std::string_view each : room.parts) parts.push_back(std::string(room.name) + "/" + std::string(each));
    const std::vector<std::string_view> known(parts.begin(), parts.end());
    throw BadInput(sentence + hint(std::string(room.name) + "/" + shortened(part), known, "\""));
}

std::vector<std::string_view> lecture_controls(const LectureRoom& room) {
    std::vector<std::string_view> all;
    for (const LectureControl& control : room.controls) all.push_back(control.name);
    for (std::string_view setting : setup_settings()) {
        if (std::find(all.begin(), all.end(), setting) == all.end()) all.push_back(setting);
    }
    static constexpr std::string_view fixed[] = {"rotation", "spectrum", "table", "context", "memory", "inspect"};
    if (std::find(std::begin(fixed), std::end(fixed), room.name) != std::end(fixed)) {
        all.insert(all.end(), {"x_axis", "y_axis"});
    }
    return all;
}

bool is_axis_control(std::string_view key) {
    return key == "x_axis" || key == "y_axis";
}

std::optional<std::pair<double, double>> axis_ends(std::string_view value) {
    if (value == "automatic") return std::nullopt;
    const std::size_t to = value.find(" to ");
    if (to != std::string_view::npos) {
        const std::pair ends(parse_number(value.substr(0, to)), parse_number(value.substr(to + 4)));
        if (ends.first < ends.second) return ends;
    }
    throw BadInput("The axis is \"" + shortened(value) +
                   "\", but it must be \"automatic\" or two numbers in ascending "
                   "order, such as \"0 to 256\".");
}

void check_figure_of(const LectureRoom& room, std::string_view figure) {
    if (std::find(room.figures.begin(), room.figures.end(), figure) != room.figures.end()) return;
    throw BadInput("The page \"" + std::string(room.name) + "\" has no figure \"" + shortened(figure) + "\"" +
                   hint(shortened(figure), room.figures, "\""));
}

bool is_lecture_control(const LectureRoom& room, std::string_view key) {
    const auto all = lecture_controls(room);
    return std::find(all.begin(), all.end(), key) != all.end();
}

}  // namespace ropelab
