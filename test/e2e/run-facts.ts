import { ralph, readJsonLines } from './ralph.ts';

/** Resolves when `look` says yes; rejects, naming what was waited for, when it does not in time. */
export async function until(what: string, look: () => boolean | Promise<boolean>, timeoutMs = 30_000): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  while (!(await look())) {
    if (Date.now() > deadline) throw new Error(`waited ${timeoutMs} ms in vain: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Calls `work` with 1 to `count`, `atOnce` of them at a time. */
export async function repeat(count: number, atOnce: number, work: (turn: number) => Promise<void>): Promise<void> {
  let next = 1;
  const lane = async (): Promise<void> => {
    while (next <= count) await work(next++);
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
}

/** What `ralph status --format json` tells, as far as tests want to know. */
export interface StatusFacts {
  readonly runId: string;
  readonly isAlive: boolean;
  readonly exitCode: number | null;
  readonly status: string;
  readonly end: { readonly reason: string; readonly detail: string } | null;
  readonly waiting: { readonly purpose: string } | null;
  readonly resumes: number;
  readonly turns: readonly TurnFacts[];
  readonly pending: readonly { readonly topic: string }[];
  readonly undelivered: readonly { readonly topic: string }[];
  readonly checkpoints: readonly { readonly commit: string | null; readonly leftOut: readonly string[]; readonly note: string }[];
  readonly notices: readonly { readonly code: string; readonly text: string }[];
  readonly totals: { readonly iterations: number; readonly failed: number; readonly usage: { readonly costUsd: number | null } };
}

export interface TurnFacts {
  readonly iteration: number;
  readonly attempt: number;
  readonly hat: string;
  readonly status: string;
  readonly failure: { readonly class: string; readonly message: string } | null;
  readonly pid: number | null;
  readonly leftovers: number;
  readonly command: readonly string[];
  readonly sessionId: string | null;
  readonly usage: { readonly costUsd: number | null; readonly inputTokens: number | null };
  readonly refused: readonly { readonly topic: string; readonly why: string }[];
  readonly gates: readonly { readonly passed: boolean; readonly outputTail: string }[];
}

/** The newest run of a folder, or the named one, as a program sees it. */
export async function readStatus(folder: string, run?: string): Promise<StatusFacts> {
  const { stdout, stderr } = await ralph(folder, ['status', ...(run === undefined ? [] : [run]), '--format', 'json']);
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout) as StatusFacts;
}

/** One line of `ralph events --format json`. */
export interface EventFacts {
  readonly id: string;
  readonly seq: number;
  readonly ts: number;
  readonly iteration: number;
  readonly topic: string;
  readonly source: string;
  readonly target: string | null;
  readonly to: readonly string[];
  readonly status: string;
  readonly payload: unknown;
}

/** The events of the newest run, filtered by these arguments. */
export async function readEvents(folder: string, ...args: readonly string[]): Promise<EventFacts[]> {
  const { stdout } = await ralph(folder, ['events', '--format', 'json', ...args]);
  return readJsonLines<EventFacts>(stdout);
}

/** Events in few words: `builder -> build.done -> reviewer`; refused ones end with their status. */
export function toRoutes(events: readonly EventFacts[]): string[] {
  return events.map(
    ({ source, topic, to, status }) => `${source} -> ${topic} -> ${status === 'routed' ? to.join('+') || 'nobody' : status}`,
  );
}
