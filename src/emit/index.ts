/** Front door of `emit`: what `ralph emit` does inside of a turn. Small, because agents call it often. */
export type { EventWords } from './check-event.ts';
export { type Contract, toContractPath, writeContract } from './contract-file.ts';
export { createPayloadCheck } from './create-payload-check.ts';
export { type EventPlace, emitInto, findTurn, toCutText } from './emit-in-turn.ts';
export { type HatOffer, readOffer } from './read-offer.ts';
