#pragma once

#include <QPen>
#include <QWidget>
#include <vector>

#include "core/spec/event.h"

class QToolButton;

namespace ropelab::ui {

class LegendEntry;

/// A line sample and a shortened name for each run; tooltips contain the full names. A click shows or hides a run, and
/// hovering highlights it. After three rows the remaining entries are hidden behind a button such as "12 more".
class Legend : public QWidget {
    Q_OBJECT

 public:
    struct Entry {
        RunId run = 0;
        QString label;
        QPen pen;
        bool visible = true;
    };

    explicit Legend(QWidget* parent = nullptr);

    void setEntries(const std::vector<Entry>& entries);
    /// 0 removes the highlight.
    void setHighlighted(RunId run);

    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override;
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

 signals:
    /// By a click on the entry of a run.
    void toggled(ropelab::RunId run, bool visible);
    /// 0 when the mouse leaves.
    void hovered(ropelab::RunId run);

 protected:
    void resizeEvent(QResizeEvent* event) override;

 private:
    /// Returns the height of the entries at a width. Moves them only if `place` is true.
    int arrange(int width, bool place) const;
    int widthOfMore() const;

    std::vector<LegendEntry*> m_entries;
    QToolButton* m_more;
    bool m_unfolded = false;
};

}  // namespace ropelab::ui
