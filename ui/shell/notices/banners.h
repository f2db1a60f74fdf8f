#pragma once

#include <QList>
#include <QPointer>
#include <QString>
#include <QWidget>
#include <functional>
#include <utility>

class QVBoxLayout;

namespace ropelab::ui {

class BannerArea : public QWidget {
    Q_OBJECT

 public:
    enum class Kind { information, warning, error };
    struct Choice {
        QString text;
        std::function<void()> handler;
    };

    explicit BannerArea(QWidget* parent = nullptr);

    /// Covers the lower edge of `on`, a descendant of this area's parent, so that nothing moves. The area must not be
    /// in a layout.
    void overlay(QWidget* on);
    /// Replaces a banner with the same `id`, so a repeated message appears only once.
    void show(const QString& id, Kind kind, const QString& text, const QList<Choice>& choices = {});
    void dismiss(const QString& id);
    /// Changes the text of a banner in place; nothing without one.
    void say(const QString& id, const QString& text);
    /// Covered banners are hidden, also those that are added meanwhile.
    void setCovered(bool covered);
    QStringList texts() const;
    /// Clicks a button. Returns false if there is no such button.
    bool choose(const QString& id, const QString& choice);

 signals:
    void dismissed(const QString& id);

 protected:
    bool event(QEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

 private:
    QWidget* banner(const QString& id) const;
    void place();
    void showFilled();
    QVBoxLayout* m_layout;
    QPointer<QWidget> m_on;  // the widget that the banners cover; null if they are in a layout
    bool m_isCovered = false;
};

}  // namespace ropelab::ui
