import { randomUUID } from 'node:crypto';
import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { isAskable, QUESTION_LIMITS } from '../core/run/question-limits.ts';
import type { Environment } from '../core/values/environment.ts';
import { RalphError } from '../core/values/errors.ts';
import { appendLine } from '../journal/agent-line.ts';
import { nodeFileSystem } from '../journal/node-file-system.ts';
import { createSharedFileSystem } from '../journal/shared-file-system.ts';
import { findReceivedAnswer, type ReceivedAnswer, toAskPlace } from './ask-file.ts';
import { findEventPlace, readContract } from './contract-file.ts';

/** A question as an agent puts it. */
export interface AskWords {
  readonly text: string;
  readonly choices: readonly string[];
  /** What counts when nobody answers; absent: the last choice. */
  readonly default?: string;
  /** Absent: as the run says. */
  readonly deadlineMs?: number;
}

const LOOK_EVERY_MS = 100;
/** How long after the deadline the run itself is waited for. */
const GRACE_MS = 15_000;
/** When even a run that lives would have answered. */
const LONGEST_MS = QUESTION_LIMITS.deadlineMs + 3600 * 1000;

/**
 * Asks the people of the run in whose turn this is called, and waits for the answer: a choice of theirs, or the default when the deadline has passed.
 *
 * @throws RalphError `ask-no-turn`, `ask-choices`; the system error
 */
export async function askPeople(words: AskWords, env: Environment, signal?: AbortSignal): Promise<ReceivedAnswer> {
  const turn = findEventPlace(env);
  if (turn?.contractFile === undefined || turn.contractFile === null) throw toNoTurn();
  const question = toQuestion(words);
  const workspace = readContract(turn.contractFile)?.workspace ?? null;
  const place = toAskPlace(turn.eventsFile, dirname(turn.contractFile), workspace);
  let offset = nodeFileSystem.stat(place.answersFile)?.sizeBytes ?? 0;
  appendLine(createSharedFileSystem(place.root), place.asksFile, JSON.stringify(question));
  const until = Date.now() + (words.deadlineMs === undefined ? LONGEST_MS : words.deadlineMs + GRACE_MS);
  while (Date.now() < until) {
    const found = findReceivedAnswer(place.answersFile, question.ask, offset);
    if (found.answer !== null) return found.answer;
    offset = found.offset;
    await pause(LOOK_EVERY_MS, undefined, signal === undefined ? {} : { signal });
  }
  return { choice: question.default, by: 'deadline' };
}

function toQuestion({ text, choices, default: fallback, deadlineMs }: AskWords) {
  const chosen = fallback ?? choices.at(-1) ?? '';
  const asked = { text, choices, default: chosen, ...(deadlineMs === undefined ? {} : { deadlineMs }) };
  if (!isAskable(asked))
    throw new RalphError({
      code: 'ask-choices',
      what: 'This cannot be asked.',
      why: `A question has a text of at most ${QUESTION_LIMITS.text} characters, 2 to ${QUESTION_LIMITS.choices} different choices of at most ${QUESTION_LIMITS.choice}, one of them as its default, and waits for 24 h at most.`,
      fix: 'Such as: ralph ask "Drop the old table?" --choices yes,no --default no',
      exitCode: 2,
    });
  return { ask: randomUUID(), ...asked };
}

function toNoTurn(): RalphError {
  return new RalphError({
    code: 'ask-no-turn',
    what: 'Nobody is asked: this is no turn of a run.',
    why: 'An agent asks the people of its run, from its shell or by a tool.',
    fix: 'To tell a run something: ralph tell "…". To answer what it asks: ralph asks, ralph answer',
    exitCode: 2,
  });
}
