#pragma once

#include <QHash>
#include <QObject>
#include <QPointer>
#include <QSet>

class QWidget;

namespace ropelab::ui {

/// For a presentation. Widgets that a room shows meanwhile stay hidden; restore() shows them.
class ControlsOnly : public QObject {
    Q_OBJECT

 public:
    using QObject::QObject;
    ~ControlsOnly() override;

    /// Keeps the widgets of `kept`, their labels and what is around them. If `root` contains none of them, it is hidden
    /// itself. Returns whether it stays visible.
    bool reduce(QWidget* root, const QSet<QWidget*>& kept);
    /// Hidden widgets get the visibility that they have without the presentation.
    void restore();

 protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

 private:
    void hideTracked(QWidget* widget);
    void reduceInside(QWidget* parent, const QSet<QWidget*>& kept);

    struct Hidden {
        QPointer<QWidget> widget;
        bool isWanted;
    };
    QHash<QObject*, Hidden> m_hidden;
    bool m_isChanging = false;
};

}  // namespace ropelab::ui
