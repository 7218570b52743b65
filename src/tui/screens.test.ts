import { readFileSync, writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Size, toScreenText } from './cells/screen.ts';
import { askingRun, endedRun, parkedRun, redRun, type SampleRun, signedOutRun, toSampleView } from './fixtures.ts';
import { toScreen } from './to-screen.ts';
import { FIRST_STATE, type ViewState } from './view-state.ts';

const USUAL = { columns: 100, rows: 30 };

function show(sample: SampleRun, size: Size = USUAL, state: Partial<ViewState> = {}): string {
  const { scene, layout } = toSampleView(sample, size, state);
  return toScreenText(toScreen(scene, layout));
}

/** `UPDATE_GOLDEN=1` writes them: look at what changed. */
function expectGolden(name: string, text: string): void {
  const file = new URL(`golden/${name}.txt`, import.meta.url);
  if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(file, `${text}\n`);
  expect(`${text}\n`).toBe(readFileSync(file, 'utf8'));
}

describe('the first screen', () => {
  it('of a run with a red gate', () => expectGolden('red', show(redRun())));
  it('of a run that asks', () => expectGolden('asking', show(askingRun())));
  it('of a run that waits for a limit', () => expectGolden('parked', show(parkedRun())));
  it('of a run that only its person can bring on', () => expectGolden('signed-out', show(signedOutRun())));
  it('of a run that has completed', () => expectGolden('completed', show(endedRun())));
  it('on the smallest terminal with two halves', () => expectGolden('smallest', show(redRun(), { columns: 60, rows: 15 })));
  it('on one without room for panels', () => expectGolden('too-small', show(askingRun(), { columns: 20, rows: 5 })));
  it('on a large terminal', () => expectGolden('large', show(redRun(), { columns: 200, rows: 50 })));
  it('on a narrow terminal, one panel at a time', () => expectGolden('narrow', show(askingRun(), { columns: 48, rows: 15 }, { panel: 1 })));

  it('of a panel on a fleet says which worker has the round of which agent, and what waits for one', () => {
    const sample = redRun();
    const since = sample.now - 7000;
    const round = { labels: ['gpu'], since };
    const programs = [
      { program: '3.1.1.1', title: 'Agent anna', worker: 'w1', ...round },
      { program: '3.1.2.1', title: 'Agent ben', worker: null, ...round },
    ];
    const panel = { ...sample, ...(sample.live !== undefined && { live: { ...sample.live, programs } }) };
    const flow = show(panel, { columns: 140, rows: 30 });
    expect(flow).toContain('Agent anna runs on worker w1 0:07');
    expect(flow).toContain('Agent ben waits for a worker with gpu 0:07');
    const narrow = show(panel, { columns: 60, rows: 24 })
      .split('\n')
      .map((line) => line.split('│')[0]?.trim());
    expect(narrow.join(' ')).toMatch(/Agent anna runs on worker w1 0:07 .*Agent ben waits for a worker with gpu 0:07/);
  });

  it.each([
    [60, 15],
    [80, 24],
    [300, 60],
  ])('answers on %i columns and %i rows what a person asks first', (columns, rows) => {
    const red = show(redRun(), { columns, rows });
    expect(red).toMatch(/RUNNING.* LIVE/);
    expect(red).toContain('turn 3/40');
    expect(red).toContain('$0.55/$5.00');
    expect(red).toMatch(/GATE RED/);
    expect(red).toMatch(/✗ RED tests/);
    const asking = show(askingRun(), { columns, rows });
    expect(asking).toContain('WAITING FOR YOU');
    expect(asking).not.toMatch(/RUNNING|WORKING/);
    expect(asking.split('\n')[0]).toContain('LIVE');
    expect(show(endedRun(), { columns, rows }).split('\n')[0]).toContain('END');
    expect(show(redRun(), { columns, rows }, { seq: 6 }).split('\n')[0]).toContain('PAST');
    expect(
      asking
        .split('\n')
        .map((line) => line.split('│')[0]?.trim())
        .join(' '),
    ).toContain('Deploy to staging?');
    expect(asking).toMatch(/press a, then 1 yes, 2 no/);
  });
});

describe('other screens', () => {
  it('of the past say so, and how it was then', () => {
    const text = show(endedRun(), USUAL, { seq: 6 });
    expect(text).toMatch(/PAST input 6 of \d+/);
    expect(text).toContain('✗ RED node --test');
    expect(text).not.toContain('COMPLETED');
  });

  it('show the calls of a turn, each with what became of it', () => {
    const text = show(redRun(), USUAL, { tab: 'calls' });
    expect(text).toMatch(/✓ Edit src\/login\.ts 0:01/);
    expect(text).toMatch(/▸ Bash npm test … 0:14/);
  });

  it('show only what has the words of the filter', () => {
    const text = show(redRun(), { columns: 120, rows: 50 }, { filter: 'blocked' });
    expect(text).toContain('build.blocked quality_gate → builder');
    expect(text).not.toMatch(/task\.start system/);
    expect(text).not.toContain('I read src/login.ts');
  });

  it('list every key', () => {
    const text = show(redRun(), { columns: 100, rows: 40 }, { page: 'keys' });
    expect(text).toContain('tell the hat at work something');
    expect(text).toContain('a second ctrl+c stops now');
  });
});

describe('a screen of any size', () => {
  it('has exactly its cells, whatever is looked at', () => {
    const samples = [redRun(), askingRun(), parkedRun(), endedRun(), { records: [], now: 0 }];
    const STATE = fc.record({
      panel: fc.constantFrom(1, 2, 3, 4, 5, 6),
      tab: fc.constantFrom('prompt', 'output', 'diff', 'calls'),
      page: fc.constantFrom('run', 'keys', 'gate'),
      seq: fc.option(fc.integer({ min: 0, max: 30 })),
      scroll: fc.nat(50),
      turn: fc.option(fc.nat(9)),
      gate: fc.nat(4),
      isZoomed: fc.boolean(),
      filter: fc.constantFrom('', 'b'),
      asking: fc.constantFrom(null, 'stop', 'interrupt'),
    }) as fc.Arbitrary<Partial<ViewState>>;
    fc.assert(
      fc.property(
        fc.constantFrom(...samples),
        fc.integer({ min: 1, max: 300 }),
        fc.integer({ min: 1, max: 60 }),
        STATE,
        (sample, columns, rows, state) => {
          const { scene, layout } = toSampleView(sample, { columns, rows }, { ...FIRST_STATE, ...state });
          const screen = toScreen(scene, layout);
          expect(screen.grid).toHaveLength(rows);
          for (const { chars, tones } of screen.grid) {
            expect(chars).toHaveLength(columns);
            expect(tones).toHaveLength(columns);
          }
        },
      ),
    );
  });
});
