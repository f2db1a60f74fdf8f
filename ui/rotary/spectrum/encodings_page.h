#pragma once

#include <QList>
#include <QWidget>
#include <optional>

#include "ui/plot/figure_view.h"
#include "ui/rotary/spectrum/encoding_figures.h"

class QCheckBox;
class QToolButton;

namespace ropelab::ui {

class NumberSlider;

/// "Encodings": ALiBi's bias, the attention mask or the sinusoidal embeddings, one at a time, and the fields of what
/// they need beside the rotary setup: heads and attention window.
class EncodingsPage : public QWidget {
    Q_OBJECT

 public:
    enum class Picture { alibi, mask, sinusoidal };

    /// Takes the view into its layout.
    explicit EncodingsPage(FigureView* view, QWidget* parent = nullptr);

    /// The fields, which belong to `parent`. Called once.
    QWidget* makeFields(QWidget* parent);
    /// The chosen picture of another setup.
    void renew(const RotarySetup& setup);
    void choose(Picture picture);
    Picture picture() const { return m_picture; }

    FigureView* view() const { return m_view; }
    QToolButton* choice(Picture picture) const { return m_choices.at(static_cast<int>(picture)); }
    NumberSlider* heads() const { return m_heads; }
    NumberSlider* attentionWindow() const { return m_window; }
    QCheckBox* wholeContext() const { return m_wholeContext; }

 signals:
    /// Another picture is on show.
    void chosen();
    void headsAsked(qint64 heads);
    /// 0: the whole context.
    void windowAsked(qint64 tokens);
    /// The hand let go of what asks.
    void finished();

 private:
    std::optional<FigureView::Readout> readout(QPointF place) const;

    FigureView* m_view;
    QList<QToolButton*> m_choices;  // in Picture's order
    NumberSlider* m_heads = nullptr;
    QCheckBox* m_wholeContext = nullptr;
    NumberSlider* m_window = nullptr;
    Picture m_picture = Picture::alibi;
    RotarySetup m_setup;
};

}  // namespace ropelab::ui
