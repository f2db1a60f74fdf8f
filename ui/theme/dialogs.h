#pragma once

#include <QString>
#include <QStringList>

class QWidget;

namespace ropelab::ui {

/// A question for a file or a folder.
struct FileQuestion {
    QString title;
    QString path = {};     // the proposal: a folder to begin in, or the name of a file
    QString filters = {};  // "PDF (*.pdf);;HTML (*.html)"; "" for all files
    bool replaces = true;  // false: several files with other names are written, so that an existing file is no reason
                           // to warn
};

/// Questions that wait for the answer of the user. Tests answer them in a subclass; see setDialogs().
class Dialogs {
 public:
    virtual ~Dialogs() = default;

    /// All paths are "" if the user cancels.
    virtual QString open(QWidget* parent, const FileQuestion& question);
    virtual QStringList openSeveral(QWidget* parent, const FileQuestion& question);
    /// A name that was typed without a suffix gets that of the chosen filter.
    virtual QString save(QWidget* parent, const FileQuestion& question);
    virtual QString folder(QWidget* parent, const FileQuestion& question);
    virtual bool confirm(QWidget* parent, const QString& title, const QString& question);
};

/// Those of the desktop unless others were set.
Dialogs& dialogs();
/// Null for those of the desktop.
void setDialogs(Dialogs* others);

}  // namespace ropelab::ui
