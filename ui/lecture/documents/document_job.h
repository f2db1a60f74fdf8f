#pragma once

#include <QString>
#include <string>

#include "ui/figures/job_fields.h"
#include "ui/theme/theme.h"

namespace ropelab::ui {

/// Passed as JSON to a separate process, because the pictures come from rooms of a window without a display.
struct LectureDocumentJob {
    /// `handout`: a PDF with text, picture, questions and answers per scene. `slides`: one page per step. `check`: no
    /// document; whether the curves exist that the class draws.
    enum class Kind { handout, slides, check };
    /// Format of slides. `png` and `svg` are one file per slide in a folder; `pdf` and `html` are one file.
    enum class Format { png, svg, pdf, html };
    enum class Paper { a4, letter };
    /// Of slides. `automatic`: light, or in HTML those that the reader's system prefers.
    enum class Colors { automatic, light, dark };

    Kind kind = Kind::handout;
    QString lecture;  // a file, or the name of a lecture that belongs to the program
    QString output;   // file, "-" for standard output, or the folder of slides
    /// Answers are at the end of each scene of a handout; slides have them and the steps that follow a question.
    bool hasAnswers = true;
    // Of handouts.
    Paper paper = Paper::a4;
    // Of slides.
    Format format = Format::pdf;
    Colors colors = Colors::automatic;
    int width = 1920;  // of a PNG slide in pixels, 320 to 7680

    Appearance appearance() const { return colors == Colors::dark ? Appearance::dark : Appearance::light; }
    bool isFolder() const { return kind == Kind::slides && (format == Format::png || format == Format::svg); }
};

void visitFields(JobFields& fields, LectureDocumentJob& job);
/// Missing values have their default; the format of slides is that of the suffix of the output, or PNG for a folder.
/// Throws BadInput for unknown keys and values, and if the output does not fit.
LectureDocumentJob parseDocumentJob(const std::string& text);

}  // namespace ropelab::ui
