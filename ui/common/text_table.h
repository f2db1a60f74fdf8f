#pragma once

#include <QAbstractTableModel>
#include <QString>
#include <vector>

namespace ropelab::ui {

class TextTable : public QAbstractTableModel {
    Q_OBJECT

 public:
    /// `success`, `warning` and `error` are for verdicts, `quiet` for cells without a verdict.
    enum class Tone { normal, quiet, success, warning, error };
    struct Column {
        QString title;
        QString why = {};
        bool isWord = false;  // left-aligned; numbers are right-aligned
    };
    struct Cell {
        QString text;
        QString tip = {};
        Tone tone = Tone::normal;
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

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
    Content m_content;
};

}  // namespace ropelab::ui
