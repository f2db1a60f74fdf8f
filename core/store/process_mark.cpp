#include "core/store/process_mark.h"

#include <unistd.h>

#include <array>
#include <fstream>
#include <sstream>

namespace ropelab {

namespace {

// Clock ticks since boot (field 22 of /proc/N/stat); empty if there is no such process.
std::string start_time(const std::string& number) {
    std::ifstream file("/proc/" + number + "/stat");
    std::string stat;
    std::getline(file, stat);
    // The name is in parentheses and may contain spaces and parentheses: count after the last closing one.
    const std::size_t name_end = stat.rfind(')');
    if (name_end == std::string::npos) return "";
    std::istringstream fields(stat.substr(name_end + 1));
    std::string field;
    for (int i = 3; i <= 22; ++i) fields >> field;
    return fields ? field : "";
}

struct Fields {
    std::string host, number, started;
};

// All fields are empty if the mark is invalid.
Fields fields_of(const std::string& mark) {
    std::istringstream stream(mark);
    Fields fields;
    stream >> fields.host >> fields.number >> fields.started;
    return stream ? fields : Fields();
}

}  // namespace

std::string host_name() {
    std::array<char, 256> name{};
    return ::gethostname(name.data(), name.size() - 1) == 0 && name[0] ? name.data() : "localhost";
}

std::string process_mark() {
    const std::string number = std::to_string(::getpid());
    return host_name() + " " + number + " " + start_time(number);
}

bool is_other_live_process(const std::string& mark) {
    const Fields fields = fields_of(mark);
    return fields.host == host_name() && fields.number != std::to_string(::getpid()) &&
           start_time(fields.number) == fields.started;
}

std::string other_host(const std::string& mark) {
    const std::string host = fields_of(mark).host;
    return host == host_name() ? "" : host;
}

}  // namespace ropelab
