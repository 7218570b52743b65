import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createFakeContext } from '../fixtures.ts';
import { followOutput } from './follow-output.ts';

it('shows what an agent says while it says it, goes on with the next turn, and ends with the run', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ralph-follow-'));
  try {
    const fake = createFakeContext({ isTty: true });
    const textOf = (turn: string): string => join(folder, turn);
    const run = { names: ['1.1', '2.1'], isOver: false };
    writeFileSync(textOf('1.1'), 'said long ago\n');
    writeFileSync(textOf('2.1'), 'first ');
    const redact = (text: string): string => text.replace('hunter2', '[redacted]');
    const followed = followOutput(fake.context, { turns: () => run.names, textOf, isOver: () => run.isOver, redact });
    appendFileSync(textOf('2.1'), '\u001b[31mwords hunter2\n');
    fake.pass(300);
    expect(fake.out()).toBe('── 2.1 ──\nfirst words [redacted]\n');
    run.names = ['1.1', '2.1', '3.1'];
    writeFileSync(textOf('3.1'), 'the end');
    run.isOver = true;
    fake.pass(300);
    await followed;
    expect(fake.out()).toBe('── 2.1 ──\nfirst words [redacted]\n── 3.1 ──\nthe end');
  } finally {
    rmSync(folder, { recursive: true });
  }
});
