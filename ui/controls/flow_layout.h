#pragma once

#include <QLayout>
#include <QList>

namespace ropelab::ui {

/// Wraps widgets like words in a paragraph.
class FlowLayout : public QLayout {
    Q_OBJECT

 public:
    explicit FlowLayout(QWidget* parent = nullptr);
    ~FlowLayout() override;

    void insertWidget(int index, QWidget* widget);

    void addItem(QLayoutItem* item) override { m_items.append(item); }
    int count() const override { return static_cast<int>(m_items.size()); }
    QLayoutItem* itemAt(int index) const override { return m_items.value(index); }
    QLayoutItem* takeAt(int index) override;
    Qt::Orientations expandingDirections() const override { return {}; }
    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override { return place(QRect(0, 0, width, 0), false); }
    QSize sizeHint() const override;
    QSize minimumSize() const override;
    void setGeometry(const QRect& rect) override;

 private:
    // Returns the height that the items need within `rect`, in pixels; also moves the items if `move` is true.
    int place(const QRect& rect, bool move) const;
    QList<QLayoutItem*> m_items;
};

}  // namespace ropelab::ui
