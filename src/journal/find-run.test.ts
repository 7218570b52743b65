import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findRun, hasNeverBegun, requireBegun } from './find-run.ts';
import { createTemporaryFolder } from './fixtures.ts';
import { nodeFileSystem as fs } from './node-file-system.ts';
import { createRunFolder, createRunId, toRunPaths } from './run-folder.ts';
import { writeSettings } from './run-settings.ts';

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

  it('sees them also where a file stands in the place of the rescued ones', () => {
    const { state, ids } = createRuns();
    writeFileSync(join(state.stateDir, 'rescue'), '');
    expect(findRun(state, 'last')).toBe(ids[2]);
  });

  it('passes over one whose journal is a folder for the last one, as over one that has not begun', () => {
    const { state, ids } = createRuns();
    const [, second = '', newest = ''] = ids;
    writeFileSync(toRunPaths(state.stateDir, second).journal, 'a line\n');
    mkdirSync(toRunPaths(state.stateDir, newest).journal);
    expect(findRun(state, 'last')).toBe(second);
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

  it('takes for the last one none that only resolved a conflict for another, which is found by its id', () => {
    const { state, ids } = createRuns();
    const [first = '', second = '', third = ''] = ids;
    for (const id of ids) writeFileSync(toRunPaths(state.stateDir, id).journal, '{"seq":1}\n');
    for (const id of [second, third]) writeSettings(fs, toRunPaths(state.stateDir, id).settings, { version: 1, resolves: first });
    expect([findRun(state, 'last'), findRun(state, third)]).toEqual([first, third]);
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

describe('a run that was killed right after its folder was made', () => {
  it.each<[string, string | null]>([
    ['no journal', null],
    ['an empty journal', ''],
    ['the half of a first entry', '{"seq":'],
  ])('never began: with %s', (_, journal) => {
    const { state, ids } = createRuns();
    const [runId = ''] = ids;
    const paths = toRunPaths(state.stateDir, runId);
    if (journal !== null) writeFileSync(paths.journal, journal);
    expect(hasNeverBegun(state, runId)).toBe(true);
    const told = { code: 'run-not-begun', message: expect.stringContaining('never began'), fix: expect.stringContaining('ralph run') };
    expect(() => requireBegun(state, runId, false)).toThrow(expect.objectContaining(told));
    expect(() => requireBegun(state, runId, true)).toThrow(expect.objectContaining({ message: expect.stringContaining('just beginning') }));
  });

  it('is not meant where the journal of one that had turns is gone, or begins with an entry', () => {
    const { state, ids } = createRuns();
    const [first = '', second = ''] = ids;
    mkdirSync(join(toRunPaths(state.stateDir, first).turns, '1.1'));
    writeFileSync(toRunPaths(state.stateDir, second).journal, 'scribble\n');
    expect([first, second].map((runId) => hasNeverBegun(state, runId))).toEqual([false, false]);
  });
});
