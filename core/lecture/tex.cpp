#include "core/lecture/tex.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/names.h"
#include "core/base/numbers.h"
#include "core/data/utf8.h"

namespace ropelab {

namespace {

constexpr std::string_view fraction = "frac";

constexpr TexCommand commands[] = {
    {"alpha", "α"},      {"beta", "β"},   {"gamma", "γ"},      {"delta", "δ"},       {"epsilon", "ε"},
    {"varepsilon", "ε"}, {"eta", "η"},    {"theta", "θ"},      {"kappa", "κ"},       {"lambda", "λ"},
    {"mu", "µ"},         {"nu", "ν"},     {"pi", "π"},         {"rho", "ρ"},         {"sigma", "σ"},
    {"tau", "τ"},        {"phi", "φ"},    {"varphi", "φ"},     {"psi", "ψ"},         {"omega", "ω"},
    {"Gamma", "Γ"},      {"Delta", "Δ"},  {"Theta", "Θ"},      {"Lambda", "Λ"},      {"Pi", "Π"},
    {"Sigma", "Σ"},      {"Phi", "Φ"},    {"Psi", "Ψ"},        {"Omega", "Ω"},       {"infty", "∞"},
    {"partial", "∂"},    {"nabla", "∇"},  {"ell", "ℓ"},        {"cdot", "·"},        {"times", "×"},
    {"circ", "∘"},       {"odot", "⊙"},   {"oplus", "⊕"},      {"otimes", "⊗"},      {"pm", "±"},
    {"le", "≤"},         {"leq", "≤"},    {"ge", "≥"},         {"geq", "≥"},         {"ll", "≪"},
    {"gg", "≫"},         {"ne", "≠"},     {"neq", "≠"},        {"approx", "≈"},      {"sim", "∼"},
    {"equiv", "≡"},      {"propto", "∝"}, {"in", "∈"},         {"sum", "Σ"},         {"prod", "Π"},
    {"int", "∫"},        {"sqrt", "√"},   {"top", "ᵀ"},        {"to", "→"},          {"rightarrow", "→"},
    {"leftarrow", "←"},  {"mapsto", "↦"}, {"Rightarrow", "⇒"}, {"langle", "⟨"},      {"rangle", "⟩"},
    {"lceil", "⌈"},      {"rceil", "⌉"},  {"lfloor", "⌊"},     {"rfloor", "⌋"},      {"|", "‖"},
    {"dots", "…"},       {"ldots", "…"},  {"cdots", "⋯"},      {"cos", "cos "},      {"sin", "sin "},
    {"tan", "tan "},     {"log", "log "}, {"ln", "ln "},       {"exp", "exp "},      {"max", "max "},
    {"min", "min "},     {"quad", "  "},  {"qquad", "    "},   {" ", " "},           {",", " "},
    {":", " "},          {";", " "},      {"!", ""},           {"%", "%"},           {"#", "#"},
    {"&", "&"},          {"_", "_"},      {"{", "{"},          {"}", "}"},           {"left", ""},
    {"right", ""},       {"big", ""},     {"Big", ""},         {"mathrm", ""},       {"mathbf", ""},
    {"mathit", ""},      {"mathcal", ""}, {"text", ""},        {"operatorname", ""},
};

bool is_command_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool is_known(std::string_view name) {
    const auto is_named = [&](const TexCommand& command) { return command.name == name; };
    return name == fraction || std::any_of(std::begin(commands), std::end(commands), is_named);
}

}  // namespace

std::span<const TexCommand> tex_commands() {
    return commands;
}

std::vector<std::string> formulas_in(std::string_view text) {
    std::vector<std::string> result;
    for (std::size_t at = text.find('$'); at != std::string_view::npos;) {
        const std::size_t end = text.find_first_of("$\n", at + 1);
        if (end == std::string_view::npos) break;
        const bool is_formula = text[end] == '$' && end > at + 1;
        if (is_formula) result.emplace_back(text.substr(at + 1, end - at - 1));
        at = text.find('$', is_formula ? end + 1 : end);
    }
    return result;
}

std::string unclosed_formula(std::string_view text) {
    for (std::size_t start = 0; start < text.size();) {
        const std::size_t end = std::min(text.find('\n', start), text.size());
        const std::string_view line = text.substr(start, end - start);
        if (std::count(line.begin(), line.end(), '$') % 2 == 1) {
            const std::string_view rest = line.substr(line.rfind('$'));
            if (rest.find('\\') != std::string_view::npos) return std::string(rest);
        }
        start = end + 1;
    }
    return "";
}

std::string unknown_tex_command(std::string_view tex) {
    for (std::size_t at = tex.find('\\'); at != std::string_view::npos; at = tex.find('\\', at)) {
        std::size_t end = at + 1;
        while (end < tex.size() && is_command_letter(tex[end])) ++end;
        if (end == at + 1 && end < tex.size()) ++end;
        if (!is_known(tex.substr(at + 1, end - at - 1))) return std::string(tex.substr(at, end - at));
        at = end;
    }
    return "";
}

void check_tex(std::string_view tex) {
    int depth = 0;
    for (std::size_t i = 0; i < tex.size() && depth >= 0; ++i) {
        if (tex[i] == '\\') {
            ++i;  // "\{" is a brace to be shown
        } else if (tex[i] == '{' || tex[i] == '}') {
            depth += tex[i] == '{' ? 1 : -1;
        }
    }
    if (depth != 0) throw BadInput("The braces of the formula \"" + shortened(tex) + "\" are not balanced.");
    const std::string unknown = unknown_tex_command(tex);
    if (unknown.empty()) return;
    std::vector<std::string> names = {"\\" + std::string(fraction)};
    for (const TexCommand& command : commands) names.push_back("\\" + std::string(command.name));
    const std::vector<std::string_view> known(names.begin(), names.end());
    throw BadInput("The formula \"" + shortened(tex) + "\" has the command " + shortened(unknown) +
                   ", which a lecture cannot show" + hint(unknown, known));
}

}  // namespace ropelab
