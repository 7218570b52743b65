import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { KEYS } from './keys.ts';

/** The page is another program, whose modules the view does not load: its table is read as it stands there. */
const PAGE = readFileSync(new URL('../web-page/data/keys.ts', import.meta.url), 'utf8');
const OF_PAGE = [...PAGE.matchAll(/\{ key: '(?<key>[^']+)', action: '(?<action>[^']+)'/g)].map(({ groups = {} }) => groups);

describe('what the page does as well', () => {
  const both = OF_PAGE.flatMap(({ key = '', action = '' }) => {
    // The only one with another name there.
    const row = KEYS.find(({ command }) => command === (action === 'help' ? 'keys' : action));
    return row === undefined ? [] : [{ key, action, keys: row.keys }];
  });

  test('is most of it', () => {
    const names = both.map(({ action }) => action);
    expect(names).toEqual(expect.arrayContaining(['step-back', 'tab-on', 'live', 'tell-now', 'answer', 'stop', 'help']));
  });

  test.each(both)('has one key in both: $action', ({ key, keys }) => {
    expect(keys).toContain(key);
  });
});
