#include "ui/plot/legend.h"

#include <QAbstractButton>
#include <QEnterEvent>
#include <QFontMetrics>
#include <QPainter>
#include <QStyleOptionToolButton>
#include <QToolButton>
#include <algorithm>

#include "ui/plot/distinct_names.h"
#include "ui/theme/theme_manager.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

class LegendEntry : public QAbstractButton {
 public:
    LegendEntry(RunId run, Legend* legend) : QAbstractButton(legend), m_run(run), m_legend(legend) {
        setCheckable(true);
        setFocusPolicy(Qt::TabFocus);
        setCursor(Qt::PointingHandCursor);
        setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    }

    RunId run() const { return m_run; }
    void show(const Legend::Entry& entry, const QString& distinct) {
        m_pen = entry.pen;
        setText(distinct);
        setChecked(entry.visible);
        setToolTip(entry.visible ? u"Hide %1"_s.arg(entry.label) : u"Show %1"_s.arg(entry.label));
        setAccessibleName(entry.label);
        update();
    }
    void setHighlighted(bool on) {
        if (m_highlighted != on) {
            m_highlighted = on;
            update();
        }
    }

    QSize sizeHint() const override {
        const ThemeManager& theme = ThemeManager::instance();
        const QFontMetrics metrics(theme.fontAt(10));
        return {metrics.horizontalAdvance(text()) + theme.pixels(16 + 6 + 16), metrics.height() + theme.pixels(6)};
    }

 protected:
    void enterEvent(QEnterEvent* event) override {
        QAbstractButton::enterEvent(event);
        emit m_legend->hovered(m_run);
    }
    void leaveEvent(QEvent* event) override {
        QAbstractButton::leaveEvent(event);
        emit m_legend->hovered(0);
    }
    void paintEvent(QPaintEvent*) override {
        const ThemeManager& manager = ThemeManager::instance();
        const Theme& theme = manager.theme();
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        const QRectF box = QRectF(rect()).adjusted(1, 1, -1, -1);
        if (underMouse() || m_highlighted) {
            QColor soft = theme.text;
            soft.setAlphaF(0.07F);
            painter.setPen(Qt::NoPen);
            painter.setBrush(soft);
            painter.drawRoundedRect(box, manager.px(4), manager.px(4));
        }
        if (hasFocus()) {
            painter.setPen(QPen(theme.accent, manager.px(2)));
            painter.setBrush(Qt::NoBrush);
            painter.drawRoundedRect(box, manager.px(4), manager.px(4));
        }
        const double left = manager.px(8);
        const double middle = height() / 2.0;
        QPen pen = m_pen;
        QColor ink = theme.text;
        if (!isChecked()) {
            pen.setColor(theme.hairline);
            ink = theme.quietText;
        }
        painter.setPen(pen);
        painter.drawLine(QPointF(left, middle), QPointF(left + manager.px(16), middle));
        QFont font = manager.fontAt(10);
        font.setStrikeOut(!isChecked());
        painter.setFont(font);
        painter.setPen(ink);
        painter.drawText(QRectF(left + manager.px(22), 0, width(), height()), Qt::AlignVCenter | Qt::AlignLeft, text());
    }

 private:
    RunId m_run;
    Legend* m_legend;
    QPen m_pen;
    bool m_highlighted = false;
};

namespace {

constexpr int kMaxLegendRows = 3;

}  // namespace

Legend::Legend(QWidget* parent) : QWidget(parent), m_more(new QToolButton(this)) {
    setAccessibleName(u"Runs in the plot"_s);
    QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::Preferred);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
    m_more->hide();
    connect(m_more, &QToolButton::clicked, this, [this] {
        m_unfolded = !m_unfolded;
        updateGeometry();
        arrange(width(), true);
    });
}

void Legend::setEntries(const std::vector<Entry>& entries) {
    while (m_entries.size() > entries.size()) {
        delete m_entries.back();
        m_entries.pop_back();
    }
    QStringList names;
    for (const Entry& entry : entries) names << entry.label;
    const QStringList distinct = distinctNames(names);
    for (std::size_t i = 0; i < entries.size(); ++i) {
        if (i < m_entries.size() && m_entries[i]->run() != entries[i].run) {
            delete m_entries[i];
            m_entries[i] = nullptr;
        }
        if (i >= m_entries.size()) {
            m_entries.push_back(nullptr);
        }
        if (m_entries[i] == nullptr) {
            auto* entry = new LegendEntry(entries[i].run, this);
            connect(entry, &QAbstractButton::clicked, this,
                    [this, entry](bool checked) { emit toggled(entry->run(), checked); });
            m_entries[i] = entry;
        }
        m_entries[i]->show(entries[i], distinct[static_cast<qsizetype>(i)]);
    }
    updateGeometry();
    arrange(width(), true);
}

void Legend::setHighlighted(RunId run) {
    for (LegendEntry* entry : m_entries) {
        entry->setHighlighted(run != 0 && entry->run() == run);
    }
}

int Legend::widthOfMore() const {
    // Measures the longest text of the button without changing its current text.
    const QFontMetrics metrics(ThemeManager::instance().fontAt(10));
    QStyleOptionToolButton option;
    option.initFrom(m_more);
    option.font = ThemeManager::instance().fontAt(10);
    option.fontMetrics = metrics;
    option.toolButtonStyle = Qt::ToolButtonTextOnly;
    option.text = m_unfolded ? u"show fewer"_s : u"%1 more"_s.arg(m_entries.size());
    const QSize words(metrics.horizontalAdvance(option.text + u"  "_s), metrics.height());
    return m_more->style()->sizeFromContents(QStyle::CT_ToolButton, &option, words, m_more).width();
}

int Legend::arrange(int width, bool place) const {
    if (m_entries.empty()) {
        return 0;
    }
    const int spacing = ThemeManager::instance().pixels(4);
    const int rowHeight = m_entries.front()->sizeHint().height();
    const int moreWidth = widthOfMore();
    int rows = 1;
    int left = 0;
    std::size_t shown = 0;
    // The first pass determines whether all entries fit; if not, the second one reserves space for the button.
    const auto pass = [&](bool folds, bool moves) {
        rows = 1;
        left = 0;
        for (shown = 0; shown < m_entries.size(); ++shown) {
            const int needed = m_entries[shown]->sizeHint().width();
            const int available = width - (folds && rows == kMaxLegendRows ? moreWidth + spacing : 0);
            if (left > 0 && left + needed > available) {
                if (folds && rows == kMaxLegendRows) {
                    break;
                }
                ++rows;
                left = 0;
            }
            if (moves) {
                m_entries[shown]->setGeometry(left, (rows - 1) * (rowHeight + spacing), needed, rowHeight);
            }
            left += needed + spacing;
        }
    };
    pass(false, false);
    const bool tooMany = rows > kMaxLegendRows;
    const bool folds = tooMany && !m_unfolded;
    pass(folds, place);
    if (place) {
        for (std::size_t i = 0; i < m_entries.size(); ++i) {
            m_entries[i]->setVisible(i < shown);
        }
        m_more->setVisible(tooMany);
        if (tooMany) {
            m_more->setFont(ThemeManager::instance().fontAt(10));
            m_more->setText(m_unfolded ? u"show fewer"_s : u"%1 more"_s.arg(m_entries.size() - shown));
            m_more->setGeometry(std::min(left, std::max(0, width - moreWidth)), (rows - 1) * (rowHeight + spacing),
                                moreWidth, rowHeight);
        }
    }
    return rows * rowHeight + (rows - 1) * spacing;
}

int Legend::heightForWidth(int width) const {
    return arrange(width, false);
}

QSize Legend::sizeHint() const {
    const int width = ThemeManager::instance().pixels(600);
    return {width, heightForWidth(width)};
}

QSize Legend::minimumSizeHint() const {
    return m_entries.empty() ? QSize(0, 0) : QSize(0, m_entries.front()->sizeHint().height());
}

void Legend::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    arrange(width(), true);
}

}  // namespace ropelab::ui
