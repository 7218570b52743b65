import { isJsonObject, isTextList, type Json, type JsonObject } from '../../core/values/json.ts';

/** What the folder was like when a run began: plain JSON, kept by the run so that a resumed one goes by the same. */
export interface Baseline {
  readonly version: 1;
  /** Why git could not be used then; empty where it could. */
  readonly noRepository: string;
  /** The files that were the user's own then: changed, staged or untracked. */
  readonly dirty: readonly DirtyFile[];
  /** What the repository ignored then, folders with a `/` at the end: it stays out, whatever becomes of the ignore rules. */
  readonly ignored: readonly string[];
}

/** A file with changes of the user that were not committed. */
export interface DirtyFile {
  /** From the top of the repository. */
  readonly path: string;
  /** What it was, see `readFileVersion`. */
  readonly content: string;
  /** The index held a third version, neither the file's nor the commit's. */
  readonly isStagedApart: boolean;
  /** What the index held, as git names it; absent where that was what the commit held, or (of an older run) nobody knows. */
  readonly staged?: string;
}

/** Reads a stored baseline; undefined for anything else than what `captureBaseline` gives. */
export function parseBaseline(value: Json): Baseline | undefined {
  if (!isJsonObject(value) || value['version'] !== 1) return undefined;
  const { noRepository, dirty, ignored } = value;
  if (typeof noRepository !== 'string' || !Array.isArray(dirty) || !isTextList(ignored)) return undefined;
  const files = dirty.map(parseDirtyFile);
  if (!files.every((file) => file !== undefined)) return undefined;
  return { version: 1, noRepository, dirty: files, ignored };
}

/** `<mode> <object id>`, or what stands for a file that is not there. */
const VERSION = /^(?:\d{6} [0-9a-f]{40,64}|absent)$/;

function parseDirtyFile(value: Json): DirtyFile | undefined {
  if (!isJsonObject(value)) return undefined;
  const { path, content, isStagedApart, staged }: JsonObject = value;
  if (typeof path !== 'string' || typeof content !== 'string' || typeof isStagedApart !== 'boolean') return undefined;
  return { path, content, isStagedApart, ...(typeof staged === 'string' && VERSION.test(staged) ? { staged } : {}) };
}
