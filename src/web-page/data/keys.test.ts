import { describe, expect, test } from 'vitest';
import { createActionFinder, listKeys, PAGE_KEYS } from './keys.ts';

describe('the keys of the page', () => {
  test('each do one thing', () => {
    const keys = PAGE_KEYS.map(({ key }) => key);
    expect(new Set(keys).size).toBe(keys.length);
    expect(new Set(PAGE_KEYS.map(({ action }) => action)).size).toBe(PAGE_KEYS.length);
  });

  test('are all found when they are pressed', () => {
    for (const { key, action } of PAGE_KEYS) {
      const read = createActionFinder();
      const isCtrl = key.startsWith('Ctrl+');
      const presses = isCtrl ? [key.slice(5).toLowerCase()] : [...key];
      expect(presses.map((press) => read(press, isCtrl)).at(-1)).toBe(action);
    }
  });

  test('that steer or go to other runs are not listed in a file', () => {
    const keys = listKeys({ canSteer: false, hasServer: false }).map(({ key }) => key);
    expect(keys).toEqual(expect.arrayContaining(['j', ',', 'L', '?']));
    for (const key of [':', '!', 'a', 's', 'gr']) expect(keys).not.toContain(key);
    expect(listKeys({ canSteer: true, hasServer: true })).toEqual(PAGE_KEYS);
  });

  test('of two letters wait for the second, and forget the first when another comes', () => {
    const read = createActionFinder();
    expect([read('g', false), read('x', false), read('L', false)]).toEqual([null, null, 'live']);
    expect([read('g', false), read('t', false)]).toEqual([null, 'go-turns']);
  });
});
