#pragma once

#include <QFrame>
#include <QLabel>
#include <optional>

#include "core/reproduce/rules/sheet.h"
#include "ui/controls/form.h"
#include "ui/controls/table_view.h"

class QPushButton;
class QVBoxLayout;

namespace ropelab::ui {

class DataOffer;
class Settings;

/// Chooses sheet, scale and number of seeds; shows the estimated cost and the button that starts the sheet.
class ReproducePanel : public QFrame {
    Q_OBJECT

 public:
    struct Choice {
        std::string sheet;
        SheetScale scale = SheetScale::smoke;
        std::optional<std::int64_t> seeds;  // none: the sheet's default

        bool operator==(const Choice&) const = default;
    };
    struct Offer {
        QString text;  // text of the start button
        bool isEnabled = false;
        QString why = {};         // tooltip of the start button
        bool hasAnother = false;  // whether the sheet can also be started again in another lab
        bool isRecommended = true;
    };

    explicit ReproducePanel(Settings& settings, QWidget* parent = nullptr);

    /// Throws BadInput if the number of seeds is not a number.
    Choice choice() const;
    /// Sets the sheet's default number of seeds; emits no signal.
    void choose(const std::string& sheet, SheetScale scale);
    void offer(const Offer& offer);
    void showCost(const QString& words) { m_cost->setText(words); }
    /// Shows in the place of the cost why the chosen sheet cannot be planned; "" shows the cost again.
    void showProblem(const QString& sentence);
    /// Offers to download known data sets that the sheet lacks; hidden if there are none.
    void offerSets(const std::vector<std::string>& names);
    DataOffer& download() { return *m_download; }
    TableOutput& output() { return *m_output; }
    /// The claim whose effects the figure shows, below the fields of the sheet.
    void addClaimChoice(QWidget* choice);
    /// The state of the sheet, which the room sets.
    QLabel* stateLabel() const { return m_state; }

    /// "sheet", "scale" and "seeds".
    Form& form() { return m_form; }
    QPushButton* startButton() const { return m_start; }
    QPushButton* startAgainButton() const { return m_startAgain; }
    QString costText() const { return m_cost->text(); }
    QString problem() const { return m_problem->text(); }

 signals:
    void changed();
    void startAsked();
    void startAgainAsked();
    void setsDownloaded();

 private:
    void loadSettings();
    void saveSettings();

    Settings& m_settings;
    Form m_form;
    QVBoxLayout* m_sheetColumn;
    QLabel* m_state;
    QLabel* m_cost;
    QLabel* m_problem;
    QPushButton* m_start;
    DataOffer* m_download;
    QPushButton* m_startAgain;
    TableOutput* m_output;
};

}  // namespace ropelab::ui
