#pragma once

#include <QList>
#include <QString>
#include <QWidget>
#include <functional>
#include <utility>

class QVBoxLayout;

namespace ropelab::ui {

/// Messages in place: what happened, in a sentence, and what to do, as buttons. Nothing waits for them.
class BannerArea : public QWidget {
    Q_OBJECT

 public:
    enum class Kind { information, warning, error };
    struct Choice {
        QString text;
        std::function<void()> handler;
    };

    explicit BannerArea(QWidget* parent = nullptr);

    /// Shows a banner; one with the same `id` is replaced, so that a message that comes again does not pile up.
    void show(const QString& id, Kind kind, const QString& text, const QList<Choice>& choices = {});
    void dismiss(const QString& id);
    /// Texts on show, oldest first.
    QStringList texts() const;
    /// Picks a choice of a banner by its text, as a click does. Returns whether there was one.
    bool choose(const QString& id, const QString& choice);

 private:
    QWidget* banner(const QString& id) const;
    QVBoxLayout* m_layout;
};

}  // namespace ropelab::ui
