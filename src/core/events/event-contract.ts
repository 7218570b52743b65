import { type Json, readOwn } from '../values/json.ts';

/** What is known of a topic beyond who publishes and takes it. */
export interface EventContract {
  /** For people and agents: what the event says. */
  readonly description?: string;
  /** JSON Schema of the payload: an object or a truth value, without faults. */
  readonly schema?: Json;
}

/** By topic, written out. */
export type EventContracts = Readonly<Record<string, EventContract>>;

/** Whether a payload is what its topic's schema asks for: the payload as it is handed on, or what is wrong with it. */
export type PayloadVerdict = { readonly payload: Json } | { readonly problem: string };

/** Holds the schema of a topic against a payload. A topic without one takes everything. */
export type PayloadCheck = (topic: string, payload: Json) => PayloadVerdict;

/** The contract of a topic; `undefined` where there is none. */
export function contractOf(contracts: EventContracts | undefined, topic: string): EventContract | undefined {
  return contracts === undefined ? undefined : readOwn(contracts, topic);
}
