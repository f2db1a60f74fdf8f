#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

// Formulas of lectures, which are TeX between dollar signs. Those without a rendered picture are shown as Unicode text.

namespace ropelab {

struct TexCommand {
    std::string_view name;  // without the backslash: "theta"
    std::string_view text;  // "" for commands that only change the font or the size of what follows
};
/// All that Unicode text can show, beside \frac.
std::span<const TexCommand> tex_commands();

/// Without the dollar signs. A formula does not continue on the next line.
std::vector<std::string> formulas_in(std::string_view text);
/// The end of a line from a dollar sign that no other one closes, if LaTeX follows it; "" if there is none.
std::string unclosed_formula(std::string_view text);
/// The first command that Unicode text cannot show, with its backslash; "" if there is none.
std::string unknown_tex_command(std::string_view tex);
/// Throws BadInput for a formula with such a command, naming the most similar one, and for unbalanced braces.
void check_tex(std::string_view tex);

}  // namespace ropelab
