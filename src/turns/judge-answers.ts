import { TOPIC_COMPLETE } from '../core/events/reserved.ts';
import type { GateResult } from '../core/gates/gate-result.ts';
import { isRequiredGate, toGateName } from '../core/gates/gate-spec.ts';
import type { IterationStart } from '../core/run/effects.ts';
import type { RunSpec } from '../core/run/run-spec.ts';
import { endOf } from '../core/text/shorten.ts';
import type { PanelSettings } from '../panel/run/panel-settings.ts';
import type { GateRunner } from '../ports/gate-runner.ts';
import { toMarker } from '../runs/markers.ts';
import { listGuards } from '../topology/routing/queries.ts';

export interface JudgeParts {
  readonly runId: string;
  readonly settings: { readonly spec: RunSpec };
  /** Runs gates in another folder than that of the run. */
  readonly gatesIn: (cwd: string, marker: string) => GateRunner;
}

/** So much of what each failing gate showed is told; characters. */
const MAX_TOLD = 800;

/** Lets the required gates on what an answer would publish judge it, else those on the end; those on protected files judge its event only. */
export function createJudge({ settings, runId, gatesIn }: JudgeParts, order: IterationStart): NonNullable<PanelSettings['judge']> {
  const { spec } = settings;
  return async ({ cwd, topic, signal }) => {
    const isEnd = topic === TOPIC_COMPLETE || topic === spec.promise;
    const topics = topic === null ? [] : [topic, ...(isEnd ? [TOPIC_COMPLETE] : [])];
    // Where none guards it, those at the end: what cannot pass them is no better for coming earlier.
    const guards = listGuards(spec, order.hat, topics);
    const due = guards.length > 0 ? guards : listGuards(spec, order.hat, [TOPIC_COMPLETE]);
    const orders = due.flatMap((gate) => {
      const one = spec.gates[gate];
      return one === undefined || one.protect !== undefined || !isRequiredGate(one) ? [] : [{ gate, spec: one }];
    });
    const results = await gatesIn(cwd, `${toMarker(runId, order)}/gate`).run(orders, signal, () => undefined);
    const failed = results.filter(({ passed }) => !passed);
    const tell = ({ gate, exitCode, timedOut, outputTail }: GateResult): string => {
      const one = spec.gates[gate];
      const how = timedOut ? 'took too long' : exitCode === null ? 'failed' : `failed (exit code ${exitCode})`;
      const shown = outputTail.trim();
      const name = one === undefined ? `gate ${gate + 1}` : toGateName(one);
      return `${name} ${how}${shown === '' ? ' and printed nothing.' : `:\n${endOf(shown, MAX_TOLD)}`}`;
    };
    return { isPassed: failed.length === 0, text: failed.map(tell).join('\n\n') };
  };
}
