import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readConfig } from '../config/load-config.ts';
import { compileTopology } from '../topology/routing/compile-topology.ts';
import { planFirstTurn } from './hat-facts.ts';
import { createTurnAgents } from './turn-agents.ts';

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'ralph-turn-agents-'));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

it('knows whose conversation goes on over turns, and so does the first prompt', async () => {
  const backend = (context: string): string => `{type: native, provider: scripted, script: s.yml, context: ${context}}`;
  const hats = [
    `  a: {triggers: [task.start, task.resume], publishes: [b.go], profile: explorer, backend: ${backend('carry')}}`,
    `  b: {triggers: [b.go], publishes: [task.complete], profile: explorer, backend: ${backend('fresh')}}`,
  ];
  writeFileSync(join(cwd, 'ralph.yml'), `cli: {backend: ${backend('fresh')}}\nevent_loop: {prompt: Do it}\nhats:\n${hats.join('\n')}\n`);
  const { draft: settings } = readConfig({ cwd, env: { PATH: '', HOME: cwd } });
  if (settings === null) throw new Error('the configuration has errors');
  const places = { workspace: cwd, runId: 'r', runFolder: cwd, agentCommand: 'ralph', binDir: cwd, env: {} };
  const { promptFactsOf } = createTurnAgents({ settings, ...places });
  const order = {
    type: 'iteration-start' as const,
    timeoutMs: 1,
    idleTimeoutMs: 1,
    iteration: 1,
    attempt: 1,
    backend: 0,
    events: [],
    feedback: [],
    fallback: null,
  };
  expect(['a', 'b', 'ralph'].map((hat) => promptFactsOf?.({ ...order, hat }).keepsContext)).toEqual([true, false, false]);
  expect(planFirstTurn(settings, compileTopology(settings.spec), { cwd, env: {} })?.keepsContext).toBe(true);
});
