#include "ui/theme/dialogs.h"

#include <QFileDialog>
#include <QFileInfo>
#include <QMessageBox>

namespace ropelab::ui {

using namespace Qt::StringLiterals;

namespace {

Dialogs* dialogsOfTests = nullptr;

/// "pdf" of "PDF (*.pdf)".
QString suffixOfFilter(const QString& filter) {
    return filter.section(u"*."_s, 1).section(QLatin1Char(')'), 0, 0);
}

}  // namespace

QString Dialogs::open(QWidget* parent, const FileQuestion& question) {
    return QFileDialog::getOpenFileName(parent, question.title, question.path, question.filters);
}

QStringList Dialogs::openSeveral(QWidget* parent, const FileQuestion& question) {
    return QFileDialog::getOpenFileNames(parent, question.title, question.path, question.filters);
}

QString Dialogs::save(QWidget* parent, const FileQuestion& question) {
    const QFileInfo proposal(question.path);
    QFileDialog dialog(parent, question.title, proposal.isAbsolute() ? proposal.path() : QString(), question.filters);
    dialog.setAcceptMode(QFileDialog::AcceptSave);
    dialog.setFileMode(QFileDialog::AnyFile);
    dialog.selectFile(proposal.fileName());
    dialog.setOption(QFileDialog::DontConfirmOverwrite, !question.replaces);
    // The dialog appends the suffix itself, so that it warns about the file that is really replaced.
    const auto follow = [&dialog](const QString& filter) { dialog.setDefaultSuffix(suffixOfFilter(filter)); };
    QObject::connect(&dialog, &QFileDialog::filterSelected, &dialog, follow);
    follow(dialog.selectedNameFilter());
    return dialog.exec() == QDialog::Accepted ? dialog.selectedFiles().value(0) : QString();
}

QString Dialogs::folder(QWidget* parent, const FileQuestion& question) {
    return QFileDialog::getExistingDirectory(parent, question.title, question.path);
}

bool Dialogs::confirm(QWidget* parent, const QString& title, const QString& question) {
    return QMessageBox::question(parent, title, question) == QMessageBox::Yes;
}

Dialogs& dialogs() {
    static Dialogs ofDesktop;
    return dialogsOfTests ? *dialogsOfTests : ofDesktop;
}

void setDialogs(Dialogs* others) {
    dialogsOfTests = others;
}

}  // namespace ropelab::ui
