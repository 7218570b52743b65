import type { Feedback, GateResult } from '../core/index.ts';
import type { PromptContext } from './prompt-context.ts';
import { fenced, inCode, inLine, listInCode } from './quoting.ts';
import { lines, type Section, section } from './section.ts';
import { joinWords, ours, say, type Words } from './words.ts';

/** The most notes that are shown; the newest matter most. */
const SHOWN_NOTES = 20;

/** What became of what the hat did in its earlier turns. */
export function planFeedback({ turn }: PromptContext): Section | null {
  if (turn.feedback.length === 0) return null;
  const notes = turn.feedback.slice(-SHOWN_NOTES).map(noteOf);
  const left = turn.feedback.length - notes.length;
  return section(
    'FEEDBACK',
    ours('What became of your last turn. Deal with this first.'),
    left > 0 ? ours(`${left} older notes are left out.`) : [],
    ...notes,
  );
}

function noteOf(feedback: Feedback): Words {
  switch (feedback.kind) {
    case 'refused':
      return say`- Refused: you may not publish ${inCode(feedback.topic)}. ${allowedWords(feedback.allowed)}`;
    case 'promise-refused':
      return say`- The run was not ended: ${inLine(feedback.why.replace(/[\s.]+$/, ''))}.`;
    case 'gate-failed':
      return joinWords(
        [say`- ${inCode(feedback.topic)} did not count, because a check failed that the loop ran itself:`, ...failures(feedback.results)],
        '\n\n',
      );
    case 'withdrawn':
      return say`- Your interrupted attempt already wrote ${listInCode(feedback.topics)}; nobody got it. See what that attempt left in the files, finish, and publish again.`;
    case 'malformed':
      return say`- Unreadable, so lost: ${inLine(feedback.where)}: ${inLine(feedback.message.replace(/[\s.]+$/, ''))}. Write it again, correctly.`;
  }
}

function allowedWords(allowed: readonly string[]): Words {
  return allowed.length === 0 ? ours('You may publish nothing.') : say`Allowed: ${listInCode(allowed)}.`;
}

function failures(results: readonly GateResult[]): readonly Words[] {
  return results
    .filter((result) => !result.passed)
    .map((result) => {
      const output = result.outputTail.trim() === '' ? [] : fenced(result.outputTail);
      return lines(say`${inCode(result.command)} ${ours(howItEnded(result))}`, output);
    });
}

function howItEnded({ exitCode, timedOut, outputTail }: GateResult): string {
  const how = timedOut ? 'ran out of time' : exitCode === null ? 'could not be run' : `ended with exit code ${exitCode}`;
  return outputTail.trim() === '' ? `${how}, without output.` : `${how}. The end of its output:`;
}
