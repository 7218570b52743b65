/** Runs of the native agent whose calls hooks are asked about. The model is a script. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { findProcesses, withPlace } from './processes.ts';
import { type Finished, readJsonLines, type Started, start } from './ralph.ts';

/** One call of the model. */
export interface HookedCall {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** A hook as the configuration has it; `path`: it is asked about this file alone. */
export interface HookKeys {
  readonly command?: string;
  readonly handler?: string;
  readonly path?: string;
  readonly name?: string;
  readonly timeout?: number;
  readonly matcher?: string;
  readonly fail_closed?: boolean;
  readonly keep_alive?: boolean;
}

interface HookedSetUp {
  readonly hooks: readonly HookKeys[];
  /** What the model calls, answer by answer; then {@link COMPLETE}. */
  readonly answers: readonly (readonly HookedCall[])[];
  /** A text that the model must be given by then as a result, by the number of its answer from 0 on. */
  readonly given?: Readonly<Record<number, string>>;
  readonly config?: Readonly<Record<string, unknown>>;
  readonly files?: Readonly<Record<string, string>>;
}

/** What the model was given for a call, and what its hooks said. */
export interface CallFacts {
  readonly result: { readonly text: string; readonly isError: boolean };
  readonly hooks?: readonly {
    readonly name: string;
    readonly decision: string;
    readonly reason: string;
    readonly error: string | null;
    readonly ms: number;
  }[];
}

export const write = (path: string, content = 'x'): HookedCall => ({ tool: 'write_file', args: { path, content } });
export const read = (path: string): HookedCall => ({ tool: 'read_file', args: { path } });
export const shell = (command: string): HookedCall => ({ tool: 'bash', args: { command } });
/** Publishes the event that ends the run. */
export const COMPLETE: HookedCall = { tool: 'emit_event', args: { topic: 'task.complete' } };

/** The files of such a run. JSON is YAML as well. */
export function toHookedFiles({ hooks, answers, given = {}, config, files }: HookedSetUp): Record<string, string> {
  const settings = {
    cli: { backend: { type: 'native', provider: 'scripted', script: 'model.yml' } },
    event_loop: { prompt: 'Write the files' },
    gates: [],
    hooks: {
      PreToolUse: hooks.map(({ path, ...keys }) =>
        path === undefined ? keys : { if: `write_file|edit_file|read_file(${path})`, ...keys },
      ),
    },
    hats: { builder: { triggers: ['task.start', 'task.resume'], publishes: ['task.complete'], profile: 'creator' } },
    ...config,
  };
  const steps = [...answers.map((calls) => ({ calls })), { calls: [COMPLETE] }, { text: 'Done.' }].map((step, index) => ({
    ...step,
    ...(given[index] === undefined ? {} : { expect: { results: given[index] } }),
  }));
  return { 'ralph.yml': JSON.stringify(settings), 'model.yml': JSON.stringify({ hats: { builder: [{ steps }] } }), ...files };
}

/** What is left of such a run. */
export interface HookedRun extends Finished {
  readonly folder: string;
  readonly calls: readonly CallFacts[];
  readonly journal: string;
  readonly session: string;
  /** The most memory that Ralph itself had at once. */
  readonly peakMb: number;
}

/** Runs it to its end. It completes, whatever hooks do, and leaves no process. */
export async function runHooked(setUp: HookedSetUp, use: (run: HookedRun) => Promise<void> | void, prepare?: (folder: string) => void) {
  await withPlace(toHookedFiles(setUp), async (folder) => {
    prepare?.(folder);
    const started = start(folder, ['run', '--no-tui']);
    const peak = watchPeak(started);
    const finished = await started.done;
    expect([finished.code, finished.stdout], finished.stderr).toEqual([0, expect.stringContaining('builder declared the work complete')]);
    expect(findProcesses(folder)).toEqual([]);
    await use({ ...finished, folder, ...readRun(folder), peakMb: peak() });
  });
}

/** What the only run of a folder has written about its only turn. */
export function readRun(folder: string, turn = '1.1'): Pick<HookedRun, 'calls' | 'journal' | 'session'> {
  const runs = join(folder, '.ralph/runs');
  const place = join(runs, readdirSync(runs)[0] ?? '');
  const session = readFileSync(join(place, 'turns', turn, 'session.jsonl'), 'utf8');
  const lines = readJsonLines<{ type: string } & CallFacts>(session);
  return {
    calls: lines.filter(({ type }) => type === 'tool-result'),
    journal: readFileSync(join(place, 'journal.jsonl'), 'utf8'),
    session,
  };
}

/** What was decided about a call, by each hook that was asked. */
export function toDecisions({ hooks = [] }: CallFacts): readonly string[] {
  return hooks.map(({ name, decision }) => `${name} ${decision}`);
}

/** `denied`, or what else became of a call. */
export function toOutcome({ result: { text, isError } }: CallFacts): string {
  if (text.startsWith('A hook denied this call: nothing was done.')) return isError ? 'denied' : 'said to be done, and denied';
  return isError ? `failed: ${text}` : 'done';
}

/** Looks at the most memory of a process again and again, as it is gone once the process is. */
function watchPeak({ child, done }: Started): () => number {
  let peakMb = 0;
  const timer = setInterval(() => {
    try {
      const [, kb] = /^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8')) ?? [];
      peakMb = Math.max(peakMb, Number(kb ?? 0) / 1024);
    } catch {
      clearInterval(timer);
    }
  }, 20);
  void done.then(() => clearInterval(timer));
  return () => peakMb;
}
