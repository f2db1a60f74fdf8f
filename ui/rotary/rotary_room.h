#pragma once

#include <QHash>
#include <QList>
#include <QPointF>
#include <QPointer>
#include <QTimer>
#include <functional>
#include <optional>

#include "ui/rotary/comparison.h"
#include "ui/rotary/rotary_figure.h"
#include "ui/session/rotary_model.h"
#include "ui/shell/room.h"

class QLabel;

namespace ropelab::ui {

class PairedView;
class PanelGrid;

/// Shows the shared rotary setup; the panel has its fields and the room's options. A hidden room computes nothing. A
/// room says what belongs to one side, and this class compares: figures, texts, values and readouts.
class RotaryRoom : public Room {
    Q_OBJECT

 public:
    /// `id` is the object name, for example "spectrum"; `figures` are those that the command line can compute again.
    /// The room has the control "pair", the picked pair.
    RotaryRoom(RotaryModel& model, const QString& id, std::span<const RotaryFigure> figures, QWidget* parent);
    ~RotaryRoom() override;

    QWidget* panel(QWidget* parent = nullptr) override;
    /// With both setups; the pair under the mouse is not highlighted in it.
    Figure figure() override;
    void refreshNow() override;
    UndoScope undoScope() const override { return UndoScope::rotary; }
    /// Also finds the fields of the rotary setup.
    QWidget* controlWidget(const QString& name) override;
    void endEdit() override { m_model.endDrag(); }

    const QList<FigureView*>& views() const { return m_views; }
    const QStringList& withoutEffect() const { return m_withoutEffect; }
    /// Sentences about the setup or, if there are two, about both.
    QString words() const;

    /// By default emits animationRequested(), because only the Rotation room has more to animate than theta.
    virtual void openAnimation();

    /// Until releaseAxes(), the axes of all figures with curves are as wide as the figures of now and those after
    /// `toEnd` need, and the figures of now stay behind the others, grey. `back` undoes `toEnd`.
    void holdAxes(const std::function<void()>& toEnd, const std::function<void()>& back);
    void releaseAxes();

 signals:
    void animationRequested(const QString& figure, const ropelab::RotarySetup& setup);

 protected:
    RotaryModel& model() { return m_model; }
    void fitAxes() override { schedule(); }
    const RotaryModel& model() const { return m_model; }
    bool compares() const { return m_model.other().has_value(); }
    /// The other side must exist, here and below: it does while the room compares.
    const RotarySetup& setupOf(Side side) const;
    ShapedSetup shapedOf(Side side) const;
    const Frequencies& frequenciesOf(Side side) const;
    /// The edited side, and the other one while the room compares.
    std::vector<Side> sides() const;
    /// One undo step of a setup that belongs to no known model; words() says what is wrong with an invalid one.
    void changeSetup(const QString& what, const RotarySetup& setup);
    /// A drag to `tokens`, rounded so that the context is easy to read.
    void dragContext(double tokens);

    /// The figure of the view can be exported. The caller adds the view to a layout.
    FigureView* addView(const QString& accessibleName, const std::function<void(QMenu&)>& addToMenu = {});
    /// Like addView(); shows the figures of two setups side by side. The caller adds pairOf() the view to a layout.
    FigureView* addPair(const QString& accessibleName, const std::function<void(QMenu&)>& addToMenu = {});
    PairedView* pairOf(FigureView* view) const { return m_pairs.value(view); }
    /// Like addView(), for a figure with panels, which is exported as a whole.
    PanelGrid* addGrid(const QString& accessibleName);
    /// Shows the sentences of words(); the caller adds it to a layout.
    void setWords(QLabel* label, const QString& accessibleName);
    QLabel* wordsLabel() const { return m_words; }
    /// Shown in the panel below the fields of the setup. The room owns it until the panel does.
    void setOptions(QWidget* options) { m_options = options; }
    /// Settings that change no figure of the room, of which the panel says so.
    void setWithoutEffect(const QStringList& settings) { m_withoutEffect = settings; }

    void showFigure(FigureView* view, const std::function<Figure(Side)>& make);
    /// `both` is a figure of both setups if comparedFigure() returned it.
    void showBothIn(FigureView* view, Figure both);
    void showPanels(PanelGrid* grid, Figure figure);
    QString bothValues(const std::function<QString(Side)>& text) const;
    QString bothSentences(const std::function<QString(Side)>& text) const;
    /// "quantity: B / A = 2"; "" without a comparison.
    QString bothQuotient(const QString& quantity, const std::function<double(Side)>& value) const;
    using Readout = std::optional<FigureView::Readout>;
    void setReadout(FigureView* view, const std::function<Readout(Side, QPointF)>& readout);

    /// Hover highlights, click selects, arrow keys select neighbours. `pairAt` returns the pair at a point of the view.
    void connectPairs(FigureView* view, const std::function<std::optional<int>(QPointF)>& pairAt);
    /// The pair whose number is nearest to `x`; nullopt if there is none.
    std::optional<int> pairNear(double x) const;
    /// In a page lower than `low` pixels at 100 %, `figures` come first, below `bar`, and have the visible part of the
    /// page; the texts are then below them.
    void fitFigures(const QSize& page, int low, QWidget* bar, QWidget* figures);
    void schedule();
    bool isScheduled() const { return m_stale && m_timer.isActive(); }
    /// True while refreshNow() renews: the figures must be complete without a background job.
    bool isSynchronous() const { return m_isSynchronous; }
    /// Updates the figures of all views. Must take less than one frame; longer computations belong in a LatestJob.
    virtual void renew() = 0;

    std::vector<Figure> pageFigures() override;
    FigureOrigin originOf(const Figure& figure) override;
    void showEvent(QShowEvent* event) override;

 private:
    void stepPair(int key);
    /// While values glide, the axes are held by holdAxes(). While the mouse drags, the axes hold still and the figure
    /// of before stays behind the new one, grey.
    Figure held(FigureView* view, Figure figure);
    void widen(FigureView* view, const Figure& figure);
    template <typename T, typename Join>
    auto joined(const std::function<T(Side)>& of, Join join) const;

    RotaryModel& m_model;
    std::span<const RotaryFigure> m_figures;
    QList<FigureView*> m_views;
    QHash<FigureView*, PairedView*> m_pairs;
    QHash<FigureView*, Figure> m_beforeDrag;
    struct Glide {
        Figure before;
        Range x;
        Range y;
    };
    QHash<FigureView*, Glide> m_glides;
    bool m_isProbing = false;                 // the figures are made for their axes only
    QHash<FigureView*, Figure> m_sideBySide;  // figures with panels, for exports, by their first view
    QPointer<QWidget> m_panel;
    QPointer<QWidget> m_options;
    QStringList m_withoutEffect;
    QLabel* m_words = nullptr;
    QTimer m_timer;
    std::optional<int> m_figuresPlace;  // in the column of the room, unless the page is low
    bool m_stale = true;
    bool m_isSynchronous = false;
};

}  // namespace ropelab::ui
