import type { LifeEventName } from '../core/hooks/hook-moments.ts';
import type { HookEvent } from '../core/hooks/hook-spec.ts';
import type { Effect, RunEnd } from '../core/run/effects.ts';
import type { Input } from '../core/run/inputs.ts';
import type { RunRecord } from '../core/run/run-record.ts';
import type { Activation } from '../core/run/state.ts';
import { type Question, toTurnName } from '../core/run/turn.ts';

export interface LifeMoment extends Pick<HookEvent, 'iteration' | 'reason' | 'detail' | 'from' | 'to' | 'question'> {
  readonly event: LifeEventName;
  /** Epoch milliseconds. */
  readonly at: number;
  /** Empty where it is of no hat. */
  readonly hat: string;
  /** `7.1`; empty where it is of no turn. */
  readonly turn: string;
}

/** Learns the moments of a run from its records, as they come. */
export interface LifeWatch {
  readonly take: (record: RunRecord) => readonly LifeMoment[];
}

/**
 * Watches the records of a run.
 *
 * @param running turns that were started before the first record that will come
 * @param last the hat of the turn that began last before that; `null`: none had
 */
export function createLifeWatch(
  running: readonly Pick<Activation, 'iteration' | 'attempt' | 'hat'>[] = [],
  last: string | null = null,
): LifeWatch {
  const hats = new Map(running.map((turn) => [toTurnName(turn), turn.hat]));
  const watch: LifeState = { hats, last: running.at(-1)?.hat ?? last, isParking: false };
  return {
    take: (record) => {
      if (record.kind === 'input') return takeInput(watch, record.input);
      return record.kind === 'effect' ? takeEffect(watch, record.at, record.effect) : [];
    },
  };
}

interface LifeState {
  /** Who wears the hat of a turn, by its name. */
  readonly hats: Map<string, string>;
  /** The hat of the turn that began last; `null`: none has. */
  last: string | null;
  /** The run waits for the reset of a usage limit; the notice behind it says why. */
  isParking: boolean;
}

const OF_RUN = { hat: '', turn: '' };

function takeInput(watch: LifeState, input: Input): readonly LifeMoment[] {
  const { at } = input;
  if (input.type === 'run-started') return [{ event: 'RunStart', at, ...OF_RUN, reason: 'started' }];
  if (input.type === 'run-resumed') return [{ event: 'RunStart', at, ...OF_RUN, reason: 'resumed' }];
  if (input.type !== 'iteration-spawned' && input.type !== 'iteration-ended') return [];
  const turn = toTurnName(input);
  const { iteration } = input;
  const hat = watch.hats.get(turn) ?? '';
  if (input.type === 'iteration-ended') {
    watch.hats.delete(turn);
    const detail = input.outcome.status === 'failed' ? { detail: input.outcome.failure.message } : {};
    return [{ event: 'TurnEnd', at, hat, turn, iteration, reason: input.outcome.status, ...detail }];
  }
  const from = watch.last;
  watch.last = hat;
  const started: LifeMoment = { event: 'TurnStart', at, hat, turn, iteration };
  return from === null || from === hat ? [started] : [{ event: 'HatChange', at, hat, turn, iteration, from, to: hat }, started];
}

function takeEffect(watch: LifeState, at: number, effect: Effect): readonly LifeMoment[] {
  if (effect.type === 'iteration-start') watch.hats.set(toTurnName(effect), effect.hat);
  if (effect.type === 'timer-set') watch.isParking = effect.purpose === 'limit';
  if (effect.type === 'question-open') return [toAsked(at, effect.question)];
  if (effect.type === 'run-end') return toEnded(at, effect);
  if (effect.type !== 'notice' || !watch.isParking) return [];
  watch.isParking = false;
  return [{ event: 'NeedsYou', at, ...OF_RUN, reason: 'parked', detail: effect.text }];
}

function toEnded(at: number, { reason, detail, attention = '' }: RunEnd): readonly LifeMoment[] {
  const ended: LifeMoment = { event: 'RunEnd', at, ...OF_RUN, reason, detail };
  if (attention === '' && reason !== 'parked') return [ended];
  return [{ event: 'NeedsYou', at, ...OF_RUN, reason: 'ended', detail: attention === '' ? detail : attention }, ended];
}

function toAsked(at: number, question: Question): LifeMoment {
  const { id, text, choices, dueAt, hat, iteration } = question;
  const told = { id, text, choices, default: question.default, due_at: new Date(dueAt).toISOString() };
  return { event: 'NeedsYou', at, hat, turn: toTurnName(question), iteration, reason: 'question', question: told };
}
