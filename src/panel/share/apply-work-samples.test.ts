import { lstatSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { propertyRuns } from '../../core/property-fixtures.ts';
import { type AppliedWork, applyWork } from './apply-work.ts';
import { openWorkspace } from './open-workspace.ts';
import { createFolder, listFiles, photograph, removeFolders, writeFiles } from './share-fixtures.ts';
import { takeSnapshot } from './take-snapshot.ts';

let top = '';
let run = '';
let work = '';
let base = '';

beforeEach(() => {
  top = createFolder();
  run = join(top, 'run');
  work = join(top, 'work');
});
afterEach(removeFolders);

async function apply(): Promise<AppliedWork> {
  const snapshot = join(top, 'snapshot');
  await takeSnapshot(work, snapshot);
  return applyWork({ base, snapshot, to: run, leftOut: false });
}

describe('whatever an agent and somebody else do at the same time', () => {
  const path = fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 3 }).map((names) => names.join('/'));
  const edits = (...texts: readonly string[]) =>
    fc.array(fc.tuple(path, fc.option(fc.constantFrom(...texts), { freq: 3 })), { maxLength: 6 });

  const edit = (folder: string, changes: readonly (readonly [string, string | null])[]): void => {
    for (const [place, text] of changes) {
      for (let end = place.indexOf('/'); end > 0; end = place.indexOf('/', end + 1)) {
        const above = join(folder, place.slice(0, end));
        if (lstatSync(above, { throwIfNoEntry: false })?.isFile()) rmSync(above);
      }
      rmSync(join(folder, place), { recursive: true, force: true });
      if (text !== null) writeFiles(folder, { [place]: text });
    }
  };

  it('the folder has all of the work, and all else as it was, or is not touched', async () => {
    await fc.assert(
      fc.asyncProperty(edits('x', 'y'), edits('x', 'y', 'zz'), edits('x', 'u'), async (first, agent, user) => {
        for (const folder of [run, work]) rmSync(folder, { recursive: true, force: true });
        mkdirSync(run);
        edit(run, first);
        const old = listFiles(run);
        base = await openWorkspace({ from: run, to: work, links: [], skipped: [] });
        edit(work, agent);
        edit(run, user);
        const [before, wanted] = [photograph(run), listFiles(work)];
        const applied = await apply();
        if (applied.conflicts.length > 0) {
          expect(photograph(run)).toEqual(before);
          return;
        }
        const after = listFiles(run);
        for (const place of new Set([...Object.keys(old), ...Object.keys(wanted), ...before.keys(), ...Object.keys(after)])) {
          const was = before.get(place)?.startsWith('folder ') ? undefined : before.get(place);
          expect([place, after[place]]).toEqual([place, wanted[place] === old[place] ? was : wanted[place]]);
        }
        expect(await apply()).toEqual(applied);
        expect(listFiles(run)).toEqual(after);
      }),
      { numRuns: propertyRuns(200) },
    );
  });
});
