import { expect, test } from 'vitest';
import { KEYS as TERMINAL_KEYS } from '../../src/tui/keys.ts';
import { KEYS as PAGE_KEYS } from '../../src/web-page/data/keys.ts';

test('what the terminal view and the page both do, they do by the same key', () => {
  const page = new Map(PAGE_KEYS.map(({ action, key }) => [action as string, key]));
  const both = TERMINAL_KEYS.filter(({ command }) => page.has(command));
  expect(both.map(({ command }) => command)).toEqual(
    expect.arrayContaining(['step-back', 'turn-on', 'live', 'tab-back', 'tab-on', 'tell-next', 'tell-now', 'answer', 'stop']),
  );
  for (const { command, keys } of both) expect(keys).toContain(page.get(command));
});
