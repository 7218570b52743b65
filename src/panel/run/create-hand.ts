import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BackendEvent } from '../../core/backends/backend-event.ts';
import { explainTooLong, HAND_LIMITS } from '../../core/panel/hand-limits.ts';
import type { PanelMove, StartRound } from '../../core/run/panel-state.ts';
import { startOf } from '../../core/text/shorten.ts';
import type { HandedIn, PanelHand, TurnRequest } from '../../ports/backend.ts';
import type { PanelFiles } from './panel-files.ts';
import type { HandWay, PanelSettings } from './panel-settings.ts';
import { readSpokenHand } from './read-words.ts';

/** A round that is to be begun, and whom what happens in it is told. */
export interface RoundOrder {
  readonly settings: PanelSettings;
  readonly request: TurnRequest;
  readonly files: PanelFiles;
  readonly order: StartRound;
  readonly move: (move: PanelMove) => void;
  readonly observe: (event: BackendEvent) => void;
}

/** Longer ones name nobody. */
const MAX_TARGET = 200;

/** An agent that is refused more often in one round does not listen. */
const MAX_HAND_INS = 20;

/** Nothing is decided any more. */
export const GIVEN_UP: HandedIn = { isAccepted: false, text: 'The run is being stopped: nothing was taken.' };

const ANSWERED: HandedIn = {
  isAccepted: false,
  text: 'You have handed in an answer in this round, and that counts: nothing more is taken.',
};
const TOO_OFTEN: HandedIn = { isAccepted: false, text: 'You have handed in too often: nothing more is taken in this round.' };

interface Replies {
  readonly ask: (call: string) => Promise<HandedIn>;
  readonly isOver: () => boolean;
  /** The one that its prompt names. */
  readonly way: HandWay;
  /** Is told why something was not taken; of several the last counts, and `''` for what was. */
  readonly onRefused: (text: string) => void;
}

/** What an agent hands in with, in one round. */
export function createHand({ settings, files, order, move }: RoundOrder, { ask, isOver, way, onRefused }: Replies): PanelHand {
  let calls = 0;
  let hasAnswered = false;
  const { agent, round, task, shown } = order;
  const nextCall = (): string => {
    calls += 1;
    return `${agent}.${round}.${calls}`;
  };
  /** Before anything is kept for it: a program may hand in without end. */
  const findRefusal = (): HandedIn | null => (isOver() ? GIVEN_UP : calls < MAX_HAND_INS ? null : TOO_OFTEN);
  const note = (handed: HandedIn): HandedIn => {
    if (handed !== GIVEN_UP) onRefused(handed.isAccepted ? '' : handed.text);
    return handed;
  };
  return {
    task,
    candidates: task === 'present' ? [] : shown.map((answer) => files.nameOf(answer.agent)).sort(byNumber),
    topics: settings.topics.length > 1 ? settings.topics : [],
    answer: async (written, topic) => {
      const refusal = findRefusal() ?? (hasAnswered ? ANSWERED : null);
      if (refusal !== null) return refusal;
      // A zero byte is none that every program can be given.
      const text = settings.redact(written.replaceAll('\0', ''));
      const problem = explainTopic(settings, topic, way.kind === 'tools' ? 'tools' : 'command') ?? explainTooLong(text);
      if (problem !== null) return note({ isAccepted: false, text: problem });
      const call = nextCall();
      // First, so that no answer is known whose work is not there.
      await files.snapshot(agent, call, text);
      const canonical = await files.toCanonical(agent, call, text);
      // What is not known of yet is handed in again by whoever goes on.
      if (isOver()) {
        await files.settle(call);
        return GIVEN_UP;
      }
      const reply = ask(call);
      move({
        ...{ kind: 'answer-given' as const, agent, round, call, content: text, canonical },
        ...(topic === undefined || !settings.topics.includes(topic) ? {} : { topic }),
      });
      const handed = await reply;
      hasAnswered ||= handed.isAccepted;
      // Nobody knows what became of it: a process after this one puts it in its place, if it was taken.
      if (handed !== GIVEN_UP) await files.settle(call);
      return note(handed);
    },
    vote: async (target, reason) => {
      const refusal = findRefusal();
      if (refusal !== null) return refusal;
      const call = nextCall();
      const reply = ask(call);
      const words = startOf(settings.redact(reason), HAND_LIMITS.reason);
      move({ kind: 'vote-given', agent, round, call, target: startOf(target, MAX_TARGET), reason: words });
      return note(await reply);
    },
  };
}

function byNumber(one: string, other: string): number {
  return Number(one.slice('agent'.length)) - Number(other.slice('agent'.length));
}

type Topics = Pick<PanelSettings, 'topics' | 'defaultTopic'>;

const NAMING: Readonly<Record<HandWay['kind'], (topic: string) => string>> = {
  tools: () => '`topic`',
  command: (topic) => `such as \`--topic ${topic}\``,
  words: (topic) => `on a line of its own, such as \`PUBLISH: ${topic}\``,
};

/** Why an answer has to name another topic, and how; `null` where what it says will do. */
function explainTopic({ topics, defaultTopic }: Topics, topic: string | undefined, way: HandWay['kind']): string | null {
  const [first = ''] = topics;
  if (topics.length < 2 || defaultTopic !== null || (topic !== undefined && topics.includes(topic))) return null;
  const wrong = topic === undefined ? '' : `${JSON.stringify(topic.slice(0, 80))} is nothing that can be published here. `;
  return `${wrong}Name what the answer publishes (${NAMING[way](first)}), one of: ${topics.join(', ')}.`;
}

interface LastWords {
  readonly said: string;
  /** Of the agent, for people. */
  readonly name: string;
  /** Of the round. */
  readonly folder: string;
}

/**
 * The last message of an agent that handed in nothing by a tool or a command is what it hands in.
 *
 * @returns why it counts for nothing, where no verdict says that; else `null`
 */
export async function handInWords(round: RoundOrder, hand: PanelHand, { said, name, folder }: LastWords): Promise<string | null> {
  const { order, observe, settings } = round;
  const spoken = readSpokenHand(said, order.task !== 'vote', hand.candidates.length > 0);
  if (spoken.kind === 'nothing')
    return said === ''
      ? null
      : `Your last message has no line that votes for one of ${hand.candidates.join(', ')}. It is printed as \`VOTE: ${hand.candidates[0]} <why>\`.`;
  if (spoken.kind === 'vote') {
    await hand.vote(spoken.target, spoken.reason);
    return null;
  }
  const { content, topic } = spoken;
  const problem = explainTopic(settings, topic, 'words');
  if (problem !== null) return problem;
  if (explainTooLong(content) === null) {
    await hand.answer(content, topic);
    return null;
  }
  // Nobody hears a refusal at once: what is too long is handed in cut off, and says so.
  const whole = join(folder, 'answer.md');
  writeFileSync(whole, content, { mode: 0o600 });
  const message = `The last message of ${name} has ${content.length.toLocaleString('en')} characters, more than an answer may have: its beginning counts, and all of it is in ${whole}.`;
  observe({ type: 'warning', message });
  await hand.answer(`${startOf(content, HAND_LIMITS.answer - ROOM)}${CUT}`, topic);
  return null;
}

const CUT = '\n[… the rest of this answer was too long, and is left out]';
/** For that, and for secrets that are longer when they are written as taken out. */
const ROOM = 5000;
