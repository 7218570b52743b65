import { randomUUID } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { IterationStart } from '../core/run/effects.ts';
import type { JournalEntry } from '../core/run/inputs.ts';
import type { RunRecord } from '../core/run/run-record.ts';
import { toTurnName } from '../core/run/turn.ts';
import { isRalphError, RalphError, toErrorMessage } from '../core/values/errors.ts';
import type { Json } from '../core/values/json.ts';
import { connectFleet } from '../fleet/connect-fleet.ts';
import { followKept } from '../fleet/keep-run.ts';
import { demandBlob, fromBody, parseLive, parseWorkerWords } from '../fleet/messages.ts';
import { isFileName, type KeptPiece, type SentFile } from '../fleet/run-records.ts';
import { MAX_REPORT_BYTES } from '../fleet/too-large.ts';
import { makeFolders } from '../journal/file-system.ts';
import { toJournalLines } from '../journal/journal-line.ts';
import type { Lock } from '../journal/lock.ts';
import { nodeFileSystem } from '../journal/node-file-system.ts';
import { isRunId, type RunPaths, toRunPaths } from '../journal/run-folder.ts';
import { ensureStateFolders } from '../journal/state-folders.ts';
import { createJournalFold } from '../loop/decide/decide.ts';
import type { Fleet, WorkReport } from '../ports/fleet.ts';
import { removeTree } from '../process/remove-tree.ts';
import { steadyMs } from '../process/steady-clock.ts';
import { toLayout } from '../runs/layout.ts';
import { openLiveFile } from '../runs/live-file.ts';
import { createRunClock } from '../runs/run-clock.ts';
import { markCopy } from '../runs/run-file.ts';
import { releaseLock, tryLock } from '../runs/run-lock.ts';
import { openTurnIndex } from '../runs/turn-index.ts';
import { toPlainLine } from '../views/text/plain-text.ts';
import { bringEvidence, toEvidenceFolder } from './kept-evidence.ts';
import { toUnknownRun } from './kept-run.ts';
import { findOutput } from './sent-work.ts';
import { askWhatWasSaid, createFleetSteering, type FleetRunOrder, findFleetRun, type RunSteering } from './steer-fleet.ts';

import { openWorkerHome, sweepWorkerHomes } from './worker-home.ts';

/** Runs of a fleet, copied to be looked at. */
export interface RunCopyOrder extends FleetRunOrder {
  /** The folder for caches; absolute. */
  readonly cache: string;
  /** Prompts and outputs of turns: there when the copy is, or as they come. */
  readonly files: 'first' | 'later';
  /** Tells a person what goes wrong afterwards. */
  readonly tell: (text: string) => void;
}

/** A copy that follows its run, or several: a folder with runs in it, for whatever reads runs. Nothing can be done to them as to runs. */
export interface RunCopy {
  /** Of the run that was asked for; `null`: of all. */
  readonly runId: string | null;
  /** The folder; absolute. It holds nothing else. */
  readonly root: string;
  /** Speaks to a run itself. */
  readonly steeringOf: (runId: string) => RunSteering;
  /** Whether a run has not ended by what its fleet says, though perhaps nobody has it. */
  readonly isOpen: (runId: string) => boolean;
  /** Removes it, at once: the process is about to end. */
  readonly remove: () => void;
  /** Ends the following, and removes it. */
  readonly close: () => Promise<void>;
}

/**
 * Copies a run that a fleet keeps, to be looked at from here, and goes on with that while the run goes on. What killed processes left of their copies is removed.
 *
 * @throws RalphError `fleet-unreachable`, `fleet-run-unknown`, `run-ambiguous`; the system error
 */
export function copyRun(order: RunCopyOrder): Promise<RunCopy> {
  return openCopy(order, async (fleet, follow) => {
    const { run } = await findFleetRun(fleet, order.run);
    if (!isRunId(run)) throw toUnknownRun(run);
    await follow(run);
    return run;
  });
}

/** No more runs are copied at the same time: those that have not ended, then the newest. */
const MAX_COPIED = 30;
/** How often it is looked whether runs have begun. */
const LIST_MS = 2000;

/**
 * As {@link copyRun}, of all runs of a fleet that have not ended, and of the newest others; of those that begin meanwhile, too. They come one after the other.
 *
 * @throws RalphError `fleet-unreachable`; the system error
 */
export function copyFleet(order: RunCopyOrder): Promise<RunCopy> {
  return openCopy(order, async (fleet, follow, closed) => {
    const copied = new Set<string>();
    const look = async (): Promise<void> => {
      const leases = (await fleet.leases.list()).map(({ lease }) => lease).filter(({ run }) => isRunId(run));
      const newest = leases.sort(
        (left, right) => Number(right.state === 'held') - Number(left.state === 'held') || (left.run < right.run ? 1 : -1),
      );
      for (const { run } of newest.slice(0, MAX_COPIED)) {
        if (copied.has(run) || copied.size >= MAX_COPIED || closed.aborted) continue;
        if (await follow(run).then(() => true, isHopeless)) copied.add(run);
      }
    };
    const watch = async (): Promise<void> => {
      while (!closed.aborted) {
        await look().catch(() => undefined);
        await pause(LIST_MS, undefined, { ref: false, signal: closed }).catch(() => undefined);
      }
    };
    void watch();
    return null;
  });
}

/** Of a run that has just begun nothing is kept yet; anything else will not be otherwise at the next look. */
function isHopeless(error: unknown): boolean {
  return !isRalphError(error);
}

/** @param begin follows what is meant; of a single run its id */
async function openCopy(
  order: RunCopyOrder,
  begin: (fleet: Fleet, follow: (run: string) => Promise<void>, closed: AbortSignal) => Promise<string | null>,
): Promise<RunCopy> {
  const folder = join(order.cache, 'ralph', 'watched');
  const root = join(folder, randomUUID());
  const remove = (): void => removeTree(root);
  const fleet = await connectFleet({ url: order.fleet, env: order.env, name: 'ralph' }, true);
  const closed = new AbortController();
  const ends: (() => Promise<void>)[] = [];
  const open = new Map<string, () => boolean>();
  const close = async (): Promise<void> => {
    closed.abort();
    for (const end of ends) await end();
    await fleet.close();
    remove();
  };
  try {
    await sweepWorkerHomes(folder);
    await openWorkerHome(root, randomUUID());
    const layout = toLayout(root);
    makeFolders(nodeFileSystem, layout.runsDir);
    const follow = async (run: string): Promise<void> => {
      const { end, isOpen } = await followRun(fleet, run, layout, order);
      open.set(run, isOpen);
      if (closed.signal.aborted) await end();
      else ends.push(end);
    };
    const runId = await begin(fleet, follow, closed.signal);
    const isOpen = (run: string): boolean => open.get(run)?.() === true;
    return { runId, root, isOpen, remove, close, steeringOf: (run) => createFleetSteering(fleet, run, order.env) };
  } catch (error) {
    await close();
    throw error;
  }
}

/** How often it is asked who has the run. */
const LOOK_MS = 500;
/** Of one that nobody has, so much more seldom. */
const SELDOM = 4;

async function followRun(
  fleet: Fleet,
  runId: string,
  layout: ReturnType<typeof toLayout>,
  { files, tell }: RunCopyOrder,
): Promise<{ readonly end: () => Promise<void>; readonly isOpen: () => boolean }> {
  ensureStateFolders(nodeFileSystem, [layout.stateDir]);
  const paths = toRunPaths(layout.stateDir, runId);
  makeFolders(nodeFileSystem, paths.turns);
  markCopy(paths);
  const copy = createCopyWriter(fleet, paths);
  const fail = (error: unknown): void => tell(`Run ${runId} cannot be followed any more: ${toPlainLine(toErrorMessage(error), 300)}`);
  // First: a run that goes on never looks as if its process were gone.
  const life = await watchLife(fleet, { layout, paths, filed: copy.filed });
  const endLog = await followKept(fleet, runId, copy.take, fail);
  if (copy.countEntries() === 0) {
    life.close();
    await endLog();
    removeTree(paths.folder);
    throw new RalphError({
      code: 'fleet-run-unknown',
      what: `The fleet keeps nothing of run ${runId} yet, or not any more.`,
      why: 'A run is kept from its first turn on, and forgotten after 30 days.',
      fix: 'What it keeps: ralph fleet runs',
    });
  }
  const unwatch = fleet.wires.watch(runId, copy.see);
  const endReports = await fleet.reports.follow(runId, copy.report);
  const caughtUp = copy.catchUp((turn) => askWhatWasSaid(fleet, runId, turn)).catch(() => undefined);
  if (files === 'first') await Promise.all([waitForFiles(copy), Promise.race([caughtUp, pause(PROMPT_MS)])]);
  const end = async (): Promise<void> => {
    unwatch();
    life.close();
    await Promise.all([endLog(), endReports()]);
    await copy.close();
  };
  return { end, isOpen: life.isOpen };
}

/** Prompts of turns that are under way come with what workers report, of which nobody knows how much there is. */
const PROMPT_MS = 1500;

async function waitForFiles({ filed, lacksPrompt }: Pick<ReturnType<typeof createCopyWriter>, 'filed' | 'lacksPrompt'>): Promise<void> {
  const from = steadyMs();
  await filed();
  while (lacksPrompt() && steadyMs() - from < PROMPT_MS) await pause(20);
}

/** The lock of a copy says what locks of runs say: whether somebody has the run. It bears the name of this process, which knows that. */
async function watchLife(
  { leases }: Pick<Fleet, 'leases'>,
  { layout, paths, filed }: { readonly layout: ReturnType<typeof toLayout>; readonly paths: RunPaths; readonly filed: () => Promise<void> },
): Promise<{ readonly isOpen: () => boolean; readonly close: () => void }> {
  let isOpen = false;
  let lock: Lock | null = null;
  let beat: number | null = null;
  let since = steadyMs();
  let isClosed = false;
  const show = (isHeld: boolean): void => {
    if (isHeld && lock === null && !isClosed) {
      const outcome = tryLock({ layout, runId: paths.runId, command: 'ralph --fleet' }, paths.lock);
      lock = outcome.ok ? outcome.value : null;
    } else if (!isHeld && lock !== null) {
      releaseLock(lock);
      lock = null;
    }
  };
  const look = async (): Promise<void> => {
    const kept = await leases.look(paths.runId);
    if (kept?.beat !== beat) since = steadyMs();
    beat = kept?.beat ?? null;
    isOpen = kept?.lease.state === 'held';
    const isHeld = isOpen && kept !== null && steadyMs() - since <= kept.lease.lostAfterMs;
    // The last of a run may still be on its way here.
    if (!isHeld && lock !== null) await Promise.all([filed(), pause(LOOK_MS)]);
    show(isHeld);
  };
  await look();
  const watch = async (): Promise<void> => {
    while (!isClosed) {
      await pause(lock === null ? LOOK_MS * SELDOM : LOOK_MS, undefined, { ref: false });
      // While the server cannot be asked, the run is what it was.
      if (!isClosed) await look().catch(() => undefined);
    }
  };
  void watch();
  return {
    isOpen: () => isOpen,
    close: () => {
      isClosed = true;
      show(false);
    },
  };
}

/** No text of a turn grows further while it passes by. */
const MAX_TEXT_BYTES = 8 << 20;
/** Prompts of turns that are not in the journal yet. */
const MAX_EARLY = 20;

function keepEarly(early: Map<string, string>, name: string, prompt: string): void {
  early.set(name, prompt);
  const [oldest] = early.keys();
  if (early.size > MAX_EARLY && oldest !== undefined) early.delete(oldest);
}

/** Writes the folder of a run from what is kept of it, and from what passes by. */
function createCopyWriter({ blobs }: Pick<Fleet, 'blobs'>, paths: RunPaths) {
  const early = new Map<string, string>();
  /** Turns whose files have come as they are at their end. */
  const isHome = new Set<string>();
  const journal = createCopyJournal(paths, (name) => {
    const prompt = early.get(name);
    if (prompt !== undefined) writePrompt(paths, name, prompt);
    early.delete(name);
  });
  const { open } = journal;
  let filing: Promise<void> = Promise.resolve();
  let isClosed = false;
  const file = (act: () => Promise<void>): void => {
    // What is forgotten since is missed where it is asked for.
    filing = filing.then(() => (isClosed ? undefined : act())).catch(() => undefined);
  };
  return {
    countEntries: journal.count,
    filed: () => filing,
    lacksPrompt: () => [...open.keys()].some((name) => !existsSync(join(paths.turns, name, 'prompt.md'))),
    take: async ({ records }: KeptPiece): Promise<void> => {
      for (const record of records) {
        if (record.kind === 'entry') journal.take(record.entry);
        else if (record.kind === 'settings') writeFileSync(paths.settings, await demandBlob(blobs, record.settings), { mode: 0o600 });
        else if (record.kind === 'turn') {
          isHome.add(record.name);
          file(() => putFiles(blobs, join(paths.turns, record.name), record.files));
        } else if (record.kind === 'evidence')
          file(() => bringEvidence(blobs, toEvidenceFolder(paths), new Map([[record.number, record.files]])));
      }
    },
    see: (name: string, value: Json): void => {
      const order = open.get(name);
      const record = order === undefined ? null : parseLive(value, order);
      if (record === null || record.kind !== 'live') return;
      journal.observe(record);
      if (record.event.type === 'text' && !isHome.has(name)) appendText(join(paths.turns, name, 'text.md'), record.event.text);
    },
    /** Puts what agents of turns under way have said so far in the place of what passed by. */
    catchUp: async (ask: (turn: string) => Promise<string | null>): Promise<void> => {
      for (const name of [...open.keys()]) {
        const said = await ask(name);
        if (said !== null && open.has(name) && !isHome.has(name) && !isClosed) putFile(join(paths.turns, name, 'text.md'), said);
      }
    },
    report: ({ name, body }: WorkReport): void =>
      file(async () => {
        const [iteration = 0, attempt = 0] = name.split('.').map(Number);
        const words = parseWorkerWords(await fromBody(blobs, body, { maxBytes: MAX_REPORT_BYTES }), { iteration, attempt });
        if (words?.kind !== 'prompt') return;
        if (open.has(name)) return writePrompt(paths, name, words.text);
        keepEarly(early, name, words.text);
      }),
    close: async (): Promise<void> => {
      isClosed = true;
      await filing;
      journal.close();
    },
  };
}

/** Writes the journal of a copy, and what is kept beside a journal while its run goes on. */
function createCopyJournal(paths: RunPaths, onTurn: (name: string) => void) {
  const clock = createRunClock();
  const fold = createJournalFold();
  const live = openLiveFile(paths.folder, clock);
  const index = openTurnIndex(paths.turns, clock);
  const open = new Map<string, IterationStart>();
  let entries = 0;
  const observe = (record: RunRecord): void => {
    live.observe(record);
    index.observe(record);
  };
  return {
    /** The turns that are under way. */
    open,
    observe,
    count: () => entries,
    take: (entry: JournalEntry): void => {
      const { seq, input } = entry;
      if (seq !== entries + 1) throw new Error(`the journal that the fleet keeps has a gap before entry ${entries + 1}`);
      entries = seq;
      appendFileSync(paths.journal, toJournalLines([entry]), { mode: 0o600 });
      const effects = fold.take(entry);
      observe({ kind: 'input', seq, input });
      if (input.type === 'iteration-ended') open.delete(toTurnName(input));
      for (const effect of effects) {
        observe({ kind: 'effect', seq, at: input.at, effect });
        if (effect.type !== 'iteration-start') continue;
        const name = toTurnName(effect);
        open.set(name, effect);
        mkdirSync(join(paths.turns, name), { recursive: true, mode: 0o700 });
        onTurn(name);
      }
    },
    close: (): void => {
      live.close();
      index.close();
    },
  };
}

/** Of a turn that is under way: what comes home at its end takes its place. */
function writePrompt({ turns }: RunPaths, name: string, text: string): void {
  writeFileSync(join(turns, name, 'prompt.md'), text, { mode: 0o600 });
}

function appendText(path: string, text: string): void {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size < MAX_TEXT_BYTES) appendFileSync(path, text.slice(0, MAX_TEXT_BYTES - size), { mode: 0o600 });
}

async function putFiles(blobs: Fleet['blobs'], folder: string, files: readonly SentFile[]): Promise<void> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const { name, ...content } of files) {
    const bytes = isFileName(name) ? await findOutput(blobs, content) : null;
    if (bytes !== null) putFile(join(folder, name), bytes);
  }
}

/** At any moment the old one or the new one. */
function putFile(path: string, content: Uint8Array | string): void {
  writeFileSync(`${path}.new`, content, { mode: 0o600 });
  renameSync(`${path}.new`, path);
}
