import { z } from 'zod';
import { findContentFault } from '../files/file-content.ts';
import { writeNotes } from '../files/write-notes.ts';
import { defineTool, fail, failWith, succeed } from '../tool/tool.ts';

/** Every hat reads the scratchpad: what is longer costs every turn. */
const MAX_BYTES = 1024 * 1024;

const parameters = z.strictObject({
  content: z.string().describe('What to write, as Markdown.'),
  mode: z.enum(['append', 'replace']).default('append').describe('append: behind what is there; replace: instead of all of it.'),
});

type Args = z.infer<typeof parameters>;

export const writeScratchpadTool = defineTool<Args>({
  name: 'write_scratchpad',
  group: 'coordination',
  hints: { readOnly: false, destructive: true, idempotent: false, openWorld: false },
  description:
    'Writes to the scratchpad, the notes that all hats share and that outlive the turn: decisions, what is done, what is next. Appends, unless mode is replace.',
  parameters,
  run: async ({ content, mode }, context) => {
    const fault = findContentFault(content);
    if (fault !== null) return failWith(fault);
    if (content.trim() === '' && mode === 'append')
      return fail('The content is empty: there is nothing to append.', 'Give the note as content.');
    if (Buffer.byteLength(content) > MAX_BYTES)
      return fail('The note is longer than 1 MB.', 'Keep the scratchpad short; long texts belong in a file.');
    const before = { bytes: 0 };
    const written = await writeNotes(
      context.scratchpad,
      (text) => {
        before.bytes = Buffer.byteLength(text);
        return mode === 'replace' ? toNote(content) : append(text, content);
      },
      context,
    );
    if (!written.ok) return failWith(written.refused);
    const { shown, sizeBytes } = written.value;
    const advice = sizeBytes > MAX_BYTES ? ' It is longer than 1 MB: replace it by what still matters.' : '';
    const what = mode === 'replace' ? `Replaced ${shown} (${before.bytes} bytes before)` : `Appended to ${shown}`;
    return succeed(`${what}; it has ${sizeBytes} bytes now.${advice}`, { mode, bytes: sizeBytes });
  },
});

/** Notes begin on a line of their own. */
function append(before: string, content: string): string {
  const gap = before === '' || before.endsWith('\n') ? '' : '\n';
  return `${before}${gap}${toNote(content)}`;
}

function toNote(content: string): string {
  return content === '' || content.endsWith('\n') ? content : `${content}\n`;
}
