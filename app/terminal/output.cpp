#include "app/terminal/output.h"

#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>

#include "core/spec/error.h"
#include "core/spec/keys.h"

namespace ropelab::terminal {

void print_json(const nlohmann::json& json) {
    using Handler = nlohmann::json::error_handler_t;
    std::cout << json.dump(2, ' ', false, Handler::replace) << '\n' << std::flush;
}

void print_text(const std::string& text) {
    std::cout << text << std::flush;
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
        return nlohmann::json::parse(read_all(file));
    } catch (const nlohmann::json::parse_error& error) {
        throw BadInput(what + " is not JSON: there is a syntax error near byte " + std::to_string(error.byte) + ".");
    } catch (const nlohmann::json::out_of_range&) {
        throw BadInput(what + " contains a number beyond 1e308, the largest that double precision can represent.");
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
