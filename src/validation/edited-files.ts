import { basename, join, resolve } from 'node:path';
import { applyEdits, type TextEdit } from '../config/edit/text-edit.ts';
import { type ReadText, readTextFile } from '../config/layers/read-text-file.ts';
import { accept } from '../core/values/result.ts';

/** Files with changes that are not written yet, by absolute path. */
export type EditedFiles = ReadonlyMap<string, string>;

export function pathOf({ file }: TextEdit): string {
  return join(file.folder, basename(file.name));
}

/** Reads files as they would be after the changes. */
export function readEdited(edited: EditedFiles, readText: ReadText = readTextFile): ReadText {
  return (path, maxBytes, kind) => {
    const text = edited.get(resolve(path));
    return text === undefined ? readText(path, maxBytes, kind) : accept(text);
  };
}

/** The files after further edits, all planned against them as they are, and which of the edits were made: those that overlap are left out. */
export function editFiles(
  edited: EditedFiles,
  edits: readonly TextEdit[],
): { readonly files: EditedFiles; readonly applied: readonly TextEdit[] } {
  const files = new Map(edited);
  const applied: TextEdit[] = [];
  for (const [path, [first, ...others]] of groupByFile(edits)) {
    const result = applyEdits(first.file.text, [first, ...others]);
    files.set(path, result.text);
    applied.push(...result.applied);
  }
  return { files, applied };
}

function groupByFile(edits: readonly TextEdit[]): ReadonlyMap<string, [TextEdit, ...TextEdit[]]> {
  const groups = new Map<string, [TextEdit, ...TextEdit[]]>();
  for (const edit of edits) {
    const group = groups.get(pathOf(edit));
    if (group === undefined) groups.set(pathOf(edit), [edit]);
    else group.push(edit);
  }
  return groups;
}
