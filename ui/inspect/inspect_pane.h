#pragma once

#include <QWidget>

#include "ui/inspect/inspect_figures.h"

class QComboBox;

namespace ropelab::ui {

class FigureView;

/// One picture of the Inspect room, and the list of figures to choose it from, which the room puts above it.
class InspectPane : public QWidget {
    Q_OBJECT

 public:
    /// `extras`: entries before the figures, with names of their own.
    InspectPane(const QString& accessibleName, const QList<QPair<QString, QString>>& extras, QWidget* parent = nullptr);

    /// By its name, a figure's or an extra's; false for one that there is not.
    bool choose(const QString& name);
    void step(int by);
    QString chosenName() const;
    /// Null where an extra is chosen.
    const InspectFigure* chosen() const { return findInspectFigure(chosenName()); }

    void show(InspectPicture picture);
    const InspectPicture& picture() const { return m_picture; }
    FigureView& view() const { return *m_view; }
    QComboBox* chooser() const { return m_chooser; }

 signals:
    void figureChosen();
    void pairHovered(std::optional<int> pair);
    void pairClicked(std::optional<int> pair);
    void symbolHovered(int symbol);
    void symbolClicked(int symbol);
    void headClicked(int layer, int head);

 private:
    /// nullopt where the picture has no pairs to point at; of those that have, the pair there or none.
    std::optional<std::optional<int>> pairAt(const QPointF& place) const;
    void hover(const QPointF& place);
    void click(const QPointF& place);

    InspectPicture m_picture;
    QComboBox* m_chooser;
    FigureView* m_view;
};

}  // namespace ropelab::ui
