import { toErrorCode } from '../core/index.ts';
import { type PathRefusal, quotePath } from './check-path-text.ts';

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
export function explainFileError(error: unknown, shownPath: string): PathRefusal {
  const code = toErrorCode(error);
  const [what, advice] = EXPLANATIONS[code] ?? ['cannot be used', 'Take another file, or try again.'];
  return { refused: `${quotePath(shownPath)} ${what} (${code}).`, advice };
}
