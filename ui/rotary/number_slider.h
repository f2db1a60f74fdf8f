#pragma once

#include <QString>
#include <QWidget>
#include <functional>

class QLabel;
class QLineEdit;
class QSlider;

namespace ropelab::ui {

/// A quantity that is set by dragging or by typing: name, field with unit, slider beneath. Arrow keys step, Page Up and
/// Down step ten times as far. What cannot be read or is out of range is explained beneath, and the old value stays.
class NumberSlider : public QWidget {
    Q_OBJECT

 public:
    struct Options {
        QString label = {};
        QString unit = {};  // behind the field; "" for none
        double minimum = 0;
        double maximum = 1;
        bool logarithmic = false;
        /// The slider's and the field's values are multiples of this; 0: any.
        double step = 0;
        /// What a hand on the slider aims at; default: two digits where logarithmic, else nothing.
        std::function<double(double)> snap = {};
        /// Reads what is typed; may throw BadInput. Default: parse_number.
        std::function<double(const QString&)> parse = {};
        /// Writes a value. Default: short_number.
        std::function<QString(double)> text = {};
        QString why = {};  // formula, symbols and source, as tooltip
    };

    explicit NumberSlider(Options options, QWidget* parent = nullptr);

    double value() const { return m_value; }
    /// Shows a value; no signal.
    void setValue(double value);
    /// As typing and Enter do.
    void commit(const QString& typed);
    QString error() const;
    /// Formula, symbols with today's values, and source: the tooltip of its parts.
    void setWhy(const QString& why);

 signals:
    /// The person set another value; many times in a drag.
    void changed(double value);
    /// The hand let go, or Enter was pressed.
    void finished();

 private:
    double fromSlider(int position) const;
    int toSlider(double value) const;
    void offer(double value);
    void showError(const QString& sentence);

    Options m_options;
    double m_value = 0;
    QLabel* m_label;
    QLineEdit* m_field;
    QSlider* m_slider;
    QLabel* m_error;
    bool m_setting = false;
};

}  // namespace ropelab::ui
