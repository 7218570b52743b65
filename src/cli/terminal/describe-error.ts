import { isRalphError, toErrorCode } from '../../core/values/errors.ts';
import { cleanText } from '../../views/text/plain-text.ts';
import type { Style } from './terminal.ts';

export interface ErrorLook {
  readonly style: Style;
  /** Show where in the code it came from (`RALPH_DEBUG=1`). */
  readonly debug: boolean;
}

export interface DescribedError {
  readonly text: string;
  readonly exitCode: number;
}

/** Codes of the system that say that something is wrong with a file or the disk, not with Ralph. */
const SYSTEM_CODES = /^(EACCES|EPERM|EROFS|ENOSPC|EDQUOT|EIO|EMFILE|ENFILE|ENOENT|ENOTDIR|EISDIR|ELOOP|ENAMETOOLONG)$/;

/** An error in words: what happened, why, what to do. The stack is for those who ask for it. */
export function describeError(error: unknown, look: ErrorLook): DescribedError {
  const stack = look.debug && error instanceof Error ? `\n${look.style('faint', cleanText(error.stack ?? ''))}\n` : '';
  if (isRalphError(error)) {
    const rows = [...toPart('Why', error.why, look.style), ...toPart('Fix', error.fix, look.style)];
    return {
      text: `${[`${look.style('bad', 'ralph:')} ${cleanText(error.message)}`, ...rows].join('\n')}\n${stack}`,
      exitCode: error.exitCode,
    };
  }
  const message = error instanceof Error ? cleanText(error.message) : String(error);
  if (SYSTEM_CODES.test(toErrorCode(error))) return { text: `${look.style('bad', 'ralph:')} ${message}\n${stack}`, exitCode: 1 };
  const report = `  This is a bug in Ralph ${RALPH_VERSION}. Please report it with the command that you typed and its output with RALPH_DEBUG=1.`;
  return { text: `${look.style('bad', 'ralph:')} something went wrong inside Ralph: ${message}\n${report}\n${stack}`, exitCode: 1 };
}

/** `  Why: …`; further lines stand below the first. Long parts (findings in a configuration) keep their own layout. */
function toPart(label: string, text: string | undefined, style: Style): readonly string[] {
  if (text === undefined || text === '') return [];
  const lines = cleanText(text).split('\n');
  if (lines.length > 8 || /^(ERROR|WARN|HINT|NOTE): /.test(lines[0] ?? '')) return ['', ...lines];
  return lines.map((line, index) => `  ${index === 0 ? style('heading', `${label}:`) : ' '.repeat(label.length + 1)} ${line}`);
}
