import { expect, test } from 'vitest';
import type { IterationStart } from '../../core/run/effects.ts';
import type { Input } from '../../core/run/inputs.ts';
import { NO_WORK } from '../../core/run/inputs.ts';
import { createPanel } from '../../core/run/panel-state.ts';
import { makeSpec } from '../../core/spec-fixtures.ts';
import { compileTopology } from '../../topology/routing/compile-topology.ts';
import type { TurnContext } from './loop-ports.ts';
import { createPerformer } from './performer.ts';

const TURN: IterationStart = {
  ...{ type: 'iteration-start', iteration: 1, attempt: 1, hat: 'ralph', backend: 0, events: [], feedback: [], fallback: null },
  ...{ timeoutMs: 1000, idleTimeoutMs: 1000 },
};
const PANEL: IterationStart = { ...TURN, iteration: 2, panel: createPanel(2) };

/** A loop with a turn on a worker, and with a panel here whose agents are on workers. Each ends once both were told to. */
async function setUp() {
  const told: string[] = [];
  let endBoth: () => void = () => undefined;
  const both = new Promise<void>((resolve) => {
    endBoth = resolve;
  });
  const kill = (what: string) => (): void => {
    if (!told.includes(what)) told.push(what);
    if (told.length === 2) endBoth();
  };
  const context = {
    ports: {
      clock: { now: () => 1 },
      turns: {
        open: () => ({ promptFile: '', stdoutPath: '', stderrPath: '', textPath: '', promptHash: 'hash' }),
        close: () => undefined,
      },
      workspace: { exists: () => true, keepOpened: async () => null, keepBefore: async () => null, keepAfter: async () => null },
      inbox: { read: () => ({ signals: [], problems: [], offset: 0 }) },
      agents: {
        surroundings: () => ({ cwd: '/', env: {}, marker: '' }),
        backendFor: () => ({
          label: 'panel',
          start: () => ({
            result: both.then(() => ({ ...NO_WORK, status: 'stopped', failure: null, logError: null })),
            stop: () => undefined,
            kill: kill('panel'),
          }),
        }),
      },
      elsewhere: {
        start: () => ({ result: both.then(() => ({ kind: 'killed' })), hand: () => undefined, kill: kill('turn') }),
        spreads: async () => true,
        withdraw: async () => undefined,
        close: async () => undefined,
      },
      observe: () => undefined,
    },
    settings: {
      prompt: { scratchpad: 'pad', eventsFile: 'events', specsDir: 'specs', promptFile: null, guardrails: null, workspaceDir: 'work' },
      ...{ turnLogCapBytes: 1, stopGraceMs: 20 },
    },
    loop: {
      post: (_: Input) => undefined,
      hear: () => undefined,
      topology: () => compileTopology(makeSpec({ objective: 'Build it.', eventSources: [] })),
      state: () => ({
        ...{ limits: { maxIterations: 5 }, lastHat: 'ralph', inboxOffset: 0, outsideOffset: 0, stopping: null },
        ...{ tells: [], activations: [TURN, PANEL], questions: [] },
      }),
      inOrder: (_: unknown, act: () => unknown) => act(),
    },
  } as unknown as TurnContext;
  const performer = createPerformer(context);
  await performer.perform(TURN);
  await performer.perform(PANEL);
  return { performer, told };
}

test('a run that ends at once ends turns on workers and panels here in the same moment: none of them is waited for first', async () => {
  const { performer, told } = await setUp();
  const closed = performer.close();
  await expect.poll(() => [...told].sort()).toEqual(['panel', 'turn']);
  await closed;
});
