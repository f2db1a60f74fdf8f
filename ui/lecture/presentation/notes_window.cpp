#include "ui/lecture/presentation/notes_view.h"

#include <QGuiApplication>
#include <QScreen>
#include <QVBoxLayout>

namespace ropelab::ui {

using namespace Qt::StringLiterals;

NotesWindow::NotesWindow(QWidget* parent) : QWidget(parent, Qt::Window), m_view(new NotesView(false, this)) {
    setWindowTitle(u"Notes of the lecture"_s);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(m_view);
}

bool NotesWindow::showBeside(const QWidget& presented) {
    const QScreen* taken = presented.screen();
    for (QScreen* each : QGuiApplication::screens()) {
        if (each == taken) continue;
        setScreen(each);
        const QRect free = each->availableGeometry();
        setGeometry(free.adjusted(free.width() / 8, free.height() / 8, -free.width() / 8, -free.height() / 8));
        show();
        return true;
    }
    return false;
}

}  // namespace ropelab::ui
