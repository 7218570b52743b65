import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { toRunPaths } from '../journal/run-folder.ts';
import { toLayout } from '../runs/layout.ts';
import { planResume, type ResumePlan } from './plan-resume.ts';
import { planStart } from './plan-run.ts';

const RUN_ID = '20261121-223331-k7f2a';
let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'ralph-plan-resume-'));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

/** A folder with this agent in it. */
function install(name: string): string {
  const folder = join(cwd, `with-${name}`);
  mkdirSync(folder);
  writeFileSync(join(folder, name), '#!/bin/sh\n', { mode: 0o755 });
  return folder;
}

/** Plans a run on a machine with one agent, and goes on with it where there is another PATH. */
async function goOn(
  config: string,
  path: string,
  fleet?: string,
  lost?: { readonly flags?: object; readonly name: string },
): Promise<ResumePlan> {
  writeFileSync(join(cwd, 'ralph.yml'), config);
  const place = { cwd, env: { PATH: install('claude'), HOME: cwd } };
  const { settings } = await planStart({ ...place, configFiles: [], flags: { prompt: 'Do it', ...lost?.flags } });
  if (lost !== undefined) rmSync(join(cwd, lost.name));
  const run = {
    version: 1,
    ralphVersion: '0',
    workspace: cwd,
    worktree: null,
    stdinPrompt: null,
    baseline: null,
    gitPrograms: {},
  } as const;
  return planResume({
    options: { cwd, acceptChanges: false, env: { ...place.env, PATH: path } },
    layout: toLayout(cwd),
    paths: toRunPaths(join(cwd, '.ralph'), RUN_ID),
    file: { ...run, settings, ...(fleet === undefined ? {} : { fleet }) },
  });
}

const listAgents = ({ next }: ResumePlan): readonly (readonly string[])[] =>
  Object.values(next.settings.backends).map((list) => list.map(({ type }) => type));

describe('a run that goes on', () => {
  const named = 'cli: {backend: claude}\n';

  it('is refused where its agent is not installed', async () => {
    await expect(goOn(named, '/nowhere')).rejects.toMatchObject({ code: 'agent-missing' });
  });

  it.each([
    { name: 'ralph.yml', code: 'config-missing', what: 'There is no configuration file ralph.yml.' },
    { name: 'TASK.md', code: 'prompt-missing', what: 'There is no file TASK.md.', flags: { prompt: undefined, promptFile: 'TASK.md' } },
  ])('is refused where $name is gone that it was started with, and told to put it back', async ({ code, what, ...lost }) => {
    writeFileSync(join(cwd, 'TASK.md'), 'Do it');
    mkdirSync(join(cwd, '.ralph', 'runs', RUN_ID), { recursive: true });
    writeFileSync(join(cwd, '.ralph', 'runs', RUN_ID, 'journal.jsonl'), '');
    const path = join(cwd, 'with-claude');
    await expect(goOn(named, path, undefined, lost)).rejects.toMatchObject({
      code,
      message: `${what} The run was started with it.`,
      fix: expect.stringMatching(/^Put it back, then: ralph resume/),
      exitCode: 2,
    });
  });

  it('goes on where no agent is, if workers of a fleet take its turns', async () => {
    expect(listAgents(await goOn(named, '/nowhere', 'nats://x:1'))).toEqual([['claude']]);
  });

  it('has the agent on its fleet that was found as it began where none is', async () => {
    expect(listAgents(await goOn('', '/nowhere', 'nats://x:1'))).toEqual([['claude']]);
  });

  it('has the agent on its fleet that was found as it began where another one is', async () => {
    expect(listAgents(await goOn('', install('codex'), 'nats://x:1'))).toEqual([['claude']]);
  });

  it('has the agent that is there now, if its turns are taken here', async () => {
    expect(listAgents(await goOn('', install('codex')))).toEqual([['codex']]);
  });
});

describe('a run on a fleet that begins', () => {
  it('asks for the name of an agent, and not for one on this machine', async () => {
    writeFileSync(join(cwd, 'ralph.yml'), '');
    const place = { cwd, env: { PATH: '/nowhere', HOME: cwd }, isElsewhere: true };
    await expect(planStart({ ...place, configFiles: [], flags: { prompt: 'Do it' } })).rejects.toMatchObject({
      code: 'no-agent-found',
      fix: expect.stringContaining('ralph fleet'),
    });
  });
});
