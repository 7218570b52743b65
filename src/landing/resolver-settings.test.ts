import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readConfig } from '../config/load-config.ts';
import type { Settings } from '../config/settings.ts';
import { compileTopology } from '../topology/routing/compile-topology.ts';
import { listResolvers, requireResolver, toResolverSettings, withSecretsOf } from './resolver-settings.ts';

const TEAM = `
cli: { backend: claude }
event_loop: { max_iterations: 40, max_runtime_seconds: 600, max_cost_usd: 3, required_events: [build.done] }
gates: [{ name: test, run: npm test }]
hats:
  builder:
    name: Builder
    triggers: [task.start, task.resume]
    publishes: [build.done]
    instructions: Commit after each step.
    timeout: 120
    backend: { type: custom, command: agent, args: ["--as", builder] }
  critic:
    triggers: [build.done]
    publishes: [LOOP_COMPLETE]
    profile: critic
`;

function settingsOf(yaml: string): Settings {
  const cwd = mkdtempSync(join(tmpdir(), 'resolver-'));
  try {
    writeFileSync(join(cwd, 'ralph.yml'), yaml);
    const { draft } = readConfig({ cwd, flags: { prompt: 'Do it.' } });
    if (draft === null) throw new Error('the configuration has errors');
    return draft;
  } finally {
    rmSync(cwd, { recursive: true, force: true });
  }
}

const settings = (): Settings => settingsOf(TEAM);

it('the hats of a run and Ralph may be given a conflict; in single mode Ralph alone', () => {
  expect(listResolvers(settings())).toEqual(['builder', 'critic', 'ralph']);
  expect(listResolvers(settingsOf('cli: { backend: claude }\n'))).toEqual(['ralph']);
});

it('a name that no hat has, and a hat that may not write, are refused with those who can', () => {
  const named = (hat: string) => () => requireResolver(settings(), 'run-1', hat);
  expect(named('toString')).toThrow(
    expect.objectContaining({ code: 'hat-not-there', exitCode: 2, fix: expect.stringContaining('builder, critic, ralph') }),
  );
  expect(named('critic')).toThrow(expect.objectContaining({ code: 'resolve-read-only', fix: 'One of these can: builder, ralph.' }));
  expect(named('builder')).not.toThrow();
});

it('the turn has the agents, the profile, the time and the limits of the hat, one iteration, no gates, and none of its instructions', () => {
  const before = settings();
  const { spec, backends, policies, agentCommits } = toResolverSettings(before, 'builder', 'Resolve it.');
  const topology = compileTopology(spec);
  expect([topology.coordination, topology.entry, spec.hats?.map(({ id }) => id)]).toEqual(['hats', 'builder', ['builder']]);
  expect(spec).toMatchObject({ objective: 'Resolve it.', gates: [], requiredEvents: [], onLimit: 'stop' });
  expect(spec.limits).toMatchObject({
    maxIterations: 1,
    maxConsecutiveFailures: 1,
    maxRuntimeMs: before.spec.limits.maxRuntimeMs,
    maxCostUsd: 3,
  });
  expect(spec.hats?.[0]).toMatchObject({ name: 'Builder', timeoutMs: before.spec.hats?.[0]?.timeoutMs });
  expect(spec.hats?.[0]?.instructions).not.toContain('Commit after each step');
  expect(backends['builder']).toEqual(before.backends['builder']);
  expect([policies, agentCommits]).toEqual([{ builder: before.policies['builder'] }, 'never']);
});

it('Ralph resolves as a hat with his own agents and time', () => {
  const before = settings();
  const { spec, backends } = toResolverSettings(before, 'ralph', 'Resolve it.');
  const [hat] = spec.hats ?? [];
  expect(compileTopology(spec).entry).toBe(hat?.id);
  expect(hat?.timeoutMs).toBe(before.spec.ralph.timeoutMs);
  expect(backends[hat?.id ?? '']).toEqual(before.backends['ralph']);
});

it('a variable says what it says now, and one that nobody kept is refused by its name', () => {
  const withKey = (value: string): Settings => {
    const before = settings();
    const specs = (before.backends['builder'] ?? []).map((spec) => ({ ...spec, env: { API_KEY: value } }));
    return { ...before, variables: { MY_KEY: 'a hash' }, backends: { ...before.backends, builder: specs } };
  };
  const filled = withSecretsOf(withKey(`\${MY_KEY}`), { MY_KEY: 'a$&b' }, 'builder');
  expect(filled.backends['builder']?.[0]?.env).toEqual({ API_KEY: 'a$&b' });
  const refused = { code: 'resolve-secret', what: expect.stringContaining('MY_KEY') };
  expect(() => withSecretsOf(withKey(`\${MY_KEY}`), {}, 'builder')).toThrow(
    expect.objectContaining({ code: refused.code, message: refused.what }),
  );
  expect(() => withSecretsOf(withKey('[redacted: MY_KEY]'), {}, 'builder')).toThrow(expect.objectContaining({ code: refused.code }));
  expect(() => withSecretsOf(withKey(`\${MY_KEY}`), {}, 'critic')).not.toThrow();
});
