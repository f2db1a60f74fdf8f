#include "ui/rooms/anatomy/stage_formula.h"

namespace ropelab::ui {
namespace {

bool isWordPart(QChar letter) {
    return letter.isLetter() || letter.isDigit();
}

qsizetype endOfWord(const QString& text, qsizetype from) {
    qsizetype end = from;
    while (end < text.size() && isWordPart(text[end])) ++end;
    return end == from && end < text.size() ? end + 1 : end;
}

Formula partOf(const QString& word) {
    return word.size() == 1 && word[0].isLetter() ? Formula::symbol(word) : Formula::text(word);
}

/// The part begins after its mark at `at`, which moves behind it.
Formula attachedPart(const QString& text, qsizetype& at) {
    if (at < text.size() && text[at] == QLatin1Char('{')) {
        const qsizetype close = text.indexOf(QLatin1Char('}'), at);
        const qsizetype end = close < 0 ? text.size() : close;
        const QString inside = text.mid(at + 1, end - at - 1);
        at = end + 1;
        return stageFormula(inside);
    }
    const qsizetype end = endOfWord(text, at);
    const QString word = text.mid(at, end - at);
    at = end;
    return partOf(word);
}

}  // namespace

Formula stageFormula(const QString& text) {
    std::vector<Formula> parts;
    for (qsizetype at = 0; at < text.size();) {
        const QChar mark = text[at];
        if ((mark == QLatin1Char('_') || mark == QLatin1Char('^')) && !parts.empty()) {
            ++at;
            const Formula attached = attachedPart(text, at);
            const Formula base = parts.back();
            parts.back() =
                mark == QLatin1Char('_') ? Formula::subscript(base, attached) : Formula::superscript(base, attached);
            continue;
        }
        if (isWordPart(mark)) {
            const qsizetype end = endOfWord(text, at);
            parts.push_back(partOf(text.mid(at, end - at)));
            at = end;
            continue;
        }
        qsizetype end = at + 1;
        while (end < text.size() && !isWordPart(text[end]) && text[end] != QLatin1Char('_') &&
               text[end] != QLatin1Char('^')) {
            ++end;
        }
        parts.push_back(Formula::text(text.mid(at, end - at)));
        at = end;
    }
    return Formula::row(std::move(parts));
}

}  // namespace ropelab::ui
