#pragma once

#include <QFrame>
#include <QList>
#include <QPointer>
#include <QString>
#include <QTimer>
#include <functional>
#include <optional>
#include <utility>

class QLineEdit;
class QListWidget;

namespace ropelab::ui {

class ActionRegistry;

/// What the palette finds beside the actions: a field, a figure, a formula, a heading of the guide or a model.
struct PaletteEntry {
    QString id;                // unique, for example "formula.22"; that of an action adds words to the action
    QString title;             // "Formula 22: YaRN"
    QString place;             // where it is, shown after the title: "Spectrum"
    QString words;             // other texts that the search looks through
    std::function<void()> go;  // shows it; empty for an action
};

/// Finds actions, settings, figures, formulas, headings of the guide and models by a few letters of their name
/// (Ctrl+K). Not modal; Escape or a click elsewhere closes it and gives the keyboard focus back.
class CommandPalette : public QFrame {
    Q_OBJECT

 public:
    CommandPalette(ActionRegistry* registry, QWidget* window);
    /// What can be found beside the actions, in parts; nullopt after the last one. A part may make a room, which takes
    /// longer than a frame: the open palette loads one part after another, and the user can type meanwhile.
    using Source = std::function<std::optional<QList<PaletteEntry>>(int part)>;
    void setSource(Source source) { m_source = std::move(source); }

    void open();
    /// Ids of enabled actions and other entries, best match first: names with a word that begins with `typed`, then
    /// names that contain it, actions that contain its letters in this order, and entries whose other texts contain its
    /// words. An empty text matches all actions. Loads all parts of the source first.
    QList<QString> matches(const QString& typed) const;
    bool isLoaded() const { return m_isLoaded; }

 protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

 private:
    void renew();
    void trigger();
    QList<QString> loadedMatches(const QString& typed) const;
    void loadNext() const;
    void loadRest() const;
    QString rowText(const QString& id) const;
    void close();

    ActionRegistry* m_registry;
    Source m_source;
    QTimer m_loading;
    mutable QList<PaletteEntry> m_entries;  // since the palette was opened
    mutable int m_parts = 0;                // of the source in m_entries
    mutable bool m_isLoaded = false;        // m_entries has all parts
    QString m_typed;                        // for the listed entries
    QList<QString> m_ids;                   // of the listed entries
    QPointer<QWidget> m_before;             // the widget that had the keyboard focus before open()
    QLineEdit* m_search;
    QListWidget* m_list;
};

}  // namespace ropelab::ui
