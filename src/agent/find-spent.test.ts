import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { UNKNOWN_USAGE } from '../core/index.ts';
import { findSpent } from './find-spent.ts';

const turnsDir = mkdtempSync(join(tmpdir(), 'ralph-spent-'));
afterAll(() => rmSync(turnsDir, { recursive: true, force: true }));

function write(turn: string, text: string): void {
  mkdirSync(join(turnsDir, turn));
  writeFileSync(join(turnsDir, turn, 'session.jsonl'), text);
}

it('adds up what the calls of a killed turn consumed, torn and odd lines passed over', () => {
  const call = (costUsd: number): string =>
    `${JSON.stringify({ type: 'usage', usage: { ...UNKNOWN_USAGE, inputTokens: 10, costUsd }, finish: 'stop' })}\n`;
  write(
    '1.1',
    `{"type":"session","v":1}\n${call(0.25)}{"type":"message"}\n${call(0.5)}{"type":"usage","usage":{"costUsd":"9"}}\n${call(1).slice(0, 30)}`,
  );
  expect(findSpent(turnsDir, '1.1')).toEqual({ ...UNKNOWN_USAGE, inputTokens: 20, costUsd: 0.75 });
});

it('knows nothing of a turn without a session', () => {
  expect(findSpent(turnsDir, '2.1')).toEqual(UNKNOWN_USAGE);
});
