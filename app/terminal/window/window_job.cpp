#include "app/terminal/window/window_job.h"

#include <utility>
#include <vector>

#include "app/terminal/window/window_program.h"
#include "core/spec/error.h"
#include "core/spec/numbers.h"

namespace ropelab::terminal {

void JobFlags::add(CLI::App& verb, const char* key, const Field& field, const char* help) {
    verb.add_option(field.flag, (fields_[key] = field).value, help);
}

void JobFlags::add_text(CLI::App& verb, const char* key, const char* flag, const char* help) {
    add(verb, key, {flag, false}, help);
}

void JobFlags::add_number(CLI::App& verb, const char* key, const char* flag, const char* help) {
    add(verb, key, {flag, true}, help);
}

void JobFlags::add_json(CLI::App& verb) {
    verb.add_flag("--json", json_, "Print the written files as JSON");
}

void JobFlags::run(const std::string& what, const std::string& mode, nlohmann::json job) const {
    for (const auto& [key, field] : fields_) {
        if (field.value.empty()) continue;
        try {
            job[key] = field.is_number ? nlohmann::json(parse_number(field.value)) : nlohmann::json(field.value);
        } catch (const BadInput&) {
            throw BadInput(field.flag + " requires a number, not \"" + field.value + "\".");
        }
    }
    std::vector<std::string> arguments = {mode, job.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)};
    if (json_) arguments.emplace_back("--json");
    become_window_program(what, std::move(arguments));
}

}  // namespace ropelab::terminal
