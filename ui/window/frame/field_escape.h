#pragma once

#include <QObject>
#include <QPointer>
#include <QVariant>
#include <functional>

class QKeyEvent;
class QWidget;

namespace ropelab::ui {

/// Escape in a field restores the value that the field had when it got the keyboard focus or that was entered last, and
/// moves the focus to the picture of the room. In other controls, such as buttons and sliders, Escape only moves the
/// focus.
class FieldEscape : public QObject {
    Q_OBJECT

 public:
    FieldEscape(QWidget* area, std::function<QWidget*()> picture);

 protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

 private:
    bool handles(const QWidget* widget) const;
    void remember(QWidget* field);
    void leave(QWidget* field, QKeyEvent* event);
    void restore();

    QWidget* m_area;
    std::function<QWidget*()> m_picture;
    QPointer<QWidget> m_field;  // the field that has or had the focus
    QVariant m_value;           // its value when it got the focus, or the last entered one
    bool m_isDelivering = false;
    bool m_isEntered = false;  // the last key was Return
};

}  // namespace ropelab::ui
