import type { ProgramNews } from '../../core/run/run-record.ts';
import { isJsonObject, type Json } from '../../core/values/json.ts';
import { toList, toPlainLine } from '../text/plain-text.ts';

/** A gate or a hook that a worker has, or is to have. */
export type LiveProgram = Omit<ProgramNews, 'isOver'>;

/** More at the same time are not looked after. */
const MAX_PROGRAMS = 32;
const TITLE_LENGTH = 80;

/** Those that are open, the oldest first. */
export function takeProgram(
  programs: readonly LiveProgram[],
  { program, title, labels, worker, isOver, since }: ProgramNews,
): readonly LiveProgram[] {
  const others = programs.filter((other) => other.program !== program);
  return isOver ? others : [...others, { program, title: toPlainLine(title, TITLE_LENGTH), labels, worker, since }].slice(0, MAX_PROGRAMS);
}

/** Those of a view that was written as JSON. */
export function parsePrograms(json: Json | undefined): readonly LiveProgram[] {
  return Array.isArray(json) ? json.slice(0, MAX_PROGRAMS).flatMap(parseProgram) : [];
}

function parseProgram(json: Json): readonly LiveProgram[] {
  if (!isJsonObject(json)) return [];
  const { program, title, labels, worker, since } = json;
  if (typeof program !== 'string' || typeof title !== 'string' || typeof since !== 'number' || !Array.isArray(labels)) return [];
  const names = labels.filter((label) => typeof label === 'string');
  return [{ program, title: toPlainLine(title, TITLE_LENGTH), labels: names, worker: typeof worker === 'string' ? worker : null, since }];
}

/** `Hook check.sh waits for a worker with gpu`, `Gate lint runs on worker w1` */
export function toProgramText({ title, labels, worker }: LiveProgram): string {
  if (worker !== null) return `${toPlainLine(title, TITLE_LENGTH)} runs on worker ${toPlainLine(worker, 60)}`;
  return `${toPlainLine(title, TITLE_LENGTH)} waits for a worker with ${toList(
    labels.map((label) => toPlainLine(label, 40)),
    6,
  )}`;
}
