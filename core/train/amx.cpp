#include "core/train/amx.h"

#if defined(__x86_64__) && defined(__linux__)

#include <cpuid.h>
#include <immintrin.h>
#include <omp.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <torch/torch.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <csetjmp>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <string>
#include <thread>

namespace ropelab {

namespace {

// arch_prctl's, which some C libraries do not name yet.
constexpr int set_cpuid = 0x1012;  // second argument 0: CPUID raises SIGSEGV in this thread
constexpr int request_state = 0x1023;
constexpr int tile_data = 18;

struct Leaf {
    unsigned a = 0;
    unsigned b = 0;
    unsigned c = 0;
    unsigned d = 0;
};
Leaf cpuid(unsigned leaf, unsigned part) {
    Leaf result;
    __cpuid_count(leaf, part, result.a, result.b, result.c, result.d);
    return result;
}

constexpr unsigned tile_leaf = 0x1D;
// What leaf 0x1D says of palette 1 on every processor with AMX (Intel's manual, volume 2A, CPUID): 8 tiles of 1,024
// bytes, 16 rows of 64 bytes.
Leaf tiles_described(unsigned part) {
    if (part == 0) return {.a = 1};
    if (part == 1) return {.a = (1024U << 16) | 8192U, .b = (8U << 16) | 64U, .c = 16U};
    return {};
}

bool announced() {
    constexpr unsigned tile = 1U << 24;
    constexpr unsigned bfloat16 = 1U << 22;
    return __get_cpuid_max(0, nullptr) >= 7 && (cpuid(7, 0).d & (tile | bfloat16)) == (tile | bfloat16);
}

bool described() {
    return __get_cpuid_max(0, nullptr) >= tile_leaf && cpuid(tile_leaf, 0).a >= 1;
}

// Another signal handler while one lives.
class Handling {
 public:
    using Handler = void (*)(int, siginfo_t*, void*);
    Handling(int signal, Handler handler) : signal_(signal) {
        struct sigaction action {};
        action.sa_sigaction = handler;
        action.sa_flags = SA_SIGINFO;
        sigaction(signal, &action, &before_);
    }
    ~Handling() { sigaction(signal_, &before_, nullptr); }
    Handling(const Handling&) = delete;
    Handling& operator=(const Handling&) = delete;

 private:
    int signal_;
    struct sigaction before_ {};
};

// Not this file's doing: the fault comes again, and ends the program as it would have.
void leave_to_the_system(int signal) {
    std::signal(signal, SIG_DFL);
}

sigjmp_buf after_probe;
pthread_t probing;
void leave_probe(int signal, siginfo_t* /*info*/, void* /*context*/) {
    if (pthread_equal(probing, pthread_self()) == 0) return leave_to_the_system(signal);
    siglongjmp(after_probe, 1);
}

// 16 × 32 ones times 32 × 16 ones, on tiles.
__attribute__((target("amx-tile,amx-bf16"))) bool multiply_ones() {
    struct alignas(64) {
        std::uint8_t palette = 1;
        std::uint8_t start = 0;
        std::array<std::uint8_t, 14> reserved{};
        std::array<std::uint16_t, 16> row_bytes{64, 64, 64};
        std::array<std::uint8_t, 16> rows{16, 16, 16};
    } const shape;
    static_assert(sizeof shape == 64);
    alignas(64) std::array<std::uint16_t, 512> ones{};
    ones.fill(0x3F80);
    alignas(64) std::array<float, 256> product{};
    asm volatile("" ::: "memory");  // the intrinsics do not say what they read
    _tile_loadconfig(&shape);
    _tile_zero(0);
    _tile_loadd(1, ones.data(), 64);
    _tile_loadd(2, ones.data(), 64);
    _tile_dpbf16ps(0, 1, 2);
    _tile_stored(0, product.data(), 64);
    _tile_release();
    return std::ranges::all_of(product, [](float value) { return value == 32.0F; });
}

bool tiles_multiply() {
    if (syscall(SYS_arch_prctl, request_state, tile_data) != 0) return false;
    probing = pthread_self();
    const Handling of_instructions(SIGILL, leave_probe);
    const Handling of_faults(SIGSEGV, leave_probe);
    return sigsetjmp(after_probe, 1) == 0 && multiply_ones();
}

// Executes the CPUID that raised the signal, with the tiles described.
void answer_cpuid(int signal, siginfo_t* info, void* context) {
    const int error = errno;
    greg_t* registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
    const auto* code = reinterpret_cast<const std::uint8_t*>(registers[REG_RIP]);
    if (info->si_code != SI_KERNEL || code[0] != 0x0F || code[1] != 0xA2) return leave_to_the_system(signal);
    const auto leaf = static_cast<unsigned>(registers[REG_RAX]);
    const auto part = static_cast<unsigned>(registers[REG_RCX]);
    syscall(SYS_arch_prctl, set_cpuid, 1);
    const Leaf answer = leaf == tile_leaf ? tiles_described(part) : cpuid(leaf, part);
    syscall(SYS_arch_prctl, set_cpuid, 0);
    registers[REG_RAX] = answer.a;
    registers[REG_RBX] = answer.b;
    registers[REG_RCX] = answer.c;
    registers[REG_RDX] = answer.d;
    registers[REG_RIP] += 2;
    errno = error;
}

// Products that fill their tiles and products that do not: oneDNN asks for different things before each.
bool ones_multiply(std::int64_t size) {
    const torch::Tensor ones = torch::ones({1, size, size}, torch::kBFloat16);
    const torch::Tensor across = ones.transpose(1, 2);
    const auto right = [&](const torch::Tensor& product) { return product.eq(static_cast<double>(size)).all(); };
    return (right(torch::bmm(ones, ones)) & right(torch::bmm(ones, across)) & right(torch::bmm(across, ones)))
        .item<bool>();
}

// CPUID in this thread raises SIGSEGV, and is answered, while one lives.
class Answering {
 public:
    Answering() : handling_(SIGSEGV, answer_cpuid), active_(syscall(SYS_arch_prctl, set_cpuid, 0) == 0) {}
    ~Answering() {
        if (active_) syscall(SYS_arch_prctl, set_cpuid, 1);
    }
    Answering(const Answering&) = delete;
    Answering& operator=(const Answering&) = delete;
    bool active() const { return active_; }

 private:
    Handling handling_;
    bool active_;
};

enum class Asked { not_at_all, and_multiplies, and_fails };

// Lets oneDNN ask, in a thread of its own and alone: threads that it started would inherit that CPUID raises signals.
Asked let_onednn_ask() {
    Asked result = Asked::not_at_all;
    std::thread([&] {
        at::get_num_threads();  // sets what the next line changes, when a thread calls it first
        omp_set_num_threads(1);
        try {
            const torch::NoGradGuard no_gradients;
            const Answering answering;
            if (!answering.active() || omp_get_max_threads() != 1) return;
            result = Asked::and_fails;
            if (ones_multiply(64) && ones_multiply(65)) result = Asked::and_multiplies;
        } catch (const std::exception&) {
            return;
        }
    }).join();
    return result;
}

// Whether the user limits oneDNN to what is below AMX.
bool is_kept_below(const char* limit) {
    if (!limit) return false;
    std::string level = limit;
    std::ranges::transform(level, level.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    return level.find("AMX") == level.npos && level != "ALL" && level != "DEFAULT";
}

bool prepare() {
    constexpr const char* limit = "ONEDNN_MAX_CPU_ISA";
    if (!announced() || is_kept_below(std::getenv(limit)) || is_kept_below(std::getenv("DNNL_MAX_CPU_ISA"))) {
        return false;
    }
    if (described()) return true;
    const Asked asked = tiles_multiply() ? let_onednn_ask() : Asked::not_at_all;
    if (asked == Asked::not_at_all) setenv(limit, "AVX512_CORE_BF16", 1);
    // It keeps what it heard, so it is left out altogether.
    if (asked == Asked::and_fails) at::globalContext().setUserEnabledMkldnn(false);
    return asked == Asked::and_multiplies;
}

}  // namespace

bool prepare_amx() {
    static const bool used = prepare();
    return used;
}

}  // namespace ropelab

#else

namespace ropelab {
bool prepare_amx() {
    return false;
}
}  // namespace ropelab

#endif
