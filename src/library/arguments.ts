import { resolve } from 'node:path';
import type * as App from '../app/index.ts';
import { readEnvironment } from '../config/environment.ts';
import { findNearMiss } from '../core/text/near-miss.ts';
import type { Environment } from '../core/values/environment.ts';
import { RalphError } from '../core/values/errors.ts';
import { isTextList, readOwn } from '../core/values/json.ts';
import { tryOr } from '../core/values/result.ts';

/** What a run is asked for. Everything may be left out: then the folder's own configuration and prompt file say it, as for `ralph run`. */
export interface RunOptions {
  /** The folder to work in, and that names are relative to. Default: the current one. */
  readonly cwd?: string;
  /** What is to be done. */
  readonly prompt?: string;
  /** A file that says it. */
  readonly promptFile?: string;
  /** Configuration files, later ones over earlier ones. */
  readonly files?: readonly string[];
  /** A team in the place of the one of the configuration: a file, or `preset:NAME`. */
  readonly hats?: string;
  /** Settings over all files: `event_loop.cooldown_delay_seconds=5`. */
  readonly assignments?: readonly string[];
  /** The agent, such as `claude` or `codex`. */
  readonly backend?: string;
  readonly model?: string;
  readonly maxIterations?: number;
  readonly maxCostUsd?: number;
  readonly maxRuntimeMs?: number;
  /** `false`: no command checks the work, neither gates of the configuration nor the one that is found. */
  readonly gates?: boolean;
  /** In a git worktree of its own: a name, or `true` for one that is made up. */
  readonly worktree?: string | true;
  /** Held by the sandbox of the operating system in a worktree of its own, or not at all. Default: as the configuration says. */
  readonly safe?: boolean;
  /** Allow a run inside of an agent's turn. */
  readonly nested?: boolean;
  /** The environment of the run and its agents. Default: that of this process. */
  readonly env?: Environment;
  /** Ends the run as Ctrl+C does. */
  readonly signal?: AbortSignal;
}

/** How a run is to go on. */
export interface ResumeRunOptions extends Pick<RunOptions, 'cwd' | 'env' | 'signal'> {
  /** Its id or the beginning of it. Default: the newest. */
  readonly run?: string;
  /** Turns in all. */
  readonly maxIterations?: number;
  /** So many turns more than it was allowed. */
  readonly moreIterations?: number;
  /** US dollars in all. */
  readonly maxCostUsd?: number;
  /** Running time in all. */
  readonly maxRuntimeMs?: number;
  /** Take a configuration or prompt that changed since. Default: then it is refused. */
  readonly acceptChanges?: boolean;
}

export interface StopOptions {
  /** End the running turn too. */
  readonly now?: boolean;
}

export interface EmitOptions {
  /** The hat that gets it, whatever its triggers are. */
  readonly target?: string;
}

/** How something is told. */
export interface TellOptions {
  /** Only this hat; absent: whoever works. */
  readonly to?: string;
  /** `now` (the default): between two steps of the turn that runs, where its agent can be told; `next`: with the next prompt; `interrupt`: the turn is ended, and begins again with it. */
  readonly when?: 'now' | 'next' | 'interrupt';
}

/** Which question is answered. */
export interface AnswerOptions {
  /** `q1`; absent: the only open one. */
  readonly question?: string;
}

/** What became of an event. */
export interface Emitted {
  /** Who gets it, and when: a sentence. */
  readonly delivery: string;
  /** So many characters of the payload were cut off, because it was too long; 0: none. */
  readonly cut: number;
}

export const RUN_NAMES: Readonly<Record<keyof RunOptions, KnownNames[string]>> = {
  cwd: 'text',
  prompt: 'text',
  promptFile: 'text',
  files: 'texts',
  hats: 'text',
  assignments: 'texts',
  backend: 'text',
  model: 'text',
  maxIterations: 'count',
  maxCostUsd: 'amount',
  maxRuntimeMs: 'amount',
  gates: 'flag',
  worktree: 'name',
  safe: 'flag',
  nested: 'flag',
  env: 'record',
  signal: 'signal',
};

export const RESUME_NAMES: Readonly<Record<keyof ResumeRunOptions, KnownNames[string]>> = {
  cwd: 'text',
  env: 'record',
  signal: 'signal',
  run: 'text',
  maxIterations: 'count',
  moreIterations: 'count',
  maxCostUsd: 'amount',
  maxRuntimeMs: 'amount',
  acceptChanges: 'flag',
};

/** The composition root, loaded when it is first needed: a program that only checks teams does not wait for it. */
export function loadApp(): Promise<typeof App> {
  return import('../app/index.ts');
}

/** The folder and the environment of a call. */
export function toPlace({ cwd, env }: Pick<RunOptions, 'cwd' | 'env'>): { readonly cwd: string; readonly env: Environment } {
  return { cwd: resolve(cwd ?? '.'), env: env ?? readEnvironment() };
}

/** Throws RalphError `library-argument` for what is not understood. */
export function checkStop(options: StopOptions): void {
  checkObject(options, 'The options of `stop`', { now: 'flag' });
}

/** An event as commands write it. Throws RalphError `library-argument` for what is not understood. */
export function toEventWords(topic: string, payload: unknown, options: EmitOptions): Parameters<App.RunHandle['emit']>[0] {
  checkObject({ topic }, 'An event', { topic: 'text' });
  checkObject(options, 'The options of `emit`', { target: 'text' });
  const isJson = payload !== undefined && typeof payload !== 'string';
  const text = isJson ? toJsonText(payload) : payload;
  return { topic, payload: text, json: isJson, ...(options.target === undefined ? {} : { target: options.target }) };
}

/** What is told, as commands write it. Throws RalphError `library-argument` for what is not understood. */
export function toTellWords(text: string, options: TellOptions): Parameters<App.RunHandle['tell']>[0] {
  checkObject({ text }, 'What is told', { text: 'text' });
  checkObject(options, 'The options of `tell`', { to: 'text', when: 'text' });
  const { to, when } = options;
  if (when !== undefined) checkWord(when, '`when` of `tell`', ['now', 'next', 'interrupt']);
  return { text, ...(to === undefined ? {} : { to }), ...(when === undefined ? {} : { when }) };
}

/** An answer, as commands write it. Throws RalphError `library-argument` for what is not understood. */
export function toAnswerWords(choice: string, options: AnswerOptions): Parameters<App.RunHandle['answer']>[0] {
  checkObject({ choice }, 'An answer', { choice: 'text' });
  checkObject(options, 'The options of `answer`', { question: 'text' });
  return { choice, ...(options.question === undefined ? {} : { question: options.question }) };
}

/** What is no JSON value, such as a function or a circle, is refused by its empty text. */
function toJsonText(payload: unknown): string {
  return tryOr(() => JSON.stringify(payload) ?? '', '');
}

/** What programs are told of a published event. */
export function toEmitted({ delivery, cut }: App.OutsideEvent): Emitted {
  return { delivery, cut };
}

type OptionKind = 'text' | 'texts' | 'record' | 'flag' | 'number' | 'count' | 'amount' | 'signal' | 'name';

/** The names that an object may have, each with what stands there. */
export type KnownNames = Readonly<Record<string, OptionKind | 'any'>>;

const KINDS: Readonly<Record<OptionKind, readonly [words: string, isRight: (value: unknown) => boolean]>> = {
  text: ['a text', (value) => typeof value === 'string'],
  texts: ['a list of texts', isTextList],
  record: ['an object', isObject],
  flag: ['true or false', (value) => typeof value === 'boolean'],
  number: ['a number', (value) => typeof value === 'number'],
  count: ['a whole number above 0', (value) => Number.isSafeInteger(value) && (value as number) > 0],
  amount: ['a number above 0', (value) => typeof value === 'number' && value > 0 && Number.isFinite(value)],
  signal: ['an AbortSignal', (value) => value instanceof AbortSignal],
  name: ['a name, or true for one that is made up', (value) => value === true || (typeof value === 'string' && value !== '')],
};

/**
 * Checks an object that a program hands over; what TypeScript would refuse is refused for programs without types too. `undefined` is as not said.
 *
 * @param what how the object is called, such as `The source of a configuration`
 * @throws RalphError `library-argument` (exit code 2)
 */
export function checkObject(value: unknown, what: string, known: KnownNames): void {
  const names = Object.keys(known);
  if (!isObject(value)) throw createError(`${what} must be an object, not ${toShown(value)}.`, `Known names: ${names.join(', ')}.`);
  for (const [name, given] of Object.entries(value)) {
    const kind = readOwn(known, name);
    if (kind === undefined) throw createUnknown(`${what} cannot have \`${name.slice(0, 80)}\``, name, names);
    if (kind === 'any' || given === undefined) continue;
    const [words, isRight] = KINDS[kind];
    if (!isRight(given)) throw createError(`\`${name}\` is ${toShown(given)}, which is not ${words}.`, `It must be ${words}.`);
  }
}

/**
 * Checks one of a few words; `undefined` is as not said.
 *
 * @throws RalphError `library-argument` (exit code 2)
 */
export function checkWord(value: unknown, what: string, words: readonly string[]): void {
  if (value === undefined || (typeof value === 'string' && words.includes(value))) return;
  throw createUnknown(`${what} cannot be ${toShown(value)}`, String(typeof value === 'string' ? value : ''), words);
}

/** True for a map of names, not for a list or a function. */
export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function createUnknown(wrong: string, given: string, known: readonly string[]): RalphError {
  const near = findNearMiss(given, known);
  return createError(`${wrong}${near === undefined ? '.' : `: did you mean \`${near}\`?`}`, `Known: ${known.join(', ')}.`);
}

function createError(what: string, fix: string): RalphError {
  return new RalphError({
    code: 'library-argument',
    what,
    why: 'What is not understood is never replaced by a guess.',
    fix,
    exitCode: 2,
  });
}

function toShown(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'an object';
  if (typeof value === 'function') return 'a function';
  return typeof value === 'string' ? JSON.stringify(value.slice(0, 80)) : String(value);
}
