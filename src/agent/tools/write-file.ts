import { lstat } from 'node:fs/promises';
import { z } from 'zod';
import { accept, type Result, refuse } from '../../core/values/result.ts';
import { quotePath } from '../files/check-path-text.ts';
import { findContentFault } from '../files/file-content.ts';
import { MAX_WHOLE_BYTES, readWholeFile, type WholeFile } from '../files/open-pinned.ts';
import { countLineChanges, describeLineChanges, runAlone, writeWholeFile } from '../files/write-whole-file.ts';
import { defineTool, failWith, type ReadRecord, succeed, type ToolContext, type ToolResult } from '../tool/tool.ts';

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
    const real = await context.jail.resolveWrite(path);
    if (!real.ok) return failWith(real.refused);
    const fault = findContentFault(content);
    if (fault !== null) return failWith(fault);
    const shown = context.jail.toShown(real.value);
    return await runAlone(real.value, () => lookAndWrite(real.value, shown, content, context));
  },
});

async function lookAndWrite(real: string, shown: string, content: string, context: ToolContext): Promise<ToolResult> {
  const bytes = Buffer.from(content);
  const same = await findSame(real, shown, bytes);
  if (same !== null) {
    context.session.reads.set(real, same.record);
    return succeed(`${shown} has this content already; nothing was written.`, { path: shown, changed: false });
  }
  const before = await readExisting(real, shown, context);
  return before.ok ? await write(real, shown, bytes, before.value, context) : failWith(before.refused);
}

/** The file, where it is what is to be written, read before or not: a call that was cut off behind its effect is made once more. */
async function findSame(real: string, shown: string, bytes: Buffer): Promise<WholeFile | null> {
  const found = await lstat(real).catch(() => null);
  if (found?.isFile() !== true || found.size !== bytes.length || found.size > MAX_WHOLE_BYTES) return null;
  const file = await readWholeFile(real, shown);
  return file.ok && file.value.bytes.equals(bytes) ? file.value : null;
}

interface Existing {
  readonly record: ReadRecord;
  /** `null` for a file that is too large to be compared. */
  readonly bytes: Buffer | null;
}

/** The file as it is now, if it is still what was read; `null` where there is none. */
async function readExisting(real: string, shown: string, { session }: ToolContext): Promise<Result<Existing | null>> {
  const found = await lstat(real).catch(() => null);
  if (found === null) return accept(null);
  if (!found.isFile()) {
    const what = found.isDirectory() ? 'a folder' : 'no regular file';
    return refuse({
      reason: `${quotePath(shown)} is ${what}.`,
      advice: 'Give the path of a regular file, or of one that does not exist yet.',
    });
  }
  const known = session.reads.get(real);
  if (known === undefined) {
    return refuse({
      reason: `${quotePath(shown)} exists and was not read in this session: it would be overwritten unseen.`,
      advice: 'Read it with read_file first, or change a part of it with edit_file.',
    });
  }
  const changed = refuse({
    reason: `${quotePath(shown)} has changed since it was read.`,
    advice: 'Nothing was written. Read it again, then write.',
  });
  if (found.size > MAX_WHOLE_BYTES || known.sha256 === '') {
    const isSame = found.size === known.sizeBytes && found.mtimeMs === known.mtimeMs;
    return isSame ? accept({ record: known, bytes: null }) : changed;
  }
  const file = await readWholeFile(real, shown);
  if (!file.ok) return file;
  return isUnchanged(known, file.value) ? file : changed;
}

function isUnchanged(known: ReadRecord, { record }: WholeFile): boolean {
  return known.sizeBytes === record.sizeBytes && known.sha256 === record.sha256;
}

async function write(real: string, shown: string, bytes: Buffer, before: Existing | null, context: ToolContext): Promise<ToolResult> {
  const order = { real, shownPath: shown, bytes, expected: before?.record ?? null, signal: context.signal };
  const replaced = await writeWholeFile(order);
  if (!replaced.ok) return failWith(replaced.refused);
  context.session.reads.set(real, replaced.value);
  const changes = countLineChanges(before?.bytes?.toString('utf8') ?? '', bytes.toString('utf8'));
  const what = before === null ? `Created ${shown}` : `Overwrote ${shown}`;
  const stats = before !== null && before.bytes === null ? '' : `, ${describeLineChanges(changes)} lines`;
  return succeed(`${what} (${bytes.length} bytes${stats}).`, { path: shown, changed: true, ...changes });
}
