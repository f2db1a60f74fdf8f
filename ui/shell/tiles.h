#pragma once

#include <QString>
#include <QWidget>
#include <vector>

class QLabel;

namespace ropelab::ui {

/// A number that a person looks for first: what it is, its value with its unit, and the condition under which it holds.
struct Tile {
    QString name;
    QString value;
    QString condition;
    QString text;  // the same in one or two sentences, for the tooltip and the screen reader
    QString why;   // formula, current values of its symbols, source
};

/// Tiles of equal width side by side.
class Tiles : public QWidget {
    Q_OBJECT

 public:
    Tiles(const QString& accessibleName, int count, QWidget* parent = nullptr);

    void set(const std::vector<Tile>& tiles);
    QString text(int index) const;

 private:
    struct Labels {
        QWidget* card;
        QLabel* name;
        QLabel* value;
        QLabel* condition;
    };
    std::vector<Labels> m_tiles;
};

}  // namespace ropelab::ui
