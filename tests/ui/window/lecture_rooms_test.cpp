// The table of rooms and parts that lectures can name agrees with the rooms of the window.
#include "core/lecture/lecture_rooms.h"

#include "tests/ui/support/workbench.h"
#include "ui/window/main_window.h"
#include "ui/window/rooms.h"

namespace ropelab::ui {
namespace {

class LectureRoomsTest : public Workbench {};

/// Returns the parts that a room lists when a part does not exist.
QStringList partsOf(Room& room) {
    try {
        room.showPart(QStringLiteral("no such part"));
    } catch (const BadInput& error) {
        const QString message = QString::fromUtf8(error.what());
        for (const QString& before : {QStringLiteral("its parts are "), QStringLiteral("its only part is ")}) {
            const auto found = message.indexOf(before);
            if (found >= 0) return message.mid(found + before.size()).chopped(1).split(QStringLiteral(", "));
        }
    }
    return {};
}

TEST_F(LectureRoomsTest, NameTheRoomsOfTheWindow) {
    ASSERT_EQ(lecture_rooms().size(), rooms().size());
    for (std::size_t i = 0; i < rooms().size(); ++i) EXPECT_EQ(lecture_rooms()[i].name, rooms()[i].id);
}

TEST_F(LectureRoomsTest, EveryPartCanBeShown) {
    MainWindow window(options());
    window.resize(1280, 800);
    window.show();
    for (const LectureRoom& room : lecture_rooms()) {
        window.showRoom(QString::fromUtf8(room.name.data(), static_cast<qsizetype>(room.name.size())));
        QStringList known;
        for (const std::string_view part : room.parts) {
            known << QString::fromUtf8(part.data(), static_cast<qsizetype>(part.size()));
            EXPECT_NO_THROW(window.room().showPart(known.last())) << room.name << "/" << part;
        }
        for (const QString& part : partsOf(window.room())) {
            EXPECT_TRUE(known.contains(part)) << room.name << "/" << part.toStdString() << " is missing";
        }
    }
}

}  // namespace
}  // namespace ropelab::ui
