#pragma once

#include <QString>
#include <QVariant>
#include <QWidget>
#include <cstdint>
#include <functional>

class QComboBox;
class QSpinBox;

namespace ropelab::ui {

class NumberSlider;

/// A control that a lecture can set, read and show.
struct RoomControl {
    QString name;  // "theta"
    /// Throws BadInput if the text is no valid value.
    std::function<void(const QString&)> set;
    /// A number or a text.
    std::function<QVariant()> value;
    /// Null if there is none.
    QWidget* widget = nullptr;
};

/// What the user chooses; each scene of a lecture begins with the standard, whether its controls can change it or not.
struct RoomChoice {
    std::function<QVariant()> value;
    std::function<void(const QVariant&)> set;
    QVariant standard;
};

RoomControl controlOf(const QString& name, NumberSlider* slider);
/// A value is the data of an entry or its text in any case.
RoomControl controlOf(const QString& name, QComboBox* choice);
RoomControl controlOf(const QString& name, QSpinBox* field);

/// Parses a number, such as "500k". Throws BadInput, which names the control.
double controlNumber(const QString& name, const QString& text);
/// A number that glides is rounded.
std::int64_t controlWhole(const QString& name, const QString& text);
/// "on" or "off". Throws BadInput for another text.
bool controlSwitch(const QString& name, const QString& text);

}  // namespace ropelab::ui
