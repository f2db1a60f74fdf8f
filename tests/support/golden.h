#pragma once

#include <cstring>
#include <vector>

#include "core/contract/named_tensor.h"
#include "tests/support/shared_data.h"

namespace ropelab {

/// Reference data of a tiny model that another program trained: weights, logits, gradients and the losses of ten AdamW
/// steps.
struct Golden {
    nlohmann::json description;
    std::vector<NamedTensor> parameters;
    std::vector<NamedTensor> gradients;  // gradients of the mean loss over the first batch
    NamedTensor logits;                  // logits of the first batch, of shape (batch, time, vocabulary)

    /// Reads the reference data with the given name from the shared data.
    explicit Golden(const std::string& name)
        : description(read_json_file(shared_data("oracles/golden/" + name + ".json"))) {
        const std::string bytes = read_file(shared_data("oracles/golden/" + name + ".bin"));
        std::vector<float> numbers(bytes.size() / sizeof(float));
        std::memcpy(numbers.data(), bytes.data(), bytes.size());
        for (const auto& entry : description.at("arrays")) {
            NamedTensor tensor{entry.at("name"), entry.at("shape").get<std::vector<std::int64_t>>(), {}};
            std::int64_t size = 1;
            for (std::int64_t extent : tensor.shape) size *= extent;
            const auto first = numbers.begin() + entry.at("offset").get<std::int64_t>();
            tensor.values.assign(first, first + size);
            if (entry.at("kind") == "param")
                parameters.push_back(std::move(tensor));
            else if (entry.at("kind") == "grad")
                gradients.push_back(std::move(tensor));
            else
                logits = std::move(tensor);
        }
    }

    /// Returns Tiny Shakespeare as tokens of the vocabulary of the model.
    std::vector<std::int32_t> corpus() const {
        const auto vocabulary = description.at("vocab").get<std::string>();
        std::vector<std::int32_t> tokens;
        for (char c : read_file(shared_data("text/tinyshakespeare.txt"))) {
            tokens.push_back(static_cast<std::int32_t>(vocabulary.find(c)));
        }
        return tokens;
    }

    /// Returns the offsets in Tiny Shakespeare at which the sequences of each batch start.
    std::vector<std::vector<std::int64_t>> batches() const {
        return description.at("adamw")
            .at("batch_offsets_in_tinyshakespeare")
            .get<std::vector<std::vector<std::int64_t>>>();
    }

    /// Returns the training loss of each AdamW step, in nats per token.
    std::vector<double> losses() const { return trajectory("loss"); }
    /// Returns the gradient norm of each AdamW step before clipping.
    std::vector<double> gradient_norms() const { return trajectory("grad_norm_before_clip"); }

 private:
    std::vector<double> trajectory(const char* quantity) const {
        return description.at("adamw").at("trajectories").at("torch.float64").at(quantity).get<std::vector<double>>();
    }
};

}  // namespace ropelab
