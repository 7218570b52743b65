import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { planStart } from './plan-run.ts';

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'ralph-keys-'));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

const HATS = 'hats: {a: {triggers: [task.start, task.resume], publishes: [task.complete], profile: explorer';

/** Plans a run whose agent is written so, with these variables beside it. */
function plan(backend: string, env: Readonly<Record<string, string>> = {}, more: { readonly isDry?: boolean; readonly hat?: string } = {}) {
  const hat = more.hat === undefined ? '}}' : `, backend: ${more.hat}}}`;
  writeFileSync(join(cwd, 'ralph.yml'), `cli: {backend: ${backend}}\nevent_loop: {prompt: Do it}\n${HATS}${hat}\n`);
  const dry = more.isDry === undefined ? {} : { isDry: more.isDry };
  return planStart({ cwd, configFiles: [], flags: {}, env: { PATH: '', HOME: cwd, ...env }, ...dry });
}

const CLAUDE = '{type: native, provider: anthropic, model: claude-sonnet-4-5}';
const REFUSED = { code: 'native-key', exitCode: 2 };

describe('a limit of cost', () => {
  const unheard = '{type: native, provider: openai-compatible, model: unheard-1, base_url: "http://127.0.0.1:1/v1"}';
  const limited = (more: string, backend = unheard) => {
    writeFileSync(join(cwd, 'ralph.yml'), `cli: {backend: ${backend}}\nevent_loop: {prompt: Do it${more}\n${HATS}}}\n`);
    return planStart({ cwd, configFiles: [], flags: {}, env: { PATH: '', HOME: cwd, ANTHROPIC_API_KEY: 'k' } });
  };

  it('refuses a native agent whose price nobody knows', async () => {
    await expect(limited(', max_cost_usd: 5}')).rejects.toMatchObject({
      code: 'native-cost',
      exitCode: 1,
      message: expect.stringContaining('unheard-1'),
      fix: expect.stringContaining('unknown_cost: allow'),
    });
    await expect(limited('}', unheard.replace('}', ', max_cost: 1}'))).rejects.toMatchObject({ code: 'native-cost' });
  });

  it.each([
    ['there is none', '}', unheard],
    ['it is allowed', ', max_cost_usd: 5, unknown_cost: allow}', unheard],
    ['`prices` has the model', ', max_cost_usd: 5}\nprices: {unheard: {input: 1, output: 2}}', unheard],
    ['the list has it', ', max_cost_usd: 5}', '{type: native, provider: anthropic, model: claude-opus-5}'],
    ['a script is played', ', max_cost_usd: 5}', '{type: native, provider: scripted, script: s.yml}'],
    ['another agent is named', ', max_cost_usd: 5}', '{type: custom, command: /bin/sh}'],
  ])('lets the run begin where %s', async (_, more, backend) => {
    await expect(limited(more, backend)).resolves.toMatchObject({ warnings: expect.anything() });
  });
});

describe('a run with the native agent', () => {
  it('is refused before it starts where the key of its provider is missing', async () => {
    await expect(plan(CLAUDE)).rejects.toMatchObject(REFUSED);
    await expect(plan(CLAUDE, { ANTHROPIC_API_KEY: ' ' })).rejects.toMatchObject(REFUSED);
    await expect(
      plan('{type: native, provider: openai-compatible, model: m, base_url: "https://x.example/v1", api_key_env: MY_KEY}'),
    ).rejects.toMatchObject(REFUSED);
  });

  it('is planned where the key is there', async () => {
    await expect(plan(CLAUDE, { ANTHROPIC_API_KEY: 'k' })).resolves.toMatchObject({ warnings: expect.anything() });
  });

  it.each([
    ['a server of this machine', '{type: native, provider: anthropic, model: m, base_url: "http://127.0.0.1:1"}'],
    ['a server that nobody named a key for', '{type: native, provider: openai-compatible, model: m, base_url: "http://x.example/v1"}'],
    ['a script', '{type: native, provider: scripted, script: s.yml}'],
  ])('needs no key for %s', async (_, backend) => {
    await expect(plan(backend)).resolves.toMatchObject({ warnings: expect.anything() });
  });

  it('needs no key where nothing is started', async () => {
    await expect(plan(CLAUDE, {}, { isDry: true })).resolves.toMatchObject({ warnings: expect.anything() });
  });

  it('needs no key for Ralph where he is only the safety net', async () => {
    await expect(plan(CLAUDE, {}, { hat: '{type: native, provider: scripted, script: s.yml}' })).resolves.toMatchObject({
      warnings: expect.anything(),
    });
  });
});

describe('a team of agent CLIs', () => {
  const team = (reviewer: string): string => `
event_loop: {prompt: Do it}
cli: {backend: {command: ./here.sh}}
hats:
  planner: {triggers: [task.start, task.resume], publishes: [review.request, task.complete]}
  reviewer: {triggers: [review.request], publishes: [task.resume], backend: ${reviewer}}
`;
  function planTeam(reviewer: string, isDry = false, path = cwd) {
    writeFileSync(join(cwd, 'here.sh'), '#!/bin/sh\n', { mode: 0o755 });
    writeFileSync(join(cwd, 'gemini'), '#!/bin/sh\n', { mode: 0o755 });
    writeFileSync(join(cwd, 'ralph.yml'), team(reviewer));
    return planStart({ cwd, configFiles: [], flags: {}, env: { PATH: path, HOME: cwd }, isDry });
  }

  it('is refused where one hat has no installed agent: who, what to install, who else is there', async () => {
    await expect(planTeam('codex')).rejects.toMatchObject({
      code: 'agent-missing',
      exitCode: 1,
      message: expect.stringMatching(/^reviewer has no installed agent: codex \("codex" was not found in PATH/),
      fix: expect.stringMatching(
        /npm install -g @openai\/codex\nor take an agent that is there \(gemini\): hats\.reviewer\.backend: gemini/,
      ),
    });
    await expect(planTeam('{command: ./gone.sh}')).rejects.toMatchObject({ message: expect.stringContaining('./gone.sh') });
  });

  it('is refused for a slip on the command line with advice for the command line, not for the file', async () => {
    writeFileSync(join(cwd, 'ralph.yml'), team('gemini'));
    const request = { cwd, configFiles: [], flags: {}, env: { PATH: cwd, HOME: cwd } };
    const plan = planStart({ ...request, assignments: ['event_loop.max_iteratons=3'] });
    await expect(plan).rejects.toMatchObject({ code: 'config-invalid', fix: expect.stringContaining('Correct the command line.\n') });
    await expect(plan).rejects.not.toMatchObject({ fix: expect.stringContaining('ralph validate') });
  });

  it('is planned where one of a list is there', async () => {
    await expect(planTeam('[codex, gemini]')).resolves.toMatchObject({ settings: expect.anything() });
  });

  it('that is only looked at is told of', async () => {
    const { warnings } = await planTeam('codex', true);
    expect(warnings).toEqual([expect.stringMatching(/^This run would be refused: reviewer has no installed agent/)]);
  });

  it('whose program may not be executed is refused too', async () => {
    writeFileSync(join(cwd, 'plain.sh'), '#!/bin/sh\n', { mode: 0o644 });
    await expect(planTeam('{command: ./plain.sh}')).rejects.toMatchObject({ message: expect.stringContaining('chmod') });
  });

  it.each([
    ['./plain.sh', /^Make it executable: chmod \+x \.\/plain\.sh\n/],
    ['here.sh', /^Did you mean \.\/here\.sh\?\n/],
    ['./gone.sh', /^Put the program there, or correct the path: .*gone\.sh\n/],
  ])('whose own program %s cannot be started is told what to do about that program alone', async (command, fix) => {
    writeFileSync(join(cwd, 'plain.sh'), '#!/bin/sh\n', { mode: 0o644 });
    const said = planTeam(`{command: ${command}}`, false, join(cwd, 'none'));
    await expect(said).rejects.toMatchObject({ fix: expect.stringMatching(fix) });
    await expect(said).rejects.toMatchObject({ fix: expect.not.stringMatching(/an agent|agent CLI|program of your own/) });
  });
});
