#pragma once

#include <QLabel>
#include <QPointer>

namespace ropelab::ui {

/// Covers what is below the field instead of moving it, so that no control changes its place when an error appears.
class FieldError : public QLabel {
    Q_OBJECT

 public:
    explicit FieldError(QWidget* field);

    /// "" hides the message.
    void setSentence(const QString& sentence);
    QString sentence() const { return m_sentence; }

 protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

 private:
    void place();

    QPointer<QWidget> m_field;
    QString m_sentence;
};

}  // namespace ropelab::ui
