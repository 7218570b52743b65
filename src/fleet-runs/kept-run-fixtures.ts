import { join } from 'node:path';
import type { Json } from '../core/values/json.ts';
import { toBody } from '../fleet/messages.ts';
import type { KeptRecord } from '../fleet/run-records.ts';
import type { Fleet } from '../ports/fleet.ts';
import { checkOutWork } from '../workspace/bundle/bundle.ts';
import { captureBaseline } from '../workspace/snapshot/baseline.ts';
import { type KeptState, readKeptState } from './kept-run.ts';
import { offerToFleet, withSnapshots } from './offer-to-fleet.ts';
import { createTestRepository, open, setUp } from './place-tree-fixtures.ts';
import { fetchTree } from './sent-work.ts';

export type Scene = Awaited<ReturnType<typeof setUp>>;

/** Takes turns in the folder of a run, and has the fleet keep them. */
export function takeTurns(run: Scene, place: string) {
  const offered = offerToFleet(
    { ...run.parts, heard: new Map(), keptTo: 0, root: run.repo.path, copiesFolder: join(run.folder, 'copies') },
    run.workspace,
    run.copies,
    () => undefined,
  );
  const { keepBefore, keepAfter, checkpoint } = withSnapshots(run.workspace, offered);
  return {
    checkpoint,
    turn: async (name: string, work: () => void): Promise<void> => {
      await keepBefore(name);
      work();
      await keepAfter(name);
    },
    /** What came to the records since. */
    write: async (): Promise<void> => writeRecords(run.fleet, place, run.records.splice(0)),
  };
}

export async function writeRecords(fleet: Fleet, place: string, records: readonly KeptRecord[]): Promise<void> {
  const behind = await fleet.log.read('run-1', () => undefined);
  const body = await toBody(fleet.blobs, { v: 2, place, records } as unknown as Json);
  await fleet.log.append('run-1', { behind, name: `${place}.${behind}`, body });
}

/** The same run in a folder of its own. */
export async function goOnElsewhere({ fleet }: Scene): Promise<Scene> {
  const kept: KeptState = await readKeptState(fleet, 'run-1');
  if (kept.tree === null) throw new Error('no tree is kept');
  const repo = createTestRepository({ x: 'x\n' });
  const repository = await open(repo);
  await checkOutWork(repository, await fetchTree(fleet.blobs, repository, kept.tree, join(repo.path, '.git', 'scratch')));
  return setUp(fleet, repo, await captureBaseline({ ...repo.settings, stateDirs: ['.ralph'] }));
}
