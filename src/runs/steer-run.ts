import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Sender } from '../core/events/event.ts';
import { RALPH } from '../core/events/reserved.ts';
import type { Environment } from '../core/values/environment.ts';
import { RalphError } from '../core/values/errors.ts';
import { findRun, requireBegun } from '../journal/find-run.ts';
import { nodeFileSystem } from '../journal/node-file-system.ts';
import { readJournal } from '../journal/read-journal.ts';
import { type RunPaths, toRunPaths } from '../journal/run-folder.ts';
import { createJournalFold } from '../loop/decide/decide.ts';
import type { SteeringWord } from '../ports/steering.ts';
import { createRunViewFold } from '../views/fold/fold-run-view.ts';
import type { QuestionView, RunView } from '../views/fold/run-view.ts';
import { findLayout } from './find-layout.ts';
import type { Layout } from './layout.ts';
import { findLivingRun } from './living-runs.ts';
import { type FleetPerson, giveTokenFor, requireFleetPerson, requirePerson } from './people.ts';
import { readRecords } from './read-records.ts';
import type { AnswerWords, Heard, TellWords } from './run-api.ts';
import { findHolder } from './run-lock.ts';
import { MAX_TOLD, openSteering, writeSteering } from './steering.ts';

const LOOK_EVERY_MS = 50;
/** How long a run that is at work is waited for until its journal has it. */
const HEARING_MS = 5000;

/**
 * Tells the agents of a run something, and waits until its journal has it.
 *
 * @param givenMs how long it is also waited for that an agent was given it; 0 by default
 * @throws RalphError `no-runs`, `run-unknown`, `run-ambiguous`, `run-not-begun`, `run-complete`, `person-refused`, `tell-words`
 */
export async function tellRun(cwd: string, words: TellWords, env: Environment, run?: string, givenMs = 0): Promise<Heard> {
  const place = openPlace(cwd, env, run);
  return tellTo(place, words, givenMs);
}

/**
 * Answers what a run asks, and waits until its journal has it.
 *
 * @throws as {@link tellRun}; `question-unknown`, `answer-choice`, `answer-late`
 */
export async function answerRun(cwd: string, words: AnswerWords, env: Environment, run?: string): Promise<Heard> {
  const place = openPlace(cwd, env, run);
  return answerTo(place, words);
}

interface SteeringPlace {
  readonly layout: Layout;
  readonly paths: RunPaths;
  readonly sender: Sender;
  /** Absent: see `HEARING_MS`. */
  readonly hearingMs?: number;
}

/** The questions of a run that are open, oldest first. Throws as {@link tellRun} for a run that is not there. */
export function listQuestions(
  cwd: string,
  run?: string,
): { readonly runId: string; readonly isRunAlive: boolean; readonly open: readonly QuestionView[] } {
  const layout = findLayout(cwd);
  const paths = findPaths(layout, cwd, run);
  requireBegun({ fs: nodeFileSystem, stateDir: layout.stateDir }, paths.runId, findHolder(layout, paths.runId) !== null);
  return { runId: paths.runId, isRunAlive: findHolder(layout, paths.runId) !== null, open: readQuestions(paths) };
}

/**
 * Gives a person a token for a run.
 *
 * @throws RalphError `person-refused`, `no-runs`, `run-unknown`, `run-ambiguous`
 */
export function giveToken(cwd: string, run: string | undefined, env: Environment): string {
  const layout = findLayout(cwd);
  return giveTokenFor(layout, findPaths(layout, cwd, run), env);
}

/** See {@link tellRun}. */
async function tellTo(place: SteeringPlace, words: TellWords, givenMs = 0): Promise<Heard> {
  requireTellable(place.paths, words);
  const { command: id = randomUUID(), text, when = 'now' } = words;
  return say(place, { kind: 'tell', id, text, to: words.to ?? null, when, sender: place.sender }, givenMs);
}

function requireTellable(paths: RunPaths, words: TellWords): void {
  const { text, to = null } = words;
  const { hats, end } = createLook(paths)();
  refuseComplete(paths, end);
  requireTold(text);
  if (to !== null && to !== RALPH && !hats.some(({ id }) => id === to))
    throw new RalphError({
      code: 'tell-words',
      what: `There is no hat "${to.slice(0, 80)}" in this run; nobody was told.`,
      fix:
        hats.length === 0
          ? 'This run has no hats: leave --to out, and whoever works is told.'
          : `Hats: ${hats.map(({ id }) => id).join(', ')}. Without --to whoever works is told.`,
      exitCode: 2,
    });
}

/** @throws RalphError `tell-words` for what is no text to tell, in whatever run */
export function requireTold(text: string): void {
  if (text.trim() === '' || text.length > MAX_TOLD) throw toBadWords(text);
}

/**
 * What is to be said to a run of this folder that nobody has, as it can be said to whoever goes on with it: checked against what is here of the run.
 *
 * @throws as {@link tellRun}, {@link answerRun}
 */
export function checkWords(
  cwd: string,
  run: string,
): { readonly tell: (words: TellWords) => TellWords; readonly answer: (words: AnswerWords) => AnswerWords } {
  const paths = findPaths(findLayout(cwd), cwd, run);
  return {
    tell: (words) => {
      requireTellable(paths, words);
      return words;
    },
    answer: (words) => {
      const { question, choice } = chooseAnswer(paths, words);
      return { ...words, question: question.id, choice };
    },
  };
}

/** See {@link answerRun}. */
async function answerTo(place: SteeringPlace, words: AnswerWords): Promise<Heard> {
  const { paths, sender } = place;
  const { command: id = randomUUID() } = words;
  const { question, choice } = chooseAnswer(paths, words);
  refuseSecond(place, question, choice);
  const heard = await say(place, { kind: 'answer', id, question: question.id, choice, sender }, 0);
  const settled = heard.question?.answer ?? null;
  if (heard.question !== null && settled !== null && (settled.by !== 'person' || settled.choice !== choice)) throw toLate(heard.question);
  return heard;
}

/** While nobody has a run, what was answered before waits to be heard, and counts. */
function refuseSecond({ layout, paths }: SteeringPlace, { id }: QuestionView, choice: string): void {
  if (findHolder(layout, paths.runId) !== null) return;
  const fold = createJournalFold();
  readJournal({ fs: nodeFileSystem, path: paths.journal }, (entry) => void fold.take(entry));
  const { words } = openSteering(paths, (sender) => sender).read(fold.run().state.steeringOffset);
  const first = words.map(({ word }) => word).find((word) => word.kind === 'answer' && word.question === id);
  if (first?.kind === 'answer' && !isSameChoice(first.choice, choice)) throw toLate({ id, answer: { by: 'person', choice: first.choice } });
}

/** Choices are compared without case: `yes` is `Yes`. */
export function isSameChoice(one: string, other: string): boolean {
  return one.trim().toLowerCase() === other.trim().toLowerCase();
}

/** The question that is meant, and the choice as it was offered. */
function chooseAnswer(
  paths: RunPaths,
  { choice, question: name }: AnswerWords,
): { readonly question: QuestionView; readonly choice: string } {
  const { questions, end } = createLook(paths)();
  refuseComplete(paths, end);
  const over = questions.find(({ id, answer }) => id === name && answer !== null);
  if (over !== undefined) throw toLate(over);
  const open = questions.filter(({ answer }) => answer === null);
  const question = findQuestion(paths.runId, open, name);
  const chosen =
    question.choices.find((known) => known === choice) ?? question.choices.find((known) => known.toLowerCase() === choice.toLowerCase());
  if (chosen === undefined)
    throw new RalphError({
      code: 'answer-choice',
      what: `"${choice.slice(0, 80)}" is no answer to ${question.id}; it stays open.`,
      fix: `Choose one of: ${question.choices.join(', ')}.`,
      exitCode: 2,
    });
  return { question, choice: chosen };
}

const SETTLED_BY: Readonly<Record<NonNullable<QuestionView['answer']>['by'], string>> = {
  person: 'a person answered before',
  deadline: 'nobody answered before its deadline',
  withdrawn: 'the turn that asked it is over',
};

/** @param answer what counts; `null`: nothing is known of that */
export function toLate({
  id,
  answer,
}: {
  readonly id: string;
  readonly answer: Pick<NonNullable<QuestionView['answer']>, 'by' | 'choice'> | null;
}): RalphError {
  const how = answer === null ? '' : `: ${SETTLED_BY[answer.by]}, and ${JSON.stringify(answer.choice)} counts`;
  return new RalphError({
    code: 'answer-late',
    what: `The answer to ${id} comes too late${how}.`,
    fix: 'See what is open: ralph asks. What the agents should do differently now: ralph tell "…"',
    exitCode: 1,
  });
}

/** The same for who has the run at hand. Throws RalphError `person-refused`. */
export function steerOwn(
  layout: Layout,
  paths: RunPaths,
  env: Environment,
): {
  readonly tell: (words: TellWords) => Promise<Heard>;
  readonly answer: (words: AnswerWords) => Promise<Heard>;
} {
  const toPlace = (): SteeringPlace => ({ layout, paths, sender: requirePerson(layout, paths, env) });
  return { tell: async (words) => tellTo(toPlace(), words), answer: async (words) => answerTo(toPlace(), words) };
}

/**
 * The same for people on other machines, whom the fleet lets in. Each throws RalphError `person-refused`, and as the functions above.
 *
 * @param hearingMs how long it is waited for that the journal has it
 */
export function steerFromFleet(
  layout: Layout,
  paths: RunPaths,
  hearingMs: number = HEARING_MS,
): {
  readonly tell: (words: TellWords, who: FleetPerson, givenMs: number) => Promise<Heard>;
  readonly answer: (words: AnswerWords, who: FleetPerson) => Promise<Heard>;
} {
  const toPlace = (who: FleetPerson): SteeringPlace => ({ layout, paths, hearingMs, sender: requireFleetPerson(paths, who) });
  return {
    tell: async (words, who, givenMs) => tellTo(toPlace(who), words, givenMs),
    answer: async (words, who) => answerTo(toPlace(who), words),
  };
}

function openPlace(cwd: string, env: Environment, run: string | undefined): SteeringPlace {
  const layout = findLayout(cwd);
  const paths = findPaths(layout, cwd, run);
  const sender = requirePerson(layout, paths, env);
  requireBegun({ fs: nodeFileSystem, stateDir: layout.stateDir }, paths.runId, findHolder(layout, paths.runId) !== null);
  return { layout, paths, sender };
}

function findPaths(layout: Layout, cwd: string, run: string | undefined): RunPaths {
  const state = { fs: nodeFileSystem, stateDir: layout.stateDir };
  return toRunPaths(layout.stateDir, run === undefined ? (findLivingRun(layout, cwd) ?? findRun(state, 'last')) : findRun(state, run));
}

async function say({ layout, paths, hearingMs = HEARING_MS }: SteeringPlace, word: SteeringWord, givenMs: number): Promise<Heard> {
  writeSteering(paths, word);
  const isAlive = (): boolean => findHolder(layout, paths.runId) !== null;
  const look = createLook(paths);
  const heardUntil = Date.now() + hearingMs;
  const givenUntil = Date.now() + givenMs;
  for (;;) {
    const heard = { runId: paths.runId, id: word.id, isRunAlive: isAlive(), ...findWord(look(), word) };
    const isHeard = (word.kind === 'tell' ? heard.tell : (heard.question?.answer ?? null)) !== null;
    const isGiven = word.kind === 'answer' || (heard.tell?.given ?? null) !== null;
    const isDone = isHeard ? isGiven || Date.now() >= givenUntil : Date.now() >= heardUntil;
    if (!heard.isRunAlive && !isHeard && look().end?.reason === 'completed') throw toUnheard(paths.runId);
    if (isDone || !heard.isRunAlive) return heard;
    await pause(LOOK_EVERY_MS);
  }
}

function findWord({ tells, questions }: RunView, word: SteeringWord): Pick<Heard, 'tell' | 'question'> {
  return {
    tell: word.kind === 'tell' ? (tells.find(({ id }) => id === word.id) ?? null) : null,
    question: word.kind === 'answer' ? (questions.find(({ id }) => id === word.question) ?? null) : null,
  };
}

function readQuestions(paths: RunPaths): readonly QuestionView[] {
  return createLook(paths)().questions.filter(({ answer }) => answer === null);
}

/** Looks at the run again and again; what was read once is not read again. */
function createLook(paths: RunPaths): () => RunView {
  const cursor = readRecords(paths, 0);
  const fold = createRunViewFold();
  return () => {
    for (let records = cursor.read(); records.length > 0; records = cursor.read()) for (const record of records) fold.take(record);
    return fold.view();
  };
}

function findQuestion(runId: string, open: readonly QuestionView[], name: string | undefined): QuestionView {
  const found = name === undefined && open.length === 1 ? open[0] : open.find(({ id }) => id === name);
  if (found !== undefined) return found;
  const listed = open.map(({ id, choices }) => `${id} (${choices.join('|')})`).join(', ');
  throw new RalphError({
    code: 'question-unknown',
    what:
      name === undefined
        ? `${open.length === 0 ? 'No question is' : `${open.length} questions are`} open in ${runId}.`
        : `No question ${name} is open in ${runId}.`,
    fix:
      open.length === 0
        ? 'See what runs ask: ralph asks'
        : `Open: ${listed}. Answer one: ralph answer ${open[0]?.id} ${open[0]?.choices[0]}`,
    exitCode: 2,
  });
}

function refuseComplete({ runId }: RunPaths, end: RunView['end']): void {
  if (end?.reason === 'completed') throw toComplete(runId);
}

/** Said of whatever is told to a run that is complete. */
export function toComplete(runId: string): RalphError {
  return new RalphError({
    code: 'run-complete',
    what: `Run ${runId} is complete; nobody hears it.`,
    why: 'A completed run does not continue.',
    fix: 'Start a run first: ralph run',
  });
}

/** Said of what was told to a run that has completed meanwhile. */
export function toUnheard(runId: string): RalphError {
  return new RalphError({
    code: 'run-complete',
    what: `Run ${runId} was complete before your message was heard.`,
    why: 'A completed run does not continue.',
    fix: 'See what it did: ralph show. What is left to do: ralph run',
  });
}

function toBadWords(text: string): RalphError {
  const what = text.trim() === '' ? 'There is nothing to tell.' : `That is more than ${MAX_TOLD} characters.`;
  return new RalphError({
    code: 'tell-words',
    what,
    fix: 'Such as: ralph tell "use the old API". What is long goes into a file whose name you tell.',
    exitCode: 2,
  });
}
