#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>
#include <functional>
#include <optional>

#include "core/study/head_vectors.h"
#include "ui/rooms/rotation/rotation_state.h"
#include "ui/session/rotary_model.h"

namespace ropelab::ui {

class PositionBar;

enum class Arrow { none, query, key };

/// Changes positions, vectors and text of the Rotation room. What the user changes is an undo step of the rotary setup,
/// and so are the positions that a playback passed; functions for lectures, which say so, add no step.
class SceneEditor : public QObject {
    Q_OBJECT

 public:
    /// The bar says how fast the positions play, and whether their distance is locked.
    SceneEditor(RotaryModel& model, const PositionBar& bar, QObject* parent);

    const RotationScene& scene() const { return m_scene; }
    /// Takes over the setup of the model, which limits positions and vectors.
    void adoptSetup();
    void highlight(std::optional<int> pair) { m_scene.state.highlighted = pair; }
    /// Viewing direction of the helix, in radians.
    void rotateView(double yaw, double pitch);

    /// Adds no undo step.
    void moveTo(std::int64_t m, std::int64_t n);
    /// Moves n too where the distance is locked. Returns false if the end of the context prevents any move. Adds no
    /// undo step.
    bool moveBy(std::int64_t by);
    /// Moves the other position by as much where the distance is locked.
    void scrub(Arrow moved, std::int64_t position);
    void stepBy(int by);
    bool isPlaying() const { return m_timer.isActive(); }
    /// Playback moves m through the context.
    void play(bool on);
    /// Advances the playback by a time in seconds, as the timer does.
    void advance(double seconds);
    /// Adds 1,000 to m and n.
    void shift();
    void undoShift();

    void chooseVectors(VectorSource source);
    /// Adds no undo step.
    void useVectors(VectorSource source);
    /// With another seed. Adds no undo step.
    void useSeed(std::int64_t seed);
    /// Sets k = R_r q with r = `distance`, in tokens. Adds no undo step.
    void useDistance(std::int64_t distance);
    /// As buildHead(), with the norm `norm` in the `pairs` fastest pairs and 0 in the others. Adds no undo step.
    void useHead(std::int64_t distance, double norm, int pairs);
    void sampleAgain();
    /// Also changes the setup to that of the run.
    void useRunVectors(const RotarySetup& setup, const HeadVectors& vectors, const QString& origin);
    /// Sets k = R_r q with r = `distance`, in tokens.
    void aimAt(std::int64_t distance);
    /// The text of the pages Tokens and Circuit.
    void setText(const QString& text);

    void buildHead(std::int64_t distance);
    /// Multiplies q and k so that the largest norm of a pair is `norm`.
    void scaleNorms(double norm);
    /// Builds the head again with a norm in the `pairs` fastest pairs only.
    void keepFastPairs(int pairs);
    /// How the page Reading reads angles, and whether the page Tokens rotates values. Adds no undo step.
    void chooseView(double accuracy, int hands, bool rotatesValues);
    /// Of the enlarged pair; the phase is in radians.
    void setPair(double norm, double phase);
    /// Changes setup and head as one undo step; the head is built again for the other channels.
    void useSetupOfRun(const RotarySetup& setup);

    /// An arrow of the enlarged pair: the one that the keys rotate and lengthen.
    void chooseArrow(Arrow arrow) { m_chosen = arrow; }
    /// The dial keeps its scale, with the norm `rim` at its rim, while the arrow is dragged.
    void startDrag(Arrow arrow, double rim);
    bool isDragging() const { return m_dragged != Arrow::none; }
    void dragTo(std::complex<double> tip);
    void endDrag();
    void rotateArrow(double radians, double stretch);

    /// Makes the next change an undo step of its own, even if it is of the same kind as the previous one.
    void endMerging() { m_merging.clear(); }
    /// Shows a state again, without what only the view needs. Adds no undo step.
    void restore(const RotationState& state);
    /// Like restore(), for a lecture, after which the setup is another one.
    void reset(const RotationState& state);

 signals:
    void changed();
    void playingChanged(bool plays);

 private:
    /// Makes the change an undo step named `what`. If `merges` is true, it is merged with a preceding step of the same
    /// name, unless endMerging() was called in between.
    void change(const QString& what, const std::function<void()>& apply, bool merges = false);
    /// Changes setup and scene as one step.
    void changeWithSetup(const QString& what, RotarySetup setup, const std::function<void()>& apply);
    void record(const QString& what, const RotationState& before, bool merges);
    /// Makes the positions that playback has moved so far an undo step.
    void recordPlayback();

    RotaryModel& m_model;
    const PositionBar& m_bar;
    RotationScene m_scene;
    QTimer m_timer;
    QElapsedTimer m_clock;
    double m_rest = 0;                          // fraction of a position that playback has not yet moved
    std::optional<RotationState> m_playedFrom;  // the state when playback started; nullopt while it is paused
    std::optional<RotationState> m_beforeDrag;  // the state when the drag of an arrow started
    QString m_merging;                          // the name of steps that merge with the latest one; "" for none
    Arrow m_dragged = Arrow::none;
    Arrow m_chosen = Arrow::query;
};

}  // namespace ropelab::ui
