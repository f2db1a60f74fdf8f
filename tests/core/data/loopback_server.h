#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace ropelab {

/// A small HTTP/1.1 server on 127.0.0.1 that serves files from memory, one connection at a time, on its own thread.
class LoopbackServer {
 public:
    struct Behaviour {
        bool ignore_ranges = false;                // true: range requests are answered with 200 and the whole file
        int cuts = 0;                              // number of responses that are cut off
        std::size_t cut_after = 0;                 // number of bytes of the body that such a response contains
        int refusals = 0;                          // number of requests that are answered with 503
        std::string redirect_from = {};            // path that is answered with a 302 redirect
        std::string redirect_to = {};              // target of the redirect
        std::chrono::milliseconds piece_pause{0};  // pause before each 16 KiB of a body
    };

    struct Request {
        std::string path;
        std::string range;  // value of the Range header; empty without one
    };

    LoopbackServer() {
        listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t length = sizeof(address);
        auto* const generic = reinterpret_cast<sockaddr*>(&address);
        if (listener_ < 0 || ::bind(listener_, generic, length) != 0 || ::listen(listener_, 8) != 0 ||
            ::getsockname(listener_, generic, &length) != 0) {
            throw std::runtime_error("no loopback socket");
        }
        port_ = ntohs(address.sin_port);
        thread_ = std::thread([this] { serve(); });
    }

    ~LoopbackServer() {
        stop_ = true;
        thread_.join();
        ::close(listener_);
    }

    LoopbackServer(const LoopbackServer&) = delete;
    LoopbackServer& operator=(const LoopbackServer&) = delete;

    std::string base() const { return "http://127.0.0.1:" + std::to_string(port_); }

    void put(const std::string& path, const std::string& body) {
        const std::lock_guard lock(mutex_);
        files_[path] = body;
    }
    void behave(const Behaviour& behaviour) {
        const std::lock_guard lock(mutex_);
        behaviour_ = behaviour;
    }
    std::vector<Request> requests() const {
        const std::lock_guard lock(mutex_);
        return requests_;
    }

 private:
    struct Answer {
        std::string head;
        std::string body;
        std::size_t send = 0;  // number of bytes of the body that are sent before the connection is closed
        std::chrono::milliseconds pause{0};
    };

    void serve() {
        while (!stop_) {
            if (!ready(listener_, POLLIN)) continue;
            const int connection = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
            if (connection < 0) continue;
            const std::string head = read_head(connection);
            if (!head.empty()) send_answer(connection, answer_to(head));
            ::close(connection);
        }
    }

    bool ready(int socket, short events) const {
        pollfd waiting{socket, events, 0};
        return ::poll(&waiting, 1, 20) > 0;
    }

    std::string read_head(int connection) const {
        std::string head;
        char piece[1024];
        while (!stop_ && head.find("\r\n\r\n") == std::string::npos) {
            if (!ready(connection, POLLIN)) continue;
            const ssize_t count = ::recv(connection, piece, sizeof(piece), 0);
            if (count <= 0) return {};
            head.append(piece, static_cast<std::size_t>(count));
        }
        return head;
    }

    void send_answer(int connection, const Answer& answer) const {
        if (!send_all(connection, answer.head)) return;
        constexpr std::size_t piece = 16 * 1024;
        for (std::size_t sent = 0; sent < answer.send && !stop_; sent += piece) {
            if (answer.pause.count() > 0) std::this_thread::sleep_for(answer.pause);
            if (!send_all(connection, answer.body.substr(sent, std::min(piece, answer.send - sent)))) return;
        }
    }

    bool send_all(int connection, const std::string& bytes) const {
        for (std::size_t sent = 0; sent < bytes.size() && !stop_;) {
            if (!ready(connection, POLLOUT)) continue;
            const ssize_t count = ::send(connection, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
            if (count <= 0) return false;
            sent += static_cast<std::size_t>(count);
        }
        return !stop_;
    }

    static std::string field(const std::string& head, const std::string& name) {
        const std::size_t at = head.find("\r\n" + name + ": ");
        if (at == std::string::npos) return {};
        const std::size_t start = at + name.size() + 4;
        return head.substr(start, head.find("\r\n", start) - start);
    }

    static Answer plain(const std::string& status, const std::string& fields = {}) {
        return {"HTTP/1.1 " + status + "\r\nContent-Length: 0\r\nConnection: close\r\n" + fields + "\r\n", {}, 0, {}};
    }

    Answer answer_to(const std::string& head) {
        const std::lock_guard lock(mutex_);
        const std::size_t start = head.find(' ') + 1;
        const Request request{head.substr(start, head.find(' ', start) - start), field(head, "Range")};
        requests_.push_back(request);
        if (behaviour_.refusals > 0) {
            --behaviour_.refusals;
            return plain("503 Busy");
        }
        if (!behaviour_.redirect_from.empty() && request.path == behaviour_.redirect_from) {
            return plain("302 Found", "Location: " + behaviour_.redirect_to + "\r\n");
        }
        const auto file = files_.find(request.path);
        if (file == files_.end()) return plain("404 Not Found");

        const std::string& whole = file->second;
        const std::string prefix = "bytes=";
        std::size_t first = 0;
        if (request.range.starts_with(prefix) && !behaviour_.ignore_ranges) {
            first = std::stoul(request.range.substr(prefix.size()));
            if (first >= whole.size()) {
                return plain("416 Range Not Satisfiable",
                             "Content-Range: bytes */" + std::to_string(whole.size()) + "\r\n");
            }
        }
        Answer answer;
        answer.body = whole.substr(first);
        answer.head = first > 0
                          ? "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes " + std::to_string(first) + "-" +
                                std::to_string(whole.size() - 1) + "/" + std::to_string(whole.size()) + "\r\n"
                          : "HTTP/1.1 200 OK\r\n";
        answer.head += "Content-Length: " + std::to_string(answer.body.size()) + "\r\nConnection: close\r\n\r\n";
        answer.send = answer.body.size();
        answer.pause = behaviour_.piece_pause;
        if (behaviour_.cuts > 0) {
            --behaviour_.cuts;
            answer.send = std::min(answer.send, behaviour_.cut_after);
        }
        return answer;
    }

    int listener_ = -1;
    int port_ = 0;
    std::atomic<bool> stop_ = false;
    mutable std::mutex mutex_;
    std::map<std::string, std::string> files_;
    Behaviour behaviour_;
    std::vector<Request> requests_;
    std::thread thread_;
};

}  // namespace ropelab
