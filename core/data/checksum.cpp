#include "core/data/checksum.h"

#include <openssl/evp.h>

#include <array>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <vector>

namespace ropelab {

namespace {

class Hasher {
 public:
    explicit Hasher(Checksum::Algorithm algorithm)
        : algorithm_(algorithm), context_(EVP_MD_CTX_new(), &EVP_MD_CTX_free) {
        const EVP_MD* digest = algorithm == Checksum::Algorithm::sha256 ? EVP_sha256() : EVP_md5();
        require(context_ != nullptr && EVP_DigestInit_ex(context_.get(), digest, nullptr) == 1);
    }

    void add(const char* bytes, std::size_t count) { require(EVP_DigestUpdate(context_.get(), bytes, count) == 1); }

    Checksum finish() {
        std::array<unsigned char, EVP_MAX_MD_SIZE> value{};
        unsigned length = 0;
        require(EVP_DigestFinal_ex(context_.get(), value.data(), &length) == 1);
        Checksum checksum{algorithm_, {}};
        constexpr std::string_view digits = "0123456789abcdef";
        for (unsigned i = 0; i < length; ++i) {
            checksum.hex += digits[value[i] >> 4];
            checksum.hex += digits[value[i] & 15];
        }
        return checksum;
    }

 private:
    /// OpenSSL refuses MD5 on machines in FIPS mode.
    void require(bool done) const {
        if (!done) {
            throw std::runtime_error("OpenSSL on this machine cannot compute " + std::string(name_of(algorithm_)) +
                                     " checksums.");
        }
    }

    Checksum::Algorithm algorithm_;
    std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context_;
};

}  // namespace

std::string_view name_of(Checksum::Algorithm algorithm) {
    return algorithm == Checksum::Algorithm::sha256 ? "SHA-256" : "MD5";
}

Checksum checksum_of(std::string_view bytes, Checksum::Algorithm algorithm) {
    Hasher hasher(algorithm);
    hasher.add(bytes.data(), bytes.size());
    return hasher.finish();
}

std::optional<Checksum> checksum_of_file(const std::filesystem::path& file, Checksum::Algorithm algorithm,
                                         const std::function<bool(std::int64_t)>& step) {
    std::ifstream in(file, std::ios::binary);
    if (!in) throw std::runtime_error("'" + file.string() + "' cannot be read.");
    Hasher hasher(algorithm);
    std::vector<char> piece(1 << 20);
    std::int64_t done = 0;
    while (in) {
        in.read(piece.data(), static_cast<std::streamsize>(piece.size()));
        hasher.add(piece.data(), static_cast<std::size_t>(in.gcount()));
        done += in.gcount();
        if (step && !step(done)) return std::nullopt;
    }
    if (in.bad()) throw std::runtime_error("'" + file.string() + "' could be read only in part.");
    return hasher.finish();
}

}  // namespace ropelab
