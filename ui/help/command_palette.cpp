#include "ui/help/command_palette.h"

#include <QApplication>
#include <QKeyEvent>
#include <QLineEdit>
#include <QListWidget>
#include <QTimer>
#include <QVBoxLayout>
#include <algorithm>
#include <optional>
#include <vector>

#include "ui/shell/actions.h"
#include "ui/shell/findables.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int kMostRows = 60;
constexpr int kByLetters = 1000;  // the mismatch of texts that contain only the letters in their order
constexpr int kByWords = 2000;    // the mismatch of entries whose other texts contain the words

// Lower is better; nullopt if the letters do not occur in this order.
std::optional<int> mismatch(const QString& text, const QString& typed) {
    if (typed.isEmpty()) return 0;
    const qsizetype at = text.indexOf(typed, 0, Qt::CaseInsensitive);
    if (at == 0 || (at > 0 && !text[at - 1].isLetterOrNumber())) return static_cast<int>(at);
    if (at > 0) return 100 + static_cast<int>(at);
    qsizetype from = 0;
    for (const QChar letter : typed) {
        if (letter.isSpace()) continue;
        const qsizetype found = text.indexOf(letter, from, Qt::CaseInsensitive);
        if (found < 0) return std::nullopt;
        from = found + 1;
    }
    return kByLetters + static_cast<int>(from);
}

// For an entry that is no action. Letters alone are not enough, because there are many entries.
std::optional<int> mismatch(const PaletteEntry& entry, const QString& typed) {
    const QString title = searchText(entry.title);
    const auto own = mismatch(title, typed);
    if (own && *own < kByLetters) return own;
    const QString all = title + QLatin1Char(' ') + searchText(entry.words + QLatin1Char(' ') + entry.place);
    for (const QString& word : typed.split(QLatin1Char(' '), Qt::SkipEmptyParts)) {
        if (!all.contains(word)) return std::nullopt;
    }
    return kByWords;
}

}  // namespace

CommandPalette::CommandPalette(ActionRegistry* registry, QWidget* window)
    : QFrame(window), m_registry(registry), m_search(new QLineEdit(this)), m_list(new QListWidget(this)) {
    setObjectName(u"palette"_s);
    setProperty("panel", true);
    setFrameShape(QFrame::StyledPanel);
    setAccessibleName(u"Command palette"_s);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(8, 8, 8, 8);
    layout->setSpacing(8);
    m_search->setPlaceholderText(u"Type the name of an action, setting, figure, formula, model or page of the guide"_s);
    m_search->setAccessibleName(u"Search for actions, settings, figures, formulas and models"_s);
    m_list->setFocusPolicy(Qt::NoFocus);
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_list->setUniformItemSizes(true);
    layout->addWidget(m_search);
    layout->addWidget(m_list);
    m_search->installEventFilter(this);
    connect(m_search, &QLineEdit::textChanged, this, &CommandPalette::renew);
    connect(m_list, &QListWidget::itemClicked, this, &CommandPalette::trigger);
    connect(&m_loading, &QTimer::timeout, this, [this] {
        if (!m_isLoaded && isVisible()) loadNext();
        if (m_isLoaded || !isVisible()) m_loading.stop();
        if (isVisible() && !m_search->text().trimmed().isEmpty()) renew();
    });
    hide();
}

void CommandPalette::open() {
    m_registry->refresh();
    m_entries.clear();
    m_parts = 0;
    m_isLoaded = false;
    m_ids.clear();  // the texts of actions may have changed
    m_list->clear();
    if (!isVisible()) m_before = QApplication::focusWidget();
    m_search->clear();
    renew();
    const QWidget* window = parentWidget();
    const int width = std::min(window->width() - 48, fontMetrics().averageCharWidth() * 72);
    const int height = std::min(window->height() - 96, fontMetrics().height() * 20);
    setGeometry((window->width() - width) / 2, 48, width, height);
    show();
    raise();
    m_search->setFocus(Qt::ShortcutFocusReason);
    m_loading.start(0);
}

void CommandPalette::loadNext() const {
    auto part = m_source ? m_source(m_parts++) : std::nullopt;
    m_isLoaded = !part;
    if (part) m_entries.append(*std::move(part));
}

void CommandPalette::loadRest() const {
    while (!m_isLoaded) loadNext();
}

QList<QString> CommandPalette::matches(const QString& words) const {
    if (!isVisible()) {
        m_entries.clear();
        m_parts = 0;
        m_isLoaded = false;
    }
    loadRest();
    return loadedMatches(words);
}

QList<QString> CommandPalette::loadedMatches(const QString& words) const {
    struct Match {
        int mismatch;
        QString id;
    };
    const QString typed = searchText(words.simplified());
    std::vector<Match> found;
    for (const QString& id : m_registry->ids()) {
        const QAction* action = m_registry->action(id);
        if (!action->isEnabled()) continue;
        const QString text = searchText(action->text());
        const auto whole = mismatch(searchText(m_registry->spec(id).menu) + QLatin1Char(' ') + text, typed);
        const auto own = mismatch(text, typed);
        if (whole || own) found.push_back({std::min(whole.value_or(5000), own.value_or(5000)), id});
    }
    if (!typed.isEmpty()) {
        for (const PaletteEntry& entry : std::as_const(m_entries)) {
            const bool isAction =
                std::any_of(found.begin(), found.end(), [&entry](const Match& match) { return match.id == entry.id; });
            if (isAction) continue;
            if (const auto match = mismatch(entry, typed)) found.push_back({*match, entry.id});
        }
    }
    std::stable_sort(found.begin(), found.end(),
                     [](const Match& a, const Match& b) { return a.mismatch < b.mismatch; });
    QList<QString> ids;
    for (const Match& match : found) ids << match.id;
    return ids;
}

QString CommandPalette::rowText(const QString& id) const {
    const QString gap = u"     "_s;
    for (const PaletteEntry& entry : m_entries) {
        if (entry.id == id) return entry.title + gap + entry.place;
    }
    const QAction* action = m_registry->action(id);
    const QKeySequence keys = action->shortcut();
    return keys.isEmpty() ? action->text() : action->text() + gap + keys.toString(QKeySequence::NativeText);
}

void CommandPalette::renew() {
    const QString typed = m_search->text();
    const QList<QString> all = loadedMatches(typed);
    const QList<QString> ids = typed.trimmed().isEmpty() ? all : all.mid(0, kMostRows);
    // The row that the user chose stays the current one when more entries were loaded.
    const QString chosen = typed == m_typed && m_list->currentRow() > 0 ? m_ids.value(m_list->currentRow()) : QString();
    m_typed = typed;
    if (ids != m_ids) {
        m_ids = ids;
        m_list->clear();
        for (const QString& id : ids) new QListWidgetItem(rowText(id), m_list);
    }
    if (!ids.isEmpty()) m_list->setCurrentRow(static_cast<int>(std::max<qsizetype>(0, ids.indexOf(chosen))));
}

void CommandPalette::trigger() {
    const QString id = m_ids.value(m_list->currentRow());
    if (id.isEmpty()) return;
    const auto entry =
        std::find_if(m_entries.cbegin(), m_entries.cend(), [&id](const PaletteEntry& each) { return each.id == id; });
    const auto go = entry == m_entries.cend() ? std::function<void()>() : entry->go;
    close();
    if (go) return go();
    m_registry->action(id)->trigger();
}

void CommandPalette::close() {
    hide();
    const bool isThere = m_before && m_before->isVisible() && m_before->window() == window();
    (isThere ? m_before.data() : parentWidget())->setFocus();
}

bool CommandPalette::eventFilter(QObject* watched, QEvent* event) {
    if (watched == m_search && event->type() == QEvent::FocusOut) hide();
    if (watched == m_search && event->type() == QEvent::KeyPress) {
        const auto* key = static_cast<QKeyEvent*>(event);
        const int row = m_list->currentRow();
        switch (key->key()) {
            case Qt::Key_Escape:
                close();
                return true;
            case Qt::Key_Return:
            case Qt::Key_Enter:
                if (!m_search->text().trimmed().isEmpty()) {
                    loadRest();
                    renew();
                }
                trigger();
                return true;
            case Qt::Key_Down:
                m_list->setCurrentRow(std::min(row + 1, m_list->count() - 1));
                return true;
            case Qt::Key_Up:
                m_list->setCurrentRow(std::max(row - 1, 0));
                return true;
            default:
                break;
        }
    }
    return QFrame::eventFilter(watched, event);
}

}  // namespace ropelab::ui

#include "moc_command_palette.cpp"
