import type { WorkId } from '../ports/fleet.ts';

const PART = /^[A-Za-z0-9_-]{1,120}$/;

/** Whether a text may be a part of a subject: no wildcard, no dot, nothing that a server reads otherwise. */
export function isSubjectPart(text: string): boolean {
  return PART.test(text);
}

/** What an order may be called: turn `7.1`, or `7.1.2.1`, the first round of the second agent of its panel, or `gate3`, the third gate of the run, or `hook2`. */
export function isOrderName(text: string): boolean {
  return /^(?:\d{1,9}\.\d{1,9}(?:\.\d{1,9}\.\d{1,9})?|(?:gate|hook)\d{1,9})$/.test(text);
}

/** @param gate its place in the list of gates, from 0 */
export function toGateOrderName(gate: number): string {
  return `gate${gate + 1}`;
}

/** @param place its place among the hooks of the run that need a worker, from 0 */
export function toHookOrderName(place: number): string {
  return `hook${place + 1}`;
}

/**
 * The two last parts of a subject or a key: turn 7.1 of a run is `<run>.7_1`.
 *
 * @throws Error for what could mean another subject: names come from a journal, and a message may hold anything
 */
export function toKey({ run, name }: WorkId): string {
  const turn = name.replaceAll('.', '_');
  if (!isSubjectPart(run) || !isSubjectPart(turn))
    throw new Error(`no part of a subject: ${JSON.stringify(`${run} ${name}`.slice(0, 80))}`);
  return `${run}.${turn}`;
}

/** What {@link toKey} made a key of; `null` for any other. */
export function parseKey(key: string): WorkId | null {
  const [run = '', turn = '', ...rest] = key.split('.');
  if (rest.length > 0 || !isSubjectPart(run) || !isSubjectPart(turn)) return null;
  return { run, name: turn.replaceAll('_', '.') };
}

/** @throws Error for what could mean another subject */
export function requirePart(run: string): void {
  if (!isSubjectPart(run)) throw new Error(`no part of a subject: ${JSON.stringify(run.slice(0, 80))}`);
}
