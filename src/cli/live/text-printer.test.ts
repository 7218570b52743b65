import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { RunRecord } from '../../core/run/run-record.ts';
import { createRunViewFold } from '../../views/fold/fold-run-view.ts';
import type { WorkFacts } from '../../views/report/work-facts.ts';
import { createFakeContext, RUN_ID, sampleRecords } from '../fixtures.ts';
import { createFakeScreen } from '../terminal/screen-fixtures.ts';
import { createTextPrinter } from './text-printer.ts';

it('tells a warning that an agent repeats in every turn once', () => {
  const fake = createFakeContext({});
  const printer = createTextPrinter(fake.context, { verbose: false });
  const warn = (message: string): void =>
    printer.show({ kind: 'live', turn: '1', event: { type: 'warning', message } } as unknown as RunRecord, null);
  const [first] = sampleRecords().filter((record) => record.kind === 'effect' && record.effect.type === 'iteration-start');
  if (first === undefined) throw new Error('no turn begins in the sample');
  for (const message of ['Model metadata not found', 'Model metadata not found', 'another']) {
    printer.show(first, null);
    warn(message);
  }
  expect(fake.out().match(/! [^\n]*/g)).toEqual(['! Model metadata not found', '! another']);
});

/** `UPDATE_GOLDEN=1 npx vitest run src/cli/live` writes the files anew; read the difference before you keep it. */
const UPDATE = process.env['UPDATE_GOLDEN'] === '1';

const PARSER = {
  path: 'src/parser.ts',
  from: null,
  status: 'changed',
  added: 2,
  removed: 1,
  isSubmodule: false,
  class: null,
  isAfterGreen: false,
} as const;
const FACTS: WorkFacts = {
  at: 0,
  changed: { count: 1, binary: 0, added: 2, removed: 1, files: [PARSER], between: [], isWhole: true, prefix: '' },
  place: null,
};

interface Settings {
  readonly verbose?: boolean;
  readonly isTty?: boolean;
  readonly canMove?: boolean;
  readonly columns?: number;
}

/** Shows the sample run up to one of its records, or whole; the rest is up to the test. */
function show(settings: Settings & { readonly isNewest?: boolean }, until = Number.POSITIVE_INFINITY) {
  const fake = createFakeContext(settings);
  const printer = createTextPrinter(fake.context, { verbose: settings.verbose ?? false });
  const fold = createRunViewFold();
  const [first, ...records] = sampleRecords();
  if (first !== undefined) fold.take(first);
  printer.begin({
    runId: RUN_ID,
    reach: '',
    fleet: null,
    runFolder: `/project/.ralph/runs/${RUN_ID}`,
    workspace: '/project',
    isNewest: settings.isNewest ?? true,
    view: fold.view(),
    progress: fold.progress,
  });
  for (const record of records.slice(0, until)) {
    fold.take(record);
    printer.show(record, fold.turnOf(record));
  }
  const end = (): void =>
    printer.end({
      runId: RUN_ID,
      view: fold.view(),
      exitCode: 2,
      facts: FACTS,
      isNewest: true,
      tellsNext: true,
      isOneTurn: false,
    });
  return { ...fake, end };
}

function play(settings: Settings): string {
  const shown = show(settings);
  shown.end();
  return shown.out();
}

/** The place behind the first record that fits. */
function placeOf(fits: (record: RunRecord) => boolean): number {
  return sampleRecords().slice(1).findIndex(fits) + 1;
}

const IN_TOOL = placeOf((record) => record.kind === 'live' && record.event.type === 'tool-start' && record.event.summary === 'npm test');
const IN_WAIT = placeOf((record) => record.kind === 'effect' && record.effect.type === 'timer-set');
const IN_GATE = placeOf((record) => record.kind === 'effect' && record.effect.type === 'gates-run');

describe('the lines of a run, as people can read them in golden/', () => {
  it.each([
    ['live-run.txt', { verbose: false, isTty: true, canMove: false }],
    ['live-run-verbose.txt', { verbose: true, isTty: true, canMove: false }],
  ])('%s', (name, settings) => {
    const file = new URL(`./golden/${name}`, import.meta.url);
    const text = play(settings);
    if (UPDATE) writeFileSync(file, text);
    expect(text).toBe(readFileSync(file, 'utf8'));
  });

  it('have no control characters but those where nobody watches', () => {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that is the question
    expect(play({ verbose: true })).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f]/);
  });

  it('begin with the time of day where they go to no terminal, every one of them', () => {
    const lines = play({ verbose: true }).trimEnd().split('\n');
    expect(lines.filter((line) => !/^\d\d:\d\d:\d\d /.test(line))).toEqual([]);
  });
});

/** The last status line that was drawn. */
function toStatus(text: string): string {
  return text.split('\u001b[?7l').at(-1)?.split('\u001b[?7h')[0] ?? '';
}

describe('the status line of a run', () => {
  it('says within a second which turn of how many runs, since when, in which tool call, how long it is silent, and what it cost', () => {
    const shown = show({ isTty: true, columns: 120 }, IN_TOOL);
    shown.pass(1000);
    expect(toStatus(shown.out())).toBe(
      '  … turn 2 of 30 · builder 0:01 · Bash npm test 0:01 · silent 0:01 of 0:01 · $0.04 of $5.00 · run 0:06',
    );
    shown.pass(64_000);
    expect(toStatus(shown.out())).toContain('Bash npm test 1:05');
  });

  it('counts down what is waited for', () => {
    const shown = show({ isTty: true }, IN_WAIT);
    shown.pass(1000);
    expect(toStatus(shown.out())).toContain('next try in 0:0');
  });

  it('names the gate that runs', () => {
    const shown = show({ isTty: true }, IN_GATE);
    shown.pass(3000);
    expect(toStatus(shown.out())).toContain('gate npm test 0:03');
  });

  it('has its costs and its idle limit at 80 columns, too', () => {
    const shown = show({ isTty: true, columns: 80 }, IN_TOOL);
    shown.pass(1000);
    expect(toStatus(shown.out())).toMatch(/^ {2}… turn 2\/30 {2}builder 0:01 {2}Bash npm test 0:01 {2}silent 0:01\/0:01 {2}\$0.04\/\$5.00/);
  });

  it('keeps what matters most where the terminal is narrow', () => {
    const shown = show({ isTty: true, columns: 40 }, IN_TOOL);
    shown.pass(1000);
    expect(toStatus(shown.out())).toBe('  … turn 2/30  Bash npm test 0:01');
  });

  it('is gone when the run has ended', () => {
    const shown = show({ isTty: true });
    shown.pass(1000);
    shown.end();
    const length = shown.out().length;
    shown.pass(5000);
    expect(shown.out()).toHaveLength(length);
    const screen = createFakeScreen(80, 100);
    screen.write(shown.out());
    expect(screen.rows().filter((row) => row.includes('run 0:'))).toEqual([]);
  });

  it('is a line once a minute where nothing can be drawn over, with the same facts', () => {
    const shown = show({}, IN_TOOL);
    shown.pass(59_000);
    expect(shown.out()).not.toContain('silent');
    shown.pass(1000);
    expect(shown.out()).toMatch(
      /\n\d\d:\d\d:\d\d {3}… turn 2 of 30 · builder 1:00 · Bash npm test 1:00 · silent 1:00 of 0:01 · \$0.04 of \$5.00 · run 0:59\n$/,
    );
    shown.pass(60_000);
    expect(shown.out().match(/… turn 2 of 30/g)).toHaveLength(2);
  });
});

it.each([
  [true, '`ralph resume`'],
  [false, `\`ralph resume ${RUN_ID}\``],
])('says how to go on with a run that is the newest (%s): %s', (isNewest, words) => {
  expect(show({ isNewest }, 0).out()).toContain(`go on later with ${words}`);
});
