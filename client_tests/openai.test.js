// SPDX-License-Identifier: MIT
import OpenAI from 'openai';

import { testSdk } from './sdk_tests.js';

async function ask(url, { stream = false, ...options }) {
  const client = new OpenAI({ apiKey: 'key', baseURL: `${url}/v1`, ...options });
  const answer = await client.chat.completions.create(
    { model: 'm', stream, messages: [{ role: 'user', content: 'Say hello.' }] });
  if (!stream) {
    return answer.choices[0].message.content;
  }
  let text = '';
  for await (const chunk of answer) {
    text += chunk.choices[0]?.delta?.content ?? '';
  }
  return text;
}

testSdk({ name: 'openai', policy: 'openai-node', ask });
