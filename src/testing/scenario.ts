import type { DeliveryKind, RejectionCause } from '../core/run/effects.ts';
import type { EndReason } from '../core/run/end-reasons.ts';
import type { Json } from '../core/values/json.ts';

/** A scenario: a run with scripted agents, and what must come of it. Its fields are the keys of the YAML file. */
export interface Scenario {
  readonly name: string;
  /** What it shows, in a sentence. */
  readonly description?: string;
  /** A whole `ralph.yml`: as a map, or as its text. `cli` is filled in where a map has none. Absent: a run without configuration. */
  readonly config?: string | { readonly [key: string]: Json };
  /** What is asked for, as `ralph run -p` takes it. Absent: the configuration or a `PROMPT.md` among the files says it. */
  readonly prompt?: string;
  /** Files of the workspace before the run, by relative path. */
  readonly files?: Files;
  /** Whether the workspace is a git repository with the files committed. Default: no. */
  readonly git?: boolean;
  /** Files that are written after that commit. */
  readonly dirty?: Files;
  /** Variables on top of the environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** The git worktree that the run gets for its own. */
  readonly worktree?: string;
  /** What the agents do, in order: each turn takes the first one that is left and fits its hat. */
  readonly iterations: readonly ScriptedTurn[];
  /** What happens from outside, in order. */
  readonly steps?: readonly Step[];
  /** One for the one run, or a list with one for each run. */
  readonly expect: Expectation | readonly Expectation[];
  /** After this the run is killed and the scenario has failed. Default 30,000. */
  readonly timeout_ms?: number;
}

/** Contents of files by path: a text, bytes in base64, or `null` for a file that is deleted. */
export type Files = Readonly<Record<string, FileContent>>;
export type FileContent = string | null | { readonly base64: string };

/**
 * What an agent does in one turn. It happens in the order of the fields: files, `run`, events, emit, stderr, output; then the waiting, then the end.
 */
export interface ScriptedTurn {
  /** Only a turn of this hat takes it (`ralph` for Ralph himself). */
  readonly hat?: string;
  /** How many turns take it. Default 1. */
  readonly times?: number | 'always';
  readonly files?: Files;
  /** A piece of shell. */
  readonly run?: string;
  /** Appended to `$RALPH_EVENTS_FILE`: an event as a map becomes a line of JSON, a text is a line as it is, `{raw}` and `{base64}` are written without a line end. */
  readonly events?: readonly EventLine[];
  /** Real calls of `ralph emit`. */
  readonly emit?: readonly (string | EmitCall)[];
  readonly stderr?: string;
  /** What the assistant says; told in the stream of the CLI that the program is called as. */
  readonly output?: string;
  /** What the program prints, as it is. */
  readonly stdout?: string;
  /** What the turn cost, where the stream can tell. */
  readonly cost_usd?: number;
  readonly delay_ms?: number;
  /** Never ends by itself. */
  readonly hang?: boolean;
  /** Kills itself: `KILL`, `TERM`. */
  readonly signal?: string;
  readonly exit?: number;
}

export type EventLine = string | { readonly raw: string } | { readonly base64: string } | WrittenEvent;

/** An event as an agent writes it. */
export interface WrittenEvent {
  readonly topic: string;
  readonly payload?: Json;
  readonly target?: string;
}

/** One call of `ralph emit`. */
export interface EmitCall {
  readonly topic: string;
  readonly payload?: string;
  readonly json?: boolean;
  readonly target?: string;
}

/** When something happens from outside: so long after the agent of a turn has done what it does and waits, after a file is there, or else after the run began. */
export interface Moment {
  /** 1, 2, 3, … over the whole scenario. */
  readonly turn?: number;
  /** A file of the workspace. */
  readonly file?: string;
  readonly after_ms?: number;
}

/** Something that happens from outside. Exactly one key. */
export interface Step {
  /** Ctrl+C. */
  readonly interrupt?: Moment;
  /** SIGTERM. */
  readonly terminate?: Moment;
  /** The terminal is closed. */
  readonly hangup?: Moment;
  /** `ralph stop`: after the turn that runs. */
  readonly stop?: Moment;
  /** `kill -9` of the orchestrator, which runs as a process of its own then. */
  readonly kill?: Moment;
  /** Somebody tries to start another run in the folder; the code of the refusal is kept as `rivals`. */
  readonly rival?: Moment;
  readonly resume?: ResumeStep;
  /** A new run in the same folder. */
  readonly run?: RunStep;
}

/** `ralph resume`, once the run has ended. */
export interface ResumeStep {
  readonly config?: Scenario['config'];
  readonly files?: Files;
  readonly accept_changes?: boolean;
  /** `+5`, or the new limit. */
  readonly max_iterations?: string | number;
  readonly max_cost_usd?: number;
}

/** `ralph run`, once the run before has ended. */
export interface RunStep {
  readonly config?: Scenario['config'];
  readonly prompt?: string;
  readonly files?: Files;
  readonly worktree?: string;
}

/** What must have come of one run. What is absent does not matter. */
export interface Expectation {
  /** Why it ended at last; `killed` for one that was killed and not resumed. */
  readonly reason?: EndReason | 'killed';
  /** How it ended each time: one entry for the run, one for each resume. */
  readonly ends?: readonly string[];
  /** A part of the words with which it ended. */
  readonly detail?: string;
  readonly exit_code?: number;
  /** The code of the error for which it did not start. */
  readonly error?: string;
  /** The iterations that count against `max_iterations`. */
  readonly iterations?: number;
  /** Who ran, in order, each attempt of its own. */
  readonly hats?: readonly string[];
  /** Everything that was published, in order: `source -> topic -> receivers` (`nobody` for none), a topic, or a map. */
  readonly events?: readonly (string | ExpectedEvent)[];
  /** Some of what was published, in this order. */
  readonly events_include?: readonly (string | ExpectedEvent)[];
  /** Topics (or patterns) that were not published. */
  readonly events_absent?: readonly string[];
  /** Everything that was refused, in order: `hat -> topic -> why`, a topic, or a map. */
  readonly refused?: readonly (string | ExpectedRefusal)[];
  /** Notices that must have been given: the code, or the code and a part of the text. */
  readonly notices?: readonly (string | ExpectedNotice)[];
  readonly notices_absent?: readonly string[];
  readonly turns?: readonly ExpectedTurn[];
  /** Files of the workspace at the end, by relative path. */
  readonly files?: Readonly<Record<string, ExpectedFile>>;
  /** What the run cost in all; `null` where nobody knows. */
  readonly cost_usd?: number | null;
  /** How many checkpoints led to a commit. */
  readonly commits?: number;
  /** How the attempts to start another run in the folder were refused; `started` for one that was not. */
  readonly rivals?: readonly string[];
  /** The run took at least, at most, so long. */
  readonly min_ms?: number;
  readonly max_ms?: number;
}

/** An event that was published. */
export interface ExpectedEvent {
  readonly topic: string;
  readonly source?: string;
  readonly to?: readonly string[];
  readonly target?: string;
  readonly how?: DeliveryKind;
  /** A part of the payload as text. */
  readonly payload?: string;
}

/** Something that was not accepted. */
export interface ExpectedRefusal {
  readonly topic: string;
  readonly hat?: string;
  readonly why?: RejectionCause;
  readonly allowed?: readonly string[];
}

export interface ExpectedNotice {
  readonly code: string;
  readonly text?: string;
}

/** One turn of the run. */
export interface ExpectedTurn {
  /** 1, 2, 3, … in the order in which they ran, each attempt of its own. */
  readonly turn: number;
  readonly hat?: string;
  readonly attempt?: number;
  readonly backend?: string;
  readonly status?: 'succeeded' | 'failed' | 'interrupted';
  readonly failure?: string;
  /** The topics it was handed, in order. */
  readonly given?: readonly string[];
  /** The name of the program, as it was called. */
  readonly program?: string;
  /** All its arguments; `{prompt}` stands for the prompt. */
  readonly argv?: readonly string[];
  /** Arguments that follow each other in this order. */
  readonly argv_include?: readonly string[];
  readonly argv_absent?: readonly string[];
  /** Environment; `null` for a variable that must not be set, `*` for any value. */
  readonly env?: Readonly<Record<string, string | null>>;
  /** Parts of the prompt that the agent got. */
  readonly prompt_has?: readonly string[];
  readonly prompt_lacks?: readonly string[];
  /** How the prompt reached it. */
  readonly prompt_by?: 'arg' | 'stdin' | 'file';
  /** The exit codes of its calls of `ralph emit`. */
  readonly emit_exits?: readonly number[];
  /** A part of what those calls printed. */
  readonly emit_says?: string;
  readonly cost_usd?: number | null;
  /** Processes that had to be ended after the agent's own exit. */
  readonly leftovers?: number;
}

/** State of a file: `exists`, `absent`, or what it holds. */
export type ExpectedFile =
  | 'exists'
  | 'absent'
  | { readonly equals: string }
  | { readonly contains?: readonly string[]; readonly lacks?: readonly string[] };
