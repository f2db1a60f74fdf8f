#pragma once

#include <QWidget>

class QScreen;

namespace ropelab::ui {

class NotesView;

class NotesWindow : public QWidget {
    Q_OBJECT

 public:
    explicit NotesWindow(QWidget* parent = nullptr);

    NotesView& view() { return *m_view; }
    /// Uses a screen other than that of `presented`. Returns false, and shows nothing, if there is none.
    bool showBeside(const QWidget& presented);

 private:
    NotesView* m_view;
};

}  // namespace ropelab::ui
