#pragma once

#include <QAbstractTableModel>
#include <QString>
#include <QWidget>
#include <optional>
#include <span>
#include <vector>

#include "core/reproduce/rules/evaluate.h"
#include "ui/figure/figure.h"

class QLabel;
class QPlainTextEdit;
class QTableView;

namespace ropelab::ui {

class TextTable : public QAbstractTableModel {
    Q_OBJECT

 public:
    /// `success`, `warning` and `error` are for verdicts, `quiet` for cells without a verdict.
    enum class Tone { normal, quiet, success, warning, error };
    struct Column {
        QString title;
        QString why = {};
        bool isWord = false;      // left-aligned; numbers are right-aligned
        bool isVerbatim = false;  // spaces before "%" stay as they are, as in names that the user gave
    };
    struct Cell {
        QString text;
        QString tip = {};
        Tone tone = Tone::normal;
        std::optional<Ink> ink = {};  // of a disc before the text
    };
    struct Content {
        std::vector<Column> columns;
        std::vector<std::vector<Cell>> rows;  // each row has as many cells as there are columns
    };

    explicit TextTable(QObject* parent = nullptr);

    /// The selection is preserved if the columns' titles and the number of rows do not change.
    void setContent(Content content);
    const Content& content() const { return m_content; }
    /// −1 if there is none.
    int columnOf(const QString& title) const;

    int rowCount(const QModelIndex& parent = {}) const override {
        return parent.isValid() ? 0 : static_cast<int>(m_content.rows.size());
    }
    int columnCount(const QModelIndex& parent = {}) const override {
        return parent.isValid() ? 0 : static_cast<int>(m_content.columns.size());
    }
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
    Content m_content;
};

/// Columns fit into the widget's width, and long cells wrap up to a few lines; a field below the table then shows the
/// whole texts of the selected row. An empty table is hidden, and `nothing` replaces the introduction.
class TextList : public QWidget {
    Q_OBJECT

 public:
    /// `name` is the accessible name of the table, `words` the introduction above it.
    TextList(const QString& name, QString words, QString nothing, QWidget* parent = nullptr);

    /// `result` follows the introduction above a table that is not empty.
    void setContent(TextTable::Content content, const QString& result = {});
    TextTable& table() { return *m_table; }
    QTableView& view() { return *m_view; }
    QString words() const;
    /// Whole texts of the selected row, or of the first one; "" if no row is shortened.
    QString details() const;

 protected:
    void resizeEvent(QResizeEvent* event) override;

 private:
    void fitColumns();
    void showDetails();

    QString m_words;
    QString m_nothing;
    QLabel* m_label;
    TextTable* m_table;
    QTableView* m_view;
    QPlainTextEdit* m_details;
};

TextTable::Content predictionTable(std::span<const ScoredPrediction> predictions);
/// Counts of the outcomes and, if a prediction is scored, their joint calibration; "" if there are no predictions.
QString predictionWords(std::span<const ScoredPrediction> predictions);
/// For predictionTable(). `nothing` is the text that an empty list shows.
TextList* makePredictionList(const QString& nothing, QWidget* parent);

}  // namespace ropelab::ui
