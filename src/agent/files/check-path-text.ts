import { sep } from 'node:path';
import { maskControls } from '../../core/text/mask-controls.ts';
import { toErrorCode } from '../../core/values/errors.ts';
import type { Refusal } from '../../core/values/result.ts';

/** What Linux takes for a path and for one name in it. */
const MAX_PATH_BYTES = 4096;
const MAX_NAME_BYTES = 255;
const MAX_SHOWN_CHARACTERS = 200;

/**
 * Looks at a path as text, before anything is looked up.
 *
 * @returns `null` where there is nothing to refuse.
 */
export function checkPathText(path: string): Refusal | null {
  if (path.trim() === '')
    return { reason: 'The path is empty.', advice: 'Give a path inside of the workspace; "." is the workspace itself.' };
  if (path.includes('\0')) return { reason: 'The path holds a NUL character.', advice: 'Give the path again without it.' };
  if (maskControls(path) !== path) {
    return {
      reason: `The path ${quotePath(path)} holds control characters or marks that turn the direction of writing.`,
      advice: 'Give the path again without them. Files with such names cannot be reached through the file tools.',
    };
  }
  if (/\p{Surrogate}/u.test(path))
    return { reason: `The path ${quotePath(path)} holds half of a character.`, advice: 'Give it as whole Unicode characters.' };
  if (/^~(?:[/\\]|$)/.test(path)) {
    return {
      reason: `The path ${quotePath(path)} leads to a home folder, and "~" is not resolved.`,
      advice: 'Give a path inside of the workspace.',
    };
  }
  if (sep === '/' && path.includes('\\')) {
    return { reason: `The path ${quotePath(path)} has backslashes in it.`, advice: 'Put "/" between the names of folders.' };
  }
  return checkLength(path);
}

/** A path as it may stand in a message: masked, cut, in quotes. */
export function quotePath(path: string): string {
  const masked = maskControls(path.slice(0, MAX_SHOWN_CHARACTERS * 2)).replace(/\p{Surrogate}/gu, '\uFFFD');
  const shown = [...masked].slice(0, MAX_SHOWN_CHARACTERS).join('');
  return `"${shown}${path.length > shown.length ? '…' : ''}"`;
}

function checkLength(path: string): Refusal | null {
  const advice = 'Give a shorter path.';
  if (Buffer.byteLength(path) > MAX_PATH_BYTES) return { reason: `The path is longer than ${MAX_PATH_BYTES} bytes.`, advice };
  const long = path.split(/[/\\]/).find((name) => Buffer.byteLength(name) > MAX_NAME_BYTES);
  if (long !== undefined) return { reason: `The name ${quotePath(long)} in the path is longer than ${MAX_NAME_BYTES} bytes.`, advice };
  return null;
}

/** By the system's code: what it says of the path, and what to do. */
const EXPLANATIONS: Readonly<Record<string, readonly [what: string, advice: string]>> = {
  ENOENT: ['does not exist', 'Check the path; list_files and glob show what there is.'],
  ENOTDIR: ['uses a file as if it were a folder', 'Check the path; list_files shows what there is.'],
  EISDIR: ['is a folder', 'Give the path of a file; list_files shows what is in the folder.'],
  EACCES: ['may not be touched by the user that Ralph runs as', 'Take another file, or ask a person to change its permissions.'],
  EPERM: ['may not be touched by the user that Ralph runs as', 'Take another file, or ask a person to change its permissions.'],
  EROFS: ['is on a file system that is read-only', 'Write to another place.'],
  ENOSPC: ['cannot be written: the disk is full', 'Remove what is not needed, or end the turn and say so.'],
  EDQUOT: ['cannot be written: the quota is used up', 'Remove what is not needed, or end the turn and say so.'],
  ENAMETOOLONG: ['is too long', 'Give a shorter path.'],
  ELOOP: ['became a symbolic link while it was looked at', 'Give the path of the file itself, and try again.'],
  EBUSY: ['is in use, or a mount of its own', 'Write to another file.'],
  EMFILE: ['cannot be opened: too many files are open', 'Try again later.'],
  ENXIO: ['is no regular file', 'Only regular files can be read and written.'],
};

/** What a failed system call on a file means for whoever asked, with the system's code. */
export function explainFileError(error: unknown, shownPath: string): Refusal {
  const code = toErrorCode(error);
  const [what, advice] = EXPLANATIONS[code] ?? ['cannot be used', 'Take another file, or try again.'];
  return { reason: `${quotePath(shownPath)} ${what} (${code}).`, advice };
}
