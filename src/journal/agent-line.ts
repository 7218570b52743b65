import { dirname } from 'node:path';
import type { RalphEvent, RefusedEmit, Sender } from '../core/events/event.ts';
import { RalphError, toErrorCode } from '../core/values/errors.ts';
import { quietly } from '../core/values/result.ts';
import { type FileSystem, makeFolders, readRange, withHandle, writeAll } from './file-system.ts';

const LINE_FEED = 10;

/** An event as an agent writes it into `.agent/events.jsonl`. */
export interface AgentEvent extends Pick<RalphEvent, 'topic' | 'payload' | 'target' | 'ts'> {
  /** Only in the file for people. */
  readonly sender?: Sender;
}

/**
 * Appends an event to the agents' events file, for `ralph emit`: one write, so that lines of several writers never mix; a torn last
 * line is closed first. Makes the file and its folder when missing. It does not check the topic.
 *
 * @throws the system error; RalphError `events-file-not-a-file`.
 */
export function appendAgentLine(file: { readonly fs: FileSystem; readonly path: string }, event: AgentEvent): void {
  const { topic, payload, target, sender, ts } = event;
  appendLine(
    file.fs,
    file.path,
    JSON.stringify({ topic, payload, ...(target !== undefined && { target }), ...(sender !== undefined && { sender }), ts }),
  );
}

/** Notes in the agents' file what the command refused. Where that cannot be written, the refusal itself is all there is. */
export function appendAgentRefusal(file: { readonly fs: FileSystem; readonly path: string }, refused: RefusedEmit): void {
  // The agent is told by the command.
  quietly(() => appendLine(file.fs, file.path, JSON.stringify({ refused, ts: Date.now() })));
}

/** Appends one line, closing a torn last line before it. */
export function appendLine(fs: FileSystem, path: string, line: string): void {
  const facts = fs.stat(path);
  // Opening a pipe would wait for a reader, perhaps for ever.
  if (facts !== null && facts.kind !== 'file') throw toNotAFileError(path);
  if (facts === null) makeFolders(fs, dirname(path));
  const start = facts !== null && endsTorn(fs, path, facts.sizeBytes) ? '\n' : '';
  withHandle(fs, fs.open(path, 'append'), (handle) => {
    try {
      writeAll(fs, handle, Buffer.from(`${start}${line}\n`));
    } catch (error) {
      // What was written of the line must not swallow the next one. Cutting it off might cut off a line of another writer.
      closeTornLine(fs, path);
      throw error;
    }
  });
}

/** True when the file has bytes and the last one is no line feed. Throws the system error. */
export function endsTorn(fs: FileSystem, path: string, sizeBytes: number): boolean {
  if (sizeBytes === 0) return false;
  const last = withHandle(fs, fs.open(path, 'read'), (handle) => readRange(fs, handle, sizeBytes - 1, 1));
  return last.length === 1 && last[0] !== LINE_FEED;
}

/** Appends a line feed; returns the code of the system error if that fails, else `null`. */
export function closeTornLine(fs: FileSystem, path: string): string | null {
  try {
    withHandle(fs, fs.open(path, 'append'), (handle) => writeAll(fs, handle, Buffer.from('\n')));
    return null;
  } catch (error) {
    return toErrorCode(error);
  }
}

function toNotAFileError(path: string): RalphError {
  return new RalphError({
    code: 'events-file-not-a-file',
    what: `${path} is not a file, so no event can be written to it.`,
    fix: `Move it away and try again; Ralph makes the file itself.`,
  });
}
