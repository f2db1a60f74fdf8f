#pragma once

#include <QLabel>
#include <QPointer>

namespace ropelab::ui {

/// Floats below the field, or above it if there is no space below, so that nothing moves.
class FieldNote : public QLabel {
    Q_OBJECT

 public:
    /// `framed` notes have a border, for fields whose error covers the next field.
    enum class Look { plain, framed };
    /// The note is hidden at first and deleted with the field.
    explicit FieldNote(QWidget* field, Look look = Look::plain);
    /// "" hides the note.
    void say(const QString& sentence);

 protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

 private:
    void place();
    QPointer<QWidget> m_field;
};

}  // namespace ropelab::ui
