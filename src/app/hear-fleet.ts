import { join } from 'node:path';
import { isRalphError, RalphError, toErrorMessage } from '../core/values/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../core/values/json.ts';
import type { RunKeeper } from '../fleet/keep-run.ts';
import type { RunPaths } from '../journal/run-folder.ts';
import type { Fleet } from '../ports/fleet.ts';
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

/** Hears what people on other machines say to a run of this process, as if they had said it here. The function that is returned ends it. */
export function hearFleet(
  { fleet, keeper }: { readonly fleet: Pick<Fleet, 'steer'>; readonly keeper: Pick<RunKeeper, 'confirm'> },
  paths: RunPaths,
  steered: HeardRun,
): () => void {
  const act = async (word: FleetWord, command: string, who: FleetPerson): Promise<Json> => {
    if (word.kind === 'tell') return toJson(await steered.tell({ ...word.words, command }, who, word.givenMs));
    if (word.kind === 'answer') return toJson(await steered.answer({ ...word.words, command }, who));
    if (word.kind === 'said') return readShownPiece(join(paths.turns, word.turn, 'text.md'), LAST_SAID, (text) => text)?.text ?? null;
    leaveFleetWish(paths, word.wish, who, word.face);
    return null;
  };
  return fleet.steer.answer(paths.runId, async ({ id, body }) => {
    // One that was frozen leaves it to the process that has the run now.
    await keeper.confirm();
    const read = parseWord(body);
    try {
      if (read === null) throw new Error('it was written by another version of Ralph');
      return { v: STEER_VERSION, done: await act(read.word, id, read.who) };
    } catch (error) {
      return { v: STEER_VERSION, refused: toRefusal(paths.runId, error) };
    }
  });
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
        fix: 'Try again; if that does not help, say it where the run is: ralph fleet runs',
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
