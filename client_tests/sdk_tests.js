// SPDX-License-Identifier: MIT
//
// The two chat SDKs come from one generator and promise the same; so they pass the same tests.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { assertBroken, assertKept, audited, statuses } from './serving.js';

/// @param ask     (url, options) => the text of the answer; options: maxRetries, stream.
/// @param policy  the file that says what the SDK promises.
export function testSdk({ name, policy, ask }) {
  test(`${name}: two failures and an answer, in time`, async () => {
    const verdict = await audited({ scenario: 'unavailable-twice', policy }, async (url) => {
      assert.equal(await ask(url, {}), 'Hello.');
    });
    assertKept(verdict);
    assert.deepEqual(statuses(verdict), [[503, 503, 200]]);
    const [, second, third] = verdict.operations[0].attempts;
    assert.deepEqual(second.gap.allowed, { min_ns: 375e6, max_ns: 499e6 });
    assert.deepEqual(third.gap.allowed, { min_ns: 750e6, max_ns: 999e6 });
    // The same bytes, and one header that counts.
    assert.equal(second.body_changed, null);
    assert.deepEqual(second.headers_changed, [{ name: 'x-stainless-retry-count', before: '0', after: '1' }]);
    assert.deepEqual(third.headers_changed, [{ name: 'x-stainless-retry-count', before: '1', after: '2' }]);
  });

  test(`${name}: obeys both headers of a rate limit`, async () => {
    const verdict = await audited({ scenario: 'rate-limited-briefly', policy }, async (url) => {
      assert.equal(await ask(url, {}), 'Hello.');
    });
    assertKept(verdict);
    assert.deepEqual(statuses(verdict), [[429, 503, 200]]);
    assert.deepEqual(verdict.operations[0].attempts.map(({ gap }) => gap?.retry_after_ms), [undefined, 40, 100]);
  });

  test(`${name}: a rejected key is final`, async () => {
    const verdict = await audited({ scenario: 'key-rejected', policy }, async (url) => {
      await assert.rejects(ask(url, {}), { status: 401 });
    });
    assertKept(verdict);
    assert.deepEqual(statuses(verdict), [[401]]);
    assert.equal(verdict.operations[0].ending, 'final');
  });

  test(`${name}: an answer that breaks off is not asked for again`, async () => {
    const verdict = await audited({ scenario: 'answer-breaks-off', policy }, async (url) => {
      await assert.rejects(ask(url, {}));
    });
    assertKept(verdict);
    assert.deepEqual(statuses(verdict), [[200]]);
    assert.equal(verdict.operations[0].attempts[0].failure_class, 'non_retryable');
  });

  test(`${name}: streams, after a failure`, async () => {
    const verdict = await audited({ scenario: 'unavailable-once', policy }, async (url) => {
      assert.equal(await ask(url, { stream: true }), 'Hello.');
    });
    assertKept(verdict);
    assert.deepEqual(statuses(verdict), [[503, 200]]);
    assert.equal(verdict.operations[0].ending, 'answered');
  });

  test(`${name}: gives up too early without retries`, async () => {
    // Overdue after 499 ms and the tolerance.
    const verdict = await audited(
      { scenario: 'unavailable-once', policy, tolerance: '50ms', linger: 700 },
      async (url) => {
        await assert.rejects(ask(url, { maxRetries: 0 }), { status: 503 });
      });
    assertBroken(verdict, ['given_up', 1]);
    assert.equal(verdict.operations[0].ending, 'given_up');
  });

  test(`${name}: comes too early for a policy that waits seconds`, async () => {
    const verdict = await audited({ scenario: 'unavailable-once', policy: 'shipped:default' }, async (url) => {
      assert.equal(await ask(url, {}), 'Hello.');
    });
    assertBroken(verdict, ['sleep_interval', 2]);
    assert.match(verdict.broken[0].message, /the policy waits 3s750ms to 6s249ms/);
  });

  test(`${name}: calls once more than a policy of one call`, async () => {
    const verdict = await audited({ scenario: 'unavailable-once', policy: 'mcp-node' }, async (url) => {
      assert.equal(await ask(url, {}), 'Hello.');
    });
    assertBroken(verdict, ['attempt_budget', 2]);
  });
}
