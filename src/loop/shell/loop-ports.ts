import type { BackendEvent } from '../../core/backends/backend-event.ts';
import type { Usage } from '../../core/backends/usage.ts';
import type { HooksAsk, IterationStart } from '../../core/run/effects.ts';
import type { HookAnswer, Input, StopRequested } from '../../core/run/inputs.ts';
import type { RunRecord } from '../../core/run/run-record.ts';
import type { PayloadCheck } from '../../core/run/run-spec.ts';
import type { Activation, RunState } from '../../core/run/state.ts';
import type { TurnId } from '../../core/run/turn.ts';
import type { ScopeViolations } from '../../core/tools/scope-violations.ts';
import type { Backend, RunningTurn, TurnRequest } from '../../ports/backend.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Elsewhere } from '../../ports/elsewhere.ts';
import type { GateRunner } from '../../ports/gate-runner.ts';
import type { Inbox } from '../../ports/inbox.ts';
import type { Journal } from '../../ports/journal.ts';
import type { Backpressure } from '../../ports/program.ts';
import type { Redaction } from '../../ports/redaction.ts';
import type { AskBox, SteeringSource } from '../../ports/steering.ts';
import type { TurnStore } from '../../ports/turn-store.ts';
import type { WorkCopies } from '../../ports/work-copies.ts';
import type { Workspace } from '../../ports/workspace.ts';
import type { PromptOptions, PromptTurn } from '../../prompts/prompt-context.ts';
import type { Topology } from '../../topology/routing/compile-topology.ts';

/** The world as a run sees it. Everything that a test would like to fake is here. */
export interface LoopPorts {
  readonly journal: Journal;
  readonly clock: Clock;
  readonly inbox: Inbox;
  /** Where people publish: no agent writes here, so nothing in it is ever taken for a hat's. Absent: they cannot. */
  readonly outside?: Inbox;
  /** Where people tell and answer while the run goes on. Absent: they cannot. */
  readonly steering?: SteeringSource;
  /** How agents that are programs ask people. Absent: they cannot. */
  readonly asks?: AskBox;
  /** Whether somebody sees the run as it goes on and could answer at once. Absent: nobody does. */
  readonly isAttended?: () => boolean;
  /** A person's wish to stop that nobody has posted yet, once; looked for before anything can lead to another turn. Absent: nobody leaves any. */
  readonly takeStop?: () => StopRequested | null;
  readonly turns: TurnStore;
  readonly gates: GateRunner;
  /** Hooks of the loop's own moments; absent: none. */
  readonly hooks?: LoopHooks;
  readonly workspace: Workspace;
  /** Where turns work that run at the same time. Absent: none can. */
  readonly copies?: WorkCopies;
  readonly agents: TurnAgents;
  /** Workers that take the turns, each in a copy that comes home; needs `copies`. Absent: turns are taken here. */
  readonly elsewhere?: Elsewhere;
  /** Ends what a dead process left of a turn. Resolves when nothing of it is alive. */
  readonly reap: (activation: Activation) => Promise<void>;
  /** Says whether payloads are what the schemas of their topics ask for; absent where no topic has one. */
  readonly checkPayload?: PayloadCheck;
  /** Takes secrets out of all that comes from agents and people; absent: there are none. */
  readonly redaction?: Redaction;
  /** What agents noted in the scratchpad, of a long one the end; `null` where it is not there or not a plain file. Never throws. Absent: prompts show none. */
  readonly readScratchpad?: () => PromptTurn['scratchpad'] | null;
  /** Sees everything, steers nothing; its errors are not the run's. */
  readonly observe: (record: RunRecord) => void;
  /** Whether the observer is behind with what agents and gates say. Absent: it never is. */
  readonly backpressure?: Backpressure;
}

/** Asks hooks about events that are to be routed, or a completion. */
export interface LoopHooks {
  /** One answer for each of the events, in order. Never rejects; the answer to an aborted request is not read. */
  readonly ask: (order: HooksAsk, signal: AbortSignal) => Promise<readonly HookAnswer[]>;
  /** Called when the run has ended. */
  readonly close: () => Promise<void>;
}

export type AgentPromptFacts = Pick<
  PromptTurn,
  'hasEmitTool' | 'losesPath' | 'keepsContext' | 'mayWrite' | 'mayNote' | 'mayRun' | 'mayCommit'
>;

/** The agents of a run: which one takes a turn, and in which surroundings. */
export interface TurnAgents {
  /** The backend for a turn. Throws a `RalphError` when there is none. */
  readonly backendFor: (order: IterationStart) => Backend;
  /** The complete environment of the agent, the marker of its processes, and its folder. */
  readonly surroundings: (order: IterationStart) => Surroundings | Promise<Surroundings>;
  /** How many tools the hat's profile offers; `null` where none holds it back. Absent: there are no profiles. */
  readonly toolsOf?: (order: IterationStart) => number | null;
  /** What the prompt says of the agent. Absent: nothing. */
  readonly promptFactsOf?: (order: Pick<IterationStart, 'hat' | 'backend' | 'copy'>) => AgentPromptFacts;
  /** The cost of a usage whose agent reported none; `null` where no price is known. */
  readonly priceOf: (order: IterationStart, usage: Usage, model: string | null) => number | null;
  /** What a hat that may not write has written in a turn whose own process died. Never rejects. Absent: nobody is watched. */
  readonly lookBack?: (activation: Activation) => Promise<ScopeViolations | null>;
  /** What people had told the agent of a turn when its process died, where its conversation is kept and says so. Never rejects. Absent: no agent keeps any. */
  readonly toldBy?: (activation: Activation) => Promise<{ readonly ids: readonly string[]; readonly call: number }>;
  /** What a turn had consumed when its process died, as far as its agent left a record. Never rejects. Absent: no agent does. */
  readonly spentBy?: (activation: Activation) => Promise<Usage>;
}

export interface Surroundings extends Pick<TurnRequest, 'cwd' | 'env' | 'marker' | 'scope' | 'isolation'> {
  /**
   * Takes back what was made for the turn, when nothing of it runs any more, and says what a hat that may not write has written. Never rejects.
   */
  readonly close?: () => Promise<ScopeViolations | null>;
}

/** What does not change during a run. */
export interface LoopSettings {
  readonly prompt: PromptOptions;
  /** Largest raw log of a turn. */
  readonly turnLogCapBytes: number;
  /** How long an agent may take to end when asked to. */
  readonly stopGraceMs: number;
  readonly asking: AskingSettings;
}

/** What becomes of what agents ask people. */
export interface AskingSettings {
  /** False: nobody is asked, and the default counts at once. */
  readonly isOn: boolean;
  /** How long an answer is waited for where whoever asks does not say it. */
  readonly deadlineMs: number;
}

/** What a performer may know of the loop and tell it. */
export interface LoopView {
  readonly post: (input: Input) => void;
  readonly topology: () => Topology;
  readonly state: () => RunState;
  /**
   * Brings what a turn made in a copy into the folder: nothing is performed meanwhile, and what follows from it is performed before the next that comes this way. Of a
   * hat with several turns at once the one with the oldest event is first, whichever ended first. The job does not reject.
   */
  readonly inOrder: (turn: TurnId, job: () => Promise<void>) => Promise<void>;
  /** Posts what people said since it was last read: a turn is about to begin, and its prompt is not written yet. */
  readonly hear: (opening: TurnId) => void;
}

export interface TurnContext {
  readonly ports: LoopPorts;
  readonly settings: LoopSettings;
  readonly loop: LoopView;
}

export interface TurnWatch {
  readonly take: (event: BackendEvent) => void;
  /** Called when the agent was started. */
  readonly begin?: (running: RunningTurn) => void;
  /** Called when the agent has ended. */
  readonly close?: () => void;
}
