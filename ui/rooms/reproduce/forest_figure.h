#pragma once

#include <QString>
#include <QWidget>
#include <span>
#include <string>
#include <vector>

#include "core/reproduce/rules/evaluate.h"
#include "ui/figures/figure_entry.h"

class QComboBox;
class QScrollArea;

namespace ropelab::ui {

class FigureView;
class RunStore;

inline constexpr const char* kForestPlot = "forest-plot";

/// For each row with a baseline the effect of this lab with its interval, the range of the rule as a band, the paper's
/// value as a vertical mark, and the verdict as a mark that the note explains. Rows are grouped by claim and measure,
/// in the plan's order, and named by the settings in which the rows of their claim differ. `claim`: id of the claim
/// that is shown; "" for all. Effects of one claim are in percent: differences and ratios in percent of the baseline's
/// mean, proportions in percent of the runs. Effects of several claims are multiples of the margin of the row's rule
/// (half the width of its range) from the middle of the range, so that the range ends at ±1 in every row and small
/// effects stay readable beside large ones; a row whose rule has no range is then shown without its effect. The
/// figure's table has both. With `namesClaims`, the note has the words of each claim. Figure::heightMm is the height at
/// which every row can be read.
Figure forestFigure(const SheetPlan& plan, std::span<const SheetRow> rows, const std::string& claim = {},
                    bool namesClaims = true);
/// All runs of the lab, and the claim unless it is "".
FigureOrigin forestOrigin(const LabFile& lab, const RunStore& runs, const QString& claim);

/// forest-plot, of the newest sheet of a lab.
FigureEntries reproduceEntries();

/// The mark in front makes the verdict independent of colour: "+ reproduced", "× not reproduced".
QString markedVerdict(SheetVerdict verdict);

/// Shows all claims or the chosen one. The plot is as high as its rows require, and scrolls.
class ForestView : public QWidget {
    Q_OBJECT

 public:
    explicit ForestView(QWidget* parent = nullptr);

    /// Keeps the chosen claim if the sheet has it.
    void setSheet(const SheetPlan& plan, std::vector<SheetRow> rows);
    Figure figure() const;
    void refreshNow();
    /// On a low page, which scrolls as a whole, the plot itself does not scroll.
    void setLow(bool isLow);

    /// The room places it in its panel.
    QComboBox& claimBox() { return *m_claim; }
    FigureView& view() { return *m_view; }

 protected:
    void resizeEvent(QResizeEvent* event) override;

 private:
    void refresh();

    SheetPlan m_plan;
    std::vector<SheetRow> m_rows;
    QList<qsizetype>
        m_lineRows;  // row of the figure's table for each line, the first line at the top; −1 for a heading
    QComboBox* m_claim;
    QScrollArea* m_area;
    FigureView* m_view;
    bool m_isLow = false;
};

}  // namespace ropelab::ui
