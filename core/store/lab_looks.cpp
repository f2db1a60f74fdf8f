// Looks of settings: the colours and names that lists and figures use.
#include "core/store/lab_database.h"

namespace ropelab {

std::vector<SettingLook> LabFile::setting_looks() const {
    std::vector<SettingLook> result;
    sqlite::Query row =
        database_->connection.query("SELECT settings, color, pinned, name FROM setting_look ORDER BY id");
    while (row.next()) {
        result.push_back({row.text(0), static_cast<int>(row.integer(1)), row.integer(2) != 0, row.text(3)});
    }
    return result;
}

void LabFile::set_setting_looks(std::span<const SettingLook> looks) {
    if (looks.empty()) return;
    sqlite::Transaction transaction(database_->connection);
    for (const SettingLook& look : looks) {
        database_->connection
            .query(
                "INSERT INTO setting_look (settings, color, pinned, name) VALUES (?, ?, ?, ?) "
                "ON CONFLICT (settings) DO UPDATE SET color = excluded.color, pinned = excluded.pinned, "
                "name = excluded.name")
            .with(look.settings, std::int64_t{look.color}, std::int64_t{look.pinned}, look.name)
            .run();
    }
    transaction.commit();
}

}  // namespace ropelab
