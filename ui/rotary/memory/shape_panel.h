#pragma once

#include <QWidget>
#include <vector>

#include "ui/rotary/memory/memory_sizes.h"

class QComboBox;
class QLabel;
class QSpinBox;

namespace ropelab::ui {

/// Sets the model around the rotary setup: layers, heads, what its KV cache keeps.
class ShapePanel : public QWidget {
    Q_OBJECT

 public:
    explicit ShapePanel(RotaryModel& model, QWidget* parent = nullptr);

    /// Shows the model's shape.
    void renew();

    QComboBox* kind() const { return m_kind; }
    QComboBox* kvFormat() const { return m_kvFormat; }
    /// The field of a member of CacheShape by its name: "layers", "heads", "kv_heads", "latent_dim",
    /// "latent_rope_dim", "window", "global_layers".
    QSpinBox* field(const QString& name) const;
    NumberFormat format() const;

 signals:
    /// The KV cache is to be kept in another format; the shape itself goes to the model.
    void formatChanged();

 private:
    void change(const QString& what, const ModelShape& shape);

    RotaryModel& m_model;
    QComboBox* m_kind;
    QComboBox* m_kvFormat;
    QLabel* m_keys;
    std::vector<QSpinBox*> m_fields;  // in the order of their table
    bool m_setting = false;
};

}  // namespace ropelab::ui
