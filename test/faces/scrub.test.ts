/** Whatever moment the page is moved to, it says of it what the commands say. */
import { cpSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { openWatchedRun } from '../../src/app/index.ts';
import { toUsdText } from '../../src/core/text/duration.ts';
import { toPastFacts } from '../../src/views/frame/index.ts';
import { toStatusRecord } from '../../src/views/report/index.ts';
import { plainEnvironment } from '../e2e/ralph.ts';
import { CHROMIUM } from './browser.ts';
import { writeLongRun } from './long-journal.ts';
import { createRandom } from './random.ts';
import { enterRun, type WebPlace, withWeb } from './web-place.ts';

const JOURNALS = fileURLToPath(new URL('../../fixtures/journals/', import.meta.url));
/** Moments that are looked at; of so many of them a process of its own is asked what they were like, of the others the code that it runs. */
const [POINTS, POINTS_OF_RECORDED, BY_COMMAND] = [120, 80, 12];
/** Runs of real teams, with questions, panels, retries, limits and kills. */
const RECORDED = [
  'steering',
  'panel',
  'gate_blocks_build',
  'transient_errors',
  'usage_limit_switch',
  'stalled',
  'loop_oscillation',
  'resume_after_kill',
];

const URGENT = ['needs you', 'stuck', 'gate red', 'limit near', 'working', 'done'];

/** What both say of a moment. */
interface Moment {
  readonly state: string;
  readonly evidence: string;
  readonly iterations: number;
  readonly cost: string;
  readonly turns: number;
  /** `tests ✗ red` */
  readonly verdicts: readonly string[];
  readonly questions: readonly string[];
}

/** What `ralph status --at SEQ --format json` says, as far as it is compared. */
interface StatusRecord {
  readonly attention: { readonly state: string; readonly evidence: string };
  readonly totals: { readonly iterations: number; readonly usage: { readonly costUsd: number | null } };
  readonly gates: readonly string[];
  readonly turns: readonly { readonly gates: readonly { readonly gate: number; readonly passed: boolean; readonly skipped?: boolean }[] }[];
  readonly questions: readonly { readonly text: string; readonly answer: object | null }[];
}

function toMoment({ attention, totals, gates, turns, questions }: StatusRecord): Moment {
  const results = turns.flatMap((turn) => turn.gates);
  return {
    state: attention.state.replace('_', ' '),
    evidence: attention.evidence,
    iterations: totals.iterations,
    cost: totals.usage.costUsd === null ? 'cost unknown' : toUsdText(totals.usage.costUsd),
    turns: turns.length,
    verdicts: gates.map((_, index) => {
      const last = results.findLast(({ gate }) => gate === index);
      return last === undefined ? '– not run yet' : last.skipped === true ? '– skipped' : last.passed ? '✓ passed' : '✗ red';
    }),
    questions: questions.filter(({ answer }) => answer === null).map(({ text }) => text),
  };
}

/** Moves the page to an input and reads what it says there; of questions, which of these it shows. */
async function look(page: Page, seq: number, questions: readonly string[]): Promise<Moment> {
  await page.getByRole('slider').fill(String(seq));
  await page.locator('.timeline output', { hasText: `input ${seq} of ` }).waitFor();
  const texts = (selector: string): Promise<readonly string[]> => page.locator(selector).allTextContents();
  const [badges, evidences, used, [, , cost = ''], [turns], verdicts, [now = '']] = await Promise.all([
    texts('.now .attention .badge'),
    texts('.now .attention > span:not(.action)'),
    page.locator('.run-header .meter').first().getAttribute('title'),
    texts('.run-header .meter'),
    texts('#turns .count'),
    texts('.evidence .verdict'),
    texts('.now'),
  ]);
  // The page says what is its person's first, the command what is the most urgent.
  const words = badges.map((badge) => badge.replace(/^\S+ /, '').replace('waiting for you', 'needs you'));
  const state = URGENT.find((word) => words.includes(word)) ?? '';
  return {
    state,
    evidence: evidences[words.indexOf(state)] ?? '',
    iterations: Number.parseInt(used ?? '', 10),
    cost: cost.replace(/ of \$.*|, \d+ turns? unknown.*| \+ turn .*/, ''),
    turns: Number(turns),
    // A verdict about older files is said to be one.
    verdicts: verdicts.map((verdict) => verdict.replace('was red', 'red')),
    questions: questions.filter((text) => now.includes(text)),
  };
}

/** What the commands say: the process itself, or what it runs. */
async function ask(
  { folder, env, ralph }: WebPlace,
  runId: string,
  seqs: readonly number[],
  byCommand: number,
): Promise<readonly Moment[]> {
  const run = openWatchedRun(folder, runId, plainEnvironment(env));
  run.refresh();
  return Promise.all(
    seqs.map(async (seq, index) => {
      if (index >= byCommand) {
        const view = run.history.view(seq);
        return toMoment(toStatusRecord(view, toPastFacts(view, { isNewest: false })));
      }
      const { stdout } = await ralph('status', runId, '--at', String(seq), '--format', 'json');
      return toMoment(JSON.parse(stdout) as StatusRecord);
    }),
  );
}

function pick(count: number, last: number, seed: number): readonly number[] {
  const random = createRandom(seed);
  return Array.from({ length: count }, () => 1 + Math.floor(random() * last));
}

async function compare(place: WebPlace, page: Page, runId: string, seqs: readonly number[], byCommand: number): Promise<readonly Moment[]> {
  const expected = await ask(place, runId, seqs, byCommand);
  for (const [index, moment] of expected.entries()) {
    const seq = seqs[index] ?? 0;
    expect([seq, await look(page, seq, moment.questions)]).toEqual([seq, moment]);
    expect(await page.locator('.question').count()).toBe(moment.questions.length);
  }
  return expected;
}

describe.skipIf(CHROMIUM === '')('a moment of the past', () => {
  test(`is the same in the page and in ralph status --at, at ${POINTS} inputs of a run of 4,000`, async () => {
    await withWeb({}, async (place) => {
      const runId = '20261120-210000-aaaaa';
      writeLongRun(place.folder, { runId, inputs: 4000, seed: 7 });
      const { page, problems } = await place.open();
      await enterRun(page);
      const seqs = pick(POINTS, 3999, 1);
      const moments = await compare(place, page, runId, seqs, BY_COMMAND);
      // A run in which nothing happens would be the same everywhere.
      expect(new Set(moments.map(({ state }) => state)).size).toBeGreaterThan(2);
      expect(new Set(moments.flatMap(({ verdicts }) => verdicts)).size).toBeGreaterThan(1);
      expect(new Set(moments.flatMap(({ questions }) => questions)).size).toBeGreaterThan(1);
      expect(problems).toEqual([]);
    });
  });

  test(`is the same at ${POINTS_OF_RECORDED} inputs of runs of real teams`, async () => {
    await withWeb({}, async (place) => {
      for (const name of RECORDED) addRecorded(place.folder, name);
      const { page, problems } = await place.open();
      const links = page.locator('.run-link');
      await expect.poll(() => links.count()).toBe(RECORDED.length);
      for (const href of await links.evaluateAll((found) => found.map((link) => link.getAttribute('href') ?? ''))) {
        await page.goto(new URL(href, page.url()).href);
        const runId = (await page.locator('.run-header .facts-line > .faint').textContent()) ?? '';
        const lastSeq = Number(await page.getByRole('slider').getAttribute('max'));
        await compare(place, page, runId, pick(POINTS_OF_RECORDED / RECORDED.length, lastSeq - 1, lastSeq), 1);
        await page.goto(new URL('#/', page.url()).href);
        await page.getByRole('heading', { name: 'Runs', level: 1 }).waitFor();
      }
      expect(problems).toEqual([]);
    });
  });
});

/** Puts a recorded journal where a run of its name would be. */
function addRecorded(folder: string, name: string): void {
  const path = `${JOURNALS}${name}.jsonl`;
  const [first = ''] = readFileSync(path, 'utf8').split('\n', 1);
  const { input } = JSON.parse(first) as { readonly input: { readonly runId: string } };
  const runFolder = join(folder, '.ralph/runs', input.runId);
  mkdirSync(runFolder, { recursive: true });
  cpSync(path, join(runFolder, 'journal.jsonl'));
}
