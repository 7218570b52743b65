import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { createPlace, removePlaces } from './file-tool-fixtures.ts';
import { describeProject } from './project-text.ts';

afterEach(removePlaces);

const MORNING = Date.UTC(2026, 10, 22, 6);
const EVENING = Date.UTC(2026, 10, 22, 22);

it('tells folder, system, date and branch, the same text all day', async () => {
  const place = createPlace();
  rmSync(join(place.workspace, '.git'), { recursive: true, force: true });
  mkdirSync(join(place.workspace, '.git'));
  writeFileSync(join(place.workspace, '.git', 'HEAD'), 'ref: refs/heads/topic/one\n');
  const text = await describeProject(place.context.jail, MORNING);
  expect(text).toContain(`- folder: ${place.workspace}\n`);
  expect(text).toMatch(/- system: \w+ \S+\n- date: 2026-11-22\n- branch of git: topic\/one$/);
  expect(await describeProject(place.context.jail, EVENING)).toBe(text);
});

it('tells what AGENTS.md says, else CLAUDE.md, else GEMINI.md', async () => {
  const place = createPlace();
  place.write('GEMINI.md', 'from gemini');
  expect(await describeProject(place.context.jail, MORNING)).toContain('# What GEMINI.md of the project says\n\nfrom gemini');
  place.write('CLAUDE.md', 'from claude');
  expect(await describeProject(place.context.jail, MORNING)).toMatch(/from claude$/);
  place.write('AGENTS.md', 'from agents');
  const text = await describeProject(place.context.jail, MORNING);
  expect(text).toMatch(/from agents$/);
  expect(text).not.toContain('from claude');
});

it('cuts a long one, and says so', async () => {
  const place = createPlace();
  place.write('AGENTS.md', 'x'.repeat(40_000));
  const text = await describeProject(place.context.jail, MORNING);
  expect(text.length).toBeLessThan(33_000);
  expect(text).toContain('[cut here: 40000 characters in all; read_file shows the rest]');
});

it('does not follow a link out of the workspace', async () => {
  const place = createPlace();
  writeFileSync(join(place.outside, 'secret.md'), 'not for agents');
  symlinkSync(join(place.outside, 'secret.md'), join(place.workspace, 'AGENTS.md'));
  expect(await describeProject(place.context.jail, MORNING)).not.toContain('not for agents');
});
