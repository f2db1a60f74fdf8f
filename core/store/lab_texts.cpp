#include "core/store/lab_database.h"

namespace ropelab {

void LabFile::bind_to_text(RunId id, const TextMark& text, bool begins) {
    const sqlite::Connection& database = database_->connection;
    sqlite::Transaction transaction(database);
    if (const auto own = run(id).text) {
        require_same_text(text, *own);
    } else if (begins) {
        {
            sqlite::Query other = database.query(
                "SELECT text_bytes, text_sha256 FROM run WHERE text_name = ? AND text_sha256 <> '' AND deleted = 0 "
                "ORDER BY id LIMIT 1");
            if (other.with(text.name).next()) require_same_text(text, {text.name, other.integer(0), other.text(1)});
        }
        database.query("UPDATE run SET text_name = ?, text_bytes = ?, text_sha256 = ? WHERE id = ?")
            .with(text.name, text.bytes, text.sha256, id)
            .run();
    }
    transaction.commit();
}

}  // namespace ropelab
