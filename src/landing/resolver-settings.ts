import type { Settings } from '../config/settings.ts';
import type { BackendSpec } from '../core/backends/backend-spec.ts';
import { RALPH, TOPIC_START } from '../core/events/reserved.ts';
import type { HatSpec, RunSpec } from '../core/run/run-spec.ts';
import { mayChangeTree } from '../core/tools/tool-profiles.ts';
import type { Environment } from '../core/values/environment.ts';
import { RalphError } from '../core/values/errors.ts';
import { type Json, mapTexts } from '../core/values/json.ts';
import { MERGE_RULES } from '../prompts/merge-task.ts';
import { toAgentCapabilities } from '../runs/hat-capabilities.ts';

/** What Ralph himself is called where he resolves a conflict: a hat as every other. */
const RALPH_AS_HAT = 'resolver';

/** Who may be given the conflicts of a run: its hats, and Ralph. */
export function listResolvers({ spec }: Pick<Settings, 'spec'>): readonly string[] {
  return [...(spec.mode === 'single' ? [] : (spec.hats ?? [])).map(({ id }) => id), RALPH];
}

/**
 * Looks whether a run has that hat, and whether it may write.
 *
 * @throws RalphError `hat-not-there`, `resolve-read-only`
 */
export function requireResolver(
  settings: Pick<Settings, 'spec' | 'policies' | 'profileNames' | 'profiles' | 'backends'>,
  runId: string,
  hat: string,
): void {
  const known = listResolvers(settings);
  if (!known.includes(hat)) {
    throw new RalphError({
      code: 'hat-not-there',
      what: `Run ${runId} has no hat ${JSON.stringify(hat.slice(0, 80))}.`,
      fix: `One of these can resolve its conflicts: ${known.join(', ')}.`,
      exitCode: 2,
    });
  }
  if (mayWrite(settings, hat)) return;
  const others = known.filter((other) => mayWrite(settings, other));
  throw new RalphError({
    code: 'resolve-read-only',
    what: `The hat ${hat} may not write files${settings.profileNames[hat] == null ? '' : ` (its profile is ${settings.profileNames[hat]})`}, so it cannot resolve a conflict.`,
    fix: `One of these can: ${others.join(', ')}.`,
    exitCode: 2,
  });
}

/** Of a panel it is the first agent that would do it. */
function mayWrite(settings: Pick<Settings, 'policies' | 'profiles' | 'backends'>, hat: string): boolean {
  return mayChangeTree(toAgentCapabilities(settings, hat, settings.backends[hat]?.[0] ?? {}));
}

/**
 * The settings of a run narrowed to one turn of one hat that resolves a conflict: its agents, its profile, its sandbox and its time; the limits of the run; no gates,
 * for those are asked about the merge. What the hat is told otherwise is left out: it speaks of another task.
 */
export function toResolverSettings(settings: Settings, hat: string, objective: string): Settings {
  const id = hat === RALPH ? RALPH_AS_HAT : hat;
  const backends = settings.backends[hat] ?? settings.backends[RALPH] ?? [];
  const mode = settings.sandbox.hats[hat];
  return {
    ...settings,
    spec: toResolverSpec(settings.spec, toResolverHat(settings.spec, hat, id), objective),
    backends: { [id]: backends, [RALPH]: backends },
    policies: { [id]: settings.policies[hat] ?? null },
    profileNames: { [id]: settings.profileNames[hat] ?? null },
    sandbox: { ...settings.sandbox, hats: mode === undefined ? {} : { [id]: mode } },
    objective: { from: 'flag', file: null },
    prompts: { ...settings.prompts, promptFile: null },
    agentCommits: 'never',
    notify: null,
  };
}

function toResolverSpec({ events: _, ...spec }: RunSpec, hat: HatSpec, objective: string): RunSpec {
  return {
    ...spec,
    objective,
    coordinator: 'hats',
    mode: null,
    startingEvent: null,
    startingHat: hat.id,
    recoveryHat: null,
    routing: 'exclusive',
    terminalEvents: [],
    requiredEvents: [],
    hats: [hat],
    // Nobody waits for hours before a landing.
    onLimit: spec.onLimit === 'wait' ? 'stop' : spec.onLimit,
    limits: { ...spec.limits, maxIterations: 1, maxConsecutiveFailures: 1, checkpointInterval: 0, cooldownMs: 0 },
    gates: [],
  };
}

function toResolverHat({ hats, ralph }: RunSpec, hat: string, id: string): HatSpec {
  const own = hats?.find((entry) => entry.id === hat);
  const { backends, timeoutMs, idleTimeoutMs } = own ?? ralph;
  return {
    id,
    name: own?.name ?? 'Resolver',
    description: '',
    triggers: [TOPIC_START],
    publishes: [],
    defaultPublishes: [],
    transitions: [],
    instructions: MERGE_RULES,
    maxActivations: null,
    timeoutMs,
    idleTimeoutMs,
    backends,
  };
}

/**
 * The settings with what the variables of the configuration say now: a run's file has their names alone.
 *
 * @throws RalphError `resolve-secret` for one that says nothing now, and for a secret that was typed on the command line
 */
export function withSecretsOf(settings: Settings, env: Environment, hat: string): Settings {
  const names = Object.keys(settings.variables ?? {}).filter((name) => env[name] !== undefined);
  const fill = <Value>(value: Value): Value =>
    mapTexts(value as Json, (text) =>
      names.reduce((filled, name) => filled.replaceAll(`\${${name}}`, () => env[name] ?? ''), text),
    ) as Value;
  const { backends, mcpServers } = settings;
  const filled = { ...settings, backends: fill(backends), mcpServers: fill(mcpServers) };
  const specs: readonly BackendSpec[] = filled.backends[hat] ?? filled.backends[RALPH] ?? [];
  const text = JSON.stringify([specs, filled.mcpServers]);
  const left = [
    ...Object.keys(settings.variables ?? {}).filter((name) => text.includes(`\${${name}}`)),
    ...[...text.matchAll(/\[redacted: ([^\]"]{1,80})\]/g)].map(([, name = '']) => name),
  ];
  if (left.length === 0) return filled;
  throw new RalphError({
    code: 'resolve-secret',
    what: `The agent of ${hat} was given a secret that is kept nowhere: ${[...new Set(left)].join(', ')}.`,
    why: 'The agent cannot sign in without it.',
    fix: 'Set the variable of that name, as when the run was started, or merge by hand.',
  });
}
