#pragma once

#include <QString>
#include <vector>

#include "core/interop/hf_config.h"
#include "ui/rotary/rotary_model.h"

namespace ropelab::ui {

/// A model of the map: a published one, or one that was imported.
struct ModelEntry {
    QString name;
    QString source;  // where its settings were read; the file's path for an imported one
    bool isImported = false;
    HfModel model;

    /// The rotary embedding at that place of model.rotary; out of range, the first.
    const HfRotary& rotary(int layerType) const;
    /// The name; with it the layer type, where the model has several.
    QString nameWith(int layerType) const;
};

/// The published models, each read by the importer; made once.
const std::vector<ModelEntry>& knownModels();

/// Reads a Hugging Face config.json, which is called like its folder (in Hugging Face's own store: like the model), or,
/// where it has another name, like the file. Throws BadInput.
ModelEntry importedModel(const QString& path);

/// What the rooms show of an entry's layer type. How the table is stored is no matter of a model: that stays, and so do
/// heads and attention window where the model does not tell them.
RotarySetup setupOf(const ModelEntry& entry, int layerType, const RotarySetup& present);
/// Its caches. What the model does not tell stays as it is, and the name says so.
ModelShape shapeOf(const ModelEntry& entry, int layerType, const ModelShape& present);

/// b_eff: the base at which a head that turns as a whole has this setup's frequencies in its fastest pairs. That is
/// theta for truncate and theta^(d/d_r) for slice (F5 read from right to left); NaN where nothing turns.
double wholeHeadBase(const RotarySetup& setup);

/// "full, sliding"; "all layers" where they do not differ.
QString layerTypesText(const HfModel& model);
/// "sliding_attention" as words: "sliding attention".
QString layerTypeText(const HfRotary& rotary);
/// "Llama 3 ×8"; "–" without scaling.
QString scalingText(const RotarySetup& setup);
/// "25 %".
QString fractionText(const RotarySetup& setup);
/// A base: "10k", "1.5M", "10¹⁶".
QString baseText(double base);

}  // namespace ropelab::ui
