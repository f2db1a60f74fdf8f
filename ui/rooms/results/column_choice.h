#pragma once

#include <QList>
#include <QPair>
#include <QString>
#include <QToolButton>
#include <string>
#include <vector>

class QAction;

namespace ropelab::ui {

/// A button with a menu that chooses the columns of the results table: a preset, or single columns. The table's header
/// changes their order (setShown).
class ColumnChoice : public QToolButton {
    Q_OBJECT

 public:
    explicit ColumnChoice(QWidget* parent = nullptr);

    /// Replaces the single columns of the menu: names (TableStyle::columns) and titles, in the order of the table.
    /// `inPaper` are the names that the preset `paper` stands for.
    void setColumns(const QList<QPair<QString, QString>>& columns, const QStringList& inPaper);
    /// Returns the chosen columns as in TableStyle::columns: {"full"}, {"paper"}, or names of columns.
    std::vector<std::string> columns() const;
    /// Returns the chosen columns as one text, with commas.
    QString words() const { return m_chosen.join(QLatin1Char(',')); }
    /// Selects the columns of such a text; "" selects the preset `full`.
    void choose(const QString& words);
    /// Returns the names of the columns that are shown now, in their order.
    QStringList shown() const;
    /// Selects these columns in this order, as the user does.
    void setShown(const QStringList& names);
    /// Returns the menu's action of a preset or a column; null if there is none.
    QAction* actionOf(const QString& name) const;

 signals:
    /// The user chose other columns.
    void changed();

 private:
    void refill();
    void renewChecks();
    void toggleColumn(const QString& name, bool on);
    void choosePreset(const QString& name);
    /// Returns the names of a preset's columns.
    QStringList namesOf(const QString& preset) const;

    QList<QPair<QString, QString>> m_columns;
    QStringList m_inPaper;
    QStringList m_chosen = {QStringLiteral("full")};
};

}  // namespace ropelab::ui
