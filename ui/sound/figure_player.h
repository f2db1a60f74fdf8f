#pragma once

#include <QObject>
#include <memory>

#include "ui/sound/figure_sound.h"

namespace ropelab::ui {

/// Uses Qt Multimedia, for one sound at a time. While a sound is played, Escape stops it.
class FigurePlayer : public QObject {
    Q_OBJECT

 public:
    static FigurePlayer& instance();
    /// "" if sounds can be played. Devices are searched only by play(), because this takes time.
    static QString whyUnavailable();

    explicit FigurePlayer(QObject* parent = nullptr);
    ~FigurePlayer() override;

    /// An earlier sound stops. Throws BadInput if whyUnavailable() returns a reason, or if there is no audio device.
    void play(const FigureSound& sound);
    void stop();
    bool isPlaying() const;

 protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

 private:
    struct Output;
    std::unique_ptr<Output> m_output;
};

}  // namespace ropelab::ui
