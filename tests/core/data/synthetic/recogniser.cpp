#include "tests/core/data/synthetic/recogniser.h"

#include <algorithm>
#include <set>
#include <stdexcept>

#include "tests/core/data/synthetic/documentation.h"

namespace ropelab {
namespace {

class Recogniser {
 public:
    explicit Recogniser(std::string_view text) : text_(text) {}

    Findings read() {
        while (at_ < text_.size()) {
            if (at_ > 0) require(take(' ') || take('\n'), "a space or a newline between sentences");
            sentence();
        }
        return findings_;
    }

 private:
    using Words = std::set<std::string, std::less<>>;

    void sentence() {
        require(word() == "one", "a sentence begins with 'one'");
        require(take(' '), "a space after 'one'");
        std::size_t name_at = at_;
        const std::string name = word();
        require(names_.contains(name), "a name");
        do {
            require(take(' '), "a space before a clause");
            clause();
            findings_.distances.push_back(at_ - name_at);
            name_at = at_;
            require(word() == name, "the copy of the sentence's name");
        } while (!take('.'));
        ++findings_.sentences;
    }

    /// Parses a clause from its verb to the space after "and".
    void clause() {
        require(verbs_.contains(word()), "a verb");
        require(take(' '), "a space after the verb");
        if (next_is_open()) {
            ++findings_.groups;
            group(1);
            require(take(' '), "a space after the brackets");
        }
        std::size_t items = 0;
        for (std::string item = word(); item != "and"; item = word()) {
            ++items;
            if (std::string_view("bdfghvz").find(item.empty() ? ' ' : item.front()) != std::string_view::npos) {
                require(nouns_.contains(item), "a noun");
                ++findings_.nouns;
            } else {
                free_word(item);
            }
            require(take(' '), "a space after an item");
        }
        require(take(' '), "a space after 'and'");
        findings_.items.push_back(items);
    }

    void free_word(const std::string& item) {
        require(item.size() == 4 || item.size() == 6, "a word of two or three syllables");
        const int first = place(item[0], kConsonants);
        const int first_vowel = place(item[1], kVowels);
        const int second = place(item[2], kConsonants);
        const int second_vowel = place(item[3], kVowels);
        const bool hard = std::string_view("kpts").find(item[0]) != std::string_view::npos;
        require(second == (first + 1) % 8 || second == (first + 7) % 8, "a neighbour in the consonants' ring");
        require(second_vowel == first_vowel || second_vowel == (first_vowel + (hard ? 1 : 4)) % 5,
                "the vowel or, as its consonant says, the next or the last one in the ring");
        ++findings_.second_letters;
        findings_.usual_second_letters += second == (first + 1) % 8 ? 1 : 0;
        if (item.size() == 6) {
            const int third = place(item[4], kConsonants);
            const int third_vowel = place(item[5], kVowels);
            require(third == first || third == (first + 4) % 8, "the first consonant or the opposite one");
            require(third_vowel == second_vowel || third_vowel == (second_vowel + 1) % 5, "the vowel or the next one");
        }
        findings_.word_lengths.push_back(item.size());
    }

    void group(std::size_t depth) {
        require(depth <= 3, "at most three brackets in one another");
        findings_.deepest = std::max(findings_.deepest, depth);
        const std::size_t kind = std::string_view("([<").find(text_[at_++]);
        particle(kind);
        if (take(' ')) {
            const bool inner = next_is_open();
            if (inner) group(depth + 1);
            if (!inner || take(' ')) particle(kind);
        }
        require(take(std::string_view(")]>")[kind]), "the bracket that was opened last is closed first");
    }

    void particle(std::size_t kind) {
        const std::string letters = word();
        require(letters.size() == 2 && kConsonants.find(letters[0]) != std::string_view::npos, "a particle");
        const std::string_view vowels = kind == 0 ? "ae" : kind == 1 ? "io" : "ua";
        require(vowels.find(letters[1]) != std::string_view::npos, "a vowel that its bracket allows");
    }

    std::string word() {
        const std::size_t begin = at_;
        while (at_ < text_.size() && text_[at_] >= 'a' && text_[at_] <= 'z') ++at_;
        return std::string(text_.substr(begin, at_ - begin));
    }

    bool next_is_open() const {
        return at_ < text_.size() && std::string_view("([<").find(text_[at_]) != std::string_view::npos;
    }

    bool take(char character) {
        if (at_ >= text_.size() || text_[at_] != character) return false;
        ++at_;
        return true;
    }

    int place(char letter, std::string_view ring) const {
        const std::size_t found = ring.find(letter);
        require(found != std::string_view::npos, "a letter that may stand there");
        return static_cast<int>(found);
    }

    void require(bool holds, const char* rule) const {
        if (!holds) throw std::runtime_error("before offset " + std::to_string(at_) + ": " + rule);
    }

    static Words documented(const std::string& heading) {
        const auto words = documentation::words_under(heading);
        return {words.begin(), words.end()};
    }

    static constexpr std::string_view kConsonants = "klpmtnsr";
    static constexpr std::string_view kVowels = "aeiou";

    Words names_ = documented("### Names");
    Words verbs_ = documented("### Verbs");
    Words nouns_ = documented("### Nouns");
    std::string_view text_;
    std::size_t at_ = 0;
    Findings findings_;
};

}  // namespace

Findings recognise(std::string_view text) {
    return Recogniser(text).read();
}

std::string whole_sentences(std::string_view text) {
    return std::string(text.substr(0, text.rfind('.') + 1));
}

}  // namespace ropelab
