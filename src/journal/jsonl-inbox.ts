import type { RalphEvent, SignalProblem } from '../core/events/event.ts';
import { isRalphError, toErrorCode, toErrorMessage } from '../core/values/errors.ts';
import { isCount } from '../core/values/json.ts';
import { quietly, tryOr } from '../core/values/result.ts';
import type { Inbox, InboxBatch, SkippedLines } from '../ports/inbox.ts';
import { appendLine, closeTornLine, endsTorn } from './agent-line.ts';
import { type FileSystem, readRange, withHandle } from './file-system.ts';
import { countLineFeeds, createInboxCollector, MAX_INBOX_LINE_BYTES } from './inbox-batch.ts';
import { scanLines } from './scan-lines.ts';

/** Errors that the owner of the file can cause. Those of a full or failing disk are not among them. */
const AGENTS_DOING = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'ENOENT', 'EISDIR', 'ELOOP']);

export interface InboxSettings {
  readonly fs: FileSystem;
  /** Absolute. */
  readonly path: string;
  /** The file as problems name it: `.agent/events.jsonl`. */
  readonly label: string;
  /** No agent writes in it, so the `sender` of its lines is believed. Default: no. */
  readonly hasSenders?: boolean;
}

/**
 * The inbox on a file of JSON lines that anybody may write, badly. A file that became shorter, was rewritten or removed since the last read is
 * told once and read from its beginning; so is whatever stands in its place that cannot be read. One read takes at most 10,000 events
 * or 16 MB, and says whether that was all. `append` throws the system error of a disk; where something else stands in the place of the
 * file, or it may not be written, it writes nothing, and the next read tells.
 */
export function createJsonlInbox(settings: InboxSettings): Inbox {
  const { fs, path, label } = settings;
  const anchor = createInboxAnchor(fs);
  let lastFault: string | null = null;
  let unwritten: string | null = null;

  /** A state of the file, not an event: told when it begins, not at every read. */
  const tellOnce = (fault: string): readonly SignalProblem[] => {
    const isNew = fault !== lastFault;
    lastFault = fault;
    return isNew ? [toFileProblem(label, fault)] : [];
  };

  const readNow = (offset: number, { final }: { readonly final: boolean }): InboxBatch => {
    try {
      const facts = fs.stat(path);
      if (facts !== null && facts.kind !== 'file') return { signals: [], problems: tellOnce('what stands here is not a file'), offset };
      const batch = facts === null ? toMissing(label, offset) : readFile(settings, anchor, { offset, sizeBytes: facts.sizeBytes, final });
      lastFault = null;
      return batch;
    } catch (error) {
      return { signals: [], problems: tellOnce(toReadFault(error)), offset };
    }
  };

  const read = (offset: number, options: { readonly final: boolean }): InboxBatch => {
    const batch = readNow(offset, options);
    if (unwritten === null) return batch;
    const problem = toFileProblem(label, `an event could not be noted: ${unwritten}`);
    unwritten = null;
    return { ...batch, problems: [problem, ...batch.problems] };
  };

  /** The record is for agents to see: an agent that put a link in its place, or closed it, must not end the run by that. */
  const append = (event: RalphEvent): void => {
    try {
      appendLine(fs, path, toRecord(event));
    } catch (error) {
      if (!isRalphError(error) && !AGENTS_DOING.has(toErrorCode(error))) throw error;
      unwritten = toErrorMessage(error);
    }
  };

  const end = (): number => {
    return tryOr(() => {
      const facts = fs.stat(path);
      if (facts?.kind !== 'file') return 0;
      rememberEnd(settings, anchor, facts.sizeBytes);
      return facts.sizeBytes;
    }, 0);
  };

  return { end, hasMore: (offset) => hasMore(settings, offset), read, skip: (offset) => skip(settings, anchor, offset), append };
}

function hasMore({ fs, path }: InboxSettings, offset: number): boolean {
  return tryOr(() => (fs.stat(path)?.sizeBytes ?? 0) !== offset, true);
}

function skip({ fs, path }: InboxSettings, anchor: InboxAnchor, offset: number): SkippedLines {
  const from = isCount(offset) ? offset : 0;
  // The next read tells.
  return tryOr(
    () => {
      const sizeBytes = fs.stat(path)?.sizeBytes ?? 0;
      if (sizeBytes <= from) return { lines: 0, bytes: 0, offset: from };
      return withHandle(fs, fs.open(path, 'read'), (handle) => {
        anchor.remember(handle, sizeBytes);
        return { lines: countLineFeeds(fs, handle, sizeBytes, from), bytes: sizeBytes - from, offset: sizeBytes };
      });
    },
    { lines: 0, bytes: 0, offset: from },
  );
}

interface InboxReadOrder {
  readonly offset: number;
  readonly sizeBytes: number;
  readonly final: boolean;
}

function readFile(
  { fs, path, label, hasSenders = false }: InboxSettings,
  anchor: InboxAnchor,
  { offset, sizeBytes, final }: InboxReadOrder,
): InboxBatch {
  const isTorn = final && sizeBytes !== offset && endsTorn(fs, path, sizeBytes);
  const closingFault = isTorn ? closeTornLine(fs, path) : null;
  return withHandle(fs, fs.open(path, 'read'), (handle) => {
    const change = describeChange(anchor, handle, offset, sizeBytes);
    const from = change === null ? offset : 0;
    const collector = createInboxCollector({ fs, handle, label, from, hasSenders });
    const { nextOffset, restBytes } = scanLines({ fs, handle, from, maxLineBytes: MAX_INBOX_LINE_BYTES }, collector.take);
    // A last line that could not be closed is all there will be of it.
    const rest = (): Buffer | null => (restBytes > MAX_INBOX_LINE_BYTES ? null : readRange(fs, handle, nextOffset, restBytes));
    const tookRest = closingFault !== null && restBytes > 0 && collector.take(rest(), nextOffset, restBytes);
    const end = tookRest ? nextOffset + restBytes : nextOffset;
    anchor.remember(handle, end);
    const faults = [change, closingFault && `the last line could not be closed (${closingFault})`].filter((fault) => fault !== null);
    const problems = [...faults.map((fault) => toFileProblem(label, fault)), ...collector.listProblems()];
    return { signals: collector.signals, problems, offset: end, ...(collector.isFull() && { isFull: true }) };
  });
}

/** What happened to the part that had been read, in words; `null`: nothing. */
function describeChange(anchor: InboxAnchor, handle: number, offset: number, sizeBytes: number): string | null {
  // It comes from a journal, which another machine may have written.
  if (!isCount(offset)) return 'how far the file was read is not known; it is read again from its beginning';
  if (sizeBytes < offset) return 'the file became shorter since it was last read; it is read again from its beginning';
  if (!anchor.holds(handle, offset)) return 'the file was rewritten since it was last read; it is read again from its beginning';
  return null;
}

function toMissing(label: string, offset: number): InboxBatch {
  return { signals: [], problems: offset === 0 ? [] : [toFileProblem(label, 'the file was removed')], offset: 0 };
}

function rememberEnd({ fs, path }: InboxSettings, anchor: InboxAnchor, sizeBytes: number): void {
  // The next read will tell.
  quietly(() => withHandle(fs, fs.open(path, 'read'), (handle) => anchor.remember(handle, sizeBytes)));
}

/** A link in the place of the file says so itself. */
function toReadFault(error: unknown): string {
  return isRalphError(error) ? error.message : `the file cannot be read (${toErrorCode(error)})`;
}

function toFileProblem(label: string, message: string): SignalProblem {
  return { where: label, message, excerpt: '' };
}

/** A line that agents can read and that is never read back. */
function toRecord({ topic, payload, source, ts }: RalphEvent): string {
  return JSON.stringify({ by: 'ralph', topic, payload, source, ts });
}

const ANCHOR_BYTES = 256;

/** Remembers what stood before the place up to which a file was read, to see whether it is still the same file. */
interface InboxAnchor {
  readonly remember: (handle: number, offset: number) => void;
  /** False when other bytes stand before `offset` than did; true when they are the same or unknown. */
  readonly holds: (handle: number, offset: number) => boolean;
}

/**
 * An agent that writes its event with `>` instead of `>>` may leave a file that is longer than what was read of the old one.
 * The size alone would not tell.
 */
function createInboxAnchor(fs: FileSystem): InboxAnchor {
  let known: { readonly offset: number; readonly bytes: Buffer } | null = null;
  const readBefore = (handle: number, offset: number): Buffer => {
    const lengthBytes = Math.min(offset, ANCHOR_BYTES);
    return readRange(fs, handle, offset - lengthBytes, lengthBytes);
  };
  return {
    remember: (handle, offset) => {
      known = { offset, bytes: readBefore(handle, offset) };
    },
    holds: (handle, offset) => known?.offset !== offset || known.bytes.equals(readBefore(handle, offset)),
  };
}
