import type { TurnFailure } from '../core/index.ts';
import { classifyFailure } from './failure-class.ts';
import { toOneLine } from './one-line.ts';
import type { ExitFacts } from './translator.ts';

const MAX_TOLD_LENGTH = 1500;
const NOISE = /^\s*(?:at .+[:)]|[{}[\]();,]*|\d+ \|.*|\^+|timestamp=\S+ level=(?:INFO|DEBUG) .*|node:internal.*|Node\.js v[\d.]+)\s*$/;
const WARNING = /^\W*(?:warn(?:ing)?|info|debug|note|deprecat\w*)\b|DeprecationWarning|ExperimentalWarning|falling back|^\[STARTUP\]/i;
const TROUBLE =
  /error|fail|denied|refused|invalid|unauthori|limit|quota|exceed|not found|unknown|cannot|can't|unable|missing|no such|expected|required|log ?in|please/i;

/**
 * Why a turn failed whose agent gave no verdict of its own: from its exit, and from what it said beside its stream
 * (`words`: stray lines of standard output; standard error comes first).
 */
export function toExitFailure(exit: ExitFacts, words: string, isStreamTorn: boolean): TurnFailure {
  const lines = findTrouble(exit.stderrTail, exit.exitCode) ?? findTrouble(words, exit.exitCode);
  const ending = describeExit(exit);
  if (lines !== undefined) {
    const judged = judgeWords(lines.join('\n'), exit.now);
    const told = [...new Set(lines.map((line) => classifyFailure({ message: line }, exit.now).message))].join(' · ');
    return { ...judged, message: toOneLine(exit.exitCode === 0 ? `${TORN}: ${told}` : `${told} (${ending})`, MAX_TOLD_LENGTH) };
  }
  return { class: 'agent', message: isStreamTorn ? `${TORN} (${ending})` : `the agent ended with ${ending}` };
}

/** A status in the last words of a program may be that of anything it did; that of its model is told as such. */
function judgeWords(words: string, now: number): TurnFailure {
  const judged = classifyFailure({ message: words }, now);
  return judged.class === 'request' && !/\bapi error\b|\bmodel\b/i.test(words) ? { ...judged, class: 'agent' } : judged;
}

const TORN = 'the stream ended before its final event';

function describeExit(exit: ExitFacts): string {
  if (exit.exitCode !== null) return `exit code ${exit.exitCode}`;
  return exit.signal === null ? 'no exit code' : `signal ${exit.signal}`;
}

/** The lines that say most about what went wrong, at most three; `undefined` where there is none. */
function findTrouble(text: string, exitCode: number | null): readonly string[] | undefined {
  const lines = text.split('\n').map((line) => stripControls(line).trim());
  const useful = lines.filter((line) => line !== '' && !NOISE.test(line) && !WARNING.test(line));
  const telling = useful.filter((line) => TROUBLE.test(line));
  // After exit code 0 or a signal only clear words count: what else is there is chatter.
  const isChatty = exitCode === 0 || exitCode === null;
  const chosen = (telling.length > 0 || isChatty ? telling : useful).slice(-3);
  return chosen.length === 0 ? undefined : chosen;
}

function stripControls(line: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is removed here.
  return line.replace(/\u001b\[[0-9;?]*[A-Za-z]/g, '').replace(/[\u0000-\u0008\u000b-\u001f]/g, '');
}
