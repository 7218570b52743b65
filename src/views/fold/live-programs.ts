import type { HooksAsk } from '../../core/run/effects.ts';
import type { HooksAnswered } from '../../core/run/inputs.ts';
import type { ProgramNews } from '../../core/run/run-record.ts';
import { isJsonObject, type Json } from '../../core/values/json.ts';
import { toList, toPlainLine } from '../text/plain-text.ts';

/** Hooks that were asked and have not answered. */
export interface LiveAsking {
  readonly event: string;
  readonly request: number;
  /** Epoch milliseconds. */
  readonly since: number;
}

interface AskingView {
  readonly asking?: LiveAsking;
}

export function withAsking<View extends AskingView>(
  view: View,
  since: number,
  { event, request }: Pick<HooksAsk, 'event' | 'request'>,
): View {
  return { ...view, asking: { event, request, since } };
}

/** Several may be asked at the same time: the last ones are looked after. */
export function withoutAsking<View extends AskingView>(view: View, { request }: Pick<HooksAnswered, 'request'>): View {
  if (view.asking?.request !== request) return view;
  const { asking: _, ...rest } = view;
  return rest as View;
}

/** Those of a view that was written as JSON. */
export function parseAsking(json: Json | undefined): AskingView {
  if (!isJsonObject(json)) return {};
  const { event, request, since } = json;
  const isAsking = typeof event === 'string' && typeof request === 'number' && typeof since === 'number';
  return isAsking ? { asking: { event: toPlainLine(event, 60), request, since } } : {};
}

/** A gate or a hook that a worker has, or is to have. */
export type LiveProgram = Omit<ProgramNews, 'isOver'>;

/** More at the same time are not looked after. */
const MAX_PROGRAMS = 32;
const TITLE_LENGTH = 80;

/** A view of programs that are open, the oldest first. */
interface Programs {
  readonly programs?: readonly LiveProgram[];
}

export function withProgram<View extends Programs>(view: View, { program, title, labels, worker, isOver, since }: ProgramNews): View {
  const others = (view.programs ?? []).filter((other) => other.program !== program);
  return withPrograms(view, isOver ? others : [...others, { program, title: toPlainLine(title, TITLE_LENGTH), labels, worker, since }]);
}

function withPrograms<View extends Programs>(view: View, programs: readonly LiveProgram[]): View {
  if (programs.length > 0) return { ...view, programs: programs.slice(0, MAX_PROGRAMS) };
  const { programs: _, ...rest } = view;
  return rest as View;
}

/** With those of a view that was written as JSON. */
export function withParsed<View extends Programs>(view: View, json: Json | undefined): View {
  return withPrograms(view, Array.isArray(json) ? json.slice(0, MAX_PROGRAMS).flatMap(parseProgram) : []);
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
