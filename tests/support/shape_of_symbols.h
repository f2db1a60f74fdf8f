#pragma once

#include <cctype>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "core/plan/anatomy.h"

namespace ropelab {

/// Computes what a text such as "2 × (B, T, (h + 2h_kv)·D)" says for these sizes, in which each symbol is there once.
class ShapeOfSymbols {
 public:
    explicit ShapeOfSymbols(const std::vector<AnatomySize>& sizes) {
        for (const AnatomySize& size : sizes) {
            if (!sizes_.emplace(size.symbol, size.value).second)
                throw std::logic_error(size.symbol + " is there twice");
        }
    }

    /// Empty if a size is unknown.
    std::vector<std::int64_t> operator()(const std::string& text) {
        rest_ = text;
        std::vector<Count> extents;
        if (std::isdigit(next()) != 0) {
            extents.push_back(number());
            require("×");
        }
        require("(");
        do extents.push_back(sum());
        while (take(","));
        require(")");
        std::vector<std::int64_t> shape;
        for (const Count& extent : extents) {
            if (!extent) return {};
            shape.push_back(*extent);
        }
        return shape;
    }

 private:
    unsigned char next() {
        while (rest_.starts_with(' ')) rest_.remove_prefix(1);
        return rest_.empty() ? '\0' : static_cast<unsigned char>(rest_.front());
    }
    bool take(std::string_view token) {
        next();
        if (!rest_.starts_with(token)) return false;
        rest_.remove_prefix(token.size());
        return true;
    }
    void require(std::string_view token) {
        if (!take(token)) throw std::logic_error("no " + std::string(token) + " before " + std::string(rest_));
    }
    std::int64_t number() {
        std::int64_t value = 0;
        for (; std::isdigit(next()) != 0; rest_.remove_prefix(1)) value = 10 * value + (rest_.front() - '0');
        return value;
    }
    Count factor() {
        if (take("(")) {
            const Count value = sum();
            require(")");
            return value;
        }
        if (std::isdigit(next()) != 0) return number();
        std::string symbol;
        for (; std::isalpha(next()) != 0 || next() == '_'; rest_.remove_prefix(1)) symbol += rest_.front();
        const auto found = sizes_.find(symbol);
        if (found == sizes_.end()) throw std::logic_error("no size " + symbol);
        return found->second;
    }
    Count product() {
        Count value = factor();
        while (take("·") || std::isalpha(next()) != 0) {
            const Count other = factor();
            value = value && other ? Count(*value * *other) : std::nullopt;
        }
        return value;
    }
    Count sum() {
        Count value = product();
        while (take("+")) {
            const Count other = product();
            value = value && other ? Count(*value + *other) : std::nullopt;
        }
        return value;
    }

    std::map<std::string, Count> sizes_;
    std::string_view rest_;
};

}  // namespace ropelab
