import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { GateSpec } from '../core/gates/gate-spec.ts';
import { toIdleGlobWarnings } from './idle-globs.ts';

let cwd = '';
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'ralph-globs-'));
});
afterEach(() => {
  rmSync(cwd, { recursive: true, force: true });
});

function warn(...gates: readonly Partial<GateSpec>[]): Promise<readonly string[]> {
  const complete = gates.map((gate) => ({ on: ['task.complete'], run: 'npm test', timeoutMs: 1000, ...gate }));
  return toIdleGlobWarnings(complete, cwd);
}

describe('globs of gates', () => {
  it('are told of when they name no file', async () => {
    const warnings = await warn({ name: 'docs', onlyIf: ['dosc/**'] }, { protect: ['vitest.confg.ts'] });
    expect(warnings).toEqual([
      expect.stringMatching(/only_if of gate "docs" \("dosc\/\*\*"\): it is skipped/),
      expect.stringMatching(/protect \("vitest\.confg\.ts"\)/),
    ]);
  });

  it('are not told of when one of them does, or where there are none', async () => {
    writeFileSync(join(cwd, 'a.md'), '');
    expect(await warn({ onlyIf: ['docs', '*.md'] }, { protect: ['a.md', 'b.md'] }, {})).toEqual([]);
  });
});
