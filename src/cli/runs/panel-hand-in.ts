import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { HAND_LIMITS } from '../../core/panel/hand-limits.ts';
import { isRalphError, RalphError, toErrorCode } from '../../core/values/errors.ts';
import type { HandRound } from '../../emit/hand-file.ts';
import type { HandInWords } from '../../emit/hand-in.ts';
import { createUsageError } from '../args/usage-error.ts';
import type { CliContext, CommandCall } from '../cli-context.ts';
import { printJson } from '../terminal/terminal.ts';

type Call = Pick<CommandCall, 'options'> & { readonly words: readonly string[] };

/** `ralph panel answer`, what an agent of a panel calls in its round. */
export async function performPanelAnswer(context: CliContext, { words, options }: Call): Promise<number> {
  const { requireHandRound } = await import('../../emit/index.ts');
  const round = requireHandRound(context.env);
  const content = await readContent(context, words, options['file']);
  const topic = options['topic'];
  return handInWords(context, { kind: 'answer', content, ...(typeof topic === 'string' && { topic }) }, { round, options });
}

/** `ralph panel vote`, what an agent of a panel calls in its round. */
export async function performPanelVote(context: CliContext, { words, options }: Call): Promise<number> {
  const { requireHandRound } = await import('../../emit/index.ts');
  const round = requireHandRound(context.env);
  const [target, ...reason] = words;
  if (target === undefined || target === '')
    throw createUsageError('Whose answer is the best is missing.', 'Such as: ralph panel vote agent2 "it is measured, and short"');
  return handInWords(context, { kind: 'vote', target, reason: reason.join(' ').slice(0, HAND_LIMITS.reason) }, { round, options });
}

/** The answer itself: words, a file, or standard input. */
async function readContent(context: CliContext, words: readonly string[], file: unknown): Promise<string> {
  if (typeof file === 'string' && words.length > 0) throw createUsageError('--file and a text exclude each other.', 'Give one.');
  if (typeof file === 'string' && file !== '-') return readAnswerFile(resolve(context.cwd, file), file);
  if (file === '-' || (words.length === 1 && words[0] === '-')) return context.readStdin(4 * HAND_LIMITS.answer);
  if (words.length > 0) return words.join(' ');
  throw createUsageError(
    'The answer is missing.',
    'Such as: ralph panel answer "…", ralph panel answer --file answer.md, or … | ralph panel answer -',
  );
}

function readAnswerFile(path: string, shown: string): string {
  const refuse = (why: string): RalphError =>
    new RalphError({
      code: 'panel-answer-file',
      what: `${shown} ${why}, so nothing was handed in.`,
      fix: 'Name a file that is there, or give the answer itself: ralph panel answer "…"',
      exitCode: 2,
    });
  try {
    const facts = statSync(path);
    // Each of its characters takes at most four bytes; a pipe could be waited for in vain.
    if (!facts.isFile()) throw refuse('is no file');
    if (facts.size > 4 * HAND_LIMITS.answer) throw refuse(`has ${facts.size.toLocaleString('en')} bytes, more than an answer may have`);
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (isRalphError(error)) throw error;
    throw refuse(`cannot be read (${toErrorCode(error)})`);
  }
}

interface HandInCall extends Pick<CommandCall, 'options'> {
  readonly round: HandRound;
}

/** Prints the verdict; the exit code says whether it was accepted. */
async function handInWords({ terminal }: CliContext, words: HandInWords, { round, options }: HandInCall): Promise<number> {
  const { handIn } = await import('../../emit/index.ts');
  const { isAccepted, text } = await handIn(words, round);
  if (options['format'] === 'json') printJson(terminal, { v: 1, accepted: isAccepted, text });
  else if (isAccepted) terminal.out(`${text}\n`);
  else terminal.err(`Not taken: ${text}\n`);
  return isAccepted ? 0 : 1;
}
