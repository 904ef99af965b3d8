// SPDX-License-Identifier: MIT
#include "playback/quantiles.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cfloat>
#include <cstddef>
#include <limits>

#include "core/check.hpp"

// What makes equal tables on every machine: doubles are IEEE binary64, evaluated as such.
static_assert(std::numeric_limits<double>::is_iec559 && std::numeric_limits<double>::digits == 53);
static_assert(FLT_EVAL_METHOD == 0, "intermediate results must not carry extra precision");
#ifdef __FAST_MATH__
#error "quantile tables need IEEE arithmetic: build without -ffast-math"
#endif

namespace squall::playback {
namespace {

__extension__ using SignedWide = __int128;

// Geometry of the table: see the class comment.
constexpr int kCellBits = 7;
constexpr std::size_t kCells = std::size_t{1} << kCellBits;
/// A tail m / 2^64 has its leading bit at 24 (v = 2^-40, the cut) to 62 (v just below 1/2).
constexpr int kLowestBit = 24;
constexpr int kHighestBit = 62;
constexpr std::size_t kNodes = (kHighestBit - kLowestBit + 1) * kCells + 1;

/// ln 2 in two parts: the first has 33 significant bits, so that its product with a binary exponent
/// is exact. @source fdlibm, e_log.c.
constexpr double kLn2High = 6.93147180369123816490e-01;
constexpr double kLn2Low = 1.90821492927058770002e-10;
constexpr double kLn2Inverse = 1.44269504088896340736;
constexpr double kSqrtTwo = 1.41421356237309504880;
/// The standard normal quantile of 0.99. @source R, qnorm(0.99).
constexpr double kNormalP99 = 2.3263478740408408;

/// 1/n for n = 1..23.
constexpr auto kReciprocals = [] {
  std::array<double, 24> reciprocals{};
  for (std::size_t n = 1; n < reciprocals.size(); ++n) {
    reciprocals[n] = 1.0 / static_cast<double>(n);
  }
  return reciprocals;
}();

constexpr int kMantissaBits = 52;
constexpr int kExponentBias = 1023;

/// 2^exponent. Requires a normal result.
double power_of_two(int exponent) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + kExponentBias)
                               << kMantissaBits);
}

/// Square root of x in [1, 64], to within two units in the last place: Newton's iteration
/// converges quadratically from above.
double square_root(double x) {
  constexpr int kSteps = 8;
  double root = 0.5 * (x + 1.0);
  for (int step = 0; step < kSteps; ++step) {
    root = 0.5 * (root + x / root);
  }
  return root;
}

/// Coefficients of a polynomial, highest power first.
using Polynomial = std::array<double, 8>;

double evaluate(const Polynomial& coefficients, double x) {
  double sum = 0.0;
  for (const double coefficient : coefficients) {
    sum = sum * x + coefficient;
  }
  return sum;
}

struct Rational {
  Polynomial numerator, denominator;
};

double evaluate(const Rational& ratio, double x) {
  return evaluate(ratio.numerator, x) / evaluate(ratio.denominator, x);
}

// The three approximations of AS 241, PPND16: centre, tail, far tail.
constexpr Rational kCentre{
    {2.5090809287301226727e+3, 3.3430575583588128105e+4, 6.7265770927008700853e+4,
     4.5921953931549871457e+4, 1.3731693765509461125e+4, 1.9715909503065514427e+3,
     1.3314166789178437745e+2, 3.3871328727963666080e+0},
    {5.2264952788528545610e+3, 2.8729085735721942674e+4, 3.9307895800092710610e+4,
     2.1213794301586595867e+4, 5.3941960214247511077e+3, 6.8718700749205790830e+2,
     4.2313330701600911252e+1, 1.0}};
constexpr Rational kTail{
    {7.74545014278341407640e-4, 2.27238449892691845833e-2, 2.41780725177450611770e-1,
     1.27045825245236838258e+0, 3.64784832476320460504e+0, 5.76949722146069140550e+0,
     4.63033784615654529590e+0, 1.42343711074968357734e+0},
    {1.05075007164441684324e-9, 5.47593808499534494600e-4, 1.51986665636164571966e-2,
     1.48103976427480074590e-1, 6.89767334985100004550e-1, 1.67638483018380384940e+0,
     2.05319162663775882187e+0, 1.0}};
constexpr Rational kFarTail{
    {2.01033439929228813265e-7, 2.71155556874348757815e-5, 1.24266094738807843860e-3,
     2.65321895265761230930e-2, 2.96560571828504891230e-1, 1.78482653991729133580e+0,
     5.46378491116411436990e+0, 6.65790464350110377720e+0},
    {2.04426310338993978564e-15, 1.42151175831644588870e-7, 1.84631831751005468180e-5,
     7.86869131145613259100e-4, 1.48753612908506148525e-2, 1.36929880922735805310e-1,
     5.99832206555887937690e-1, 1.0}};

/// The quantiles of v and of 1 - v.
struct Pair {
  double lower, upper;
};

/// Nearest whole number of nanoseconds, halves up, saturating. Requires value >= 0.
std::int64_t rounded(double value) {
  if (value >= power_of_two(63)) {
    return std::numeric_limits<std::int64_t>::max();
  }
  const auto floor = static_cast<std::int64_t>(value);
  // From 2^53 on every double is whole, so that the addition below cannot overflow.
  return value - static_cast<double>(floor) >= 0.5 ? floor + 1 : floor;
}

}  // namespace

double natural_log(double x) {
  const auto bits = std::bit_cast<std::uint64_t>(x);
  int exponent = static_cast<int>(bits >> kMantissaBits) - kExponentBias;
  double mantissa = x / power_of_two(exponent);
  if (mantissa > kSqrtTwo) {
    mantissa *= 0.5;
    exponent += 1;
  }
  // |s| <= 0.1716: the first term left out, s^24 / 25, is below 2e-20.
  const double s = (mantissa - 1.0) / (mantissa + 1.0);
  const double square = s * s;
  double series = 0.0;
  for (std::size_t odd = 23; odd >= 3; odd -= 2) {
    series = (series + kReciprocals[odd]) * square;
  }
  const double doubled = 2.0 * s;
  return exponent * kLn2High + (doubled + (doubled * series + exponent * kLn2Low));
}

double natural_exp(double x) {
  const double scaled = x * kLn2Inverse;
  // Truncation after the shift by one half rounds to nearest; a tie may go either way.
  const int exponent = static_cast<int>(x < 0.0 ? scaled - 0.5 : scaled + 0.5);
  const double rest = (x - exponent * kLn2High) - exponent * kLn2Low;
  // |rest| <= 0.3466: the first term left out, rest^15 / 15!, is below 1e-19.
  double series = 0.0;
  for (std::size_t term = 14; term >= 1; --term) {
    series = (1.0 + series) * (rest * kReciprocals[term]);
  }
  return (1.0 + series) * power_of_two(exponent);
}

double normal_upper_quantile(double tail) {
  const double from_centre = 0.5 - tail;
  if (from_centre <= 0.425) {
    return from_centre * evaluate(kCentre, 0.180625 - from_centre * from_centre);
  }
  const double r = square_root(-natural_log(tail));
  return r <= 5.0 ? evaluate(kTail, r - 1.6) : evaluate(kFarTail, r - 5.0);
}

template <class PairOfTail>
QuantileTable QuantileTable::build(const PairOfTail& pair_of_tail) {
  auto halves = std::make_shared<Halves>();
  halves->lower.resize(kNodes);
  halves->upper.resize(kNodes);
  for (std::size_t node = 0; node < kNodes; ++node) {
    const int bit = kLowestBit + static_cast<int>(node >> kCellBits);
    // Exact: eight significant bits.
    const double tail =
        static_cast<double>(kCells + node % kCells) * power_of_two(bit - 64 - kCellBits);
    const Pair quantiles = pair_of_tail(tail);
    halves->lower[node] = rounded(quantiles.lower);
    halves->upper[node] = rounded(quantiles.upper);
    if (node > 0) {
      // The approximations may step back by a unit in the last place, which shows in times beyond
      // 2^53 ns; earliest() and latest() rely on order.
      halves->lower[node] = std::max(halves->lower[node], halves->lower[node - 1]);
      halves->upper[node] = std::min(halves->upper[node], halves->upper[node - 1]);
    }
  }
  return QuantileTable(std::move(halves));
}

QuantileTable QuantileTable::exponential(core::Duration mean) {
  SQUALL_CHECK(mean.count() >= 0, mean.count());
  const auto scale = static_cast<double>(mean.count());
  return build([scale](double tail) {
    return Pair{scale * -natural_log(1.0 - tail), scale * -natural_log(tail)};
  });
}

QuantileTable QuantileTable::lognormal(core::Duration median, core::Duration p99) {
  SQUALL_CHECK(median.count() > 0 && p99 >= median, median.count(), p99.count());
  const auto scale = static_cast<double>(median.count());
  const double sigma = natural_log(static_cast<double>(p99.count()) / scale) / kNormalP99;
  return build([scale, sigma](double tail) {
    const double factor = natural_exp(sigma * normal_upper_quantile(tail));
    return Pair{scale / factor, scale * factor};
  });
}

core::Duration QuantileTable::at(std::uint64_t word) const {
  const bool is_upper = (word >> 63) != 0;
  const std::vector<std::int64_t>& nodes = is_upper ? halves_->upper : halves_->lower;
  const std::uint64_t tail = is_upper ? ~word : word;
  if ((tail >> kLowestBit) == 0) {
    return core::Duration{nodes.front()};
  }
  const int bit = 63 - std::countl_zero(tail);
  const std::uint64_t offset = tail - (std::uint64_t{1} << bit);
  const int fraction_bits = bit - kCellBits;
  const std::size_t node = static_cast<std::size_t>(bit - kLowestBit) * kCells +
                           static_cast<std::size_t>(offset >> fraction_bits);
  const std::uint64_t one = std::uint64_t{1} << fraction_bits;
  const std::uint64_t fraction = offset & (one - 1);
  const SignedWide rise = static_cast<SignedWide>(nodes[node + 1]) - nodes[node];
  // Nearest, halves up; the shift of a negative number rounds towards minus infinity (C++20).
  const SignedWide step = (rise * fraction + one / 2) >> fraction_bits;
  return core::Duration{nodes[node] + static_cast<std::int64_t>(step)};
}

}  // namespace squall::playback
