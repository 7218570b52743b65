import { isUtf8 } from 'node:buffer';
import { z } from 'zod';
import type { Refusal } from '../../core/values/result.ts';
import { explainBinary, findContentFault, SNIFFED_BYTES } from '../files/file-content.ts';
import { explainMissingText, type FoundText, findText, matchLineEnds } from '../files/find-text.ts';
import { MAX_WHOLE_BYTES, readWholeFile, type WholeFile } from '../files/open-pinned.ts';
import { suggestPath } from '../files/read-folder.ts';
import { countLineChanges, describeLineChanges, runAlone, writeWholeFile } from '../files/write-whole-file.ts';
import { defineTool, fail, failWith, succeed, type ToolContext, type ToolResult } from '../tool/tool.ts';

const MAX_LISTED_PLACES = 10;
const SHOWN_AROUND = 2;
const MAX_SHOWN_LINES = 30;
const MAX_GROWN_BYTES = MAX_WHOLE_BYTES * 4;

const parameters = z.strictObject({
  path: z.string().describe('Path of the file, relative to the workspace.'),
  old_text: z.string().describe('The text to replace, exactly as it is in the file, with enough around it to be there only once.'),
  new_text: z.string().describe('What stands there afterwards; empty to remove it.'),
  replace_all: z.boolean().default(false).describe('True: replace it wherever it is.'),
});

type Args = z.infer<typeof parameters>;

export const editFileTool = defineTool<Args>({
  name: 'edit_file',
  group: 'fs_write',
  hints: { readOnly: false, destructive: true, idempotent: false, openWorld: false },
  description:
    'Replaces text in a file. The old text must occur exactly once, unless replace_all is true. Line endings and a byte order mark are kept.',
  parameters,
  run: async (args, context) => {
    const real = await context.jail.resolveWrite(args.path);
    if (!real.ok) return failWith(real.refused);
    const fault = findArgumentFault(args);
    if (fault !== null) return fault;
    const shown = context.jail.toShown(real.value);
    return await runAlone(real.value, () => readAndEdit({ real: real.value, shown, args, context }));
  },
});

interface EditOrder {
  readonly real: string;
  readonly shown: string;
  readonly args: Args;
  readonly context: ToolContext;
}

function findArgumentFault({ old_text, new_text }: Args): ToolResult | null {
  if (old_text === '') return fail('old_text is empty.', 'Give the text that is to be replaced. A new file is written with write_file.');
  if (old_text === new_text)
    return fail('old_text and new_text are the same: there is nothing to do.', 'Give the text as it should be as new_text.');
  const fault = findContentFault(new_text) ?? findContentFault(old_text);
  return fault === null ? null : failWith(fault);
}

async function readAndEdit(order: EditOrder): Promise<ToolResult> {
  const file = await readWholeFile(order.real, order.shown);
  if (!file.ok) return fail(file.refused.reason, `${await suggestPath(order.context.jail, order.real)}${file.refused.advice}`);
  return await edit(file.value, order);
}

async function edit(file: WholeFile, order: EditOrder): Promise<ToolResult> {
  const { args, shown } = order;
  const fault = explainBinary(file.bytes.subarray(0, SNIFFED_BYTES), shown) ?? explainEncoding(file.bytes, args.new_text, shown);
  if (fault !== null) return failWith(fault);
  const text = file.bytes.toString('latin1');
  const places = findText(text, toBytes(args.old_text));
  if (places.length === 0) return refuseMissing(file.bytes.toString('utf8'), order);
  if (places.length > 1 && !args.replace_all) return refuseAmbiguous(text, places, shown);
  return await store(file, text, places, order);
}

/** Characters as bytes: what is not touched stays what it was, in whatever encoding. */
function toBytes(text: string): string {
  return Buffer.from(text).toString('latin1');
}

function explainEncoding(bytes: Buffer, newText: string, shown: string): Refusal | null {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: everything that is one byte in every encoding
  if (isUtf8(bytes) || /^[\u0000-\u007F]*$/.test(newText)) return null;
  return {
    reason: `${shown} is not in UTF-8: new_text would mix two encodings.`,
    advice: 'Use characters of ASCII only, or convert the file first.',
  };
}

function refuseMissing(text: string, { args, shown }: EditOrder): ToolResult {
  const isDone = args.new_text.trim().length > 3 && text.replaceAll('\r\n', '\n').includes(args.new_text.replaceAll('\r\n', '\n'));
  const done = isDone ? 'new_text is in the file already: the edit may have been made before.\n' : '';
  return fail(`old_text is not in ${shown}; nothing was changed.`, done + explainMissingText(text.replaceAll('\r\n', '\n'), args.old_text));
}

function refuseAmbiguous(text: string, places: readonly FoundText[], shown: string): ToolResult {
  const lines = places.slice(0, MAX_LISTED_PLACES).map(({ start }) => toLineNumber(text, start));
  const more = places.length > lines.length ? ', …' : '';
  return fail(
    `old_text is in ${shown} ${places.length} times (lines ${lines.join(', ')}${more}); nothing was changed.`,
    'Give more of the text around the one that is meant, or set replace_all: true to change them all.',
  );
}

async function store(file: WholeFile, text: string, places: readonly FoundText[], order: EditOrder): Promise<ToolResult> {
  const { real, shown, args, context } = order;
  const replacement = toBytes(args.new_text);
  const sizeBytes = text.length + places.length * Math.max(0, replacement.length * 2 - args.old_text.length);
  if (sizeBytes > MAX_GROWN_BYTES) {
    return fail(`${shown} could grow to ${sizeBytes} bytes, more than this tool writes.`, 'Replace fewer places, or less by each.');
  }
  const bytes = Buffer.from(replaceAt(text, places, replacement), 'latin1');
  const replaced = await writeWholeFile({ real, shownPath: shown, bytes, expected: file.record, signal: context.signal });
  if (!replaced.ok) return failWith(replaced.refused);
  // Who has read what was there knows it still; who has not may edit it again, but not overwrite it unseen.
  const isKnown = context.session.reads.get(real)?.sha256 === file.record.sha256;
  if (isKnown) context.session.reads.set(real, replaced.value);
  const changes = countLineChanges(file.bytes.toString('utf8'), bytes.toString('utf8'));
  const count = places.length === 1 ? '1 place' : `${places.length} places`;
  const summary = `Edited ${shown} at ${count} (${describeLineChanges(changes)} lines).`;
  return succeed(`${summary}\n${renderAround(bytes.toString('utf8'), toLineNumber(text, places[0]?.start ?? 0), args.new_text)}`, {
    path: shown,
    places: places.length,
    ...changes,
  });
}

function replaceAt(text: string, places: readonly FoundText[], replacement: string): string {
  const pieces: string[] = [];
  let from = 0;
  for (const { start, end } of places) {
    pieces.push(text.slice(from, start), matchLineEnds(replacement, text.slice(start, end), text));
    from = end;
  }
  return [...pieces, text.slice(from)].join('');
}

/** The lines of the first place as they are now, with those around them. */
function renderAround(text: string, firstLine: number, newText: string): string {
  const lines = text.replace(/\r?\n$/, '').split(/\r?\n/);
  const from = Math.max(0, firstLine - 1 - SHOWN_AROUND);
  const to = Math.min(lines.length, firstLine + newText.split('\n').length - 1 + SHOWN_AROUND, from + MAX_SHOWN_LINES);
  return lines
    .slice(from, to)
    .map((line, index) => `${from + index + 1}\t${line}`)
    .join('\n');
}

function toLineNumber(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}
