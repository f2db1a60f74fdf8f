#include "core/lecture/lecture_rooms.h"

#include <algorithm>
#include <iterator>
#include <ranges>
#include <span>

#include "core/rope/rotary_setup.h"
#include "core/spec/aliases.h"
#include "core/spec/error.h"
#include "core/spec/numbers.h"

namespace ropelab {

namespace {

#include "figure_parts.inc"  // results_figures and inspect_figures, which the build takes from the rooms

std::vector<std::string_view> words_in(std::string_view text) {
    std::vector<std::string_view> words;
    for (const auto word : std::views::split(text, ' ')) words.emplace_back(word.begin(), word.end());
    return words;
}

std::vector<std::string_view> with(std::string_view part, std::span<const std::string_view> figures) {
    std::vector<std::string_view> parts(figures.begin(), figures.end());
    parts.push_back(part);
    return parts;
}

}  // namespace

const std::vector<LectureRoom>& lecture_rooms() {
    static const std::vector<LectureRoom> rooms = {
        {"train", words_in("plan"), words_in("quantity scope")},
        {"rotation", words_in("dials pair logit helix matrix aim tokens circuit"),
         words_in("m n pair seed distance vectors play")},
        {"spectrum",
         words_in("frequencies spectrum kernel kernel-spectrum alibi-bias attention-mask "
                  "sinusoidal-embeddings window-reach encodings"),
         words_in("pair part head distances layers full_every attention_layers")},
        {"table", words_in("cosine-table sine-table table-error"), words_in("pair")},
        {"context", words_in("bound bases bases-near decay random"), words_in("target mean correlation")},
        {"memory", words_in("rope-cache kv-cache"), words_in("layers heads kv_heads model")},
        {"results", with("predictions", results_figures), words_in("quantity")},
        {"reproduce", words_in("claims comparison effects checks predictions letters"), words_in("sheet")},
        {"inspect",
         {std::begin(inspect_figures), std::end(inspect_figures)},
         words_in("run layer head iteration pair part")},
        {"anatomy", words_in("stages traditional-modern"), words_in("stage")},
    };
    return rooms;
}

const LectureRoom& lecture_room(std::string_view name) {
    return item_named(lecture_rooms(), shortened(current_name(Alias::Kind::room, name)), "room");
}

LectureView lecture_view(std::string_view text) {
    const std::size_t slash = text.find('/');
    const LectureRoom& room = lecture_room(text.substr(0, slash));
    if (slash == std::string_view::npos) return {room.name, {}};
    const std::string_view part = current_name(Alias::Kind::figure, text.substr(slash + 1));
    const auto found = std::find(room.parts.begin(), room.parts.end(), part);
    if (found != room.parts.end()) return {room.name, *found};
    const std::string sentence = "The room \"" + std::string(room.name) + "\" has no part \"" + shortened(part) + "\"";
    throw BadInput(sentence + "; did you mean \"" + std::string(room.name) + "/" +
                   nearest(shortened(part), room.parts) + "\"?");
}

std::vector<std::string_view> lecture_controls(const LectureRoom& room) {
    std::vector<std::string_view> all = room.controls;
    for (std::string_view setting : setup_settings()) {
        if (std::find(all.begin(), all.end(), setting) == all.end()) all.push_back(setting);
    }
    return all;
}

bool is_lecture_control(const LectureRoom& room, std::string_view key) {
    const auto all = lecture_controls(room);
    return std::find(all.begin(), all.end(), key) != all.end();
}

}  // namespace ropelab
