#pragma once

#include <QWidget>

#include "ui/results/word_table.h"

class QLabel;
class QTableView;

namespace ropelab::ui {

/// A list of sentences under its words: the columns share the width so that all are in sight, and long cells wrap.
/// Where it is empty, `nothing` stands there alone.
class WordList : public QWidget {
    Q_OBJECT

 public:
    WordList(const QString& name, QString words, QString nothing, QWidget* parent = nullptr);

    void setContent(WordTable::Content content);
    WordTable& table() { return *m_table; }
    QTableView& view() { return *m_view; }
    /// The sentence above the list.
    QString words() const;

 protected:
    void resizeEvent(QResizeEvent* event) override;

 private:
    void fitColumns();

    QString m_words;
    QString m_nothing;
    QLabel* m_label;
    WordTable* m_table;
    QTableView* m_view;
};

}  // namespace ropelab::ui
