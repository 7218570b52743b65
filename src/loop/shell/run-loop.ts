import type { Effect, IterationStart } from '../../core/run/effects.ts';
import type { EndReason } from '../../core/run/end-reasons.ts';
import type { Input, JournalEntry } from '../../core/run/inputs.ts';
import type { RunState } from '../../core/run/state.ts';
import { type TurnId, toTurnName } from '../../core/run/turn.ts';
import { isRalphError, toErrorCode, toErrorMessage } from '../../core/values/errors.ts';
import { quietly } from '../../core/values/result.ts';
import type { Topology } from '../../topology/routing/compile-topology.ts';
import { decide, type FoldedRun, INITIAL_STATE, toTopology } from '../decide/decide.ts';
import type { LoopPorts, LoopSettings, LoopView } from './loop-ports.ts';
import { createPerformer, type Performer } from './performer.ts';
import { readOutside } from './read-inbox.ts';
import { type HeardWords, readSteering } from './read-steering.ts';
import { redactInput } from './redact-input.ts';

export interface RunOutcome {
  readonly reason: EndReason;
  readonly detail: string;
  readonly state: RunState;
}

export interface RunningLoop {
  /** The only way in: an input. Ignored after the end. */
  readonly post: (input: Input) => void;
  /** Settles when the run has ended and nothing of it is alive; never rejects. */
  readonly outcome: Promise<RunOutcome>;
}

/** Where a loop begins: at the start of a run, or after what its journal says. */
export interface LoopStart {
  readonly folded: FoldedRun | null;
  /** `run-started`, or what resuming needs: `run-resumed`, then the end of an interrupted turn. */
  readonly inputs: readonly Input[];
  /** Turns that workers have since the process before this one; absent: none. */
  readonly attached?: readonly IterationStart[];
}

/**
 * Runs the loop: each input is appended to the journal, then decided, then its effects are performed, in order; their results
 * come back as inputs. One writer, one input at a time.
 */
export function runLoop(ports: LoopPorts, settings: LoopSettings, start: LoopStart): RunningLoop {
  const loop = new Loop(ports, settings, start.folded);
  for (const input of start.inputs) loop.post(input);
  for (const order of start.attached ?? []) loop.attach(order);
  loop.listen();
  return { post: loop.post, outcome: loop.outcome };
}

/** Whether a turn or the end of the run can follow from an input. What resumes a run brings what people said itself. */
const MAY_LEAD_ON: Readonly<Record<Input['type'], boolean>> = {
  'run-started': false,
  'run-resumed': false,
  'iteration-spawned': false,
  'usage-reported': false,
  'iteration-ended': true,
  'events-received': false,
  told: false,
  'tell-given': false,
  asked: false,
  answered: false,
  'gates-finished': true,
  'hooks-answered': true,
  'panel-moved': false,
  'timer-fired': true,
  'checkpoint-finished': false,
  'stop-requested': true,
  'environment-failed': true,
};

/** An observer's trouble is its own: it must not steer the run, not even by failing. */
function shield(observe: LoopPorts['observe']): LoopPorts['observe'] {
  return (record) => {
    // Nobody is there to be told.
    quietly(() => observe(record));
  };
}

/** Freezes a value and everything in it that is not frozen yet. */
function freeze<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const part of Object.values(value)) freeze(part);
  return value;
}

/** What is wrong with the journal, and where that is known what brings it back. */
function toJournalFault(error: unknown): string {
  if (!isRalphError(error)) return `the journal cannot be written (${toErrorCode(error)})`;
  return error.fix === undefined ? error.message : `${error.message}; ${error.fix}`;
}

class Loop {
  readonly outcome: Promise<RunOutcome>;
  readonly #ports: LoopPorts;
  readonly #performer: Performer;
  readonly #queue: Input[] = [];
  #settle: (outcome: RunOutcome) => void = () => undefined;
  #topology: Topology | null;
  #state: RunState | null;
  #isPumping = false;
  #isOver = false;
  #stopListening: () => void = () => undefined;
  /** Ordered turns that have read what people said before them. */
  readonly #opened = new Set<string>();
  /** What people said was read up to here, also what counts for nothing; in bytes. */
  #heardTo = 0;
  /** Effects are performed one after the other, so a checkpoint is finished before the next turn begins. */
  #work: Promise<void> = Promise.resolve();
  /** What has to do with the folder, one after the other. */
  #jobs: Promise<void> = Promise.resolve();
  /** Turns that have ended, and whose work comes in behind that of others. */
  readonly #behind = new Map<string, { readonly turn: TurnId; readonly go: () => void }>();

  constructor(ports: LoopPorts, settings: LoopSettings, folded: FoldedRun | null) {
    this.#ports = { ...ports, observe: shield(ports.observe) };
    this.#topology = folded?.topology ?? null;
    this.#state = folded?.state ?? null;
    this.outcome = new Promise((resolve) => {
      this.#settle = resolve;
    });
    const loop: LoopView = {
      post: this.post,
      topology: () => this.#topology as Topology,
      state: () => this.#state as RunState,
      inOrder: this.#inOrder,
      hear: (opening) => {
        this.#opened.add(toTurnName(opening));
        for (const input of this.#readWords(opening)) this.post(input);
      },
    };
    this.#performer = createPerformer({ ports: this.#ports, settings, loop });
  }

  readonly #inOrder = async (turn: TurnId, job: () => Promise<void>): Promise<void> => {
    if (this.#isBehind(turn)) await new Promise<void>((go) => this.#behind.set(toTurnName(turn), { turn, go }));
    this.#jobs = this.#jobs.then(() => {
      this.#work = this.#work.then(job);
      return this.#work;
    });
    return this.#jobs;
  };

  /** Whether another turn of its hat is at work whose event is older. */
  #isBehind({ iteration, attempt }: TurnId): boolean {
    const activations = this.#state?.activations ?? [];
    const own = activations.find((turn) => turn.iteration === iteration && turn.attempt === attempt);
    if (own?.place === undefined || this.#isOver) return false;
    const { hat, place } = own;
    return activations.some((turn) => turn.hat === hat && turn.place !== undefined && turn.place < place);
  }

  /** Lets those come in that waited for turns which have ended. */
  #letIn(): void {
    for (const [name, { turn, go }] of this.#behind)
      if (!this.#isBehind(turn)) {
        this.#behind.delete(name);
        go();
      }
  }

  attach(order: IterationStart): void {
    this.#opened.add(toTurnName(order));
    this.#work = this.#work.then(() => (this.#isOver ? undefined : this.#performer.attach(order)));
  }

  readonly post = (input: Input): void => {
    this.#queue.push(input);
    if (this.#isPumping) return;
    this.#isPumping = true;
    try {
      for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) this.#take(next);
    } finally {
      this.#isPumping = false;
    }
  };

  /** Hears what people tell and answer, as it comes, until the run is over. */
  listen(): void {
    const { steering } = this.#ports;
    if (steering === undefined || this.#isOver) return;
    this.#stopListening = steering.watch(() => {
      if (this.#state === null || this.#isOver) return;
      for (const input of this.#readWords()) if (this.#state.end === null) this.post(input);
    });
  }

  /** What people said since it was last read; nothing while a turn was ordered and has not begun, for it reads that itself, for its prompt. */
  #readWords(opening?: TurnId): HeardWords['inputs'] {
    if (this.#state === null) return [];
    const { activations, steeringOffset, heardIds } = this.#state;
    if (opening === undefined && activations.some((turn) => !this.#opened.has(toTurnName(turn)))) return [];
    const { inputs, offset } = readSteering(this.#ports, { steeringOffset: Math.max(this.#heardTo, steeringOffset), heardIds }, opening);
    this.#heardTo = offset;
    return inputs;
  }

  #take(input: Input): void {
    if (this.#isOver) return;
    if (MAY_LEAD_ON[input.type]) {
      this.#hear();
      this.#recordStop();
    }
    this.#record(input);
  }

  /** Decides first what people have published: it is to be in the next prompt, and no completion may precede it. */
  #hear(): void {
    if (this.#state === null) return;
    const words = this.#readWords();
    for (const input of words) this.#recordHeard(input);
    const { inboxOffset, outsideOffset } = this.#state;
    for (const heard of readOutside(this.#ports, outsideOffset))
      this.#recordHeard({ type: 'events-received', at: this.#ports.clock.now(), inboxOffset, ...heard });
    // What was told while that was written down is heard, too.
    if (words.length > 0 || this.#state.outsideOffset !== outsideOffset) this.#hear();
  }

  /** What people said may itself lead to the end, for a limit: what is behind it is read when the run is resumed. */
  #recordHeard(input: Input): void {
    const end = this.#state?.end ?? null;
    if (end === null || end.reason === 'completed') this.#record(input);
  }

  /** Whoever was told that the run stops after its running turn is not to see another one begin. */
  #recordStop(): void {
    const stop = this.#state === null ? null : this.#ports.takeStop?.();
    if (stop) this.#record(stop);
  }

  #record(given: Input): void {
    if (this.#isOver) return;
    const input = redactInput(given, this.#ports.redaction);
    const entry = this.#append(input);
    if (entry === null) return;
    this.#topology = toTopology(input) ?? this.#topology;
    const decision = decide(this.#topology as Topology, this.#state ?? INITIAL_STATE, input);
    this.#state = decision.state;
    // Who watches sees the loop's own objects: frozen, so that nobody steers by writing into them.
    freeze(decision.effects);
    this.#ports.observe({ kind: 'input', seq: entry.seq, input: freeze(input) });
    if (input.type === 'iteration-ended') {
      this.#opened.delete(toTurnName(input));
      this.#letIn();
    }
    for (const effect of decision.effects) {
      // A turn that is ordered again reads again.
      if (effect.type === 'iteration-start') this.#opened.delete(toTurnName(effect));
      this.#ports.observe({ kind: 'effect', seq: entry.seq, at: input.at, effect });
      this.#work = this.#work.then(() => this.#perform(effect));
    }
  }

  /** Write-ahead: an input that cannot be written did not happen, and the run cannot go on. */
  #append(input: Input): JournalEntry | null {
    try {
      return this.#ports.journal.append(input);
    } catch (error) {
      this.#fail(toJournalFault(error));
      return null;
    }
  }

  async #perform(effect: Effect): Promise<void> {
    if (this.#ports.journal.settled !== undefined && !(await this.#isSettled())) return;
    if (effect.type === 'run-end') return this.#isLost() ? undefined : this.#finish(effect.reason, effect.detail);
    if (this.#isOver) return;
    try {
      await this.#performer.perform(effect);
    } catch (error) {
      this.#fail(`${effect.type} could not be carried out: ${toErrorMessage(error)}`);
    }
  }

  /** Where others may go on with the run, nothing follows from what they do not know. */
  async #isSettled(): Promise<boolean> {
    try {
      await this.#ports.journal.settled?.();
      return true;
    } catch (error) {
      this.#fail(toErrorMessage(error));
      return false;
    }
  }

  /** An end that nobody can read afterwards is none. */
  #isLost(): boolean {
    try {
      this.#ports.journal.check?.();
      return false;
    } catch (error) {
      this.#fail(toJournalFault(error));
      return true;
    }
  }

  async #finish(reason: EndReason, detail: string): Promise<void> {
    if (this.#isOver) return;
    // Nobody will resume a run that is complete: what people published in the last moment is recorded now or never.
    if (reason === 'completed') this.#hear();
    this.#isOver = true;
    this.#letIn();
    this.#stopListening();
    await this.#performer.close();
    this.#settle({ reason, detail, state: this.#state ?? INITIAL_STATE });
  }

  /** Ends the run without recording anything more, so that a resume finds the last good state. */
  #fail(detail: string): void {
    if (this.#isOver) return;
    this.#ports.observe({
      kind: 'effect',
      seq: 0,
      at: this.#ports.clock.now(),
      effect: { type: 'run-end', reason: 'storage_failed', detail },
    });
    void this.#finish('storage_failed', detail);
  }
}
