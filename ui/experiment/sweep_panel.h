#pragma once

#include <QFrame>
#include <vector>

class QComboBox;
class QGridLayout;
class QLabel;
class QPushButton;
class QScrollArea;
class QVBoxLayout;

namespace ropelab::ui {

class ChipListEdit;
class KeyField;
class Workspace;

/// The right panel of the Train room: which sweep is next. It edits the workspace's experiment and redraws from it:
/// simple things first, every key behind "more settings", at the bottom what it will cost and the start button.
class SweepPanel : public QFrame {
    Q_OBJECT

 public:
    explicit SweepPanel(Workspace& workspace, QWidget* parent = nullptr);

    /// What the sweep will cost, or why it cannot start; as shown.
    QString estimateText() const;
    void setMoreShown(bool shown);
    /// Whether the room shows the runs and the queue; the button says so.
    void setPlanShown(bool shown);

 signals:
    void planAsked(bool shown);

 private:
    QWidget* makeSimple();
    QWidget* makeMore();
    QWidget* makeFooter();
    /// Zipped keys and exclusions.
    void addCombining(QGridLayout* grid);
    ChipListEdit* chips(const char* key, const QString& what, QString (*parse)(const QString&),
                        QString (*display)(const QString&), const QStringList& suggestions);
    QLabel* addChips(QGridLayout* grid, const QString& title, ChipListEdit* edit, const QString& why);
    void renew();
    void renewEstimate();
    void pickPreset(int index);

    Workspace& m_workspace;
    QScrollArea* m_area;
    QComboBox* m_preset;
    QLabel* m_summary;
    QLabel* m_runsLabel;
    ChipListEdit* m_runs;
    ChipListEdit* m_theta;
    ChipListEdit* m_fraction;
    ChipListEdit* m_seed;
    QPushButton* m_moreButton;
    QWidget* m_more;
    QLabel* m_estimate;
    QLabel* m_problem;
    QPushButton* m_plan;
    QPushButton* m_start;
    ChipListEdit* m_zips;
    ChipListEdit* m_exclusions;
    QPushButton* m_continue;
};

/// "6 runs, about 55 s, 180 MB", from the measured speed of this machine where there is one. Throws BadInput.
QString estimateSentence(const Workspace& workspace);

}  // namespace ropelab::ui
