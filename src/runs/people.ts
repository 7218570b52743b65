import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { closeSync, constants, openSync, readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import type { Settings } from '../config/settings.ts';
import { parseSender, type Sender } from '../core/events/event.ts';
import type { Environment } from '../core/values/environment.ts';
import { RalphError } from '../core/values/errors.ts';
import { isJsonObject, type Json, parseJson } from '../core/values/json.ts';
import { tryOr } from '../core/values/result.ts';
import { nodeFileSystem } from '../journal/node-file-system.ts';
import { listRunIds, type RunPaths, toRunPaths } from '../journal/run-folder.ts';
import { readSettings, writeSettings } from '../journal/run-settings.ts';
import { createSharedFileSystem } from '../journal/shared-file-system.ts';
import { readPidNamespace } from '../process/process-table.ts';
import type { Layout } from './layout.ts';
import { refuseCopy } from './run-file.ts';
import { findHolder } from './run-lock.ts';

/** What a run keeps to know people by: `people.json` in its folder. It holds no token, only what a token is known by. */
interface PeopleFile {
  /** Who may steer the run from outside: the configuration's `external_events`. */
  readonly who: Settings['externalEvents'];
  /** The process namespace that the run lives in; `null` where the system has none. */
  readonly pidNamespace: string | null;
  /** True where every agent has a process namespace of its own: then whoever is in the run's is none. */
  readonly isIsolated: boolean;
  readonly tokens: readonly KnownToken[];
}

interface KnownToken {
  /** SHA-256 of the token. */
  readonly hash: string;
  /** Who was given it; `null` for whoever started the run. */
  readonly by: Sender | null;
}

/** The variable by which a person gives the token; no agent ever gets it. */
const TOKEN = 'RALPH_TOKEN';
const TOKEN_BYTES = 32;
const MAX_TOKENS = 20;
const NOBODY_KNOWN: PeopleFile = { who: 'open', pidNamespace: null, isIsolated: false, tokens: [] };

const OTHER_NAMESPACE = 'This process lives in another process namespace than the run, as its agents do.';
const OF_RUN = 'This process belongs to the run itself.';

/** An environment without the token, and without the way into a fleet, for whatever a run starts: who is in there may run commands on every worker. */
export function withoutToken<Env extends Environment>(env: Env): Env {
  const { [TOKEN]: _, RALPH_FLEET: __, RALPH_FLEET_PASSWORD_FILE: ___, RALPH_FLEET_CREDS: ____, ...rest } = env;
  return rest as Env;
}

/** Throws RalphError `token-invalid` for a `RALPH_TOKEN` that could be guessed: to be asked before anything of a run is made. */
export function requireGoodToken({ [TOKEN]: given = '' }: Environment): void {
  if (given === '' || /^[\x21-\x7e]{24,200}$/.test(given)) return;
  throw new RalphError({
    code: 'token-invalid',
    what: `${TOKEN} cannot be used as a token.`,
    why: 'Who knows it steers the run, so it must not be easy to guess: 24 to 200 visible characters without spaces.',
    fix: `Make one: ${TOKEN}=$(openssl rand -hex 32) ralph run`,
    exitCode: 2,
  });
}

/** Writes down by what this run knows people, at its start and when it is resumed; tokens that were given out go on being good. */
export function writePeople(
  paths: RunPaths,
  order: { readonly who: PeopleFile['who']; readonly isIsolated: boolean; readonly env: Environment },
): void {
  const { [TOKEN]: given = '' } = order.env;
  const hash = toHash(given);
  const known = readPeople(paths).tokens;
  const tokens = given === '' || known.some((token) => token.hash === hash) ? known : [...known, { hash, by: null }];
  const { who, isIsolated } = order;
  write(paths, { who, isIsolated, pidNamespace: readPidNamespace(), tokens });
}

/** The runs that this very process runs, where no agent is, by id; each with the proofs of what the process said to it and the run has not read. */
const ownRuns = new Map<string, Set<string>>();

/** Says that this process runs a run, until the function that is returned is called. */
export function ownRun({ runId }: RunPaths): () => void {
  ownRuns.set(runId, new Set());
  return () => void ownRuns.delete(runId);
}

/** Whether this process runs it: then it needs nobody's leave to steer it. */
export function isOwnRun({ runId }: RunPaths): boolean {
  return ownRuns.has(runId);
}

/** Whether somebody proves to be this very process; a proof counts once. */
export function takeProof({ runId }: RunPaths, { proof }: Sender): boolean {
  return proof !== undefined && ownRuns.get(runId)?.delete(proof) === true;
}

function toOwnSender({ runId }: RunPaths): Sender {
  const proof = randomBytes(TOKEN_BYTES).toString('base64url');
  ownRuns.get(runId)?.add(proof);
  return { ...toSender('program'), proof };
}

/** Makes a new token for a run. Only what it is known by is kept. */
function createToken(paths: RunPaths, { proof: _, ...by }: Sender): string {
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  const people = readPeople(paths);
  write(paths, { ...people, tokens: [...people.tokens, { hash: toHash(token), by }] });
  return token;
}

/**
 * The person who calls this command, to steer a run: publish, stop, take a token. Everything that steers asks here.
 *
 * @throws RalphError `person-refused` for everybody else; `run-copy`
 */
export function requirePerson(layout: Layout, paths: RunPaths, env: Environment): Sender {
  refuseCopy(paths);
  if (isOwnRun(paths)) return toOwnSender(paths);
  const people = readPeople(paths);
  const refusal = (why: string): RalphError => toRefused(people, why, env);
  if (people.who === 'off') throw refusal('`external_events: off` lets nobody in from outside.');
  const how = people.who === 'open' && hasToken(people, env) ? 'token' : null;
  if (how === 'token') return toSender('token');
  const own = readPidNamespace();
  if (people.pidNamespace !== null && own !== people.pidNamespace) {
    const rest =
      findHolder(layout, paths.runId) === null ? ' The run is over or dead; one that is resumed here knows you (ralph resume).' : '';
    throw refusal(`${OTHER_NAMESPACE}${rest}`);
  }
  if (isOfRun(layout, paths, env)) throw refusal(OF_RUN);
  if (people.who === 'open' && people.isIsolated) return toSender('namespace');
  if (hasTerminal()) return toSender('terminal');
  throw refusal('This process has no terminal of its own, so it could be one that an agent left.');
}

/** Somebody on another machine, who is known by an account of the fleet. */
export type FleetPerson = Pick<Sender, 'pid' | 'user'>;

/**
 * As {@link requirePerson}, for who asks over the fleet: the account of the server is what they are known by.
 *
 * @throws RalphError `person-refused` where the configuration lets in only people of this machine, or nobody
 */
export function requireFleetPerson(paths: RunPaths, { pid, user }: FleetPerson): Sender {
  const people = readPeople(paths);
  if (people.who === 'open') return { pid, user, how: 'fleet' };
  const who = people.who === 'off' ? 'nobody in from outside' : 'in only who has a terminal on the machine of the run';
  throw toRefused(people, `\`external_events: ${people.who}\` lets ${who}.`);
}

/** Whether a run lets in who asks over the fleet. */
export function isOpenToFleet(paths: RunPaths): boolean {
  return readPeople(paths).who === 'open';
}

/**
 * Who this process is to a run on another machine. An agent is none: what is told for it there would pass for a person's.
 *
 * @throws RalphError `person-refused` within a turn of a run
 */
export function toFleetPerson(env: Environment, host: string): FleetPerson {
  if ((env['RALPH_TURN'] ?? '') !== '') throw toRefused({ ...NOBODY_KNOWN, who: 'terminal' }, OF_RUN);
  return { pid: process.pid, user: `${readUser()}@${host}` };
}

/**
 * Lets nobody on who belongs to a run under way in this folder: what changes other runs and the main checkout is not an agent's to do.
 * Who has no terminal, such as a script of a person, is let on.
 *
 * @throws RalphError `person-refused`
 */
export function requireOutside(layout: Layout, env: Environment): void {
  for (const runId of listRunIds({ fs: nodeFileSystem, stateDir: layout.stateDir })) {
    const paths = toRunPaths(layout.stateDir, runId);
    const state = findHolder(layout, runId)?.state ?? null;
    if (state === null || isOwnRun(paths) || bringsToken(paths, env)) continue;
    const people = readPeople(paths);
    // Whoever may not steer the run may still call this from outside of it.
    const who = people.who === 'open' ? 'open' : 'terminal';
    if (state === 'alive-elsewhere') throw toRefused({ ...people, who }, OTHER_NAMESPACE, env);
    if (isOfRun(layout, paths, env)) throw toRefused({ ...people, who }, OF_RUN, env);
  }
}

/**
 * Gives a person a token for a run.
 *
 * @throws RalphError `person-refused`
 */
export function giveTokenFor(layout: Layout, paths: RunPaths, env: Environment): string {
  const person = requirePerson(layout, paths, env);
  const people = readPeople(paths);
  if (people.who !== 'open') throw toRefused(people, `Under \`external_events: ${people.who}\` no token counts.`);
  return createToken(paths, person);
}

/** True if this process brings a token of the run. */
export function bringsToken(paths: RunPaths, env: Environment): boolean {
  const people = readPeople(paths);
  return people.who === 'open' && hasToken(people, env);
}

/** No real chain of processes is longer. */
const MAX_ANCESTORS = 200;

/**
 * True if this process descends from the one that runs a run, so that it belongs to an agent's turn whatever became of its environment.
 * Reads `/proc`; where there is none (macOS) the environment alone tells, and this says false.
 */
export function isInsideRun(runPid: number, pid: number = process.pid): boolean {
  let current: number | null = pid;
  for (let count = 0; current !== null && current > 1 && count < MAX_ANCESTORS; count += 1) {
    if (current === runPid) return true;
    current = readParent(current);
  }
  return false;
}

/** Field 4 of `/proc/PID/stat`, behind the name in parentheses, which may hold anything. */
function readParent(pid: number): number | null {
  return tryOr(() => {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) || null;
  }, null);
}

function isOfRun(layout: Layout, { runId }: RunPaths, env: Environment): boolean {
  if ((env['RALPH_TURN'] ?? '') !== '') return true;
  const holder = findHolder(layout, runId)?.owner ?? null;
  return holder !== null && isInsideRun(holder.pid);
}

function hasToken({ tokens }: PeopleFile, env: Environment): boolean {
  const given = Buffer.from(toHash(env[TOKEN] ?? ''));
  return tokens.some(({ hash }) => hash.length === given.length && timingSafeEqual(Buffer.from(hash), given));
}

/** Whether this process has a controlling terminal: only then can the system's name for it be opened. */
function hasTerminal(): boolean {
  return tryOr(() => {
    closeSync(openSync('/dev/tty', constants.O_RDONLY | constants.O_NOCTTY | constants.O_NONBLOCK));
    return true;
  }, false);
}

function toSender(how: Sender['how']): Sender {
  return { pid: process.pid, user: readUser(), how };
}

function readUser(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? 'unknown');
  }
}

function toHash(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

export function toPeopleFile({ folder }: RunPaths): string {
  return join(folder, 'people.json');
}

/** A run without the file, or with one that makes no sense, knows nobody: who has a terminal is heard. */
function readPeople(paths: RunPaths): PeopleFile {
  return toPeople(readOrNull(paths));
}

/**
 * Who was given tokens, where that is all that changed in the file; `null` for any other change of it.
 *
 * @param before what the file held
 * @param now what it holds
 */
export function listGiven(before: string, now: string): readonly Sender[] | null {
  const [old, fresh] = [before, now].map((text) => toPeople(parseJson(text) ?? null)) as [PeopleFile, PeopleFile];
  const hashes = new Set(old.tokens.map(({ hash }) => hash));
  const given = fresh.tokens.filter(({ hash }) => !hashes.has(hash));
  const expected = { ...old, tokens: [...old.tokens, ...given].slice(-MAX_TOKENS) };
  const senders = given.flatMap(({ by }) => (by === null ? [] : [by]));
  const isOrder = old.who === 'open' && given.length > 0 && senders.length === given.length;
  return isOrder && JSON.stringify(fresh) === JSON.stringify(expected) ? senders : null;
}

function toPeople(value: Json): PeopleFile {
  if (!isJsonObject(value)) return NOBODY_KNOWN;
  const { who, pidNamespace, isIsolated, tokens } = value;
  return {
    who: who === 'off' || who === 'terminal' ? who : 'open',
    pidNamespace: typeof pidNamespace === 'string' ? pidNamespace : null,
    isIsolated: isIsolated === true,
    tokens: Array.isArray(tokens) ? tokens.flatMap(toToken).slice(-MAX_TOKENS) : [],
  };
}

function toToken(value: Json): readonly KnownToken[] {
  if (!isJsonObject(value) || typeof value['hash'] !== 'string') return [];
  return [{ hash: value['hash'], by: parseSender(value['by']) }];
}

/** An agent may have put anything in its place: nothing is followed or waited for. */
function readOrNull(paths: RunPaths): Json {
  return tryOr(() => readSettings(createSharedFileSystem(paths.folder), toPeopleFile(paths)), null);
}

function write(paths: RunPaths, people: PeopleFile): void {
  const tokens = people.tokens.slice(-MAX_TOKENS).map(({ hash, by }) => ({ hash, by: by === null ? null : { ...by } }));
  writeSettings(nodeFileSystem, toPeopleFile(paths), { ...people, tokens });
}

/** @param env of a process whose token, if it brings one, is not the run's; absent: no token counts or one did */
function toRefused({ who }: PeopleFile, reason: string, env: Environment = {}): RalphError {
  const isWrong = who === 'open' && (env[TOKEN] ?? '') !== '';
  const why = isWrong ? `What ${TOKEN} holds is no token of this run. ${reason}` : reason;
  const fix: Readonly<Record<PeopleFile['who'], string>> = {
    open: `Call it in a terminal of your own, or with the run's token: ${TOKEN}=… ralph … (ralph token, in a terminal, gives one).`,
    terminal: 'Call it in a terminal of your own.',
    off: 'End the run with Ctrl+C where it was started, or with SIGTERM to its process (ralph status names it).',
  };
  return new RalphError({ code: 'person-refused', what: 'Only a person may do this; nothing was done.', why, fix: fix[who] });
}
