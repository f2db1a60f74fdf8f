#pragma once

#include <random>
#include <stdexcept>
#include <string>
#include <vector>

/// What the fuzz tests share: random numbers, mutation of texts, and requirements.
namespace ropelab::fuzz {

using Generator = std::mt19937_64;

/// Random number in [0, count); 0 if count is 0.
inline std::size_t below(Generator& generator, std::size_t count) {
    return count == 0 ? 0 : static_cast<std::size_t>(generator() % count);
}

/// Throws std::logic_error, which ends the test, unless the condition is met.
inline void require(bool good, const char* what) {
    if (!good) throw std::logic_error(what);
}

/// Mutates the text at one position, regardless of its syntax: cuts it there, changes or removes bytes, inserts a piece
/// once or many times, repeats a part of the text, or continues with the rest of one of the others.
inline void change_bytes(std::string& text, Generator& generator, const std::vector<std::string>& pieces,
                         const std::vector<std::string>& others) {
    const std::size_t at = below(generator, text.size() + 1);
    const std::string& piece = pieces[below(generator, pieces.size())];
    switch (below(generator, 7)) {
        case 0:
            text.resize(at);
            break;
        case 1:
            if (at < text.size()) text[at] = static_cast<char>(generator());
            break;
        case 2:
            text.erase(at, 1 + below(generator, 30));
            break;
        case 3:
            text.insert(at, piece);
            break;
        case 4:
            text.insert(at, text.substr(below(generator, text.size() + 1), below(generator, 120)));
            break;
        case 5: {
            std::string repeated;
            for (std::size_t count = below(generator, 200); count > 0; --count) repeated += piece;
            text.insert(at, repeated);
            break;
        }
        default: {
            const std::string& other = others[below(generator, others.size())];
            text = text.substr(0, at) + other.substr(below(generator, other.size() + 1));
        }
    }
}

}  // namespace ropelab::fuzz
