#include "ui/shell/setting_name_dialog.h"

#include <QCoreApplication>
#include <QInputDialog>
#include <QLineEdit>

namespace ropelab::ui {

using namespace Qt::StringLiterals;

QInputDialog* openSettingName(const QString& automatic, const QString& current,
                              const std::function<void(const QString&)>& rename, QWidget* parent) {
    auto* dialog = new QInputDialog(parent);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setObjectName(u"setting-name"_s);
    dialog->setWindowTitle(u"Rename setting"_s);
    dialog->setLabelText(
        u"Name for the setting “%1” in all lists, legends and tables. An empty name restores the automatic name."_s.arg(
            automatic));
    dialog->setTextValue(current);
    QObject::connect(dialog, &QInputDialog::textValueSelected, parent, rename);
    dialog->show();  // creates the field
    if (auto* field = dialog->findChild<QLineEdit*>()) {
        field->setPlaceholderText(automatic);
        field->selectAll();
    }
    return dialog;
}

}  // namespace ropelab::ui
