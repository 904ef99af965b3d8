// SPDX-License-Identifier: MIT
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';

import { assertBroken, assertKept, audited, statuses } from './serving.js';

async function post(url, ...options) {
  const { stdout } = await promisify(execFile)('curl', [
    '--silent', '--fail', '--retry', '3', '--retry-all-errors', ...options,
    '--header', 'content-type: application/json',
    '--data', '{"model":"m","messages":[{"role":"user","content":"Say hello."}]}',
    `${url}/v1/chat/completions`,
  ]);
  return JSON.parse(stdout).choices[0].message.content;
}

test('curl: waits a second, then two', async () => {
  const verdict = await audited({ scenario: 'unavailable-twice', policy: 'curl-retry' }, async (url) => {
    assert.equal(await post(url), 'Hello.');
  });
  assertKept(verdict);
  assert.deepEqual(statuses(verdict), [[503, 503, 200]]);
  assert.deepEqual(verdict.operations[0].attempts[2].headers_changed, []);
});

test('curl: obeys a Retry-After', async () => {
  const verdict = await audited({ scenario: 'rate-limited-for-a-second', policy: 'curl-retry' }, async (url) => {
    assert.equal(await post(url), 'Hello.');
  });
  assertKept(verdict);
  assert.equal(verdict.operations[0].attempts[1].gap.retry_after_ms, 1000);
});

test('curl: waits too long for a policy that waits half a second', async () => {
  const verdict = await audited(
    { scenario: 'unavailable-once', policy: 'openai-node', tolerance: '100ms' },
    async (url) => {
      assert.equal(await post(url), 'Hello.');
    });
  assertBroken(verdict, ['sleep_interval', 2]);
  assert.match(verdict.broken[0].message, /the policy waits 375ms to 499ms, and 100ms are tolerated/);
});

test('curl: even a rejected key is asked with again', async () => {
  const verdict = await audited({ scenario: 'key-rejected', policy: 'openai-node' }, async (url) => {
    await assert.rejects(post(url, '--retry', '1'));
  });
  assertBroken(verdict, ['no_call_after_final', 2]);
});
