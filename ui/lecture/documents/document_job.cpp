#include "ui/lecture/documents/document_job.h"

#include <QFileInfo>
#include <algorithm>
#include <array>
#include <optional>

#include "core/base/error.h"
#include "core/store/output_file.h"
#include "ui/common/paths.h"
#include "ui/figures/job_fields.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

namespace {

using DocumentJob = LectureDocumentJob;

constexpr std::array kDocumentKinds = {"handout", "slides", "check"};
constexpr std::array kSlideFormats = {"png", "svg", "pdf", "html"};
constexpr std::array kPapers = {"a4", "letter"};
constexpr std::array kDocumentThemes = {"automatic", "light", "dark"};

/// That of the job, else that of the suffix of the output, else PNG for a folder.
DocumentJob::Format slideFormat(JobFields& fields, const DocumentJob& job) {
    const std::string output = job.output.toStdString();
    const std::string suffix = QFileInfo(job.output).suffix().toLower().toStdString();
    const auto known = std::find(kSlideFormats.begin(), kSlideFormats.end(), suffix);
    const auto bySuffix = known == kSlideFormats.end() ? std::nullopt : std::optional(known - kSlideFormats.begin());
    const bool isChosen = fields.find("format") != nullptr;
    const bool isStream = is_standard_output(toPath(job.output));
    if (!isChosen && isStream) {
        throw BadInput("Standard output has no suffix that names the format; add --format pdf or html.");
    }
    auto format = static_cast<DocumentJob::Format>(isChosen ? 0 : bySuffix.value_or(0));
    fields.choice("format", format, kSlideFormats);
    const bool isFolder = format == DocumentJob::Format::png || format == DocumentJob::Format::svg;
    const std::string name = kSlideFormats[static_cast<std::size_t>(format)];
    if (isFolder && (bySuffix || isStream)) {
        throw BadInput("Slides in the format " + name +
                       " are one file per step, so the output must be a folder, but it is \"" + output + "\".");
    }
    if (!isFolder && bySuffix && *bySuffix != static_cast<std::ptrdiff_t>(format)) {
        throw BadInput("The format of the slides is " + name + ", but the output is \"" + output +
                       "\"; leave out the format, or change the suffix.");
    }
    if (!isFolder && QFileInfo(job.output).isDir()) {
        throw BadInput("Slides in the format " + name + " are one file, but \"" + output + "\" is a folder.");
    }
    return format;
}

void checkHandoutOutput(const QString& output) {
    const QString suffix = QFileInfo(output).suffix().toLower();
    if (suffix == "pdf"_L1 || is_standard_output(toPath(output))) return;
    if (suffix.isEmpty() && !QFileInfo(output).isFile() && QFileInfo::exists(output) && !QFileInfo(output).isDir()) {
        return;  // a FIFO or a device
    }
    throw BadInput("A handout is a PDF, so its output must end in .pdf or be -, but it is \"" + output.toStdString() +
                   "\".");
}

}  // namespace

void visitFields(JobFields& fields, DocumentJob& job) {
    fields.choice("kind", job.kind, kDocumentKinds);
    fields.text("lecture", job.lecture);
    fields.text("output", job.output);
    fields.flag("answers", job.hasAnswers);
    fields.choice("paper", job.paper, kPapers);
    fields.choice("theme", job.colors, kDocumentThemes);
    fields.whole("width", job.width, 320, 7680);
    if (fields.isWriting()) {
        if (job.kind == DocumentJob::Kind::slides) fields.choice("format", job.format, kSlideFormats);
    } else if (job.kind == DocumentJob::Kind::slides && !job.output.isEmpty()) {
        job.format = slideFormat(fields, job);
    } else {
        fields.find("format");
    }
}

LectureDocumentJob parseDocumentJob(const std::string& text) {
    const auto job = readJob<DocumentJob>(text, "A document of a lecture");
    if (job.lecture.isEmpty())
        throw BadInput(
            "A handout or slides require a lecture: its file, or the name of one that comes with the program.");
    if (job.output.isEmpty())
        throw BadInput("A handout or slides require an output: the path of the file or folder to write.");
    if (job.kind == DocumentJob::Kind::handout) checkHandoutOutput(job.output);
    return job;
}

}  // namespace ropelab::ui
