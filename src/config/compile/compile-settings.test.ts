import { describe, expect, it } from 'vitest';
import { inFolder } from '../config-fixtures.ts';
import { readConfig } from '../load-config.ts';

function load(yaml: string) {
  return inFolder({ 'ralph.yml': yaml }, (cwd) => readConfig({ cwd }));
}

describe('how many waiting events a hat is given', () => {
  const TEAM = 'planner: {triggers: [task.start, task.resume], publishes: [go]}';

  it('is all of them, unless it takes one at a time', () => {
    const { draft, diagnostics } = load(`hats: {${TEAM}, a: {triggers: [go], takes: one}, b: {triggers: [other], takes: all}}`);
    expect(diagnostics.filter(({ code }) => code === 'value-invalid')).toEqual([]);
    expect(draft?.spec.hats?.map(({ id, takes }) => [id, takes])).toEqual([
      ['planner', undefined],
      ['a', 'one'],
      ['b', undefined],
    ]);
  });

  it('is a finding where it is neither', () => {
    const { diagnostics } = load(`hats: {${TEAM}, a: {triggers: [go], takes: two}}`);
    expect(JSON.stringify(diagnostics)).toContain('takes');
  });
});

describe('where a gate runs', () => {
  const runsOn = (value: string) => load(`gates: [{run: x, runs_on: ${value}}]`);

  it('is on workers with these labels, or where the run is', () => {
    expect(runsOn('[gpu, mac, gpu]').draft?.spec.gates[0]?.runsOn).toEqual(['gpu', 'mac']);
    for (const none of ['[]', 'null']) expect(runsOn(none).draft?.spec.gates[0]).not.toHaveProperty('runsOn');
  });

  it.each(['[GPU]', '["a b"]', '["../x"]', '[3]', '{x: 1}'])('is a finding where that is no list of labels: %s', (value) => {
    expect(runsOn(value).diagnostics.map(({ code }) => code)).toContain('type-invalid');
  });
});

describe('where agents commit', () => {
  it('is everywhere, unless said otherwise', () => {
    const of = (value: string) => load(`event_loop: {prompt: x, agent_commits: ${value}}`).draft?.agentCommits;
    expect(['always', 'own_branch', 'never'].map(of)).toEqual([undefined, 'own_branch', 'never']);
    expect(load('event_loop: {prompt: x, agent_commits: sometimes}').diagnostics).not.toEqual([]);
  });
});

describe('hats with names that every object has', () => {
  it.each(['__proto__', 'constructor', 'toString'])('are refused and looked at like others: %s', (id) => {
    const { draft, diagnostics } = load(
      `hats: {planner: {triggers: [task.start, task.resume]}, ${id}: {triggers: [b], instructions: hi, backend: codex}}`,
    );
    expect(diagnostics.map(({ code }) => code)).toEqual(['hat-id-reserved']);
    expect(draft?.spec.hats?.map((hat) => [hat.id, hat.instructions, hat.backends])).toEqual([
      ['planner', '', ['auto']],
      [id, 'hi', ['codex']],
    ]);
    expect(Object.entries(draft?.backends ?? {}).find(([name]) => name === id)?.[1]).toMatchObject([{ type: 'codex' }]);
  });

  it.each(['__proto__', 'constructor', 'toString'])('have nothing that was not written where they are no map: %s', (id) => {
    const { draft } = load(`hats: {planner: {triggers: [task.start, task.resume]}, ${id}: 5}`);
    expect(draft?.spec.hats?.[1]).toMatchObject({ id, instructions: '', triggers: [], backends: ['auto'] });
  });
});
