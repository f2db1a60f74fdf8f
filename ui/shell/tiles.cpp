#include "ui/shell/tiles.h"

#include <QFrame>
#include <QLabel>
#include <QVBoxLayout>

#include "ui/common/label_text.h"
#include "ui/common/scaled.h"

namespace ropelab::ui {

Tiles::Tiles(const QString& accessibleName, int count, QWidget* parent) : QWidget(parent) {
    setAccessibleName(accessibleName);
    auto* row = scaledRow(this, 8);
    for (int i = 0; i < count; ++i) {
        auto* card = new QFrame(this);
        card->setProperty("panel", true);
        auto* column = scaledColumn(card, 0, {12, 8, 12, 8});
        const auto add = [&](const char* property) {
            auto* label = new QLabel(card);
            label->setProperty(property, true);
            label->setWordWrap(true);
            column->addWidget(label);
            return label;
        };
        QLabel* name = add("quiet");
        QLabel* value = add("roomTitle");
        QLabel* condition = add("quiet");
        column->addStretch(1);
        row->addWidget(card, 1);
        m_tiles.push_back({card, name, value, condition});
    }
}

void Tiles::set(const std::vector<Tile>& tiles) {
    for (std::size_t i = 0; i < m_tiles.size() && i < tiles.size(); ++i) {
        const auto& [card, name, value, condition] = m_tiles[i];
        changeText(name, tiles[i].name);
        changeText(value, tiles[i].value);
        changeText(condition, tiles[i].condition);
        card->setToolTip(tiles[i].text + QLatin1Char('\n') + tiles[i].why);
        card->setAccessibleName(tiles[i].text);
    }
}

QString Tiles::text(int index) const {
    return m_tiles.at(static_cast<std::size_t>(index)).card->accessibleName();
}

}  // namespace ropelab::ui

#include "moc_tiles.cpp"
