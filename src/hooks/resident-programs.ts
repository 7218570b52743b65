import { randomUUID } from 'node:crypto';
import type { ChildProcessHandle } from '../process/contract.ts';
import { startProcess } from '../process/start-process.ts';
import type { ResidentLine, ResidentOrder, ResidentPrograms, ResidentReply } from './run-handler.ts';

const GRACE_MS = 2000;

/** None is started before it is asked. */
export function createResidentPrograms(): ResidentPrograms {
  const programs = new Map<string, Resident>();
  let isClosed = false;
  return {
    ask: async (order, line) => {
      if (isClosed) return { kind: 'stopped' };
      const key = JSON.stringify([order.argv, order.cwd]);
      const known = programs.get(key);
      const program = known ?? new Resident();
      if (known === undefined) programs.set(key, program);
      return program.ask(order, line);
    },
    close: async () => {
      isClosed = true;
      await Promise.all([...programs.values()].map((program) => program.close()));
    },
  };
}

class Resident {
  #handle: ChildProcessHandle | null = null;
  /** Takes the answer to the question that is open; `null` while none is. */
  #settle: ((reply: ResidentReply) => void) | null = null;
  #last: Promise<unknown> = Promise.resolve();
  #isClosed = false;
  readonly #ending = new Set<Promise<unknown>>();

  ask(order: ResidentOrder, line: string): Promise<ResidentReply> {
    const reply = this.#last.then(() => this.#askNow(order, line));
    this.#last = reply;
    return reply;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#handle !== null) this.#end(this.#handle);
    this.#settle?.({ kind: 'stopped' });
    await Promise.all(this.#ending);
  }

  async #askNow(order: ResidentOrder, line: string): Promise<ResidentReply> {
    if (this.#isClosed || order.signal.aborted) return { kind: 'stopped' };
    const known = this.#handle;
    const handle = known ?? this.#start(order);
    const replied = this.#waitForReply(order);
    const written = handle.write(line);
    const reply = await replied;
    if (reply.kind === 'line' && !reply.isCut) return reply;
    // What it says from now on would be taken for the answer to another question.
    this.#end(handle);
    // One that was about to end by itself may never have read the question, although the system took it.
    const isSilent = reply.kind === 'ended' && reply.rest === null;
    const hadEnded = isSilent && known !== null && (reply.result.exitCode === 0 || !(await written));
    return hadEnded ? this.#askNow(order, line) : reply;
  }

  #waitForReply({ signal, timeoutMs }: ResidentOrder): Promise<ResidentReply> {
    return new Promise((resolve) => {
      const settle = (reply: ResidentReply): void => {
        this.#settle = null;
        clearTimeout(timer);
        signal.removeEventListener('abort', stop);
        resolve(reply);
      };
      const stop = (): void => settle({ kind: 'stopped' });
      const timer = setTimeout(() => settle({ kind: 'timed-out' }), timeoutMs);
      signal.addEventListener('abort', stop, { once: true });
      this.#settle = settle;
    });
  }

  #end(handle: ChildProcessHandle): void {
    if (this.#handle === handle) this.#handle = null;
    const ended = handle.stop(GRACE_MS).finally(() => this.#ending.delete(ended));
    this.#ending.add(ended);
  }

  #start({ argv: [command = '', ...args], cwd, env, maxLineBytes, marker }: ResidentOrder): ChildProcessHandle {
    let rest: ResidentLine | null = null;
    const handle = startProcess({
      command,
      args,
      cwd,
      env,
      input: { kind: 'open' },
      marker: `${marker}.hook.${randomUUID()}`,
      maxLineBytes,
      onStdoutLine: (line, isCut, isOpen) => {
        // Anything else is talk.
        if (this.#handle !== handle || !line.trimStart().startsWith('{')) return;
        // It is ending, and how it ends says as much as half a line does.
        if (isOpen) {
          rest = { line, isCut };
          return;
        }
        // An answer that nobody waits for: which question its next one would answer is not known.
        if (this.#settle === null) this.#end(handle);
        else this.#settle({ kind: 'line', line, isCut });
      },
    });
    this.#handle = handle;
    void handle.result.then((result) => {
      if (this.#handle !== handle) return;
      this.#handle = null;
      this.#settle?.({ kind: 'ended', result, rest });
    });
    return handle;
  }
}
