import type { Settings } from '../config/settings.ts';
import { type EventSignal, type Sender, type SignalProblem, toSenderText } from '../core/events/event.ts';
import type { RunPaths } from '../journal/run-folder.ts';
import type { Inbox } from '../ports/inbox.ts';
import { listGiven, takeProof } from './people.ts';

/** What the run itself lets in of what people leave for it. */
export interface Admission {
  /** The people's file, without the lines that the run does not take. */
  readonly inbox: Inbox;
  /** Whether a wish to stop is followed; where it is not, the next read of the inbox tells. `null`: nobody says whose it is. */
  readonly admitStop: (sender: Sender | null) => boolean;
  /** Whose word is heard, without the proof by which it is known; `null` for nobody's, of which the next read of the inbox tells. */
  readonly admitWord: (sender: Sender, what: string) => Sender | null;
  /** Whether a change of the file by which people are known is that tokens were given out; the next read of the inbox tells to whom. */
  readonly admitTokens: (before: Buffer, now: Buffer) => boolean;
}

/** Ways by which a person is known, and who that lets in. `program` is the run's own, which proves it where nobody else is let in. */
const ADMITTED: Readonly<Record<Settings['externalEvents'], readonly Sender['how'][]>> = {
  open: ['terminal', 'token', 'namespace', 'program', 'fleet'],
  terminal: ['terminal', 'program'],
  off: ['program'],
};

const MAX_TOPICS = 5;
const MAX_UNTOLD = 10;

/**
 * Applies `external_events` to what the commands left in the folder of a run: who writes there without the command was asked by nobody. The line alone says who its sender is; whether
 * that is true depends on who can write there.
 */
export function admitPeople(inbox: Inbox, who: Settings['externalEvents'], paths: RunPaths): Admission {
  let untold: readonly SignalProblem[] = [];
  const isAdmitted = (sender: Sender | null): boolean =>
    sender !== null && ADMITTED[who].includes(sender.how) && (who !== 'off' || takeProof(paths, sender));
  const read: Inbox['read'] = (offset, options) => {
    const batch = inbox.read(offset, options);
    const admitted = new Set(batch.signals.filter(({ sender }) => isAdmitted(sender ?? null)));
    const left = batch.signals.filter((signal) => !admitted.has(signal));
    const problems = [...untold, ...toLeftOut(left, who), ...batch.problems];
    untold = [];
    return { ...batch, signals: [...admitted].map(withoutProof), problems };
  };
  const tell = (where: string, message: string): void => {
    untold = [...untold, { where, message, excerpt: '' }].slice(-MAX_UNTOLD);
  };
  const admitStop = (sender: Sender | null): boolean => {
    const isFollowed = isAdmitted(sender);
    if (!isFollowed) tell('ralph stop', `the wish to stop was not followed: ${toWhy(who)}`);
    return isFollowed;
  };
  const admitWord = (sender: Sender, what: string): Sender | null => {
    const { proof: _, ...known } = sender;
    if (isAdmitted(sender)) return known;
    tell(what, `a word was not heard: ${toWhy(who)}`);
    return null;
  };
  const admitTokens = (before: Buffer, now: Buffer): boolean => {
    const given = listGiven(before.toString(), now.toString());
    for (const by of given ?? []) tell('ralph token', `a token of this run was given to ${toSenderText(by)}`);
    return given !== null;
  };
  return { inbox: { ...inbox, hasMore: (offset) => untold.length > 0 || inbox.hasMore(offset), read }, admitStop, admitWord, admitTokens };
}

function toLeftOut(left: readonly EventSignal[], who: Settings['externalEvents']): readonly SignalProblem[] {
  if (left.length === 0) return [];
  const topics = [...new Set(left.map(({ topic }) => topic))].slice(0, MAX_TOPICS).join(', ');
  const count = left.length === 1 ? 'an event was' : `${left.length} events were`;
  return [{ where: 'outside.jsonl', message: `${count} not taken (${topics}): ${toWhy(who)}`, excerpt: topics }];
}

function toWhy(who: Settings['externalEvents']): string {
  if (who === 'off') return '`external_events: off` lets nobody in from outside';
  return who === 'terminal' ? '`external_events: terminal` takes only who has a terminal' : 'nobody says whose it is';
}

function withoutProof(signal: EventSignal): EventSignal {
  if (signal.sender?.proof === undefined) return signal;
  const { proof: _, ...sender } = signal.sender;
  return { ...signal, sender };
}
