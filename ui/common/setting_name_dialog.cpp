#include "ui/common/setting_name_dialog.h"

#include <QCoreApplication>
#include <QInputDialog>
#include <QLineEdit>

namespace ropelab::ui {

QInputDialog* openSettingName(const QString& automatic, const QString& current,
                              const std::function<void(const QString&)>& rename, QWidget* parent) {
    const auto tr = [](const char* text) { return QCoreApplication::translate("SettingName", text); };
    auto* dialog = new QInputDialog(parent);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setObjectName(QStringLiteral("setting-name"));
    dialog->setWindowTitle(tr("Rename setting"));
    dialog->setLabelText(
        tr("Name of the setting “%1” in all lists, legends and tables. An empty name restores this one.")
            .arg(automatic));
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
