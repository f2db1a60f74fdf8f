#include "ui/lecture/curve_field.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "core/lecture/answer.h"
#include "core/spec/error.h"
#include "ui/common/scaled.h"
#include "ui/common/text.h"
#include "ui/figure/ticks.h"
#include "ui/lecture/curve_canvas.h"

namespace ropelab::ui {
namespace {

constexpr double kLeastPart = 0.5;  // least part of the right curve's x axis over which a curve must be drawn

AnswerCurve plainCurve(const FigureCurve& curve) {
    return {{curve.x.begin(), curve.x.end()}, {curve.y.begin(), curve.y.end()}};
}

nlohmann::json curveJson(const AnswerCurve& curve) {
    nlohmann::json result = {{"x", curve.x}, {"y", nlohmann::json::array()}};
    for (const double y : curve.y) result["y"].push_back(std::isfinite(y) ? nlohmann::json(y) : nullptr);
    return result;
}

nlohmann::json axisJson(const Axis& axis) {
    return {{"label", axis.label.toStdString()},
            {"unit", axis.unit.toStdString()},
            {"logarithmic", axis.logarithmic},
            {"minimum", axis.minimum},
            {"maximum", axis.maximum}};
}

/// Returns at most about `most` points of a curve, so that the lab does not grow with the resolution of a figure.
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

CurveField::CurveField(QWidget* parent)
    : AnswerField(parent), m_canvas(new CurveCanvas(this)), m_clear(new QPushButton(tr("Remove curve"), this)) {
    auto* column = new QVBoxLayout(this);
    scaleLayout(column, {0, 0, 0, 0}, 8);
    column->addWidget(m_canvas, 1);
    auto* row = new QHBoxLayout;
    scaleLayout(row, {0, 0, 0, 0}, 8);
    auto* how = new QLabel(tr("Draw with the mouse, a pen or the arrow keys."), this);
    how->setProperty("quiet", true);
    row->addWidget(how);
    row->addStretch(1);
    m_clear->setAutoDefault(false);
    row->addWidget(m_clear);
    column->addLayout(row);
    m_clear->setEnabled(false);
    connect(m_clear, &QPushButton::clicked, m_canvas, &CurveCanvas::clearCurve);
    connect(m_canvas, &CurveCanvas::curveChanged, this, [this] {
        m_clear->setEnabled(m_canvas->hasCurve());
        emit changed();
    });
}

const FigureCurve* CurveField::curveOf(const Figure& figure) {
    if (figure.drawing || figure.map) return nullptr;
    for (const FigureCurve& curve : figure.curves) {
        if (!curve.companion && curve.shape != FigureCurve::Shape::bars && curve.x.size() > 1) return &curve;
    }
    return nullptr;
}

bool CurveField::hasAnswer() const {
    return m_canvas->hasCurve();
}

QWidget* CurveField::focusTarget() {
    return m_canvas;
}

void CurveField::prepare(const AnswerTruth& truth) {
    m_canvas->setAxesOf(truth.figure);
}

bool CurveField::isReady() const {
    return m_canvas->hasAxes();
}

std::vector<AnswerRecord> CurveField::records(const AnswerTruth& truth) const {
    const FigureCurve* right = curveOf(truth.figure);
    if (!right) throw BadInput("This figure has no curve with which the drawn one could be compared.");
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
    record.right = compared.distance < compared.null_distance;
    return {record};
}

QString CurveField::reveal(const AnswerTruth& truth, const std::vector<AnswerRecord>& records) {
    m_canvas->showTruth(truth.figure);
    m_clear->setEnabled(false);
    if (records.empty()) return tr("This is the curve.");
    const nlohmann::json details = nlohmann::json::parse(records.front().details);
    const QString unit = text(details.value("unit", std::string()));
    const auto withUnit = [&](double distance) {
        const QString number = readableNumber(distance);
        return unit.isEmpty() ? number : number + QChar(0x00A0) + unit;
    };
    const double covered = details.value("covered", 0.0);
    return tr("Mean distance between the drawn and the right curve: %1; of a horizontal line at the right curve's mean: "
              "%2.%3")
        .arg(withUnit(records.front().distance), withUnit(details.value("null_distance", 0.0)),
             covered < 0.995 ? tr(" The drawn curve covers %1 % of the right one.").arg(std::lround(100 * covered))
                             : QString());
}

void CurveField::retry() {
    m_canvas->hideTruth();
    m_clear->setEnabled(m_canvas->hasCurve());
}

}  // namespace ropelab::ui
