#include "ui/common/table_view.h"

#include <QHeaderView>
#include <QScrollBar>
#include <QStyledItemDelegate>
#include <QTableView>

#include "ui/theme/theme_manager.h"

namespace ropelab::ui {

namespace {

constexpr int kPadding = 8;  // pixels at 100 % scale, on both sides of a cell's text

/// A selected row keeps its text colours, and a row with wrapped text is high enough for it.
class WordDelegate : public QStyledItemDelegate {
 public:
    using QStyledItemDelegate::QStyledItemDelegate;

    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        const auto* view = qobject_cast<const QTableView*>(option.widget);
        if (!view || !view->wordWrap()) return QStyledItemDelegate::sizeHint(option, index);
        const auto& manager = ThemeManager::instance();
        const int around = manager.pixels(2 * kPadding + 8);
        const QString words = index.data().toString();
        const QRect space(0, 0, view->columnWidth(index.column()) - around, 1 << 16);
        const int height = option.fontMetrics.boundingRect(space, Qt::TextWordWrap, words).height();
        return {option.fontMetrics.horizontalAdvance(words) + around, height + manager.pixels(kPadding)};
    }

 protected:
    void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override {
        QStyledItemDelegate::initStyleOption(option, index);
        const QVariant color = index.data(Qt::ForegroundRole);
        const Theme& theme = ThemeManager::instance().theme();
        option->palette.setColor(QPalette::HighlightedText, color.isValid() ? color.value<QColor>() : theme.text);
    }
};

void restyle(QTableView* view) {
    const auto& manager = ThemeManager::instance();
    const Theme& theme = manager.theme();
    view->verticalHeader()->setDefaultSectionSize(manager.pixels(26));
    QColor picked = theme.accent;
    picked.setAlphaF(0.12F);
    view->setStyleSheet(QStringLiteral("QTableView { selection-background-color: %1; }"
                                       "QTableView::item { border: none; padding: 0 %2px; }"
                                       "QTableView::item:selected { background: %1; }")
                            .arg(QStringLiteral("rgba(%1, %2, %3, %4)")
                                     .arg(picked.red())
                                     .arg(picked.green())
                                     .arg(picked.blue())
                                     .arg(picked.alpha()))
                            .arg(manager.pixels(kPadding)));
    view->resizeColumnsToContents();
}

}  // namespace

QTableView* makeTableView(const QString& name, QAbstractItemModel* model, QWidget* parent) {
    auto* view = new QTableView(parent);
    view->setModel(model);
    view->setItemDelegate(new WordDelegate(view));
    view->setAccessibleName(name);
    view->setSelectionBehavior(QAbstractItemView::SelectRows);
    view->setSelectionMode(QAbstractItemView::SingleSelection);
    view->setEditTriggers(QAbstractItemView::NoEditTriggers);
    view->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    view->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    view->setShowGrid(false);
    view->setWordWrap(false);
    view->setTabKeyNavigation(false);
    view->verticalHeader()->hide();
    view->horizontalHeader()->setHighlightSections(false);
    restyle(view);
    QObject::connect(&ThemeManager::instance(), &ThemeManager::changed, view, [view] { restyle(view); });
    return view;
}

void fitRows(QTableView* view, int rows) {
    view->setFixedHeight(view->horizontalHeader()->sizeHint().height() +
                         rows * view->verticalHeader()->defaultSectionSize() +
                         view->horizontalScrollBar()->sizeHint().height() + 2 * view->frameWidth());
}

}  // namespace ropelab::ui
