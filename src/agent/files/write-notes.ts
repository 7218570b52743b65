import { lstat } from 'node:fs/promises';
import { accept, type Refusal, type Result, refuse } from '../../core/values/result.ts';
import type { ReadRecord, ToolContext } from '../tool/tool.ts';
import { quotePath } from './check-path-text.ts';
import { readWholeFile } from './open-pinned.ts';
import { runAlone, writeWholeFile } from './write-whole-file.ts';

export interface WrittenNotes {
  /** As the model should see it. */
  readonly shown: string;
  readonly sizeBytes: number;
}

/** Another process may write at the same time: whoever comes second changes what the first has written. */
const MAX_ATTEMPTS = 5;

/**
 * Changes a file that hats share. The path is Ralph's own, but an agent may have put anything there: it goes through the jail as any other.
 *
 * @param change the new content from the old; empty where there was none.
 */
export async function writeNotes(path: string, change: (before: string) => string, context: ToolContext): Promise<Result<WrittenNotes>> {
  const real = await context.jail.resolveWrite(path);
  if (!real.ok) return real;
  return await runAlone(real.value, () => changeNotes(real.value, change, context));
}

async function changeNotes(real: string, change: (before: string) => string, context: ToolContext): Promise<Result<WrittenNotes>> {
  const shownPath = context.jail.toShown(real);
  let refused: Refusal = { reason: '', advice: '' };
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    const before = await readNotes(real, shownPath);
    if (!before.ok) return before;
    const bytes = Buffer.from(change(before.value.text));
    const replaced = await writeWholeFile({ real, shownPath, bytes, expected: before.value.record, signal: context.signal });
    if (replaced.ok) {
      context.session.reads.set(real, replaced.value);
      return accept({ shown: shownPath, sizeBytes: bytes.length });
    }
    refused = replaced.refused;
  }
  return refuse(refused);
}

async function readNotes(real: string, shownPath: string): Promise<Result<{ readonly text: string; readonly record: ReadRecord | null }>> {
  const found = await lstat(real).catch(() => null);
  if (found === null) return accept({ text: '', record: null });
  if (found.nlink > 1) return refuse(explainSecondName(shownPath));
  const file = await readWholeFile(real, shownPath);
  return file.ok ? accept({ text: file.value.bytes.toString('utf8'), record: file.value.record }) : file;
}

/** The other name may be that of a file that no hat may read. */
function explainSecondName(shownPath: string): Refusal {
  return {
    reason: `${quotePath(shownPath)} is a file with a second name (a hard link): it is neither read nor written.`,
    advice: 'A person has to move it away; then a new one is made.',
  };
}
