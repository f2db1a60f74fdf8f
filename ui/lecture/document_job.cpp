#include "ui/lecture/document_job.h"

#include <QFileInfo>
#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/data/json_text.h"
#include "core/spec/error.h"
#include "core/spec/numbers.h"
#include "core/store/output_file.h"
#include "ui/common/paths.h"
#include "ui/common/text.h"

namespace ropelab::ui {

namespace {

using DocumentJson = nlohmann::json;
using DocumentJob = LectureDocumentJob;

constexpr std::array<const char*, 2> kDocumentKinds = {"handout", "slides"};
constexpr std::array<const char*, 4> kSlideFormats = {"png", "svg", "pdf", "html"};
constexpr std::array<const char*, 2> kPapers = {"a4", "letter"};
constexpr std::array<const char*, 2> kDocumentThemes = {"light", "dark"};
constexpr int kLeastWidth = 320;
constexpr int kMostWidth = 7680;

template <std::size_t n>
std::optional<int> documentIndex(const std::array<const char*, n>& names, const std::string& value) {
    const auto found = std::find_if(names.begin(), names.end(), [&](const char* name) { return value == name; });
    if (found == names.end()) return std::nullopt;
    return static_cast<int>(found - names.begin());
}

/// 0 if the job does not have the key.
template <std::size_t n>
int documentChoice(const DocumentJson& json, const char* key, const std::array<const char*, n>& names) {
    const auto found = json.find(key);
    if (found == json.end()) return 0;
    const std::string value = found->is_string() ? found->get<std::string>() : found->dump();
    if (const auto index = documentIndex(names, value)) return *index;
    std::string known;
    for (std::size_t i = 0; i < n; ++i) known += (i == 0 ? "" : i + 1 < n ? ", " : " or ") + std::string(names[i]);
    throw BadInput("The " + std::string(key) + " is \"" + value + "\", but it must be " + known + ".");
}

QString documentText(const DocumentJson& json, const char* key) {
    const auto found = json.find(key);
    return found == json.end() || !found->is_string() ? QString() : text(found->get<std::string>());
}

int documentWidth(const DocumentJson& json, int usual) {
    const auto found = json.find("width");
    if (found == json.end()) return usual;
    const double width = found->is_number() ? found->get<double>() : std::nan("");
    if (width >= kLeastWidth && width <= kMostWidth && width == std::floor(width)) return static_cast<int>(width);
    throw BadInput("The width is " + (found->is_number() ? number_text(width) : found->dump()) +
                   ", but it must be a whole number of pixels from " + std::to_string(kLeastWidth) + " to " +
                   std::to_string(kMostWidth) + ".");
}

/// That of the job, else that of the suffix of the output, else PNG for a folder.
DocumentJob::Format slideFormat(const DocumentJson& json, const DocumentJob& job) {
    const std::string output = job.output.toStdString();
    const auto bySuffix = documentIndex(kSlideFormats, QFileInfo(job.output).suffix().toLower().toStdString());
    const bool isStream = is_standard_output(toPath(job.output));
    if (!json.contains("format") && isStream) {
        throw BadInput("Standard output has no suffix that names the format; add --format pdf or html.");
    }
    const auto format = json.contains("format")
                            ? static_cast<DocumentJob::Format>(documentChoice(json, "format", kSlideFormats))
                            : static_cast<DocumentJob::Format>(bySuffix.value_or(0));
    const bool isFolder = format == DocumentJob::Format::png || format == DocumentJob::Format::svg;
    const std::string name = kSlideFormats[static_cast<std::size_t>(format)];
    if (isFolder && (bySuffix || isStream)) {
        throw BadInput("Slides in the format " + name +
                       " are one file per step, so the output must be a folder, but it is \"" + output + "\".");
    }
    if (!isFolder && bySuffix && *bySuffix != static_cast<int>(format)) {
        throw BadInput("The format is " + name + ", but the output is \"" + output +
                       "\"; leave out the format, or change the suffix.");
    }
    if (!isFolder && QFileInfo(job.output).isDir()) {
        throw BadInput("Slides in the format " + name + " are one file, but \"" + output + "\" is a folder.");
    }
    return format;
}

void checkHandoutOutput(const QString& output) {
    const QString suffix = QFileInfo(output).suffix().toLower();
    if (suffix == QLatin1String("pdf") || is_standard_output(toPath(output))) return;
    if (suffix.isEmpty() && !QFileInfo(output).isFile() && QFileInfo::exists(output) && !QFileInfo(output).isDir()) {
        return;  // a FIFO or a device
    }
    throw BadInput("A handout is a PDF, so its output must end in .pdf or be -, but it is \"" + output.toStdString() +
                   "\".");
}

void refuseUnknownKeys(const DocumentJson& json) {
    constexpr std::array<const char*, 8> keys = {"kind",  "lecture", "output", "answers",
                                                 "paper", "format",  "theme",  "width"};
    for (const auto& [key, value] : json.items()) {
        if (!documentIndex(keys, key)) throw BadInput("A document of a lecture has no key \"" + key + "\".");
    }
}

}  // namespace

std::string documentJobText(const LectureDocumentJob& job) {
    DocumentJson json{{"kind", kDocumentKinds[static_cast<std::size_t>(job.kind)]},
                      {"lecture", job.lecture.toStdString()},
                      {"output", job.output.toStdString()},
                      {"answers", job.hasAnswers}};
    if (job.kind == DocumentJob::Kind::handout) {
        json["paper"] = kPapers[static_cast<std::size_t>(job.paper)];
    } else {
        json["format"] = kSlideFormats[static_cast<std::size_t>(job.format)];
        json["theme"] = kDocumentThemes[job.appearance == Appearance::dark ? 1 : 0];
        json["width"] = job.width;
    }
    return json.dump(-1, ' ', false, DocumentJson::error_handler_t::replace);
}

LectureDocumentJob parseDocumentJob(const std::string& text) {
    const DocumentJson json = parse_bounded(text, nullptr, false);
    if (!json.is_object()) throw BadInput("A document of a lecture must be a JSON object, but it is \"" + text + "\".");
    refuseUnknownKeys(json);
    DocumentJob job;
    job.kind = static_cast<DocumentJob::Kind>(documentChoice(json, "kind", kDocumentKinds));
    job.lecture = documentText(json, "lecture");
    job.output = documentText(json, "output");
    if (job.lecture.isEmpty()) throw BadInput("A document of a lecture requires the lecture.");
    if (job.output.isEmpty()) throw BadInput("A document of a lecture requires an output.");
    job.hasAnswers = json.value("answers", DocumentJson(true)) != DocumentJson(false);
    job.paper = static_cast<DocumentJob::Paper>(documentChoice(json, "paper", kPapers));
    job.appearance = documentChoice(json, "theme", kDocumentThemes) == 1 ? Appearance::dark : Appearance::light;
    job.width = documentWidth(json, job.width);
    if (job.kind == DocumentJob::Kind::slides) {
        job.format = slideFormat(json, job);
    } else {
        checkHandoutOutput(job.output);
    }
    return job;
}

}  // namespace ropelab::ui
