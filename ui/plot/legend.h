#pragma once

#include <QPen>
#include <QWidget>
#include <vector>

#include "core/spec/event.h"

class QToolButton;

namespace ropelab::ui {

class LegendEntry;

/// Tooltips contain the full names. A click shows or hides a run. After three rows, a button ("12 more") shows the
/// rest.
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
