import type { BackendEvent } from '../../core/backends/backend-event.ts';
import { type BackendSpec, toBackendLabel } from '../../core/backends/backend-spec.ts';
import { NO_WORK } from '../../core/run/inputs.ts';
import type { TurnFailure } from '../../core/run/turn.ts';
import { findSecretArgs } from '../../core/text/secrets.ts';
import { toErrorMessage } from '../../core/values/errors.ts';
import { accept, type Result, refuse } from '../../core/values/result.ts';
import type { Backend, RunningTurn, TurnRequest, TurnResult } from '../../ports/backend.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Program, TurnScope } from '../../ports/program.ts';
import type { CliBackendParts } from '../describe/invocation.ts';
import { findCommand } from '../detect/find-command.ts';
import { runTurn } from './run-turn.ts';

/** How long an agent may stay after its final event: agents that finish and do not exit are a known trouble. */
const DEFAULT_LINGER_MS = 5000;

/** What the outside decides for every backend. */
export interface BackendOptions {
  /** Epoch milliseconds. Default: the machine's clock. */
  readonly now?: () => number;
  /** As that of the clock's port. Default: the machine's timers. */
  readonly setTimer?: Clock['setTimer'];
  /** Whether limits are looked for of which a CLI says nothing in its stream (`limits.watch`). Default: yes. */
  readonly watchesLimits?: boolean;
  /** How long an agent may stay after its final event. Default: its kind's. */
  readonly lingerMs?: number;
  /** Default: whether this process runs as root. */
  readonly isRoot?: boolean;
}

export function createCliBackend(spec: BackendSpec, parts: CliBackendParts, options: BackendOptions = {}): Backend {
  return {
    label: toBackendLabel(spec),
    start: (request, observe) => startTurn(spec, parts, options, request, observe),
  };
}

function startTurn(
  declared: BackendSpec,
  parts: CliBackendParts,
  options: BackendOptions,
  request: TurnRequest,
  observe: (event: BackendEvent) => void,
): RunningTurn {
  const { scope } = request;
  const spec = scope === undefined ? declared : { ...declared, args: scope.args, permissions: scope.permissions };
  const base = { ...mergeEnv(request.env, spec.env), ...scope?.env };
  const placed = parts.place(request.prompt, scope?.prompt);
  const isRoot = options.isRoot ?? process.getuid?.() === 0;
  const { watchesLimits = true } = options;
  const { prompt, promptFile, session } = request;
  const resumed = session === undefined ? {} : { session };
  const invocation = parts.plan({ spec, prompt, promptFile, place: placed.place, isRoot, watchesLimits, env: base, ...resumed });
  const env = { ...base, ...invocation.env };
  const found = findCommand(invocation.command, request.cwd, env['PATH']);
  if (!found.ok)
    return createFailedTurn({
      class: 'spawn',
      message: `${toBackendLabel(spec)} could not be started: ${found.refused.reason}`,
      isMissing: true,
    });
  const confined = confine({ path: found.value, args: invocation.args, env }, scope);
  if (!confined.ok) return createFailedTurn(confined.refused);
  return runTurn({
    request,
    observe,
    ...confined.value,
    shownArgv: toShownArgv(invocation.command, invocation.args, request.prompt),
    input: invocation.stdin === 'prompt' ? { kind: 'text', text: request.prompt } : { kind: invocation.stdin },
    translator: parts.createTranslator(invocation, request),
    lingerMs: options.lingerMs ?? parts.lingerMs ?? DEFAULT_LINGER_MS,
    shouldLeave: parts.shouldLeave,
    warnings: [...placed.warnings, ...invocation.warnings],
    now: options.now ?? Date.now,
    setTimer: options.setTimer ?? setSystemTimer,
    watchesLimits,
  });
}

function setSystemTimer(dueAt: number, fire: () => void): () => void {
  const timer = setTimeout(fire, Math.max(0, dueAt - Date.now()));
  return () => clearTimeout(timer);
}

/** Puts the sandbox around a program. One that cannot be put up stops the turn: without it the agent must not start. */
function confine(program: Program, scope: TurnScope | undefined): Result<Program, TurnFailure> {
  try {
    return accept(scope?.confine?.(program) ?? program);
  } catch (error) {
    const why = toErrorMessage(error);
    return refuse({ class: 'spawn', message: `the sandbox could not be put up: ${why}` });
  }
}

/** A hat's own variables win, except over those by which agents talk to Ralph. */
function mergeEnv(env: Readonly<Record<string, string>>, own: Readonly<Record<string, string>>): Record<string, string> {
  const merged: Record<string, string> = { ...env };
  for (const [name, value] of Object.entries(own)) {
    if (!name.startsWith('RALPH_') || !(name in merged)) merged[name] = value;
  }
  return merged;
}

export function createFailedTurn(failure: TurnFailure): RunningTurn {
  const result: TurnResult = { status: 'failed', failure, ...NO_WORK, logError: null };
  return { result: Promise.resolve(result), stop: () => {}, kill: () => {} };
}

/** A command line for logs: the prompt and what looks like a secret are left out. */
export function toShownArgv(command: string, args: readonly string[], prompt: string): readonly string[] {
  const secrets = findSecretArgs(args);
  const shown = args.map((arg) => {
    if (prompt !== '' && arg === prompt) return '<prompt>';
    const secret = secrets.find(({ name, value }) => arg === value || arg === `${name}=${value}`);
    if (secret !== undefined) return arg === secret.value ? '<secret>' : `${secret.name}=<secret>`;
    return prompt.length > 20 && arg.endsWith(prompt) ? `${arg.slice(0, -prompt.length)}<prompt>` : arg;
  });
  return [command, ...shown];
}
