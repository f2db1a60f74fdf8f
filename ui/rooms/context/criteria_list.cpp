#include "ui/rooms/context/criteria_list.h"

#include <QGridLayout>
#include <QLabel>
#include <QPainter>
#include <QPainterPath>

#include "ui/common/scaled.h"
#include "ui/theme/theme_manager.h"

namespace ropelab::ui {

using State = Criterion::State;

/// Sign of a criterion's state: a check mark (met), a cross (not met) or dots (open). Shape and colour both differ.
class CriteriaList::Sign : public QWidget {
 public:
    explicit Sign(QWidget* parent) : QWidget(parent) { setFocusPolicy(Qt::NoFocus); }

    void set(State state) {
        m_state = state;
        setAccessibleName(state == State::met      ? CriteriaList::tr("met")
                          : state == State::failed ? CriteriaList::tr("not met")
                                                   : CriteriaList::tr("undecided"));
        update();
    }
    QSize sizeHint() const override {
        const int side = ThemeManager::instance().pixels(16);
        return {side, side};
    }

 protected:
    void paintEvent(QPaintEvent*) override {
        const ThemeManager& manager = ThemeManager::instance();
        const Theme& theme = manager.theme();
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        const double side = std::min(width(), height());
        painter.translate((width() - side) / 2, (height() - side) / 2);
        painter.scale(side / 16, side / 16);
        if (m_state == State::open) {
            painter.setPen(Qt::NoPen);
            painter.setBrush(theme.quietText);
            for (const double x : {3.5, 8.0, 12.5}) {
                painter.drawEllipse(QPointF(x, 8), 1.4, 1.4);
            }
            return;
        }
        painter.setPen(
            QPen(m_state == State::met ? theme.success : theme.error, 2.2, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
        QPainterPath path;
        if (m_state == State::met) {
            path.moveTo(3, 8.5);
            path.lineTo(6.5, 12);
            path.lineTo(13, 4.5);
        } else {
            path.moveTo(4, 4);
            path.lineTo(12, 12);
            path.moveTo(12, 4);
            path.lineTo(4, 12);
        }
        painter.drawPath(path);
    }

 private:
    State m_state = State::open;
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
        m_rows[i].sign->set(criterion.state);
        m_rows[i].sign->setToolTip(criterion.why);
        m_rows[i].text->setText(criterion.text);
        m_rows[i].text->setToolTip(criterion.why);
        m_rows[i].text->setAccessibleName(
            QStringLiteral("%1: %2").arg(m_rows[i].sign->accessibleName(), criterion.text));
    }
}

QString CriteriaList::text(int index) const {
    return m_rows.at(static_cast<std::size_t>(index)).text->text();
}

}  // namespace ropelab::ui
