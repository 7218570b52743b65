import type { Usage } from '../../core/backends/usage.ts';
import type { IterationStart } from '../../core/run/effects.ts';
import type { PanelSpec } from '../../core/run/panel-spec.ts';
import type { Backend, PanelHand, TurnRequest } from '../../ports/backend.ts';
import type { ShownWork } from '../../ports/panel-rounds.ts';

/** What a panel is made of. */
export interface PanelSettings extends Omit<PanelFilesSettings, 'home' | 'numbers'> {
  readonly label: string;
  readonly spec: PanelSpec;
  /** The agent at a place of `spec.agents`. */
  readonly agentAt: (place: number) => AgentSource;
  /** Topics that the hat may publish; where there are several, an answer names one. */
  readonly topics: readonly string[];
  /** What the hat publishes when no answer names a topic; `null`: nothing. */
  readonly defaultTopic: string | null;
  /** What publishes that the winner's work cannot be taken over; `null`: nothing does, and the turn fails. */
  readonly conflictTopic: string | null;
  /** Runs the gates on what an answer would publish, in a copy of the folder with its work; absent: no answer is judged. Does not reject. */
  readonly judge?: (order: JudgeOrder) => Promise<AnswerJudgement>;
  /** What the schema of a topic has against a payload; `null`: nothing. */
  readonly findProblem: (topic: string, payload: PanelPayload) => string | null;
  /** Publishes for the hat; what is wrong with it, or `null`. */
  readonly publish: (request: TurnRequest, topic: string, payload: PanelPayload) => string | null;
  /** Takes secrets out of what an agent hands in. */
  readonly redact: (text: string) => string;
  /** Workers take the rounds: its time begins with the first that one takes. */
  readonly isAway?: true;
  /** A random order of the numbers from 1 on. */
  readonly shuffle: (size: number) => readonly number[];
}

/** An answer that gates judge. */
export interface JudgeOrder {
  /** A copy of the folder with the work behind it; gates may write there. */
  readonly cwd: string;
  /** What it would publish; `null`: nothing. */
  readonly topic: string | null;
  readonly signal: AbortSignal;
}

/** What the gates said; `text` is for agents, and empty where all passed. */
export interface AnswerJudgement {
  readonly isPassed: boolean;
  readonly text: string;
}

/** What a panel hands on. */
export interface PanelPayload {
  readonly answer: string;
  /** `agent2` */
  readonly author: string;
  readonly votes: readonly { readonly for: string; readonly reason: string }[];
  /** Where its work could not be taken over: the paths, at most 50, and where the work is kept. */
  readonly conflicts?: readonly string[];
  readonly work?: string;
}

/** How an agent hands in, as its prompt says it. `command`: how its shell finds `ralph`. Whoever did nothing of the kind hands in by its last message. */
export type HandWay = { readonly kind: 'tools' } | { readonly kind: 'command'; readonly command: string } | { readonly kind: 'words' };

/** One agent of a panel. */
export interface AgentSource {
  readonly backend: Backend;
  /** What is around it in a round. Rejects where it cannot be held as it should be. */
  readonly surroundings: (round: RoundPlace) => Promise<AgentSurroundings>;
  /** It is our own agent: its conversation goes on from round to round, and its tools are in this process. */
  readonly isNative: boolean;
  /** A worker takes its rounds, some time after they are started: then it tells `started`. */
  readonly isAway?: true;
  readonly way: HandWay;
  /** Its program can go on with a conversation of another round. */
  readonly canResume: boolean;
  /** Where it told tokens but no cost. */
  readonly priceOf: (usage: Usage, model: string | null) => number | null;
}

/** Agents of panels whose rounds begin elsewhere and are worked on here. */
export interface PanelAgents {
  /** `null` where the panel of the turn's hat has none at that place. Throws RalphError `backend-missing`. */
  readonly panelAgentOf: (order: IterationStart, place: number) => AgentSource | null;
}

/** Where an agent works on a prompt. */
export interface RoundPlace {
  /** Its own folder. */
  readonly cwd: string;
  /** By which its processes are told from those of the others; it says nothing to them. */
  readonly token: string;
  /** Of the round: `2.1`. */
  readonly name: string;
  /** In the folder of the round, in which the agent does not write. */
  readonly promptFile: string;
  /** What its programs hand in. */
  readonly hand: PanelHand;
  /** Work of others that it is shown by now. */
  readonly shown: () => readonly ShownWork[];
}

/** What is around an agent in a round. */
export interface AgentSurroundings extends Pick<TurnRequest, 'cwd' | 'env' | 'marker' | 'scope' | 'isolation'> {
  /** Settles when all that its programs handed in has its verdict; called once, when they have ended. Absent: it has none that do. */
  readonly settle?: () => Promise<void>;
  /** Takes back what was made for the round, when nothing of it runs any more; a sentence for people about what an agent wrote that may not, or `null`. Never rejects. */
  readonly close?: () => Promise<string | null>;
}

/** Where a panel works. */
export interface PanelFilesSettings {
  readonly spec: PanelSpec;
  /** Of all panels of the run; absolute, without links. */
  readonly folder: string;
  /** The folder that the run works in; absolute, without links. */
  readonly workspace: string;
  /** Paths in it that are linked instead of copied, such as `node_modules`. */
  readonly links: readonly string[];
  /** Paths in it that are no work, beside git's own and the agents' notes: the folder for state. */
  readonly skipped: readonly string[];
  /** Whether the work of the agent at a place counts: of one that may not write nothing is taken over. */
  readonly mayWrite: (place: number) => boolean;
  readonly home: string;
  readonly numbers: readonly number[];
}

/** An answer as one agent is shown it: without real paths and names. */
export interface VisibleAnswer {
  /** `agent2` */
  readonly name: string;
  readonly content: string;
  /** Where the work behind it lies, relative to the folder of the viewer; `null` where there is none. */
  readonly folder: string | null;
  /** What the gates said of it; absent: they were not asked. */
  readonly gates?: VisibleGates;
}

/** `text` is empty where all passed. */
export interface VisibleGates {
  readonly isPassed: boolean;
  readonly text: string;
}
