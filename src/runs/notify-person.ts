import { DEFAULT_NEWS, type Settings } from '../config/settings.ts';
import type { Json } from '../core/values/json.ts';
import { runShellLine } from '../process/start-process.ts';
import type { RunProof } from '../views/fold/run-view.ts';
import { postNews } from './post-news.ts';
import type { RunNews } from './watch-news.ts';

/** Of what news the person's `notify:` command is told. */
interface Notification {
  readonly runId: string;
  /** Absolute path of the run's workspace. */
  readonly cwd: string;
  readonly settings: Pick<Settings, 'notify' | 'news' | 'spec'>;
  readonly news: RunNews;
  readonly env: Readonly<Record<string, string>>;
  /** Ends the command. */
  readonly abort?: AbortSignal;
}

const TIMEOUT_MS = 30_000;
/** The system takes some 128 KB in one variable; nobody reads as much in a notification. */
const MAX_CHARACTERS = 4000;

/**
 * Tells the person whom `notify:` names, where they want to know of such news: runs their own shell line, whose environment has the facts (`RALPH_EVENT`,
 * `RALPH_END_REASON`, `RALPH_END_DETAIL`, …), never its text; and posts the same facts as JSON. Never rejects.
 *
 * @returns what went wrong, in words, or `null`
 */
export async function notifyPerson(notification: Notification): Promise<string | null> {
  const { settings, news, runId, abort } = notification;
  const { on, url, secret } = settings.news ?? DEFAULT_NEWS;
  if (!on.includes(news.event)) return null;
  const [command, post] = await Promise.all([
    settings.notify === null ? null : runCommand(settings.notify, notification),
    url === null ? null : postNews({ url, secret, body: toBody(runId, notification), ...(abort && { abort }) }),
  ]);
  return command === null || post === null ? (command ?? post) : `${command} ${post}`;
}

async function runCommand(line: string, notification: Notification): Promise<string | null> {
  const { cwd, env, abort } = notification;
  const result = await runShellLine(line, {
    cwd,
    env: { ...env, ...toVariables(toFacts(notification)) },
    timeoutMs: TIMEOUT_MS,
    stopGraceMs: 1000,
    ...(abort && { abort }),
  });
  if (result.status === 'exited' && result.exitCode === 0) return null;
  return `The notify command failed (${result.status === 'exited' ? `exit ${result.exitCode}` : (result.stopReason ?? result.status)}).`;
}

/** The facts for programs. `id`: the same news twice has the same. */
function toBody(runId: string, { cwd, settings, news }: Notification): Json {
  const { id, event, end, detail, attention = null, costUsd } = news;
  return {
    v: 1,
    id: `${runId}:${id}`,
    event,
    runId,
    detail: detail.slice(0, MAX_CHARACTERS),
    attention: attention === null ? null : attention.slice(0, MAX_CHARACTERS),
    reason: end?.reason ?? null,
    exitCode: end?.exitCode ?? null,
    proven: end?.proof?.isProven ?? null,
    costUsd,
    task: toTask(settings),
    folder: cwd,
  };
}

function toTask({ spec }: Pick<Settings, 'spec'>): string {
  return spec.objective.trim().split('\n', 1)[0]?.slice(0, 200) ?? '';
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
    RALPH_TASK: toTask(settings),
    RALPH_FOLDER: cwd,
  };
}

/** Empty for what is no completion. */
function toProvenText(proof: RunProof | null): string {
  if (proof === null) return '';
  return proof.isProven ? 'yes' : 'no';
}
