#include "ui/rooms/context/criteria_list.h"

#include <QGridLayout>
#include <QLabel>
#include <QPainter>
#include <algorithm>

#include "ui/common/scaled.h"
#include "ui/theme/theme_manager.h"

namespace ropelab::ui {

/// A bullet, or dots while a number is computed; it does not grade the setup.
class CriteriaList::Sign : public QWidget {
 public:
    explicit Sign(QWidget* parent) : QWidget(parent) { setFocusPolicy(Qt::NoFocus); }

    void set(bool isComputing) {
        m_isComputing = isComputing;
        update();
    }
    QSize sizeHint() const override {
        const int side = ThemeManager::instance().pixels(16);
        return {side, side};
    }

 protected:
    void paintEvent(QPaintEvent*) override {
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        const double side = std::min(width(), height());
        painter.translate((width() - side) / 2, (height() - side) / 2);
        painter.scale(side / 16, side / 16);
        painter.setPen(Qt::NoPen);
        painter.setBrush(ThemeManager::instance().theme().quietText);
        if (!m_isComputing) {
            painter.drawEllipse(QPointF(8, 8), 2.6, 2.6);
            return;
        }
        for (const double x : {3.5, 8.0, 12.5}) {
            painter.drawEllipse(QPointF(x, 8), 1.4, 1.4);
        }
    }

 private:
    bool m_isComputing = false;
};

CriteriaList::CriteriaList(int count, QWidget* parent) : QWidget(parent) {
    setAccessibleName(tr("Criteria for the context length"));
    auto* grid = new QGridLayout(this);
    scaleLayout(grid, {0, 0, 0, 0}, 4);
    grid->setColumnStretch(1, 1);
    for (int i = 0; i < count; ++i) {
        auto* sign = new Sign(this);
        sign->setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
        auto* text = new QLabel(this);
        text->setWordWrap(true);
        keepLines(text, 2);
        text->setAlignment(Qt::AlignLeft | Qt::AlignTop);
        grid->addWidget(sign, i, 0, Qt::AlignTop);
        grid->addWidget(text, i, 1);
        m_rows.push_back({sign, text});
    }
    connect(&ThemeManager::instance(), &ThemeManager::changed, this, [this] {
        for (const Row& row : m_rows) {
            row.sign->updateGeometry();
            row.sign->update();
        }
    });
}

void CriteriaList::setCriteria(const std::vector<Criterion>& criteria) {
    for (std::size_t i = 0; i < m_rows.size() && i < criteria.size(); ++i) {
        const Criterion& criterion = criteria[i];
        m_rows[i].sign->set(criterion.isComputing);
        m_rows[i].sign->setToolTip(criterion.why);
        m_rows[i].text->setText(criterion.text);
        m_rows[i].text->setToolTip(criterion.why);
        m_rows[i].text->setAccessibleName(criterion.text);
    }
}

QString CriteriaList::text(int index) const {
    return m_rows.at(static_cast<std::size_t>(index)).text->text();
}

}  // namespace ropelab::ui
