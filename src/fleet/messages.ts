import { parseUsage } from '../core/backends/parse-usage.ts';
import type { IterationStart } from '../core/run/effects.ts';
import { type Input, type IterationEnded, isInputType } from '../core/run/inputs.ts';
import type { LiveRecord } from '../core/run/run-record.ts';
import type { TurnId } from '../core/run/turn.ts';
import { isCount, isJsonObject, type Json, parseJson } from '../core/values/json.ts';
import type { BlobReading, Blobs, SteerWord } from '../ports/fleet.ts';
import type { AwayGateOrder, AwayGateShown, AwayGateTry } from '../ports/gate-runner.ts';
import { isSubjectPart } from './fleet-names.ts';

/** Of orders and reports of turns. */
export const TURN_PROTOCOL = 2;
/** Of those of gates. */
export const GATE_PROTOCOL = 3;
/** Of those of hooks. */
export const HOOK_PROTOCOL = 4;
/** Of those of rounds of a panel's agents. */
export const ROUND_PROTOCOL = 5;
/** The newest that a worker of this version understands. One of an older version leaves alone what it does not know. */
export const PROTOCOL = 5;

/** A message may hold so much; what is larger goes the way of files. A server takes 1 MB by default, and base64 is not needed. */
const MAX_INLINE_CHARS = 200_000;

/** As it is sent: itself, or where it is. */
export async function toBody(blobs: Blobs, value: Json): Promise<Json> {
  const text = JSON.stringify(value);
  return text.length <= MAX_INLINE_CHARS ? { value } : { blob: await blobs.put(new TextEncoder().encode(text)) };
}

/** What was sent; `null` where it cannot be had. */
export async function fromBody(blobs: Blobs, body: Json, reading?: BlobReading): Promise<Json> {
  if (!isJsonObject(body)) return null;
  if (body['value'] !== undefined) return body['value'];
  const bytes = typeof body['blob'] === 'string' ? await blobs.get(body['blob'], reading) : null;
  return bytes === null ? null : (parseJson(new TextDecoder().decode(bytes)) ?? null);
}

/** A file as it is sent: its bytes in base64, or where they are. */
export type SentContent = { readonly bytes: string } | { readonly blob: string };

/** A larger file goes a way of its own. */
const MAX_INLINE_BYTES = 16_384;

export async function toContent(blobs: Blobs, bytes: Uint8Array): Promise<SentContent> {
  return bytes.length <= MAX_INLINE_BYTES ? { bytes: Buffer.from(bytes).toString('base64') } : { blob: await blobs.put(bytes) };
}

/** What was sent; `null`: it is not there any more. */
export async function findContent(blobs: Blobs, content: SentContent, reading?: BlobReading): Promise<Uint8Array | null> {
  return 'bytes' in content ? Buffer.from(content.bytes, 'base64') : blobs.get(content.blob, reading);
}

/** What was sent. Rejects where it is not there any more. */
export async function fromContent(blobs: Blobs, content: SentContent, reading?: BlobReading): Promise<Uint8Array> {
  return (await findContent(blobs, content, reading)) ?? fail();
}

/** What is to be there and is not. */
export async function demandBlob(blobs: Blobs, hash: string): Promise<Uint8Array> {
  return (await blobs.get(hash)) ?? fail();
}

function fail(): never {
  throw new Error('a file is not in the fleet any more');
}

/** Reads it; `null` for what is none. */
export function parseContent({ bytes, blob }: Readonly<Record<string, Json>>): SentContent | null {
  if (typeof bytes === 'string') return { bytes };
  return typeof blob === 'string' ? { blob } : null;
}

/** What a worker reports. */
export type WorkerWords =
  | { readonly kind: 'prompt'; readonly text: string }
  | { readonly kind: 'input'; readonly input: Input }
  /** The last one. `home`: where what the turn made is. */
  | { readonly kind: 'ended'; readonly input: IterationEnded; readonly home: Json };

/** What a worker reports of a gate or a hook, once; each kind says more. */
export interface ProgramWords {
  readonly kind: 'gate' | 'hook';
  /** Of the order. */
  readonly offer: string;
  /** Why it could not be run; empty where it was. */
  readonly trouble: string;
}

/** A gate that a worker is to run. */
export interface GateTask extends AwayGateOrder {
  readonly kind: 'gate';
  /** A name of this offer, which the report bears too. */
  readonly offer: string;
  /** What the worker's folder is called in what the gate shows. */
  readonly cwd: string;
}

export interface GateWords extends ProgramWords {
  readonly kind: 'gate';
  /** `null`: it could not be run. */
  readonly shown: AwayGateShown | null;
  /** Where its whole output is; `null`: it was not kept. */
  readonly log: string | null;
}

/** Reads the order of a gate; `null` for what is none. */
export function parseGateTask(task: Json): GateTask | null {
  if (!isJsonObject(task) || !isJsonObject(task['spec'])) return null;
  const { kind, offer, cwd, gate, command, spec } = task;
  const { timeoutMs, retries = 0, isolation, name } = spec;
  if (kind !== 'gate' || typeof offer !== 'string' || typeof cwd !== 'string' || typeof command !== 'string') return null;
  if (!isCount(gate) || !isCount(retries) || typeof timeoutMs !== 'number' || timeoutMs <= 0) return null;
  return {
    ...{ kind, offer, cwd, gate, command },
    spec: {
      ...{ on: [], run: command, timeoutMs, retries },
      ...(typeof name === 'string' && { name }),
      ...(isolation === 'off' && { isolation }),
      // What passed on the same files before is known where the run is.
      cache: false,
    },
  };
}

const MAX_SHOWN_CHARS = 8 << 10;
const MAX_TRIES = 100;

/** Reads what a worker reported of a gate; `null` for what is none, and for the report of another offer. */
export function parseGateWords(value: Json, offer: string): GateWords | null {
  if (!isJsonObject(value) || value['kind'] !== 'gate' || value['offer'] !== offer) return null;
  const { shown: told = null, log, trouble } = value;
  const shown = parseGateShown(told);
  const why = typeof trouble === 'string' ? trouble.slice(0, MAX_SHOWN_CHARS) : '';
  const text = told !== null && shown === null ? 'what it reported cannot be read' : why;
  return { kind: 'gate', offer, shown, log: typeof log === 'string' ? log : null, trouble: text };
}

function parseGateShown(value: Json): AwayGateShown | null {
  if (!isJsonObject(value) || !Array.isArray(value['attempts'])) return null;
  const { passed, outputTail, failedTests, ranTests, isOutputCut, isCut } = value;
  const end = parseGateTry(value);
  const attempts = value['attempts'].slice(0, MAX_TRIES).map(parseGateTry);
  if (end === null || !attempts.every((one) => one !== null) || typeof passed !== 'boolean' || typeof outputTail !== 'string') return null;
  // A pass is an exit code of 0 within the time, and nothing else.
  if (passed && (end.exitCode !== 0 || end.timedOut)) return null;
  return {
    ...{ ...end, passed, attempts, outputTail: outputTail.slice(0, MAX_SHOWN_CHARS), isCut: isCut === true },
    ...(isCount(failedTests) && { failedTests }),
    ...(isCount(ranTests) && { ranTests }),
    ...(isOutputCut === true && { isOutputCut }),
  };
}

function parseGateTry(value: Json): AwayGateTry | null {
  if (!isJsonObject(value)) return null;
  const { exitCode, timedOut, durationMs } = value;
  if ((exitCode !== null && !isCount(exitCode)) || typeof timedOut !== 'boolean' || typeof durationMs !== 'number') return null;
  return durationMs >= 0 ? { exitCode, timedOut, durationMs } : null;
}

/** What of a turn a worker may tell the loop. Its end is told apart. */
const TOLD: ReadonlySet<Input['type']> = new Set(['iteration-spawned', 'usage-reported', 'tell-given', 'asked', 'panel-moved']);

/** Reads what a worker reported of a turn; `null` for what it may not say, and for what is of another turn. */
export function parseWorkerWords(value: Json, turn: TurnId): WorkerWords | null {
  if (!isJsonObject(value)) return null;
  const { kind, text, input, home = null } = value;
  if (kind === 'prompt') return typeof text === 'string' ? { kind, text } : null;
  if (!isJsonObject(input) || typeof input['type'] !== 'string' || !isInputType(input['type'])) return null;
  if (input['iteration'] !== turn.iteration || input['attempt'] !== turn.attempt || typeof input['at'] !== 'number') return null;
  const told = input as unknown as Input;
  if (kind === 'ended') return isEnd(told) ? { kind, input: told, home } : null;
  return kind === 'input' && TOLD.has(told.type) ? { kind, input: told } : null;
}

/** What the loop counts with is there. */
function isEnd(input: Input): input is IterationEnded {
  if (input.type !== 'iteration-ended') return false;
  const { outcome, usage, signals, problems, finalText, durationMs } = input as unknown as Readonly<Record<string, Json>>;
  if (!isJsonObject(outcome) || !isJsonObject(usage) || typeof finalText !== 'string' || typeof durationMs !== 'number') return false;
  const { status, failure } = outcome;
  const isOutcome = ['succeeded', 'failed', 'interrupted'].includes(String(status));
  const hasReason = status !== 'failed' || (isJsonObject(failure) && typeof failure['message'] === 'string');
  return (
    isOutcome &&
    hasReason &&
    parseUsage(usage) !== null &&
    [signals, problems].every((list) => Array.isArray(list) && list.every(isJsonObject))
  );
}

/** Reads what passes by of a turn; `null` for what cannot be that. */
export function parseLive(value: Json, order: Pick<IterationStart, 'iteration' | 'attempt' | 'hat'>): LiveRecord | null {
  if (!isJsonObject(value) || !isJsonObject(value['event']) || typeof value['event']['type'] !== 'string') return null;
  if (value['event']['type'] === 'text' && typeof value['event']['text'] !== 'string') return null;
  const { iteration, attempt, hat } = order;
  return { kind: 'live', iteration, attempt, hat, event: value['event'] } as unknown as LiveRecord;
}

/** What a person says is far shorter; a message may hold so much. */
export const MAX_WORD_CHARS = 200_000;
/** A word that is asked again comes within seconds. */
const MAX_HEARD = 200;

/** Nobody says more to a run that nobody has. */
export const MAX_KEPT_WORDS = 1000;

/** Reads what a person says from another machine; `null` for what cannot be that. */
export function parseSteerWord(text: string): SteerWord | null {
  const value = text.length > MAX_WORD_CHARS ? null : (parseJson(text) ?? null);
  if (!isJsonObject(value)) return null;
  const { id, body = null } = value;
  return typeof id === 'string' && isSubjectPart(id) ? { id, body } : null;
}

/** Hears each word once: whoever asks again is given what was answered, or will be. `null` for what is no word, too. */
export function hearOnce(hear: (word: SteerWord) => Promise<Json>): (text: string) => Promise<Json> {
  const heard = new Map<string, Promise<Json>>();
  return async (text) => {
    const word = parseSteerWord(text);
    if (word === null) return null;
    const known = heard.get(word.id);
    if (known !== undefined) return known;
    const answer = hear(word).catch(() => null);
    heard.set(word.id, answer);
    const [oldest] = heard.keys();
    if (heard.size > MAX_HEARD && oldest !== undefined) heard.delete(oldest);
    if ((await answer) === null) heard.delete(word.id);
    return answer;
  };
}
