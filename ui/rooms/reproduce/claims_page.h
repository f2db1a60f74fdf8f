#pragma once

#include <QString>
#include <QWidget>
#include <span>
#include <vector>

#include "core/reproduce/rules/evaluate.h"

class QFrame;
class QLabel;
class QVBoxLayout;

namespace ropelab::ui {

/// A card per claim with its verdict and what would decide it; the notes on the runs are
/// folded below.
class ClaimsPage : public QWidget {
    Q_OBJECT

 public:
    explicit ClaimsPage(QWidget* parent = nullptr);

    /// Folds stay as they are if the claims do not change. A plan without claims shows nothing.
    void setSheet(const SheetPlan& plan, std::span<const SheetRow> rows, const QString& cost);
    /// All texts, also folded ones.
    QString text() const;

 signals:
    void effectsAsked(const QString& claim);

 private:
    struct Card {
        QLabel* badge;
        QLabel* verdict;
        QLabel* deciding;
    };
    Card addCard(const SheetPlan& plan, std::size_t claim);
    void rebuild(const SheetPlan& plan);

    QWidget* m_content;
    QVBoxLayout* m_column;
    QWidget* m_cards = nullptr;
    std::vector<Card> m_claims;
    QLabel* m_ranking = nullptr;
    QLabel* m_source = nullptr;
    QLabel* m_notes = nullptr;
    QString m_shown;  // sheet, scale and rules of the cards
};

}  // namespace ropelab::ui
