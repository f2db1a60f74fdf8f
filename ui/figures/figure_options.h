#pragma once

#include <QJsonValue>
#include <QString>
#include <QStringList>
#include <cstdint>

namespace ropelab::ui {

/// A choice of what a figure shows: a flag of the command line and a key of FigureOrigin::flags.
struct FigureOption {
    enum class Kind { flag, text, number, whole, choice, list };

    const char* name;  // "run"; the flag has two dashes
    Kind kind;
    const char* help;  // one sentence, without the figures that it applies to
    const char* valueName = "";
    const char* standard = "";
    // The range of a number or of a whole number.
    double least = 0;
    double most = 0;
    /// Throws BadInput, naming the flag, if a text has no meaning; null: any text has.
    void (*check)(const QString& typed) = nullptr;
    /// A file is not taken from an exported figure, which a stranger may have written.
    bool namesFile = false;
    const char* words = nullptr;  // of a choice: "before|after"
};

/// The words of a choice, the standard one among them.
QStringList wordsOf(const FigureOption& option);

/// Throws BadInput if `value`, a text, `true` or a list of texts, is none of this option.
void checkValue(const FigureOption& option, const QJsonValue& value);
/// Also for flags of the window program that are no choice of a figure, such as its width. Throws BadInput.
double numberOf(const QString& flag, const QString& typed, double least, double most);
std::int64_t wholeOf(const QString& flag, const QString& typed, double least, double most);

/// Options that figures of several rooms have; those of one room or figure stand beside its figures.
namespace option {

inline constexpr double kMostRuns = 1e15;

void checkSetup(const QString& typed);
void checkLossUnit(const QString& typed);

inline constexpr FigureOption setup{.name = "setup",
                                    .kind = FigureOption::Kind::text,
                                    .help =
                                        "The RoPE settings, for example \"theta=500k head_dim=128 fraction=25%\", or "
                                        "two setups to compare, separated by |.",
                                    .valueName = "text",
                                    .check = checkSetup};
inline constexpr FigureOption run{"run",
                                  FigureOption::Kind::whole,
                                  "The number of the run to show; default: the first run of the lab.",
                                  "number",
                                  "0",
                                  0,
                                  kMostRuns};
inline constexpr FigureOption text{
    "text", FigureOption::Kind::text,
    "The text that the model evaluates or that the figure shows; default: the text stored in the snapshot, the start "
    "of the validation split, or the text that the page shows at first.",
    "text"};
inline constexpr FigureOption layer{
    "layer",
    FigureOption::Kind::whole,
    "The layer, from 0, or -1 for all layers or their mean; default: the layer that the page shows at first.",
    "number",
    "",
    -1,
    4096};
inline constexpr FigureOption head{
    "head",
    FigureOption::Kind::whole,
    "The head, from 0, or -1 for the mean over heads; default: the mean, in attention maps the head with the largest "
    "rotary logit contribution, in encodings the first one.",
    "number",
    "",
    -1,
    65536};
inline constexpr FigureOption unit{.name = "unit",
                                   .kind = FigureOption::Kind::text,
                                   .help = "The unit of losses: nats or bits (per token), or bits-per-byte.",
                                   .valueName = "name",
                                   .standard = "nats",
                                   .check = checkLossUnit};

}  // namespace option
}  // namespace ropelab::ui
