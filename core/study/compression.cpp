#include "core/study/compression.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "core/base/error.h"
#include "core/data/checksum.h"
#include "core/data/compression.h"
#include "core/data/corpus.h"
#include "core/data/utf8.h"

namespace ropelab {

namespace {

constexpr std::int64_t most_blocks = 32;

constexpr std::string_view file_magic = "RopeZ";
constexpr char file_version = 1;
constexpr std::size_t long_checksum = 8;
constexpr std::size_t short_checksum = 4;
constexpr std::int64_t fingerprint_tokens = 32;  // length of the fixed text of the probabilities' checksum
constexpr std::int64_t fingerprint_step = 7919;  // a prime, so that the fixed text has many different tokens
constexpr std::int64_t tokens_per_report = 256;

std::string short_sha256(std::string_view bytes, std::size_t length) {
    const std::string hex = checksum_of(bytes, Checksum::Algorithm::sha256).hex;
    std::string result;
    for (std::size_t i = 0; i < length; ++i) {
        unsigned value = 0;
        std::from_chars(hex.data() + 2 * i, hex.data() + 2 * i + 2, value, 16);
        result += static_cast<char>(value);
    }
    return result;
}

void append_count(std::string& bytes, std::uint64_t count) {
    constexpr unsigned group_bits = 7;
    constexpr std::uint64_t more = 0x80;
    for (; count >= more; count >>= group_bits) bytes += static_cast<char>(count % more | more);
    bytes += static_cast<char>(count);
}

/// Throws BadInput if the file ends too early.
class FileParts {
 public:
    explicit FileParts(std::string_view bytes) : bytes_(bytes) {}

    std::string_view take(std::uint64_t length) {
        if (length > bytes_.size() - at_) throw BadInput("The compressed file is damaged: it ends too early.");
        at_ += static_cast<std::size_t>(length);
        return bytes_.substr(at_ - static_cast<std::size_t>(length), static_cast<std::size_t>(length));
    }
    std::uint64_t count() {
        std::uint64_t result = 0;
        for (unsigned shift = 0; shift < 64; shift += 7) {
            const auto byte = static_cast<unsigned char>(take(1).front());
            result |= static_cast<std::uint64_t>(byte & 0x7FU) << shift;
            if (byte < 0x80) return result;
        }
        throw BadInput("The compressed file is damaged: a number in its header is too large.");
    }
    std::string_view so_far() const { return bytes_.substr(0, at_); }
    bool at_end() const { return at_ == bytes_.size(); }

 private:
    std::string_view bytes_;
    std::size_t at_ = 0;
};

struct CompressedHeader {
    std::string_view model, probabilities, text;  // checksums
    std::uint64_t tokens = 0;
    std::uint64_t code_bytes = 0;
};

CompressedHeader read_header(FileParts& parts, std::string_view file) {
    if (!file.starts_with(file_magic)) {
        throw BadInput("The file is not a text that \"ropelab-cli compress\" has compressed.");
    }
    parts.take(file_magic.size());
    if (const char version = parts.take(1).front(); version != file_version) {
        throw BadInput("The file has version " + std::to_string(static_cast<unsigned char>(version)) +
                       " of the format, but this program reads version " + std::to_string(file_version) + ".");
    }
    CompressedHeader header;
    header.model = parts.take(long_checksum);
    header.probabilities = parts.take(long_checksum);
    header.text = parts.take(long_checksum);
    header.tokens = parts.count();
    header.code_bytes = parts.count();
    const std::string expected = short_sha256(parts.so_far(), short_checksum);
    if (parts.take(short_checksum) != expected) {
        throw BadInput("The compressed file is damaged: its header does not match its checksum.");
    }
    if (header.tokens > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
        throw BadInput("The compressed file is damaged: its number of tokens is too large.");
    }
    return header;
}

std::string model_checksum(const Checkpoint& checkpoint) {
    std::string sums = checkpoint.vocabulary;
    for (const NamedTensor& tensor : checkpoint.state) {
        if (!tensor.name.starts_with("model.")) continue;
        const std::string_view bytes(reinterpret_cast<const char*>(tensor.values.data()),
                                     tensor.values.size() * sizeof(float));
        sums += '\n' + tensor.name + ' ' + checksum_of(bytes, Checksum::Algorithm::sha256).hex;
    }
    return short_sha256(sums, long_checksum);
}

/// Restarts the model when its context is full.
class NextFrequencies {
 public:
    NextFrequencies(Engine& engine, const Checkpoint& checkpoint)
        : vocabulary_(Vocabulary::from_text(checkpoint.vocabulary)),
          model_(model_on_cpu(engine, checkpoint, vocabulary_.size())),
          predictor_(model_->predictor()),
          context_(checkpoint.spec.context) {
        forget();
    }

    const Vocabulary& vocabulary() const { return vocabulary_; }
    const std::vector<std::uint32_t>& frequencies() const { return frequencies_; }
    /// −log₂ p, before p is rounded to frequencies.
    double bits_of(std::int32_t token) const { return bits_of_token(logits_, token); }

    void append(std::int32_t token) {
        if (std::ssize(text_) == context_) {
            text_.erase(text_.begin(), text_.end() - restart_overlap(context_));
            predictor_->restart();
            for (const std::int32_t earlier : text_) predictor_->next(earlier);
        }
        text_.push_back(token);
        set_logits(predictor_->next(token));
    }
    /// Starts a new text, whose first tokens are equally probable.
    void forget() {
        text_.clear();
        predictor_->restart();
        set_logits(std::vector<float>(static_cast<std::size_t>(vocabulary_.size()), 0.0F));
    }
    /// Differs with the arithmetic of a computer and with the settings of equal weights.
    std::string fingerprint() {
        std::string bytes;
        for (std::int64_t i = 0; i < std::min(fingerprint_tokens, context_); ++i) {
            append(static_cast<std::int32_t>(i * fingerprint_step % vocabulary_.size()));
            for (const std::uint32_t frequency : frequencies_) {
                for (unsigned shift = 0; shift < 32; shift += 8) bytes += static_cast<char>(frequency >> shift & 0xFFU);
            }
        }
        forget();
        return short_sha256(bytes, long_checksum);
    }

 private:
    static std::unique_ptr<Model> model_on_cpu(Engine& engine, const Checkpoint& checkpoint, int vocabulary) {
        RunSpec spec = checkpoint.spec;
        spec.device = Device::cpu;
        spec.precision = Precision::float32;
        return create_model(engine, spec, vocabulary, checkpoint.state);
    }
    void set_logits(std::vector<float> logits) {
        logits_ = std::move(logits);
        frequencies_ = coder_frequencies(logits_);
    }

    Vocabulary vocabulary_;
    std::unique_ptr<Model> model_;
    std::unique_ptr<TokenPredictor> predictor_;
    std::int64_t context_;
    std::vector<std::int32_t> text_;  // the tokens that the predictor has
    std::vector<float> logits_;
    std::vector<std::uint32_t> frequencies_;
};

std::optional<std::int64_t> number_of_characters(std::string_view text) {
    if (first_invalid_utf8(text)) return std::nullopt;
    return std::count_if(text.begin(), text.end(),
                         [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; });
}

bool stopped(const TokenProgress& progress, std::int64_t done) {
    return progress && done % tokens_per_report == 0 && !progress(done);
}

}  // namespace

double bits_of_token(std::span<const float> logits, std::int32_t token) {
    const double most = *std::max_element(logits.begin(), logits.end());
    double sum = 0;
    for (const float logit : logits) sum += std::exp(static_cast<double>(logit) - most);
    return (std::log(sum) + most - static_cast<double>(logits[static_cast<std::size_t>(token)])) / std::numbers::ln2;
}

std::int64_t restart_overlap(std::int64_t context) {
    return context - std::max<std::int64_t>(1, context / 2);
}

TextBits text_bits(Model& model, std::int64_t context, int vocabulary, std::span<const std::int32_t> tokens,
                   const TokenProgress& progress) {
    TextBits result;
    if (tokens.empty()) return result;
    const std::int64_t count = std::ssize(tokens);
    result.bits = {std::log2(static_cast<double>(vocabulary))};
    result.seen = {0};
    for (std::int64_t start = 0; std::ssize(result.bits) < count; start += context - restart_overlap(context)) {
        if (progress && !progress(std::ssize(result.bits))) break;
        const std::int64_t length = std::min(context, count - 1 - start);
        const std::vector<float> logits =
            model.logits(tokens.subspan(static_cast<std::size_t>(start), static_cast<std::size_t>(length)));
        for (std::int64_t next = std::ssize(result.bits); next <= start + length; ++next) {
            const auto row = static_cast<std::size_t>(next - 1 - start) * static_cast<std::size_t>(vocabulary);
            result.bits.push_back(bits_of_token(std::span(logits).subspan(row, static_cast<std::size_t>(vocabulary)),
                                                tokens[static_cast<std::size_t>(next)]));
            result.seen.push_back(next - start);
        }
    }
    return result;
}

Description bits_per_unit(std::span<const double> bits, std::span<const std::int64_t> units, std::int64_t block) {
    const std::int64_t count = std::ssize(bits);
    const std::int64_t blocks = std::clamp<std::int64_t>(count / std::max<std::int64_t>(1, block), 1, most_blocks);
    std::vector<double> means;
    for (std::int64_t i = 0; i < blocks; ++i) {
        const std::int64_t first = i * count / blocks;
        const std::int64_t end = (i + 1) * count / blocks;
        const double sum = std::accumulate(bits.begin() + first, bits.begin() + end, 0.0);
        const auto number = std::accumulate(units.begin() + first, units.begin() + end, std::int64_t{0});
        if (number > 0) means.push_back(sum / static_cast<double>(number));
    }
    Description result = describe(means);
    const auto all = std::accumulate(units.begin(), units.end(), std::int64_t{0});
    if (all == 0) return result;
    const double mean = std::accumulate(bits.begin(), bits.end(), 0.0) / static_cast<double>(all);
    const Interval interval = mean_interval(mean, result.standard_error, result.n - 1);
    result.mean = mean;
    result.confidence_low = interval.low;
    result.confidence_high = interval.high;
    return result;
}

std::optional<CompressedText> compress(Engine& engine, const Checkpoint& checkpoint, std::string_view text,
                                       const TokenProgress& progress) {
    const std::vector<std::int32_t> tokens = Vocabulary::from_text(checkpoint.vocabulary).encode(text);
    NextFrequencies next(engine, checkpoint);
    if (next.vocabulary().decode(tokens) != text) {
        throw BadInput(
            "The run's tokenizer does not reproduce the text exactly, so the text cannot be compressed; choose a run "
            "with another tokenizer, such as bytes.");
    }
    CompressedText result;
    CompressionSizes& sizes = result.sizes;
    const std::string probabilities = next.fingerprint();
    ArithmeticEncoder encoder;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        if (stopped(progress, static_cast<std::int64_t>(i))) return std::nullopt;
        if (i > 0) next.append(tokens[i - 1]);
        encoder.encode(next.frequencies(), tokens[i]);
        sizes.model_bits += next.bits_of(tokens[i]);
        sizes.coded_bits +=
            frequency_bits - std::log2(static_cast<double>(next.frequencies()[static_cast<std::size_t>(tokens[i])]));
    }
    const std::string code = encoder.finish();
    std::string& file = result.file;
    file = file_magic;
    file += file_version;
    file += model_checksum(checkpoint) + probabilities + short_sha256(text, long_checksum);
    append_count(file, tokens.size());
    append_count(file, code.size());
    file += short_sha256(file, short_checksum);
    file += code + short_sha256(code, short_checksum);
    sizes.tokens = std::ssize(tokens);
    sizes.characters = number_of_characters(text);
    sizes.text_bytes = std::ssize(text);
    sizes.file_bytes = std::ssize(file);
    sizes.code_bytes = std::ssize(code);
    return result;
}

std::optional<std::string> decompress(Engine& engine, const Checkpoint& checkpoint, std::string_view file,
                                      const TokenProgress& progress) {
    FileParts parts(file);
    const CompressedHeader header = read_header(parts, file);
    if (header.model != model_checksum(checkpoint)) {
        throw BadInput(
            "The file was compressed with another model; give the run and the checkpoint with which it was "
            "compressed.");
    }
    const std::string_view code = parts.take(header.code_bytes);
    if (parts.take(short_checksum) != short_sha256(code, short_checksum) || !parts.at_end()) {
        throw BadInput("The compressed file is damaged: its code does not match its checksum.");
    }
    NextFrequencies next(engine, checkpoint);
    if (header.probabilities != next.fingerprint()) {
        throw BadInput(
            "The model computes other probabilities here than where the file was compressed: its settings, the "
            "processor's instructions (here " +
            engine.info().processor +
            ") or LibTorch differ. Decompress the file with the same settings on the machine on which it was "
            "compressed.");
    }
    std::vector<std::int32_t> tokens;
    ArithmeticDecoder decoder(code);
    for (std::uint64_t i = 0; i < header.tokens; ++i) {
        if (stopped(progress, static_cast<std::int64_t>(i))) return std::nullopt;
        if (i > 0) next.append(tokens.back());
        tokens.push_back(decoder.decode(next.frequencies()));
    }
    std::string text = next.vocabulary().decode(tokens);
    if (short_sha256(text, long_checksum) != header.text) {
        throw BadInput(
            "The decompressed text does not match its checksum, because the model computed other probabilities than "
            "when the file was compressed; decompress it on the machine on which it was compressed.");
    }
    return text;
}

std::int64_t compressed_tokens(std::string_view file) {
    FileParts parts(file);
    return static_cast<std::int64_t>(read_header(parts, file).tokens);
}

}  // namespace ropelab
