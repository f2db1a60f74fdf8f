#include <cmath>
#include <memory>

#include "app/terminal/output.h"
#include "app/terminal/verbs.h"
#include "core/rope/rotation.h"
#include "core/spec/error.h"
#include "core/spec/numbers.h"

namespace ropelab::terminal {

namespace {

// Appends the numbers of a nested JSON array to `numbers` in row-major order and fills in `shape`. Throws BadInput if
// the array does not have shape.size() levels or if lists of one level differ in length.
void flatten(const nlohmann::json& value, std::size_t depth, std::vector<std::size_t>& shape,
             std::vector<float>& numbers) {
    if (depth == shape.size()) {
        if (!value.is_number())
            throw BadInput("The array x contains " + value.dump().substr(0, 40) +
                           " in place of a number; its shape must be batch × heads × time × head_dim.");
        numbers.push_back(value.get<float>());
        return;
    }
    if (!value.is_array() || value.empty())
        throw BadInput("The array x must have four levels of lists: batch × heads × time × head_dim.");
    if (shape[depth] == 0) shape[depth] = value.size();
    if (shape[depth] != value.size())
        throw BadInput(
            "The array x has lists of different lengths; its shape must be batch × heads × time × head_dim.");
    for (const auto& entry : value) flatten(entry, depth + 1, shape, numbers);
}

// Returns row-major numbers as nested lists of this shape, from the level `depth` on; advances `numbers`.
nlohmann::json nest(const std::vector<std::size_t>& shape, std::size_t depth, const float*& numbers) {
    if (depth == shape.size()) return *numbers++;
    nlohmann::json result = nlohmann::json::array();
    for (std::size_t i = 0; i < shape[depth]; ++i) result.push_back(nest(shape, depth + 1, numbers));
    return result;
}

void run() {
    const nlohmann::json input = read_json("-");
    for (const char* name : {"x", "positions"}) {
        if (!input.is_object() || !input.contains(name)) {
            throw BadInput(std::string("Standard input must be a JSON object with x and positions; ") + name +
                           " is missing.");
        }
    }
    std::vector<std::size_t> shape(4, 0);
    std::vector<float> numbers;
    flatten(input.at("x"), 0, shape, numbers);

    try {
        std::vector<std::int64_t> positions;
        for (const double position : input.at("positions").get<std::vector<double>>()) {
            if (position != std::trunc(position) || std::abs(position) > 0x1p53) {
                throw BadInput("A position is " + number_text(position) +
                               ", but it must be a whole number of at most 2^53.");
            }
            positions.push_back(static_cast<std::int64_t>(position));
        }
        if (positions.size() != shape[2]) {
            throw BadInput("There are " + std::to_string(positions.size()) + " positions for " +
                           std::to_string(shape[2]) + " time steps of x; give one position per time step.");
        }
        const auto head_dim = static_cast<int>(shape[3]);
        const Frequencies frequency = frequencies({.head_dim = head_dim,
                                                   .theta = input.value("theta", 10000.0),
                                                   .fraction = input.value("fraction", 1.0),
                                                   .partial = parse_partial(input.value("partial", "slice"))});
        rotate(numbers, shape[3], rotation_table(frequency, positions), parse_pairing(input.value("pairing", "half")));
    } catch (const nlohmann::json::type_error&) {
        throw BadInput(
            "positions must be a list of whole numbers, theta and fraction numbers, partial and pairing strings.");
    }
    const float* next = numbers.data();
    print_json({{"x", nest(shape, 0, next)}});
}

}  // namespace

void add_rotate(CLI::App& program) {
    CLI::App* verb = program.add_subcommand("rotate", "Apply RoPE to queries or keys given as JSON on standard input");
    verb->footer(
        "Reads {\"x\": batch × heads × time × head_dim, \"positions\": […], \"theta\", \"fraction\",\n"
        "\"partial\": \"slice\"|\"truncate\", \"pairing\": \"half\"|\"interleaved\"} and prints the rotated {\"x\": "
        "…}.");
    auto json = std::make_shared<bool>(true);
    verb->add_flag("--json", *json, "Print JSON (the output is always JSON)");
    verb->callback([json] { run(); });
}

}  // namespace ropelab::terminal
