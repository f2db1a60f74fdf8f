#include "ui/rotary/comparison.h"

#include <QApplication>
#include <QButtonGroup>
#include <QClipboard>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "ui/common/scaled.h"
#include "ui/controls/fields.h"
#include "ui/controls/flow_layout.h"
#include "ui/figure/ticks.h"
#include "ui/session/rotary_model.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;
namespace {

constexpr std::size_t kMostEarlier = 10;  // setups of the undo history in the menu

QString lineOf(const RotarySetup& setup) {
    return QString::fromStdString(text_of(setup));
}

}  // namespace

ComparedNames comparedNames(const ShapedSetup& a, const ShapedSetup& b, bool editsB) {
    const SetupNames names = setupNames(a, b);
    return {names.a, names.b, editsB};
}

Figure comparedFigure(const Figure& figureA, const Figure& figureB, const ShapedSetup& a, const ShapedSetup& b,
                      bool editsB) {
    Figure figure = compareFigures(figureA, figureB, comparedNames(a, b, editsB));
    figure.settings.insert(u"setup"_s, QString::fromStdString(setups_text({a.setup, b.setup})));
    return figure;
}

QString letteredValues(const QString& a, const QString& b) {
    return u"A %1 · B %2"_s.arg(a, b);
}

QString letteredSentences(const QString& a, const QString& b) {
    return a == b ? a : u"A: %1\nB: %2"_s.arg(a, b);
}

QString quotientText(const QString& quantity, double a, double b) {
    const double quotient = b / a;
    return std::isfinite(quotient) ? u"%1: B / A = %2"_s.arg(quantity, readableNumber(quotient)) : QString();
}

std::optional<FigureView::Readout> letteredReadout(const std::optional<FigureView::Readout>& a,
                                                   const std::optional<FigureView::Readout>& b) {
    if (!a && !b) return std::nullopt;
    FigureView::Readout both = a ? *a : *b;
    both.rows.clear();
    if (a && b && a->title != b->title) both.title = letteredValues(a->title, b->title);
    QList<FigureView::ReadoutRow> rest = b ? b->rows : QList<FigureView::ReadoutRow>();
    for (const FigureView::ReadoutRow& row : a ? a->rows : QList<FigureView::ReadoutRow>()) {
        const auto same = std::find_if(rest.begin(), rest.end(),
                                       [&](const FigureView::ReadoutRow& other) { return other.label == row.label; });
        if (same == rest.end()) {
            both.rows.append({row.label, u"A "_s + row.value});
            continue;
        }
        both.rows.append({row.label, letteredValues(row.value, same->value)});
        rest.erase(same);
    }
    for (const FigureView::ReadoutRow& row : rest) both.rows.append({row.label, u"B "_s + row.value});
    return both;
}

ComparisonBar::ComparisonBar(RotaryModel& model, QWidget* parent) : QWidget(parent), m_model(model) {
    setAccessibleName(u"Comparison of two setups"_s);
    auto* column = scaledColumn(this, 4);
    m_names = makeNote(this);
    m_names->setAccessibleName(u"Compared setups"_s);
    column->addWidget(m_names);
    auto* choices = new QWidget(this);
    auto* row = scaledRow(choices, 4);
    auto* group = new QButtonGroup(choices);
    m_a =
        addToggle(row, group, u"Edit A"_s, u"Edit setup A"_s, u"Changes in the fields and figures apply to setup A."_s);
    m_b =
        addToggle(row, group, u"Edit B"_s, u"Edit setup B"_s, u"Changes in the fields and figures apply to setup B."_s);
    connect(m_a, &QToolButton::clicked, this, [this] { m_model.edit(false); });
    connect(m_b, &QToolButton::clicked, this, [this] { m_model.edit(true); });
    m_swap = new QPushButton(u"Swap"_s, this);
    m_swap->setToolTip(u"Exchanges setup A and setup B."_s);
    connect(m_swap, &QPushButton::clicked, &m_model, &RotaryModel::swapSetups);
    m_end = new QPushButton(u"End comparison"_s, this);
    m_end->setToolTip(u"Ends the comparison: keeps the setup that is being edited and removes the other one."_s);
    connect(m_end, &QPushButton::clicked, &m_model, &RotaryModel::endComparison);
    auto* buttons = new QWidget(this);
    auto* flow = new FlowLayout(buttons);
    scaleLayout(flow, {0, 0, 0, 0}, 4);
    for (QWidget* each : QWidgetList{choices, m_swap, m_end}) flow->addWidget(each);
    column->addWidget(buttons);
    connect(&m_model, &RotaryModel::changed, this, &ComparisonBar::renew);
    renew();
}

void ComparisonBar::renew() {
    const auto b = m_model.setupB();
    setVisible(b.has_value());
    if (!b) {
        m_names->clear();
        return;
    }
    m_names->setText(comparedNames(m_model.setupA(), *b).titleOfBoth(u"\n"_s));
    m_names->setToolTip(QString::fromStdString(setups_text(m_model.setups())));
    (m_model.editsB() ? m_b : m_a)->setChecked(true);
}

QPushButton* ComparisonBar::makeButton(QWidget* parent) {
    auto* button = new QPushButton(u"Compare"_s, parent);
    button->setAccessibleName(u"Compare with another setup"_s);
    button->setToolTip(
        u"Shows a second rotary setup beside the current one in all figures and tables: a copy, an earlier setup of "
        "the undo history, the setup in the clipboard, or that of a known model."_s);
    auto* menu = new QMenu(button);
    connect(menu, &QMenu::aboutToShow, this, [this, menu] { fill(*menu); });
    button->setMenu(menu);
    return button;
}

void ComparisonBar::fill(QMenu& menu) {
    menu.clear();
    const auto compare = [this](const ShapedSetup& setup) { m_model.compareWith(u"compare two setups"_s, setup); };
    menu.addAction(u"Compare with a copy of this setup"_s, this, [this, compare] {
        compare({m_model.setup(), m_model.shape()});
        m_model.edit(true);
    });
    const std::vector<RotaryModel::Earlier> earlier = m_model.earlierSetups(kMostEarlier);
    QAction* previous = menu.addAction(u"Compare with the previous setup"_s);
    previous->setEnabled(!earlier.empty());
    QMenu* list = menu.addMenu(u"Compare with an earlier setup"_s);
    list->setEnabled(!earlier.empty());
    if (!earlier.empty()) {
        connect(previous, &QAction::triggered, this, [compare, setup = earlier.front().setup] { compare(setup); });
    }
    for (const RotaryModel::Earlier& each : earlier) {
        const QString& name = each.setup.shape.name;
        const QString title = name.isEmpty() ? lineOf(each.setup.setup) : name;
        list->addAction(u"%1 (before “%2”)"_s.arg(title, each.replacedBy), this,
                        [compare, setup = each.setup] { compare(setup); });
    }
    menu.addAction(u"Compare with the setup in the clipboard"_s, this, &ComparisonBar::compareWithClipboard);
    menu.addAction(u"Compare with a known model …"_s, &m_model, &RotaryModel::modelsRequested);
}

void ComparisonBar::compareWithClipboard() {
    try {
        ModelShape shape = m_model.shape();
        shape.name.clear();
        m_model.compareWith(u"compare two setups"_s,
                            {parse_setup(QApplication::clipboard()->text().toStdString()), shape});
    } catch (const BadInput& error) {
        emit problem(QString::fromStdString(error.what()));
    }
}

}  // namespace ropelab::ui

#include "moc_comparison.cpp"
