#include "ui/common/scaled.h"

#include <QAbstractButton>
#include <QBoxLayout>
#include <QEvent>
#include <QFontMetrics>
#include <QLabel>
#include <QStyle>
#include <QWidget>
#include <algorithm>
#include <functional>
#include <tuple>
#include <utility>
#include <vector>

#include "ui/theme/theme_manager.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

namespace {

/// Layouts ask a label for its height dozens of times until it has its place, and each answer lays out its text.
class Note : public QLabel {
 public:
    using QLabel::QLabel;

    int heightForWidth(int width) const override {
        std::tuple key(width, text(), font(), contentsMargins());
        if (const auto known = std::ranges::find(m_known, key, &Known::first); known != m_known.end())
            return known->second;
        if (m_known.size() >= kMost) m_known.clear();
        return m_known.emplace_back(std::move(key), QLabel::heightForWidth(width)).second;
    }
    // QLabel lays the text out up to five times for its hints, each time that a number in it changes.
    QSize sizeHint() const override {
        if (!isLongPlain()) return QLabel::sizeHint();
        ensurePolished();
        const QMargins edge = contentsMargins();
        const int letters = text().size() > 3 * kFewLetters ? 2 * kFewLetters : kFewLetters;  // as QLabel's hint
        const int width = letters * fontMetrics().averageCharWidth() + edge.left() + edge.right();
        return {width, heightForWidth(width)};
    }
    QSize minimumSizeHint() const override {
        if (!isLongPlain()) return QLabel::minimumSizeHint();
        ensurePolished();
        const QMargins edge = contentsMargins();
        QStringView longest;
        for (const QStringView word : QStringView(text()).split(u' ')) {
            if (word.size() > longest.size()) longest = word;
        }
        return {fontMetrics().horizontalAdvance(longest.toString()) + edge.left() + edge.right(),
                fontMetrics().height() + edge.top() + edge.bottom()};
    }

 private:
    static constexpr int kFewLetters = 40;
    bool isLongPlain() const {
        return text().size() > kFewLetters && !text().contains(u'<') && !text().contains(u'\n');
    }
    static constexpr std::size_t kMost = 4;  // widths for which a layout asks in turns
    using Known = std::pair<std::tuple<int, QString, QFont, QMargins>, int>;
    mutable std::vector<Known> m_known;
};

// Calls `set` immediately and after each change of the theme, until `owner` is destroyed.
template <typename Set>
void follow(QObject* owner, Set set) {
    set();
    QObject::connect(&ThemeManager::instance(), &ThemeManager::changed, owner, set);
}

/// Calls `set` as follow() does, and whenever the widget has another style: a hidden one has it when it is shown.
class FollowsStyle : public QObject {
 public:
    FollowsStyle(QWidget* widget, std::function<void()> set) : QObject(widget), m_set(std::move(set)) {
        follow(this, m_set);
        widget->installEventFilter(this);
    }
    bool eventFilter(QObject* /*watched*/, QEvent* event) override {
        if (event->type() == QEvent::StyleChange) m_set();
        return false;
    }

 private:
    std::function<void()> m_set;
};

}  // namespace

void scaleLayout(QLayout* layout, const QMargins& margins, int spacing) {
    follow(layout, [layout, margins, spacing] {
        const auto& theme = ThemeManager::instance();
        layout->setContentsMargins(theme.pixels(margins.left()), theme.pixels(margins.top()),
                                   theme.pixels(margins.right()), theme.pixels(margins.bottom()));
        layout->setSpacing(theme.pixels(spacing));
    });
}

QVBoxLayout* scaledColumn(QWidget* widget, int spacing, const QMargins& margins) {
    auto* column = new QVBoxLayout(widget);
    scaleLayout(column, margins, spacing);
    return column;
}

QHBoxLayout* scaledRow(QWidget* widget, int spacing, const QMargins& margins) {
    auto* row = new QHBoxLayout(widget);
    scaleLayout(row, margins, spacing);
    return row;
}

void scaleMargins(QLabel* label, const QMargins& margins) {
    follow(label, [label, margins] {
        const auto& theme = ThemeManager::instance();
        label->setContentsMargins(theme.pixels(margins.left()), theme.pixels(margins.top()),
                                  theme.pixels(margins.right()), theme.pixels(margins.bottom()));
    });
}

void scaleWidth(QWidget* widget, int width) {
    follow(widget, [widget, width] {
        const ThemeManager& theme = ThemeManager::instance();
        widget->setFixedWidth(theme.pixels(width * theme.textGrowth()));
    });
}

void scaleMinimumHeight(QWidget* widget, int height) {
    follow(widget, [widget, height] { widget->setMinimumHeight(ThemeManager::instance().pixels(height)); });
}

void keepLines(QLabel* label, int lines) {
    new FollowsStyle(label, [label, lines] { label->setMinimumHeight(lines * label->fontMetrics().lineSpacing()); });
}

void keepTextWidth(QLabel* label, const QStringList& texts) {
    new FollowsStyle(label, [label, texts] {
        int longest = 0;
        for (const QString& text : texts) longest = std::max(longest, label->fontMetrics().horizontalAdvance(text));
        label->setMinimumWidth(longest);
    });
}

void keepSpace(QWidget* widget) {
    QSizePolicy policy = widget->sizePolicy();
    policy.setRetainSizeWhenHidden(true);
    widget->setSizePolicy(policy);
}

void keepWidth(QAbstractButton* button, const QStringList& texts) {
    new FollowsStyle(button, [button, texts] {
        const QFontMetrics letters = button->fontMetrics();
        int longest = 0;
        for (const QString& text : texts) longest = std::max(longest, letters.horizontalAdvance(text));
        button->setMinimumWidth(button->sizeHint().width() + longest - letters.horizontalAdvance(button->text()));
    });
}

void setLook(QWidget* widget, const char* property, bool on) {
    if (widget->property(property).toBool() == on) return;
    widget->setProperty(property, on);
    widget->style()->polish(widget);  // reads the style sheet again
}

void colorAsError(QLabel* label) {
    label->setProperty("tone", u"error"_s);
}

QLabel* makeNote(QWidget* parent) {
    auto* label = new Note(parent);
    label->setProperty("quiet", true);
    label->setWordWrap(true);
    return label;
}

}  // namespace ropelab::ui
