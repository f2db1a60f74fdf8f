#pragma once

#include <QPen>
#include <QWidget>
#include <vector>

#include "core/spec/event.h"

class QToolButton;

namespace ropelab::ui {

class LegendEntry;

/// Names every run beside a piece of its line, in rows as wide as there is room, by what tells it from the others; its
/// tooltip has the whole name. A click shows or hides a run; hovering lights it. Past a few rows the rest folds behind
/// "12 more".
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
    /// 0 for none.
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
    /// Places the entries for a width, or only measures. Returns the height.
    int arrange(int width, bool place) const;
    int widthOfMore() const;

    std::vector<LegendEntry*> m_entries;
    QToolButton* m_more;
    bool m_unfolded = false;
};

}  // namespace ropelab::ui
