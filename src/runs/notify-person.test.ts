import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { makeSpec } from '../core/spec-fixtures.ts';
import { notifyPerson } from './notify-person.ts';
import type { RunNews } from './watch-news.ts';

let cwd = '';
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'ralph-notify-'));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

const NEWS: RunNews = {
  id: 'ended:1',
  event: 'ended',
  end: { reason: 'parked', exitCode: 2, proof: null },
  detail: 'builder (claude) cannot work: HTTP 401',
  attention: 'sign in to claude: `claude /login`',
  costUsd: 1.25,
};

async function tell(news: Partial<RunNews>, objective = 'Build it.\nAll of it.'): Promise<readonly string[]> {
  const notify =
    'printf "%s\\n" "$RALPH_EVENT" "$RALPH_END_REASON" "$RALPH_END_DETAIL" "$RALPH_ATTENTION" "$RALPH_COST_USD" "$RALPH_TASK" "$RALPH_FOLDER" > told';
  const problem = await notifyPerson({
    runId: 'r1',
    cwd,
    settings: { notify, spec: makeSpec({ objective }) },
    news: { ...NEWS, ...news },
    env: { PATH: process.env['PATH'] ?? '' },
  });
  expect(problem).toBeNull();
  return readFileSync(join(cwd, 'told'), 'utf8').trimEnd().split('\n');
}

it('tells why a run ended, what helps, what it cost, what was asked and where', async () => {
  expect(await tell({})).toEqual(['ended', 'parked', NEWS.detail, NEWS.attention, '1.2500', 'Build it.', cwd]);
});

it('tells what no variable could hold without that: zero bytes, and what is longer than the system takes', async () => {
  const [, , detail = '', attention] = await tell({ detail: `a\0b${'é'.repeat(300_000)}`, attention: 'x\0y' }, 'do\0 it');
  expect(detail.startsWith('a b\u00e9')).toBe(true);
  expect(detail.length).toBeLessThanOrEqual(4000);
  expect(attention).toBe('x y');
});
