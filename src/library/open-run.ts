import { setTimeout as pause } from 'node:timers/promises';
import type * as App from '../app/index.ts';
import { END_REASONS, type EndReason } from '../core/run/end-reasons.ts';
import { tryOr } from '../core/values/result.ts';
import { createProofFold } from '../views/fold/fold-proof.ts';
import { createRunViewFold } from '../views/fold/fold-run-view.ts';
import type { QuestionView, RunProof, TellView } from '../views/fold/run-view.ts';
import { type NdjsonRecord, toNdjsonEnd, toNdjsonRecord, toNdjsonRun } from '../views/report/ndjson-record.ts';
import { type StatusRecord, toStatusRecord } from '../views/report/run-status.ts';
import {
  type AnswerOptions,
  checkObject,
  checkStop,
  checkWord,
  type EmitOptions,
  type Emitted,
  loadApp,
  type RunOptions,
  type StopOptions,
  type TellOptions,
  toAnswerWords,
  toEmitted,
  toEventWords,
  toPlace,
  toTellWords,
} from './arguments.ts';

/** Which run is meant. */
export interface OpenRunOptions extends Pick<RunOptions, 'cwd' | 'env'> {
  /** Its id or the beginning of it. Default: the newest. */
  readonly run?: string;
}

/** Which runs are meant. */
export interface ListRunsOptions extends Pick<RunOptions, 'cwd' | 'env'> {
  /** The runs of every folder that is known here. */
  readonly all?: boolean;
}

export interface RecordsOptions {
  /** Go on with what is written until the run has ended. */
  readonly follow?: boolean;
  /** Ends the following. */
  readonly signal?: AbortSignal;
}

/** A run that is read: one of the past, or one that goes on, in this process or in another. */
export interface OpenedRun {
  readonly runId: string;
  /** Absolute path of the run's folder under `.ralph/runs/`. */
  readonly runFolder: string;
  /** What `ralph status --format json` says of it, now. Where it goes on elsewhere is as its fleet said last: it is asked at the opening, and again where a call comes 15 seconds later. */
  readonly status: () => StatusRecord;
  /**
   * Its records, as `Run` gives them, without what agents said: that is in `turnFile`. The last one is `end` if the run has ended.
   *
   * @throws RalphError `library-argument`
   */
  readonly records: (options?: RecordsOptions) => AsyncIterable<NdjsonRecord>;
  /** Names of its turns, in order: `7.1` is the first attempt of iteration 7. */
  readonly turns: () => readonly string[];
  /** Absolute path of a turn's file, which need not exist. `turn` is `7.1`, or 7 for the last attempt of iteration 7. */
  readonly turnFile: (turn: string | number, file: TurnFile) => string;
  /** What a turn changed, as a patch; `null` where it was not kept (no git). */
  readonly diff: (turn: string | number) => Promise<string | null>;
  /**
   * Asks it to stop, after its running turn or, with `now`, at once, and waits until it has.
   *
   * @returns whether it has stopped; with `now` it is waited for 25 seconds
   * @throws RalphError `library-argument`, `stop-nothing`, `person-refused`
   */
  readonly stop: (options?: StopOptions) => Promise<boolean>;
  /** As `emit` of `Run`. Throws RalphError `person-refused`, too, where this process is known neither as a person nor as the run's own program. */
  readonly emit: (topic: string, payload?: unknown, options?: EmitOptions) => Emitted;
  /** As `tell` of `Run`. Throws RalphError `person-refused`, too. */
  readonly tell: (text: string, options?: TellOptions) => Promise<TellView | null>;
  /** As `answer` of `Run`. Throws RalphError `person-refused`, too. */
  readonly answer: (choice: string, options?: AnswerOptions) => Promise<QuestionView | null>;
}

/** The files of a turn: what the agent was asked, its raw outputs, what it said. */
export type TurnFile = (typeof FILES)[number];

/** A run in a list. */
export type ListedRun = App.RunSummary & {
  /** The folder that it was started in; only with `all`. */
  readonly root?: string;
};

const FILES = ['prompt.md', 'stdout.log', 'stderr.log', 'text.md'] as const;
const PLACE = { cwd: 'text', env: 'record' } as const;
const LOOK_MS = 200;

/**
 * Opens a run for reading and steering.
 *
 * @throws RalphError `library-argument`, `no-runs`, `run-unknown`, `run-ambiguous`
 */
export async function openRun(options: OpenRunOptions = {}): Promise<OpenedRun> {
  checkObject(options, 'The options of `openRun`', { ...PLACE, run: 'text' });
  const { cwd, env } = toPlace(options);
  const app = await loadApp();
  const reader = app.openRunReader(cwd, options.run, env);
  const { runId, runFolder } = reader;
  const toTurn = (turn: string | number): string => findTurn(reader, turn);
  const isAlive = (): boolean => app.openRunReader(cwd, runId, env).isAlive;
  const place = app.watchPlace(cwd, runId, env);
  if (!reader.isAlive && reader.fleet() !== null) await place.ask();
  return {
    runId,
    runFolder,
    status: () => {
      const fold = createRunViewFold();
      reader.replay(fold.take);
      const now = { isAlive: isAlive(), now: Date.now(), live: reader.live(), fleet: reader.fleet() };
      if (now.isAlive || now.fleet === null) return toStatusRecord(fold.view(), now);
      place.askAgain();
      return toStatusRecord(fold.view(), { ...now, elsewhere: place.last() });
    },
    records: (asked = {}) => {
      checkObject(asked, 'The options of `records`', { follow: 'flag', signal: 'signal' });
      return readAll(reader, isAlive, asked);
    },
    turns: reader.turns,
    turnFile: (turn, file) => {
      checkWord(file, 'The file of a turn', FILES);
      return reader.turnFile(toTurn(turn), file);
    },
    diff: async (turn) => {
      const patch = await reader.diff(toTurn(turn));
      return patch === null ? null : reader.redact(patch);
    },
    stop: async (asked = {}) => {
      checkStop(asked);
      return (await app.stopRun({ cwd, env, run: runId, now: asked.now ?? false })).stopped;
    },
    emit: (topic, payload, asked = {}) => toEmitted(app.emitFromOutside(cwd, toEventWords(topic, payload, asked), env, runId)),
    tell: async (text, asked = {}) => (await app.tellRun(cwd, toTellWords(text, asked), env, runId)).tell,
    answer: async (choice, asked = {}) => (await app.answerRun(cwd, toAnswerWords(choice, asked), env, runId)).question,
  };
}

/**
 * The runs of a folder, or of all, the newest first. One that cannot be read is listed as damaged; of all folders, one that cannot be read is left out.
 *
 * @throws RalphError `library-argument`
 */
export async function listRuns(options: ListRunsOptions = {}): Promise<readonly ListedRun[]> {
  checkObject(options, 'The options of `listRuns`', { ...PLACE, all: 'flag' });
  const { cwd, env } = toPlace(options);
  const app = await loadApp();
  return options.all === true ? app.summariseAllRuns(env) : app.summariseRuns(cwd, env);
}

function findTurn({ turns }: App.RunReader, turn: string | number): string {
  if (typeof turn === 'number') return turns().findLast((name) => name.startsWith(`${turn}.`)) ?? `${turn}.1`;
  checkObject({ turn }, 'A turn', { turn: 'text' });
  // A name becomes a part of a path.
  return /^\d+\.\d+$/.test(turn) ? turn : '0.0';
}

async function* readAll(
  reader: App.RunReader,
  isAlive: () => boolean,
  { follow = false, signal }: RecordsOptions,
): AsyncGenerator<NdjsonRecord, void, undefined> {
  const { runId, runFolder } = reader;
  yield toNdjsonRun({ runId, runFolder, workspace: findWorkspace(reader), version: RALPH_VERSION }, Date.now());
  const cursor = reader.records();
  const proof = createProofFold();
  let end: ReadEnd | null = null;
  while (signal?.aborted !== true) {
    // Before it is read: what a run that has gone wrote last is read then.
    const mayGoOn = follow && isAlive();
    const records = cursor.read();
    for (const record of records) {
      proof.take(record);
      if (record.kind === 'input' && record.input.type === 'run-resumed') end = null;
      if (record.kind === 'effect' && record.effect.type === 'run-end') end = { ...record.effect, at: record.at };
      yield toNdjsonRecord(record, 0);
    }
    if (records.length > 0) continue;
    if (!mayGoOn) break;
    await pause(LOOK_MS, undefined, signal === undefined ? {} : { signal }).catch(() => undefined);
  }
  if (end !== null && signal?.aborted !== true) yield toEndRecord(runId, end, proof.proof());
}

/** A run whose settings are lost can still be read. */
function findWorkspace({ workspace }: App.RunReader): string {
  return tryOr(() => workspace(), '');
}

interface ReadEnd {
  readonly reason: EndReason;
  readonly detail: string;
  readonly at: number;
}

/** The last record of a run that has ended. */
function toEndRecord(runId: string, { reason, detail, at }: ReadEnd, proof: RunProof | null): NdjsonRecord {
  return toNdjsonEnd({ runId, reason, detail, exitCode: END_REASONS[reason].exitCode, proof }, at);
}
