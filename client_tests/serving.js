// SPDX-License-Identifier: MIT
//
// Starts `squall serve --audit` for one test and reads its verdict.
//
//   const verdict = await audited({ scenario: 'key-rejected', policy: 'openai-node' }, async (url) => {
//     ... drive a client against `url` ...
//   });
//   verdict.kept, verdict.operations, verdict.broken, verdict.exitCode
//
// The binary is $SQUALL, or the release build of this tree.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const binary = process.env.SQUALL ?? here('../build/release/squall');

/// What a loaded machine may add to a wait; the bound from below is strict whatever it is.
const toleranceOfLoadedMachines = '3s';

/// A policy of this folder, or one that ships.
const policyFile = (name) => (name.startsWith('shipped:') ? name.slice(8) : here(`policies/${name}.json`));

/// Plays `scenario` to whatever `drive` does with the server's address, and returns the audit by
/// `policy` as `squall serve --json` prints it, with the exit code.
///
/// @param linger  milliseconds of listening after the client is done, for what it does not do.
export async function audited({ scenario, policy, tolerance = toleranceOfLoadedMachines, linger = 0 }, drive) {
  const server = spawn(
    binary,
    ['serve', here(`scenarios/${scenario}.json`), '--json', '--audit', policyFile(policy), '--tolerance', tolerance],
    { stdio: ['ignore', 'pipe', 'pipe'] });
  let complaints = '';
  server.stderr.setEncoding('utf8').on('data', (text) => { complaints += text; });
  // One object a line: where it listens first, the audit last.
  const events = [];
  const closed = once(server, 'close');
  const listening = new Promise((resolve, reject) => {
    createInterface({ input: server.stdout }).on('line', (line) => {
      events.push(JSON.parse(line));
      if (events.length === 1) {
        resolve(events[0].url);
      }
    });
    closed.then(() => reject(new Error(`squall serve did not start: ${complaints}`)), reject);
  });
  try {
    await drive(await listening);
    await sleep(linger);
  } finally {
    server.kill('SIGINT');
  }
  const [exitCode] = await closed;
  const verdict = events.at(-1);
  assert.equal(verdict?.event, 'audit', complaints);
  return { ...verdict, exitCode };
}

/// Asserts that the policy was kept; says how it was not.
export function assertKept(verdict) {
  assert.deepEqual(verdict.broken, []);
  assert.equal(verdict.kept, true);
  assert.equal(verdict.exitCode, 0);
}

/// Asserts that exactly these rules were broken, each at this attempt of the first operation.
export function assertBroken(verdict, ...expected) {
  assert.deepEqual(verdict.broken.map(({ rule, operation, attempt }) => ({ rule, operation, attempt })),
    expected.map(([rule, attempt]) => ({ rule, operation: 0, attempt })));
  assert.equal(verdict.kept, false);
  assert.equal(verdict.exitCode, 1);
}

/// Statuses of all attempts, operation by operation.
export const statuses = (verdict) => verdict.operations.map((operation) => operation.attempts.map(({ status }) => status));
