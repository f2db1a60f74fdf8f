#include "ui/lecture/documents/shown_lecture.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <algorithm>
#include <cmath>

#include "core/lecture/lecture_rooms.h"
#include "core/lecture/quantities/quantity.h"
#include "core/lecture/recorded_lab.h"
#include "ui/common/paths.h"
#include "ui/common/text.h"
#include "ui/lecture/documents/live_figure.h"
#include "ui/lecture/lecture_player.h"
#include "ui/lecture/lecture_words.h"
#include "ui/lecture/questions/answer_field.h"
#include "ui/lecture/stage.h"
#include "ui/shell/room.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

namespace {

int countSteps(const Lecture& lecture) {
    int count = 0;
    for (const LectureScene& scene : lecture.scenes) count += std::max(1, static_cast<int>(scene.steps.size()));
    return count;
}

QString recordOf(const LectureScene& scene) {
    if (!scene.lab.empty()) {
        return u"The runs of this scene come from the recorded lab %1."_s.arg(
            QFileInfo(fromPath(scene.lab)).fileName());
    }
    return scene.live ? u"This scene trains live; its runs are not recorded in a lab file."_s : QString();
}

class LectureWalk {
 public:
    LectureWalk(LectureStage& stage, const Lecture& lecture, const std::function<void()>& settle)
        : m_stage(stage), m_player(stage), m_settle(settle) {
        m_shown.lecture = lecture;
        m_shown.secrets = secrets_of(lecture);
        m_shown.formulas = LectureFormulas(fromPath(lecture.file.parent_path()));
        Lecture recorded = lecture;
        for (LectureScene& scene : recorded.scenes) {
            scene.live.reset();
            for (LectureStep& step : scene.steps) {
                if (!step.point.starts_with("pair ")) step.point.clear();  // nothing else is pointed at on paper
                std::erase_if(step.set, [](const LectureChange& change) { return change.key == "play"; });
            }
        }
        m_player.setLecture(std::move(recorded));
        QObject::connect(&m_player, &LecturePlayer::problem, &m_player,
                         [this](const QString& sentence) { addProblem(sentence); });
    }

    bool show(const StepProgress& progress) {
        const int all = countSteps(m_shown.lecture);
        int done = 0;
        for (std::size_t i = 0; i < m_shown.lecture.scenes.size(); ++i) {
            const LectureScene& scene = m_shown.lecture.scenes[i];
            m_part = scene.part;
            m_player.goTo(static_cast<int>(i), -1);
            m_player.finishGlides();
            m_shown.scenes.push_back({scene, {}, {}, recordOf(scene)});
            if (!scene.find.empty()) {
                m_shown.scenes.back().found = text(scene.find) + u" = "_s + valueOf(scene.find);
            }
            for (const LectureStep& step : scene.steps) {
                if (!progress(done++, all)) return false;
                m_player.next();
                m_player.finishGlides();
                takeStep(step);
            }
            if (scene.steps.empty()) {
                if (!progress(done++, all)) return false;
                takeStep({});
            }
            noteMissingPictures();
        }
        return progress(all, all);
    }

    ShownLecture take() { return std::move(m_shown); }

 private:
    void takeStep(const LectureStep& step) {
        ShownStep shown{step, std::nullopt, {}, std::nullopt, {}};
        const LectureScene& scene = m_shown.scenes.back().scene;
        if (!scene.room.empty()) {
            m_settle();
            for (const LectureChange& change : step.set) {
                if (change.key == "room") m_part = lecture_view(change.value).part;
            }
            try {
                // Of a whole page, its first figure is the one that the window shows largest.
                Room& room = m_stage.room();
                if (room.hasFigure())
                    shown.picture = m_part.empty() ? room.exportedFigures().front() : room.exportedFigure();
            } catch (const std::exception& error) {
                addProblem(QString::fromUtf8(error.what()));
            }
            if (shown.picture && isEmpty(*shown.picture)) shown.picture.reset();
            if (shown.picture) {
                shown.live = liveFigure(*shown.picture, m_stage.setups(), m_stage.room(), scene.controls);
            }
            if (asks_for_curve(scene)) takeCurve(step);
        }
        shown.step.say = filledText(step.say, m_stage).toStdString();
        if (step.ask) shown.step.ask->answer = filledText(step.ask->answer, m_stage).toStdString();
        if (step.ask && !step.ask->quantity.empty()) shown.value = valueOf(step.ask->quantity, &shown.truth);
        m_shown.scenes.back().steps.push_back(std::move(shown));
    }

    void noteMissingPictures() {
        const ShownScene& shown = m_shown.scenes.back();
        const auto hasPicture = [](const ShownStep& step) { return step.picture.has_value(); };
        const bool trainsLive = shown.scene.live && shown.scene.lab.empty();
        if (shown.scene.room.empty() || trainsLive || std::any_of(shown.steps.begin(), shown.steps.end(), hasPicture)) {
            return;
        }
        m_shown.notes << u"Scene %1 (%2) has no picture, because its page has no figure."_s.arg(m_shown.scenes.size())
                             .arg(text(shown.scene.id));
    }

    void takeCurve(const LectureStep& step) {
        if (!step.ask || step.ask->kind != LectureQuestion::Kind::curve) return;
        const QString name = text(step.ask->curve);
        const std::vector<Figure> figures = m_stage.figures();
        const bool isThere = std::any_of(figures.begin(), figures.end(),
                                         [&](const Figure& figure) { return CurveField::curveOf(figure, name); });
        const QString problem = isThere ? QString() : CurveField::missingCurve(figures, name);
        m_shown.drawn.push_back({text(m_shown.scenes.back().scene.id), step.ask->line, problem});
        if (!isThere) addProblem(u"line %1: %2"_s.arg(step.ask->line).arg(problem));
    }

    QString valueOf(const std::string& expression, std::optional<nlohmann::json>* truth = nullptr) {
        const LectureScene& scene = m_shown.scenes.back().scene;
        const auto told = [truth](const nlohmann::json& value) {
            if (truth && (value.is_number() || value.is_null())) *truth = value;
            return quantityValueText(value);
        };
        try {
            if (!scene.room.empty()) {
                return told(evaluate_quantity(expression, {m_stage.setups(), m_stage.lab()}));
            }
            // The stage shows nothing of a page of text.
            std::optional<RecordedLab> lab;
            if (!scene.lab.empty()) lab.emplace(scene.lab);
            return told(evaluate_quantity(expression, {scene.setup, lab ? &lab->lab() : nullptr}));
        } catch (const std::exception& error) {
            if (scene.live && scene.lab.empty()) return u"(this value depends on the live training)"_s;
            addProblem(QString::fromUtf8(error.what()));
            return u"(not computed)"_s;
        }
    }

    void addProblem(const QString& sentence) {
        const int scene = m_player.scene();
        const QString words = scene < 0
                                  ? sentence
                                  : u"Scene %1 (%2): %3"_s.arg(scene + 1).arg(
                                        text(m_shown.lecture.scenes[static_cast<std::size_t>(scene)].id), sentence);
        if (!m_shown.problems.contains(words)) m_shown.problems << words;
    }

    LectureStage& m_stage;
    LecturePlayer m_player;
    const std::function<void()>& m_settle;
    std::string m_part;  // of the room that is shown; "" for a whole room
    ShownLecture m_shown;
};

}  // namespace

std::optional<ShownLecture> showLecture(LectureStage& stage, const Lecture& lecture,
                                        const std::function<void()>& settle, const StepProgress& progress) {
    stage.begin();
    LectureWalk walk(stage, lecture, settle);
    const bool isComplete = walk.show(progress);
    stage.end();
    if (!isComplete) return std::nullopt;
    return walk.take();
}

Figure emptyAxes(const Figure& figure) {
    Figure result;
    result.name = figure.name;
    result.x = figure.x;
    result.y = figure.y;
    const Range x = xRange(figure);
    const Range y = yRange(figure);
    result.x.minimum = x.minimum;
    result.x.maximum = x.maximum;
    result.y.minimum = y.minimum;
    result.y.maximum = y.maximum;
    // A curve without values, because a figure without curves has no numbers on its y axis.
    FigureCurve blank;
    blank.x = {x.minimum, x.maximum};
    blank.y = {std::nan(""), std::nan("")};
    blank.dots = false;
    result.curves.push_back(blank);
    result.summary = u"Empty axes."_s;
    return result;
}

bool hidesCurve(const ShownScene& scene, std::size_t step) {
    const auto draws = [&](std::size_t index) {
        const auto& ask = scene.steps[index].step.ask;
        return ask && ask->kind == LectureQuestion::Kind::curve;
    };
    return draws(step) || (step + 1 < scene.steps.size() && draws(step + 1));
}

bool tellsAnswer(const ShownLecture& lecture, std::size_t scene, const QString& words) {
    return std::any_of(lecture.secrets.begin(), lecture.secrets.end(), [&](const LectureSecret& secret) {
        return secret.scene != scene && !secret.given_away_by(words.toStdString()).empty();
    });
}

bool showsAnswer(const ShownLecture& lecture, std::size_t scene, std::size_t step) {
    const std::vector<LectureSight> sights = sights_of(lecture.scenes[scene].scene);
    const auto& picture = lecture.scenes[scene].steps[step].picture;
    if (picture && tellsAnswer(lecture, scene, picture->summary)) return true;
    return step < sights.size() &&
           std::any_of(lecture.secrets.begin(), lecture.secrets.end(), [&](const LectureSecret& secret) {
               return secret.scene != scene && secret.is_shown_by(sights[step]);
           });
}

QString factsOf(const Lecture& lecture) {
    QStringList facts;
    if (!lecture.author.empty()) facts << text(lecture.author);
    if (lecture.minutes > 0) facts << u"%1 minutes"_s.arg(lecture.minutes);
    return facts.join(u" · "_s);
}

QString answerText(const ShownStep& step) {
    const LectureQuestion& ask = *step.step.ask;
    QString answer;
    if (ask.kind == LectureQuestion::Kind::choice && ask.right < static_cast<int>(ask.choices.size())) {
        const auto right = static_cast<std::size_t>(ask.right);
        answer = u"**%1)** %2"_s.arg(choiceLetter(right), text(ask.choices[right]));
    } else if (ask.kind == LectureQuestion::Kind::number) {
        answer = u"**%1**"_s.arg(step.value);
    }
    if (ask.answer.empty()) return answer;
    return answer.isEmpty() ? text(ask.answer) : answer + u"\n\n"_s + text(ask.answer);
}

QString choiceLetter(std::size_t index) {
    return QString(QChar(u'a' + static_cast<char16_t>(index)));
}

}  // namespace ropelab::ui
