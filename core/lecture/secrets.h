#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/lecture/answer.h"
#include "core/lecture/lecture.h"

namespace ropelab {

/// What the scenes of a lecture show step by step: the page with its part, and the rotary setup.
struct LectureSight {
    std::string room;  // "" for a page of text
    std::string part;
    ComparedSetups setups;
    std::string lab;

    bool operator==(const LectureSight&) const = default;
};
/// After the changes of each step of a scene.
std::vector<LectureSight> sights_of(const LectureScene& scene);

/// What the class should find out by itself, seen from the other scenes of its lecture.
struct LectureSecret {
    std::size_t scene = 0;  // that asks, from 0
    std::size_t step = 0;
    int line = 0;
    SecretAnswer answer;
    std::string quantity;  // of a question for a number
    LectureSight sight;    // while the question is open
    bool hides = false;    // the picture, which answers it

    /// The first words of a text of another scene that answer the question, or "": those that no text contains by
    /// chance, which are clauses of choices and numbers with three significant digits or more.
    std::string given_away_by(std::string_view text) const;
    /// The picture of another scene is the one that the question hides.
    bool is_shown_by(const LectureSight& sight) const { return hides && !sight.room.empty() && sight == this->sight; }
};
/// Of all questions. One whose answer cannot be computed, because its scene trains live or has no readable lab, has no
/// numbers.
std::vector<LectureSecret> secrets_of(const Lecture& lecture);

}  // namespace ropelab
