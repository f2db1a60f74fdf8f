#include "ui/theme/dialogs.h"

#include <gtest/gtest.h>

#include <QApplication>
#include <QFileDialog>
#include <QTemporaryDir>
#include <QTimer>

namespace ropelab::ui {
namespace {

/// Types `name` into the dialog that asks, after choosing `filter`, and confirms it.
QString saved(const FileQuestion& question, const QString& name, const QString& filter = {}) {
    QTimer::singleShot(0, qApp, [&] {
        auto* dialog = qobject_cast<QFileDialog*>(QApplication::activeModalWidget());
        ASSERT_NE(dialog, nullptr);
        if (!filter.isEmpty()) {
            dialog->selectNameFilter(filter);
            emit dialog->filterSelected(filter);
        }
        dialog->selectFile(name);
        QMetaObject::invokeMethod(dialog, "accept");
    });
    return Dialogs().save(nullptr, question);
}

TEST(Dialogs, ATypedNameGetsTheSuffixOfTheChosenFilter) {
    const QTemporaryDir folder;
    const QString before = folder.filePath("before.pdf");
    const FileQuestion question{.title = "Slides", .path = before, .filters = "PDF (*.pdf);;HTML (*.html);;Folder (*)"};
    EXPECT_EQ(saved(question, "slides"), folder.filePath("slides.pdf"));
    EXPECT_EQ(saved(question, "slides", "HTML (*.html)"), folder.filePath("slides.html"));
    EXPECT_EQ(saved(question, "slides", "Folder (*)"), folder.filePath("slides"));
    EXPECT_EQ(saved(question, "slides.svg"), folder.filePath("slides.svg"));
    EXPECT_EQ(saved({.title = "Table", .path = before}, "table"), folder.filePath("table"));
}

}  // namespace
}  // namespace ropelab::ui
