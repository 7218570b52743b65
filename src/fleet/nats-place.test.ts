import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { readLogin, toShownUrl } from './nats-place.ts';

const folder = mkdtempSync(join(tmpdir(), 'ralph-login-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function write(name: string, text: string): string {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
}

describe('who asks a server', () => {
  const file = write('password', 's/cret\n');
  const creds = write('me.creds', '-----BEGIN NATS USER JWT-----\nx\n------END NATS USER JWT------\n-----BEGIN USER NKEY SEED-----\ny\n');
  const env = { RALPH_FLEET_PASSWORD_FILE: file, RALPH_FLEET_CREDS: creds };

  test('is said by the address, before any file', () => {
    expect(readLogin({ url: 'nats://me:a%2Fb@h', env })).toEqual({ kind: 'password', user: 'me', pass: 'a/b' });
    expect(readLogin({ url: 'nats://me:100%@h', env })).toMatchObject({ pass: '100%' });
    expect(readLogin({ url: 'nats://me:a,b@h:1,i:2', env })).toEqual({ kind: 'password', user: 'me', pass: 'a,b' });
    expect(readLogin({ url: 'nats://h', env: {} })).toEqual({ kind: 'nobody' });
    expect(readLogin({ url: 'nats://me@h', env: {} })).toEqual({ kind: 'password', user: 'me', pass: '' });
  });

  test('is said by a file where the address has a name without a password, or no name', () => {
    expect(readLogin({ url: 'tls://me@h', env })).toEqual({ kind: 'password', user: 'me', pass: 's/cret' });
    expect(readLogin({ url: 'tls://h', env: { RALPH_FLEET_PASSWORD_FILE: file } })).toEqual({ kind: 'nobody' });
    const login = readLogin({ url: 'tls://h', env });
    expect(login.kind === 'credentials' && Buffer.from(login.bytes).toString()).toContain('NKEY SEED');
    const wrong = { RALPH_FLEET_CREDS: file };
    expect(() => readLogin({ url: 'tls://h', env: wrong })).toThrow(
      expect.objectContaining({ message: expect.stringContaining('no credentials') }),
    );
  });

  test.each([
    ['is missing', join(folder, 'missing'), 'ENOENT'],
    ['is a folder', folder, 'no file'],
    ['is empty', write('empty', '\n'), 'one line'],
    ['has more than a password', write('two', 'a\nb\n'), 'one line'],
    ['is too large', write('large', 'x'.repeat(70_000)), 'no file'],
    ['is named from where somebody happens to be', 'password', 'absolute'],
  ])('is asked for again where its file %s', (_, path, words) => {
    expect(() => readLogin({ url: 'nats://me@h', env: { RALPH_FLEET_PASSWORD_FILE: path } })).toThrow(
      expect.objectContaining({ code: 'fleet-login', message: expect.stringContaining(words) }),
    );
  });

  test('is not shown', () => {
    expect(toShownUrl('nats://me:secret@h:1')).toBe('nats://h:1');
    expect(toShownUrl('no address')).toBe('that address');
    expect(toShownUrl('tls://me:secret@h:1,i:2')).toBe('tls://h:1,i:2');
    expect(toShownUrl('nats://me:secret@h:1,nats://me:secret@i:2')).toBe('nats://h:1,i:2');
    expect(toShownUrl('nats://h:1,i:x')).toBe('that address');
  });
});
