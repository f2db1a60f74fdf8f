#include "core/base/names.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>
#include <utility>
#include <vector>

#include "core/base/numbers.h"

namespace ropelab {

std::span<const ForeignNames> foreign_names() {
    static constexpr auto table = std::to_array<ForeignNames>({
        {"seed", "seed random_seed rng_seed manual_seed seed_everything", "seeds"},
        {"theta", "theta rope_theta rope_base rotary_base rotary_emb_base", "base rope_freq_base"},
        {"fraction", "fraction partial_rotary_factor rotary_pct rotary_percent", "rotary_dim rotary_ndims"},
        {"learning_rate", "learning_rate lr max_lr", "peak_lr"},
        {"final_learning_rate", "", "min_lr"},
        {"batch", "batch batch_size per_device_train_batch_size train_batch_size",
         "global_batch_size total_batch_size"},
        {"iterations", "iterations max_iters max_steps num_iterations",
         "steps num_steps train_steps total_steps epochs num_epochs"},
        {"layers", "layers n_layer n_layers num_layers num_hidden_layers", "depth"},
        {"heads", "heads n_head n_heads num_heads num_attention_heads"},
        {"key_value_heads", "", "num_key_value_heads n_kv_head n_kv_heads num_kv_heads"},
        {"width", "width n_embd d_model hidden_size", "dim hidden_dim n_embed emb_dim embed_dim embedding_dim"},
        {"mlp_width", "", "intermediate_size n_inner d_ff ffn_dim"},
        {"feed_forward", "", "activation activation_function hidden_act"},
        {"context", "context block_size seq_len context_length max_seq_len",
         "n_positions n_ctx max_position_embeddings max_length"},
        {"attention_window", "", "sliding_window window_size"},
        {"vocabulary_size", "", "vocab_size"},
        {"tied_head", "", "tie_word_embeddings tie_embeddings"},
        {"dropout", "dropout", "attn_pdrop resid_pdrop"},
        {"weight_decay", "weight_decay", "wd"},
        {"warmup", "warmup warmup_iters warmup_steps", "num_warmup_steps"},
        {"clip", "", "grad_clip max_grad_norm gradient_clip_val"},
        {"evaluate_every", "", "eval_interval eval_every eval_steps"},
        {"evaluation_batches", "", "eval_iters"},
        {"precision", "", "dtype torch_dtype"},
    });
    return table;
}

std::string_view own_name_of(std::string_view name, std::span<const std::string_view> known) {
    const auto own = std::ranges::find(known, name);
    if (own != known.end()) return *own;
    for (const ForeignNames& row : foreign_names()) {
        std::vector<std::string> names = parts_of(row.same, ' ');
        std::ranges::move(parts_of(row.similar, ' '), std::back_inserter(names));
        const bool is_listed = std::ranges::find(names, name) != names.end() && !name.empty();
        if (is_listed && std::ranges::find(known, row.setting) != known.end()) return row.setting;
    }
    return {};
}

namespace {

bool is_same(char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
}

bool is_part(std::string_view word, std::string_view whole) {
    return word.size() >= 3 && word.size() < whole.size() && !std::ranges::search(whole, word, is_same).empty();
}

// "smol" in "SmolLM2 1.7B", "ctx" for "context": its letters in their order, as a part or from the first letter on.
bool abbreviates(std::string_view word, std::string_view whole) {
    if (word.size() < 3 || word.size() >= whole.size()) return false;
    if (is_part(word, whole)) return true;
    std::size_t next = 0;
    for (const char letter : whole) next += next < word.size() && is_same(letter, word[next]) ? 1 : 0;
    return next == word.size() && is_same(whole.front(), word.front());
}

// Levenshtein distance in quarters of a letter: another case counts as one quarter.
std::size_t edit_distance(std::string_view word, std::string_view other) {
    std::vector<std::size_t> row(other.size() + 1);
    for (std::size_t j = 0; j < row.size(); ++j) row[j] = 4 * j;
    for (std::size_t i = 0; i < word.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = 4 * (i + 1);
        for (std::size_t j = 0; j < other.size(); ++j) {
            const std::size_t above = row[j + 1];
            const std::size_t change = word[i] == other[j] ? 0 : is_same(word[i], other[j]) ? 1 : 4;
            row[j + 1] = std::min({above + 4, row[j] + 4, diagonal + change});
            diagonal = above;
        }
    }
    return row.back();
}

// Abbreviated or lengthened, or at most a third of the letters, or two, are wrong.
bool is_spelled_like(std::string_view word, std::string_view other) {
    const std::size_t letters = word.size() < 3 ? 1 : std::max<std::size_t>(2, (word.size() + 1) / 3);
    return abbreviates(word, other) || is_part(other, word) || edit_distance(word, other) <= 4 * letters;
}

}  // namespace

std::string nearest(std::string_view word, std::span<const std::string_view> known) {
    std::string best;
    std::pair best_distance(std::string::npos, std::string::npos);
    for (std::string_view candidate : known) {
        // Of equal distances, the one with fewer other letters.
        const std::size_t letters = edit_distance(word, candidate);
        const std::pair both(abbreviates(word, candidate) ? std::min<std::size_t>(letters, 4) : letters, letters);
        if (both < best_distance) {
            best_distance = both;
            best = candidate;
        }
    }
    return best;
}

std::string hint(std::string_view name, std::span<const std::string_view> known, std::string_view quote,
                 std::string_view otherwise) {
    constexpr std::size_t most_parts = 6, short_list = 12;
    const auto listed = [&](std::span<const std::string_view> names) {
        std::vector<std::string> quoted;
        for (const std::string_view each : names) quoted.push_back(std::string(quote).append(each).append(quote));
        return enumerated(quoted, " or ");
    };
    const std::string best = nearest(name, known);
    const std::string_view own = own_name_of(name, known);
    std::vector<std::string_view> meant;
    std::ranges::copy_if(known, std::back_inserter(meant), [&](auto each) { return is_part(name, each); });
    if (!own.empty()) {
        meant = {own};
    } else if (edit_distance(name, best) <= 4 || meant.empty() || meant.size() > most_parts) {
        meant.clear();
        if (!best.empty() && is_spelled_like(name, best)) meant = {best};
    }
    if (!meant.empty()) return "; did you mean " + listed(meant) + "?";
    if (known.empty() || known.size() > short_list) return std::string(otherwise);
    return "; it must be " + listed(known) + ".";
}

}  // namespace ropelab
