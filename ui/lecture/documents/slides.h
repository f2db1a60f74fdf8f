#pragma once

#include <QByteArray>
#include <QString>
#include <optional>
#include <vector>

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

struct LectureSlide {
    int scene = 0;     // number of the scene, from 1; 0 for the title page
    int step = 0;      // number of the step, from 1; 0 for a page of text
    int steps = 0;     // number of steps of the scene
    QString id;        // of the scene
    QString title;     // heading of the scene, or title of the lecture
    QString question;  // the question in the corner
    QString body;      // Markdown of a page of text
    QString sentence;  // Markdown below the picture
    std::optional<Figure> picture;
    QJsonObject live;  // of the picture: ShownStep::live; empty in a version without answers
    std::optional<LectureQuestion> ask;
    QString answer;                       // Markdown; "" without a question, or without answers
    std::optional<nlohmann::json> truth;  // of a question for a number: ShownStep::truth
    QString notes;                        // Markdown for the lecturer; "" in a version without answers
    QString runs;                         // says where the runs come from
};

/// A title page, one slide per step, and one per text of a scene. Without answers, only the other questions follow the
/// first question of a scene, without pictures, because the steps and the text after a question answer it.
std::vector<LectureSlide> slidesOf(const ShownLecture& lecture, bool hasAnswers = true);
/// Where an answer cannot open on a click, it is on a slide after its question.
std::vector<LectureSlide> withAnswerSlides(const std::vector<LectureSlide>& slides);

PagedPdf slidesPdf(const std::vector<LectureSlide>& slides, const ShownLecture& lecture, Appearance appearance);
/// PNG or SVG; `width` is that of a PNG in pixels.
QByteArray slideBytes(const LectureSlide& slide, const ShownLecture& lecture, LectureDocumentJob::Format format,
                      Appearance appearance, int width);
/// One file that loads nothing else (resources/slides): figures as SVG in the colours of both themes, sliders,
/// questions that are judged, notes in a second window. Answers and notes are not readable in its source. Without
/// JavaScript it is one long page.
QByteArray slidesHtml(const std::vector<LectureSlide>& slides, const ShownLecture& lecture,
                      LectureDocumentJob::Colors colors);

}  // namespace ropelab::ui
