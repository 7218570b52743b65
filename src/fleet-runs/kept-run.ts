import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { basename, join } from 'node:path';
import type { EndReason } from '../core/run/end-reasons.ts';
import type { JournalEntry } from '../core/run/inputs.ts';
import type { ProgramNews } from '../core/run/run-record.ts';
import type { Environment } from '../core/values/environment.ts';
import { RalphError } from '../core/values/errors.ts';
import { keepRun, type LeaseEnd, type RunKeeper, readKept, takeLease } from '../fleet/keep-run.ts';
import { toContent } from '../fleet/messages.ts';
import type { KeptRecord, SentFile, SentTree } from '../fleet/run-records.ts';
import type { RunPaths } from '../journal/run-folder.ts';
import type { Fleet, LogPlace, RunLease } from '../ports/fleet.ts';
import type { AskAway } from '../ports/hook-runner.ts';
import type { Journal } from '../ports/journal.ts';

import { steadyMs } from '../process/steady-clock.ts';
import type { RunFile } from '../runs/run-file.ts';
import { toPlainLine } from '../views/text/plain-text.ts';

/** A run that its fleet keeps, in the process that has it. */
export interface KeptRun {
  readonly fleet: Fleet;
  readonly keeper: RunKeeper;
  /** The last entry of the journal that the fleet has. */
  readonly keptTo: number;
  /** What workers reported of turns that are open, as the journal has it already: it comes once more. By turn. */
  readonly heard: Map<string, string[]>;
}

/** Is told which gate or hook waits for a worker, and which worker has it. */
export type HearPrograms = (news: Omit<ProgramNews, 'since'>) => void;

/** Gates and hooks of a run in the hands of workers. */
export interface AwayPrograms {
  /** Asks hooks on workers, on the folder as it is then. Absent: none of the run needs one. */
  readonly askAway?: AskAway;
  /** Ends gates and hooks, behind the turns, for hooks of a run's life are told when these have ended; then what workers reported is forgotten. Never rejects. */
  readonly closePrograms: () => Promise<void>;
  /** Hears which gates and hooks wait for a worker, and which worker has one. */
  readonly onPrograms: (hear: HearPrograms) => void;
}

/** What a fleet keeps of a run. */
export interface KeptState {
  readonly end: LogPlace;
  /** The folder of whoever wrote last. */
  readonly lastPlace: string | null;
  readonly entries: readonly JournalEntry[];
  readonly settings: (KeptRecord & { readonly kind: 'settings' }) | null;
  readonly tree: SentTree | null;
  /** All that were sent, in order. */
  readonly trees: readonly SentTree[];
  /** The last tree that each folder sent. */
  readonly treeOf: ReadonlyMap<string, SentTree>;
  readonly turns: ReadonlyMap<string, readonly SentFile[]>;
  /** Which of the trees was there around which turn: object ids by name, such as `7.1/before`. What an older version kept has none. */
  readonly snapshots: ReadonlyMap<string, string>;
  /** What gates showed. What an older version kept has none. */
  readonly evidence: ReadonlyMap<number, readonly SentFile[]>;
}

/** Reads it whole. */
export async function readKeptState(fleet: Fleet, run: string): Promise<KeptState> {
  const entries: JournalEntry[] = [];
  const trees: SentTree[] = [];
  const treeOf = new Map<string, SentTree>();
  const turns = new Map<string, readonly SentFile[]>();
  const snapshots = new Map<string, string>();
  const evidence = new Map<number, readonly SentFile[]>();
  let found: Pick<KeptState, 'lastPlace' | 'settings' | 'tree'> = { lastPlace: null, settings: null, tree: null };
  const end = await readKept(fleet, run, ({ place, records }) => {
    found = { ...found, lastPlace: place };
    for (const record of records) {
      if (record.kind === 'entry') entries.push(record.entry);
      else if (record.kind === 'turn') turns.set(record.name, record.files);
      else if (record.kind === 'evidence') evidence.set(record.number, record.files);
      else if (record.kind === 'snapshot') snapshots.set(record.name, record.tree);
      else if (record.kind === 'settings') found = { ...found, settings: record };
      else {
        const tree = record.kind === 'tree' ? record.tree : toStepped(found.tree, record);
        trees.push(tree);
        treeOf.set(place, tree);
        found = { ...found, tree };
      }
    }
  });
  const gap = entries.findIndex(({ seq }, index) => seq !== index + 1);
  if (gap >= 0) throw new Error(`the journal that the fleet keeps has a gap before entry ${gap + 1}`);
  return { end, entries, trees, treeOf, turns, snapshots, evidence, ...found };
}

function toStepped(last: SentTree | null, { step, scratchpad }: KeptRecord & { readonly kind: 'step' }): SentTree {
  if (last === null) throw new Error('the fleet keeps what changed, and not since when');
  return { ...last, steps: [...last.steps, step], scratchpad };
}

/** Tells a run that it is in the hands of a worker: one that is ended with the worker is gone on with by another. */
export const STANDS_IN = 'RALPH_STANDS_IN';

/** Which worker that is, for whoever asks who has the run. */
export function toStandIn({ [STANDS_IN]: worker = '' }: Environment): Pick<RunLease, 'worker'> {
  return worker === '' ? {} : { worker };
}

/** A run that was just taken. */
export interface TakenRun {
  readonly keeper: RunKeeper;
  /** Who had it before, and how; `null`: nobody. */
  readonly before: RunLease | null;
}

/**
 * How a run is left that could not go on here: as it was, but for one that others are to go on with.
 *
 * @param isHere all of it was brought here before
 */
export function toLeft({ before }: TakenRun, env: Environment, title: string, isHere: boolean): LeaseEnd {
  if (env[STANDS_IN] !== undefined) return { state: 'held', title };
  if (before === null) return { state: 'free', title };
  const { state, place, host, worker } = before;
  return { state, title: before.title, ...(!isHere && { place, host, ...(worker !== undefined && { worker }) }) };
}

/** How a run is left that has ended: its title says why. Nobody goes on by itself with what a person ended. Where a worker has it, its end is the worker's. */
export function toEndedLease(reason: EndReason, { settings }: RunFile, env: Environment): Pick<RunLease, 'state' | 'title'> {
  const isHandedOn = reason === 'terminated' && env[STANDS_IN] !== undefined;
  return {
    state: reason === 'completed' ? 'ended' : isHandedOn ? 'held' : 'free',
    title: `${toPlainLine(settings.spec.objective, 80)} (${reason})`,
  };
}

/** `RALPH_FLEET_LOST_AFTER`, in seconds: how long a worker may say nothing. */
export function toLostAfterMs({ RALPH_FLEET_LOST_AFTER: text = '' }: Environment): number {
  const seconds = Number(text);
  return text !== '' && seconds >= 1 && seconds <= 3600 ? seconds * 1000 : USUAL_LOST_MS;
}

const USUAL_LOST_MS = 20_000;

/** Takes a run of this folder for this process, which says from then on that it lives. Throws what `takeLease` throws. */
export async function takeRun(
  fleet: Fleet,
  { paths, file, env }: { readonly paths: RunPaths; readonly file: RunFile; readonly env: Environment },
): Promise<TakenRun> {
  const { objective } = file.settings.spec;
  const wish = {
    run: paths.runId,
    place: readPlace(paths),
    host: toPlainLine(hostname(), 60),
    title: toPlainLine(objective, 80),
    ...toStandIn(env),
  };
  const before = await fleet.leases.look(paths.runId);
  const taken = await takeLease(fleet, { ...wish, lostAfterMs: toLostAfterMs(env) }, steadyMs);
  return { keeper: keepRun({ fleet, taken }), before: before?.lease ?? null };
}

/** Said of a run that the fleet does not know. */
export function toUnknownRun(wanted: string): RalphError {
  return new RalphError({
    code: 'fleet-run-unknown',
    what: wanted === '' ? 'The fleet keeps no run.' : `The fleet knows no run ${toPlainLine(wanted, 60)}.`,
    fix: 'Those that it knows: ralph fleet runs',
    exitCode: 2,
  });
}

/** Keeps a run that was just taken, from here on. */
export function openKeptRun(fleet: Fleet, keeper: RunKeeper, { end, entries }: Pick<KeptState, 'end' | 'entries'>): KeptRun {
  keeper.begin(end);
  return { fleet, keeper, keptTo: entries.length, heard: new Map() };
}

/** What this folder is called among those in which the run has been. It travels with nothing that others make a folder of. */
export function readPlace({ folder }: Pick<RunPaths, 'folder'>): string {
  const known = findPlaceId({ folder });
  if (known !== null) return known;
  const made = randomUUID();
  writePlace({ folder }, made);
  return made;
}

/** As {@link readPlace}, where it has a name already: nothing is written. */
export function findPlaceId({ folder }: Pick<RunPaths, 'folder'>): string | null {
  const path = join(folder, 'place');
  return existsSync(path) ? readFileSync(path, 'utf8').trim() : null;
}

export function writePlace({ folder }: Pick<RunPaths, 'folder'>, place: string): void {
  writeFileSync(join(folder, 'place'), `${place}\n`, { mode: 0o600 });
}

/** What whoever goes on works with. `files`: what its gates compare with, see `listReferenceFiles`. */
export async function keepSettings(
  { fleet, keeper }: KeptRun,
  { settings }: Pick<RunPaths, 'settings'>,
  files: readonly string[],
): Promise<void> {
  const there = files.filter((path) => existsSync(path));
  const references = await Promise.all(
    there.map(async (path): Promise<SentFile> => ({ name: basename(path), ...(await toContent(fleet.blobs, readFileSync(path))) })),
  );
  keeper.add({ kind: 'settings', settings: await fleet.blobs.put(readFileSync(settings)), references });
}

/** What the process before this one wrote last may be known to nobody else: it is kept when the journal is read. */
export function keepRest(kept: KeptRun | undefined, visit: (entry: JournalEntry) => void): (entry: JournalEntry) => void {
  if (kept === undefined) return visit;
  return (entry) => {
    if (entry.seq > kept.keptTo) kept.keeper.add({ kind: 'entry', entry });
    visit(entry);
  };
}

/** A journal whose entries are kept by the fleet as well. */
export function keepJournal(journal: Journal, { keeper }: KeptRun): Journal {
  return {
    ...journal,
    append: (input) => {
      const entry = journal.append(input);
      keeper.add({ kind: 'entry', entry });
      return entry;
    },
    settled: keeper.settled,
  };
}
