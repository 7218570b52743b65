import { randomUUID } from 'node:crypto';
import { type ChildProcessHandle, type ProcessResult, startProcess } from '../process/index.ts';

/** What came back from a program that stays: a line, or its end. */
export type ResidentReply =
  | { readonly kind: 'line'; readonly line: string; readonly isCut: boolean }
  | { readonly kind: 'ended'; readonly result: ProcessResult }
  | { readonly kind: 'timed-out' }
  | { readonly kind: 'stopped' };

/** How such a program is started, should it not run yet. */
export interface ResidentOrder {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly timeoutMs: number;
  readonly maxLineBytes: number;
  readonly signal: AbortSignal;
}

/** Programs that are asked line by line: one that is there for each command line, for as long as the turn. */
export interface ResidentPrograms {
  /** Writes one line and waits for one. Questions to the same program wait for each other. A program that gives no answer in time is ended. Never rejects. */
  readonly ask: (order: ResidentOrder, line: string) => Promise<ResidentReply>;
  /** Ends them all. */
  readonly close: () => Promise<void>;
}

const GRACE_MS = 2000;

/** None is started before it is asked. */
export function createResidentPrograms(): ResidentPrograms {
  const programs = new Map<string, Resident>();
  return {
    ask: (order, line) => {
      const key = JSON.stringify([order.argv, order.cwd]);
      const known = programs.get(key);
      const program = known ?? new Resident();
      if (known === undefined) programs.set(key, program);
      return program.ask(order, line);
    },
    close: async () => {
      await Promise.all([...programs.values()].map((program) => program.close()));
      programs.clear();
    },
  };
}

type Settle = (reply: ResidentReply) => void;

class Resident {
  #handle: ChildProcessHandle | null = null;
  #settle: Settle | null = null;
  #last: Promise<unknown> = Promise.resolve();

  ask(order: ResidentOrder, line: string): Promise<ResidentReply> {
    const reply = this.#last.then(() => this.#askNow(order, line));
    this.#last = reply;
    return reply;
  }

  async close(): Promise<void> {
    await this.#handle?.stop(GRACE_MS);
  }

  async #askNow(order: ResidentOrder, line: string): Promise<ResidentReply> {
    if (order.signal.aborted) return { kind: 'stopped' };
    const handle = this.#handle ?? this.#start(order);
    const reply = await new Promise<ResidentReply>((resolve) => {
      const timer = setTimeout(() => this.#settle?.({ kind: 'timed-out' }), order.timeoutMs);
      const stop = (): void => this.#settle?.({ kind: 'stopped' });
      order.signal.addEventListener('abort', stop, { once: true });
      this.#settle = (answer) => {
        clearTimeout(timer);
        order.signal.removeEventListener('abort', stop);
        resolve(answer);
      };
      // A program that has ended takes nothing more; that it has is told by its result.
      void handle.result.then((result) => this.#handle === handle && this.#settle?.({ kind: 'ended', result }));
      void handle.write(line);
    });
    this.#settle = null;
    if (reply.kind !== 'line' || reply.isCut) {
      // What it says from now on would be taken for the answer to another question.
      this.#handle = null;
      void handle.stop(GRACE_MS);
    }
    return reply;
  }

  #start({ argv: [command = '', ...args], cwd, env, maxLineBytes }: ResidentOrder): ChildProcessHandle {
    const handle = startProcess({
      command,
      args,
      cwd,
      env,
      input: { kind: 'open' },
      marker: `hook-${randomUUID()}`,
      maxLineBytes,
      onStdoutLine: (line, isCut) => {
        // Anything else is talk.
        if (this.#handle === handle && line.trimStart().startsWith('{')) this.#settle?.({ kind: 'line', line, isCut });
      },
    });
    this.#handle = handle;
    return handle;
  }
}
