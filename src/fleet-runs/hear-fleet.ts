import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { isRalphError, RalphError, toErrorMessage } from '../core/values/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../core/values/json.ts';
import type { RunKeeper } from '../fleet/keep-run.ts';
import { nodeFileSystem } from '../journal/node-file-system.ts';
import { readJournal } from '../journal/read-journal.ts';
import type { RunPaths } from '../journal/run-folder.ts';
import type { Fleet, SteerWord } from '../ports/fleet.ts';
import type { FleetPerson } from '../runs/people.ts';
import type { AnswerWords, Heard, TellWords } from '../runs/run-api.ts';
import { readShownPiece } from '../runs/shown-piece.ts';
import { type Face, leaveFleetWish } from '../runs/stop-run.ts';
import { toPlainLine } from '../views/text/plain-text.ts';

/** What a person says to a run from another machine: plain JSON in a word. The id of the word is that of the command. */
type FleetWord =
  | { readonly kind: 'tell'; readonly words: Omit<TellWords, 'command'>; readonly givenMs: number }
  | { readonly kind: 'answer'; readonly words: Omit<AnswerWords, 'command'> }
  | { readonly kind: 'stop'; readonly wish: 'after' | 'now'; readonly face?: Face }
  /** No word to the run: what the agent of a turn has said so far, for who begins to look. */
  | { readonly kind: 'said'; readonly turn: string };

/** Of what is said and replied. */
export const STEER_VERSION = 1;
/** Of what was said so far the end is enough; a message may not be large. */
const LAST_SAID = { from: -100_000, count: 100_000 };
/** Nobody waits longer for an agent to be given what was told. */
const MAX_GIVEN_MS = 5000;

/** A run as those on other machines steer it, see `steerFromFleet`. */
interface HeardRun {
  readonly tell: (words: TellWords, who: FleetPerson, givenMs: number) => Promise<Heard>;
  readonly answer: (words: AnswerWords, who: FleetPerson) => Promise<Heard>;
}

/** The run of this process on its fleet. */
interface OwnRun {
  readonly fleet: Pick<Fleet, 'steer' | 'words'>;
  readonly keeper: Pick<RunKeeper, 'confirm' | 'settled'>;
}

/** How often it is looked for what was said while nobody had the run, or nobody answered. */
const LOOK_MS = 2000;

/**
 * Hears what people on other machines say to a run of this process, as if they had said it here; also what they said while nobody had it. The function that is returned ends it, behind the word in hand.
 *
 * @param tell is told what of that counts for nothing, for who said it does not wait for an answer any more
 * @param left what was left for the run before it went on
 */
export function hearFleet(
  own: OwnRun,
  paths: RunPaths,
  steered: HeardRun,
  tell: (text: string) => void,
  left: LeftWords = NOTHING_LEFT,
): () => Promise<void> {
  const { fleet, keeper } = own;
  const unanswer = fleet.steer.answer(paths.runId, async ({ id, body }) => {
    // One that was frozen leaves it to the process that has the run now.
    await keeper.confirm();
    const read = parseWord(body);
    try {
      if (read === null) throw new Error('it was written by another version of Ralph');
      return { v: STEER_VERSION, done: await act(paths, steered, { id, ...read }) };
    } catch (error) {
      return { v: STEER_VERSION, refused: toRefusal(paths.runId, error) };
    }
  });
  const over = new AbortController();
  // What the fleet could not be made to forget is heard once all the same.
  const heard = new Set(left.passedOver);
  const written = new Set(left.written);
  const take = async (word: SteerWord): Promise<void> => {
    if (!heard.has(word.id) && !(await takeKept({ ...own, written }, paths, steered, word, tell))) return;
    heard.add(word.id);
    await fleet.words.drop(paths.runId, word.id);
  };
  const hearKept = async (): Promise<void> => {
    while (!over.signal.aborted) {
      const words = await fleet.words.list(paths.runId).catch(() => []);
      for (const word of words) if (!over.signal.aborted) await take(word).catch(() => undefined);
      await pause(LOOK_MS, undefined, { ref: false, signal: over.signal }).catch(() => undefined);
    }
  };
  const ended = hearKept();
  return async () => {
    over.abort();
    unanswer();
    await Promise.race([ended, pause(LAST_WORD_MS, undefined, { ref: false })]);
  };
}

/** A fleet that does not answer keeps no run from its end. */
const LAST_WORD_MS = 1000;

/** A word of a person, read. */
interface ReadWord {
  readonly id: string;
  readonly word: FleetWord;
  readonly who: FleetPerson;
}

async function act(paths: RunPaths, steered: HeardRun, { id: command, word, who }: ReadWord): Promise<Json> {
  if (word.kind === 'tell') return toJson(await steered.tell({ ...word.words, command }, who, word.givenMs));
  if (word.kind === 'answer') return toJson(await steered.answer({ ...word.words, command }, who));
  if (word.kind === 'said') return readShownPiece(join(paths.turns, word.turn, 'text.md'), LAST_SAID, (text) => text)?.text ?? null;
  leaveFleetWish(paths, word.wish, who, word.face);
  return null;
}

/** Hears a word that was kept. True: it is done with. One that the journal does not have yet is looked for again; it is written once. */
async function takeKept(
  { keeper, written }: Pick<OwnRun, 'keeper'> & { readonly written: Set<string> },
  paths: RunPaths,
  steered: HeardRun,
  { id, body }: SteerWord,
  tell: (text: string) => void,
): Promise<boolean> {
  const read = parseWord(body);
  // Another version of Ralph may know what it says.
  if (read === null) return false;
  await keeper.confirm();
  const { word, who } = read;
  if (isInJournal(paths, id)) {
    await keeper.settled();
    return true;
  }
  if (written.has(id)) return false;
  try {
    const done = await actOnKept(paths, steered, { id, word: toUnwaited(word), who });
    if (word.kind !== 'stop') written.add(id);
    if (!isHeard(done)) return false;
    await keeper.settled();
  } catch (error) {
    if (!isRalphError(error)) throw error;
    tell(`What ${who.user} said while nobody had the run counts for nothing: ${error.message}`);
  }
  return true;
}

/** Whether the run has heard what was told or answered with that id. */
function isInJournal(paths: RunPaths, id: string): boolean {
  let isThere = false;
  readJournal({ fs: nodeFileSystem, path: paths.journal }, ({ input }) => {
    if ((input.type === 'told' || input.type === 'answered') && input.id === id) isThere = true;
  });
  return isThere;
}

/** Of what is told and answered the journal has it. */
function isHeard(done: Json): boolean {
  if (!isJsonObject(done)) return true;
  const { tell = null, question = null } = done;
  return tell !== null || (isJsonObject(question) && question['answer'] !== null);
}

/** Who said it has gone. */
function toUnwaited(word: FleetWord): FleetWord {
  return word.kind === 'tell' ? { ...word, givenMs: 0 } : word;
}

/** What is for a hat that is not there is for whoever works: nobody can be asked whom they meant. */
async function actOnKept(paths: RunPaths, steered: HeardRun, read: ReadWord): Promise<Json> {
  const { word } = read;
  try {
    return await act(paths, steered, read);
  } catch (error) {
    if (word.kind !== 'tell' || word.words.to === undefined || !isRalphError(error) || error.code !== 'tell-words') throw error;
    const { to: _, ...words } = word.words;
    return act(paths, steered, { ...read, word: { ...word, words } });
  }
}

/** What became of the words that a fleet kept, before the run goes on. */
export interface LeftWords {
  /** Words that are written down for the run, by their ids. */
  readonly written: ReadonlySet<string>;
  /** Stops that are not for this process, though the fleet could not be made to forget them. */
  readonly passedOver: ReadonlySet<string>;
  /** What went wrong with them; nothing of it keeps the run from going on. */
  readonly problems: readonly string[];
}

export const NOTHING_LEFT: LeftWords = { written: new Set(), passedOver: new Set(), problems: [] };

/**
 * Leaves for a run that is about to go on what people said while nobody had it, so that it is heard before anything is decided. Never rejects.
 *
 * @param steered does not wait until it is heard
 * @param isStandIn whether a worker goes on with it by itself: that is whom a stop is for, and not a person who resumes it
 */
export async function leaveKept(
  { fleet: { words } }: Pick<OwnRun, 'fleet'>,
  paths: RunPaths,
  steered: HeardRun,
  isStandIn: boolean,
): Promise<LeftWords> {
  const [written, passedOver] = [new Set<string>(), new Set<string>()];
  const problems: string[] = [];
  const kept = await words.list(paths.runId).catch((error: unknown) => {
    problems.push(`What was said while nobody had the run could not be asked for, and is heard later: ${toErrorMessage(error)}`);
    return [];
  });
  for (const { id, body } of kept) {
    const read = parseWord(body);
    if (read === null) continue;
    const { word, who } = read;
    try {
      if (word.kind === 'stop' && !isStandIn) {
        passedOver.add(id);
        await words.drop(paths.runId, id);
      } else if (!isInJournal(paths, id)) {
        await actOnKept(paths, steered, { id, word: toUnwaited(word), who });
        if (word.kind !== 'stop') written.add(id);
      }
    } catch (error) {
      // What is refused is told when it is heard again.
      if (!isRalphError(error)) problems.push(`A word of ${who.user} to the run, said while nobody had it: ${toErrorMessage(error)}`);
    }
  }
  return { written, passedOver, problems };
}

function toJson(heard: Heard): Json {
  return heard as unknown as Json;
}

function toRefusal(runId: string, error: unknown): Json {
  const facts = isRalphError(error)
    ? error
    : new RalphError({
        code: 'fleet-steer-failed',
        what: `The process that has run ${runId} could not take that: ${toErrorMessage(error)}.`,
        fix: 'Try again; if that does not help, type it where the run is: ralph fleet runs',
      });
  const { code, message: what, why = null, fix = null, exitCode } = facts;
  return { code, what, why, fix, exitCode };
}

/** Reads what somebody says; `null` for what cannot be that. What it means is checked where it is said to the run. */
function parseWord(body: Json): { readonly word: FleetWord; readonly who: FleetPerson } | null {
  if (!isJsonObject(body) || body['v'] !== STEER_VERSION || !isJsonObject(body['who'])) return null;
  const { pid, user } = body['who'];
  if (typeof pid !== 'number' || !Number.isSafeInteger(pid) || typeof user !== 'string') return null;
  const word = parseKind(body);
  return word === null ? null : { word, who: { pid, user: toPlainLine(user, MAX_USER) } };
}

const MAX_USER = 64;

function parseKind({ kind, text, to, when, givenMs, choice, question, wish, face, turn }: JsonObject): FleetWord | null {
  // It becomes a part of a path.
  if (kind === 'said') return typeof turn === 'string' && /^\d{1,9}\.\d{1,9}$/.test(turn) ? { kind, turn } : null;
  if (kind === 'stop') return { kind, wish: wish === 'now' ? 'now' : 'after', ...(face === 'view' || face === 'page' ? { face } : {}) };
  if (kind === 'answer')
    return typeof choice === 'string' ? { kind, words: { choice, ...(typeof question === 'string' && { question }) } } : null;
  if (kind !== 'tell' || typeof text !== 'string') return null;
  const wait = typeof givenMs === 'number' && givenMs > 0 ? Math.min(givenMs, MAX_GIVEN_MS) : 0;
  const timing = when === 'next' || when === 'interrupt' ? when : 'now';
  return { kind, words: { text, when: timing, ...(typeof to === 'string' && { to }) }, givenMs: wait };
}
