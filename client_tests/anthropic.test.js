// SPDX-License-Identifier: MIT
import Anthropic from '@anthropic-ai/sdk';

import { testSdk } from './sdk_tests.js';

async function ask(url, { stream = false, ...options }) {
  const client = new Anthropic({ apiKey: 'key', baseURL: url, ...options });
  const message = { model: 'm', max_tokens: 64, messages: [{ role: 'user', content: 'Say hello.' }] };
  const answer = stream ? await client.messages.stream(message).finalMessage() : await client.messages.create(message);
  return answer.content[0].text;
}

testSdk({ name: 'anthropic', policy: 'anthropic-node', ask });
