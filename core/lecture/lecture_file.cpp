#include <unistd.h>

#include <algorithm>
#include <array>
#include <set>

#include "core/lecture/lecture.h"
#include "core/lecture/lecture_scene.h"
#include "core/spec/error.h"
#include "core/spec/numbers.h"
#include "core/data/read_file.h"

namespace ropelab {

namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 3> front_keys = {"title", "minutes", "author"};

void read_front(const LectureSections& parts, const LectureSource& source, Lecture& lecture) {
    const LecturePlace first{source.name, parts.front_line};
    const YamlNode node = parse_yaml(parts.front, first);
    const YamlMapping front(node, first, "front matter", front_keys);
    lecture.title = front.text("title");
    lecture.author = front.text("author");
    lecture.minutes = front.number("minutes", 0);
    lecture.text = parts.text;
    if (lecture.title.empty()) first.fail("The lecture has no title; add \"title: …\" to the front matter.");
    if (lecture.minutes < 0 || lecture.minutes > 1440) {
        front.place_of("minutes").fail("\"minutes\" must be between 0 and 1440.");
    }
}

/// Returns the folders in which the lectures of the program may be, in order.
std::vector<fs::path> lecture_folders() {
    std::vector<fs::path> folders;
    std::error_code error;
    const fs::path program = fs::read_symlink("/proc/self/exe", error);
    if (error) return folders;
    // In a build folder, tests are in other folders than programs, so the parent folders are searched too.
    for (fs::path folder = program.parent_path(); folder.has_relative_path(); folder = folder.parent_path()) {
        folders.push_back(folder / "share" / "ropelab" / "lectures");
        folders.push_back(folder / "resources" / "lectures");
    }
    return folders;
}

/// Returns the rank of a lecture in the course; others follow in alphabetical order.
std::size_t course_rank(const std::string& name) {
    static constexpr std::array<std::string_view, 3> course = {"clocks", "theta-and-fraction", "two-papers"};
    return static_cast<std::size_t>(std::find(course.begin(), course.end(), name) - course.begin());
}

/// Returns the path of a lecture that a user names by its file or, if it belongs to the program, by its name.
fs::path found_lecture(const fs::path& named) {
    std::error_code error;
    if (fs::exists(named, error) || named.has_parent_path() || named.has_extension()) return named;
    std::vector<ShippedLecture> shipped = shipped_lectures();
    std::vector<std::string_view> names;
    for (const ShippedLecture& each : shipped) {
        if (each.name == named.string()) return each.file;
        names.push_back(each.name);
    }
    const std::string sentence = "There is no lecture \"" + shortened(named.string()) + "\"";
    if (names.empty()) throw BadInput(sentence + "; name a file.");
    throw BadInput(sentence + "; did you mean " + nearest(shortened(named.string()), names) + "?");
}

std::string lecture_bytes(const fs::path& file) {
    std::error_code error;
    if (!fs::exists(file, error)) throw BadInput("There is no file " + file.string() + ".");
    return read_regular_file(file, most_lecture_bytes);
}

}  // namespace

Lecture parse_lecture(std::string_view text, const fs::path& file) {
    const LectureSource source{file.string(), file.parent_path()};
    const LectureSections parts = split_lecture(text, source.name);
    Lecture lecture;
    lecture.file = file;
    read_front(parts, source, lecture);
    std::set<std::string> ids;
    for (const LectureSection& section : parts.sections) {
        const LectureScene& scene = lecture.scenes.emplace_back(parse_scene(section, source));
        if (!ids.insert(scene.id).second) {
            LecturePlace{source.name, scene.line}.fail("Two scenes have the id \"" + scene.id +
                                                       "\"; give one of them another id (\"id: …\").");
        }
    }
    if (lecture.scenes.empty()) {
        LecturePlace{source.name, 1}.fail("The lecture has no scene; begin one with a heading \"## Title\".");
    }
    return lecture;
}

Lecture load_lecture(const fs::path& file) {
    const fs::path found = found_lecture(file);
    return parse_lecture(lecture_bytes(found), found);
}

std::vector<ShippedLecture> shipped_lectures() {
    std::error_code error;
    std::vector<ShippedLecture> lectures;
    for (const fs::path& folder : lecture_folders()) {
        if (!fs::is_directory(folder, error)) continue;
        for (const auto& entry : fs::directory_iterator(folder, error)) {
            const fs::path& file = entry.path();
            if (file.extension() != ".md" || file.stem() == "README") continue;
            lectures.push_back({file.stem().string(), file});
        }
        if (!lectures.empty()) break;
    }
    std::sort(lectures.begin(), lectures.end(), [](const ShippedLecture& a, const ShippedLecture& b) {
        return std::pair(course_rank(a.name), a.name) < std::pair(course_rank(b.name), b.name);
    });
    return lectures;
}

}  // namespace ropelab
