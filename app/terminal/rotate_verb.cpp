#include <cmath>
#include <memory>

#include "app/terminal/output.h"
#include "app/terminal/verbs.h"
#include "core/rope/rotation.h"
#include "core/spec/error.h"
#include "core/spec/numbers.h"

namespace ropelab::terminal {

namespace {

// Numbers of a nested array, innermost last; every level must have one length throughout.
void flatten(const nlohmann::json& value, std::size_t depth, std::vector<std::size_t>& shape,
             std::vector<float>& numbers) {
    if (depth == shape.size()) {
        if (!value.is_number())
            throw BadInput("The array x holds " + value.dump().substr(0, 40) +
                           " where a number must stand: it is batch × heads × time × head_dim.");
        numbers.push_back(value.get<float>());
        return;
    }
    if (!value.is_array() || value.empty())
        throw BadInput("The array x must have four levels: batch × heads × time × head_dim.");
    if (shape[depth] == 0) shape[depth] = value.size();
    if (shape[depth] != value.size())
        throw BadInput("The array x has rows of different lengths; it must be batch × heads × time × head_dim.");
    for (const auto& entry : value) flatten(entry, depth + 1, shape, numbers);
}

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
                           std::to_string(shape[2]) + " time steps of x; give one each.");
        }
        const auto head_dim = static_cast<int>(shape[3]);
        const Frequencies frequency = frequencies({.head_dim = head_dim,
                                                   .theta = input.value("theta", 10000.0),
                                                   .fraction = input.value("fraction", 1.0),
                                                   .partial = parse_partial(input.value("partial", "slice"))});
        rotate(numbers, shape[3], rotation_table(frequency, positions), parse_pairing(input.value("pairing", "half")));
    } catch (const nlohmann::json::type_error&) {
        throw BadInput(
            "positions is a list of whole numbers, theta and fraction are numbers, partial and pairing are words.");
    }
    const float* next = numbers.data();
    print_json({{"x", nest(shape, 0, next)}});
}

}  // namespace

void add_rotate(CLI::App& program) {
    CLI::App* verb = program.add_subcommand("rotate", "Rotate queries or keys that standard input gives as JSON");
    verb->footer(
        "Reads {\"x\": batch × heads × time × head_dim, \"positions\": […], \"theta\", \"fraction\",\n"
        "\"partial\": \"slice\"|\"truncate\", \"pairing\": \"half\"|\"interleaved\"} and writes {\"x\": …}.");
    auto json = std::make_shared<bool>(true);
    verb->add_flag("--json", *json, "Write JSON (it always does)");
    verb->callback([json] { run(); });
}

}  // namespace ropelab::terminal
