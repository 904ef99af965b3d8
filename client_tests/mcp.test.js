// SPDX-License-Identifier: MIT
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

import { assertBroken, assertKept, audited, statuses } from './serving.js';

/// The answers of `calls` calls, one after the other; a failed one is its error.
async function answers(url, calls) {
  const client = new Client({ name: 'audited', version: '1.0.0' });
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', url)));
  try {
    const results = [];
    for (let i = 0; i < calls; ++i) {
      results.push(await client.callTool({ name: 'look_up', arguments: { term: 'squall' } })
        .then(({ content }) => content[0].text, (error) => error));
    }
    return results;
  } finally {
    await client.close();
  }
}

test('mcp: one call, one answer, and nothing else counts', async () => {
  const verdict = await audited({ scenario: 'tool-answers', policy: 'mcp-node' }, async (url) => {
    assert.deepEqual(await answers(url, 1), ['A gust.']);
  });
  assertKept(verdict);
  assert.deepEqual(statuses(verdict), [[200]]);
});

test('mcp: a failed call is not made again', async () => {
  const verdict = await audited({ scenario: 'tool-unavailable-once', policy: 'mcp-node' }, async (url) => {
    assert.ok((await answers(url, 1))[0] instanceof Error);
  });
  assertKept(verdict);
  assert.deepEqual(statuses(verdict), [[503]]);
});

test('mcp: calls asked for one after the other are operations of their own', async () => {
  const verdict = await audited({ scenario: 'tool-unavailable-once', policy: 'mcp-node' }, async (url) => {
    const [failed, answered] = await answers(url, 2);
    assert.ok(failed instanceof Error);
    assert.equal(answered, 'A gust.');
  });
  assertKept(verdict);
  assert.deepEqual(statuses(verdict), [[503], [200]]);
});

test('mcp: gives up where the connector policy would try again', async () => {
  // Overdue after 100 ms and the tolerance.
  const verdict = await audited(
    { scenario: 'tool-unavailable-once', policy: 'shipped:connector', tolerance: '50ms', linger: 300 },
    async (url) => {
      assert.ok((await answers(url, 1))[0] instanceof Error);
    });
  assertBroken(verdict, ['given_up', 1]);
});
