import { type TurnId, toTurnLabel, toTurnName } from '../core/run/turn.ts';
import { isJsonObject, parseJson, toPayloadText } from '../core/values/json.ts';
import type { NdjsonRecord } from '../views/report/ndjson-record.ts';

/** What happens in the demo of a fleet, for whoever tells it. Turns are named as people name them: `4`, and `4.2` for a second try. */
export type FleetNews =
  | { readonly kind: 'server-started'; readonly program: string; readonly port: string }
  | { readonly kind: 'worker-came'; readonly worker: string; readonly pid: number }
  | { readonly kind: 'run-began'; readonly runId: string; readonly pid: number }
  | { readonly kind: 'turn-taken'; readonly turn: string; readonly hat: string; readonly worker: string }
  | {
      readonly kind: 'worker-killed';
      readonly turn: string;
      readonly worker: string;
      readonly pid: number;
      readonly changed: string | null;
    }
  /** `afterMs`: since the worker was killed. */
  | { readonly kind: 'turn-lost'; readonly turn: string; readonly worker: string; readonly afterMs: number }
  | { readonly kind: 'turn-failed'; readonly turn: string; readonly why: string }
  | { readonly kind: 'turn-done'; readonly turn: string; readonly worker: string; readonly durationMs: number }
  | { readonly kind: 'published'; readonly topic: string; readonly payload: string; readonly to: readonly string[] }
  | { readonly kind: 'gate-answered'; readonly gate: string; readonly passed: boolean; readonly exitCode: number | null };

/** A turn that a worker works on. */
export interface HeldTurn extends TurnId {
  readonly worker: string;
  readonly heldAt: number;
  /** The file that its agent changed last, in the worker's folder. */
  readonly changed: string | null;
}

/** What is left of the story when it is over. */
export interface StoryEnd {
  /** Who took which turn, in their order. */
  readonly takers: readonly { readonly turn: string; readonly worker: string }[];
  /** `seenAfterMs`: how long after the kill the run gave the turn up; `null`: it did not. */
  readonly killed: { readonly turn: string; readonly worker: string; readonly seenAfterMs: number | null } | null;
  /** The reason with which the run ended; `null`: it did not. */
  readonly reason: string | null;
}

interface KnownTurn {
  readonly id: TurnId;
  readonly hat: string;
  worker: string | null;
  changed: string | null;
  heldAt: number;
  isOver: boolean;
}

/** What the run and the list of workers tell, put together. */
export class FleetStory {
  readonly #tell: (news: FleetNews) => void;
  /** Milliseconds that count on. */
  readonly #now: () => number;
  readonly #turns = new Map<string, KnownTurn>();
  readonly #edits = new Map<string, string>();
  #killed: { readonly turn: KnownTurn; readonly worker: string; readonly at: number; seenAfterMs: number | null } | null = null;
  #reason: string | null = null;

  constructor(tell: (news: FleetNews) => void, now: () => number) {
    this.#tell = tell;
    this.#now = now;
  }

  /** A line of `ralph run --format ndjson`, whose process is `pid`. */
  takeLine(line: string, pid: number): void {
    const value = parseJson(line);
    if (!isJsonObject(value) || typeof value['kind'] !== 'string') return;
    // Our own command wrote it: docs/ndjson.md.
    const record = value as unknown as NdjsonRecord;
    if (record.kind === 'run') this.#tell({ kind: 'run-began', runId: record.runId, pid });
    else if (record.kind === 'end') this.#reason = record.reason;
    else this.#take(record);
  }

  /** A worker says that it works on a turn: `4.1`. */
  see(name: string, worker: string): void {
    const turn = this.#turns.get(name);
    if (turn === undefined || turn.worker !== null) return;
    turn.worker = worker;
    turn.heldAt = this.#now();
    this.#tell({ kind: 'turn-taken', turn: toTurnLabel(turn.id), hat: turn.hat, worker });
  }

  /** The turn that is worked on, once it is known by whom. */
  held(): HeldTurn | null {
    const turn = [...this.#turns.values()].findLast(({ isOver }) => !isOver);
    if (turn === undefined || turn.worker === null) return null;
    const { id, worker, heldAt, changed } = turn;
    return { iteration: id.iteration, attempt: id.attempt, worker, heldAt, changed };
  }

  /** The worker of a turn was killed. */
  kill({ worker, changed, ...id }: HeldTurn, pid: number): void {
    const turn = this.#turns.get(toTurnName(id));
    if (turn !== undefined) this.#killed = { turn, worker, at: this.#now(), seenAfterMs: null };
    this.#tell({ kind: 'worker-killed', turn: toTurnLabel(id), worker, pid, changed });
  }

  end(): StoryEnd {
    const takers = [...this.#turns.values()].flatMap(({ id, worker }) => (worker === null ? [] : [{ turn: toTurnLabel(id), worker }]));
    const killed = this.#killed;
    const told = killed && { turn: toTurnLabel(killed.turn.id), worker: killed.worker, seenAfterMs: killed.seenAfterMs };
    return { takers, killed: told, reason: this.#reason };
  }

  #take(record: Extract<NdjsonRecord, { readonly type: string }>): void {
    if (record.type === 'iteration-start') {
      const { iteration, attempt, hat } = record;
      const turn = { id: { iteration, attempt }, hat, worker: null, changed: null, heldAt: 0, isOver: false };
      this.#turns.set(toTurnName(record), turn);
    } else if (record.type === 'iteration-ended') {
      this.#takeEnd(record);
    } else if (record.type === 'tool-start' && record.name === 'edit_file') {
      this.#edits.set(record.id, record.summary);
    } else if (record.type === 'tool-end' && record.ok === true) {
      const turn = this.#turns.get(toTurnName(record));
      if (turn !== undefined) turn.changed = this.#edits.get(record.id) ?? turn.changed;
    } else if (record.type === 'event-publish' && record.event.iteration > 0) {
      const { topic, payload } = record.event;
      this.#tell({ kind: 'published', topic, payload: toPayloadText(payload), to: record.to });
    } else if (record.type === 'gates-finished') {
      for (const { name, command, passed, exitCode } of record.results)
        this.#tell({ kind: 'gate-answered', gate: name ?? command, passed, exitCode });
    }
  }

  #takeEnd(input: Extract<NdjsonRecord, { readonly type: 'iteration-ended' }>): void {
    const turn = this.#turns.get(toTurnName(input));
    if (turn === undefined) return;
    const { outcome, sessionId, durationMs } = input;
    // The name of a conversation begins with its worker's: a turn may be over before anybody has looked who has it.
    if (sessionId !== null) this.see(toTurnName(input), sessionId.slice(0, sessionId.indexOf('/')));
    turn.isOver = true;
    const [label, worker] = [toTurnLabel(turn.id), turn.worker ?? ''];
    const killed = this.#killed;
    if (outcome.status === 'succeeded') this.#tell({ kind: 'turn-done', turn: label, worker, durationMs });
    else if (killed?.turn === turn) {
      killed.seenAfterMs = this.#now() - killed.at;
      this.#tell({ kind: 'turn-lost', turn: label, worker, afterMs: killed.seenAfterMs });
    } else this.#tell({ kind: 'turn-failed', turn: label, why: outcome.status === 'failed' ? outcome.failure.message : outcome.status });
  }
}
