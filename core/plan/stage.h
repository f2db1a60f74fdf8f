#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ropelab {

/// nullopt where the model's source does not define it.
using Count = std::optional<std::int64_t>;
/// nullopt if one is unknown. Throws BadInput if the product does not fit into 64 bits.
Count product_of(std::span<const Count> factors);
Count product_of(std::initializer_list<Count> factors);
/// nullopt if one is unknown. Throws BadInput if the sum does not fit into 64 bits.
Count sum_of(std::initializer_list<Count> terms);
/// Empty if an extent is unknown.
std::vector<std::int64_t> extents(std::initializer_list<Count> shape);

/// In the flat array (core/plan/layout.h) matrices come before vectors, and in a layer lower numbers first.
namespace storage {
inline constexpr int token_table = 0;  // embeddings and output head, before the layers
inline constexpr int matrix = 1;
inline constexpr int rates = 2;
inline constexpr int attention_output = 3;
inline constexpr int distance_table = 4;
inline constexpr int feed_forward = 5;
inline constexpr int vectors = 10;  // from here on vectors, without weight decay
inline constexpr int norm = 10;
inline constexpr int output_norm = 11;
inline constexpr int head_norm = 12;
inline constexpr int decay = 13;
inline constexpr int sinks = 14;
inline constexpr int query_key_norm = 15;
inline constexpr int bias = 16;
inline constexpr int smear = 17;
inline constexpr int shift = 18;  // of the rotary frequencies, after everything else
}  // namespace storage

/// Rows of a tensor that a file of weights may store as a tensor of its own, or in another order.
struct TensorPart {
    std::string name = {};  // "query"
    Count rows = {};
    Count head_rows = {};                  // of each head; nullopt: the rows are not those of heads
    std::vector<std::int64_t> order = {};  // row i of a head is row order[i] in the model's own weights; empty: i

    bool operator==(const TensorPart&) const = default;
};

struct Tensor {
    std::string name;  // in a layer without its prefix: "attention.qkv.weight"
    std::vector<Count> shape;
    int place = storage::matrix;
    /// Normal initialization; 0: it starts at 0. For a vector, the number at which it starts.
    double deviation = 0;
    bool multiplies = true;  // whether every token is multiplied by it, if it is a matrix
    /// Tokens, positions, distances or output head: not in non_embedding_parameters(), not trained by Muon.
    bool embeds = false;
    bool decays = false;  // whether weight decay applies to a vector
    /// Rows at the end whose initial numbers are multiplied by `last_factor` (values in qkv).
    std::int64_t last_rows = 0;
    double last_factor = 1;
    std::vector<double> initial = {};    // initial numbers that replace the initialization by `deviation`
    std::vector<TensorPart> parts = {};  // of its rows, in order; empty: one

    Count size() const;
    bool operator==(const Tensor&) const = default;
};

/// An operation and its output. Numbers are those of one layer; nullopt: the model's source does not define them.
struct AnatomyStage {
    std::string id;                          // "attention.scores", unique in its section
    std::string name;                        // "Attention scores"
    std::string kind = {};                   // variant: "RMSNorm"; "" if there is only one
    std::string symbols = {};                // shape of the output: "(B, h, T, T)"
    std::vector<std::int64_t> shape = {};    // the same in numbers; empty if one of them is unknown
    std::string formula = {};                // "A = softmax(S)"; "_" begins an index, "^" an exponent
    std::vector<std::string> settings = {};  // names of the settings that change the stage
    std::vector<Tensor> tensors = {};        // its parameters
    std::optional<std::int64_t> parameters = 0;
    std::int64_t inactive_parameters = 0;  // of these, those of the experts that a token is not routed to
    /// Floating-point, of a forward pass per token: 2·m·n·k for a product of an m × k and a k × n matrix. Attention
    /// counts visible keys. Norms, softmax, activations, rotations and sums are not counted.
    std::optional<double> operations = 0;
    std::optional<std::int64_t> cache_bytes_per_token = 0;  // of the KV cache
    std::int64_t state_bytes = 0;                           // bytes of the cache of a sequence, whatever its length
    /// In a forward pass (add_times); nullopt if not measured, or computed together with other stages.
    std::optional<double> seconds = {};
    std::vector<std::string> within = {};  // names of the stages whose time contains that of this stage

    /// Parameters, and the products of a token with the matrices.
    void count_tensors();
    /// "Norm before attention: RMSNorm".
    std::string title() const { return kind.empty() ? name : name + ": " + kind; }
    std::optional<std::int64_t> active_parameters() const {
        return parameters ? std::optional(*parameters - inactive_parameters) : std::nullopt;
    }
    /// "16 × 128 × 64"; "unknown" if the numbers are not known.
    std::string shape_text() const;
};
using Stages = std::vector<AnatomyStage>;

struct PlanSizes {
    std::int64_t B = 1;  // sequences per batch
    std::int64_t T = 0;  // tokens per sequence
    Count C;             // width
    Count V;             // vocabulary
    std::int64_t layers = 0;
    Count cached_number_bytes = 4;  // of the KV cache; 0: none
    int state_number_bytes = 4;     // of the states of gated DeltaNets; 0: none
    bool decoder = true;            // tokens attend to earlier ones only

    /// Standard deviations of matrices (layout_of).
    bool xavier = false;
    double deepnorm = 1.0;  // factor of values, attention output and MLP
    double router_deviation = 0.02;
    double matrix_deviation(Count inputs, Count outputs) const;
    double output_deviation(Count inputs, Count outputs) const;  // of matrices whose output is added to the stream

    Count cache_of(Count numbers) const {
        return cached_number_bytes == 0 ? Count(0) : product_of({numbers, cached_number_bytes});
    }

    bool operator==(const PlanSizes&) const = default;
};

std::vector<Tensor> linear_tensors(const std::string& name, Count rows, Count columns, double deviation, bool has_bias,
                                   int place = storage::matrix);
/// "name = input·W_index^⊤", with a bias if there is one.
std::string product_formula(const std::string& name, const std::string& input, const std::string& index, bool has_bias);

/// "0.5·" before what a number multiplies, with four digits; "" for 1.
std::string factor_text(double factor);
/// "S ← 50·tanh(S/50)", which bounds numbers by the cap.
std::string soft_cap_text(const std::string& name, double cap);

inline double real(Count count) {
    return static_cast<double>(count.value_or(0));
}

}  // namespace ropelab
