#pragma once

#include <QPointer>
#include <QString>
#include <QWidget>
#include <functional>

class QLabel;
class QLineEdit;
class QSlider;

namespace ropelab::ui {

class FieldNote;

/// A number field with a slider beside it. Invalid input is explained below, and the old value remains.
class NumberSlider : public QWidget {
    Q_OBJECT
    Q_PROPERTY(double value READ value WRITE setValue USER true)

 public:
    struct Options {
        QString label = {};
        QString title = {};  // shown before the field; empty: the label
        QString unit = {};   // shown in the field; empty for none
        double minimum = 0;
        double maximum = 1;
        bool logarithmic = false;
        /// 0 allows any value.
        double step = 0;
        /// Default: two significant digits if logarithmic, otherwise no rounding.
        std::function<double(double)> snap = {};
        /// May throw BadInput. Default: parse_number.
        std::function<double(const QString&)> parse = {};
        /// Default: short_number.
        std::function<QString(double)> text = {};
        QString why = {};  // tooltip: formula, symbols and source
    };

    explicit NumberSlider(Options options, QWidget* parent = nullptr);

    double value() const { return m_value; }
    /// Says so in place of the slider; the field still sets the value.
    void showWithoutEffect();
    /// Emits no signal.
    void setValue(double value);
    /// Like typing `typed` and pressing Enter.
    void commit(const QString& typed);
    /// Explanation of invalid input; "" if the input is valid.
    QString error() const;
    /// Tooltip of the label, the field and the slider: formula, symbols with their values, and source.
    void setPartToolTips(const QString& why);

 signals:
    /// By the user; emitted repeatedly during a drag.
    void changed(double value);
    /// The user released the slider or pressed Enter.
    void finished();

 private:
    double fromSlider(int position) const;
    int toSlider(double value) const;
    void setAndNotify(double value);
    void showError(const QString& sentence);

    Options m_options;
    double m_value = 0;
    QLabel* m_label;
    QLineEdit* m_field;
    QSlider* m_slider;
    QPointer<FieldNote> m_error;  // floats in another widget, which may be deleted first
    bool m_setting = false;
};

}  // namespace ropelab::ui
