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

    /// Names (TableStyle::columns) and titles, in the order of the table. `inPaper` are the names that the preset
    /// `paper` stands for.
    void setColumns(const QList<QPair<QString, QString>>& columns, const QStringList& inPaper);
    /// As in TableStyle::columns: {"full"}, {"paper"}, or names of columns.
    std::vector<std::string> columns() const;
    QString words() const { return m_chosen.join(QLatin1Char(',')); }
    /// "" selects the preset `full`.
    void choose(const QString& words);
    QStringList shown() const;
    void setShown(const QStringList& names);
    QAction* actionOf(const QString& name) const;

 signals:
    void changed();

 private:
    void refill();
    void renewChecks();
    void toggleColumn(const QString& name, bool on);
    void choosePreset(const QString& name);
    QStringList namesOf(const QString& preset) const;

    QList<QPair<QString, QString>> m_columns;
    QStringList m_inPaper;
    QStringList m_chosen = {QStringLiteral("full")};
};

}  // namespace ropelab::ui
