import { lstat } from 'node:fs/promises';
import { z } from 'zod';
import { type PathRefusal, quotePath } from '../files/check-path-text.ts';
import { MAX_WHOLE_BYTES, readWholeFile, type WholeFile } from '../files/open-pinned.ts';
import { countLineChanges, describeChanges, inTurn, replaceFile } from '../files/replace-file.ts';
import type { ReadRecord, ToolContext } from '../tool/tool.ts';
import { defineTool, fail, succeed, type ToolResult } from '../tool/tool.ts';

const maxContentBytes = 10 * 1024 * 1024;

const parameters = z.strictObject({
  path: z.string().describe('Path of the file, relative to the workspace. Missing folders are made.'),
  content: z.string().describe('The whole new content of the file.'),
});

type Args = z.infer<typeof parameters>;

export const writeFileTool = defineTool<Args>({
  name: 'write_file',
  group: 'fs_write',
  hints: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
  description:
    'Writes a whole file, making missing folders. A file that exists must have been read with read_file before, and must not have changed since; to change a part of a file use edit_file.',
  parameters,
  run: async ({ path, content }, context) => {
    const verdict = await context.jail.resolveWrite(path);
    if ('refused' in verdict) return fail(verdict.refused, verdict.advice);
    const fault = findContentFault(content);
    if (fault !== null) return fail(fault.refused, fault.advice);
    const shown = context.jail.toShown(verdict.path);
    return await inTurn(verdict.path, () => lookAndWrite(verdict.path, shown, content, context));
  },
});

async function lookAndWrite(real: string, shown: string, content: string, context: ToolContext): Promise<ToolResult> {
  const bytes = Buffer.from(content);
  const same = await findSame(real, shown, bytes);
  if (same !== null) {
    context.session.reads.set(real, same.record);
    return succeed(`${shown} has this content already; nothing was written.`, { path: shown, changed: false });
  }
  const before = await lookAtExisting(real, shown, context);
  if (before !== null && 'refused' in before) return fail(before.refused, before.advice);
  return await write(real, shown, bytes, before, context);
}

/** The file, where it is what is to be written, read before or not: a call that was cut off behind its effect is made once more. */
async function findSame(real: string, shown: string, bytes: Buffer): Promise<WholeFile | null> {
  const found = await lstat(real).catch(() => null);
  if (found?.isFile() !== true || found.size !== bytes.length || found.size > MAX_WHOLE_BYTES) return null;
  const file = await readWholeFile(real, shown);
  return !('refused' in file) && file.bytes.equals(bytes) ? file : null;
}

/** Why a content cannot be written as it is. */
export function findContentFault(content: string): PathRefusal | null {
  if (/\p{Surrogate}/u.test(content))
    return { refused: 'The content holds half of a character.', advice: 'Give it as whole Unicode characters.' };
  const bytes = Buffer.byteLength(content);
  if (bytes <= maxContentBytes) return null;
  return {
    refused: `The content has ${bytes} bytes; ${maxContentBytes} is the most.`,
    advice: 'Write it in several files, or have a program make it.',
  };
}

interface Existing {
  readonly record: ReadRecord;
  /** `null` for a file that is too large to be compared. */
  readonly bytes: Buffer | null;
}

/** The file as it is now, if it is still what was read; `null` where there is none. */
async function lookAtExisting(real: string, shown: string, { session }: ToolContext): Promise<Existing | PathRefusal | null> {
  const found = await lstat(real).catch(() => null);
  if (found === null) return null;
  if (!found.isFile()) {
    const what = found.isDirectory() ? 'a folder' : 'no regular file';
    return { refused: `${quotePath(shown)} is ${what}.`, advice: 'Give the path of a regular file, or of one that does not exist yet.' };
  }
  const known = session.reads.get(real);
  if (known === undefined) {
    return {
      refused: `${quotePath(shown)} exists and was not read in this session: it would be overwritten unseen.`,
      advice: 'Read it with read_file first, or change a part of it with edit_file.',
    };
  }
  const changed = {
    refused: `${quotePath(shown)} has changed since it was read.`,
    advice: 'Nothing was written. Read it again, then write.',
  };
  if (found.size > MAX_WHOLE_BYTES || known.sha256 === '') {
    const isSame = found.size === known.sizeBytes && found.mtimeMs === known.mtimeMs;
    return isSame ? { record: known, bytes: null } : changed;
  }
  const file = await readWholeFile(real, shown);
  if ('refused' in file) return file;
  return isUnchanged(known, file) ? file : changed;
}

function isUnchanged(known: ReadRecord, { record }: WholeFile): boolean {
  return known.sizeBytes === record.sizeBytes && known.sha256 === record.sha256;
}

async function write(real: string, shown: string, bytes: Buffer, before: Existing | null, context: ToolContext): Promise<ToolResult> {
  const order = { real, shownPath: shown, bytes, expected: before?.record ?? null, signal: context.signal };
  const replaced = await replaceFile(order);
  if ('refused' in replaced) return fail(replaced.refused, replaced.advice);
  context.session.reads.set(real, replaced.record);
  const changes = countLineChanges(before?.bytes?.toString('utf8') ?? '', bytes.toString('utf8'));
  const what = before === null ? `Created ${shown}` : `Overwrote ${shown}`;
  const stats = before !== null && before.bytes === null ? '' : `, ${describeChanges(changes)} lines`;
  return succeed(`${what} (${bytes.length} bytes${stats}).`, { path: shown, changed: true, ...changes });
}
