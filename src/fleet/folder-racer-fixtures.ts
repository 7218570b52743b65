import { appendFileSync, mkdirSync } from 'node:fs';
import { toPlaces } from './folder-files.ts';
import { openFolderFleet } from './folder-fleet.ts';
import { openFolderPost } from './folder-post.ts';
import { createFolderQueue } from './folder-queue.ts';
import { createFolderLog, createFolderReports } from './folder-runs.ts';
import { openFolderState } from './folder-state.ts';

/** Few changes to a segment, so that processes are killed while one begins and another is emptied. */
const PER_SEGMENT = 7;

/** What a racer has seen to be its own, one a line: it may be killed behind each. */
export interface Seen {
  readonly kind: 'counted' | 'written' | 'reported' | 'claimed';
  readonly at: number | string;
  readonly by: string;
}

/** A process that changes a fleet in a folder as fast as it can, together with others, and says what it was told. Ends when it is killed. */
export async function race(root: string, name: string, seen: string): Promise<void> {
  const places = toPlaces(root);
  for (const place of Object.values(places)) mkdirSync(place, { recursive: true });
  openFolderPost(places);
  const state = openFolderState(places, PER_SEGMENT);
  const [log, reports, queue] = [createFolderLog(places), createFolderReports(places), createFolderQueue(state)];
  const say = (kind: Seen['kind'], at: Seen['at']): void => appendFileSync(seen, `${JSON.stringify({ kind, at, by: name })}\n`);
  let behind = await log.read('run', () => undefined);
  for (let round = 1; ; round += 1) {
    const kept = state.get('n');
    const next = (typeof kept?.value === 'number' ? kept.value : 0) + 1;
    if ((await state.change('n', next, kept?.revision ?? 0)) !== null) say('counted', next);
    const place = await log.append('run', { behind, name: `${name}.${round}`, body: `${name}.${round}` });
    if (place !== null) say('written', place);
    behind = place ?? (await log.read('run', () => undefined));
    await reports.append({ run: 'run', name: '1.1', worker: name, number: round, body: null });
    say('reported', `${name} ${round}`);
    await queue.offer({ run: 'run', name: `${next}.1`, labels: ['any'], protocol: 1, body: null });
    const claim = await queue.claim({ id: 'w', labels: ['any'], protocol: 1 }, AbortSignal.timeout(50));
    if (claim === null) continue;
    say('claimed', claim.order.name);
    await claim.end();
  }
}

/** Opens a fleet that others open at the same moment, is heard in it, and leaves it. */
export async function openTogether(root: string): Promise<void> {
  const fleet = await openFolderFleet(root);
  fleet.wires.answer({ run: 'r', name: '1.1' }, () => undefined);
  if (!(await fleet.wires.ask({ run: 'r', name: '1.1' }, null))) throw new Error('nobody answered');
  await fleet.close();
}

/** Writes more into a fleet than the system lets it, in each way in which something is written; whether each was refused. */
export async function writeTooMuch(root: string): Promise<readonly boolean[]> {
  const fleet = await openFolderFleet(root);
  const text = 'x'.repeat(100_000);
  const id = { run: 'r', name: '1.1' };
  fleet.wires.answer(id, () => undefined);
  const order = { ...id, labels: [], protocol: 1, body: text };
  const refused = await Promise.all([
    isRefused(fleet.blobs.put(Buffer.from(text))),
    isRefused(fleet.log.append('r', { behind: 0, name: 'a', body: text })),
    isRefused(fleet.reports.append({ ...id, worker: 'w', number: 1, body: text })),
    isRefused(fleet.queue.offer(order)),
    fleet.wires.ask(id, text).then((isHeard) => !isHeard),
  ]);
  await fleet.close();
  return refused;
}

async function isRefused(act: Promise<unknown>): Promise<boolean> {
  return act.then(
    () => false,
    () => true,
  );
}

/** What another process finds when the race is over. */
export async function findAfterRace(
  root: string,
): Promise<{ readonly n: unknown; readonly written: readonly unknown[]; readonly reported: readonly string[] }> {
  const places = toPlaces(root);
  const state = openFolderState(places, PER_SEGMENT);
  const written: unknown[] = [];
  await createFolderLog(places).read('run', (body) => written.push(body));
  const reported: string[] = [];
  const end = await createFolderReports(places).follow('run', ({ worker, number }) => reported.push(`${worker} ${number}`));
  await end();
  const n = state.get('n')?.value;
  state.close();
  return { n, written, reported };
}
