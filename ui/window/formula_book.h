#pragma once

#include <QDialog>
#include <QList>
#include <QString>
#include <QTimer>

class QLineEdit;
class QTextBrowser;
class QTextDocument;

namespace ropelab::ui {

/// The formulas that a text names, as "formula 12", "formulas 12 and 13" or "formulas 18 to 20, 22 and 23": each once,
/// in the text's order.
QList<int> formulasIn(const QString& text);

/// docs/formulas.md to read in: every formula by its number, with its source. Not modal; show it with show().
class FormulaBook : public QDialog {
    Q_OBJECT

 public:
    explicit FormulaBook(QWidget* parent = nullptr);

    /// Brings a formula's heading to the top and marks it. False where the book has none of that number.
    bool showFormula(int number);
    /// The heading that stands at the top of what one sees.
    QString present() const;

    QLineEdit* search() const { return m_search; }
    QTextBrowser* page() const { return m_page; }

 protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

 private:
    enum class Step { stay, next, previous };
    void render();
    void seek(Step step);
    void showAtTop(int position);
    void markWrong(bool wrong);

    QLineEdit* m_search;
    QTextBrowser* m_page;
    int m_top = 0;      // the place in the text that stands at the top
    QTimer m_scrolled;  // looks for it once nothing else is going on
};

}  // namespace ropelab::ui
