import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { toShellWord } from '../../core/text/shell-word.ts';
import { RalphError, toErrorCode } from '../../core/values/errors.ts';

const MAX_BYTES = 4096;

/**
 * The token in a file that its owner alone may read.
 *
 * @throws RalphError `web-token-file`
 */
export function readTokenFile(path: string): string {
  const text = readOwnFile(path).trim();
  if (/^[\x21-\x7e]{24,200}$/.test(text)) return text;
  throw toUnfit(
    path,
    'holds no token.',
    'Who knows it reads all runs, so it must not be easy to guess: 24 to 200 visible characters on one line.',
  );
}

function readOwnFile(path: string): string {
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    throw toUnfit(path, `cannot be read (${toErrorCode(error)}).`);
  }
  try {
    const stats = fstatSync(file);
    if (!stats.isFile() || stats.size > MAX_BYTES) throw toUnfit(path, 'is no file with a token.');
    if (stats.uid !== process.getuid?.()) throw toUnfit(path, 'belongs to somebody else.');
    if ((stats.mode & 0o077) !== 0) throw toUnfit(path, 'can be read by others.', 'Who knows the token reads all runs.');
    return readFileSync(file, 'utf8');
  } finally {
    closeSync(file);
  }
}

function toUnfit(path: string, what: string, why?: string): RalphError {
  const word = toShellWord(path);
  return new RalphError({
    code: 'web-token-file',
    what: `The token file ${path.slice(0, 200)} ${what}`,
    ...(why !== undefined && { why }),
    fix: `Make one: (umask 077; openssl rand -hex 32 > ${word})`,
    exitCode: 2,
  });
}
