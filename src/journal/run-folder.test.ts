import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createTemporaryFolder } from './fixtures.ts';
import { nodeFileSystem as fs } from './node-file-system.ts';
import { createRunFolder, createRunId, isRunId, listRunIds, type RunPaths, removeLeftovers, removeRun, toRunPaths } from './run-folder.ts';

const removeTree = (folder: string): void => rmSync(folder, { recursive: true });

const NOON = Date.UTC(2026, 10, 21, 22, 33, 31, 250);

describe('a run id', () => {
  it('can be read by a person: date, time (UTC) and a short tail', () => {
    expect(createRunId(NOON, () => 0)).toBe('20261121-223331-7t000');
    expect(createRunId(NOON, () => 0.999999)).toBe('20261121-223331-7tzzz');
  });

  it('sorts by time as text', () => {
    const times = fc.integer({ min: 0, max: Date.UTC(2099, 0) });
    fc.assert(
      fc.property(times, fc.integer({ min: 1, max: 100_000 }), fc.double({ min: 0, max: 0.999 }), (at, later, random) => {
        const [first, second] = [createRunId(at, () => random), createRunId(at + later, () => 1 - 0.001 - random)];
        expect(first < second).toBe(true);
        expect(isRunId(first)).toBe(true);
      }),
    );
  });

  it.each(['', 'last', '..', '20261121-223331', '20261121-223331-7t00l', '20261121-223331-7t000/x'])('is not %j', (text) => {
    expect(isRunId(text)).toBe(false);
  });
});

describe('the folders of runs', () => {
  it('are made whole, each under its own id', () => {
    const stateDir = join(createTemporaryFolder(), '.ralph');
    const first = createRunFolder(
      { fs, stateDir },
      createRunId(NOON, () => 0),
    );
    expect(first.runId).toBe('20261121-223331-7t000');
    expect(first).toEqual(toRunPaths(stateDir, first.runId));
    expect(readdirSync(first.folder)).toEqual(['turns']);
    expect(first.journal).toBe(join(stateDir, 'runs', first.runId, 'journal.jsonl'));
  });

  it('are never made twice under one id', () => {
    const state = { fs, stateDir: createTemporaryFolder() };
    const runId = createRunId(NOON, () => 0);
    createRunFolder(state, runId);
    expect(() => createRunFolder(state, runId)).toThrow('EEXIST');
  });

  it('are listed oldest first, without what else lies there', () => {
    const state = { fs, stateDir: createTemporaryFolder() };
    expect(listRunIds(state)).toEqual([]);
    const ids = [5000, 0, 90_000_000].map(
      (later) =>
        createRunFolder(
          state,
          createRunId(NOON + later, () => 0),
        ).runId,
    );
    mkdirSync(join(state.stateDir, 'runs', 'notes'));
    writeFileSync(join(state.stateDir, 'runs', '20261121-223331-7tzzz'), 'a file');
    expect(listRunIds(state)).toEqual([...ids].sort());
  });

  it('are removed with everything in them, but nothing that links lead to', () => {
    const outside = createTemporaryFolder();
    writeFileSync(join(outside, 'precious'), 'mine');
    const state = { fs, stateDir: createTemporaryFolder() };
    const { runId, folder, turns } = createRunFolder(
      state,
      createRunId(NOON, () => 0),
    );
    const kept = createRunFolder(
      state,
      createRunId(NOON + 1, () => 0),
    );
    mkdirSync(join(turns, '1.1'));
    writeFileSync(join(turns, '1.1', 'stdout.log'), 'x');
    symlinkSync(outside, join(folder, 'link'));
    // What a crash left of an earlier removal.
    mkdirSync(join(state.stateDir, 'runs', '.removed-20250101-000000-00000', 'turns'), { recursive: true });
    removeRun({ ...state, removeTree }, runId);
    expect(readdirSync(join(state.stateDir, 'runs'))).toEqual([kept.runId]);
    expect(existsSync(join(outside, 'precious'))).toBe(true);
  });

  it('are told where what they kept cannot be removed, with the rest of it gone', () => {
    const state = { fs, stateDir: createTemporaryFolder() };
    const runs = join(state.stateDir, 'runs');
    const [first, second] = [0, 1].map((at) =>
      createRunFolder(
        state,
        createRunId(NOON + at, () => 0),
      ),
    ) as [RunPaths, RunPaths];
    const problem = Object.assign(new Error('no'), { code: 'EPERM' });
    const removeOthers = (folder: string): void => {
      if (folder.endsWith(first.runId)) throw problem;
      removeTree(folder);
    };
    const left = [{ path: join(runs, `.removed-${first.runId}`), problem }];
    expect(removeRun({ ...state, removeTree: removeOthers }, first.runId)).toEqual(left);
    expect(removeRun({ ...state, removeTree: removeOthers }, second.runId)).toEqual(left);
    expect(listRunIds(state)).toEqual([]);
    expect(removeLeftovers({ ...state, removeTree })).toEqual([]);
    expect(readdirSync(runs)).toEqual([]);
  });

  it.each(['..', '../runs', '', 'last'])('are not removed by the name %j', (runId) => {
    const state = { fs, stateDir: createTemporaryFolder() };
    createRunFolder(
      state,
      createRunId(NOON, () => 0),
    );
    expect(() => removeRun({ ...state, removeTree }, runId)).toThrow(TypeError);
    expect(listRunIds(state)).toHaveLength(1);
  });
});
