#include "ui/plot/plot_accessible.h"

#include <qcustomplot.h>

#include <QAccessibleWidget>

#include "ui/plot/plot_widget.h"

namespace ropelab::ui {
namespace {

class PlotAccessible : public QAccessibleWidget {
 public:
    explicit PlotAccessible(PlotWidget* plot) : QAccessibleWidget(plot, QAccessible::Chart) {}

    int childCount() const override { return static_cast<int>(parts().size()); }
    QAccessibleInterface* child(int index) const override { return parts().value(index); }
    int indexOfChild(const QAccessibleInterface* child) const override {
        return child ? static_cast<int>(objects().indexOf(child->object())) : -1;
    }

 private:
    QList<QAccessibleInterface*> parts() const {
        const QObject* canvas = static_cast<const PlotWidget*>(widget())->canvas();
        QList<QAccessibleInterface*> result;
        for (int i = 0; i < QAccessibleWidget::childCount(); ++i) {
            QAccessibleInterface* each = QAccessibleWidget::child(i);
            if (each && each->object() != canvas) result << each;
        }
        return result;
    }
    QList<QObject*> objects() const {
        QList<QObject*> result;
        for (const QAccessibleInterface* each : parts()) result << each->object();
        return result;
    }
};

QAccessibleInterface* makePlotAccessible(const QString&, QObject* object) {
    auto* plot = qobject_cast<PlotWidget*>(object);
    return plot ? new PlotAccessible(plot) : nullptr;
}

}  // namespace

void installPlotAccessibility() {
    static const bool once = [] {
        QAccessible::installFactory(makePlotAccessible);
        return true;
    }();
    Q_UNUSED(once)
}

}  // namespace ropelab::ui
