import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import { type CheckedConfig, checkConfig } from '../../src/validation/index.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const WORK = mkdtempSync(join(tmpdir(), 'ralph-rules-'));

afterAll(() => rmSync(WORK, { recursive: true, force: true }));

/** What is said of a text as `ralph.yml`, with other files beside it. */
function check(yaml: string, files: Readonly<Record<string, string>> = {}): CheckedConfig['diagnostics'] {
  const cwd = mkdtempSync(join(WORK, 'case-'));
  for (const [name, text] of Object.entries({ ...files, 'ralph.yml': yaml })) writeFileSync(join(cwd, name), text);
  return checkConfig({ cwd, prompt: 'optional' }).diagnostics;
}

/** The text at the place of a finding. */
function tokenAt(text: string, place: CheckedConfig['diagnostics'][number]): string {
  return (text.split(/\r?\n/)[place.line - 1] ?? '').slice(place.column - 1, place.endColumn - 1);
}

/** The findings of a text with one code, each as `severity token`, the token being the text at its place. */
function placesOf(yaml: string, code: string): readonly string[] {
  return check(yaml)
    .filter((diagnostic) => diagnostic.code === code)
    .map((diagnostic) => `${diagnostic.severity} ${tokenAt(yaml, diagnostic)}`);
}

const SAMPLES: readonly (readonly [code: string, places: readonly string[]])[] = [
  ['blocked-without-recovery', ['hint build.blocked']],
  ['cost-unknown', ['warning $20']],
  ['cycle-without-exit', ['warning publishes']],
  ['default-circle', ['warning a']],
  ['default-publishes-unlisted', ['error biuld.done']],
  ['event-contract-unused', ['warning build.doen']],
  ['gate-unused', ['warning biuld.done', 'warning deploy.done']],
  ['hat-no-way-on', ['warning builder']],
  ['hat-only-after-failure', ['warning debugger']],
  ['hook-file-missing', ['error ./hooks/audit.mjs#check']],
  ['hook-invalid', ['error PreTolUse']],
  ['hook-not-bound', ['warning hooks']],
  ['instruction-topic', ['warning biuld.done', 'warning plan.rejected']],
  ['instructions-same', ['warning Review the last commit.']],
  ['iterations-too-few', ['warning 3']],
  ['permission-invalid', ['error web_fetsh', 'error "bash(rm *"']],
  ['permission-not-bound', ['warning permissions']],
  ['profile-unknown', ['error creatr']],
  ['promise-not-allowed', ['warning LOOP_COMPLETE']],
  ['prompt-file-missing', ['error tasks/login.md']],
  ['wildcard-swallows', ['warning biuld.task', 'warning "*"']],
];

it.each(SAMPLES)('%s points at what it is about', (code, places) => {
  expect(placesOf(readFileSync(join(ROOT, 'fixtures/findings', `${code}.yml`), 'utf8'), code)).toEqual(places);
});

it('points at whole words in instructions, and at the hat where they are in a file of their own', () => {
  const team = (told: string): string =>
    `hats:\n  planner: {triggers: [task.start, task.resume, build.done], publishes: [build.task]}\n  builder: {triggers: [build.task], publishes: [build.done], ${told}}\n`;
  expect(
    placesOf(`${team('instructions: "UNDONE is not DONE. Output DONE."')}event_loop: {completion_promise: DONE}`, 'promise-not-allowed'),
  ).toEqual(['warning DONE']);
  const yaml = team('instructions_file: builder.md');
  const found = check(yaml, { 'builder.md': 'When done, output LOOP_COMPLETE.' });
  expect(found.map((diagnostic) => `${diagnostic.code} ${tokenAt(yaml, diagnostic)}`)).toEqual(['promise-not-allowed builder']);
});

it('says nothing of the samples of the seeds', () => {
  const samples = readdirSync(join(ROOT, 'fixtures/seeds')).filter((name) => /\.yml$/.test(name));
  expect(samples.length).toBeGreaterThan(10);
  for (const name of samples) {
    const yaml = readFileSync(join(ROOT, 'fixtures/seeds', name), 'utf8');
    const found = check(yaml);
    // Hooks of the samples are those of agents that a CLI wears here, and have modules of Python that are installed there.
    const isOfHooks = ({ code, severity }: (typeof found)[number]): boolean =>
      code === 'hook-not-bound' || `${code} ${severity}` === 'hook-file-missing hint';
    const told = found.filter((diagnostic) => !isOfHooks(diagnostic) && SAMPLES.some(([code]) => code === diagnostic.code));
    expect(told.map((diagnostic) => `${name} ${diagnostic.code}: ${diagnostic.message}`)).toEqual([]);
  }
});
