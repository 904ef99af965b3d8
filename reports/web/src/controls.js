// SPDX-License-Identifier: MIT
//
// The bar by which readers choose a policy and a scenario.
import { h, put } from './dom.js';
import { labelled } from './figure.js';
import * as words from './words.js';

const ALL = 'all';

/** @param {import('./data.js').Report} report @param {import('./state.js').State} state */
export function controls(report, state) {
  const policy = h('select', {}, report.policies.map(({ name }, index) => h('option', { value: index }, name)));
  const scenario = h('select', {});
  const filter = h('input', { type: 'search', placeholder: 'type to narrow the list', autocomplete: 'off', spellcheck: 'false' });
  const found = h('span.offscreen', { role: 'status' });

  function fill() {
    const wanted = filter.value.trim().toLowerCase();
    const shown = report.scenarios
      .map((each, index) => ({ ...each, index }))
      .filter(({ name, tags, kind, index }) => !wanted || index === state.scenario || [name, kind, ...(tags ?? [])].join(' ').toLowerCase().includes(wanted));
    put(scenario,
      h('option', { value: ALL }, `all ${words.countOf(report.scenarios.length, 'scenario')}`),
      shown.map(({ name, index }) => h('option', { value: index }, name)));
    scenario.value = state.scenario === null ? ALL : String(state.scenario);
    if (wanted) found.textContent = `${words.countOf(shown.length, 'scenario')} in the list`;
  }

  policy.addEventListener('change', () => state.set({ policy: Number(policy.value) }));
  scenario.addEventListener('change', () => state.set({ scenario: scenario.value === ALL ? null : Number(scenario.value) }));
  filter.addEventListener('input', fill);
  state.listen(() => {
    policy.value = String(state.policy);
    fill();
  });
  return h('form.controls', { 'aria-label': 'What the figures show', onsubmit: (event) => event.preventDefault() },
    labelled('Policy', policy), labelled('Scenario', scenario), labelled('Find a scenario', filter), found);
}
