#pragma once

#include <QIcon>
#include <QLabel>
#include <QLayout>
#include <QTimer>
#include <QWidget>
#include <functional>
#include <string>
#include <vector>

#include "core/contract/event.h"
#include "ui/plot/curve_bands.h"
#include "ui/session/run_store.h"
#include "ui/shell/room_control.h"

class QBoxLayout;
class QComboBox;
class QHBoxLayout;
class QPushButton;
class QToolButton;

namespace ropelab::ui {

class RunStore;
struct RunView;

/// The visible runs that differ only in their seed, in order of first appearance, labelled "θ 10k, 100 %, 3 seeds". A
/// run without other seeds is a group of its own. Of runs with equal settings and equal seed, only the first belongs to
/// the group.
std::vector<CurveGroup> seedGroups(const RunStore& runs);
/// What the visible finished runs show: the largest significant difference between their settings, as the Results room
/// tests it, or else the setting that is ahead, with the words of the test. Empty for fewer than two settings.
/// `margin`: as ResultsOptions has it.
struct RunsVerdict {
    QString headline;
    QString details;
};
/// What the verdict needs of a visible run.
struct ComparedRun {
    RunId id;
    std::int64_t seed;
    std::shared_ptr<const nlohmann::json> changed;
    ResultRun result;  // settings: of `changed` and `seed`, when they are compared
};
std::vector<ComparedRun> visibleRuns(const std::vector<RunView>& runs);
/// On any thread; `groups` are the seedGroups() of the runs.
RunsVerdict verdictOf(std::vector<ComparedRun> runs, const std::vector<CurveGroup>& groups, bool perByte,
                      const std::string& margin);
/// While runs train: the setting that is ahead at the last step that all of them have reached.
RunsVerdict verdictSoFar(const RunStore& store, bool perByte);

bool anyRepeats(const std::vector<CurveGroup>& groups);

/// Row below the pictures: it folds the list of runs, says how many runs are shown, and selects which. Single runs are
/// hidden in the list.
class RunScope : public QWidget {
    Q_OBJECT

 public:
    enum class Scope { all, sweep, run, setting, ticked };

    explicit RunScope(RunStore& runs, QWidget* parent = nullptr);

    /// `ticked` if the visible runs are none of the other selections.
    Scope scope() const { return m_scope; }
    /// Does nothing for `setting` and `ticked`, and for `run` if no run is picked.
    void showRuns(Scope scope);
    void showSetting(const std::string& setting);
    /// 0: no run is picked. If the plot shows the picked run only, it shows this run from now on.
    void setPicked(RunId run);
    /// "12 runs of earlier sweeps are hidden"; "" if all are shown.
    QString hiddenText() const { return m_hidden->text(); }

    /// The control "scope": all, sweep or run.
    RoomControl control();
    void addButton(QWidget* button);
    /// In a narrow page, the buttons are below the choice.
    QSize minimumSizeHint() const override;

    QComboBox* choice() const { return m_choice; }
    QPushButton* foldButton() const { return m_fold; }
    void setListShown(bool shown);
    QToolButton* showAllButton() const { return m_showAll; }

 protected:
    void resizeEvent(QResizeEvent* event) override;

 private:
    struct Setting {
        QString text;
        std::string key;
        QIcon icon;
        bool pinned;
    };
    bool contains(Scope scope, const RunView& run) const;
    bool isShown(Scope scope) const;
    void apply(Scope scope);
    void choose(int index);
    void renew();
    void renewSettings();

    RunStore& m_runs;
    Scope m_scope = Scope::sweep;
    std::string m_setting;
    std::vector<Setting> m_settings;  // of the lab's runs, pinned ones first; of hundreds, the first ones
    RunId m_picked = 0;
    std::int64_t m_latest = 0;  // id of the latest experiment
    QTimer m_renewal;           // after runs were hidden or shown
    bool m_isStale = false;     // m_settings are those of other runs
    bool m_listShown = false;
    QBoxLayout* m_rows = nullptr;
    QHBoxLayout* m_buttons = nullptr;
    QPushButton* m_fold;
    QComboBox* m_choice;
    QLabel* m_hidden;
    QToolButton* m_showAll;
};

}  // namespace ropelab::ui
