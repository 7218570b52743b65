import type { LoadRequest } from '../config/load-config.ts';
import type { ConfigFlags, Settings } from '../config/settings.ts';
import type { Tell } from '../core/events/event.ts';
import type { EndReason } from '../core/run/end-reasons.ts';
import type { StopRequested } from '../core/run/inputs.ts';
import type { RecordCursor, RunRecord } from '../core/run/run-record.ts';
import type { RunStat } from '../core/run/run-stat.ts';
import type { RunState } from '../core/run/state.ts';
import type { Environment } from '../core/values/environment.ts';
import type { EventWords } from '../emit/emit-event.ts';
import type { Backpressure } from '../ports/program.ts';
import type { LiveView } from '../views/fold/fold-live-view.ts';
import type { QuestionView, RunProof, RunView, TellView, TurnView } from '../views/fold/run-view.ts';
import type { WorkFacts } from '../views/report/work-facts.ts';
import type { Attention } from '../wire/attention.ts';

/** What became of an event from outside. */
export interface OutsideEvent {
  readonly runId: string;
  /** False: the run reads it when it is resumed. */
  readonly isRunAlive: boolean;
  /** Who gets it, and when: a sentence. */
  readonly delivery: string;
  /** See `emitInto`. */
  readonly cut: number;
}

/** What a person tells a run. */
export interface TellWords {
  /** Names it: a run hears the same name once. Default: a new one. */
  readonly command?: string;
  readonly text: string;
  /** Absent: whoever works. */
  readonly to?: string;
  /** `now` by default. */
  readonly when?: Tell['when'];
}

/** What a person answers. */
export interface AnswerWords {
  /** As of {@link TellWords}. */
  readonly command?: string;
  readonly choice: string;
  /** `q1`; absent: the only open one. */
  readonly question?: string;
}

/** What became of a word of a person, so far. */
export interface Heard {
  readonly runId: string;
  /** Of the command. */
  readonly id: string;
  /** False: the run reads it when it is resumed. */
  readonly isRunAlive: boolean;
  /** What is told, as the journal has it; `null` where it does not yet. */
  readonly tell: TellView | null;
  /** What is answered. */
  readonly question: QuestionView | null;
  /** Nobody has heard it, and the fleet of the run keeps it. */
  readonly kept?: KeptWord;
}

/** A word that a fleet keeps for whoever goes on with the run: a worker that does so by itself stops it where that was asked. */
export interface KeptWord {
  /** Its process lives, and did not answer for so long. `null`: nobody has the run now. */
  readonly unansweredMs: number | null;
}

/** A run that is under way in this process. */
export interface RunHandle {
  readonly runId: string;
  /** Absolute path of the run's folder under `.ralph/runs/`. */
  readonly runFolder: string;
  /** Absolute path of the folder that the agents work in. */
  readonly workspace: string;
  /** What its agents can reach, in one sentence; empty where they reach nothing. */
  readonly reach: string;
  /** The address of the fleet whose workers take its turns, without who asks; `null`: they are taken here. */
  readonly fleet: string | null;
  /** What else a person should know that came up while it was started. */
  readonly warnings: readonly string[];
  /** Asks the run to stop; the outcome follows. `kill` may come after any other. */
  readonly stop: (how: StopRequested['how'], by: string) => void;
  /** The inputs and effects since this start of the run, from the journal. */
  readonly records: () => RecordCursor;
  /** Publishes as the program that runs it. See `emitFromOutside`. */
  readonly emit: (words: EventWords) => OutsideEvent;
  /** Tells its agents something as the program that runs it. See `tellRun`. */
  readonly tell: (words: TellWords) => Promise<Heard>;
  /** Answers as the program that runs it. See `answerRun`. */
  readonly answer: (words: AnswerWords) => Promise<Heard>;
  /** Settles when the run has ended and nothing of it is alive; never rejects. */
  readonly outcome: Promise<FinishedRun>;
  /** Runs the person's `notify:` command about that end; what went wrong with it, in words, or `null`. */
  readonly notify: (end: FinishedRun, abort?: AbortSignal) => Promise<string | null>;
}

/** What became of the work that a run left uncommitted in its worktree. */
export interface WorktreeEnd {
  /** `null`: there was nothing, or it could not be committed. */
  readonly commit: string | null;
  /** Why it is not committed, or not where it should be; empty where all is well. */
  readonly note: string;
  readonly leftOut: readonly string[];
}

/** How a run ended, this time. */
export interface FinishedRun {
  readonly reason: EndReason;
  readonly detail: string;
  readonly exitCode: number;
  /** Whether its completion is proven; `null` for every other end. */
  readonly proof: RunProof | null;
  readonly state: RunState;
  /** `null` for a run in the folder itself. */
  readonly worktree: WorktreeEnd | null;
  /** What went wrong beside the run, such as a hook of its life that failed. */
  readonly warnings: readonly string[];
}

/** Who watches a run. */
export interface RunWatch {
  /** Every input, every effect, and what agents and gates say. Errors in it are swallowed. */
  readonly observe: (record: RunRecord) => void;
  /** Asked while agents and gates talk: as long as it says that it is behind, what they say is not read, so that nothing piles up. */
  readonly backpressure?: Backpressure;
  /** Whether somebody sees what is asked and could answer at once. Absent: nobody does. */
  readonly isAttended?: () => boolean;
}

/** A run that can be read, whether it is under way or over. */
export interface RunReader {
  readonly runId: string;
  readonly runFolder: string;
  readonly isAlive: boolean;
  /** A lock says that it is alive, on another machine or in a process namespace of which nothing can be seen from here. */
  readonly isUnseen: boolean;
  /** It was copied from a fleet, to be looked at. */
  readonly isCopy: boolean;
  /** The address of the fleet whose workers take its turns, without who asks; `null` where they are taken where the run is, or where that is not known. */
  readonly fleet: () => string | null;
  /** What a worker must have for a turn of it, in alphabetical order; empty where that is not known. */
  readonly labelsOf: (turn: Pick<TurnView, 'hat' | 'backend' | 'panel'>) => readonly string[];
  /** Its process, where only a signal to that ends it (`external_events: off`); `null` where `ralph stop` does. */
  readonly signalPid: number | null;
  /** Absolute path of the folder that the agents work in. Throws a `RalphError` where the settings of the run are lost. */
  readonly workspace: () => string;
  /** Ids of the processes that it left working when its own was killed; none while it is alive. */
  readonly left: () => readonly number[];
  /** What of its journal cannot be read, in words; `null` for nothing, and while its process is there. */
  readonly damage: () => string | null;
  /** What its turn does at this moment; `null` where nothing is known, as for a run that has ended. */
  readonly live: () => LiveView | null;
  /** Gives every input and effect so far, oldest first, and returns the state. */
  readonly replay: (visit: (record: RunRecord) => void) => RunState;
  /** The same, piece by piece. */
  readonly records: () => RecordCursor;
  /** The same for a screen or a report: without secrets in what its person declared. */
  readonly shownRecords: () => RecordCursor;
  /** As `replay`, then goes on with what is appended until the run has ended or the signal comes. */
  readonly follow: (visit: (record: RunRecord) => void, signal: AbortSignal) => Promise<void>;
  /** Absolute path of a turn's file; `name` is `7.1`. The file need not exist. */
  readonly turnFile: (name: string, file: 'prompt.md' | 'stdout.log' | 'stderr.log' | 'text.md') => string;
  /** Takes the secrets of the environment out of what is kept as an agent wrote it: raw outputs, changes of files. */
  readonly redact: (text: string) => string;
  /** Names of the turns that have a folder, in order. */
  readonly turns: () => readonly string[];
  /** What is known of it beside its journal, of which a view is given. Never rejects. */
  readonly facts: (view: RunView) => Promise<WorkFacts>;
  /** What a turn changed, or (`null`) the whole run, as a patch; `null` where it was not kept (no git). */
  readonly diff: (name: string | null) => Promise<string | null>;
  /** The same file by file. */
  readonly stat: (name: string | null) => Promise<RunStat | null>;
}

/** One line of `ralph runs`. */
export interface RunSummary {
  readonly runId: string;
  readonly startedAt: number;
  /** `never_began`: it was ended before its first entry. `damaged`: it cannot be read. */
  readonly status: 'running' | 'parked' | 'ended' | 'dead' | 'never_began' | 'damaged';
  readonly reason: EndReason | null;
  /** What it needs of its person, and why; `null` where its journal tells nothing. */
  readonly attention: Attention | null;
  /** Whether its completion is proven; `null` where it has not completed. */
  readonly proof: RunProof | null;
  /** Those that count against the limit. */
  readonly iterations: number;
  /** Turns that were interrupted, which do not count. */
  readonly interrupted: number;
  readonly costUsd: number | null;
  readonly objective: string;
  readonly workspace: string;
  /** Its name; `null` in the main checkout. */
  readonly worktree: string | null;
  /** What brings a run back whose journal was lost while it was on, with the exact command. */
  readonly wayBack?: string;
}

/** A process that a run started and that is still there. */
export interface LeftProcess {
  readonly pid: number;
  readonly runId: string;
  /** `7.1`, or `gate` for the command of a gate. */
  readonly turn: string;
  readonly command: string;
  /** True if the run itself is alive: then it is no leftover. */
  readonly isRunAlive: boolean;
}

/** Where and how a run is started. */
export interface StartOptions {
  readonly cwd: string;
  /** A name, `true` for one that is made up, `null` for what the configuration says. */
  readonly worktree: string | true | null;
  /** Allow a run inside of an agent's turn. */
  readonly nested: boolean;
  /** Its id, where somebody wrote it down before; no run may have it. Default: a new one. */
  readonly runId?: string;
  /** Address of the fleet whose workers take the turns; absent: they are taken here. */
  readonly fleet?: string;
  readonly env: Environment;
}

/** How a run is to go on. */
export interface ResumeOptions {
  readonly cwd: string;
  /** An id, the beginning of one; absent: the newest. */
  readonly run?: string;
  /** Address of the fleet that keeps it; absent: that of `RALPH_FLEET`, else the one with which it was started. */
  readonly fleet?: string;
  readonly maxIterations?: { readonly add: number } | { readonly set: number };
  readonly maxCostUsd?: number;
  /** Running time in all, or that much more of it. */
  readonly maxRuntimeMs?: { readonly add: number } | { readonly set: number };
  readonly acceptChanges: boolean;
  /**
   * Called before anything is added to the journal, which is whole then: with true where a fleet kept more of the run than was here, for it went on elsewhere, and that has been
   * brought. `remarks`: what a person should know of it, a sentence each.
   */
  readonly onBrought?: (wasElsewhere: boolean, remarks: readonly string[]) => void;
  /** Asks a person whether to go on with what changed; absent where nobody can be asked. */
  readonly confirm?: (changed: readonly string[]) => Promise<boolean>;
  readonly env: Environment;
}

/** A run that goes on, or one that has ended for good. */
export type Resumed =
  /** `warnings`: what a person should know, as at the start of a run. */
  | { readonly kind: 'running'; readonly handle: RunHandle; readonly warnings: readonly string[] }
  | { readonly kind: 'ended'; readonly runId: string; readonly reason: EndReason; readonly exitCode: number; readonly text: string };

/** What a run is asked for. */
export interface RunRequest extends Pick<LoadRequest, 'hatsOverlay' | 'assignments' | 'stdinPrompt'> {
  /** The folder to work in. */
  readonly cwd: string;
  /** `-c FILE`, in order; empty: the folder's own. */
  readonly configFiles: readonly string[];
  readonly flags: ConfigFlags;
  readonly env: Environment;
  /** Nothing will be started, so it does not matter whether an agent is installed. */
  readonly isDry?: boolean;
  /** Agents work on other machines: whether they are installed is seen there. */
  readonly isElsewhere?: boolean;
  /** Of a run that goes on so: who its hats' agents were as it began. */
  readonly agentsOfStart?: Settings['backends'];
  /** One turn of this hat, and no more. */
  readonly hat?: string;
  /** Of a run that goes on: the name of the worktree that it works in, `null` in the folder itself. Absent: a new run. */
  readonly goesOnIn?: string | null;
}
