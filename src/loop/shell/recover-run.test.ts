import { describe, expect, it } from 'vitest';
import { UNKNOWN_USAGE } from '../../core/backends/usage.ts';
import type { Input } from '../../core/run/inputs.ts';
import { createPanel, type PanelState } from '../../core/run/panel-state.ts';
import type { Activation } from '../../core/run/state.ts';
import { makeSpec } from '../../core/spec-fixtures.ts';
import type { ScopeViolations } from '../../core/tools/scope-violations.ts';
import { createJournalFold, type JournalFold } from '../decide/decide.ts';
import type { TurnAgents } from './loop-ports.ts';
import { recoverRun } from './recover-run.ts';

const BEGIN = 1_000_000;
const HOUR_MS = 3_600_000;

/** A run whose agent was at work when its process died. */
function foldDead(...inputs: readonly Input[]): JournalFold {
  const fold = createJournalFold();
  const spec = makeSpec({ limits: { maxRuntimeMs: HOUR_MS } });
  const started: Input = { type: 'run-started', at: BEGIN, runId: 'run-1', spec, flags: [], inboxOffset: 0 };
  for (const [index, input] of [started, ...inputs].entries()) fold.take({ seq: index + 1, input });
  return fold;
}

function createPorts(at: number) {
  return {
    inbox: {
      end: () => 0,
      hasMore: () => false,
      read: (offset: number) => ({ signals: [], problems: [], offset }),
      skip: (offset: number) => ({ lines: 0, bytes: 0, offset }),
      append: () => undefined,
    },
    clock: { now: () => at, setTimer: () => () => undefined },
  };
}

/** Recovers at this time, and takes what the journal would. */
async function recover(
  fold: JournalFold,
  at: number,
  agents: Pick<TurnAgents, 'lookBack' | 'spentBy'> = {},
): Promise<{ readonly reaped: readonly Activation[]; readonly inputs: readonly Input[] }> {
  const reaped: Activation[] = [];
  const ports = { ...createPorts(at), reap: (activation: Activation) => Promise.resolve(void reaped.push(activation)), agents };
  const inputs = await recoverRun(ports, fold.run(), {});
  for (const [index, input] of inputs.entries()) fold.take({ seq: 100 + index, input });
  return { reaped, inputs };
}

describe('a run whose process died', () => {
  it('goes on with the hat that was at work, after what it had left running was ended', async () => {
    const fold = foldDead();
    const { reaped } = await recover(fold, BEGIN + 1000);
    expect(reaped.map(({ iteration, hat }) => [iteration, hat])).toEqual([[1, 'ralph']]);
    const { state } = fold.run();
    expect([state.status, state.activations.map((activation) => activation.iteration)]).toEqual(['running', [2]]);
  });

  it.each([
    ['had not ended', 'coordinating', ['before 1.1', 'after 1.1']],
    ['had ended', 'ended', []],
  ] as const)('has changed nothing in the folder where its panel %s', async (_, phase, looks) => {
    const run = foldDead().run();
    const [activation] = run.state.activations;
    const { clock, inbox } = createPorts(BEGIN);
    const kept: string[] = [];
    const note = (moment: string) => async (turn: string) => {
      kept.push(`${moment} ${turn}`);
      return null;
    };
    const workspace = { keepBefore: note('before'), keepAfter: note('after') };
    const panel: PanelState = { ...createPanel(3), phase };
    const state = { ...run.state, activations: activation === undefined ? [] : [{ ...activation, panel }] };
    await recoverRun({ clock, inbox, reap: async () => undefined, workspace }, { ...run, state }, {});
    expect(kept).toEqual(looks);
  });

  it('is asked what its hat has written in the turn that nobody saw the end of', async () => {
    const violations: ScopeViolations = { changes: [{ path: 'a', what: 'changed' }], total: 1, diffFile: null, reverted: null, notes: [] };
    const { inputs } = await recover(foldDead(), BEGIN + 1000, {
      lookBack: async ({ iteration }) => (iteration === 1 ? violations : null),
    });
    expect(inputs).toContainEqual(expect.objectContaining({ type: 'iteration-ended', iteration: 1, violations }));
  });

  it('is charged for what the turn is known to have consumed', async () => {
    const usage = { ...UNKNOWN_USAGE, inputTokens: 1000, costUsd: 0.5 };
    const fold = foldDead();
    await recover(fold, BEGIN + 1000, { spentBy: async ({ iteration }) => (iteration === 1 ? usage : UNKNOWN_USAGE) });
    expect(fold.run().state.usage).toMatchObject({ inputTokens: 1000, costUsd: 0.5 });
  });

  it('is not charged for the time in which it was dead', async () => {
    const fold = foldDead();
    await recover(fold, BEGIN + 24 * HOUR_MS);
    expect(fold.run().state).toMatchObject({ status: 'running', end: null, elapsedMs: 0 });
  });

  it('goes on although it was about to stop', async () => {
    for (const dying of [
      { type: 'stop-requested', at: BEGIN + 1, how: 'interrupt', by: 'Ctrl+C' },
      { type: 'environment-failed', at: BEGIN + 1, what: 'storage', message: 'full' },
    ] as const) {
      const fold = foldDead(dying);
      await recover(fold, BEGIN + 1000);
      expect(fold.run().state, dying.type).toMatchObject({ status: 'running', end: null, stopping: null });
    }
  });

  it('reads on behind what stands in the files of a folder that it comes into, also for a turn that nobody saw the end of', async () => {
    const fold = foldDead({ type: 'events-received', at: BEGIN, signals: [], problems: [], inboxOffset: 700, outsideOffset: 80 });
    const { clock, inbox } = createPorts(BEGIN + 1000);
    const reads: number[] = [];
    const read = (offset: number) => ({ signals: [], problems: [], offset, reads: reads.push(offset) });
    const outside = { ...inbox, hasMore: (offset: number) => offset < 30, read };
    const ports = { clock, outside, inbox: { ...inbox, end: () => 300, read }, reap: async () => undefined };
    const inputs = await recoverRun(ports, fold.run(), { moved: { outsideOffset: 20 } });
    for (const [index, input] of inputs.entries()) fold.take({ seq: 100 + index, input });
    const { inboxOffset, outsideOffset } = fold.run().state;
    expect([inputs.length, reads, inboxOffset, outsideOffset]).toEqual([2, [300, 20], 300, 20]);
  });
});
