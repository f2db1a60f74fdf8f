#pragma once

#include <QPen>
#include <QWidget>
#include <vector>

#include "core/spec/event.h"

class QToolButton;

namespace ropelab::ui {

class LegendEntry;

/// Legend of a plot: shows a line sample and a shortened name for each run; tooltips contain the full names. A click
/// shows or hides a run, and hovering highlights it. After three rows the remaining entries are hidden behind a button
/// such as "12 more".
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

    /// Replaces all entries of the legend.
    void setEntries(const std::vector<Entry>& entries);
    /// Highlights the entry of a run; 0 removes the highlight.
    void setHighlighted(RunId run);

    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override;
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

 signals:
    /// The user showed or hid a run by clicking its entry.
    void toggled(ropelab::RunId run, bool visible);
    /// The mouse entered the entry of a run; 0 when it leaves.
    void hovered(ropelab::RunId run);

 protected:
    void resizeEvent(QResizeEvent* event) override;

 private:
    /// Computes the layout of the entries for a width and returns its height. Moves the entries only if `place` is
    /// true.
    int arrange(int width, bool place) const;
    int widthOfMore() const;

    std::vector<LegendEntry*> m_entries;
    QToolButton* m_more;
    bool m_unfolded = false;
};

}  // namespace ropelab::ui
