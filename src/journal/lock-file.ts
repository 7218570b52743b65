import { isJsonObject, type JsonObject, parseJson } from '../core/index.ts';
import type { FileSystem } from './file-system.ts';
import { readSmallFile } from './whole-file.ts';

/** Who holds a lock: enough to tell whether it still lives, and to say to a person what it does. */
export interface LockOwner {
  readonly pid: number;
  /** Opaque start time of the process, which makes the pid safe against reuse, also over a restart of the machine. */
  readonly processStart: string | null;
  readonly host: string;
  /** The process namespace of the process: from another one its pid means nothing. `null` where the system has none, or the lock does not say. */
  readonly pidNamespace: string | null;
  /** Name of the pipe in the run's folder that the process and all that it starts hold open. Default: it has none. */
  readonly pipe?: string | null;
  readonly runId: string;
  /** Epoch milliseconds. */
  readonly startedAt: number;
  /** What the person typed. */
  readonly command: string;
}

/** A lock file's content: its owner, and a text that no other lock ever has. */
export interface LockRecord extends LockOwner {
  readonly nonce: string;
}

const MAX_BYTES = 64 * 1024;

export function toLockText(record: LockRecord): string {
  return `${JSON.stringify(record)}\n`;
}

/** `missing`: no file. `torn`: it is empty or makes no sense, such as while it is being written. */
export type LockFileState =
  | { readonly kind: 'missing' }
  | { readonly kind: 'torn'; readonly modifiedAt: number }
  | { readonly kind: 'record'; readonly record: LockRecord };

/** Throws the system error. */
export function readLockFile(fs: FileSystem, path: string): LockFileState {
  const bytes = readSmallFile(fs, path, MAX_BYTES);
  // After reading: if the file was replaced meanwhile it seems younger than it is, which errs on the side of leaving it alone.
  const facts = fs.stat(path);
  if (facts === null || bytes === null) return { kind: 'missing' };
  const record = toRecord(parseJson(bytes.toString('utf8')));
  return record === null ? { kind: 'torn', modifiedAt: facts.modifiedAt } : { kind: 'record', record };
}

function toRecord(value: unknown): LockRecord | null {
  if (!isJsonObject(value)) return null;
  const { pid, processStart = null, pidNamespace = null, pipe = null, startedAt } = value;
  const texts = toTexts(value, ['host', 'runId', 'command', 'nonce'] as const);
  if (texts === null || typeof pid !== 'number' || !Number.isSafeInteger(pid) || pid <= 0 || typeof startedAt !== 'number') return null;
  if (!isTextOrNull(processStart) || !isTextOrNull(pidNamespace) || !isTextOrNull(pipe)) return null;
  return { pid, processStart, pidNamespace, ...(pipe !== null && { pipe }), startedAt, ...texts };
}

function isTextOrNull(value: unknown): value is string | null {
  return value === null || typeof value === 'string';
}

/** The fields, if all of them are texts. */
function toTexts<K extends string>(value: JsonObject, keys: readonly K[]): Record<K, string> | null {
  const pairs = keys.map((key) => [key, value[key]] as const);
  return pairs.every(([, text]) => typeof text === 'string') ? (Object.fromEntries(pairs) as Record<K, string>) : null;
}
