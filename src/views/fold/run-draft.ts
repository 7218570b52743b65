import { UNKNOWN_USAGE } from '../../core/backends/usage.ts';
import type { HooksAsk } from '../../core/run/effects.ts';
import type { PanelSpec } from '../../core/run/panel-spec.ts';
import type { PanelState } from '../../core/run/panel-state.ts';
import { type CheckpointView, MAX_NOTICES, type NoticeView, type RunView, type TurnView, type WaitingEvent } from './run-view.ts';

/** A view under way: its parts may be replaced. What they hold is never changed: views and versions share it. */
type Changeable<T> = { -readonly [K in keyof T]: T[K] };

export type TurnDraft = Changeable<TurnView>;

/** A panel as its hat declares it. */
export interface HatPanel {
  readonly spec: PanelSpec;
  readonly backends: readonly string[];
}

/** A panel under way: its state is that of its own rules, whole answers included, so it is dropped with its turn. */
export interface PanelFold {
  readonly declared: HatPanel;
  state: PanelState;
}

export interface RunDraft extends Omit<Changeable<RunView>, 'turns' | 'totals' | GrowingList> {
  readonly turns: TurnDraft[];
  readonly totals: Changeable<RunView['totals']>;
  readonly checkpoints: CheckpointView[];
  /** All of them: a view has the last. */
  readonly notices: NoticeView[];
  readonly undelivered: WaitingEvent[];
  /** Since when this process of the run works on it; `null` after its end. */
  workingSince: number | null;
  /** Gates that were asked and have not answered, by request. */
  readonly gateRequests: Map<
    number,
    { readonly topics: readonly string[]; readonly turn: TurnDraft | undefined; readonly isBaseline: boolean }
  >;
  ended: TurnDraft | null;
  /** Hooks that were asked about events and have not answered, by request. */
  readonly hookRequests: Map<number, HooksAsk>;
  /** Panels by the hats that they wear. */
  declaredPanels: ReadonlyMap<string, HatPanel>;
  /** Panels under way, by their turns. */
  readonly panels: Map<TurnDraft, PanelFold>;
  /** What Ralph works with; under `hats` he is no row of the team, but may be called as its safety net. */
  ralphBackends: readonly string[];
  /** Turns under way that do again what was not taken over. */
  readonly repeated: Set<TurnDraft>;
  /** Iterations with a turn that ended by itself. */
  readonly finished: Set<number>;
  /** Turns that may have changed since whoever follows them looked: those that were looked up, or began. */
  readonly touched: Set<TurnDraft>;
}

/** Lists to which is only added: what they were at a moment is known by their length. */
export type GrowingList = 'checkpoints' | 'notices' | 'undelivered';

export type RunHead = Omit<RunView, 'turns'>;

/** What a head is made of: of lists that grow, how long they are. */
export type HeadParts = Omit<RunHead, GrowingList> & Readonly<Record<GrowingList, number>>;

/** Nothing known yet. */
export function createDraft(): RunDraft {
  return {
    runId: '',
    status: 'new',
    objective: '',
    promise: '',
    coordination: 'solo',
    hats: [],
    limits: null,
    gates: [],
    gateSources: [],
    baseline: [],
    startedAt: 0,
    at: 0,
    elapsedMs: 0,
    turns: [],
    totals: {
      iterations: 0,
      succeeded: 0,
      failed: 0,
      interrupted: 0,
      routed: 0,
      refused: 0,
      external: 0,
      usage: UNKNOWN_USAGE,
      unknownCostTurns: 0,
    },
    checkpoints: [],
    notices: [],
    pending: [],
    undelivered: [],
    waiting: null,
    end: null,
    resumes: 0,
    tells: [],
    questions: [],
    workingSince: null,
    gateRequests: new Map(),
    ended: null,
    hookRequests: new Map(),
    declaredPanels: new Map(),
    panels: new Map(),
    ralphBackends: [],
    repeated: new Set(),
    finished: new Set(),
    touched: new Set(),
  };
}

/** The newest attempt of an iteration, or nothing. */
export function findTurnDraft(draft: RunDraft, iteration: number, attempt?: number): TurnDraft | undefined {
  for (let index = draft.turns.length - 1; index >= 0; index -= 1) {
    const turn = draft.turns[index];
    if (turn?.iteration !== iteration || (attempt !== undefined && turn.attempt !== attempt)) continue;
    draft.touched.add(turn);
    return turn;
  }
  return undefined;
}

/** What stands now, untouched by what comes later. */
export function toView(draft: RunDraft): RunView {
  return { ...joinHead(draft, toHeadParts(draft)), turns: draft.turns.map(toTurnView) };
}

/** Field by field: a copy that leaves some out takes many times as long. */
export function toHeadParts(draft: RunDraft): HeadParts {
  return {
    runId: draft.runId,
    status: draft.status,
    objective: draft.objective,
    promise: draft.promise,
    coordination: draft.coordination,
    hats: draft.hats,
    limits: draft.limits,
    gates: draft.gates,
    gateSources: draft.gateSources,
    baseline: draft.baseline,
    startedAt: draft.startedAt,
    at: draft.at,
    elapsedMs: toElapsedMs(draft),
    totals: { ...draft.totals, iterations: draft.finished.size },
    checkpoints: draft.checkpoints.length,
    notices: draft.notices.length,
    pending: draft.pending,
    undelivered: draft.undelivered.length,
    waiting: draft.waiting,
    end: draft.end,
    resumes: draft.resumes,
    tells: draft.tells,
    questions: draft.questions,
  };
}

/** A head from its parts; the lists may be longer by now. */
export function joinHead({ checkpoints, notices, undelivered }: Pick<RunDraft, GrowingList>, parts: HeadParts): RunHead {
  return {
    ...parts,
    checkpoints: checkpoints.slice(0, parts.checkpoints),
    notices: notices.slice(Math.max(0, parts.notices - MAX_NOTICES), parts.notices),
    undelivered: undelivered.slice(0, parts.undelivered),
  };
}

/** How long processes worked on the run, until its last input. */
export function toElapsedMs({ elapsedMs, workingSince, at }: RunDraft): number {
  return elapsedMs + (workingSince === null ? 0 : Math.max(0, at - workingSince));
}

export function toTurnView(turn: TurnDraft): TurnView {
  return { ...turn };
}
