import { chmodSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { toWebPlace } from './web-place.ts';

const TOKEN = '0123456789abcdef0123456789abcdef';
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ralph-web-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function writeToken(text = `${TOKEN}\n`, mode = 0o600): string {
  const path = join(folder, 'token');
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
}

it('only this machine reaches the page, and steers from it', () => {
  expect(toWebPlace({})).toEqual({ address: '127.0.0.1', isFar: false, port: null, token: null, canSteer: true });
  expect(toWebPlace({ listen: 'localhost' })).toMatchObject({ address: '127.0.0.1', isFar: false });
  expect(toWebPlace({ listen: '::1' })).toMatchObject({ isFar: false, canSteer: true });
  expect(toWebPlace({ readOnly: true })).toMatchObject({ canSteer: false });
});

it('another address is refused without a token file, and with one it only shows, unless it is said', () => {
  expect(() => toWebPlace({ listen: '192.168.1.5' })).toThrow('Whoever reaches 192.168.1.5 could try to read your runs.');
  const tokenFile = writeToken();
  expect(toWebPlace({ listen: '192.168.1.5', tokenFile })).toMatchObject({ isFar: true, canSteer: false, token: TOKEN });
  expect(toWebPlace({ listen: '192.168.1.5', tokenFile, steer: true })).toMatchObject({ canSteer: true });
  expect(toWebPlace({ listen: 'FD00:0:0:0::2', tokenFile })).toMatchObject({ address: 'fd00::2', isFar: true });
  expect(() => toWebPlace({ readOnly: true, steer: true })).toThrow('cannot be used together');
});

it.each(['0.0.0.0', '::', '0:0:0:0:0:0:0:0', '::ffff:0.0.0.0', '::FFFF:0:0', 'example.org', '192.168.1', 'fe80::1%eth0', ''])(
  'no address to listen on: %s',
  (listen) => {
    expect(() => toWebPlace({ listen, tokenFile: writeToken() })).toThrow(expect.objectContaining({ code: 'usage' }));
  },
);

it.each(['-1', '65536', 'x', '80.5'])('no port: %s', (port) => {
  expect(() => toWebPlace({ port })).toThrow(expect.objectContaining({ code: 'usage' }));
});

it('a token file is its owner’s alone, and holds something that nobody guesses', () => {
  const read = (tokenFile: string) => () => toWebPlace({ tokenFile });
  expect(toWebPlace({ tokenFile: writeToken() }).token).toBe(TOKEN);
  expect(read(writeToken(TOKEN, 0o640))).toThrow('can be read by others');
  expect(read(writeToken(TOKEN, 0o604))).toThrow('can be read by others');
  for (const text of ['', 'short', `${TOKEN}\n${TOKEN}`, 'x'.repeat(201), 'ü'.repeat(30)])
    expect(read(writeToken(text))).toThrow('holds no token');
  expect(read(writeToken('x'.repeat(5000)))).toThrow('is no file with a token');
  expect(read(join(folder, 'nothing'))).toThrow('cannot be read (ENOENT)');
  expect(read(folder)).toThrow('is no file with a token');
  symlinkSync(writeToken(), join(folder, 'link'));
  expect(read(join(folder, 'link'))).toThrow('cannot be read (ELOOP)');
});
