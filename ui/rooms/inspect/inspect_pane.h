#pragma once

#include <QComboBox>
#include <QWidget>

#include "ui/rooms/inspect/figures/figures.h"
#include "ui/rooms/inspect/inspect_figures.h"

namespace ropelab::ui {

class FigureView;
class FittingLabel;

/// Shades each token of the attention maps' text by the attention weight that the query gives it. The query is the
/// token under the mouse pointer, else the token that was clicked; the arrow keys move it.
class TextStrip : public QWidget {
    Q_OBJECT

 public:
    explicit TextStrip(QWidget* parent = nullptr);

    void setRow(AttentionRow row);
    const AttentionRow& row() const { return m_row; }
    QRectF rectOf(int token) const { return cells().value(token); }

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return {1, sizeHint().height()}; }

 signals:
    void hovered(int token);
    void left();
    void picked(int token);

 protected:
    void paintEvent(QPaintEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent*) override { emit left(); }
    void keyPressEvent(QKeyEvent* event) override;

 private:
    int tokenAt(const QPointF& place) const;
    /// Of equal width where all tokens fit into it, else as wide as their texts.
    QList<QRectF> cells() const;

    AttentionRow m_row;
};

/// One figure and the list to choose it from, which the room places above it.
class InspectPane : public QWidget {
    Q_OBJECT

 public:
    /// `extras` are additional entries (name and title) at the start of the list.
    InspectPane(const QString& accessibleName, const QList<QPair<QString, QString>>& extras, QWidget* parent = nullptr);

    /// Selects a figure or an extra entry. Returns false for an unknown name.
    bool choose(const QString& name);
    /// Moves the selection by this many places; the list wraps around.
    void step(int by);
    QString chosenName() const { return m_chooser->currentData().toString(); }
    /// nullptr if an extra entry is selected.
    const InspectFigure* chosen() const { return findInspectFigure(chosenName()); }

    void show(InspectPicture picture);
    const InspectPicture& picture() const { return m_picture; }
    FigureView& view() const { return *m_view; }
    QComboBox* chooser() const { return m_chooser; }
    QString sentence() const { return m_picture.sentence; }

 signals:
    void figureChosen();
    /// nullopt: the mouse pointer is over no pair.
    void pairHovered(std::optional<int> pair);
    /// nullopt: a place without a pair was clicked.
    void pairClicked(std::optional<int> pair);
    /// −1: the mouse pointer is over no query.
    void tokenHovered(int token);
    /// −1: there is no query at the place.
    void tokenClicked(int token);
    void headClicked(int layer, int head);

 private:
    /// nullopt if the figure has no pairs; an inner nullopt if no pair is at this position.
    std::optional<std::optional<int>> pairAt(const QPointF& place) const;
    void hover(const QPointF& place);
    void click(const QPointF& place);

    InspectPicture m_picture;
    QComboBox* m_chooser;
    FittingLabel* m_sentence;
    FigureView* m_view;
};

}  // namespace ropelab::ui
