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

/// A control of a room that a lecture can set, read and show.
struct RoomControl {
    QString name;  // "theta"
    /// Sets the control from text. Throws BadInput if the text is no valid value.
    std::function<void(const QString&)> set;
    /// Returns the current value, a number or a text.
    std::function<QVariant()> value;
    /// The widget that the user operates; null if there is none.
    QWidget* widget = nullptr;
};

/// Returns the control of a slider, whose value it reads and types.
RoomControl controlOf(const QString& name, NumberSlider* slider);
/// Returns the control of a list. A value is the data of an entry or, in any case, its text.
RoomControl controlOf(const QString& name, QComboBox* choice);
RoomControl controlOf(const QString& name, QSpinBox* field);

/// Parses a number, such as "500k". Throws BadInput, which names the control, if it is none.
double controlNumber(const QString& name, const QString& text);
/// Parses a whole number. A number that glides is rounded.
std::int64_t controlWhole(const QString& name, const QString& text);
/// Parses "on" or "off". Throws BadInput for another text.
bool controlSwitch(const QString& name, const QString& text);

}  // namespace ropelab::ui
