/**
 * Front door of `emit`: what `ralph emit` does inside of a turn. Small, because agents call it often.
 * Files import in one direction: `contract-file`, `create-payload-check` <- `emit-event`, `read-offer`, `read-hats`, `read-events`; `ask-file` <- `ask-people`; `hand-file` <- `hand-in`, `panel-round`.
 */
export { ensureAnswersFile, openAskBox, type ReceivedAnswer, toAskPlace } from './ask-file.ts';
export { type AskWords, askPeople } from './ask-people.ts';
export { type Contract, type EventPlace, findEventPlace, toContractPath, writeContract } from './contract-file.ts';
export { createPayloadCheck } from './create-payload-check.ts';
export { type EventWords, emitInto, toCutText } from './emit-event.ts';
export { HAND_VARIABLE, type HandBox, type HandRound, openHandBox, readHandRound, writeHandRound } from './hand-file.ts';
export { type HandInWords, handIn, requireHandRound } from './hand-in.ts';
export { hideRunInRound, refuseInRound, toNoEvent } from './panel-round.ts';
export { readEvents } from './read-events.ts';
export { readHats } from './read-hats.ts';
export { type HatOffer, readOffer } from './read-offer.ts';
