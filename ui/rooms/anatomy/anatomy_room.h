#pragma once

#include <QPointer>
#include <map>
#include <optional>

#include "ui/common/latest_job.h"
#include "ui/plot/figure_view.h"
#include "ui/rooms/anatomy/anatomy_figure.h"
#include "ui/rooms/anatomy/anatomy_panel.h"
#include "ui/session/engine_work.h"
#include "ui/session/run_access.h"
#include "ui/shell/room.h"

class QComboBox;
class QLabel;
class QScrollArea;
class QStackedWidget;
class QTableView;
class QToolButton;

namespace ropelab::ui {

using namespace Qt::StringLiterals;

class ActionRegistry;
class ActivationPane;
class ExperimentModel;
class SessionActions;

/// The stages of a model from tokens to logits with parameters, operations and KV cache, as a picture of the residual
/// stream or as a table. It opens with the lab's first run, or else with the model of the sweep. A copy of the model's
/// settings can be changed, and the changes used in the sweep. The times of the stages on this machine are measured on
/// demand. A picked stage shows its formula and, for a run with a checkpoint, its weights and its activation for a
/// text. A switch shows the traditional and the modern decoder side by side instead. The parts are "stages" and
/// "traditional-modern"; the control is stage, the id of the picked stage.
class AnatomyRoom : public Room {
    Q_OBJECT

 public:
    AnatomyRoom(SessionActions& actions, RunAccess access, ExperimentModel& experiment, QWidget* parent = nullptr);
    ~AnatomyRoom() override;

    QWidget* panel(QWidget* parent = nullptr) override;
    static void addActions(ActionRegistry& registry, const RoomHandle<AnatomyRoom>& room);
    bool isBusy() const override;
    void refreshNow() override;

    /// The source is "sweep", "run:NUMBER", "model:NAME" or "config:PATH". Shows a problem if it cannot be read.
    void showSource(const QString& source);
    void pick(const QString& id);
    QString picked() const { return m_view.picked; }
    /// The copy stays as it is if the text is refused.
    void editCopy(const QString& key, const QString& value);
    /// Works in the background; the listing then has a column of times.
    void measure();
    /// Sets the changed settings of the copy in the sweep panel, as one undo step.
    void useInSweep();

    AnatomyPanel& choices() const { return *m_panel; }
    FigureView* listing() const { return m_listing; }
    FigureView* weights() const { return m_weights; }
    QComboBox* tensors() const { return m_tensors; }
    QTableView* table() const { return m_table; }
    QToolButton* tableButton() const { return m_asTable; }
    QToolButton* foldButton() const { return m_fold; }
    QToolButton* measureButton() const { return m_measure; }
    ActivationPane& activation() const { return *m_activation; }
    const AnatomyModel& model() const { return m_model; }

 protected:
    FigureOrigin originOf(const Figure& figure) override;
    void showEvent(QShowEvent* event) override;
    void fitPage(const QSize& page) override;
    void resizeEvent(QResizeEvent* event) override;

 private:
    QWidget* makeBar();
    QWidget* makeTable();
    QWidget* makeDetail();
    void connectPanel();
    FigureView* addView(QWidget* parent, const QString& name);
    void addToRoom(FigureView* view);
    void addParts();
    void connectTable();
    void connectEvents();
    void renewSources();
    /// Reads the model of the source and applies the edits to it.
    void renew();
    void renewListing();
    /// Null if no shown model has the picked stage.
    const AnatomyStage* pickedStage() const;
    void renewStage();
    void renewWeights();
    void renewActivation();
    /// Why there are no weights and activations; "" if the source is a run with a checkpoint.
    QString whyNoModel() const;
    /// The source must be a run.
    RunId sourceRun() const;
    /// Of a run or an opened model.
    QString sourceOf(RunId run) const;
    RunCheckpoint shownCheckpoint() const;
    /// The tooltip of a disabled button tells why.
    void offerMeasurement();
    void loadTensor(const QString& name);
    AnatomyModel originalModel() const;
    std::optional<RunSpec> sweepSpec() const;
    void movePicked(int steps);
    QString tableText() const;
    void copyTable();
    void saveTable();

    SessionActions& m_actions;
    RunAccess m_access;
    ExperimentModel& m_experiment;
    QString m_source = u"sweep"_s;
    bool m_isSourceChosen = false;       // by the user
    std::map<QString, QString> m_edits;  // changed settings of the copy
    AnatomyModel m_original;
    QString m_originalSource;
    AnatomyModel m_model;
    std::vector<AnatomyModel> m_shown;  // the model, or the traditional and the modern one
    AnatomyView m_view;
    std::optional<AnatomyPicture> m_picture;  // of the shown models, once they were shown
    bool m_isStale = true;
    StageTimes m_times;  // of m_timedSpec; empty until they were measured
    std::optional<RunSpec> m_timedSpec;
    std::int64_t m_timedVocabulary = 0;

    QPointer<AnatomyPanel> m_panel;  // owned by this room until the window reparents it
    QWidget* m_bar = nullptr;
    QToolButton* m_single = nullptr;
    QToolButton* m_pair = nullptr;
    QToolButton* m_asPicture = nullptr;
    QToolButton* m_asTable = nullptr;
    QToolButton* m_fold = nullptr;
    QToolButton* m_measure = nullptr;
    QStackedWidget* m_pages = nullptr;
    QScrollArea* m_scroll = nullptr;
    FigureView* m_listing = nullptr;
    TextTable* m_stages = nullptr;
    QTableView* m_table = nullptr;
    QStringList m_tableIds;  // of the rows of the table; "" for the totals
    QLabel* m_notes = nullptr;
    QWidget* m_detail = nullptr;
    QWidget* m_weightsBox = nullptr;
    FigureView* m_stage = nullptr;
    FigureView* m_weights = nullptr;
    QComboBox* m_tensors = nullptr;
    ActivationPane* m_activation = nullptr;
    LatestJob m_timing;
    LatestJob m_job;  // the jobs are the last members, so that they are destroyed first
};

}  // namespace ropelab::ui
