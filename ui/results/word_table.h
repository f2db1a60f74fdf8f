#pragma once

#include <QAbstractTableModel>
#include <QString>
#include <vector>

namespace ropelab::ui {

/// A table whose cells are words and numbers written out, each with a reason on hover and a tone.
class WordTable : public QAbstractTableModel {
    Q_OBJECT

 public:
    /// `success`, `warning` and `error` for verdicts; `quiet` for what is not judged.
    enum class Tone { normal, quiet, success, warning, error };
    struct Column {
        QString title;
        QString why = {};
        bool isWord = false;  // stands at the left
    };
    struct Cell {
        QString text;
        QString tip = {};
        Tone tone = Tone::normal;
    };
    struct Content {
        std::vector<Column> columns;
        std::vector<std::vector<Cell>> rows;  // as long as `columns`
    };

    explicit WordTable(QObject* parent = nullptr);

    /// Keeps what is picked where the shape stays.
    void setContent(Content content);
    const Content& content() const { return m_content; }
    /// −1 where there is none.
    int columnOf(const QString& title) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
    Content m_content;
};

}  // namespace ropelab::ui
