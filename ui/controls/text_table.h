#pragma once

#include <QAbstractTableModel>
#include <QString>
#include <QStringList>
#include <QWidget>
#include <optional>
#include <span>
#include <vector>

#include "core/reproduce/rules/evaluate.h"
#include "ui/figure/figure.h"

class QLabel;

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
        std::vector<std::vector<Cell>> rows;  // each row has as many cells as there are columns, or none: cellAt()
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

 protected:
    /// As in content(); a table with many rows makes its cells when they are shown.
    virtual Cell cellAt(std::size_t row, std::size_t column) const { return m_content.rows[row][column]; }

 private:
    Content m_content;
};

/// A card per row of a table, with whole texts: the cells with a verdict and the short ones are in its first line, each
/// long text is a paragraph. Without rows, `nothing` replaces the introduction.
class TextList : public QWidget {
    Q_OBJECT

 public:
    /// `name` is the accessible name of the list, `words` the introduction above it.
    TextList(const QString& name, QString words, QString nothing, QWidget* parent = nullptr);

    /// `result` follows the introduction above a list that is not empty.
    void setContent(TextTable::Content content, const QString& result = {});
    TextTable& table() { return *m_table; }
    QString words() const;
    /// The texts of a card, line by line.
    QString cardText(int row) const;

 private:
    void makeCards();
    QWidget* makeCard(int row);

    QString m_words;
    QString m_nothing;
    QLabel* m_label;
    TextTable* m_table;
    QWidget* m_content;
    QWidget* m_cards = nullptr;
    QStringList m_shown;  // texts of the cards
};

TextTable::Content predictionTable(std::span<const ScoredPrediction> predictions);
/// Counts of the outcomes and, if a prediction is scored, their joint calibration; "" if there are no predictions.
QString predictionWords(std::span<const ScoredPrediction> predictions);
/// For predictionTable(). `nothing` is the text that an empty list shows.
TextList* makePredictionList(const QString& nothing, QWidget* parent);

}  // namespace ropelab::ui
