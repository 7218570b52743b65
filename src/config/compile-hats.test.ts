import { describe, expect, it } from 'vitest';
import { inFolder } from './config-fixtures.ts';
import { loadConfig } from './load-config.ts';

function load(yaml: string) {
  return inFolder({ 'ralph.yml': yaml }, (cwd) => loadConfig({ cwd }));
}

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
