#pragma once

#include <array>
#include <optional>

#include "ui/controls/form.h"
#include "ui/rooms/rotation/scene_editor.h"
#include "ui/rotary/rotary_room.h"
#include "ui/session/run_access.h"

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
class PositionBar;
class RunVectors;
class ShiftCard;
class VectorsPanel;

/// Shows how RoPE rotates queries and keys, on seven pages. The first page has one dial per pair with q at position m
/// and k at position n, below them one enlarged pair with arrows to drag and the logit split by pairs. The other pages
/// show the helix, the rotation matrix, a key that is constructed to have its largest logit at a given distance, the
/// rotated tokens of a text with their attention, a head that is built by hand, and the positions that the angles leave
/// possible.
class RotationRoom : public RotaryRoom {
    Q_OBJECT

 public:
    enum Page { Logit, Helix, Matrix, Aim, Tokens, Circuit, Reading };

    /// The parts are the pages "logit", "helix", "matrix", "aim", "tokens", "circuit" and "reading", "helices" beside
    /// the enlarged helix, "sentence" below the tokens, "keys" beside the circuit, and "dials" and "pair" above them.
    /// The controls are pair, m, n, distance, seed, vectors (random, equal, aimed or head), norm, fast_pairs, hands,
    /// error, rotate_values and play (on or off).
    RotationRoom(RotaryModel& rotary, RunAccess runs, QWidget* parent = nullptr);

    static void addActions(ActionRegistry& registry, const RoomHandle<RotationRoom>& room);
    std::function<void()> restorer(bool standard) override;
    QAbstractButton* playButton() const override;
    void endEdit() override;
    bool isEditing() const override { return m_editor->isPlaying(); }
    void fitPage(const QSize& page) override;

    SceneEditor& editor() { return *m_editor; }
    const RotationScene& scene() const { return m_editor->scene(); }
    Page page() const;
    void showPage(Page page);
    enum class FormulaFormat { unicode, latex };
    /// Copies the formula of the enlarged pair, with its numbers, to the clipboard; nothing without a pair.
    void copyFormula(FormulaFormat format);
    /// Animates the figure that the user chose last.
    AnimationDialog* openAnimationDialog();

    FigureView* dialsView() const { return m_dials; }
    FigureView* pairView() const { return m_pair; }
    FigureView* logitView() const { return m_logit; }
    FigureView* helixView() const { return m_helix; }
    FigureView* helicesView() const { return m_helices; }
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
    void openAnimation() override;
    void hideEvent(QHideEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void fitOnlyPart() override;

 private:
    void makeViews();
    void makeOptions(const RunAccess& runs);
    QWidget* makePages(const RunAccess& runs);
    QWidget* makeTabs(QWidget* parent);
    QWidget* makeLogitPage();
    QWidget* makeMatrixPage();
    QWidget* makeAimPage();
    QWidget* makeTokensPage();
    QWidget* makeCircuitPage(const RunAccess& runs);
    QWidget* makeReadingPage();
    void addParts();
    void addControls();
    void addFormulaActions(QMenu& menu);
    void connectBar();
    void connectDials();
    void connectPair();
    void connectLogit();
    QWidget* makeHelixPage();
    void connectHelix();

    /// The other scene has the positions, q and k of the edited one.
    RotationScene sceneOf(Side side) const;
    void showScene(FigureView* view, Figure (*make)(const RotationScene&));
    void renewPage();
    void showFields();
    void renewAim();
    void renewCircuit();
    void renewLogitText();
    void fitMatrix();
    /// Places the logit and the copy button in the row of the tabs or in a line below it.
    void fitNumbers(bool logitBelow, bool formulaBelow);
    Arrow arrowNear(const QPointF& place) const;
    void pickNeighbour(int by);

    FigureView* m_dials = nullptr;
    FigureView* m_pair = nullptr;
    FigureView* m_logit = nullptr;
    FigureView* m_helices = nullptr;
    FigureView* m_helix = nullptr;
    FigureView* m_matrix = nullptr;
    FigureView* m_aim = nullptr;
    FigureView* m_tokens = nullptr;
    FigureView* m_circuit = nullptr;
    FigureView* m_circuitDistance = nullptr;
    FigureView* m_circuitKeys = nullptr;
    FigureView* m_reading = nullptr;
    PanelGrid* m_sentence = nullptr;
    Form m_form{this};  // "hands" and "error" of the page Reading, and "rotate-values" of the page Tokens
    PositionBar* m_bar = nullptr;
    SceneEditor* m_editor = nullptr;
    QSplitter* m_lower = nullptr;  // enlarged pair and pages, below the dials
    QHBoxLayout* m_stripRow = nullptr;
    QHBoxLayout* m_numbersRow = nullptr;  // below the tabs, for what does not fit beside them
    QButtonGroup* m_tabs = nullptr;       // in the order of Page
    QToolButton* m_formula = nullptr;
    QLabel* m_logitText = nullptr;
    QStackedWidget* m_pages = nullptr;
    std::array<QWidget*, Reading + 1> m_pageFields = {};  // in the panel
    ShiftCard* m_shift = nullptr;
    AimPage* m_aimPage = nullptr;
    QLineEdit* m_tokensField = nullptr;
    CircuitPage* m_circuitPage = nullptr;
    /// The head that a lecture builds; nullopt while it shows other vectors.
    struct LectureHead {
        double norm = RotationScene::kHeadNorm;
        int pairs = 1 << 16;
    };
    std::optional<LectureHead> m_head;
    VectorsPanel* m_vectors = nullptr;
    RunVectors* m_runVectors = nullptr;
    QPointF m_lastDrag;  // last mouse position while the helix is dragged
};

}  // namespace ropelab::ui
