import { explainTooLong } from '../../core/panel/hand-limits.ts';
import type { PanelMove, StartRound } from '../../core/run/panel-state.ts';
import type { HandedIn, PanelHand } from '../../ports/backend.ts';
import type { PanelFiles } from './panel-files.ts';
import type { PanelSettings } from './panel-settings.ts';

/** What handing in is about. */
export interface HandOrder {
  readonly settings: PanelSettings;
  readonly files: PanelFiles;
  readonly order: StartRound;
  readonly move: (move: PanelMove) => void;
}

/** An agent that is refused more often in one round does not listen. */
const MAX_HAND_INS = 20;

/** Nothing is decided any more. */
export const GIVEN_UP: HandedIn = { isAccepted: false, text: 'The run is being stopped: nothing was taken.' };
const ANSWERED: HandedIn = {
  isAccepted: false,
  text: 'You have handed in an answer in this round, and that counts: nothing more is taken.',
};

interface Replies {
  readonly ask: (call: string) => Promise<HandedIn>;
  readonly isOver: () => boolean;
}

/** How an agent hands in, in one round. */
export function createHand({ settings, files, order, move }: HandOrder, { ask, isOver }: Replies): PanelHand {
  let calls = 0;
  let hasAnswered = false;
  const { agent, round, task, shown } = order;
  const nextCall = (): string => {
    calls += 1;
    return `${agent}.${round}.${calls}`;
  };
  /** Before anything is kept for it: a program may hand in without end. */
  const findRefusal = (): HandedIn | null => {
    if (isOver()) return GIVEN_UP;
    return calls < MAX_HAND_INS ? null : { isAccepted: false, text: 'You have handed in too often: nothing more is taken in this round.' };
  };
  return {
    task,
    candidates: task === 'present' ? [] : shown.map((answer) => files.nameOf(answer.agent)).sort(byNumber),
    topics: settings.topics.length > 1 ? settings.topics : [],
    answer: async (written, topic) => {
      const refusal = findRefusal() ?? (hasAnswered ? ANSWERED : null);
      if (refusal !== null) return refusal;
      const text = settings.redact(written);
      if (settings.topics.length > 1 && settings.defaultTopic === null && (topic === undefined || !settings.topics.includes(topic)))
        return { isAccepted: false, text: `Name what it publishes, one of: ${settings.topics.join(', ')}.` };
      const tooLong = explainTooLong(text);
      if (tooLong !== null) return { isAccepted: false, text: tooLong };
      const call = nextCall();
      // First, so that no answer is known whose work is not there.
      await files.snapshot(agent, call, text);
      // What is not known of yet is handed in again by whoever goes on.
      if (isOver()) {
        await files.settle(call);
        return GIVEN_UP;
      }
      const reply = ask(call);
      move({
        ...{ kind: 'answer-given' as const, agent, round, call, content: text, canonical: files.toCanonical(agent, text) },
        ...(topic === undefined || !settings.topics.includes(topic) ? {} : { topic }),
      });
      const handed = await reply;
      hasAnswered ||= handed.isAccepted;
      // Nobody knows what became of it: a process after this one puts it in its place, if it was taken.
      if (handed !== GIVEN_UP) await files.settle(call);
      return handed;
    },
    vote: (target, reason) => {
      const refusal = findRefusal();
      if (refusal !== null) return Promise.resolve(refusal);
      const call = nextCall();
      const reply = ask(call);
      move({ kind: 'vote-given', agent, round, call, target, reason: settings.redact(reason) });
      return reply;
    },
  };
}

function byNumber(one: string, other: string): number {
  return Number(one.slice('agent'.length)) - Number(other.slice('agent'.length));
}
