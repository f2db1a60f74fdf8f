#pragma once

#include <QList>

#include "ui/theme/dialogs.h"

namespace ropelab::ui {

/// Answers the questions of the program as long as it lives.
class AnsweredDialogs : public Dialogs {
 public:
    AnsweredDialogs() { setDialogs(this); }
    ~AnsweredDialogs() override { setDialogs(nullptr); }

    QString path;      // answer to all questions for a file or a folder; "" cancels
    bool yes = false;  // answer to all others
    QList<FileQuestion> questions;

    QString open(QWidget*, const FileQuestion& question) override { return answer(question); }
    QStringList openSeveral(QWidget*, const FileQuestion& question) override {
        const QString file = answer(question);
        return file.isEmpty() ? QStringList() : QStringList{file};
    }
    QString save(QWidget*, const FileQuestion& question) override { return answer(question); }
    QString folder(QWidget*, const FileQuestion& question) override { return answer(question); }
    bool confirm(QWidget*, const QString&, const QString&) override { return yes; }

 private:
    QString answer(const FileQuestion& question) {
        questions << question;
        return path;
    }
};

}  // namespace ropelab::ui
