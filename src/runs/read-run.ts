import { join } from 'node:path';
import type { Input, JournalEntry } from '../core/run/inputs.ts';
import type { RunRecord } from '../core/run/run-record.ts';
import type { RunState } from '../core/run/state.ts';
import type { SecretValue } from '../core/text/secrets.ts';
import type { Environment } from '../core/values/environment.ts';
import { hideRunInRound } from '../emit/panel-round.ts';
import { findRun, requireBegun } from '../journal/find-run.ts';
import { createJournalReader, followJournal } from '../journal/follow-journal.ts';
import { nodeFileSystem } from '../journal/node-file-system.ts';
import { readJournal } from '../journal/read-journal.ts';
import { type RunPaths, toRunPaths } from '../journal/run-folder.ts';
import { createJournalFold, type JournalFold } from '../loop/decide/fold-journal.ts';
import { createRedaction } from '../process/redact.ts';
import { findKnownSecrets } from '../safety/known-secrets.ts';
import type { GitWorkspace } from '../workspace/checkpoint/create-workspace.ts';
import { findLayout, type Layout } from './layout.ts';
import { listTurns } from './list-turns.ts';
import { readLiveFile } from './live-file.ts';
import { findLivingRun } from './living-runs.ts';
import { listLeft } from './processes.ts';
import type { RecordCursor, RunReader } from './run-api.ts';
import { readFacts } from './run-facts.ts';
import { isCopy, readRunFile } from './run-file.ts';
import { findHolder, findSignalPid, isUnseen } from './run-lock.ts';
import { openRunFolder } from './run-workspace.ts';
import { toShownInput } from './shown-input.ts';

/**
 * Opens a run for reading, whether it is under way or over.
 *
 * @param run an id or the beginning of one; absent: the one that is under way in this folder, else the newest
 * @throws RalphError `no-runs`, `run-unknown`, `run-ambiguous`, `journal-lost`, `panel-inside`; its `replay` and `follow`: `run-not-begun`
 */
export function openRun(cwd: string, run: string | undefined, env: Environment): RunReader {
  const layout = findLayout(cwd);
  const living = run === undefined ? findLivingRun(layout, cwd) : null;
  const runId = findRun({ fs: nodeFileSystem, stateDir: layout.stateDir }, living ?? run ?? 'last');
  hideRunInRound(runId, env);
  return openRunIn(layout, runId, env);
}

/** Opens a run whose whole id is known. */
export function openRunIn(layout: Layout, runId: string, env: Environment): RunReader {
  const state = { fs: nodeFileSystem, stateDir: layout.stateDir };
  const paths = toRunPaths(layout.stateDir, runId);
  const holder = findHolder(layout, runId);
  const begun = (): RunPaths => {
    requireBegun(state, runId, holder !== null);
    return paths;
  };
  const openFolder = (): GitWorkspace => openRunFolder({ layout, paths, env }, readRunFile(paths.settings));
  let redaction: { text(plain: string): string } | undefined;
  const redact = (text: string): string => {
    redaction ??= createRedaction(env, listKnownSecrets(paths, env)) ?? { text: (plain: string) => plain };
    return redaction.text(text);
  };
  return {
    runId,
    runFolder: paths.folder,
    isAlive: holder !== null,
    isUnseen: holder !== null && isUnseen(holder),
    isCopy: isCopy(paths),
    signalPid: holder === null ? null : findSignalPid(layout, holder),
    workspace: () => readRunFile(paths.settings).workspace,
    fleet: () => findFleet(paths),
    live: () => readLiveFile(paths.folder),
    replay: (visit) => replay(begun(), visit).state,
    records: () => readRecords(paths, 0),
    shownRecords: () => readRecords(paths, 0, (input) => toShownInput(input, redact)),
    follow: (visit, signal) => follow(begun(), visit, signal),
    turnFile: (name, file) => join(paths.turns, name, file),
    redact,
    damage: () => (holder === null ? findDamage(paths) : null),
    left: () => (holder === null ? listLeft(paths.runId) : []),
    turns: () => listTurns(paths),
    facts: (view) => readFacts({ layout, paths, env, view, turns: listTurns(paths) }),
    diff: async (name) => (isCopy(paths) ? null : name === null ? openFolder().diffRun(listTurns(paths)) : openFolder().diff(name)),
    stat: async (name) => (isCopy(paths) ? null : name === null ? openFolder().statRun(listTurns(paths)) : openFolder().stat(name)),
  };
}

/** What a run's own words say of it may be lost. */
function findFleet({ settings }: RunPaths): string | null {
  try {
    return readRunFile(settings).fleet ?? null;
  } catch {
    return null;
  }
}

interface Replayed {
  readonly fold: JournalFold;
  readonly state: RunState;
  readonly bytes: number;
}

function replay(paths: RunPaths, visit: (record: RunRecord) => void): Replayed {
  const fold = createJournalFold();
  const { goodBytes } = readJournal({ fs: nodeFileSystem, path: paths.journal }, (entry) => tell(fold, entry, visit));
  return { fold, state: fold.run().state, bytes: goodBytes };
}

/** About so much of a journal is read at once. */
const READ_BYTES = 256 << 10;

/**
 * The records of a run behind the input `afterSeq`; what is before it is folded in silence.
 *
 * @param toShown what is made of each input before anything follows from it
 */
export function readRecords(paths: RunPaths, afterSeq: number, toShown: (input: Input) => Input = (input) => input): RecordCursor {
  const readOn = createJournalReader({ fs: nodeFileSystem, path: paths.journal }, 0);
  const fold = createJournalFold();
  let seq = 0;
  const read = (): readonly RunRecord[] => {
    const records: RunRecord[] = [];
    let bytes = 0;
    readOn((entry, lengthBytes) => {
      ({ seq } = entry);
      tell(fold, { seq, input: toShown(entry.input) }, (record) => void (seq > afterSeq && records.push(record)));
      bytes += seq > afterSeq ? lengthBytes : 0;
      return bytes < READ_BYTES;
    });
    return records;
  };
  return { read, seq: () => seq };
}

/** One entry as observers see it: the input, then what was decided on it. */
function tell(fold: JournalFold, entry: JournalEntry, visit: (record: RunRecord) => void): void {
  const effects = fold.take(entry);
  visit({ kind: 'input', seq: entry.seq, input: entry.input });
  for (const effect of effects) visit({ kind: 'effect', seq: entry.seq, at: entry.input.at, effect });
}

/** Follows until the run has ended, or the signal comes. */
async function follow(paths: RunPaths, visit: (record: RunRecord) => void, signal: AbortSignal): Promise<void> {
  const { fold, state, bytes } = replay(paths, visit);
  if (state.status === 'ended') return;
  const done = new AbortController();
  const stop = (): void => done.abort();
  signal.addEventListener('abort', stop, { once: true });
  await followJournal(
    { fs: nodeFileSystem, path: paths.journal },
    bytes,
    (entry) => {
      tell(fold, entry, visit);
      if (fold.run().state.status === 'ended') stop();
    },
    done.signal,
  );
  signal.removeEventListener('abort', stop);
}

function findDamage({ journal }: RunPaths): string | null {
  const { damage } = readJournal({ fs: nodeFileSystem, path: journal }, () => undefined);
  return damage?.message ?? null;
}

/** Those that the configuration names; none where it is lost. */
function listKnownSecrets({ settings }: RunPaths, env: Environment): readonly SecretValue[] {
  try {
    return findKnownSecrets(readRunFile(settings).settings, env);
  } catch {
    return [];
  }
}
