import { lstat } from 'node:fs/promises';
import type { ReadRecord, ToolContext } from '../tool/tool.ts';
import { type PathRefusal, quotePath } from './check-path-text.ts';
import { readWholeFile } from './open-pinned.ts';
import { inTurn, replaceFile } from './replace-file.ts';

/** A file of notes after it was written. */
export interface WrittenNotes {
  /** As the model should see it. */
  readonly shown: string;
  readonly sizeBytes: number;
}

/** Another process may write at the same time: who comes second takes up what the first has written. */
const maxAttempts = 5;

/**
 * Changes a file that hats share. The path is the orchestrator's, but what lies there may be an agent's: it goes through the same walls as any other.
 *
 * @param change the new content from the old; empty where there was none.
 */
export async function writeNotes(
  path: string,
  change: (before: string) => string,
  context: ToolContext,
): Promise<WrittenNotes | PathRefusal> {
  const verdict = await context.jail.resolveWrite(path);
  if ('refused' in verdict) return verdict;
  return await inTurn(verdict.path, () => changeNotes(verdict.path, change, context));
}

async function changeNotes(real: string, change: (before: string) => string, context: ToolContext): Promise<WrittenNotes | PathRefusal> {
  const shownPath = context.jail.toShown(real);
  let refusal: PathRefusal = { refused: '', advice: '' };
  for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
    const before = await readNotes(real, shownPath);
    if ('refused' in before) return before;
    const bytes = Buffer.from(change(before.text));
    const replaced = await replaceFile({ real, shownPath, bytes, expected: before.record, signal: context.signal });
    if (!('refused' in replaced)) {
      context.session.reads.set(real, replaced.record);
      return { shown: shownPath, sizeBytes: bytes.length };
    }
    refusal = replaced;
  }
  return refusal;
}

async function readNotes(real: string, shownPath: string): Promise<{ text: string; record: ReadRecord | null } | PathRefusal> {
  const found = await lstat(real).catch(() => null);
  if (found === null) return { text: '', record: null };
  if (found.nlink > 1) return refuseSecondName(shownPath);
  const file = await readWholeFile(real, shownPath);
  return 'refused' in file ? file : { text: file.bytes.toString('utf8'), record: file.record };
}

/** What stands there may be a file that nobody may read. */
function refuseSecondName(shownPath: string): PathRefusal {
  return {
    refused: `${quotePath(shownPath)} is a file with a second name (a hard link): it is neither read nor written.`,
    advice: 'A person has to move it away; then a new one is made.',
  };
}
