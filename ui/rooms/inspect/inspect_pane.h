#pragma once

#include <QWidget>

#include "ui/rooms/inspect/inspect_figures.h"

class QComboBox;

namespace ropelab::ui {

class FigureView;

/// One figure of the Inspect room and the list to choose it from, which the room places above it.
class InspectPane : public QWidget {
    Q_OBJECT

 public:
    /// `extras` are additional entries (name and title) at the start of the list.
    InspectPane(const QString& accessibleName, const QList<QPair<QString, QString>>& extras, QWidget* parent = nullptr);

    /// Selects a figure or an extra entry by its name. Returns false for an unknown name.
    bool choose(const QString& name);
    /// Selects the entry that is `by` places further in the list, which wraps around.
    void step(int by);
    /// Returns the name of the selected entry.
    QString chosenName() const;
    /// Returns the selected figure; nullptr if an extra entry is selected.
    const InspectFigure* chosen() const { return findInspectFigure(chosenName()); }

    /// Shows this figure and uses its functions for the mouse pointer.
    void show(InspectPicture picture);
    const InspectPicture& picture() const { return m_picture; }
    FigureView& view() const { return *m_view; }
    QComboBox* chooser() const { return m_chooser; }

 signals:
    /// Another entry was selected in the list of figures.
    void figureChosen();
    /// The mouse pointer is over this pair, or over no pair.
    void pairHovered(std::optional<int> pair);
    /// This pair was clicked, or a place without a pair.
    void pairClicked(std::optional<int> pair);
    /// The mouse pointer is over the query with this index; −1 if it is over none.
    void tokenHovered(int token);
    /// The query with this index was clicked; −1 if there is none at the place.
    void tokenClicked(int token);
    /// The attention map of this layer and head was clicked.
    void headClicked(int layer, int head);

 private:
    /// Returns nullopt if the figure has no pairs, else the pair at this position or an inner nullopt.
    std::optional<std::optional<int>> pairAt(const QPointF& place) const;
    void hover(const QPointF& place);
    void click(const QPointF& place);

    InspectPicture m_picture;
    QComboBox* m_chooser;
    FigureView* m_view;
};

}  // namespace ropelab::ui
