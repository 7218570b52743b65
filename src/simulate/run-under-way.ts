import { UNKNOWN_USAGE } from '../core/backends/usage.ts';
import type { Input, IterationEnded, TurnReport } from '../core/run/inputs.ts';
import type { PanelSpec } from '../core/run/panel-spec.ts';
import type { RunState } from '../core/run/state.ts';
import type { TurnId } from '../core/run/turn.ts';
import type { SimulatedChoice, SimulatedPanel, SimulatedPublication, SimulatedTurn, SimulationSetup } from './simulation-types.ts';

/** A run under way. It changes from input to input. */
export interface RunUnderWay {
  readonly setup: SimulationSetup;
  readonly random: SeededRandom;
  state: RunState;
  /** What will happen, and when; in no order. */
  readonly schedule: Scheduled[];
  readonly turns: TurnNotes[];
  faults: number;
  /** How many payloads were made. */
  payloads: number;
  /** How far each scripted hat is. */
  readonly steps: Map<string, number>;
  /** Panels at work, by the name of their turn. */
  readonly panels: Map<string, PanelUnderWay>;
}

export interface Scheduled {
  readonly at: number;
  readonly input: Input | PanelAct;
}

/** An agent of a panel comes to the end of its work on a prompt: what it does is chosen by then, as it knows more. */
export interface PanelAct extends TurnId {
  readonly type: 'panel-act';
  readonly agent: number;
  readonly round: number;
  /** `hand-in`: an answer or a vote. `stop`: it was told to. */
  readonly does: 'hand-in' | 'vote' | 'nothing' | 'fail' | 'stop';
}

/** A panel whose agents are at work. It changes from move to move. */
export interface PanelUnderWay extends TurnId {
  readonly hat: string;
  readonly spec: PanelSpec;
  readonly startedAt: number;
  /** What the hat may publish by it; with a script what the script says. */
  readonly choices: readonly SimulatedChoice[];
  /** What every prompt comes to; absent: chance says. */
  readonly fixed?: PanelAct['does'];
  /** Whose answers the last prompt of each agent shows. */
  readonly shown: Map<number, readonly number[]>;
  /** Prompts so far. */
  rounds: number;
  /** Prompts that ended. */
  ended: number;
  readonly notes: TurnNotes;
}

export interface TurnNotes extends Omit<SimulatedTurn, 'outcome' | 'said' | 'isDumb' | 'panel'> {
  outcome: SimulatedTurn['outcome'];
  said: string;
  isDumb: boolean;
  panel?: SimulatedPanel;
  readonly published: SimulatedPublication[];
  readonly refused: SimulatedTurn['refused'][number][];
}

/** A payload; a new one each time, so that work that goes on does not look like a loop. */
export function toPayload(run: RunUnderWay): string {
  if (run.setup.settings.constantPayloads) return '';
  run.payloads += 1;
  return `simulated ${run.payloads}`;
}

/** What the loop is told of a turn in which all went well and nothing was published. */
export function toReport(run: RunUnderWay): TurnReport {
  const { turnCostUsd, turnMs } = run.setup.settings;
  return { ...REPORT, durationMs: turnMs, usage: { ...UNKNOWN_USAGE, costUsd: turnCostUsd } };
}

const REPORT: Omit<IterationEnded, 'type' | 'at' | 'iteration' | 'attempt' | 'inboxOffset'> = {
  outcome: { status: 'succeeded' },
  exitCode: 0,
  durationMs: 0,
  producedOutput: true,
  usage: UNKNOWN_USAGE,
  sessionId: null,
  finalText: '',
  toolCalls: 0,
  treeChanged: null,
  leftovers: 0,
  signals: [],
  problems: [],
};

/** Numbers by chance that are the same for the same seed. */
export interface SeededRandom {
  /** In [0, 1). */
  readonly next: () => number;
  /** One of a list that is not empty. */
  readonly pick: <Item>(list: readonly Item[]) => Item;
}

/** A 32-bit generator: a Weyl sequence whose values are mixed. Not for secrets. */
export function createSeededRandom(seed: number): SeededRandom {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 4294967296;
  };
  return { next, pick: (list) => list[Math.floor(next() * list.length)] as (typeof list)[number] };
}
