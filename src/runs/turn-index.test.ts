import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { BackendEvent } from '../core/backends/backend-event.ts';
import { openTurnIndex, readTurnIndex } from './turn-index.ts';

let turns = '';
let now = 1000;

beforeEach(() => {
  turns = mkdtempSync(join(tmpdir(), 'ralph-index-'));
  mkdirSync(join(turns, '1.1'));
  now = 1000;
});
afterEach(() => rmSync(turns, { recursive: true, force: true }));

test('calls of tools are kept with their times, and how far the text had grown by then', () => {
  const index = openTurnIndex(turns, { now: () => now });
  const say = (event: BackendEvent, afterMs: number): void => {
    now += afterMs;
    index.observe({ kind: 'live', iteration: 1, attempt: 1, hat: 'builder', event });
  };
  say({ type: 'text', text: 'I look. ' }, 10);
  say({ type: 'text', text: 'ä' }, 10);
  say({ type: 'tool-start', id: 'a', name: 'Bash', summary: 'npm\u001b[31m test' }, 10);
  say({ type: 'tool-start', id: 'b', name: 'Read', summary: 'x.ts' }, 10);
  say({ type: 'tool-end', id: 'a', name: 'Bash', ok: false, summary: '' }, 100);
  index.close();
  const found = readTurnIndex(join(turns, '1.1'));
  expect(found.calls).toEqual([
    { id: 'a', name: 'Bash', summary: 'npm test', startedAt: 1030, endedAt: 1140, ok: false },
    { id: 'b', name: 'Read', summary: 'x.ts', startedAt: 1040, endedAt: null, ok: null },
  ]);
  expect(found.growth).toEqual([
    { at: 1010, bytes: 8 },
    { at: 1030, bytes: 10 },
  ]);
  expect(found.isCut).toBe(false);
});

test('an id that is used twice names two calls', () => {
  const index = openTurnIndex(turns, { now: () => (now += 1) });
  for (const event of [
    { type: 'tool-start', id: 'a', name: 'Read', summary: 'one' },
    { type: 'tool-end', id: 'a', name: 'Read', ok: true, summary: '' },
    { type: 'tool-start', id: 'a', name: 'Read', summary: 'two' },
  ] as const)
    index.observe({ kind: 'live', iteration: 1, attempt: 1, hat: 'builder', event });
  index.close();
  expect(readTurnIndex(join(turns, '1.1')).calls.map(({ summary, ok }) => [summary, ok])).toEqual([
    ['one', true],
    ['two', null],
  ]);
});

test('the file grows to a megabyte, and says that it ends there', () => {
  const index = openTurnIndex(turns, { now: () => now });
  for (let id = 0; id < 20_000; id += 1)
    index.observe({
      kind: 'live',
      iteration: 1,
      attempt: 1,
      hat: 'builder',
      event: { type: 'tool-start', id: `${id}`, name: 'Bash', summary: 'x'.repeat(500) },
    });
  index.close();
  expect(statSync(join(turns, '1.1', 'live.jsonl')).size).toBeLessThanOrEqual(1 << 20);
  expect(readTurnIndex(join(turns, '1.1')).isCut).toBe(true);
});

test('what is damaged or not there says nothing, and a turn without a folder is no reason to fail', () => {
  writeFileSync(join(turns, '1.1', 'live.jsonl'), '{"t":1,"k":"end","id":"x"}\nnull\n[1]\n{"t":"x"}\n{"t":2,"k":"start","id":"y"');
  expect(readTurnIndex(join(turns, '1.1'))).toEqual({ calls: [], growth: [], isCut: false });
  expect(readTurnIndex(join(turns, '9.1'))).toEqual({ calls: [], growth: [], isCut: false });
  const index = openTurnIndex(turns, { now: () => now });
  index.observe({ kind: 'live', iteration: 9, attempt: 1, hat: 'builder', event: { type: 'text', text: 'x' } });
  index.close();
  expect(readFileSync(join(turns, '1.1', 'live.jsonl'), 'utf8')).toContain('"k":"end"');
});
