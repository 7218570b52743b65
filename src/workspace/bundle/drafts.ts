import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { isTextList, parseJson } from '../../core/values/json.ts';
import { readStanding } from '../snapshot/present-tree.ts';
import { type DraftNotes, isWorkPath } from './file-changes.ts';

const DRAFT = /^\.ralph-[0-9a-f]{16}\.tmp$/;

const toFile = (folder: string): string => join(folder, 'drafts.json');

/** Notes in the folder of a run. @param folder absolute */
export function createDraftNotes(folder: string): DraftNotes {
  return {
    note: (drafts) => writeFileSync(toFile(folder), JSON.stringify(drafts), { mode: 0o600 }),
    clear: () => rmSync(toFile(folder), { force: true }),
  };
}

/** Removes what a killed process of a run left in its working tree before it came to its place. Only where nobody is at work there. Never throws: what cannot be removed stays until the next time. */
export function sweepDrafts(folder: string, top: string): void {
  try {
    if (!existsSync(toFile(folder))) return;
    const drafts = parseJson(readFileSync(toFile(folder), 'utf8'));
    for (const path of isTextList(drafts) ? drafts : [])
      if (isWorkPath(path) && DRAFT.test(posix.basename(path)) && readStanding(top, path) === 'file') rmSync(join(top, path));
    createDraftNotes(folder).clear();
  } catch {
    // As it was.
  }
}
