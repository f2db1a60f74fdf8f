#pragma once

#include <QFrame>
#include <optional>

#include "core/experiment/sheets/sheet.h"
#include "ui/results/table_output.h"

class QComboBox;
class QGridLayout;
class QLabel;
class QLineEdit;
class QPushButton;

namespace ropelab::ui {

class Workspace;

/// The right panel of the Reproduce room: which sheet, how large, what it costs, and the button that starts it.
class ReproducePanel : public QFrame {
    Q_OBJECT

 public:
    struct Choice {
        std::string sheet;
        SheetScale scale = SheetScale::smoke;
        std::optional<std::int64_t> seeds;  // else the sheet's own number

        bool operator==(const Choice&) const = default;
    };
    /// What the buttons offer at the moment.
    struct Offer {
        QString text;             // of the first button
        bool isEnabled = false;   //
        QString why = {};         // as its tooltip
        bool hasAnother = false;  // whether the sheet can also be begun anew
    };

    explicit ReproducePanel(Workspace& workspace, QWidget* parent = nullptr);

    /// As the fields say. Throws BadInput for seeds that are no number.
    Choice choice() const;
    /// With the sheet's own seeds; no signal.
    void choose(const std::string& sheet, SheetScale scale);
    void offer(const Offer& offer);
    /// What the chosen sheet costs, or why it cannot be planned.
    void showCost(const QString& words);
    void showProblem(const QString& sentence);
    TableOutput& output() { return *m_output; }

    QComboBox* sheetBox() const { return m_sheet; }
    QComboBox* scaleBox() const { return m_scale; }
    QLineEdit* seedsField() const { return m_seeds; }
    QPushButton* startButton() const { return m_start; }
    QPushButton* anewButton() const { return m_anew; }
    QString costText() const;
    QString problem() const;

 signals:
    void changed();
    void startAsked();
    void anewAsked();

 private:
    void recall();
    void keep();

    Workspace& m_workspace;
    QComboBox* m_sheet;
    QComboBox* m_scale;
    QLineEdit* m_seeds;
    QLabel* m_cost;
    QLabel* m_problem;
    QPushButton* m_start;
    QPushButton* m_anew;
    TableOutput* m_output;
};

}  // namespace ropelab::ui
