import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { findRun } from './find-run.ts';
import { createTemporaryFolder } from './fixtures.ts';
import { nodeFileSystem as fs } from './node-file-system.ts';
import { createRunFolder, toRunPaths } from './run-folder.ts';
import { createRunId } from './run-id.ts';

const START = Date.UTC(2026, 10, 21, 22, 0, 0);
const HOUR_MS = 3_600_000;

/** Three runs: two of one hour, one of the next day. */
function createRuns() {
  const state = { fs, stateDir: createTemporaryFolder() };
  const ids = [0, 60_000, 24 * HOUR_MS].map(
    (later, index) =>
      createRunFolder(
        state,
        createRunId(START + later, () => index / 32),
      ).runId,
  );
  return { state, ids };
}

describe('finding a run', () => {
  it.each([
    ['20261121-220000-00000', 0],
    ['20261121-2201', 1],
    ['20261122', 2],
    ['00111', 1],
    [' 20261122 ', 2],
    ['last', 2],
  ])('takes %j for a run', (text, index) => {
    const { state, ids } = createRuns();
    expect(findRun(state, text)).toBe(ids[index]);
  });

  it('takes the newest that has begun for the last one: not one that was killed before, or over its first line', () => {
    const { state, ids } = createRuns();
    const [first = '', second = ''] = ids;
    writeFileSync(toRunPaths(state.stateDir, first).journal, '{"seq":1}\n');
    writeFileSync(toRunPaths(state.stateDir, second).journal, '{"seq":');
    expect(findRun(state, 'last')).toBe(first);
    writeFileSync(toRunPaths(state.stateDir, second).journal, '{"seq":1}\n{"se');
    expect(findRun(state, 'last')).toBe(second);
  });

  it('asks for more when a beginning fits several, and lists them', () => {
    const { state } = createRuns();
    expect(() => findRun(state, '20261121')).toThrow(
      expect.objectContaining({
        code: 'run-ambiguous',
        exitCode: 2,
        fix: expect.stringMatching(/20261121-220100-00111\n +20261121-220000-00000$/),
      }),
    );
  });

  it.each(['20261121-2209', '../../etc', 'zzz', '', '.'])('names the nearest when nothing is called %j', (text) => {
    const { state } = createRuns();
    expect(() => findRun(state, text)).toThrow(
      expect.objectContaining({ code: 'run-unknown', exitCode: 2, fix: expect.stringContaining('20261121-220100-00111') }),
    );
  });

  it('lists those that begin alike first', () => {
    const { state } = createRuns();
    expect(() => findRun(state, '20261121-2209')).toThrow(
      expect.objectContaining({ fix: expect.stringMatching(/:?\n {2}20261121-220100-00111\n/) }),
    );
  });

  it('says how to start one when there is none', () => {
    expect(() => findRun({ fs, stateDir: createTemporaryFolder() }, 'last')).toThrow(
      expect.objectContaining({ code: 'no-runs', fix: expect.stringContaining('ralph run') }),
    );
  });
});
