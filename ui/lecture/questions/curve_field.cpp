#include "ui/lecture/questions/answer_field.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/data/json_text.h"
#include "core/lecture/answer.h"
#include "ui/common/scaled.h"
#include "ui/common/text.h"
#include "ui/figure/ticks.h"
#include "ui/lecture/questions/curve_canvas.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;
namespace {

constexpr double kNearPart = 0.05;  // part of the y axis within which a curve that is drawn by hand counts as right
constexpr double kLeastPart = 0.5;  // least part of the right curve's x axis over which a curve must be drawn

AnswerCurve plainCurve(const FigureCurve& curve) {
    return {{curve.x.begin(), curve.x.end()}, {curve.y.begin(), curve.y.end()}};
}

nlohmann::json curveJson(const AnswerCurve& curve) {
    nlohmann::json result = {{"x", curve.x}, {"y", nlohmann::json::array()}};
    for (const double y : curve.y) result["y"].push_back(std::isfinite(y) ? nlohmann::json(y) : nullptr);
    return result;
}

/// Length of an axis in its unit, or in decades.
double heightOf(const Axis& axis) {
    return axis.logarithmic ? std::log10(axis.maximum / axis.minimum) : axis.maximum - axis.minimum;
}

nlohmann::json axisJson(const Axis& axis) {
    return {{"label", axis.label.toStdString()},
            {"unit", axis.unit.toStdString()},
            {"logarithmic", axis.logarithmic},
            {"minimum", axis.minimum},
            {"maximum", axis.maximum}};
}

std::vector<const FigureCurve*> curvesToDraw(const Figure& figure) {
    std::vector<const FigureCurve*> curves;
    if (figure.drawing || figure.map) return curves;
    for (const FigureCurve& curve : figure.curves) {
        if (curve.shape != FigureCurve::Shape::bars && curve.x.size() >= 2) curves.push_back(&curve);
    }
    return curves;
}

/// At most about `most` points, so that the lab does not grow with the resolution of a figure.
AnswerCurve thinned(const AnswerCurve& curve, std::size_t most) {
    const std::size_t step = std::max<std::size_t>(1, curve.x.size() / most);
    AnswerCurve result;
    for (std::size_t i = 0; i < std::min(curve.x.size(), curve.y.size()); i += step) {
        result.x.push_back(curve.x[i]);
        result.y.push_back(curve.y[i]);
    }
    return result;
}

}  // namespace

CurveField::CurveField(const QString& curve, QWidget* parent)
    : AnswerField(parent),
      m_curve(curve),
      m_canvas(new CurveCanvas(this)),
      m_clear(new QPushButton(u"Remove curve"_s, this)) {
    auto* column = scaledColumn(this, 8);
    column->addWidget(m_canvas, 1);
    auto* row = scaledRow(nullptr, 8);
    m_how = new QLabel(u"Draw the curve with the mouse, a pen or the arrow keys."_s, this);
    m_how->setProperty("quiet", true);
    row->addWidget(m_how);
    row->addStretch(1);
    m_clear->setAutoDefault(false);
    row->addWidget(m_clear);
    column->addLayout(row);
    m_clear->setEnabled(false);
    keepSpace(m_clear);  // the canvas keeps its size
    connect(m_clear, &QPushButton::clicked, m_canvas, &CurveCanvas::clearCurve);
    connect(m_canvas, &CurveCanvas::curveChanged, this, [this] {
        m_clear->setEnabled(m_canvas->hasCurve());
        emit changed();
    });
}

const FigureCurve* CurveField::curveOf(const Figure& figure, const QString& name) {
    const auto isNamed = [&](const FigureCurve& curve) {
        return curve.label.contains(name, Qt::CaseInsensitive) || curve.quantity.contains(name, Qt::CaseInsensitive);
    };
    for (const FigureCurve* curve : curvesToDraw(figure)) {
        if (name.isEmpty() ? !curve->companion : isNamed(*curve)) return curve;
    }
    return nullptr;
}

QString CurveField::missingCurve(const std::vector<Figure>& figures, const QString& name) {
    QStringList names;
    for (const Figure& figure : figures) {
        for (const FigureCurve* curve : curvesToDraw(figure)) {
            const QString& known = curve->label.isEmpty() ? curve->quantity : curve->label;
            if (!known.isEmpty() && !names.contains(known)) names << known;
        }
    }
    if (name.isEmpty() || names.isEmpty()) {
        return u"The page of this scene shows no curve that could be drawn; show a figure with curves, such as "
               "context/bound."_s;
    }
    return u"The figure has no curve “%1”; its curves are: %2."_s.arg(name, names.join(u"; "_s));
}

bool CurveField::hasAnswer() const {
    return m_canvas->hasCurve();
}

QWidget* CurveField::focusTarget() {
    return m_canvas;
}

void CurveField::prepare(const AnswerTruth& truth) {
    // What was drawn while the figure was still being computed stays.
    if (!m_canvas->hasAxesOf(truth.figure)) m_canvas->setAxesOf(truth.figure);
}

void CurveField::prepareWith(const Figure& figure) {
    // Only axes with given ends stay as they are while the curves change.
    const auto isGiven = [](const Axis& axis) { return std::isfinite(axis.minimum) && std::isfinite(axis.maximum); };
    if (m_canvas->hasAxes() || !isGiven(figure.x) || !isGiven(figure.y) || !curveOf(figure, m_curve)) return;
    m_canvas->setAxesOf(figure);
    emit changed();
}

bool CurveField::isReady() const {
    return m_canvas->hasAxes();
}

std::vector<AnswerRecord> CurveField::records(const AnswerTruth& truth) const {
    const FigureCurve* right = curveOf(truth.figure, m_curve);
    if (!right) throw BadInput("This figure has no curve that your drawing could be compared with.");
    const AnswerCurve drawn = m_canvas->curve();
    const AnswerCurve known = plainCurve(*right);
    const CurveDistance compared = curve_distance(drawn, known, m_canvas->axes());
    if (!(compared.covered >= kLeastPart)) {
        throw BadInput("Draw the curve over at least half of the x axis.");
    }
    AnswerRecord record;
    record.kind = "curve";
    record.given = curveJson(drawn).dump();
    record.truth = curveJson(thinned(known, 400)).dump();
    const bool inDecades = truth.figure.y.logarithmic;
    const nlohmann::json details = {{"unit", inDecades ? "decades" : truth.figure.y.unit.toStdString()},
                                    {"x", axisJson(m_canvas->figure().x)},
                                    {"y", axisJson(m_canvas->figure().y)},
                                    {"null_distance", compared.null_distance},
                                    {"covered", compared.covered}};
    record.details = details.dump();
    record.distance = compared.distance;
    // A right curve that is nearly horizontal is as near to its mean as a line can be drawn by hand.
    const double byHand = kNearPart * heightOf(m_canvas->figure().y);
    record.right = compared.distance < std::max(compared.null_distance, byHand);
    return {record};
}

QString CurveField::reveal(const AnswerTruth& truth, const std::vector<AnswerRecord>& records) {
    Figure figure = truth.figure;
    const FigureCurve* right = curveOf(truth.figure, m_curve);
    for (std::size_t i = 0; i < figure.curves.size(); ++i) {
        // With it a part of it that has another colour.
        const bool isPart = figure.curves[i].ink.kind == Ink::Kind::error && figure.curves[i].quantity.isEmpty();
        if (&truth.figure.curves[i] != right && !isPart) continue;
        figure.curves[i].emphasis = FigureCurve::Emphasis::picked;
        figure.curves[i].companion = false;  // a secondary curve is thin and dashed
    }
    m_canvas->showTruth(figure);
    m_how->hide();
    m_clear->hide();
    const auto named =
        std::ranges::count(figure.curves, false, [](const FigureCurve& curve) { return curve.quantity.isEmpty(); });
    if (records.empty()) return named == 1 ? u"This is the right curve."_s : u"The thick curve is the right one."_s;
    const nlohmann::json details = parse_bounded(records.front().details);
    const QString unit = text(details.value("unit", std::string()));
    const auto withUnit = [&](double distance) {
        const QString number = readableNumber(distance);
        return unit.isEmpty() ? number : number + QChar(0x00A0) + unit;
    };
    const double covered = details.value("covered", 0.0);
    return u"Mean distance between your curve and the right curve: %1. For comparison, a horizontal line at the right "
           "curve's mean has the distance %2.%3"_s.arg(
               withUnit(records.front().distance), withUnit(details.value("null_distance", 0.0)),
               covered < 0.995
                   ? u" Your curve covers %1 % of the right curve's x range."_s.arg(std::lround(100 * covered))
                   : QString());
}

}  // namespace ropelab::ui
