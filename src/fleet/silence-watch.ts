import { toErrorCode, toErrorMessage } from '../core/values/errors.ts';
import { FOLDER_GONE } from './folder-files.ts';

/** @param isAway it does not answer; false: it does again @param forMs since it was asked in vain first @param why as far as it is known */
export type AwayHearer = (isAway: boolean, forMs: number, why?: string) => void;

/** What a question to a fleet found out: false where it does not matter any more, or why that could not be asked. */
export type AskedAnswer = boolean | { readonly refusal: unknown };

/** A fleet that has not answered for so long is away. */
const AWAY_MS = 3000;

export interface SilenceWatch {
  readonly onAway: (hear: AwayHearer) => void;
  /** Watches a question until it is answered. */
  readonly during: (asked: Promise<AskedAnswer>) => Promise<void>;
}

/** Notices that a fleet does not answer, and that it does again. A question that was given up is no answer and no news. */
export function createSilenceWatch(): SilenceWatch {
  let hear: AwayHearer = () => undefined;
  let since: number | null = null;
  let isAway = false;
  const tell = (now: boolean, why?: string): void => {
    if (now === isAway || since === null) return;
    isAway = now;
    hear(now, performance.now() - since, why);
  };
  return {
    onAway: (given) => {
      hear = given;
    },
    during: async (asked) => {
      since ??= performance.now();
      const timer = setTimeout(() => tell(true), AWAY_MS);
      timer.unref();
      const answer = await asked;
      clearTimeout(timer);
      if (typeof answer === 'object') {
        const { refusal } = answer;
        // A server may be back in a moment. A folder that is not there is no trouble of a moment.
        if (toErrorCode(refusal) === FOLDER_GONE || performance.now() - since > AWAY_MS) tell(true, toErrorMessage(refusal));
      } else if (answer) {
        tell(false);
        since = null;
      }
    },
  };
}
