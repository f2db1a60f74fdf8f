#include "ui/controls/number_slider.h"

#include <QBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QSlider>
#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/error.h"
#include "core/base/numbers.h"
#include "ui/common/choice_words.h"
#include "ui/common/format.h"
#include "ui/common/scaled.h"
#include "ui/controls/field_note.h"
#include "ui/controls/fields.h"
#include "ui/theme/theme_manager.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;
namespace {

constexpr int kPositions = 1000;
constexpr int kFieldWidth = 128;  // in pixels at a window scale of 100 %: "1,048,576" and "tokens"

}  // namespace

NumberSlider::NumberSlider(Options options, QWidget* parent)
    : QWidget(parent),
      m_options(std::move(options)),
      m_label(new QLabel(m_options.title.isEmpty() ? m_options.label : m_options.title, this)),
      m_field(new QLineEdit(this)),
      m_slider(new QSlider(Qt::Horizontal, this)),
      m_error(new FieldNote(this)) {
    if (!m_options.parse) {
        m_options.parse = [](const QString& typed) { return parse_number(typed.toStdString()); };
    }
    if (!m_options.text) {
        m_options.text = [](double value) { return QString::fromStdString(short_number(value)); };
    }
    // A panel with too many fields scrolls instead of making its fields lower, which would cut their texts.
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Minimum);
    // The columns of the panel's field grid, with the slider beside the field.
    auto* row = scaledRow(this, 8);
    m_label->setProperty("quiet", true);
    m_label->setBuddy(m_field);
    m_label->setWordWrap(true);
    scaleWidth(m_label, kLabelWidth);
    row->addWidget(m_label);
    m_field->setAlignment(Qt::AlignRight);
    m_field->setAccessibleName(m_options.unit.isEmpty() ? m_options.label
                                                        : u"%1, %2"_s.arg(m_options.label, m_options.unit));
    scaleWidth(m_field, kFieldWidth);
    setUnit(m_field, m_options.unit);
    row->addWidget(m_field);
    m_slider->setRange(0, kPositions);
    m_slider->setMinimumWidth(48);  // the panel's scroll bar takes its space from the sliders
    m_slider->setPageStep(kPositions / 20);
    m_slider->setAccessibleName(m_options.label);
    row->addWidget(m_slider, 1);
    setPartToolTips(m_options.why);

    connect(m_slider, &QSlider::valueChanged, this, [this](int position) {
        if (!m_setting) {
            setAndNotify(fromSlider(position));
        }
    });
    connect(m_slider, &QSlider::sliderReleased, this, &NumberSlider::finished);
    connect(m_field, &QLineEdit::editingFinished, this, [this] {
        if (m_field->isModified()) {
            commit(m_field->text());
        }
    });
    setValue(m_options.minimum);
}

void NumberSlider::showWithoutEffect() {
    m_slider->hide();
    auto* note = new QLabel(kNoEffect, this);
    note->setProperty("quiet", true);
    layout()->addWidget(note);
}

double NumberSlider::fromSlider(int position) const {
    const double fraction = static_cast<double>(position) / kPositions;
    const double low = m_options.minimum;
    const double high = m_options.maximum;
    double value = m_options.logarithmic ? low * std::pow(high / low, fraction) : low + (high - low) * fraction;
    if (m_options.snap) {
        value = m_options.snap(value);
    } else if (m_options.logarithmic && m_options.step == 0) {
        // A slider cannot be positioned more precisely than two significant digits.
        const double digit = std::pow(10.0, std::floor(std::log10(value)) - 1);
        value = std::round(value / digit) * digit;
    }
    if (m_options.step > 0) {
        value = std::round(value / m_options.step) * m_options.step;
    }
    return std::clamp(value, low, high);
}

int NumberSlider::toSlider(double value) const {
    const double low = m_options.minimum;
    const double high = m_options.maximum;
    const double fraction =
        m_options.logarithmic ? std::log(value / low) / std::log(high / low) : (value - low) / (high - low);
    return static_cast<int>(std::lround(std::clamp(fraction, 0.0, 1.0) * kPositions));
}

void NumberSlider::setValue(double value) {
    m_value = value;
    m_setting = true;
    if (!m_slider->isSliderDown()) {
        m_slider->setValue(toSlider(value));
    }
    m_setting = false;
    m_field->setText(m_options.text(value));
    m_field->setModified(false);
    showError(QString());
}

void NumberSlider::setAndNotify(double value) {
    if (value == m_value) {
        return;
    }
    setValue(value);
    emit changed(value);
}

void NumberSlider::commit(const QString& typed) {
    try {
        const double value = m_options.parse(withoutGroups(typed));
        if (!(value >= m_options.minimum && value <= m_options.maximum)) {
            throw BadInput(m_options.label.toStdString() + " is " + typed.trimmed().toStdString() +
                           ", but it must be between " + m_options.text(m_options.minimum).toStdString() + " and " +
                           m_options.text(m_options.maximum).toStdString() + ".");
        }
        if (m_options.step > 0 && std::abs(value / m_options.step - std::round(value / m_options.step)) > 1e-9) {
            throw BadInput(m_options.label.toStdString() + " is " + typed.trimmed().toStdString() +
                           ", but it must be a multiple of " + number_text(m_options.step) + ".");
        }
        setValue(value);
        emit changed(value);
        emit finished();
    } catch (const BadInput& error) {
        showError(fieldError(m_options.label, QString::fromStdString(error.what())));
    }
}

QString NumberSlider::error() const {
    return m_error ? m_error->text() : QString();
}

void NumberSlider::setPartToolTips(const QString& why) {
    for (QWidget* each : std::initializer_list<QWidget*>{m_label, m_field, m_slider}) each->setToolTip(why);
}

void NumberSlider::showError(const QString& sentence) {
    if (sentence == error()) return;
    setLook(m_field, "wrong", !sentence.isEmpty());
    m_field->setAccessibleDescription(sentence);
    if (m_error) m_error->say(sentence);
}

}  // namespace ropelab::ui

#include "moc_number_slider.cpp"
