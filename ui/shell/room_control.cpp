#include "ui/shell/room_control.h"

#include <QComboBox>
#include <QSpinBox>
#include <cmath>

#include "core/base/error.h"
#include "core/base/numbers.h"
#include "ui/controls/number_slider.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

namespace {

BadInput badControl(const QString& name, const QString& why) {
    return BadInput(u"The control %1 cannot be set: %2"_s.arg(name, why).toStdString());
}

/// By data or text; −1 if there is none.
int entryOf(const QComboBox& choice, const QString& value) {
    for (int i = 0; i < choice.count(); ++i) {
        if (choice.itemData(i).isValid() && choice.itemData(i).toString() == value) return i;
    }
    return choice.findText(value, Qt::MatchFixedString);
}

}  // namespace

RoomControl controlOf(const QString& name, NumberSlider* slider) {
    return {name,
            [name, slider](const QString& value) {
                slider->commit(value);
                if (!slider->error().isEmpty()) throw badControl(name, slider->error());
            },
            [slider] { return QVariant(slider->value()); }, slider};
}

RoomControl controlOf(const QString& name, QComboBox* choice) {
    return {name,
            [name, choice](const QString& value) {
                const int entry = entryOf(*choice, value);
                if (entry < 0) {
                    QStringList known;
                    for (int i = 0; i < choice->count(); ++i) known << choice->itemText(i);
                    throw badControl(name, u"\"%1\" is not a value of the control; the values are %2."_s.arg(
                                               value, known.join(u", "_s)));
                }
                choice->setCurrentIndex(entry);
                emit choice->activated(entry);
            },
            [choice] {
                const QVariant data = choice->currentData();
                return data.isValid() ? QVariant(data.toString()) : QVariant(choice->currentText());
            },
            choice};
}

RoomControl controlOf(const QString& name, QSpinBox* field) {
    return {name,
            [name, field](const QString& value) {
                const std::int64_t number = controlWhole(name, value);
                if (number < field->minimum() || number > field->maximum()) {
                    throw badControl(name, u"the value is %1, but it must be between %2 and %3."_s.arg(number)
                                               .arg(field->minimum())
                                               .arg(field->maximum()));
                }
                field->setValue(static_cast<int>(number));
            },
            [field] { return QVariant(field->value()); }, field};
}

double controlNumber(const QString& name, const QString& text) {
    try {
        return parse_number(text.toStdString());
    } catch (const BadInput& error) {
        throw badControl(name, QString::fromStdString(error.what()));
    }
}

std::int64_t controlWhole(const QString& name, const QString& text) {
    const double number = controlNumber(name, text);
    if (std::abs(number) > 1e15) throw badControl(name, u"%1 is too large; the largest number is 1e15."_s.arg(text));
    return std::llround(number);
}

bool controlSwitch(const QString& name, const QString& text) {
    if (text == "on"_L1 || text == "off"_L1) return text == "on"_L1;
    throw badControl(name, u"the value must be on or off, but it is \"%1\"."_s.arg(text));
}

}  // namespace ropelab::ui
