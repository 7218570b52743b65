import { useState } from 'preact/hooks';
import type { SteeringReceipt } from '../../wire/steering.ts';
import type { RunSource, SendOrder } from '../data/page-source.ts';

/** Sends an order of a person; true once it was taken. `what` names it in the list of what became of it. */
export type Act = (what: string, send: (order: SendOrder) => Promise<SteeringReceipt>) => Promise<boolean>;

/** What a person may order, and what became of the last orders, the newest first. */
export interface Orders {
  /** `null`: nothing, from here. */
  readonly act: Act | null;
  readonly said: readonly string[];
}

/** Orders to a run, while `isNow`: nobody steers the past. */
export function useOrders(source: RunSource, isNow: boolean): Orders {
  const [said, setSaid] = useState<readonly string[]>([]);
  const { order } = source;
  const act: Act = (what, send) => {
    if (order === null) return Promise.resolve(false);
    setSaid((old) => [`${what}: sent.`, ...old].slice(0, 6));
    return send(order).then(
      ({ text }) => {
        setSaid((old) => [`${what}: ${text}`, ...old].slice(0, 6));
        return true;
      },
      (error: unknown) => {
        setSaid((old) => [`${what}: refused. ${error instanceof Error ? error.message : String(error)}`, ...old].slice(0, 6));
        return false;
      },
    );
  };
  return { act: order !== null && isNow ? act : null, said };
}
