#include "app/terminal/output.h"

#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>

#include "core/data/json_text.h"
#include "core/data/utf8.h"
#include "core/spec/error.h"
#include "core/spec/keys.h"
#include "core/store/output_file.h"

namespace ropelab::terminal {

void print_json(const nlohmann::json& json) {
    using Handler = nlohmann::json::error_handler_t;
    print_text(json.dump(2, ' ', false, Handler::replace) + "\n");
}

void print_text(const std::string& text) {
    write_output("-", without_controls(text));
}

std::string counted(std::int64_t count, const std::string& word) {
    return std::to_string(count) + " " + word + (count == 1 ? "" : "s");
}

std::string read_all(const std::string& file) {
    if (file == "-") return {std::istreambuf_iterator<char>(std::cin), {}};
    std::ifstream stream(file, std::ios::binary);
    if (!stream || std::filesystem::is_directory(file))
        throw BadInput("The file " + file + " cannot be read; check its name and permissions.");
    return {std::istreambuf_iterator<char>(stream), {}};
}

nlohmann::json read_json(const std::string& file) {
    const std::string what = file == "-" ? "Standard input" : "The file " + file;
    try {
        return parse_unique(read_all(file), what);
    } catch (const nlohmann::json::parse_error& error) {
        throw BadInput(what + " is not JSON: " + trouble_of(error) + ".");
    } catch (const nlohmann::json::out_of_range&) {
        throw BadInput(what + " contains a number beyond 1e308, the largest that double precision can represent.");
    }
}

void check_one_output(const std::string& output, bool json) {
    if (json && is_standard_output(output)) {
        throw BadInput("--output " + output +
                       " and --json would both write to standard output; leave out one of them.");
    }
}

Partial parse_partial(const std::string& word) {
    if (word == "slice") return Partial::slice;
    if (word == "truncate") return Partial::truncate;
    throw BadInput("\"" + word + "\" is not a method of partial rotation; it must be slice or truncate.");
}

Pairing parse_pairing(const std::string& word) {
    if (word == "half") return Pairing::half;
    if (word == "interleaved") return Pairing::interleaved;
    throw BadInput("\"" + word + "\" is not a pairing of channels; it must be half or interleaved.");
}

}  // namespace ropelab::terminal
