import type { SourceFile } from './source-file.ts';

/** A change to the text of a file: what stands from `start` to `end` gives way to `text`. */
export interface TextEdit {
  readonly file: SourceFile;
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** True for an item behind the last of a list: others may follow it at the same place. */
  readonly isItem?: boolean;
}

/** What became of a text: edits that overlap an earlier one, or begin where it does, are left out. */
export interface EditedText {
  readonly text: string;
  readonly applied: readonly TextEdit[];
}

/** Makes changes to a text, all of them planned against the text as it is. Where two overlap the first one given wins; different items behind the same list stand one behind the other. */
export function applyEdits(text: string, edits: readonly TextEdit[]): EditedText {
  const ordered = edits.map((edit, rank) => ({ edit, rank })).sort((a, b) => a.edit.start - b.edit.start || a.rank - b.rank);
  const applied: TextEdit[] = [];
  const parts: string[] = [];
  let done = 0;
  let items = new Set<string>();
  for (const { edit } of ordered) {
    const before = applied.at(-1);
    if (before !== undefined && (edit.start < before.end || (edit.start === before.start && !isFurther(edit, before, items)))) continue;
    if (edit.start !== before?.start) items = new Set();
    items.add(edit.text);
    parts.push(text.slice(done, edit.start), edit.text);
    done = edit.end;
    applied.push(edit);
  }
  return { text: parts.join('') + text.slice(done), applied };
}

function isFurther(edit: TextEdit, before: TextEdit, items: ReadonlySet<string>): boolean {
  return edit.isItem === true && before.isItem === true && !items.has(edit.text);
}
