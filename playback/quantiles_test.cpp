// SPDX-License-Identifier: MIT
#include "playback/quantiles.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/check.hpp"
#include "core/random.hpp"
#include "core/time.hpp"

namespace squall::playback {
namespace {

using core::Duration;
using namespace std::chrono_literals;

constexpr std::uint64_t kLastWord = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t kHalf = std::uint64_t{1} << 63;
/// Words below 2^24, and their mirror images at the top, lie in the tails that are cut off.
constexpr std::uint64_t kFirstKept = std::uint64_t{1} << 24;

// ---- the model: long double and the math library ---------------------------------------------

/// Probability that a standard normal variable exceeds z.
long double normal_tail(long double z) {
  return std::erfc(z / std::sqrt(2.0L)) / 2;
}

/// Inverse of `normal_tail` by bisection.
long double model_normal_upper_quantile(long double tail) {
  long double low = 0;
  long double high = 10;
  for (int step = 0; step < 80; ++step) {
    const long double middle = (low + high) / 2;
    (normal_tail(middle) > tail ? low : high) = middle;
  }
  return low;
}

/// Tail probability of a word and the side it lies on.
struct ModelTail {
  long double probability;
  bool is_upper;
};

ModelTail model_tail(std::uint64_t word) {
  const bool is_upper = word >= kHalf;
  const std::uint64_t distance = is_upper ? kLastWord - word : word;
  return {std::ldexp(static_cast<long double>(distance), -64), is_upper};
}

long double model_exponential(Duration mean, std::uint64_t word) {
  const auto [tail, is_upper] = model_tail(word);
  return static_cast<long double>(mean.count()) * -(is_upper ? std::log(tail) : std::log1p(-tail));
}

long double model_sigma(Duration median, Duration p99) {
  return std::log(static_cast<long double>(p99.count()) /
                  static_cast<long double>(median.count())) /
         model_normal_upper_quantile(0.01L);
}

long double model_lognormal(Duration median, Duration p99, std::uint64_t word) {
  const auto [tail, is_upper] = model_tail(word);
  const long double z = model_normal_upper_quantile(tail);
  return static_cast<long double>(median.count()) *
         std::exp(model_sigma(median, p99) * (is_upper ? z : -z));
}

/// Words that are not cut off, on both sides, with every level of the tail equally frequent.
std::vector<std::uint64_t> words_of_every_level(int count_per_level) {
  std::vector<std::uint64_t> words;
  core::RandomStream stream(20260115);
  for (int bit = 24; bit < 63; ++bit) {
    const std::uint64_t first = std::uint64_t{1} << bit;
    for (int count = 0; count < count_per_level; ++count) {
      const std::uint64_t word = first + stream.next_below(first);
      words.push_back(word);
      words.push_back(~word);
    }
    words.push_back(first);
    words.push_back(~first);
  }
  std::sort(words.begin(), words.end());
  return words;
}

/// The largest |table - model| - 1 ns, relative to the model, over words of every level.
double worst_relative_error(const QuantileTable& table,
                            const std::function<long double(std::uint64_t)>& model) {
  long double worst = 0;
  for (const std::uint64_t word : words_of_every_level(40)) {
    const long double exact = model(word);
    const long double difference =
        std::abs(static_cast<long double>(table.at(word).count()) - exact);
    worst = std::max(worst, (difference - 1) / exact);
  }
  return static_cast<double>(worst);
}

// ---- elementary functions --------------------------------------------------------------------

TEST(NaturalLog, AgreesWithTheMathLibrary) {
  core::RandomStream stream(1);
  for (int count = 0; count < 100'000; ++count) {
    const int exponent = static_cast<int>(stream.next_below(120)) - 60;
    const double x =
        std::ldexp(1.0 + std::ldexp(static_cast<double>(stream.next() >> 12), -52), exponent);
    const long double exact = std::log(static_cast<long double>(x));
    ASSERT_NEAR(static_cast<double>((natural_log(x) - exact) / exact), 0.0, 1e-15) << x;
  }
}

TEST(NaturalLog, KeepsItsRelativePrecisionNearOne) {
  for (int exponent = 1; exponent <= 47; ++exponent) {
    const double x = 1.0 - std::ldexp(1.0, -exponent);
    const long double exact = std::log(static_cast<long double>(x));
    ASSERT_NEAR(static_cast<double>((natural_log(x) - exact) / exact), 0.0, 1e-15) << exponent;
  }
  EXPECT_EQ(natural_log(1.0), 0.0);
}

TEST(NaturalExp, AgreesWithTheMathLibrary) {
  for (int step = -7000; step <= 7000; ++step) {
    const double x = step * 0.1 + 1e-4;
    const long double exact = std::exp(static_cast<long double>(x));
    ASSERT_NEAR(static_cast<double>((natural_exp(x) - exact) / exact), 0.0, 1e-15) << x;
  }
  EXPECT_EQ(natural_exp(0.0), 1.0);
}

TEST(NormalUpperQuantile, IsExceededWithTheProbabilityAskedFor) {
  double tail = 0.499;
  for (int count = 0; count < 3000; ++count, tail *= 0.99) {
    const auto z = static_cast<long double>(normal_upper_quantile(tail));
    // The error of the probability, turned back into one of z by the density.
    const long double density = std::exp(-z * z / 2) / std::sqrt(2 * std::acos(-1.0L));
    const long double error = (normal_tail(z) - tail) / density;
    ASSERT_NEAR(static_cast<double>(error / z), 0.0, 1e-15) << tail;
  }
  EXPECT_LT(tail, 1e-13) << "the far tail was reached";
  EXPECT_EQ(normal_upper_quantile(0.5), 0.0);
  // Published value: qnorm(0.975).
  EXPECT_NEAR(normal_upper_quantile(0.025), 1.959963984540054, 4e-15);
}

// ---- tables: precision -----------------------------------------------------------------------
//
// A chord over a cell of width h errs by at most h^2 |Q''| / 8, and every cell of a level that
// begins at v has h = v / 128 or, counted from its own end, less; so the relative error is at most
// v^2 |Q''| / (131072 Q).
//   Exponential: v^2 Q'' = 1 above and (v / (1 - v))^2 <= 1 below; both worst next to the median,
//   1 / (131072 ln 2) = 1.10e-5.
//   Lognormal: with the Mills ratio M(z) <= sqrt(pi / 2) and z M^2 <= 0.43, differentiating
//   exp(+-sigma z(v)) gives v^2 Q'' / Q = sigma^2 M^2 +- sigma z M^2 <= 1.571 sigma^2 + 0.43 sigma,
//   hence 1.20e-5 sigma^2 + 0.33e-5 sigma. Q'' varies within a cell by (1 + 1/128)^(1.26 sigma +
//   2), less than 6 % for sigma <= 4: together below 1.3e-5 sigma (sigma + 1).
// Rounding adds at most half a nanosecond at the nodes and half at the interpolation.

TEST(QuantileTable, ExponentialIsWithinItsBound) {
  for (const Duration mean : {Duration{1s}, Duration{1us}, Duration{1h}, Duration{24h * 3650}}) {
    const double worst = worst_relative_error(
        QuantileTable::exponential(mean), [&](auto word) { return model_exponential(mean, word); });
    EXPECT_LT(worst, 1.2e-5) << mean.count();
  }
}

TEST(QuantileTable, LognormalIsWithinItsBound) {
  const std::vector<std::pair<Duration, Duration>> parameters{
      {1s, 1s}, {1s, 1000100us}, {200ms, 900ms}, {1s, 10s}, {300ms, 30s}, {1ms, 10s}, {1h, 100h}};
  for (const auto& [median, p99] : parameters) {
    const double sigma = static_cast<double>(model_sigma(median, p99));
    ASSERT_LT(sigma, 4.0);
    const double worst = worst_relative_error(
        QuantileTable::lognormal(median, p99),
        [m = median, p = p99](auto word) { return model_lognormal(m, p, word); });
    EXPECT_LE(worst, 1.3e-5 * sigma * (sigma + 1)) << sigma;
  }
}

TEST(QuantileTable, LognormalReproducesMedianAndPercentile) {
  const auto table = QuantileTable::lognormal(800ms, 12s);
  EXPECT_EQ(table.at(kHalf - 1), 800ms);
  EXPECT_EQ(table.at(kHalf), 800ms);
  // 0.99 * 2^64 lies inside a cell: sigma = ln(15) / 2.3263 = 1.164, bound 1.3e-5 * 2.52 = 3.3e-5.
  const std::uint64_t word = kLastWord - kLastWord / 100;
  EXPECT_NEAR(static_cast<double>(table.at(word).count()), 12e9, 12e9 * 3.3e-5);
}

TEST(QuantileTable, LognormalOfEqualMedianAndPercentileIsThatTime) {
  const auto table = QuantileTable::lognormal(1234567ns, 1234567ns);
  for (const std::uint64_t word : {std::uint64_t{0}, kFirstKept, kHalf, kLastWord}) {
    EXPECT_EQ(table.at(word), 1234567ns);
  }
}

// ---- tables: ends, order, saturation ---------------------------------------------------------

TEST(QuantileTable, ExponentialEndsAtTheCutQuantiles) {
  const auto table = QuantileTable::exponential(1s);
  EXPECT_EQ(table.at(0), 0ns);              // 1e9 * 2^-40 rounds to 0
  EXPECT_EQ(table.at(kHalf), 693147181ns);  // ln 2
  EXPECT_EQ(table.at(kHalf - 1), 693147181ns);
  EXPECT_EQ(table.at(kLastWord), 27725887222ns);  // 40 ln 2 = 27.7258872223978
  EXPECT_EQ(table.earliest(), table.at(0));
  EXPECT_EQ(table.latest(), table.at(kLastWord));

  // The quantile of 2^-40 of a mean of 5 * 2^40 ns is 5 ns, so the lower tail is kept as well.
  const auto wide = QuantileTable::exponential(Duration{5 * (std::int64_t{1} << 40)});
  EXPECT_EQ(wide.at(0), 5ns);
  EXPECT_EQ(wide.at(kFirstKept), 5ns);
  EXPECT_EQ(wide.at(2 * kFirstKept), 10ns);
}

TEST(QuantileTable, LognormalEndsAtTheCutQuantiles) {
  // sigma = 1 up to the rounding of p99 to 1 ns: p99 = median * exp(2.3263478740408408).
  const Duration median = 1s;
  const Duration p99 = 10240473656ns;
  const auto table = QuantileTable::lognormal(median, p99);
  const long double z = model_normal_upper_quantile(std::ldexp(1.0L, -40));
  EXPECT_NEAR(static_cast<double>(z), 7.05, 0.005) << "as the header says";
  const auto latest = static_cast<double>(1e9L * std::exp(model_sigma(median, p99) * z));
  EXPECT_NEAR(static_cast<double>(table.latest().count()), latest, latest * 1e-13 + 0.5);
  EXPECT_NEAR(static_cast<double>(table.earliest().count()), 1e18 / latest, 0.5 + 1e-6);
  EXPECT_EQ(table.at(0), table.earliest());
  EXPECT_EQ(table.at(kLastWord), table.latest());
}

TEST(QuantileTable, TailsAreFlatBeyondTheCutOnly) {
  const auto table = QuantileTable::lognormal(1s, 2s);
  EXPECT_EQ(table.at(0), table.at(kFirstKept));
  EXPECT_EQ(table.at(kLastWord), table.at(~kFirstKept));
  EXPECT_LT(table.at(0), table.at(kFirstKept + (kFirstKept >> 7)));
  EXPECT_GT(table.at(kLastWord), table.at(~(kFirstKept + (kFirstKept >> 7))));
}

TEST(QuantileTable, ValuesIncreaseWithTheWord) {
  const std::vector<QuantileTable> tables{
      QuantileTable::exponential(1s),          QuantileTable::exponential(3ns),
      QuantileTable::exponential(24h * 36500), QuantileTable::lognormal(1s, 1000000001ns),
      QuantileTable::lognormal(1s, 100s),      QuantileTable::lognormal(24h * 36500, 24h * 36501)};
  const auto words = words_of_every_level(500);
  for (const QuantileTable& table : tables) {
    Duration previous = table.earliest();
    for (const std::uint64_t word : words) {
      const Duration value = table.at(word);
      ASSERT_LE(previous, value) << word;
      previous = value;
    }
    EXPECT_LE(previous, table.latest());
  }
}

TEST(QuantileTable, SaturatesAtTheGreatestDuration) {
  const auto exponential = QuantileTable::exponential(Duration::max());
  EXPECT_EQ(exponential.latest(), Duration::max());
  EXPECT_EQ(exponential.earliest().count(), std::int64_t{1} << 23);  // 2^63 * 2^-40
  EXPECT_EQ(exponential.at(kHalf + kHalf / 2), Duration::max());     // 2 ln 2 = 1.39 of the mean

  const auto steepest = QuantileTable::lognormal(1ns, Duration::max());
  EXPECT_EQ(steepest.earliest(), 0ns);
  EXPECT_EQ(steepest.at(kHalf), 1ns);
  EXPECT_EQ(steepest.latest(), Duration::max());
  EXPECT_EQ(QuantileTable::lognormal(Duration::max(), Duration::max()).at(7), Duration::max());
}

TEST(QuantileTable, ExponentialOfMeanZeroIsZero) {
  const auto table = QuantileTable::exponential(0ns);
  EXPECT_EQ(table.earliest(), 0ns);
  EXPECT_EQ(table.latest(), 0ns);
}

TEST(QuantileTable, RefusesImpossibleParameters) {
  EXPECT_THROW((void)QuantileTable::exponential(-1ns), core::CheckFailed);
  EXPECT_THROW((void)QuantileTable::lognormal(0ns, 1s), core::CheckFailed);
  EXPECT_THROW((void)QuantileTable::lognormal(2s, 1s), core::CheckFailed);
}

// ---- tables: equal bytes everywhere ----------------------------------------------------------

/// FNV-1a over the values of 200000 words, half of them spread over all levels.
std::uint64_t digest(const QuantileTable& table) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  const auto add = [&](std::uint64_t word) {
    hash ^= static_cast<std::uint64_t>(table.at(word).count());
    hash *= 0x100000001b3U;
  };
  core::RandomStream stream(7);
  for (int count = 0; count < 100'000; ++count) {
    add(stream.next());
    const std::uint64_t word = stream.next() >> (count % 48);
    add(count % 2 == 0 ? word : ~word);
  }
  return hash;
}

// Computed by this code; equal for GCC 12 and Clang 14, at -O0 and -O3. A difference means that a
// compiler or a flag has changed the arithmetic, and with it the bytes of every run.
TEST(QuantileTable, BytesAreTheSameOnEveryCompiler) {
  EXPECT_EQ(digest(QuantileTable::exponential(1s)), 11839909252977924121U);
  EXPECT_EQ(digest(QuantileTable::exponential(24h * 365)), 17487273639945188307U);
  EXPECT_EQ(digest(QuantileTable::lognormal(800ms, 12s)), 9736825718019868996U);
  EXPECT_EQ(digest(QuantileTable::lognormal(24h, 24h * 365)), 4968304528949692052U);
}

}  // namespace
}  // namespace squall::playback
