import { describe, expect, it } from 'vitest';
import type { GateSpec } from '../core/gates/gate-spec.ts';
import { toQualityOfGates } from './quality-of-gates.ts';

function gate(run: string, more: Partial<GateSpec> = {}): GateSpec {
  return { on: ['task.complete'], run, timeoutMs: 1000, ...more };
}

describe('the checks that native tools do', () => {
  it('are done as the gates of these names do them', () => {
    const gates = [gate('npm run unit', { check: 'tests' }), gate('./scripts/types.sh', { name: 'typecheck' }), gate('make lint')];
    expect(toQualityOfGates(gates)).toEqual({ tests: 'npm run unit', typecheck: './scripts/types.sh', lint: 'make lint' });
  });

  it('go by what a gate asks for before its name, and by its name before its line', () => {
    const gates = [gate('npm test'), gate('./t.sh', { name: 'Tests' }), gate('pytest -q', { check: 'tests' })];
    expect(toQualityOfGates(gates)).toEqual({ tests: 'pytest -q' });
    expect(toQualityOfGates(gates.slice(0, 2))).toEqual({ tests: './t.sh' });
    expect(toQualityOfGates(gates.slice(0, 1))).toEqual({ tests: 'npm test' });
  });

  it('are left to the files where no gate tells', () => {
    const gates = [
      gate('tests', { check: 'tests' }),
      gate('npm run build:docs'),
      gate('npm run lint && rm -r x'),
      gate('x', { name: 'tests', protect: ['a'] }),
    ];
    expect(toQualityOfGates(gates)).toEqual({});
  });
});
