import type { SourceFile } from './source-file.ts';

/** A change to the text of a file: what stands from `start` to `end` gives way to `text`. */
export interface TextEdit {
  readonly file: SourceFile;
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** What became of a text: edits that overlap an earlier one, or begin where it does, are left out. */
export interface EditedText {
  readonly text: string;
  readonly applied: readonly TextEdit[];
}

/** Makes changes to a text, all of them planned against the text as it is. Where two overlap the first one given wins. */
export function applyEdits(text: string, edits: readonly TextEdit[]): EditedText {
  const ordered = edits.map((edit, rank) => ({ edit, rank })).sort((a, b) => a.edit.start - b.edit.start || a.rank - b.rank);
  const applied: TextEdit[] = [];
  const parts: string[] = [];
  let done = 0;
  for (const { edit } of ordered) {
    const before = applied.at(-1);
    if (before !== undefined && (edit.start < before.end || edit.start === before.start)) continue;
    parts.push(text.slice(done, edit.start), edit.text);
    done = edit.end;
    applied.push(edit);
  }
  return { text: parts.join('') + text.slice(done), applied };
}
