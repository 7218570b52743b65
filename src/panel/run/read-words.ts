import { HAND_LIMITS } from '../../core/panel/hand-limits.ts';

/** What an agent that has no tools to hand in has said with its last message. */
export type SpokenHand =
  | { readonly kind: 'answer'; readonly content: string; readonly topic: string | undefined }
  | { readonly kind: 'vote'; readonly target: string; readonly reason: string }
  | { readonly kind: 'nothing' };

const VOTE = /^[ \t>*`_]*VOTE:[ \t]*[`<]?(agent\d{1,6})\b[`>]?[ \t]*[:–—-]?[ \t]*(.*)$/gim;
const PUBLISH = /^[ \t>*`_]*PUBLISH:[ \t]*`?([^\s`]{1,200})`?[ \t*_]*$/gim;

/** Reads the last message of a round: of several `VOTE:` lines the last counts; without one all of it is the answer, where an answer may be given. */
export function readSpokenHand(text: string, mayAnswer: boolean, mayVote: boolean): SpokenHand {
  const vote = mayVote ? [...text.matchAll(VOTE)].at(-1) : undefined;
  if (vote !== undefined) {
    const [, target = '', reason = ''] = vote;
    return { kind: 'vote', target: target.toLowerCase(), reason: reason.trim().slice(0, HAND_LIMITS.reason) };
  }
  const content = text.replace(PUBLISH, '').trim();
  if (!mayAnswer || content === '') return { kind: 'nothing' };
  return { kind: 'answer', content, topic: [...text.matchAll(PUBLISH)].at(-1)?.[1] };
}
