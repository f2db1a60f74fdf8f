#pragma once

#include <QWidget>
#include <vector>

#include "ui/rooms/memory/memory_sizes.h"

class QComboBox;
class QLabel;
class QSpinBox;

namespace ropelab::ui {

/// Edits the attention type, precision, layers and heads of the model's KV cache.
class ShapePanel : public QWidget {
    Q_OBJECT

 public:
    explicit ShapePanel(RotaryModel& model, QWidget* parent = nullptr);

    void renew();

    QComboBox* kind() const { return m_kind; }
    QComboBox* kvFormat() const { return m_kvFormat; }
    /// A field of CacheShape by its name, or nullptr: "layers", "heads", "kv_heads", "latent_dim", "latent_rope_dim",
    /// "window", "global_layers".
    QSpinBox* field(const QString& name) const;
    NumberFormat format() const;

 signals:
    /// Changes of the shape go to RotaryModel instead.
    void formatChanged();

 private:
    void change(const QString& what, const ModelShape& shape);

    RotaryModel& m_model;
    QComboBox* m_kind;
    QComboBox* m_kvFormat;
    QLabel* m_keys;
    std::vector<QSpinBox*> m_fields;  // in the order of kFields
    bool m_isUpdating = false;        // the fields show a new shape and must not change it
};

}  // namespace ropelab::ui
