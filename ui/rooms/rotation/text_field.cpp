#include "ui/rooms/rotation/text_field.h"

#include <QCoreApplication>
#include <QLineEdit>

#include "ui/rooms/rotation/rotation_text.h"

namespace ropelab::ui {

QLineEdit* makeTextField(QWidget* parent) {
    auto* field = new QLineEdit(parent);
    field->setMaxLength(2000);
    field->setAccessibleName(rotation::tr("Text whose tokens are shown"));
    field->setPlaceholderText(rotation::tr("a text"));
    field->setToolTip(
        rotation::tr("The words of this text are the tokens; a text without spaces is split into its characters."));
    return field;
}

}  // namespace ropelab::ui
