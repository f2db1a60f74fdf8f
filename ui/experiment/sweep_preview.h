#pragma once

#include <QFrame>

#include "core/experiment/preview.h"

class QLabel;
class QPushButton;
class QTreeWidget;

namespace ropelab::ui {

class Workspace;

/// The sweep that the panel describes, before it starts: its runs as a table of what differs, under the cohorts in
/// which they train, with time and memory from the estimate or, when asked, measured here. A run can be left out.
class SweepPreview : public QFrame {
    Q_OBJECT

 public:
    explicit SweepPreview(Workspace& workspace, QWidget* parent = nullptr);

    /// As shown; empty where the experiment does not hold together.
    const Preview& preview() const { return m_preview; }
    /// "6 runs in 1 cohort, about 55 s, 180 MB (estimated)", or why it does not hold together.
    QString summary() const;
    /// What it repeats, and which texts are not there; "" where neither.
    QString notes() const;
    QTreeWidget& table() { return *m_table; }
    QPushButton& leaveOutButton() { return *m_leaveOut; }
    /// Excludes the runs that train the model of another one.
    void leaveOutSame();
    /// Excludes runs that have this one's values in all keys that differ. Nothing where no key does.
    void leaveOut(std::size_t run);

 public slots:
    /// A few steps of each cohort, on a thread of their own.
    void measure();

 protected:
    void showEvent(QShowEvent* event) override;

 private:
    void renew();
    void fill();
    void fillCosts();
    void renewButton();
    void take(const Measurement& measurement);
    void openMenu(const QPoint& where);

    Workspace& m_workspace;
    Preview m_preview;
    bool m_stale = true;      // the experiment changed while this was hidden
    bool m_measures = false;  // what is on show
    QLabel* m_title;
    QLabel* m_notes;
    QTreeWidget* m_table;
    QPushButton* m_measure;
    QPushButton* m_leaveOut;
};

/// "about 55 s, 180 MB (measured)".
QString costText(double seconds, std::int64_t bytes, bool measured);

}  // namespace ropelab::ui
