// SPDX-License-Identifier: MIT
#include "playback/time_sampler.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>

#include "core/check.hpp"

namespace squall::playback {
namespace {

template <class... Functions>
struct Overloaded : Functions... {
  using Functions::operator()...;
};
template <class... Functions>
Overloaded(Functions...) -> Overloaded<Functions...>;

using Ends = std::pair<core::Duration, core::Duration>;

}  // namespace

TimeSampler::Source TimeSampler::source_of(const scenarios::Time& time) {
  return std::visit(
      Overloaded{
          [](core::Duration fixed) -> Source { return fixed; },
          [](const scenarios::UniformTime& uniform) -> Source {
            SQUALL_CHECK(uniform.min <= uniform.max, uniform.min.count(), uniform.max.count());
            return uniform;
          },
          [](const scenarios::ExponentialTime& exponential) -> Source {
            return QuantileTable::exponential(exponential.mean);
          },
          [](const scenarios::LognormalTime& lognormal) -> Source {
            return QuantileTable::lognormal(lognormal.median, lognormal.p99);
          },
          [](const scenarios::EmpiricalTime& empirical) -> Source {
            SQUALL_CHECK(!empirical.values.empty());
            return std::make_shared<const std::vector<core::Duration>>(empirical.values);
          },
      },
      time);
}

TimeSampler::TimeSampler(const scenarios::Time& time) : source_(source_of(time)) {
  std::tie(earliest_, latest_) = std::visit(
      Overloaded{
          [](core::Duration fixed) { return Ends(fixed, fixed); },
          [](const scenarios::UniformTime& uniform) { return Ends(uniform.min, uniform.max); },
          [](const QuantileTable& table) { return Ends(table.earliest(), table.latest()); },
          [](const Measured& measured) {
            const auto [least, greatest] = std::minmax_element(measured->begin(), measured->end());
            return Ends(*least, *greatest);
          },
      },
      source_);
  SQUALL_CHECK(earliest_.count() >= 0, earliest_.count());
}

core::Duration TimeSampler::sample(core::RandomStream& stream) const {
  return std::visit(
      Overloaded{
          [](core::Duration fixed) { return fixed; },
          [&](const scenarios::UniformTime& uniform) {
            // At most 2^63, because no time is negative: fits, and so does the sum.
            const auto count = static_cast<std::uint64_t>((uniform.max - uniform.min).count()) + 1;
            return uniform.min +
                   core::Duration{static_cast<core::Duration::rep>(stream.next_below(count))};
          },
          [&](const QuantileTable& table) { return table.at(stream.next()); },
          [&](const Measured& measured) {
            return (*measured)[static_cast<std::size_t>(stream.next_below(measured->size()))];
          },
      },
      source_);
}

}  // namespace squall::playback
