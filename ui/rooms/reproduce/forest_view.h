#pragma once

#include <QWidget>
#include <vector>

#include "core/reproduce/rules/evaluate.h"
#include "ui/figure/figure.h"

class QComboBox;
class QScrollArea;

namespace ropelab::ui {

class FigureView;

/// Shows all claims or the chosen one. The plot is as high as its rows require, and scrolls.
class ForestView : public QWidget {
    Q_OBJECT

 public:
    explicit ForestView(QWidget* parent = nullptr);

    /// Keeps the chosen claim if the sheet has it.
    void setSheet(const SheetPlan& plan, std::vector<SheetRow> rows);
    Figure figure() const;
    void refreshNow();

    QComboBox& claimBox() { return *m_claim; }
    FigureView& view() { return *m_view; }

 protected:
    void resizeEvent(QResizeEvent* event) override;

 private:
    void refresh();

    SheetPlan m_plan;
    std::vector<SheetRow> m_rows;
    QComboBox* m_claim;
    QScrollArea* m_area;
    FigureView* m_view;
};

}  // namespace ropelab::ui
