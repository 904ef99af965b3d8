// SPDX-License-Identifier: MIT
#include "scenarios/quantities.hpp"

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/random.hpp"

namespace squall::scenarios {
namespace {

using namespace std::chrono_literals;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

TEST(Durations, SumsTheirParts) {
  EXPECT_EQ(parse_duration("0s").value(), 0ns);
  EXPECT_EQ(parse_duration("250ms").value(), 250ms);
  EXPECT_EQ(parse_duration("1m30s").value(), 90s);
  EXPECT_EQ(parse_duration("9m59s999ms999us999ns").value(), 10min - 1ns);
  EXPECT_EQ(parse_duration("2d3h").value(), 51h);
  EXPECT_EQ(parse_duration("90s").value(), 90s);
}

TEST(Durations, AreCanonicalWhenWritten) {
  EXPECT_EQ(format_duration(0ns), "0s");
  EXPECT_EQ(format_duration(90s), "1m30s");
  EXPECT_EQ(format_duration(10min - 1ns), "9m59s999ms999us999ns");
  EXPECT_EQ(format_duration(-250ms), "-250ms");
  EXPECT_EQ(format_signed_duration(30s), "+30s");
  EXPECT_EQ(format_signed_duration(0s), "+0s");
}

TEST(Durations, RefuseWhatIsNoDuration) {
  for (const char* text : {"", "90", "s", "1.5s", "1s1m", "1m1m", "-1s", "+1s", " 1s", "1s ", "1 s",
                           "1S", "1min", "0x1s", "1e3s"}) {
    const auto parsed = parse_duration(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_THAT(parsed.error().message,
                StartsWith("found \"" + std::string(text) + "\", allowed: "));
    EXPECT_THAT(parsed.error().message, HasSubstr("\"1m30s\""));
  }
}

TEST(Durations, RefuseWhatDoesNotFit) {
  // 2^63-1 ns, and one more.
  EXPECT_EQ(parse_duration("9223372036854775807ns").value(), core::Duration::max());
  EXPECT_EQ(format_duration(core::Duration::max()), "106751d23h47m16s854ms775us807ns");
  EXPECT_EQ(parse_duration("106751d23h47m16s854ms775us807ns").value(), core::Duration::max());
  for (const char* text : {"9223372036854775808ns", "106751d23h47m16s854ms775us808ns", "106752d",
                           "18446744073709551616d", "99999999999999999999999999999999s1ms"}) {
    ASSERT_FALSE(parse_duration(text)) << text;
    EXPECT_THAT(parse_duration(text).error().message,
                EndsWith("allowed: at most 2^63-1 ns (about 292 years)"));
  }
}

TEST(Durations, SignedOnesReachBothEnds) {
  EXPECT_EQ(parse_signed_duration("-30s").value(), -30s);
  EXPECT_EQ(parse_signed_duration("+30s").value(), 30s);
  EXPECT_EQ(parse_signed_duration("30s").value(), 30s);
  EXPECT_EQ(parse_signed_duration(format_duration(core::Duration::min())).value(),
            core::Duration::min());
  EXPECT_FALSE(parse_signed_duration("9223372036854775808ns"));
  EXPECT_FALSE(parse_signed_duration("-9223372036854775809ns"));
  EXPECT_FALSE(parse_signed_duration("--1s"));
  EXPECT_FALSE(parse_signed_duration("-"));
}

TEST(Durations, RoundTripAtEveryMagnitude) {
  core::RandomStream stream(7);
  for (int i = 0; i < 10'000; ++i) {
    const auto value = static_cast<std::int64_t>(stream.next() >> (i % 64)) * (i % 2 == 0 ? 1 : -1);
    const core::Duration duration{value};
    EXPECT_EQ(parse_signed_duration(format_duration(duration)).value(), duration);
    EXPECT_EQ(parse_signed_duration(format_signed_duration(duration)).value(), duration);
  }
}

TEST(Milliseconds, GoBeyondWhatDurationsHold) {
  EXPECT_EQ(parse_milliseconds("5s").value(), 5'000U);
  EXPECT_EQ(parse_milliseconds("1s500000us").value(), 1'500U);
  EXPECT_EQ(parse_milliseconds("18446744073709551615ms").value(),
            std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(format_milliseconds(std::numeric_limits<std::uint64_t>::max()),
            "18446744073709551615ms");
  EXPECT_EQ(format_milliseconds(45'000), "45s");
}

TEST(Milliseconds, RefuseFinerAndLargerValues) {
  EXPECT_THAT(parse_milliseconds("1500us").error().message,
              EndsWith("allowed: whole milliseconds"));
  EXPECT_THAT(parse_milliseconds("18446744073709551616ms").error().message,
              EndsWith("allowed: at most 2^64-1 ms"));
  EXPECT_THAT(parse_milliseconds("18446744073709551615s").error().message,
              EndsWith("allowed: at most 2^64-1 ms"));
}

TEST(Milliseconds, RoundTripAtEveryMagnitude) {
  core::RandomStream stream(8);
  for (int i = 0; i < 10'000; ++i) {
    const std::uint64_t value = stream.next() >> (i % 64);
    EXPECT_EQ(parse_milliseconds(format_milliseconds(value)).value(), value);
  }
}

TEST(Bytes, HaveBinaryUnits) {
  EXPECT_EQ(parse_bytes("0B").value(), 0U);
  EXPECT_EQ(parse_bytes("4KiB").value(), 4096U);
  EXPECT_EQ(parse_bytes("1MiB").value(), 1048576U);
  EXPECT_EQ(parse_bytes("8589934591GiB").value(), 9223372035781033984U);
  EXPECT_EQ(format_bytes(37), "37B");
  EXPECT_EQ(format_bytes(4096), "4KiB");
  EXPECT_EQ(format_bytes(1537), "1537B");
  EXPECT_EQ(format_bytes(3U << 30U), "3GiB");
  for (const char* text : {"", "1", "B", "1kB", "1KB", "1.5KiB", "-1B", "1KiB1B", "8589934592GiB",
                           "18446744073709551616B"}) {
    EXPECT_FALSE(parse_bytes(text)) << text;
  }
}

TEST(Bytes, SignedOnesRoundTrip) {
  EXPECT_EQ(parse_signed_bytes("-1B").value(), -1);
  EXPECT_EQ(parse_signed_bytes("+10B").value(), 10);
  EXPECT_EQ(format_signed_bytes(-1), "-1B");
  EXPECT_EQ(format_signed_bytes(10), "10B");
  EXPECT_EQ(format_signed_bytes(10, true), "+10B");
  core::RandomStream stream(9);
  for (int i = 0; i < 10'000; ++i) {
    const auto value = static_cast<std::int64_t>(stream.next() >> (i % 64)) * (i % 2 == 0 ? 1 : -1);
    EXPECT_EQ(parse_signed_bytes(format_signed_bytes(value)).value(), value);
  }
  constexpr auto kMin = std::numeric_limits<std::int64_t>::min();
  EXPECT_EQ(parse_signed_bytes(format_signed_bytes(kMin)).value(), kMin);
}

TEST(Shares, CountInMillionths) {
  EXPECT_EQ(parse_share("0%").value(), 0U);
  EXPECT_EQ(parse_share("100%").value(), 1'000'000U);
  EXPECT_EQ(parse_share("99.9%").value(), 999'000U);
  EXPECT_EQ(parse_share("0.0001%").value(), 1U);
  EXPECT_EQ(parse_share("100.0000%").value(), 1'000'000U);
  for (const char* text :
       {"", "%", "1", "101%", "100.0001%", "1.%", ".5%", "0.00001%", "-1%", "4294967297%", "1 %"}) {
    EXPECT_FALSE(parse_share(text)) << text;
  }
}

TEST(Shares, EveryOneRoundTrips) {
  for (std::uint32_t ppm = 0; ppm <= 1'000'000; ppm += ppm < 20'000 ? 1 : 37) {
    EXPECT_EQ(parse_share(format_share(ppm)).value(), ppm);
  }
  EXPECT_EQ(format_share(999'000), "99.9%");
  EXPECT_EQ(format_share(1), "0.0001%");
}

TEST(Ratios, AreNotReduced) {
  EXPECT_EQ(parse_ratio("2").value(), (core::Ratio{.numerator = 2, .denominator = 1}));
  EXPECT_EQ(parse_ratio("6/4").value(), (core::Ratio{.numerator = 6, .denominator = 4}));
  EXPECT_EQ(format_ratio({.numerator = 6, .denominator = 4}), "6/4");
  EXPECT_EQ(format_ratio({.numerator = 2, .denominator = 1}), "2");
  for (const char* text : {"", "0", "1/0", "0/1", "3/2/1", "1.5", "-1", "4294967296", "1/", "/1"}) {
    EXPECT_FALSE(parse_ratio(text)) << text;
  }
}

TEST(UnitFractions, AreOneOverN) {
  EXPECT_EQ(parse_unit_fraction("1/4").value(), 4U);
  EXPECT_EQ(parse_unit_fraction("1/4294967295").value(), 4294967295U);
  EXPECT_EQ(format_unit_fraction(4), "1/4");
  for (const char* text : {"", "1", "2/4", "1/0", "1/4294967296", "1/-1", "1/4 "}) {
    EXPECT_FALSE(parse_unit_fraction(text)) << text;
  }
}

TEST(Instants, ReadAndWriteUtc) {
  // 20468 days after the epoch: 56 years, 14 leap days among them, and 14 days.
  EXPECT_EQ(parse_instant("2026-01-15T08:00:00Z").value(), core::WallInstant(20468 * 24h + 8h));
  EXPECT_EQ(parse_instant("1970-01-01T00:00:00.000000001Z").value(), core::WallInstant(1ns));
  EXPECT_EQ(parse_instant("1969-12-31T23:59:59.5Z").value(), core::WallInstant(-500ms));
  EXPECT_EQ(format_instant(core::WallInstant(-500ms)), "1969-12-31T23:59:59.5Z");
  EXPECT_EQ(format_instant(core::WallInstant(1'768'464'000s)), "2026-01-15T08:00:00Z");
  for (const char* text :
       {"2024-02-29T23:59:59Z", "1678-01-01T00:00:00Z", "2261-12-31T23:59:59.999999999Z"}) {
    EXPECT_EQ(format_instant(parse_instant(text).value()), text);
  }
}

TEST(Instants, RefuseWhatNoCalendarHas) {
  for (const char* text :
       {"", "2026-01-15", "2026-01-15T08:00:00", "2026-01-15 08:00:00Z", "2026-1-15T08:00:00Z",
        "2026-13-01T00:00:00Z", "2026-02-29T00:00:00Z", "2026-01-15T24:00:00Z",
        "2026-01-15T08:60:00Z", "2026-01-15T08:00:60Z", "2026-01-15T08:00:00.Z",
        "2026-01-15T08:00:00.0000000000Z", "1677-12-31T00:00:00Z", "2262-01-01T00:00:00Z",
        "2026-01-15T08:00:00+00:00"}) {
    EXPECT_FALSE(parse_instant(text)) << text;
  }
}

TEST(Words, AreWholeNumbersOf64Bits) {
  EXPECT_EQ(parse_word("0").value(), 0U);
  EXPECT_EQ(parse_word("18446744073709551615").value(), ~std::uint64_t{0});
  for (const char* text : {"", "-1", "+1", " 1", "1 ", "1.0", "0x1", "18446744073709551616"}) {
    EXPECT_FALSE(parse_word(text)) << text;
  }
}

}  // namespace
}  // namespace squall::scenarios
