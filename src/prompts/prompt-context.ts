import type { RalphEvent } from '../core/events/event.ts';
import { RALPH } from '../core/events/reserved.ts';
import { hasWildcard } from '../core/events/topics.ts';
import type { FallbackCause, Feedback } from '../core/run/feedback.ts';
import type { HatSpec } from '../core/run/run-spec.ts';
import type { Topology } from '../topology/routing/compile-topology.ts';
import { isCompletionTopic, isTerminalTopic, receiversOf } from '../topology/routing/queries.ts';

export interface PromptContext {
  readonly topology: Topology;
  readonly turn: PromptTurn;
  readonly settings: PromptOptions;
}

/** The part of the configuration that a prompt mentions. Paths are as an agent in the workspace writes them. */
export interface PromptOptions {
  /** `.agent/scratchpad.md` by default. */
  readonly scratchpad: string;
  /** `.agent/events.jsonl` by default. */
  readonly eventsFile: string;
  /** `./specs/` by default. */
  readonly specsDir: string;
  /** The file that the objective was read from; `null` where it was given as text. */
  readonly promptFile: string | null;
  /** The user's guardrails instead of the built-in ones; an empty list leaves the section out. */
  readonly guardrails: readonly string[] | null;
  /** Folder for temporary files; `.agent/workspace/` by default. */
  readonly workspaceDir: string;
  /** Whether agents commit their own work in this run; absent: yes. */
  readonly agentsCommit?: boolean;
  /** Whether agents are told that they may ask people; absent: they are told to decide themselves. */
  readonly asksPeople?: boolean;
}

/** The part of a turn that a prompt mentions: an `IterationStart` with the limit of iterations. */
export interface PromptTurn {
  /** A hat id or `ralph`. */
  readonly hat: string;
  readonly events: readonly RalphEvent[];
  readonly feedback: readonly Feedback[];
  readonly fallback: FallbackCause | null;
  readonly iteration: number;
  readonly maxIterations: number;
  /** Whether the agent has a tool to publish with; absent: no. */
  readonly hasEmitTool?: boolean;
  /** True if the agent's shell does not find `ralph`: then prompts name it by its variable. Absent: it does. */
  readonly losesPath?: boolean;
  /** Whether the agent's conversation goes on over turns (`context: carry`); absent: every turn begins a new one. */
  readonly keepsContext?: boolean;
  /** Whether the agent may change files of the workspace; absent: yes. */
  readonly mayWrite?: boolean;
  /** Whether the agent has a way to write the scratchpad; absent: yes. */
  readonly mayNote?: boolean;
  /** Whether it may run any command; absent: as it may write. */
  readonly mayRun?: boolean;
  /** Whether it is able to commit; absent: as it may write. */
  readonly mayCommit?: boolean;
  /** The text of the scratchpad, without secrets; `isWhole`: not only its end. Absent: nothing is shown. */
  readonly scratchpad?: { readonly text: string; readonly isWhole: boolean };
}

/** What a turn is told about commits: to make them, or not to; `null` where it cannot commit or has nothing to commit. */
export function commitRule({ turn, settings }: Pick<PromptContext, 'turn' | 'settings'>): 'commit' | 'none' | null {
  if (turn.mayWrite === false || turn.mayCommit === false) return null;
  return settings.agentsCommit === false ? 'none' : 'commit';
}

export const CANNOT_NOTE = 'You cannot write the scratchpad: what the next agent must know belongs in the payload of your event.';

/** Whether several events called the turn, each of which is a task. */
export function isCalledBySeveral({ turn }: Pick<PromptContext, 'turn'>): boolean {
  // What a person tells is no task of its own.
  return turn.events.filter(({ told }) => told === undefined).length > 1;
}

/** Whether the agent may use the program that it works on. */
export function mayRunProgram({ turn }: Pick<PromptContext, 'turn'>): boolean {
  return turn.mayRun ?? turn.mayWrite ?? true;
}

/** A topic or pattern that a hat may publish, with all who may receive it; nobody for a terminal topic. */
export interface OfferedTopic {
  readonly topic: string;
  readonly receivers: readonly string[];
  /** True if an entry names a hat as receiver. */
  readonly byTarget: boolean;
}

/** What a hat may publish, the ways to end the run left out, in the order of the file. */
export function offersOf(topology: Topology, hat: HatSpec): readonly OfferedTopic[] {
  const topics = new Set(hat.publishes.map((entry) => entry.topic).filter((topic) => !isCompletionTopic(topology, topic)));
  return [...topics].map((topic) => {
    const entries = hat.publishes.filter((entry) => entry.topic === topic);
    const known = new Set(entries.flatMap((entry) => receiversOf(topology, entry)));
    const lost = known.size === 0 && hasWildcard(topic) && !isTerminalTopic(topology, topic);
    return {
      topic,
      receivers: lost ? [RALPH] : [...known],
      byTarget: entries.some((entry) => entry.target !== undefined),
    };
  });
}

/** A topic that hands on a task. */
export const TASK_TOPIC = /(^|\.)task$/;
/** A topic by which a hat says that it cannot go on. */
const STUCK = /(^|\.)(blocked|stuck)$/;

/** The topics by which a hat can say that it is stuck. */
export function stuckTopics(publishes: readonly string[]): readonly string[] {
  return publishes.filter((topic) => STUCK.test(topic));
}

/** Whether all that a hat may publish hands on tasks: then a payload says what to do, not what was done. */
export function handsOnTasks(publishes: readonly string[]): boolean {
  return publishes.every((topic) => TASK_TOPIC.test(topic));
}

/** How many notes of one kind are shown: the newest. */
const SHOWN = 3;

export type NotesOf<Kind extends Feedback['kind']> = readonly Extract<Feedback, { readonly kind: Kind }>[];

export function notesOf<K extends Feedback['kind']>(feedback: readonly Feedback[], kind: K): NotesOf<K> {
  return feedback.filter((note): note is Extract<Feedback, { readonly kind: K }> => note.kind === kind);
}

/** The last few different ones: what a prompt shows of one kind. */
export function newest<T>(notes: readonly T[]): readonly T[] {
  const different = new Map(notes.map((note) => [JSON.stringify(note), note]));
  return [...different.values()].slice(-SHOWN);
}

/** The outputs of commands that FEEDBACK quotes, so that no other section quotes them again. */
export function listQuotedOutputs({ turn }: PromptContext): ReadonlySet<string> {
  const failed = newest(notesOf(turn.feedback, 'gate-failed')).flatMap(({ results }) => results.filter(({ passed }) => !passed));
  return new Set(failed.map(({ outputTail }) => outputTail));
}
