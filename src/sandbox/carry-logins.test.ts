import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { findCli } from '../backends/clis.ts';
import { carryLogins, toContentHash } from './carry-logins.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

const TOKENS = ['accessToken', 'expiresAt'];

/** What the user's own file holds after a turn that made `copy` of it. */
function carry(own: unknown, copy: unknown): string {
  const folder = mkdtempSync(join(tmpdir(), 'ralph-carry-'));
  folders.push(folder);
  const [from, made] = [join(folder, 'own.json'), join(folder, 'copy.json')];
  const toText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
  writeFileSync(from, toText(own));
  writeFileSync(made, toText(copy));
  carryLogins([{ from, copy: made, tokens: TOKENS, hash: toContentHash(toText(own)) }]);
  return readFileSync(from, 'utf8');
}

const OWN = { oauth: { accessToken: 'first', expiresAt: 1, scopes: ['a'] }, url: 'https://api' };

describe('a login that is carried back', () => {
  it('brings the new tokens, and the time of their end', () => {
    const next = { oauth: { ...OWN.oauth, accessToken: 'second', expiresAt: 2 }, url: 'https://api' };
    expect(JSON.parse(carry(OWN, next))).toEqual(next);
  });

  it.each([
    ['another key', { ...OWN, hooks: {} }],
    ['another key further down', { ...OWN, oauth: { ...OWN.oauth, accessToken: 'second', hooks: 'x' } }],
    ['a key less', { oauth: { ...OWN.oauth, accessToken: 'second' } }],
    ['another address', { ...OWN, url: 'https://evil' }],
    ['a new token beside another address', { oauth: { ...OWN.oauth, accessToken: 'second' }, url: 'https://evil' }],
    ['a longer list', { ...OWN, oauth: { ...OWN.oauth, scopes: ['a', 'b'] } }],
    ['an object in the place of a token', { ...OWN, oauth: { ...OWN.oauth, accessToken: { command: 'evil' } } }],
    ['lines in the place of a token', { ...OWN, oauth: { ...OWN.oauth, accessToken: 'x\nexport A=evil' } }],
    ['a text in the place of a number', { ...OWN, oauth: { ...OWN.oauth, expiresAt: 'soon' } }],
    ['a prototype', '{"oauth":{"accessToken":"second","expiresAt":1,"scopes":["a"],"__proto__":{}},"url":"https://api"}'],
  ])('never brings %s', (_, copy) => {
    expect(carry(OWN, copy)).toBe(JSON.stringify(OWN));
  });

  it('is written anew: what a second key of the same name hides is gone, and the layout is the own one', () => {
    const copy = '{"accessToken":"a b","accessToken":"second"}';
    expect(carry('{\n  "accessToken": "first"\n}\n', copy)).toBe('{\n  "accessToken": "second"\n}\n');
  });

  it('is looked into where a text is JSON itself', () => {
    const wrap = (accessToken: string, url: string): unknown => ({ 'cline:account': JSON.stringify({ accessToken, url }) });
    expect(JSON.parse(carry(wrap('first', 'u'), wrap('second', 'u')))).toEqual(wrap('second', 'u'));
    expect(JSON.parse(carry(wrap('first', 'u'), wrap('second', 'evil')))).toEqual(wrap('first', 'u'));
  });

  it('is never a file that holds settings: of those a turn has a copy that is thrown away', () => {
    for (const [cli, name] of [
      ['copilot', 'config.json'],
      ['cline', 'data/settings/providers.json'],
    ] as const) {
      const [state] = findCli(cli)?.state ?? [];
      expect([state?.login.includes(name), state?.copies.includes(name)]).toEqual([false, true]);
    }
  });
});
