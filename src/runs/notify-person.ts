import type { Settings } from '../config/index.ts';
import { addUsage, UNKNOWN_USAGE } from '../core/backends/usage.ts';
import type { EndReason } from '../core/run/end-reasons.ts';
import type { RunRecord } from '../core/run/run-record.ts';
import type { FoldedRun } from '../loop/shell/index.ts';
import { runShellLine } from '../process/index.ts';
import type { RunProof } from '../views/fold/index.ts';

/** What a person is told of a run: that it has ended, or that it waits. */
export interface RunNews {
  readonly event: 'ended' | 'parked';
  /** Absent while it has not ended. */
  readonly end?: { readonly reason: EndReason; readonly exitCode: number; readonly proof: RunProof | null };
  readonly detail: string;
  /** What only a person can do; absent where nothing is asked of anybody. */
  readonly attention?: string | undefined;
  /** `null`: nobody knows. */
  readonly costUsd: number | null;
}

/** Of what news the person's `notify:` command is told. */
interface Notification {
  readonly runId: string;
  /** Absolute path of the run's workspace. */
  readonly cwd: string;
  readonly settings: Pick<Settings, 'notify' | 'spec'>;
  readonly news: RunNews;
  readonly env: Readonly<Record<string, string>>;
  /** Ends the command. */
  readonly abort?: AbortSignal;
}

const TIMEOUT_MS = 30_000;
/** The system takes some 128 KB in one variable; nobody reads as much in a notification. */
const MAX_CHARACTERS = 4000;

/**
 * Runs the `notify:` command, the user's own shell line; the facts are in its environment (`RALPH_EVENT`, `RALPH_END_REASON`, `RALPH_END_DETAIL`, …), never
 * in its text.
 *
 * @returns what went wrong, in words, or `null`
 */
export async function notifyPerson(notification: Notification): Promise<string | null> {
  const { cwd, settings, env, abort } = notification;
  if (settings.notify === null) return null;
  const result = await runShellLine(settings.notify, {
    cwd,
    env: { ...env, ...toVariables(toFacts(notification)) },
    timeoutMs: TIMEOUT_MS,
    stopGraceMs: 1000,
    ...(abort && { abort }),
  });
  if (result.status === 'exited' && result.exitCode === 0) return null;
  return `The notify command failed (${result.status === 'exited' ? `exit ${result.exitCode}` : (result.stopReason ?? result.status)}).`;
}

/** No variable can hold a zero byte. */
function toVariables(facts: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(facts).map(([name, value]) => [name, value.slice(0, MAX_CHARACTERS).replaceAll('\0', ' ')]));
}

function toFacts({ runId, cwd, settings, news }: Notification): Readonly<Record<string, string>> {
  return {
    RALPH_RUN: runId,
    RALPH_EVENT: news.event,
    RALPH_END_REASON: news.end?.reason ?? '',
    RALPH_END_DETAIL: news.detail,
    RALPH_PROVEN: toProvenText(news.end?.proof ?? null),
    RALPH_EXIT_CODE: news.end === undefined ? '' : String(news.end.exitCode),
    RALPH_ATTENTION: news.attention ?? '',
    RALPH_COST_USD: news.costUsd === null ? '' : news.costUsd.toFixed(4),
    RALPH_TASK: settings.spec.objective.trim().split('\n', 1)[0]?.slice(0, 200) ?? '',
    RALPH_FOLDER: cwd,
  };
}

/** Empty for what is no completion. */
function toProvenText(proof: RunProof | null): string {
  if (proof === null) return '';
  return proof.isProven ? 'yes' : 'no';
}

/** A run that waits for hours is worth a word to its person, as its end is. */
export function createParkWatch(folded: Pick<FoldedRun, 'state'> | null, tell: (news: RunNews) => void): (record: RunRecord) => void {
  let usage = folded?.state.usage ?? UNKNOWN_USAGE;
  let isParking = false;
  return (record) => {
    if (record.kind === 'input' && record.input.type === 'iteration-ended') usage = addUsage(usage, record.input.usage);
    if (record.kind !== 'effect') return;
    const { effect } = record;
    if (effect.type === 'timer-set') isParking = effect.purpose === 'limit';
    if (effect.type !== 'notice' || !isParking) return;
    isParking = false;
    tell({ event: 'parked', detail: effect.text, costUsd: usage.costUsd });
  };
}
