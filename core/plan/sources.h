#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/plan/stage.h"

namespace ropelab {

// Which tensors of a file of weights a tensor of the plan consists of. Loading, and the list of tensors that a model
// does not use, are folds over the sources of a layout's parameters.

/// A tensor's names in the files of a family of models, without ".weight" or ".bias".
struct SourceNames {
    std::vector<std::string> parts;  // one of the whole tensor, or one of each of its parts
    bool is_by_head = false;         // one tensor has the parts of the first head, then those of the second one (NeoX)

    bool operator==(const SourceNames&) const = default;
};

/// Of a family of models, from resources/models/tensor_names.json.
struct TensorNames {
    std::string family;                        // "llama"
    std::string prefix = {};                   // of the names, which the files of some models leave out
    std::string layer;                         // before the names in layer N, with {} for N: "model.layers.{}."
    std::map<std::string, SourceNames> names;  // by the plan's names without layer, ".weight" and ".bias"
    bool are_transposed = false;               // matrices of the layers have a row per column (GPT-2)
    std::vector<std::string> unused = {};      // ends of the names of tensors that follow from the config: masks

    bool operator==(const TensorNames&) const = default;
};

/// Rows of a tensor of the plan.
struct SourceRows {
    std::string name;                      // of the tensor in the file: "model.layers.0.self_attn.q_proj.weight"
    std::int64_t file_rows = 0;            // of the tensor in the file, which may have other parts too
    std::int64_t rows = 0;                 // of the plan's tensor
    std::int64_t head_rows = 0;            // of each head; `rows` if they are not those of heads
    std::int64_t first = 0;                // row of the file's tensor at which the first head begins
    std::int64_t stride = 0;               // rows of the file's tensor from one head to the next one
    std::vector<std::int64_t> order = {};  // as TensorPart::order

    /// Of a row of these, in the tensor of the file.
    std::int64_t row_in_file(std::int64_t row) const {
        const std::int64_t in_head = row % head_rows;
        return first + row / head_rows * stride + (order.empty() ? in_head : order[static_cast<std::size_t>(in_head)]);
    }
};

struct TensorSource {
    std::vector<SourceRows> parts = {};  // together all rows
    bool is_transposed = false;          // the tensors in the file have a row for each column
};

/// `layer`: −1 outside the layers. Throws BadInput, naming the tensor, if the names do not include it.
TensorSource source_of(const Tensor& tensor, const TensorNames& names, std::int64_t layer);

}  // namespace ropelab
