#pragma once

#include <QList>
#include <QWidget>
#include <optional>

#include "ui/controls/form.h"
#include "ui/plot/figure_view.h"
#include "ui/rooms/spectrum/spectrum_figures.h"

class QLabel;
class QStackedWidget;
class QToolButton;

namespace ropelab::ui {

class FieldNote;
class PairedView;
class PanelGrid;

/// Shows ALiBi's bias, the attention mask, the sinusoidal embeddings, the receptive field of sliding windows, or all
/// encodings side by side. It edits the number of heads, the attention window and the choices of these figures.
class EncodingsPage : public QWidget {
    Q_OBJECT

 public:
    enum class Picture { alibi, mask, sinusoidal, reach, all };

    /// Adds `pair`, which shows the chosen figure, and `grid`, which shows all encodings side by side, to its layout.
    EncodingsPage(PairedView* pair, PanelGrid* grid, QWidget* parent = nullptr);

    /// Creates the fields for heads, attention window and choices. Must be called at most once.
    QWidget* makeFields(QWidget* parent);
    /// Updates fields and tooltips; the room sets the figure.
    void renew(const RotarySetup& setup);
    void choose(Picture picture);
    Picture picture() const { return m_picture; }
    const EncodingChoices& choices() const { return m_choices; }
    /// Changes the choices, as the fields do.
    void setChoices(const EncodingChoices& choices);

    /// The view of the pair, or the first one of the grid.
    FigureView* view() const;
    PanelGrid* grid() const { return m_grid; }
    QWidget* chooser() const { return m_chooser; }
    QToolButton* choice(Picture picture) const { return m_buttons.at(static_cast<int>(picture)); }
    /// The fields, once they are made: "heads", "whole-context", "window", "layers", "attention" (of the layers),
    /// "follows", "head", "whole-distances" and "distances".
    Form& form() { return m_form; }
    /// The receptive field follows the layers of the sweep in the Train room if the user ticks the box.
    void setSweep(std::int64_t layers, const std::string& attentionLayers);

 signals:
    /// Another figure was chosen, or the choices of the figures changed.
    void chosen();
    void headsRequested(qint64 heads);
    /// 0 tokens means the whole context.
    void attentionWindowRequested(qint64 tokens);
    /// The user finished a change, for example by releasing a slider.
    void finished();

 private:
    std::optional<FigureView::Readout> readout(const Figure& figure, QPointF place) const;

    void sayWhatChanges();
    void renewChoices();
    void adopt(std::string_view id);
    void followSweep();
    /// Says why if the typed pattern of layers is none.
    void adoptPattern();

    FigureView* m_view;
    PanelGrid* m_grid;
    QWidget* m_chooser;
    QStackedWidget* m_pictures;
    QList<QToolButton*> m_buttons;  // in the order of Picture
    EncodingChoices m_choices;
    Form m_form;
    bool m_hasFields = false;
    QLabel* m_note = nullptr;
    FieldNote* m_layersNote = nullptr;
    std::int64_t m_sweepLayers = 0;
    std::string m_sweepPattern;  // "" before setSweep()
    Picture m_picture = Picture::alibi;
    RotarySetup m_setup;
};

/// Without learned encodings.
Figure encodingFigure(EncodingsPage::Picture picture, const RotarySetup& setup, const EncodingChoices& choices);

}  // namespace ropelab::ui
