import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { explainTooLong } from '../core/panel/hand-limits.ts';
import type { Environment } from '../core/values/environment.ts';
import { RalphError } from '../core/values/errors.ts';
import type { HandedIn } from '../ports/backend.ts';
import { findVerdict, HAND_VARIABLE, type HandRound, readHandRound, writeHandIn } from './hand-file.ts';

/** What an agent hands in, as it was written on a command line or in a call of a tool. */
export type HandInWords =
  | { readonly kind: 'answer'; readonly content: string; readonly topic?: string }
  | { readonly kind: 'vote'; readonly target: string; readonly reason: string };

const LOOK_EVERY_MS = 50;
/** The work is kept before the verdict, which takes a while for a large folder. */
const LONGEST_MS = 10 * 60_000;

/**
 * The round of the agent that this is called by.
 *
 * @throws RalphError `panel-no-round`
 */
export function requireHandRound(env: Environment): HandRound {
  const round = readHandRound(env[HAND_VARIABLE]);
  if (round !== null) return round;
  throw new RalphError({
    code: 'panel-no-round',
    what: 'Nothing is handed in: this is no round of a panel.',
    why: 'An agent of a panel hands in from its shell, or by a tool, while it works on its prompt.',
    fix: 'To publish an event: ralph emit TOPIC "…". To answer what a run asks you: ralph answer. To see a panel: ralph panel show',
    exitCode: 2,
  });
}

/**
 * Hands in for the agent of a round, and waits for the verdict.
 *
 * @throws RalphError `panel-no-verdict`; the system error
 */
export async function handIn(words: HandInWords, round: HandRound, signal?: AbortSignal): Promise<HandedIn> {
  const tooLong = words.kind === 'answer' ? explainTooLong(words.content) : null;
  if (tooLong !== null) return { isAccepted: false, text: tooLong };
  const hand = randomUUID();
  writeHandIn(round, { hand, ...words });
  let offset = 0;
  const until = Date.now() + LONGEST_MS;
  while (Date.now() < until) {
    const found = findVerdict(round, hand, offset);
    if (found.verdict !== null) return found.verdict;
    offset = found.offset;
    await pause(LOOK_EVERY_MS, undefined, signal === undefined ? {} : { signal });
  }
  throw new RalphError({
    code: 'panel-no-verdict',
    what: 'What was handed in got no verdict.',
    why: 'The run that this agent works for is not there any more, or is held up.',
    fix: 'End your turn. A run that continues asks again.',
  });
}
