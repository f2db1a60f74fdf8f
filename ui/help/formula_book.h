#pragma once

#include <QDialog>
#include <QList>
#include <QString>
#include <QTimer>

class QLineEdit;
class QTextBrowser;
class QTextDocument;

namespace ropelab::ui {

/// Numbers in "formula 12", "formulas 12 and 13" or "formulas 18 to 20, 22 and 23", each once, in the order of the
/// text.
QList<int> formulasIn(const QString& text);

struct FormulaTitle {
    int number;
    QString title;    // "YaRN"
    QString section;  // "Context extension"
};
const QList<FormulaTitle>& formulaTitles();

/// Non-modal; shows docs/formulas.md.
class FormulaBook : public QDialog {
    Q_OBJECT

 public:
    explicit FormulaBook(QWidget* parent = nullptr);

    /// Scrolls the heading to the top and selects it. Returns false if there is no formula with this number.
    bool showFormula(int number);
    QString currentHeading() const;

    QLineEdit* search() const { return m_search; }
    QTextBrowser* page() const { return m_page; }

 protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

 private:
    enum class Step { stay, next, previous };
    void render();
    void seek(Step step);
    void showAtTop(int position);
    void setNotFound(bool notFound);

    QLineEdit* m_search;
    QTextBrowser* m_page;
    int m_top = 0;      // the text position at the top of the visible page
    QTimer m_scrolled;  // updates m_top after scrolling, when the event loop is idle
};

}  // namespace ropelab::ui
