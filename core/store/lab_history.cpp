// The history that a run takes over from a shorter run, which it continues.
#include "core/store/lab_database.h"

namespace ropelab {

namespace {

constexpr const char* copies_of_history[] = {
    "INSERT INTO step (run, iteration, training_loss, gradient_norm, learning_rate, time) "
    "SELECT ?2, iteration, training_loss, gradient_norm, learning_rate, time FROM step WHERE run = ?1 AND "
    "iteration <= ?3 AND ?4 = ?4",
    "INSERT INTO evaluation (run, iteration, training_loss, validation_loss, time) "
    "SELECT ?2, iteration, training_loss, validation_loss, time FROM evaluation WHERE run = ?1 AND "
    "iteration <= ?3 AND iteration <> ?4",
    "INSERT INTO sample SELECT ?2, iteration, text FROM sample WHERE run = ?1 AND iteration <= ?3 AND iteration <> ?4",
    "INSERT INTO snapshot SELECT ?2, iteration, part, shape, type, numbers FROM snapshot WHERE run = ?1 AND "
    "iteration <= ?3 AND iteration <> ?4",
};

}  // namespace

void LabFile::copy_history(RunId from, RunId to, std::int64_t iteration, std::int64_t without,
                           const RunSummary& summary) {
    const sqlite::Connection& database = database_->connection;
    sqlite::Transaction transaction(database);
    const RunRecord shorter = run(from);  // throws if there is no such run
    for (const char* copy : copies_of_history) database.query(copy).with(from, to, iteration, without).run();
    database
        .query(
            "INSERT OR REPLACE INTO conditions SELECT ?2, precision, device, threads, reason, kernels, '' FROM "
            "conditions WHERE run = ?1")
        .with(from, to)
        .run();
    if (!shorter.vocabulary.empty()) set_vocabulary(to, shorter.vocabulary, shorter.bytes_per_token);
    if (shorter.text) bind_to_text(to, *shorter.text, true);
    record(std::vector<Event>{event::RunEnded{to, RunState::stopped, "", summary}});
    transaction.commit();
}

}  // namespace ropelab
