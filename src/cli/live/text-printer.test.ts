import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createRunViewFold } from '../../views/index.ts';
import { createFakeContext, RETRY_AT, RUN_ID, sampleRecords } from '../fixtures.ts';
import { createTextPrinter } from './text-printer.ts';

/** `UPDATE_GOLDEN=1 npx vitest run src/cli/live` writes the files anew; read the difference before you keep it. */
const UPDATE = process.env['UPDATE_GOLDEN'] === '1';

function play(settings: { readonly verbose: boolean; readonly isTty: boolean }): string {
  const fake = createFakeContext({ isTty: settings.isTty });
  const printer = createTextPrinter(fake.context.terminal, { verbose: settings.verbose, now: () => RETRY_AT - 5000 });
  const fold = createRunViewFold();
  const [first, ...records] = sampleRecords();
  if (first !== undefined) fold.take(first);
  printer.begin({ runId: RUN_ID, runFolder: `/project/.ralph/runs/${RUN_ID}`, workspace: '/project', view: fold.view() });
  for (const record of records) {
    fold.take(record);
    printer.show(record, fold.latestTurn());
  }
  printer.end({ runId: RUN_ID, view: fold.view(), exitCode: 2, changedFiles: ['src/parser.ts'], tellsNext: true, isOneTurn: false });
  return fake.out();
}

describe('the lines of a run, as people can read them in golden/', () => {
  it.each([
    ['live-run.txt', { verbose: false, isTty: false }],
    ['live-run-verbose.txt', { verbose: true, isTty: false }],
  ])('%s', (name, settings) => {
    const file = new URL(`./golden/${name}`, import.meta.url);
    const text = play(settings);
    if (UPDATE) writeFileSync(file, text);
    expect(text).toBe(readFileSync(file, 'utf8'));
  });

  it('tick down a wait on a terminal, and erase it before the next line', () => {
    const text = play({ verbose: false, isTty: true });
    expect(text).toContain('\r\u001b[2K  … next try in 5.0 s\r\u001b[2K');
  });

  it('have no control characters but those where nobody watches', () => {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that is the question
    expect(play({ verbose: true, isTty: false })).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f]/);
  });
});
