#pragma once

#include <QDialog>
#include <QList>
#include <QString>
#include <QTimer>

class QLineEdit;
class QListWidget;
class QListWidgetItem;
class QTextBrowser;
class QToolButton;
class QUrl;

namespace ropelab::ui {

/// Non-modal; shows the pages of docs/, with a list of the pages or, while something is typed, of the sections found.
class Guide : public QDialog {
    Q_OBJECT

 public:
    explicit Guide(QWidget* parent = nullptr);

    /// `page` is "train.md", or "train.md#data" for one of its headings. Returns false if there is none.
    bool showPage(const QString& page);
    /// Scrolls the heading to the top. Returns false if there is no formula with this number.
    bool showFormula(int number);
    /// A step through the shown pages: −1 back, 1 forward.
    void travel(int step);
    /// "train.md"
    const QString& file() const { return m_file; }
    /// The nearest heading at or above the top of the visible part.
    QString currentHeading() const;

    QLineEdit* search() const { return m_search; }
    QTextBrowser* page() const { return m_page; }
    QListWidget* list() const { return m_list; }

 protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

 private:
    void render();
    void follow(const QUrl& link);
    void showFile(const QString& file);
    void list(const QString& typed);
    void go(const QListWidgetItem* item);
    void step(int rows);
    /// `anchor` is one of the rendered page.
    void showAnchor(const QString& anchor);
    void showAtTop(int position);

    QToolButton* m_back;
    QToolButton* m_forward;
    QLineEdit* m_search;
    QListWidget* m_list;
    QTextBrowser* m_page;
    struct Place {
        QString page;
        int top = 0;  // m_top when the page was left
    };
    QList<Place> m_places;  // shown pages, oldest first
    qsizetype m_at = -1;    // the current one
    QString m_file;
    int m_top = 0;      // the text position at the top of the visible page
    QTimer m_scrolled;  // updates m_top after scrolling, when the event loop is idle
    QTimer m_resized;   // fits the pictures to the new width
};

}  // namespace ropelab::ui
