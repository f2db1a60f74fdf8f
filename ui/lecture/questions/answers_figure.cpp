#include "ui/lecture/questions/answers_figure.h"

#include <QJsonObject>
#include <QObject>
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/error.h"
#include "core/data/json_text.h"
#include "core/stats/proportion.h"
#include "ui/common/text.h"
#include "ui/figure/ticks.h"
#include "ui/session/lab_origin.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;
namespace {

constexpr double kMaxOffset = 0.6;         // width of the points of all groups of a choice, in units of the x axis
constexpr double kLogarithmicRange = 100;  // a larger ratio of the numbers is shown on a logarithmic axis
constexpr int kMostBins = 20;

double perCent(double part, double whole) {
    return 100 * part / whole;
}

FigureCurve errorBar(double x, double low, double high, Ink ink) {
    FigureCurve bar;
    bar.ink = ink;
    bar.x = {x, x};
    bar.y = {low, high};
    bar.dots = false;
    bar.solid = true;
    return bar;
}

void addChoices(Figure& figure, const AnsweredQuestion& question) {
    figure.y = {u"share of answers"_s, u"%"_s};
    figure.y.minimum = 0;
    figure.y.maximum = 100;
    figure.note = u"bars: 95 % confidence interval of the share"_s;
    figure.hasLegend = true;
    const std::vector<std::string> choices = question.choices();
    for (const std::string& choice : choices) {
        const bool isRight = nlohmann::json(choice).dump() == question.truth;
        figure.x.categories << (isRight ? u"%1 (correct)"_s.arg(text(choice)) : text(choice));
    }
    const auto groups = static_cast<int>(question.groups.size());
    const double step = groups > 1 ? kMaxOffset / (groups - 1) : 0;
    for (int g = 0; g < groups; ++g) {
        const AnswerGroup& group = question.groups[static_cast<std::size_t>(g)];
        const Ink ink = Ink::data(g);
        for (std::size_t c = 0; c < choices.size(); ++c) {
            const std::int64_t people = group.people_who_gave(nlohmann::json(choices[c]).dump());
            const Interval interval = clopper_pearson(people, group.people);
            const double x = static_cast<double>(c) + (g - (groups - 1) / 2.0) * step;
            figure.curves.push_back(errorBar(x, 100 * interval.low, 100 * interval.high, ink));
            FigureCurve point;
            // The legend names each group once.
            if (c == 0) point.label = u"%1 (n = %2)"_s.arg(text(group.name)).arg(group.people);
            point.quantity = figure.y.label;
            point.ink = ink;
            point.shape = FigureCurve::Shape::points;
            point.pointPt = 6;
            point.x = {x};
            point.y = {perCent(static_cast<double>(people), static_cast<double>(group.people))};
            figure.curves.push_back(std::move(point));
        }
    }
}

struct GivenNumber {
    double value;
    double people;
};

std::vector<GivenNumber> numbersOf(const AnswerGroup& group) {
    std::vector<GivenNumber> result;
    for (const AnswerRecord& answer : group.answers) {
        const nlohmann::json given = parse_bounded(answer.given);
        if (given.is_number()) result.push_back({given.get<double>(), static_cast<double>(answer.people)});
    }
    return result;
}

QList<double> binEdges(const QList<double>& values, bool isLogarithmic) {
    const auto place = [&](double value) { return isLogarithmic ? std::log10(value) : value; };
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    double first = place(*low);
    double last = place(*high);
    if (!(last > first)) {
        const double extra = isLogarithmic ? 0.1 : std::max(0.5, std::abs(first) * 0.05);
        first -= extra;
        last += extra;
    }
    const int bins =
        std::clamp(static_cast<int>(std::ceil(2 * std::cbrt(static_cast<double>(values.size())))), 1, kMostBins);
    QList<double> edges;
    for (int i = 0; i <= bins; ++i) {
        const double at = first + (last - first) * i / bins;
        edges << (isLogarithmic ? std::pow(10, at) : at);
    }
    return edges;
}

/// In per cent of the people.
FigureCurve outlineOf(const std::vector<GivenNumber>& numbers, const QList<double>& edges, double people) {
    QList<double> shares(edges.size() - 1, 0.0);
    for (const GivenNumber& number : numbers) {
        const auto above = std::upper_bound(edges.begin(), edges.end(), number.value) - edges.begin();
        shares[std::clamp<qsizetype>(above - 1, 0, shares.size() - 1)] += perCent(number.people, people);
    }
    FigureCurve outline;
    outline.dots = false;
    const auto add = [&](double x, double y) {
        outline.x << x;
        outline.y << y;
    };
    add(edges.front(), 0);
    for (qsizetype i = 0; i < shares.size(); ++i) {
        add(edges[i], shares[i]);
        add(edges[i + 1], shares[i]);
    }
    add(edges.back(), 0);
    return outline;
}

void addNumbers(Figure& figure, const AnsweredQuestion& question) {
    const nlohmann::json details = parse_bounded(question.details);
    const nlohmann::json truth = parse_bounded(question.truth);
    figure.x = {u"answer"_s, text(details.value("unit", std::string()))};
    figure.y = {u"share of answers"_s, u"%"_s};
    figure.emptyText = u"No answer to this question is a number, so there is no distribution to show."_s;
    QList<double> values;
    double none = 0;
    for (const AnswerGroup& group : question.groups) {
        double counted = 0;
        for (const GivenNumber& number : numbersOf(group)) {
            values << number.value;
            counted += number.people;
        }
        none += static_cast<double>(group.people) - counted;
    }
    if (none > 0) figure.note = u"answer “none”: %1"_s.arg(none);
    if (values.isEmpty()) return;
    if (truth.is_number()) values << truth.get<double>();
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    figure.x.logarithmic = *low > 0 && *high / *low > kLogarithmicRange;
    const QList<double> edges = binEdges(values, figure.x.logarithmic);
    for (std::size_t g = 0; g < question.groups.size(); ++g) {
        const AnswerGroup& group = question.groups[g];
        FigureCurve outline = outlineOf(numbersOf(group), edges, static_cast<double>(group.people));
        outline.label = u"%1 (n = %2)"_s.arg(text(group.name)).arg(group.people);
        outline.quantity = figure.y.label;
        outline.ink = Ink::data(static_cast<int>(g));
        figure.curves.push_back(std::move(outline));
    }
    figure.y.minimum = 0;
    if (truth.is_number()) {
        figure.verticalLines.push_back(
            {.at = truth.get<double>(), .label = u"right: %1"_s.arg(readableNumber(truth.get<double>()))});
    }
}

QList<double> numbersIn(const nlohmann::json& curve, const char* name) {
    QList<double> result;
    if (!curve.is_object() || !curve.contains(name) || !curve[name].is_array()) return result;
    for (const nlohmann::json& value : curve[name]) {
        result << (value.is_number() ? value.get<double>() : std::numeric_limits<double>::quiet_NaN());
    }
    return result;
}

Axis axisIn(const nlohmann::json& details, const char* name) {
    const nlohmann::json stored = details.value(name, nlohmann::json::object());
    Axis axis;
    axis.label = text(stored.value("label", std::string()));
    axis.unit = text(stored.value("unit", std::string()));
    axis.logarithmic = stored.value("logarithmic", false);
    return axis;
}

FigureCurve curveIn(const std::string& stored) {
    const nlohmann::json json = parse_bounded(stored);
    FigureCurve curve;
    curve.x = numbersIn(json, "x");
    curve.y = numbersIn(json, "y");
    curve.dots = false;
    return curve;
}

void addCurves(Figure& figure, const AnsweredQuestion& question) {
    const nlohmann::json details = parse_bounded(question.details);
    figure.x = axisIn(details, "x");
    figure.y = axisIn(details, "y");
    for (std::size_t g = 0; g < question.groups.size(); ++g) {
        const AnswerGroup& group = question.groups[g];
        for (const AnswerRecord& answer : group.answers) {
            FigureCurve drawn = curveIn(answer.given);
            drawn.quantity = text(group.name);
            // The end of one curve names its group.
            if (&answer == &group.answers.front()) {
                drawn.label = u"%1 (n = %2)"_s.arg(text(group.name)).arg(group.people);
            }
            drawn.ink = Ink::data(static_cast<int>(g));
            figure.curves.push_back(std::move(drawn));
        }
    }
    FigureCurve right = curveIn(question.truth);
    right.label = right.quantity = u"right"_s;
    right.ink = {Ink::Kind::text};
    right.emphasis = FigureCurve::Emphasis::picked;
    figure.curves.push_back(std::move(right));
}

}  // namespace

Figure answersFigure(const AnsweredQuestion& question) {
    Figure figure;
    figure.name = QLatin1String(kAnswersFigure);
    std::int64_t people = 0;
    std::int64_t right = 0;
    for (const AnswerGroup& group : question.groups) {
        people += group.people;
        right += group.right;
    }
    figure.summary =
        u"Answers of a class to the question “%1”: %2 of %3 are right, in %4 groups."_s.arg(text(question.question))
            .arg(right)
            .arg(people)
            .arg(question.groups.size());
    figure.settings = {{u"lecture"_s, text(question.lecture)},
                       {u"scene"_s, text(question.scene)},
                       {u"question"_s, text(question.question)}};
    if (question.kind == "choice") {
        addChoices(figure, question);
    } else if (question.kind == "number") {
        addNumbers(figure, question);
    } else {
        addCurves(figure, question);
    }
    return figure;
}

namespace option {

constexpr FigureOption question{
    "question",
    FigureOption::Kind::whole,
    "The number of the lecture question whose answers are shown; default: the last answered question.",
    "number",
    "0",
    0,
    1e6};

}  // namespace option

static Figure requestedAnswers(const FigureRequest& request) {
    const LabFile& lab = request.sources().lab();
    const std::string path = request.sources().labPath().toStdString();
    const std::vector<AnsweredQuestion> questions = answered_questions(lab.answers());
    const std::int64_t count = std::ssize(questions);
    const std::int64_t chosen = request.whole(option::question);
    if (count == 0) throw BadInput("The lab " + path + " has no answers to questions of lectures.");
    if (chosen > count) {
        throw BadInput("The lab " + path + " has answers to " + std::to_string(count) +
                       " questions, so there is no question " + std::to_string(chosen) +
                       "; \"ropelab-cli lecture answers\" lists them.");
    }
    const std::int64_t number = chosen == 0 ? count : chosen;
    Figure result = answersFigure(questions[static_cast<std::size_t>(number - 1)]);
    result.origin = {.flags = {{option::question.name, QString::number(number)}}, .lab = labOrigin(lab, {})};
    return result;
}

FigureEntries answersEntries() {
    return {{.name = QLatin1String(kAnswersFigure),
             .room = u"results"_s,
             .part = {},
             .options = {&option::question},
             .make = requestedAnswers}};
}

}  // namespace ropelab::ui
