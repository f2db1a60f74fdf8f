#pragma once

#include <QByteArray>

#include "ui/lecture/documents/document_job.h"
#include "ui/lecture/documents/shown_lecture.h"

namespace ropelab::ui {

struct PagedPdf {
    QByteArray bytes;
    int pages = 0;
};

/// A PDF in the light theme: a title page with the list of scenes, then per scene, on a new page, the text, the picture
/// of the last step, the questions, and with `hasAnswers` their answers.
PagedPdf handoutPdf(const ShownLecture& lecture, LectureDocumentJob::Paper paper, bool hasAnswers);

}  // namespace ropelab::ui
