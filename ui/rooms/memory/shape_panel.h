#pragma once

#include <QWidget>
#include <vector>

#include "ui/rooms/memory/memory_sizes.h"

class QComboBox;
class QLabel;
class QSpinBox;

namespace ropelab::ui {

/// Panel that edits the shape of the model's KV cache: attention type, precision, layers and heads.
class ShapePanel : public QWidget {
    Q_OBJECT

 public:
    explicit ShapePanel(RotaryModel& model, QWidget* parent = nullptr);

    /// Shows the current shape.
    void renew();

    QComboBox* kind() const { return m_kind; }
    QComboBox* kvFormat() const { return m_kvFormat; }
    /// Returns the field of a member of CacheShape by its name, or nullptr: "layers", "heads", "kv_heads",
    /// "latent_dim", "latent_rope_dim", "window", "global_layers".
    QSpinBox* field(const QString& name) const;
    /// Number format of the KV cache.
    NumberFormat format() const;

 signals:
    /// Emitted when the user changes the number format of the KV cache. Changes of the shape go to RotaryModel.
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
