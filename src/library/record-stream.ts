import type { LiveRecord, RecordCursor, RunRecord } from '../core/run/run-record.ts';
import { type NdjsonLive, type NdjsonRecord, toNdjsonLeftOut, toNdjsonLive, toNdjsonRecord } from '../views/report/ndjson-record.ts';

/** The records of a run in this process, for any number of readers. */
export interface RecordStream {
  readonly observe: (record: RunRecord) => void;
  /** A promise while a reader is so far behind that its agent should wait; else `null`. */
  readonly backpressure: () => Promise<void> | null;
  /** From now on nobody is waited for: the run is to end. */
  readonly letGo: () => void;
  /** Says which run it is: before that no reader gets anything. */
  readonly begin: (first: NdjsonRecord, open: () => RecordCursor) => void;
  readonly finish: (last: NdjsonRecord) => void;
  readonly iterate: () => AsyncIterableIterator<NdjsonRecord>;
}

/**
 * What an agent says waits for a reader up to this, in characters: then the agent waits. What waits outlives the short-lived part of the heap and fills
 * the other one with garbage, so that a whole run takes many times this.
 */
const MOST_WAITING = 1 << 18;
/** Beyond that it is left out, for an agent that cannot wait. */
const MOST_KEPT = 1 << 21;
/** What a record takes beside its text. */
const RECORD_SIZE = 200;

/** What readers share. */
interface Shared {
  readonly first: NdjsonRecord | null;
  readonly open: () => RecordCursor;
  /** The last input that was observed. */
  readonly lastSeq: number;
  /** What could not be written into the journal. */
  readonly unwritten: readonly NdjsonRecord[];
  readonly last: NdjsonRecord | null;
}

/**
 * Hands the records of a run on. Inputs and effects come from the journal, so that they take no memory, are never lost, and are there for whoever comes
 * late; what agents say waits in memory, within a bound: for a reader who is behind the agent has to wait, but for no longer than `patienceMs` while that
 * reader takes nothing at all. What is said before anybody reads is kept for the first reader, within the same bound.
 */
export function createRecordStream(patienceMs = 30_000): RecordStream {
  const shared: { -readonly [Key in keyof Shared]: Shared[Key] } & { unwritten: NdjsonRecord[] } = {
    first: null,
    open: () => ({ read: () => [], seq: () => 0 }),
    lastSeq: 0,
    unwritten: [],
    last: null,
  };
  const readers = new Set<Reader>();
  const gate = createGate(readers, patienceMs);
  let early: Reader | null = new Reader(shared, gate.check);
  readers.add(early);
  const tell = (): void => {
    for (const reader of readers) reader.wake();
  };
  return {
    observe: (record) => {
      if (record.kind === 'input') shared.lastSeq = record.seq;
      if (record.kind === 'effect' && record.seq === 0) shared.unwritten.push(toNdjsonRecord(record, record.at));
      if (record.kind !== 'input' && record.kind !== 'effect') pass(record, readers, shared.lastSeq);
      tell();
    },
    backpressure: gate.backpressure,
    letGo: gate.open,
    begin: (first, open) => {
      Object.assign(shared, { first, open });
      tell();
    },
    finish: (last) => {
      shared.last = last;
      gate.open();
      tell();
    },
    iterate: () => {
      const reader = early ?? new Reader(shared, gate.check);
      early = null;
      readers.add(reader);
      return toIterator(reader, () => {
        readers.delete(reader);
        gate.check();
      });
    },
  };
}

function pass(record: LiveRecord, readers: ReadonlySet<Reader>, after: number): void {
  if (readers.size === 0) return;
  const line = toNdjsonLive(record, Date.now());
  for (const reader of readers) reader.push(line, after);
}

/** Lets an agent wait for readers. */
function createGate(readers: ReadonlySet<Reader>, patienceMs: number) {
  let waiting: { readonly room: Promise<void>; readonly release: () => void; readonly timer: NodeJS.Timeout } | null = null;
  let isOpen = false;
  const check = (): void => {
    if (waiting === null || (!isOpen && [...readers].some((reader) => reader.isBehind(MOST_WAITING / 2)))) return;
    clearInterval(waiting.timer);
    waiting.release();
    waiting = null;
  };
  const backpressure = (): Promise<void> | null => {
    if (isOpen || ![...readers].some((reader) => reader.isBehind(MOST_WAITING))) return null;
    if (waiting !== null) return waiting.room;
    let release = (): void => undefined;
    const room = new Promise<void>((resolve) => {
      release = resolve;
    });
    const look = (): void => {
      for (const reader of readers) reader.abandonAfter(patienceMs);
      check();
    };
    waiting = { room, release, timer: setInterval(look, Math.max(1, patienceMs / 4)).unref() };
    return room;
  };
  return {
    backpressure,
    check,
    open: (): void => {
      isOpen = true;
      check();
    },
  };
}

/** Where one reader is. */
class Reader {
  readonly #shared: Shared;
  readonly #onTaken: () => void;
  #cursor: RecordCursor | null = null;
  #kept: NdjsonRecord[] = [];
  #live: { readonly line: NdjsonLive; readonly after: number; readonly size: number }[] = [];
  #waiting = 0;
  #leftOut = { records: 0, characters: 0 };
  #unwritten = 0;
  #state: 'new' | 'reading' | 'done' = 'new';
  #takenAt = Number.POSITIVE_INFINITY;
  #isAbandoned = false;
  #wakers: (() => void)[] = [];

  constructor(shared: Shared, onTaken: () => void) {
    this.#shared = shared;
    this.#onTaken = onTaken;
  }

  push(line: NdjsonLive, after: number): void {
    const characters = countCharacters(line);
    const size = RECORD_SIZE + characters;
    const limit = this.#leftOut.records > 0 ? MOST_KEPT / 4 : MOST_KEPT;
    if (this.#live.length > 0 && this.#waiting + size > limit) {
      this.#leftOut = { records: this.#leftOut.records + 1, characters: this.#leftOut.characters + characters };
      return;
    }
    this.#tellLeftOut(after);
    this.#live.push({ line, after, size });
    this.#waiting += size;
  }

  /** Whether more than this waits for the reader, so that the agent should pause. Nobody waits for a reader that has not begun. */
  isBehind(limit: number): boolean {
    return this.#state === 'reading' && !this.#isAbandoned && this.#waiting > limit;
  }

  /** A reader that takes nothing for so long was abandoned by its program: nobody waits for it. */
  abandonAfter(patienceMs: number): void {
    if (performance.now() - this.#takenAt >= patienceMs) this.#isAbandoned = true;
  }

  wake(): void {
    for (const wake of this.#wakers.splice(0)) wake();
  }

  close(): void {
    this.#state = 'done';
    this.#live = [];
    this.#kept = [];
    this.#waiting = 0;
    this.wake();
  }

  /** The next record; `null` after the last one. */
  async next(): Promise<NdjsonRecord | null> {
    for (;;) {
      if (this.#state === 'done') return null;
      this.#takenAt = performance.now();
      this.#isAbandoned = false;
      const record = this.#take();
      if (record !== undefined) return record;
      this.#takenAt = Number.POSITIVE_INFINITY;
      await new Promise<void>((resolve) => this.#wakers.push(resolve));
    }
  }

  #take(): NdjsonRecord | undefined {
    const shared = this.#shared;
    if (shared.first === null) return undefined;
    if (this.#state === 'new') {
      this.#state = 'reading';
      this.#cursor = shared.open();
      return shared.first;
    }
    this.#readOn();
    const [head] = this.#live;
    const [record] = this.#kept;
    if (head !== undefined && (record === undefined || seqOf(record) > head.after)) return this.#takeLive(head);
    if (record !== undefined) return this.#kept.shift();
    return this.#takeLast();
  }

  #readOn(): void {
    if (this.#kept.length > 0 || this.#cursor === null || this.#cursor.seq() >= this.#shared.lastSeq) return;
    this.#kept = this.#cursor.read().map((record) => toNdjsonRecord(record, 0));
  }

  #takeLive({ line, size }: { readonly line: NdjsonLive; readonly size: number }): NdjsonLive {
    this.#live.shift();
    this.#waiting -= size;
    this.#onTaken();
    return line;
  }

  #takeLast(): NdjsonRecord | undefined {
    const { unwritten, last } = this.#shared;
    const failed = unwritten[this.#unwritten];
    this.#unwritten += failed === undefined ? 0 : 1;
    if (failed !== undefined || last === null) return failed;
    if (this.#leftOut.records > 0) {
      this.#tellLeftOut(0);
      return this.#live.shift()?.line;
    }
    this.#state = 'done';
    return last;
  }

  #tellLeftOut(after: number): void {
    if (this.#leftOut.records === 0) return;
    this.#live.push({ line: toNdjsonLeftOut(this.#leftOut, Date.now()), after, size: 0 });
    this.#leftOut = { records: 0, characters: 0 };
  }
}

function seqOf(record: NdjsonRecord): number {
  return record.kind === 'input' || record.kind === 'effect' ? record.seq : 0;
}

function countCharacters(line: NdjsonLive): number {
  switch (line.type) {
    case 'text':
    case 'thinking':
      return line.text.length;
    case 'gate-output':
      return line.line.length;
    case 'tool-start':
    case 'tool-end':
      return line.summary.length;
    case 'warning':
    case 'retry':
      return line.message.length;
    case 'hook-ran':
      return line.hook.reason.length + line.hook.preview.length;
    case 'started':
    case 'session':
    case 'message-end':
    case 'alive':
    case 'tool-denied':
    case 'injected':
    case 'usage':
    case 'left-out':
    case 'fleet':
    case 'program':
      return 0;
  }
}

function toIterator(reader: Reader, leave: () => void): AsyncIterableIterator<NdjsonRecord> {
  const done = { value: undefined, done: true } as const;
  const end = (): void => {
    reader.close();
    leave();
  };
  const iterator: AsyncIterableIterator<NdjsonRecord> = {
    next: async () => {
      try {
        const value = await reader.next();
        if (value !== null) return { value, done: false };
      } catch (error) {
        end();
        throw error;
      }
      end();
      return done;
    },
    return: async () => {
      end();
      return done;
    },
    [Symbol.asyncIterator]: () => iterator,
  };
  return iterator;
}
