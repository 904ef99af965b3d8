// SPDX-License-Identifier: MIT
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

import { assertBroken, assertKept, audited, statuses } from './serving.js';

async function call(url) {
  const client = new Client({ name: 'audited', version: '1.0.0' });
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', url)));
  try {
    const { content } = await client.callTool({ name: 'look_up', arguments: { term: 'squall' } });
    return content[0].text;
  } finally {
    await client.close();
  }
}

test('mcp: one call, one answer, and nothing else counts', async () => {
  const verdict = await audited({ scenario: 'tool-answers', policy: 'mcp-node' }, async (url) => {
    assert.equal(await call(url), 'A gust.');
  });
  assertKept(verdict);
  assert.deepEqual(statuses(verdict), [[200]]);
});

test('mcp: a failed call is not made again', async () => {
  const verdict = await audited({ scenario: 'tool-unavailable-once', policy: 'mcp-node' }, async (url) => {
    await assert.rejects(call(url));
  });
  assertKept(verdict);
  assert.deepEqual(statuses(verdict), [[503]]);
});

test('mcp: calls asked for one after the other are operations of their own', async () => {
  const verdict = await audited({ scenario: 'tool-unavailable-once', policy: 'mcp-node' }, async (url) => {
    await assert.rejects(call(url));
    assert.equal(await call(url), 'A gust.');
  });
  assert.deepEqual(statuses(verdict).flat(), [503, 200]);
});

test('mcp: gives up where the connector policy would try again', async () => {
  // Overdue after 100 ms and the tolerance.
  const verdict = await audited(
    { scenario: 'tool-unavailable-once', policy: 'shipped:connector', tolerance: '50ms', linger: 300 },
    async (url) => {
      await assert.rejects(call(url));
    });
  assertBroken(verdict, ['given_up', 1]);
});
