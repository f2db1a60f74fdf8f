#include "ui/lecture/course_summary.h"

#include <QObject>

#include "ui/common/text.h"

namespace ropelab::ui {
namespace {

using Grade = CourseProgress::Grade;

QString gradeWords(Grade grade) {
    switch (grade) {
        case Grade::understood:
            return QObject::tr("✓ understood");
        case Grade::withHelp:
            return QObject::tr("✓ understood with help");
        case Grade::wrong:
            return QObject::tr("✗ not yet understood");
        case Grade::unanswered:
            break;
    }
    return QObject::tr("– not answered");
}

struct GradeCount {
    int questions = 0;
    int understood = 0;
    int withHelp = 0;

    void add(Grade grade) {
        ++questions;
        understood += grade == Grade::understood;
        withHelp += grade == Grade::withHelp;
    }
};

QString countWords(const GradeCount& count) {
    return QObject::tr("%1 of %2 questions understood, %3 of them with help.")
        .arg(count.understood + count.withHelp)
        .arg(count.questions)
        .arg(count.withHelp);
}

}  // namespace

std::vector<const LectureQuestion*> questionsOf(const LectureScene& scene) {
    std::vector<const LectureQuestion*> questions;
    for (const LectureStep& step : scene.steps) {
        if (step.ask) questions.push_back(&*step.ask);
    }
    return questions;
}

QString courseSummary(const std::vector<Lecture>& lectures, const CourseProgress& progress) {
    GradeCount all;
    QString parts;
    for (std::size_t l = 0; l < lectures.size(); ++l) {
        const Lecture& lecture = lectures[l];
        GradeCount count;
        QString rows;
        for (std::size_t s = 0; s < lecture.scenes.size(); ++s) {
            const LectureScene& scene = lecture.scenes[s];
            QString grades;
            for (const LectureQuestion* question : questionsOf(scene)) {
                const Grade grade = progress.grade(lecture, scene, *question);
                count.add(grade);
                all.add(grade);
                grades += QStringLiteral("<li>%1: %2</li>")
                              .arg(text(question->text).toHtmlEscaped(), gradeWords(grade));
            }
            if (grades.isEmpty()) continue;
            rows += QStringLiteral("<p><a href=\"scene:%1/%2\">%3</a></p><ul>%4</ul>")
                        .arg(l)
                        .arg(s)
                        .arg(text(scene.title).toHtmlEscaped(), grades);
        }
        parts += QStringLiteral("<h3>%1</h3><p>%2</p>%3").arg(text(lecture.title).toHtmlEscaped(), countWords(count), rows);
    }
    return QStringLiteral("<h2>%1</h2><p>%2</p>").arg(QObject::tr("What you understood"), countWords(all)) + parts;
}

QString sceneMark(const Lecture& lecture, const LectureScene& scene, const CourseProgress& progress) {
    GradeCount count;
    bool isAnswered = false;
    for (const LectureQuestion* question : questionsOf(scene)) {
        const Grade grade = progress.grade(lecture, scene, *question);
        isAnswered = isAnswered || grade != Grade::unanswered;
        count.add(grade);
    }
    if (!isAnswered) return {};
    const int known = count.understood + count.withHelp;
    if (known == count.questions) return QObject::tr("✓ understood");
    return QObject::tr("%1 of %2 understood").arg(known).arg(count.questions);
}

}  // namespace ropelab::ui
