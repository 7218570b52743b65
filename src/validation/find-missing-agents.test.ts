import { expect, it } from 'vitest';
import type { BackendSpec } from '../core/index.ts';
import { makeHat, makeSpec } from '../core/spec-fixtures.ts';
import { findUnserved } from './find-missing-agents.ts';

it('asks once for an agent that many hats have', () => {
  const agent = { type: 'claude', args: [], env: {} } as unknown as BackendSpec;
  const hats = Array.from({ length: 50 }, (_, index) => makeHat(`hat${index}`, [`t${index}`], []));
  const backends = Object.fromEntries(hats.map(({ id }) => [id, [{ ...agent }]]));
  const asked: string[] = [];
  const find = (spec: BackendSpec) => {
    asked.push(spec.type);
    return { label: 'claude', problem: 'is not there', install: null, fix: null };
  };
  const unserved = findUnserved({ backends, spec: makeSpec({ hats }), priority: [] }, 'hats', '/', { find });
  expect(asked).toEqual(['claude']);
  expect(unserved.map((entry) => entry.hats.length)).toEqual([50]);
});
