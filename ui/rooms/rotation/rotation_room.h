#pragma once

#include <QElapsedTimer>
#include <QPointer>
#include <QTimer>
#include <functional>
#include <optional>

#include "ui/rooms/rotation/rotation_state.h"
#include "ui/rooms/rotation/run_vectors.h"
#include "ui/rooms/rotation/vectors_panel.h"
#include "ui/rotary/rotary_room.h"

class QButtonGroup;
class QHBoxLayout;
class QLabel;
class QLineEdit;
class QScrollArea;
class QSplitter;
class QStackedWidget;
class QToolButton;

namespace ropelab::ui {

class ActionRegistry;
class AimPage;
class AnimationDialog;
class CircuitPage;
class PairedView;
class PositionBar;
class ShiftCard;

/// Shows how RoPE rotates queries and keys: one dial per pair with q at position m and k at position n, one enlarged
/// pair with arrows to drag, and six pages below: the logit split by pairs, the helix, the rotation matrix, a key that
/// is constructed to have its largest logit at a given distance, the rotated tokens of a text, and a head that is built
/// by hand.
class RotationRoom : public RotaryRoom {
    Q_OBJECT

 public:
    enum Page { Logit, Helix, Matrix, Aim, Tokens, Circuit };

    RotationRoom(RotaryModel& rotary, RunAccess runs, QWidget* parent = nullptr);

    static void addActions(ActionRegistry& registry, const RoomHandle<RotationRoom>& room);
    /// The parts are the pages "logit", "helix", "matrix", "aim", "tokens" and "circuit", and "dials" and "pair" above
    /// them.
    void showPart(const QString& part) override;
    QString shownPart() const override;
    /// Shows the positions above the part.
    void showOnlyPart(const QString& part) override;
    /// These are m, n, pair, seed, distance, vectors (random, equal or aimed) and play (on or off).
    std::vector<RoomControl> controls() override;
    QList<QWidget*> bars() override;
    std::function<void()> restorer() override;
    QAbstractButton* playButton() const override;
    void endEdit() override;
    void fitPage(const QSize& page) override;
    bool isEditing() const override { return isPlaying(); }

    const RotationScene& scene() const { return m_scene; }
    Page page() const;
    void showPage(Page page);

    void moveTo(std::int64_t m, std::int64_t n);
    /// Moves n too where the distance is locked. Returns false if the end of the context prevents any move.
    bool moveBy(std::int64_t by);
    bool isPlaying() const { return m_timer.isActive(); }
    /// Playback moves m through the context.
    void play(bool on);
    /// Advances the playback by a time in seconds, as the timer does.
    void advance(double seconds);

    // The following functions and the user's changes of positions and arrows are undo steps of the rotary setup.

    void chooseVectors(VectorSource source);
    void sampleAgain();
    /// Also changes the setup to that of the run.
    void useRunVectors(const RotarySetup& setup, const HeadVectors& vectors, const QString& origin);
    /// Sets k = R_r q with r = `distance`, in tokens.
    void aimAt(std::int64_t distance);
    /// Adds 1,000 to m and n.
    void shift();
    void undoShift();
    /// Sets the text of the pages Tokens and Circuit.
    void setText(const QString& text);
    void buildHead(std::int64_t distance);
    enum class FormulaFormat { unicode, latex };
    /// Copies the formula of the enlarged pair, with its numbers, to the clipboard; nothing without a pair.
    void copyFormula(FormulaFormat format);

    /// Animates the figure that the user chose last.
    AnimationDialog* openAnimationDialog();

    /// Makes the next change an undo step of its own, even if it is of the same kind as the previous one.
    void endMerging() { m_merging.clear(); }

    FigureView* dialsView() const { return m_dials; }
    FigureView* pairView() const { return m_pair; }
    FigureView* logitView() const { return m_logit; }
    FigureView* helixView() const { return m_helix; }
    FigureView* matrixView() const { return m_matrix; }
    FigureView* aimView() const { return m_aim; }
    FigureView* tokensView() const { return m_tokens; }
    FigureView* circuitView() const { return m_circuit; }
    FigureView* circuitDistanceView() const { return m_circuitDistance; }
    PositionBar* positionBar() const { return m_bar; }
    ShiftCard* shiftCard() const { return m_shift; }
    RunVectors* runVectors() const { return m_runVectors; }
    AimPage* aimPage() const { return m_aimPage; }
    CircuitPage* circuitPage() const { return m_circuitPage; }
    QLineEdit* tokensField() const { return m_tokensField; }
    QToolButton* formulaButton() const { return m_formula; }

 protected:
    void renew() override;
    QWidget* options() override;
    void addToMenu(const FigureView* view, QMenu& menu) override;
    void openAnimation() override;
    void hideEvent(QHideEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

 private:
    friend class RotationStep;
    RunAccess m_runAccess;
    enum class Arrow { none, query, key };

    void makeViews();
    QWidget* makeStrip();
    QToolButton* makeFormulaButton(QWidget* parent);
    void addFormulaActions(QMenu& menu);
    void connectDials();
    void connectPair();
    void connectLogit();
    void connectHelix();
    QWidget* makeTokensPage();
    QWidget* makeCircuitPage();
    void renewTokens();
    void renewCircuit();
    /// Changes setup and head as one undo step; the head is built again for the other channels.
    void useSetupOfRun(const RotarySetup& setup);
    void renewPage();
    /// The positions, q and k are those of this scene.
    RotationScene otherScene(const ShapedSetup& other) const;
    void showScene(FigureView* view, Figure (*make)(const RotationScene&));
    void scrub(std::int64_t m, std::int64_t n, bool movesQuery);
    Arrow arrowNear(const QPointF& place) const;
    void dragArrow(const QPointF& place);
    void rotateArrow(double radians, double stretch);
    void pickNeighbour(int by);
    void fitMatrix();
    /// Places the logit and the copy button in the row of the tabs or in a line below it.
    void fitNumbers(bool logitBelow, bool formulaBelow);
    void renewLogitText();
    /// Makes the change an undo step named `what`. If `merges` is true, it is merged with a preceding step of the same
    /// name, unless endMerging() was called in between.
    void change(const QString& what, const std::function<void()>& apply, bool merges = false);
    void record(const QString& what, const RotationState& before, bool merges);
    /// Makes the positions that playback has moved so far an undo step.
    void recordPlayback();
    void restore(const RotationState& state);
    void keepStateForUndo();
    void stepBy(int by);
    /// Adds no undo step.
    void useVectors(VectorSource source);

    RotationScene m_scene;
    FigureView* m_dials = nullptr;
    FigureView* m_pair = nullptr;
    FigureView* m_logit = nullptr;
    FigureView* m_helix = nullptr;
    FigureView* m_matrix = nullptr;
    FigureView* m_aim = nullptr;
    FigureView* m_tokens = nullptr;
    FigureView* m_circuit = nullptr;
    FigureView* m_circuitDistance = nullptr;
    PairedView* m_dialsPair = nullptr;
    PairedView* m_pairPair = nullptr;
    PairedView* m_helixPair = nullptr;
    PairedView* m_matrixPair = nullptr;
    PairedView* m_tokensPair = nullptr;
    PairedView* m_circuitPair = nullptr;
    PositionBar* m_bar = nullptr;
    QSplitter* m_upper = nullptr;  // dials and enlarged pair
    QWidget* m_strip = nullptr;    // tabs and pages
    QHBoxLayout* m_stripRow = nullptr;
    QHBoxLayout* m_numbersRow = nullptr;  // below the tabs, for what does not fit beside them
    QButtonGroup* m_tabs = nullptr;
    QWidget* m_tabRow = nullptr;
    QToolButton* m_formula = nullptr;
    QLabel* m_logitText = nullptr;
    QStackedWidget* m_pages = nullptr;
    QScrollArea* m_matrixArea = nullptr;
    ShiftCard* m_shift = nullptr;
    AimPage* m_aimPage = nullptr;
    QLineEdit* m_tokensField = nullptr;
    CircuitPage* m_circuitPage = nullptr;
    QPointer<VectorsPanel> m_vectors;
    QPointer<RunVectors> m_runVectors;

    QTimer m_timer;
    QElapsedTimer m_clock;
    double m_rest = 0;                          // fraction of a position that playback has not yet moved
    std::optional<RotationState> m_playedFrom;  // the state when playback started; nullopt while it is paused
    std::optional<RotationState> m_beforeDrag;  // the state when the drag of an arrow started
    QString m_merging;                          // the name of steps that merge with the latest one; "" for none
    Arrow m_dragged = Arrow::none;
    Arrow m_chosen = Arrow::query;  // the arrow that keys rotate and lengthen
    QPointF m_lastDrag;             // last mouse position while the helix is dragged
};

}  // namespace ropelab::ui
