import type { AskedQuestion } from '../core/run/turn.ts';
import type { Attention } from './attention.ts';
import type { EvidenceRow } from './evidence-row.ts';
import type { HatRow } from './hat-row.ts';
import type { TurnRow } from './turn-row.ts';

/** What a face shows of a run at one moment, but for its lists of turns and events, which are asked for page by page. Plain JSON, of a size that does not grow with the run. */
export interface RunFrame {
  readonly v: 1;
  readonly runId: string;
  /** The first line of the task. */
  readonly title: string;
  /** The beginning of the task, 4,000 characters. */
  readonly objective: string;
  /** The input after which all this was so; 0 before the first. */
  readonly seq: number;
  /** The last input that there is. */
  readonly lastSeq: number;
  /** False while an earlier moment is looked at. */
  readonly isNow: boolean;
  /** When that input came; epoch milliseconds. */
  readonly at: number;
  readonly startedAt: number;
  /** The address of the fleet whose workers take its turns; `null`: they are taken where the run is. */
  readonly fleet: string | null;
  /**
   * `waiting`: all that could go on waits for an answer of its people. `gone`: it has not ended, and its process is not there. `unseen`: nobody can see from here
   * whether it is.
   */
  readonly state: 'running' | 'waiting' | 'parked' | 'ended' | 'gone' | 'unseen';
  /** The same in the one word that every face says: `running`, `waiting for you`, `completed`, `ended: interrupted`. */
  readonly word: string;
  /** The most urgent. */
  readonly attention: Attention;
  /** All that applies, the most urgent first; never empty. */
  readonly attentions: readonly Attention[];
  /** The same as a face says it: first what a person must do, then how it goes on, and last a gate that is red, which is a hat's business. */
  readonly said: readonly Attention[];
  readonly progress: ProgressFacts;
  /** Turns under way, in the order in which they began; empty: nobody works. */
  readonly working: readonly WorkingTurn[];
  /** Gates, hooks and agents of panels that workers have, or are to have, the oldest first. */
  readonly programs: readonly ProgramRow[];
  /** Gates that run now, by their names. */
  readonly runningGates: readonly string[];
  /** Who works next and why, or what has to be done: a sentence. */
  readonly next: string;
  readonly pending: readonly WaitingRow[];
  readonly graph: FrameGraph | null;
  readonly evidence: readonly EvidenceRow[];
  readonly hats: readonly HatRow[];
  /** All that are open, and the last 50 that are not. */
  readonly questions: readonly QuestionRow[];
  /** The last 50. */
  readonly tells: readonly ToldRow[];
  /** The last 20. */
  readonly notices: readonly NoticeRow[];
  readonly end: EndRow | null;
  readonly turnCount: number;
  readonly eventCount: number;
}

/** How far a run is, and what it has used of its limits. */
export interface ProgressFacts {
  readonly iterations: number;
  readonly failedTurns: number;
  readonly maxIterations: number | null;
  readonly elapsedMs: number;
  readonly maxRuntimeMs: number | null;
  /** `null` where nobody has told any cost. */
  readonly costUsd: number | null;
  readonly maxCostUsd: number | null;
  /** Turns whose cost nobody knows: the sum is too low by theirs. */
  readonly unknownCostTurns: number;
  /** What the sum leaves out, to be said behind it: ` + turn 6`, `, 2 turns unknown`; empty: nothing. */
  readonly costNote: string;
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
}

/** A turn under way. */
export interface WorkingTurn
  extends Pick<TurnRow, 'place' | 'iteration' | 'attempt' | 'hat' | 'about' | 'backend' | 'worker' | 'startedAt'> {
  /** No worker has begun it; of a panel: none of its agents' rounds. */
  readonly waitsForWorker: boolean;
  /** The tool call under way that began last; `null` where none is, or nobody knows. */
  readonly tool: { readonly name: string; readonly summary: string; readonly since: number } | null;
  /** When anything last came from its agent; `null` where nothing has, or nobody knows. */
  readonly lastOutputAt: number | null;
  /** Since when it waits for an answer of its people; `null`: it does not. */
  readonly waitsSince: number | null;
  /** So long may it be silent; 0 for no limit, or where nobody knows. */
  readonly idleTimeoutMs: number;
}

/** What a worker has beside turns, or is to have. */
export interface ProgramRow {
  /** `Agent red runs on worker w1`, `Gate lint waits for a worker with gpu` */
  readonly text: string;
  /** No worker has it yet. */
  readonly waits: boolean;
  /** Epoch milliseconds. */
  readonly since: number;
}

/** What a person told, with its receipt in words. */
export interface ToldRow {
  readonly id: string;
  /** Its number in the journal. */
  readonly seq: number;
  readonly at: number;
  readonly text: string;
  /** The hat that it is for; `null`: whoever works. */
  readonly to: string | null;
  /** `in the journal #12`, `given to builder in turn 7`. */
  readonly receipt: string;
}

/** An event that waits for a hat. */
export interface WaitingRow {
  readonly id: string;
  readonly topic: string;
  /** A hat id or `ralph`; `null` where nobody would have got it. */
  readonly hat: string | null;
}

/** A question to people. */
export interface QuestionRow extends Pick<AskedQuestion, 'purpose' | 'text' | 'choices' | 'default' | 'dueAt'> {
  /** `q1`, `q2`, …: by which people answer it. */
  readonly id: string;
  readonly hat: string;
  readonly askedAt: number;
  /** What became of it: `answered "yes"`, `not answered: the run ended before`. */
  readonly fate: string;
  /** `null` while it is open. `deadline`: nobody answered in time. */
  readonly answer: { readonly choice: string; readonly by: string; readonly at: number } | null;
}

/** What was worth a word. */
export interface NoticeRow {
  readonly level: string;
  readonly code: string;
  readonly text: string;
  readonly at: number;
}

/** How a run ended. */
export interface EndRow {
  /** One of the end reasons. */
  readonly reason: string;
  readonly detail: string;
  readonly at: number;
}

/** The flow of events with the counts of a moment. */
export interface FrameGraph {
  readonly nodes: readonly FrameNode[];
  readonly edges: readonly FrameEdge[];
}

export interface FrameNode {
  /** `hat:` and the id of the hat, else its kind. */
  readonly id: string;
  readonly kind: string;
  /** The id of the hat, or a word for the node. */
  readonly label: string;
  readonly marks: readonly string[];
  /** Its turns so far. */
  readonly turns?: number;
}

export interface FrameEdge {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  readonly topic: string;
  readonly kind: string;
  readonly isDefault: boolean;
  /** A gate is run before it. */
  readonly isGated: boolean;
  /** How often it went this way. */
  readonly count?: number;
}
