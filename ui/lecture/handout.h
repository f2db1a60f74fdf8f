#pragma once

#include <QByteArray>

#include "ui/lecture/document_job.h"
#include "ui/lecture/shown_lecture.h"

namespace ropelab::ui {

/// A PDF and the number of its pages.
struct PagedPdf {
    QByteArray bytes;
    int pages = 0;
};

/// Returns the handout of a lecture as a PDF in the light theme: a title page with the list of scenes, then per scene
/// the text, the picture of the last step, the questions, and with `hasAnswers` their answers. Each scene begins a
/// page.
PagedPdf handoutPdf(const ShownLecture& lecture, LectureDocumentJob::Paper paper, bool hasAnswers);

}  // namespace ropelab::ui
