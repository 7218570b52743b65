import type { Effect } from '../core/run/effects.ts';
import type { Json } from '../core/values/json.ts';
import type { HandedIn, RunningTurn } from '../ports/backend.ts';
import type { Fleet } from '../ports/fleet.ts';
import { fromBody } from './messages.ts';
import { parseRoundControl, parseWorks, type RoundControl, type SentWorkOf } from './round-messages.ts';

/** A round that a worker has. */
interface ControlledRound {
  readonly running: Pick<RunningTurn, 'stop' | 'finish' | 'tell'>;
  readonly reply: (call: number, handed: HandedIn) => void;
  /** Puts work of others where its agent can read it. */
  readonly show: (works: readonly SentWorkOf[]) => Promise<void>;
}

/** Does what the run says of a round. The same may be said again. */
export function createRoundControls({ blobs }: Pick<Fleet, 'blobs'>, { running, reply, show }: ControlledRound): (effect: Effect) => void {
  const told = new Set<string>();
  // One after the other: what is shown is made in one folder.
  let showing: Promise<unknown> = Promise.resolve();
  const obey = (control: RoundControl): void => {
    if (control.type === 'round-reply') return reply(control.call, control);
    if (control.type === 'round-stop') return running.stop(control.graceMs);
    if (control.type === 'round-finish') return running.finish?.();
    const { words, works } = control;
    if (told.has(words.id)) return;
    told.add(words.id);
    const tell = (): void => running.tell?.(words);
    // Without the work behind it, an answer is still news.
    showing = showing
      .then(() => fromBody(blobs, works))
      .then((sent) => show(parseWorks(sent ?? undefined)))
      .then(tell, tell);
  };
  return (effect) => {
    const control = parseRoundControl(effect as unknown as Json);
    if (control !== null) obey(control);
  };
}
